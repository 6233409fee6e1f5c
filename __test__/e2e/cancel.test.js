'use strict';

const { describe, expect, jest, test } = require('@jest/globals');
const { once } = require('node:events');
const { agent, failureOf, loadWithFakeTimers, received, record, useClients } = require('./harness');

const open = useClients();

async function opened(options, Client) {
  const client = open({ ...agent('runs-until-cancelled'), ...options }, Client);
  return { client, session: await client.newSession() };
}

/** What the agent got since the session was opened: methods, and the outcome of an answer. */
async function wire(client) {
  const messages = (await received(client)).slice(2, -1);
  return messages.map(({ method, result }) => method ?? result.outcome.outcome);
}

const turnOf = (session, script = {}, options = {}) =>
  session.prompt(JSON.stringify(script), options);

describe('session.cancel()', () => {
  test('ends the turn as cancelled, and resolves when it has ended', async () => {
    const { client, session } = await opened();
    const turn = turnOf(session, { sign: true });
    await once(client, 'update');
    let isEnded = false;
    turn.then(() => {
      isEnded = true;
    });
    await session.cancel();
    expect(isEnded).toBe(true);
    expect(await turn).toMatchObject({ stopReason: 'cancelled', text: 'working' });
    expect(await wire(client)).toEqual(['session/prompt', 'session/cancel']);
  });

  test('is a notification that names the session', async () => {
    const { client, session } = await opened();
    const turn = turnOf(session, { sign: true });
    await session.cancel();
    await turn;
    const cancel = (await received(client)).find(({ method }) => method === 'session/cancel');
    expect(cancel).toEqual({
      jsonrpc: '2.0',
      method: 'session/cancel',
      params: { sessionId: 's1' },
    });
  });

  test('in the tick of the prompt goes out behind it', async () => {
    const { client, session } = await opened();
    const turn = turnOf(session);
    await session.cancel();
    expect((await turn).stopReason).toBe('cancelled');
    expect(await wire(client)).toEqual(['session/prompt', 'session/cancel']);
  });

  test('without a turn does nothing', async () => {
    const { client, session } = await opened();
    await session.cancel();
    expect((await session.prompt('hi')).text).toBe('hi');
    await session.cancel();
    expect(await wire(client)).toEqual(['session/prompt']);
  });

  test('is what turn.cancel() does, for its own turn alone', async () => {
    const { client, session } = await opened();
    const first = session.prompt('one');
    await first;
    const second = turnOf(session, { sign: true });
    await once(client, 'update');
    await first.cancel();
    expect(await wire(client)).toEqual(['session/prompt', 'session/prompt']);
    await second.cancel();
    expect((await second).stopReason).toBe('cancelled');
  });

  test.each([
    [{ timeoutMs: Number.NaN }],
    [{ timeoutMs: -5 }],
    [{ timeoutMs: 'x' }],
    [{ foo: 1 }],
    [null],
  ])('with %j is MM_ERR_OPTION, of the turn, too, which goes on', async (options) => {
    const { client, session } = await opened();
    const turn = turnOf(session, { sign: true });
    await once(client, 'update');
    for (const attempt of [turn.cancel(options), session.cancel(options)])
      expect(await failureOf(attempt)).toMatchObject({ code: 'MM_ERR_OPTION' });
    expect(await wire(client)).toEqual(['session/prompt']);
    await turn.cancel();
  });

  test.each([
    ['an error', { error: { code: -32603, message: 'aborted' } }],
    ['-32800', { error: { code: -32800, message: 'Request cancelled' } }],
  ])('takes %s for cancelled', async (_, answer) => {
    const { client, session } = await opened();
    const turn = turnOf(session, { sign: true, answer });
    await once(client, 'update');
    await session.cancel();
    expect((await turn).stopReason).toBe('cancelled');
  });

  test('leaves another stop reason as it is', async () => {
    const { client, session } = await opened();
    const turn = turnOf(session, { sign: true, answer: { result: { stopReason: 'end_turn' } } });
    await once(client, 'update');
    await session.cancel();
    expect((await turn).stopReason).toBe('end_turn');
  });

  test('leaves late updates to the turn that was cancelled', async () => {
    const { client, session } = await opened();
    const turn = turnOf(session, { sign: true, late: ['late', ' later'] });
    await once(client, 'update');
    const cancelling = session.cancel();
    const next = session.prompt('next');
    await cancelling;
    expect((await turn).text).toBe('workinglate later');
    expect((await next).text).toBe('next');
  });

  test.each([[{ timeoutMs: -1 }], [{ timeoutMs: 'x' }], [{ signal: 1 }], [null]])(
    'refuses the options %j',
    async (options) => {
      const { session } = await opened();
      const error = await failureOf((async () => session.cancel(options))());
      expect(error.code).toBe('MM_ERR_OPTION');
    },
  );
});

