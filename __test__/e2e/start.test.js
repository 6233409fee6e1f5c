'use strict';

const { afterEach, describe, expect, jest, test } = require('@jest/globals');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ConnectionError, MiniMe, OptionError, ProtocolError } = require('../..');
const {
  agent,
  diagnostic,
  failureOf,
  isAlive,
  loadWithFakeTimers,
  record,
  useClients,
} = require('./harness');

const open = useClients();
const NOWHERE = path.join(os.tmpdir(), 'mini-me-client-nowhere');

/** A folder of the test's own, gone with it. */
const folders = [];
function folder() {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-client-')));
  folders.push(made);
  return made;
}
afterEach(() => {
  for (const made of folders.splice(0)) fs.rmSync(made, { recursive: true });
});

describe('start()', () => {
  test('gives what the agent tells of itself', async () => {
    const result = {
      protocolVersion: 1,
      agentInfo: { name: 'a', version: '2' },
      agentCapabilities: { loadSession: true },
      authMethods: [{ id: 'k', name: 'Key' }],
      extra: null,
    };
    const client = open(agent('initializes', JSON.stringify({ result })));
    const info = await client.start();
    expect(info).toEqual({
      protocolVersion: 1,
      name: 'a',
      version: '2',
      capabilities: { loadSession: true },
      authMethods: [{ id: 'k', name: 'Key' }],
      raw: result,
    });
    expect(client.agent).toBe(info);
    expect(isAlive(client.pid)).toBe(true);
  });

  test('takes an agent that tells nothing but its version', async () => {
    const client = open(agent('initializes', JSON.stringify({ result: { protocolVersion: 1 } })));
    expect(await client.start()).toMatchObject({
      name: undefined,
      capabilities: {},
      authMethods: [],
    });
  });

  test('starts one agent, however often it is called', async () => {
    const client = open(agent('echo'));
    const [first, second] = await Promise.all([client.start(), client.start()]);
    expect(second).toBe(first);
    const { pid } = client;
    await client.start();
    expect(client.pid).toBe(pid);
  });

  test('is implied by newSession() and by request()', async () => {
    expect((await open(agent('echo')).newSession()).id).toBe('s1');
    expect(await open(agent('echo')).request('_test/received')).toHaveLength(2);
  });

  test('goes from idle by starting to ready', async () => {
    const client = open(agent('echo'));
    expect(client.state).toBe('idle');
    const starting = client.start();
    expect(client.state).toBe('starting');
    await starting;
    expect(client.state).toBe('ready');
  });

  test('notify() before it is told to start first', () => {
    const client = open(agent('echo'));
    expect(() => client.notify('_x')).toThrow(
      expect.objectContaining({ code: 'MM_ERR_NOT_STARTED', name: 'StateError' }),
    );
  });
});

