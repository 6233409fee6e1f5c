'use strict';

const { describe, expect, test } = require('@jest/globals');
const { once } = require('node:events');
const { ConnectionError } = require('../..');
const { agent, failureOf, gone, isAlive, received, record, useClients } = require('./harness');

const open = useClients();

describe('an agent that ends by itself', () => {
  test('in the middle of a line is one rejection with exit code and stderr, and one exit event', async () => {
    const client = open(agent('dies-mid-line'));
    const told = record(client);
    const session = await client.newSession();
    const error = await failureOf(session.prompt('x'));
    expect(error).toBeInstanceOf(ConnectionError);
    const stderr = 'cannot reach the model\ngiving up\n';
    expect(error).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: 3, signal: null, stderr });
    expect(error.details).toEqual({ exitCode: 3, signal: null, stderr });
    expect(error.message).toContain('exit code 3');
    expect(error.message).toContain('giving up');
    expect(told.exit).toEqual([{ exitCode: 3, signal: null, expected: false, stderr }]);
    expect(told.stderr).toEqual(['cannot reach the model', 'giving up']);
    expect(told.update).toHaveLength(1);
    expect(await client.close()).toMatchObject({ exitCode: 3 });
    expect(told.exit).toHaveLength(1);
  });

  test('fails whatever is open and whatever comes later with MM_ERR_EXITED', async () => {
    const client = open(agent('dies-mid-line'));
    const sessions = await Promise.all([client.newSession(), client.newSession()]);
    const turns = sessions.map((session) => failureOf(session.prompt('x')));
    const request = failureOf(client.request('_x').then(() => client.request('_y')));
    for (const error of await Promise.all(turns)) expect(error.code).toBe('MM_ERR_EXITED');
    await request;
    const later = [
      client.start(),
      client.newSession(),
      client.request('_x'),
      sessions[0].prompt('y'),
    ];
    for (const error of await Promise.all(later.map(failureOf))) {
      expect(error).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: 3 });
    }
    expect(() => client.notify('_x')).toThrow(expect.objectContaining({ code: 'MM_ERR_EXITED' }));
    await client.close();
    expect((await failureOf(client.start())).code).toBe('MM_ERR_CLOSED');
  });

  test('by a signal is told with the name of the signal', async () => {
    for (const signal of ['SIGKILL', 'SIGSEGV']) {
      const client = open(agent('kills-itself', signal));
      const session = await client.newSession();
      const error = await failureOf(session.prompt('x'));
      expect(error).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: null, signal });
      expect(error.message).toContain(signal);
    }
  });

  test('right behind a burst: every update and the answer come before the exit', async () => {
    const client = open(agent('streams-updates', 300, 0));
    const order = [];
    client.on('update', () => order.push('update'));
    client.on('exit', () => order.push('exit'));
    const session = await client.newSession();
    const exited = once(client, 'exit');
    const { text } = await session.prompt('x');
    expect(text).toBe(Array.from({ length: 300 }, (_, number) => `${number};`).join(''));
    await exited;
    expect(order).toEqual([...Array(300).fill('update'), 'exit']);
  });

  test('aborts the signals of the calls that run', async () => {
    const client = open(agent('calls-tools'));
    const entered = new Promise((resolve) => {
      const handle = (_, { signal }) => {
        resolve(signal);
        return new Promise(() => undefined);
      };
      client.addTool({ name: 'slow', method: '_slow', handle });
    });
    const session = await client.newSession();
    const turn = failureOf(session.prompt('[{"method":"_slow"}]'));
    const signal = await entered;
    process.kill(client.pid, 'SIGKILL');
    await turn;
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: 'MM_ERR_EXITED', signal: 'SIGKILL' });
  });

  test('and leaves a child that holds its pipes: the exit is told, and the child is ended', async () => {
    const client = open(agent('has-grandchild', 'leaves'));
    const session = await client.newSession();
    const { grandchild } = client.agent.raw._meta;
    expect(isAlive(grandchild)).toBe(true);
    expect(await failureOf(session.prompt('x'))).toMatchObject({
      code: 'MM_ERR_EXITED',
      exitCode: 5,
    });
    await gone(grandchild);
  });

  test('by closing its stdout fails the turn, in bounded time', async () => {
    const client = open(agent('closes-stdout'));
    const told = record(client);
    const session = await client.newSession();
    expect(await failureOf(session.prompt('x'))).toMatchObject({ code: 'MM_ERR_EXITED' });
    expect(told.exit).toMatchObject([{ expected: false }]);
  });

  test('leaves a client that does not come back, and another that does', async () => {
    const first = open(agent('exits', 1));
    await failureOf(first.start());
    expect(await open(agent('echo')).newSession()).toMatchObject({ id: 's1' });
  });

  test('keeps the last 64 KiB of its stderr', async () => {
    const lines = Array.from({ length: 3000 }, (_, number) => `line ${number} ${'é'.repeat(20)}`);
    const client = open(agent('logs', ...lines));
    await client.start();
    const { stderr } = await client.close();
    expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(64 * 1024);
    expect(Buffer.byteLength(stderr)).toBeGreaterThan(63 * 1024);
    expect(`${lines.join('\n')}\n`.endsWith(stderr)).toBe(true);
  });
});

describe('stderr', () => {
  test('is read whether anybody listens or not', async () => {
    const client = open(agent('floods-stderr'));
    const session = await client.newSession();
    expect((await session.prompt('x')).stopReason).toBe('end_turn');
  });

  test('comes line by line, in order', async () => {
    const client = open(agent('logs', 'one', '', 'trés', ' four '));
    const told = record(client);
    await client.start();
    await client.close();
    expect(told.stderr).toEqual(['one', '', 'trés', ' four ']);
  });
});

describe('an opening that waits for its turn', () => {
  test('is rejected when the agent ends during the one before it', async () => {
    const client = open({ ...agent('asks-for-tools', 'exits'), discovery: 'request' });
    const openings = [client.newSession(), client.newSession(), client.newSession()];
    const errors = await Promise.all(openings.map(failureOf));
    for (const error of errors) expect(error).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: 4 });
  });

  test('goes out when the one before it is answered', async () => {
    const client = open({ ...agent('asks-for-tools'), discovery: 'request' });
    const sessions = await Promise.all([client.newSession(), client.newSession()]);
    expect(sessions.map(({ id }) => id)).toEqual(['s1', 's2']);
    const methods = (await received(client)).map(({ method }) => method ?? 'answer');
    expect(methods).toEqual([
      'initialize',
      'session/new',
      'answer',
      'session/new',
      'answer',
      '_test/received',
    ]);
  });
});