describe('what an agent may lose', () => {
  test('waits for the first sign of the turn', async () => {
    const { MiniMe } = loadWithFakeTimers();
    const { client, session } = await opened({}, MiniMe);
    // Time stands still: what goes out goes out for the sign.
    const turn = turnOf(session, { sign: true });
    await session.cancel({ timeoutMs: Infinity });
    expect((await turn).stopReason).toBe('cancelled');
    expect(await wire(client)).toEqual(['session/prompt', 'session/cancel']);
  });

  test('goes out 100 ms after the prompt at the latest', async () => {
    const { MiniMe } = loadWithFakeTimers();
    const { client, session } = await opened({}, MiniMe);
    const turn = turnOf(session);
    const cancelling = session.cancel();
    expect(await wire(client)).toEqual(['session/prompt']);
    jest.advanceTimersByTime(100);
    await cancelling;
    expect((await turn).stopReason).toBe('cancelled');
  });

  test('goes out at once when the agent asks something of the session', async () => {
    const { MiniMe } = loadWithFakeTimers();
    const { client, session } = await opened({}, MiniMe);
    const turn = turnOf(session, { asks: true });
    await session.cancel();
    expect((await turn).stopReason).toBe('cancelled');
    expect((await wire(client)).slice(0, 2)).toEqual(['session/prompt', expect.any(String)]);
  });

  test('is said again after 250 ms, and the prompt is withdrawn', async () => {
    const { MiniMe } = loadWithFakeTimers();
    const { client, session } = await opened({}, MiniMe);
    const turn = turnOf(session, { sign: true, needs: '$/cancel_request' });
    await once(client, 'update');
    const cancelling = session.cancel({ timeoutMs: Infinity });
    jest.advanceTimersByTime(249);
    expect(await wire(client)).toEqual(['session/prompt', 'session/cancel']);
    jest.advanceTimersByTime(1);
    await cancelling;
    expect((await turn).stopReason).toBe('cancelled');
    const messages = (await received(client)).slice(3).filter(({ id }) => id === undefined);
    expect(messages.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: 'session/cancel', params: { sessionId: 's1' } },
      { method: 'session/cancel', params: { sessionId: 's1' } },
      { method: '$/cancel_request', params: { requestId: 3 } },
    ]);
  });

  test('is not said again when the turn has ended', async () => {
    const { MiniMe } = loadWithFakeTimers();
    const { client, session } = await opened({}, MiniMe);
    turnOf(session, { sign: true });
    await session.cancel();
    jest.advanceTimersByTime(60_000);
    expect(await wire(client)).toEqual(['session/prompt', 'session/cancel']);
  });
});

describe('an agent that does not end the turn', () => {
  test('has it ended here after timeoutMs; the next prompt waits for its answer', async () => {
    const { client, session } = await opened();
    const turn = turnOf(session, { sign: true, needs: '_test/end' });
    await once(client, 'update');
    await session.cancel({ timeoutMs: 20 });
    expect(await turn).toMatchObject({ stopReason: 'cancelled', text: 'working' });
    const next = session.prompt('next');
    const prompts = async () =>
      (await wire(client)).filter((one) => one === 'session/prompt').length;
    expect(await prompts()).toBe(1);
    client.notify('_test/end');
    expect((await next).text).toBe('next');
    expect(await prompts()).toBe(2);
  });

  test('adds nothing to the text of a turn that was ended here', async () => {
    const { client, session } = await opened();
    const turn = turnOf(session, { sign: true, needs: '_test/end', late: ['late'] });
    await once(client, 'update');
    await session.cancel({ timeoutMs: 0 });
    const result = await turn;
    const late = once(client, 'update');
    client.notify('_test/end');
    await late;
    expect(result.text).toBe('working');
  });

  test('is waited for ten seconds by default', async () => {
    const { MiniMe } = loadWithFakeTimers();
    const { client, session } = await opened({}, MiniMe);
    const turn = turnOf(session, { sign: true, needs: '_test/end' });
    await once(client, 'update');
    let isSettled = false;
    const cancelling = session.cancel().then(() => {
      isSettled = true;
    });
    jest.advanceTimersByTime(9_999);
    await new Promise(setImmediate);
    expect(isSettled).toBe(false);
    jest.advanceTimersByTime(1);
    await cancelling;
    expect((await turn).stopReason).toBe('cancelled');
  });
});