describe('a program that cannot be started', () => {
  async function spawnFailure(options) {
    const client = open(options);
    const told = record(client);
    const error = await failureOf(client.start());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.code).toBe('MM_ERR_SPAWN');
    expect(client.state).toBe('closed');
    expect(client.pid).toBeUndefined();
    expect(await failureOf(client.start())).toBe(error);
    expect(await client.close()).toBeUndefined();
    expect(told.exit).toEqual([]);
    return error;
  }

  test('is named with the PATH that was searched and what to set', async () => {
    const env = { PATH: `${NOWHERE}${path.delimiter}/also/nowhere` };
    const { details, message } = await spawnFailure({ command: 'no-such-mm', env });
    expect(details).toEqual({
      command: 'no-such-mm',
      path: env.PATH,
      cwd: process.cwd(),
      errno: 'ENOENT',
    });
    for (const part of ['no-such-mm', env.PATH, 'MM_BIN']) expect(message).toContain(part);
  });

  test('is named when it is a path that does not exist', async () => {
    const { details, message } = await spawnFailure({ command: path.join(NOWHERE, 'mm') });
    expect(details).toMatchObject({ command: path.join(NOWHERE, 'mm'), errno: 'ENOENT' });
    expect(message).toContain(path.join(NOWHERE, 'mm'));
  });

  test('is told to be a folder', async () => {
    const command = folder();
    const { details, message } = await spawnFailure({ command });
    expect(details).toMatchObject({ command, errno: 'EACCES' });
    expect(message).toContain('a folder');
  });

  test('is told not to be executable', async () => {
    const command = path.join(folder(), 'mm');
    fs.writeFileSync(command, '', { mode: 0o644 });
    const { details, message } = await spawnFailure({ command });
    expect(details).toMatchObject({ command, errno: 'EACCES' });
    expect(message).toContain('not executable');
  });

  test('is not blamed for a working directory that is not there', async () => {
    const { details, message } = await spawnFailure({ ...agent('echo'), cwd: NOWHERE });
    expect(details).toMatchObject({ cwd: NOWHERE, errno: 'ENOENT' });
    expect(message).toMatch(/cwd.*mini-me-client-nowhere/u);
  });

  test('is not blamed for a working directory that is a file', async () => {
    const { details } = await spawnFailure({ ...agent('echo'), cwd: __filename });
    expect(details).toMatchObject({ cwd: __filename, errno: 'ENOTDIR' });
  });

  test('fails every opening with the same error', async () => {
    const client = open({ command: NOWHERE });
    const error = await failureOf(client.newSession());
    expect(error.code).toBe('MM_ERR_SPAWN');
    expect(await failureOf(client.request('_x'))).toBe(error);
  });

  test('may come from MM_BIN, which is asked when command is not given', async () => {
    const before = process.env.MM_BIN;
    process.env.MM_BIN = path.join(NOWHERE, 'from-mm-bin');
    try {
      const { details } = await spawnFailure({});
      expect(details.command).toBe(path.join(NOWHERE, 'from-mm-bin'));
    } finally {
      if (before === undefined) delete process.env.MM_BIN;
      else process.env.MM_BIN = before;
    }
  });

  test('is refused with arguments that no program can be given', async () => {
    const { details } = await spawnFailure({ ...agent('echo'), args: ['a\0b'] });
    expect(details.errno).toBe('EINVAL');
  });
});

