'use strict';

const { afterEach, describe, expect, test } = require('@jest/globals');
const os = require('node:os');
const path = require('node:path');
const fs = require('node:fs');
const { agent, useClients } = require('./harness');

const open = useClients();

/** How an agent with these options says it was started. */
async function startedWith(options) {
  const program = agent('tells-itself', ...(options.args ?? []));
  const { raw } = await open({ ...program, ...options, args: program.args }).start();
  return raw._meta;
}

describe('the environment of the agent', () => {
  const set = { NODE_OPTIONS: '--no-warnings', VSCODE_PID: '7', MINI_ME_TEST: 'inherited' };
  const before = Object.fromEntries(Object.keys(set).map((name) => [name, process.env[name]]));
  afterEach(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test('is inherited, less what is meant for this very process', async () => {
    Object.assign(process.env, set);
    const { env } = await startedWith({});
    expect(env).toMatchObject({ PATH: process.env.PATH, MINI_ME_TEST: 'inherited' });
    expect(env).not.toHaveProperty('NODE_OPTIONS');
    expect(env).not.toHaveProperty('VSCODE_PID');
  });

  test('has env on top; undefined removes, and what was kept back may be given', async () => {
    Object.assign(process.env, set);
    const env = { NEW: 'é "x" $y', MINI_ME_TEST: undefined, VSCODE_PID: '8', EMPTY: '' };
    const { env: seen } = await startedWith({ env });
    expect(seen).toMatchObject({
      NEW: 'é "x" $y',
      VSCODE_PID: '8',
      EMPTY: '',
      PATH: process.env.PATH,
    });
    expect(seen).not.toHaveProperty('MINI_ME_TEST');
  });

  test('is env alone with inheritEnv false', async () => {
    const { env } = await startedWith({ inheritEnv: false, env: { ONLY: '1' } });
    // macOS adds one of its own.
    delete env.__CF_USER_TEXT_ENCODING;
    expect(env).toEqual({ ONLY: '1' });
  });

  test('says by its PATH where the command is looked for', async () => {
    const program = agent('tells-itself');
    const { name, dir } = {
      name: path.basename(process.execPath),
      dir: path.dirname(process.execPath),
    };
    const client = open({ ...program, command: name, env: { PATH: dir } });
    expect((await client.start()).raw._meta.env.PATH).toBe(dir);
  });
});

describe('the arguments of the agent', () => {
  test('come to it as they are, through no shell', async () => {
    const args = [
      '',
      ' a b ',
      '"q"',
      "'",
      '$HOME `x` %PATH%',
      '\\',
      'a\nb',
      '日本 😀',
      '--',
      '*',
      'a&b|c>d',
    ];
    expect((await startedWith({ args })).args).toEqual(args);
  });

  test('are -acp when none are given', async () => {
    // The fake agent stands in for a program called with its default arguments.
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-client-')));
    const command = path.join(folder, 'mm');
    const script = agent('tells-itself').args[0];
    fs.writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`, {
      mode: 0o755,
    });
    const { raw } = await open({
      env: { PATH: `${folder}:${process.env.PATH}`, MM_BIN: undefined },
    }).start();
    expect(raw._meta.args).toEqual(['-acp']);
    fs.rmSync(folder, { recursive: true });
  });
});

describe('the working directory of the agent', () => {
  test('is cwd, or else that of this process', async () => {
    const folder = fs.realpathSync(os.tmpdir());
    expect((await startedWith({ cwd: folder })).cwd).toBe(folder);
    expect((await startedWith({})).cwd).toBe(process.cwd());
  });

  test('may be given relative to that of this process', async () => {
    expect((await startedWith({ cwd: 'js' })).cwd).toBe(path.resolve('js'));
  });
});
