'use strict';

const { describe, expect, test } = require('@jest/globals');
const { once } = require('node:events');
const { agent, failureOf, gone, isAlive, received, record, useClients } = require('./harness');

const open = useClients();

describe('close()', () => {
  test('ends the agent by the end of its stdin, and gives its exit', async () => {
    const client = open(agent('exits-at-end', 7));
    const told = record(client);
    await client.start();
    const exit = await client.close();
    expect(exit).toEqual({ exitCode: 7, signal: null, expected: true, stderr: 'bye\n' });
    expect(told.exit).toEqual([exit]);
    expect(client.state).toBe('closed');
    expect(isAlive(client.pid)).toBe(false);
  });

  test('is idempotent', async () => {
    const client = open(agent('echo'));
    const told = record(client);
    await client.start();
    const exits = await Promise.all([client.close(), client.close()]);
    expect(exits[1]).toBe(exits[0]);
    expect(await client.close()).toBe(exits[0]);
    expect(told.exit).toHaveLength(1);
  });

  test('before start() resolves with nothing and starts nothing', async () => {
    const client = open(agent('echo'));
    const told = record(client);
    expect(await client.close()).toBeUndefined();
    expect(client.state).toBe('closed');
    const error = await failureOf(client.start());
    expect(error).toMatchObject({ code: 'MM_ERR_CLOSED', name: 'StateError' });
    expect(client.pid).toBeUndefined();
    expect(told.exit).toEqual([]);
  });

  test('in the tick of start() rejects start() and leaves no agent', async () => {
    const client = open(agent('never-answers', 'initialize'));
    const starting = client.start();
    const { pid } = client;
    const closing = client.close();
    expect(await failureOf(starting)).toMatchObject({ code: 'MM_ERR_CLOSED' });
    await closing;
    expect(isAlive(pid)).toBe(false);
  });

  test('rejects what is open, and what comes later, with MM_ERR_CLOSED', async () => {
    const client = open(agent('never-answers', 'session/prompt', '_slow'));
    const session = await client.newSession();
    const open_ = [session.prompt('x'), client.request('_slow'), client.newSession()].map(
      failureOf,
    );
    await client.close();
    for (const error of await Promise.all(open_)) expect(error.code).toBe('MM_ERR_CLOSED');
    const later = [client.start(), client.newSession(), client.request('_x'), session.prompt('y')];
    for (const error of await Promise.all(later.map(failureOf))) {
      expect(error).toMatchObject({ code: 'MM_ERR_CLOSED', name: 'StateError' });
    }
    expect(() => client.notify('_x')).toThrow(expect.objectContaining({ code: 'MM_ERR_CLOSED' }));
  });

  test('aborts the signals of running calls, whose late answers go nowhere', async () => {
    const client = open(agent('calls-tools'));
    const told = record(client);
    let finish;
    const entered = new Promise((resolve) => {
      client.addTool({
        name: 'slow',
        method: '_slow',
        handle: (_, { signal }) => {
          resolve(signal);
          return new Promise((settle) => {
            finish = settle;
          });
        },
      });
    });
    const session = await client.newSession();
    const turn = failureOf(session.prompt('[{"method":"_slow"}]'));
    const signal = await entered;
    await client.close();
    expect((await turn).code).toBe('MM_ERR_CLOSED');
    expect(signal.reason).toMatchObject({ code: 'MM_ERR_CLOSED' });
    finish('late');
    await new Promise(setImmediate);
    expect(told.toolCall).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('sends SIGTERM to an agent that stays after closeTimeoutMs', async () => {
    const client = open({ ...agent('stays'), closeTimeoutMs: 100 });
    await client.start();
    expect(await client.close()).toMatchObject({
      exitCode: null,
      signal: 'SIGTERM',
      expected: true,
    });
  });

  test('sends SIGKILL to an agent that ignores SIGTERM', async () => {
    const client = open({ ...agent('stays', 'firmly'), closeTimeoutMs: 300 });
    await client.start();
    const exit = await client.close();
    expect(exit).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(exit.stderr).toBe('not me\n');
  });

  test('waits for an agent as long as closeTimeoutMs says', async () => {
    const client = open({ ...agent('stays'), closeTimeoutMs: Infinity });
    await client.start();
    const closing = client.close();
    process.kill(client.pid, 'SIGTERM');
    expect(await closing).toMatchObject({ signal: 'SIGTERM', expected: true });
  });

  test('takes what the agent has started with it', async () => {
    const client = open({ ...agent('has-grandchild'), closeTimeoutMs: 300 });
    const { grandchild } = (await client.start()).raw._meta;
    expect(isAlive(grandchild)).toBe(true);
    await client.close();
    await gone(grandchild);
  });

  test('resolves though the agent crashes on the way', async () => {
    const client = open(agent('exits-at-end', 9));
    await client.start();
    expect(await client.close()).toMatchObject({ exitCode: 9, expected: true });
  });

  test('ends an agent that has closed its stdout and lives on', async () => {
    const client = open({ ...agent('closes-stdout'), closeTimeoutMs: 200 });
    const session = await client.newSession();
    const turn = failureOf(session.prompt('x'));
    const exit = await client.close();
    expect((await turn).code).toBe('MM_ERR_CLOSED');
    expect(exit.signal).not.toBeNull();
  });

  test('after an agent that could not be started resolves', async () => {
    const client = open(agent('exits', 3));
    await failureOf(client.start());
    expect(await client.close()).toMatchObject({ exitCode: 3, expected: false });
    expect(await failureOf(client.start())).toMatchObject({ code: 'MM_ERR_CLOSED' });
  });

  test('is what disposing does', async () => {
    const client = open(agent('echo'));
    await client.start();
    await client[Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]?.();
    if (Symbol.asyncDispose !== undefined) expect(client.state).toBe('closed');
  });

  test('lets what was written before it reach the agent', async () => {
    const client = open({ ...agent('tells-its-input') });
    await client.start();
    client.notify('_last', { text: 'x'.repeat(300_000) });
    const { stderr } = await client.close();
    expect(stderr).toBe('_last 300000\n');
  });

  test('from inside a tool handler does no harm', async () => {
    const client = open(agent('calls-tools'));
    client.addTool({ name: 'close', method: '_close', handle: () => client.close() });
    const session = await client.newSession();
    expect((await failureOf(session.prompt('[{"method":"_close"}]'))).code).toBe('MM_ERR_CLOSED');
  });

  test('from inside a listener does no harm', async () => {
    const client = open(agent('runs-until-cancelled'));
    const session = await client.newSession();
    client.once('update', () => client.close());
    expect((await failureOf(session.prompt('{"sign":true}'))).code).toBe('MM_ERR_CLOSED');
  });
});

describe('the option signal', () => {
  test('closes the client when it aborts', async () => {
    const controller = new AbortController();
    const client = open({ ...agent('never-answers', 'session/prompt'), signal: controller.signal });
    const session = await client.newSession();
    const turn = failureOf(session.prompt('x'));
    const exited = once(client, 'exit');
    controller.abort();
    expect((await exited)[0]).toMatchObject({ expected: true });
    expect((await turn).code).toBe('MM_ERR_CLOSED');
  });

  test('that has aborted before makes a client that is closed', async () => {
    const client = open({ ...agent('echo'), signal: AbortSignal.abort() });
    expect(client.state).toBe('closed');
    expect((await failureOf(client.start())).code).toBe('MM_ERR_CLOSED');
  });
});

describe('two clients', () => {
  test('have an agent each: closing one leaves the turn of the other alone', async () => {
    const first = open(agent('echo'));
    const second = open(agent('runs-until-cancelled'));
    const [gone_, session] = await Promise.all([first.newSession(), second.newSession()]);
    expect(first.pid).not.toBe(second.pid);
    const turn = session.prompt('{"needs":"_test/end"}');
    await first.close();
    second.notify('_test/end');
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect((await failureOf(gone_.prompt('x'))).code).toBe('MM_ERR_CLOSED');
    expect(await received(second)).toHaveLength(5);
  });

  test('one after the other: a late exit of the first does not reach the second', async () => {
    const first = open({ ...agent('stays'), closeTimeoutMs: 300 });
    await first.start();
    const closing = first.close();
    const second = open(agent('echo'));
    const told = record(second);
    const session = await second.newSession();
    await closing;
    expect(await session.prompt('still here')).toMatchObject({ text: 'still here' });
    expect(told.exit).toEqual([]);
  });
});
