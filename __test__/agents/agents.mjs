// Agents from the package registries, each at one version, and how each is started against the model of
// model-server.mjs. `expected` is what was seen of it: the trial fails when it does less, or more.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

function put(file, content) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const CODEX_TARGET = `${process.platform}-${process.arch}`;

export const AGENTS = {
  codex: {
    title: 'Codex (codex-acp)',
    npm: '@zed-industries/codex-acp',
    version: '0.16.0',
    program: (root) => [
      `${root}/node_modules/@zed-industries/codex-acp-${CODEX_TARGET}/bin/codex-acp`,
    ],
    start: "{ command: 'codex-acp', args: [], carrier: 'mcp' }",
    env: ({ home }) => ({ CODEX_HOME: `${home}/.codex`, FAKE_KEY: 'fake', NO_BROWSER: '1' }),
    setup: ({ home, port }) =>
      put(
        `${home}/.codex/config.toml`,
        [
          'model = "gpt-5-codex"',
          'model_provider = "fake"',
          'check_for_update_on_startup = false',
          '[analytics]',
          'enabled = false',
          '[model_providers.fake]',
          'name = "fake"',
          `base_url = "http://127.0.0.1:${port}/v1"`,
          'env_key = "FAKE_KEY"',
          'wire_api = "responses"',
          'supports_websockets = false',
          'request_max_retries = 0',
          'stream_max_retries = 0',
          '',
        ].join('\n'),
      ),
    shell: [
      '^exec_command$',
      { cmd: 'echo shell-ok', sandbox_permissions: 'require_escalated', justification: 'may I?' },
    ],
    expected: { files: 'none', terminal: 'no', permission: 'asks', apart: 'yes', reopens: 'yes' },
  },
  opencode: {
    title: 'OpenCode',
    npm: 'opencode-ai',
    version: '1.18.33',
    program: (root) => [`${root}/node_modules/.bin/opencode`, 'acp'],
    start: "{ command: 'opencode', args: ['acp'], carrier: 'mcp' }",
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }),
    setup: ({ home, port }) =>
      put(`${home}/.config/opencode/opencode.json`, {
        provider: {
          fake: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Fake',
            options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'fake' },
            models: {
              'fake-model': {
                name: 'Fake',
                tool_call: true,
                limit: { context: 100_000, output: 8_000 },
              },
            },
          },
        },
        model: 'fake/fake-model',
        small_model: 'fake/fake-model',
        autoupdate: false,
        share: 'disabled',
        permission: { bash: 'ask', edit: 'ask' },
      }),
    shell: ['^bash$', { command: 'echo shell-ok', description: 'echo' }],
    write: (cwd) => ['^write$', { filePath: `${cwd}/out.txt`, content: 'written\n' }],
    expected: { files: 'writes', terminal: 'no', permission: 'never', apart: 'no', reopens: 'yes' },
  },
  gemini: {
    title: 'Gemini CLI',
    npm: '@google/gemini-cli',
    version: '0.61.0',
    program: (root) => [
      process.execPath,
      `${root}/node_modules/@google/gemini-cli/bundle/gemini.js`,
      '--acp',
      '--model',
      'gemini-2.5-flash',
    ],
    start: "{ command: 'gemini', args: ['--acp'], carrier: 'mcp' }",
    env: ({ port }) => ({
      GEMINI_API_KEY: 'fake',
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
      GEMINI_TELEMETRY_ENABLED: 'false',
      NO_BROWSER: '1',
    }),
    setup: ({ home }) =>
      put(`${home}/.gemini/settings.json`, {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
      }),
    shell: ['^run_shell_command$', { command: 'echo shell-ok', description: 'echo' }],
    write: (cwd) => ['^write_file$', { file_path: `${cwd}/out.txt`, content: 'written\n' }],
    expected: {
      files: 'reads and writes',
      terminal: 'no',
      permission: 'asks',
      apart: 'yes',
      reopens: 'the agent refuses',
    },
  },
  fastagent: {
    title: 'fast-agent',
    pip: 'fast-agent-acp',
    version: '0.10.48',
    program: (root, { home }) => [
      `${root}/bin/fast-agent`,
      '--no-update-check',
      'acp',
      '--home',
      `${home}/fa`,
      '--model',
      'generic.fake-model',
      '--shell',
    ],
    start: "{ command: 'fast-agent', args: ['acp'], carrier: 'mcp' }",
    env: ({ port }) => ({
      GENERIC_BASE_URL: `http://127.0.0.1:${port}/v1`,
      GENERIC_API_KEY: 'fake',
      FAST_AGENT_TELEMETRY: '0',
    }),
    setup: ({ home, port }) =>
      put(
        `${home}/fa/fast-agent.yaml`,
        `generic:\n  api_key: "fake"\n  base_url: "http://127.0.0.1:${port}/v1"\n`,
      ),
    shell: ['^(?:execute|bash|shell)$', { command: 'echo shell-ok' }],
    write: (cwd) => ['write_text_file$', { path: `${cwd}/out.txt`, content: 'written\n' }],
    expected: {
      files: 'reads and writes',
      terminal: 'yes',
      permission: 'asks',
      apart: 'yes',
      reopens: 'yes',
    },
  },
};