describe('a prompt that is given while the one before is being cancelled', () => {
  test('waits for its end and then runs; a second one does not', async () => {
    const { client, session } = await opened();
    const first = turnOf(session, { sign: true });
    await once(client, 'update');
    const cancelling = session.cancel();
    const text = { type: 'text', text: 'second' };
    const second = session.prompt(text);
    text.text = 'changed';
    const third = failureOf(session.prompt('third'));
    expect((await third).code).toBe('MM_ERR_PROMPT_RUNNING');
    await cancelling;
    expect((await first).stopReason).toBe('cancelled');
    expect(await second).toMatchObject({ stopReason: 'end_turn', text: 'second' });
    expect(await wire(client)).toEqual(['session/prompt', 'session/cancel', 'session/prompt']);
  });

  test('may be cancelled, or given up, while it waits: it is never sent', async () => {
    const { client, session } = await opened();
    const first = turnOf(session, { sign: true, needs: '_test/end' });
    await once(client, 'update');
    const cancelling = session.cancel();
    const second = session.prompt('second');
    await second.cancel();
    expect((await second).stopReason).toBe('cancelled');
    const controller = new AbortController();
    const third = session.prompt('third', { signal: controller.signal });
    controller.abort();
    expect((await failureOf(third)).name).toBe('AbortError');
    client.notify('_test/end');
    await cancelling;
    expect((await session.prompt('fourth')).text).toBe('fourth');
    expect((await first).stopReason).toBe('cancelled');
    expect((await wire(client)).filter((one) => one === 'session/prompt')).toHaveLength(2);
  });

  test('is what session.cancel() ends, when the turn before was given up', async () => {
    const { client, session } = await opened();
    const controller = new AbortController();
    const first = failureOf(
      turnOf(session, { sign: true, needs: '_test/end' }, { signal: controller.signal }),
    );
    await once(client, 'update');
    controller.abort();
    await first;
    const second = session.prompt('second');
    await session.cancel();
    expect((await second).stopReason).toBe('cancelled');
    client.notify('_test/end');
    expect((await session.prompt('third')).text).toBe('third');
  });

  test('is rejected when the agent ends meanwhile', async () => {
    const { client, session } = await opened();
    const first = failureOf(turnOf(session, { sign: true, needs: '_test/end' }));
    await once(client, 'update');
    session.cancel();
    const second = failureOf(session.prompt('second'));
    process.kill(client.pid, 'SIGKILL');
    for (const error of [await first, await second]) expect(error.code).toBe('MM_ERR_EXITED');
  });
});

describe('an AbortSignal', () => {
  test('that aborts rejects the turn at once with its reason, and cancels it', async () => {
    const { client, session } = await opened();
    const controller = new AbortController();
    const turn = turnOf(session, { sign: true, needs: '_test/end' }, { signal: controller.signal });
    await once(client, 'update');
    const reason = new Error('user left');
    controller.abort(reason);
    expect(await failureOf(turn)).toBe(reason);
    const next = session.prompt('next');
    client.notify('_test/end');
    expect((await next).text).toBe('next');
    expect(await wire(client)).toContain('session/cancel');
  });

  test('that has aborted before sends no prompt', async () => {
    const { client, session } = await opened();
    const error = await failureOf(
      session.prompt('x', { signal: AbortSignal.abort('gone') }).catch((reason) => {
        throw new Error(String(reason));
      }),
    );
    expect(error.message).toBe('gone');
    expect(await wire(client)).toEqual([]);
  });

  test('that aborts after the turn does nothing', async () => {
    const { client, session } = await opened();
    const controller = new AbortController();
    await session.prompt('x', { signal: controller.signal });
    controller.abort();
    expect((await session.prompt('y')).text).toBe('y');
    expect(await wire(client)).toEqual(['session/prompt', 'session/prompt']);
  });

  test('gives up newSession() and request(), and withdraws them', async () => {
    const client = open(agent('never-answers', 'session/new', '_slow'));
    await client.start();
    const controller = new AbortController();
    const attempts = [
      client.newSession({ signal: controller.signal }),
      client.request('_slow', {}, { signal: controller.signal }),
    ].map(failureOf);
    await new Promise(setImmediate);
    controller.abort();
    for (const error of await Promise.all(attempts)) expect(error.name).toBe('AbortError');
    const cancels = (await received(client)).filter(({ method }) => method === '$/cancel_request');
    expect(cancels.map(({ params }) => params)).toEqual([{ requestId: 2 }, { requestId: 3 }]);
  });
});