describe('an agent that does not come up', () => {
  test('fails start() at once with its exit code and its stderr', async () => {
    const client = open(agent('exits', 127));
    const told = record(client);
    const error = await failureOf(client.start());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      code: 'MM_ERR_EXITED',
      exitCode: 127,
      signal: null,
      stderr: 'no license found\n',
    });
    expect(error.message).toContain('127');
    expect(error.message).toContain('no license found');
    expect(told.exit).toEqual([
      { exitCode: 127, signal: null, expected: false, stderr: 'no license found\n' },
    ]);
    expect(await failureOf(client.start())).toBe(error);
  });

  test('that exits with 0 fails start() as well', async () => {
    const error = await failureOf(open(agent('exits', 0)).newSession());
    expect(error).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: 0 });
  });

  test('fails start() after startTimeoutMs, with its stderr, and is ended', async () => {
    const client = open({ ...agent('never-answers', 'initialize'), startTimeoutMs: 700 });
    const told = record(client);
    const error = await failureOf(client.start());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      code: 'MM_ERR_START_TIMEOUT',
      stderr: 'I read, and say nothing\n',
    });
    expect(error.message).toContain('700');
    await client.close();
    expect(isAlive(client.pid)).toBe(false);
    expect(told.exit).toHaveLength(1);
  });

  test.each([0, Infinity])('is waited for without limit with startTimeoutMs %p', async (limit) => {
    const { MiniMe: FakeTimed } = loadWithFakeTimers();
    const options = { ...agent('never-answers', 'initialize'), startTimeoutMs: limit };
    const client = open(options, FakeTimed);
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    client.start().then(settle, settle);
    jest.advanceTimersByTime(24 * 60 * 60 * 1000);
    await new Promise(setImmediate);
    expect(isSettled).toBe(false);
  });

  test('is told with the diagnostic slow-start after ten seconds', () => {
    const { MiniMe: FakeTimed } = loadWithFakeTimers();
    const client = open(agent('never-answers', 'initialize'), FakeTimed);
    const told = record(client);
    client.start().catch(() => undefined);
    jest.advanceTimersByTime(9_999);
    expect(told.diagnostic).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(told.diagnostic).toMatchObject([{ code: 'slow-start', details: { waitedMs: 10_000 } }]);
  });

  test('gives its error when it refuses initialize', async () => {
    const error = { code: -32600, message: 'too new', data: { supported: [0] } };
    const client = open(agent('initializes', JSON.stringify({ error })));
    expect(await failureOf(client.start())).toMatchObject({
      code: 'MM_ERR_AGENT',
      name: 'AgentError',
      rpcCode: -32600,
      rpcData: { supported: [0] },
      message: 'initialize: too new',
    });
    await client.close();
  });

  test.each([[2], [0], ['1'], [undefined]])(
    'is ended when its protocol version is %j',
    async (version) => {
      const client = open(
        agent('initializes', JSON.stringify({ result: { protocolVersion: version } })),
      );
      const told = record(client);
      const error = await failureOf(client.newSession());
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error).toMatchObject({
        code: 'MM_ERR_PROTOCOL_VERSION',
        details: { protocolVersion: version ?? null },
      });
      await client.close();
      expect(told.exit).toHaveLength(1);
    },
  );

  test.each([
    ['a thousand lines', [1000, 5]],
    ['a megabyte', [10, 110 * 1024]],
  ])('is told to speak no ACP after %s of other text', async (_, args) => {
    const client = open(agent('floods', ...args));
    const error = await failureOf(client.start());
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error.code).toBe('MM_ERR_NOT_ACP');
    expect(error.details.firstLine).toMatch(/^x+…?$/u);
    await client.close();
    expect(isAlive(client.pid)).toBe(false);
  });

  test('may write 999 lines of other text before its first message', async () => {
    const client = open(agent('floods', 999, 5));
    const last = new Promise((resolve) => {
      client.on(
        'diagnostic',
        ({ message }) => message.includes('more will not be told') && resolve(),
      );
    });
    client.start().catch(() => undefined);
    await last;
    expect(client.state).toBe('starting');
  });
});

describe('options', () => {
  test('that are wrong throw before anything is started', () => {
    expect(() => new MiniMe({ args: '-acp' })).toThrow(OptionError);
  });

  test('clientInfo and capabilities go into initialize, capabilities over our own', async () => {
    const client = open({
      ...agent('tells-itself'),
      clientInfo: { name: 'ed', version: '9', title: 'Ed' },
      capabilities: { fs: { readTextFile: true }, _meta: { 'x/y': [1] } },
    });
    const { params } = (await client.start()).raw._meta;
    expect(params).toEqual({
      protocolVersion: 1,
      clientInfo: { name: 'ed', version: '9', title: 'Ed' },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: false },
        terminal: false,
        session: { configOptions: { boolean: {} } },
        _meta: { 'x/y': [1] },
      },
    });
  });

  test('clientInfo is this package when none is given', async () => {
    const { name, version } = require('../../package.json');
    const { raw } = await open(agent('tells-itself')).start();
    expect(raw._meta.params.clientInfo).toEqual({ name, version });
  });

  test('a diagnostic found before start() is given when it is called', async () => {
    const client = open(agent('echo'));
    const told = record(client);
    client.addTool({ name: 'n'.repeat(80), handle: () => 1 });
    expect(told.diagnostic).toEqual([]);
    const named = diagnostic(client, 'tool-name-long');
    await client.start();
    expect((await named).details.modelName).toBe(`client_${'n'.repeat(80)}`);
    expect(told.diagnostic).toHaveLength(1);
  });
});
