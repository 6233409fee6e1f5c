'use strict';
// Windows, macOS, Linux: the environment of the agent, and what cannot start.

const { describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { agent, failureOf, program, runHost, useClients } = require('./harness');

const open = useClients();

describe('the environment of the agent', () => {
  const tells = agent((agent) => {
    agent.on('env', () => process.env);
  });

  test('127, 150, 170: is inherited without what is the host’s own; env on top; or env alone', async () => {
    const own = {
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_PID: '7',
      NODE_OPTIONS: '--no-warnings',
      KEEP: 'k',
    };
    Object.assign(process.env, own);
    try {
      const client = open({ ...tells, env: { FOO: '1', HOME: undefined, VSCODE_PID: '8' } });
      const env = await client.request('env');
      expect(env).toMatchObject({ FOO: '1', KEEP: 'k', PATH: process.env.PATH, VSCODE_PID: '8' });
      for (const name of ['HOME', 'ELECTRON_RUN_AS_NODE', 'NODE_OPTIONS']) {
        expect(env).not.toHaveProperty(name);
      }
      const alone = open({ ...tells, inheritEnv: false, env: { ONLY: 'this' } });
      expect(await alone.request('env')).toEqual({ ONLY: 'this' });
    } finally {
      for (const name of Object.keys(own)) delete process.env[name];
    }
  });
});

describe('what cannot start', () => {
  test('128, 130: names the command, the PATH and what to set; or exit code and stderr', async () => {
    const env = { PATH: '/usr/bin:/bin' };
    const missing = await failureOf(open({ command: 'no-such-mm', env }).start());
    for (const word of ['no-such-mm', '/usr/bin:/bin', 'MM_BIN']) {
      expect(missing.message).toContain(word);
    }
    const dies = program(() => {
      process.stderr.write('bad key\n');
      process.exitCode = 127;
    });
    const error = await failureOf(open(dies).start());
    expect(error.message).toMatch(/127[\s\S]*bad key/u);
  });

  test('131: blames cwd when it is cwd that is not there, or no folder', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-cwd-'));
    try {
      const cwds = [path.join(folder, 'none'), __filename];
      for (const cwd of cwds) {
        const error = await failureOf(open({ command: process.execPath, cwd }).start());
        expect(error).toMatchObject({ code: 'MM_ERR_SPAWN', details: { cwd } });
        expect(error.message).toContain('cwd');
      }
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  test('131: blames cwd when it is cwd that may not be entered', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-cwd-'));
    const cwd = path.join(folder, 'closed');
    fs.chmodSync(folder, 0o755);
    fs.mkdirSync(cwd, { mode: 0 });
    try {
      const host = await runHost(
        async ({ MiniMe, tell }, options) => {
          const client = new MiniMe(options);
          // To the superuser nothing is closed.
          if (process.getuid() === 0) process.setuid(65_534);
          const { code, message, details } = await client.start().catch((error) => error);
          tell({ code, message, details });
        },
        { command: process.execPath, cwd },
      );
      expect(host).toMatchObject({
        code: 0,
        err: '',
        told: [{ code: 'MM_ERR_SPAWN', details: { cwd, errno: 'EACCES' } }],
      });
      expect(host.told[0].message).toContain('`cwd`');
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});