describe('timeoutMs', () => {
  test('rejects a turn with MM_ERR_TIMEOUT, and cancels it', async () => {
    const { client, session } = await opened();
    const error = await failureOf(turnOf(session, { sign: true }, { timeoutMs: 30 }));
    expect(error).toMatchObject({
      code: 'MM_ERR_TIMEOUT',
      name: 'MiniMeError',
      details: { timeoutMs: 30 },
    });
    expect((await session.prompt('next')).text).toBe('next');
    expect(await wire(client)).toContain('session/cancel');
  });

  test('rejects newSession() and request() with MM_ERR_TIMEOUT, and withdraws them', async () => {
    const client = open(agent('never-answers', 'session/new', '_slow'));
    await client.start();
    const attempts = [
      client.newSession({ timeoutMs: 20 }),
      client.request('_slow', {}, { timeoutMs: 20 }),
    ];
    for (const error of await Promise.all(attempts.map(failureOf))) {
      expect(error).toMatchObject({ code: 'MM_ERR_TIMEOUT', details: { timeoutMs: 20 } });
    }
    const cancels = (await received(client)).filter(({ method }) => method === '$/cancel_request');
    expect(cancels).toHaveLength(2);
  });

  test.each([2 ** 31, 2 ** 40])(
    'of %p, longer than a timer can be, does not end a turn',
    async (timeoutMs) => {
      const session = await open(agent('answers-late')).newSession();
      expect((await session.prompt('x', { timeoutMs })).text).toBe('x');
    },
  );

  test('longer than a timer can be does not end a start, a call or a request', async () => {
    const client = open({ ...agent('slow-to-start'), startTimeoutMs: 2 ** 32 });
    await client.start();
    expect(await client.request('_slow', {}, { timeoutMs: 2 ** 32 })).toEqual({});
  });
});

describe('what is open when a turn is cancelled', () => {
  test('hears session/cancel first, then a permission is answered cancelled; its late decision is dropped', async () => {
    let decide;
    let signal;
    const asked = new Promise((resolve) => {
      decide = resolve;
    });
    const decisions = [];
    const { client, session } = await opened({
      permissions: (_, context) => {
        ({ signal } = context);
        decide();
        return new Promise((resolve) => decisions.push(resolve));
      },
    });
    const told = record(client);
    const turn = turnOf(session, { asks: true });
    await asked;
    await session.cancel();
    expect((await turn).stopReason).toBe('cancelled');
    expect(signal.aborted).toBe(true);
    for (const resolve of decisions) resolve('allow_once');
    await new Promise(setImmediate);
    expect(await wire(client)).toEqual(['session/prompt', 'session/cancel', 'cancelled']);
    expect(told.diagnostic).toEqual([]);
  });

  test('has its signal aborted when it is a call of that session, and answers all the same', async () => {
    const client = open(agent('calls-tools'));
    const signals = [];
    const handle = (_, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
    };
    client.addTool({ name: 'x', method: '_x', handle });
    const session = await client.newSession();
    const call = (sessionId) => ({
      method: '_x',
      params: { _meta: { 'org.mini-me/sessionId': sessionId } },
    });
    const turn = session.prompt(JSON.stringify([call(session.id), call('other')]));
    while (signals.length < 2) await new Promise(setImmediate);
    session.cancel({ timeoutMs: 0 });
    while (!signals[0].aborted) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(signals[1].aborted).toBe(false);
    expect((await turn).stopReason).toBe('cancelled');
    const answers = (await received(client)).filter(({ result }) => result === 'stopped');
    expect(answers).toHaveLength(1);
  });
});
