'use strict';
// Cancellation and time-outs: nothing stays open, and everybody is told why.

const { describe, expect, jest, test } = require('@jest/globals');
const { once } = require('node:events');
const { loadWithFakeTimers } = require('../e2e/harness');
const { agent, failureOf, received, record, sleep, useClients } = require('./harness');

const open = useClients();

describe('a permission', () => {
  const options = [{ optionId: 'y', name: 'yes', kind: 'allow_once' }];

  test('63: that is open when the turn is cancelled is answered at once, once, and its signal aborts', async () => {
    let signal;
    let decide;
    const client = open({
      ...agent((agent, options) => {
        agent.on('session/prompt', async ({ sessionId }) => {
          const toolCall = { toolCallId: 't' };
          const params = { sessionId, toolCall, options };
          const { result } = await agent.ask('session/request_permission', params, 77);
          return { stopReason: 'cancelled', result };
        });
      }, options),
      permissions: (_, context) => {
        ({ signal } = context);
        return new Promise((resolve) => {
          decide = resolve;
        });
      },
    });
    const session = await client.newSession();
    const turn = session.prompt('x');
    while (decide === undefined) await sleep(5);
    await session.cancel();
    expect(signal.aborted).toBe(true);
    expect(await turn).toMatchObject({
      stopReason: 'cancelled',
      raw: { result: { outcome: { outcome: 'cancelled' } } },
    });
    decide('allow_once');
    await sleep(20);
    const answers = (await received(client)).filter(({ id, method }) => id === 77 && !method);
    expect(answers).toHaveLength(1);
  });

  test('66: that the agent withdraws is answered once, and its signal aborts', async () => {
    const reasons = [];
    const client = open({
      ...agent((agent, options) => {
        agent.on('session/prompt', async ({ sessionId }) => {
          const params = { sessionId, toolCall: { toolCallId: 't' }, options };
          const answer = agent.ask('session/request_permission', params, 7);
          agent.send({ method: '$/cancel_request', params: { requestId: 7 } });
          const { error } = await answer;
          await agent.sleep(50);
          return { stopReason: 'end_turn', error };
        });
      }, options),
      permissions: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason.name);
            resolve('allow_once');
          });
        }),
    });
    const session = await client.newSession();
    const { raw } = await session.prompt('x');
    expect(raw.error).toMatchObject({ code: -32800 });
    expect(reasons).toEqual(['AbortError']);
    const answers = (await received(client)).filter(({ id, method }) => id === 7 && !method);
    expect(answers).toHaveLength(1);
  });
});

describe('session/cancel', () => {
  test('64, 69: in the tick of the prompt is a notification behind it', async () => {
    const client = open(
      agent((agent) => {
        let end;
        agent.on('session/cancel', () => end({ stopReason: 'cancelled' }));
        agent.on('session/prompt', () => new Promise((resolve) => (end = resolve)));
      }),
    );
    const session = await client.newSession();
    const turn = session.prompt('x');
    const cancelled = session.cancel();
    expect((await turn).stopReason).toBe('cancelled');
    await cancelled;
    const sent = (await received(client)).slice(2, 4);
    expect(sent.map(({ method }) => method)).toEqual(['session/prompt', 'session/cancel']);
    expect(sent[1]).not.toHaveProperty('id');
  });

  test('aborts the calls of its session; one that rejects then was cancelled, and is answered', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/prompt', async ({ sessionId }) => {
          agent.say(sessionId, 'x');
          const answer = await agent.ask('_t', { _meta: { 'org.mini-me/sessionId': sessionId } });
          return { stopReason: 'cancelled', answer };
        });
      }),
    );
    const told = record(client);
    const handle = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    client.addTool({ name: 't', method: '_t', handle });
    const session = await client.newSession();
    const turn = session.prompt('x');
    await once(client, 'update');
    await session.cancel();
    const { raw } = await turn;
    expect(JSON.stringify(raw.answer)).toContain('The turn was cancelled');
    expect(told.toolCall).toMatchObject([{ outcome: 'cancelled', error: { name: 'AbortError' } }]);
  });

  test('65: that the agent refuses, without an id, settles when the agent does', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/cancel', () => {
          agent.send({ id: null, error: { code: -32601, message: 'no cancel here' } });
          agent.send({ error: { code: -32601, message: 'no cancel here' } });
        });
        agent.on('session/prompt', async ({ sessionId }) => {
          agent.say(sessionId, 'x');
          await agent.sleep(600);
          return { stopReason: 'end_turn' };
        });
      }),
    );
    const told = record(client);
    const session = await client.newSession();
    const turn = session.prompt('x');
    await once(client, 'update');
    await session.cancel();
    expect((await turn).stopReason).toBe('end_turn');
    const codes = new Set(told.diagnostic.map(({ code }) => code));
    expect([...codes]).toEqual(['message-invalid']);
  });

  test('68: that is never answered ends the turn here; the next prompt waits, and can be given up', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/prompt', () => agent.silence);
      }),
    );
    const session = await client.newSession();
    const turn = session.prompt('x');
    await session.cancel({ timeoutMs: 200 });
    expect((await turn).stopReason).toBe('cancelled');
    const next = await failureOf(session.prompt('y', { timeoutMs: 100 }));
    expect(next.code).toBe('MM_ERR_TIMEOUT');
    const last = failureOf(session.prompt('z'));
    await client.close();
    expect((await last).code).toBe('MM_ERR_CLOSED');
  });
});

test('70: an abort, a time-out and a signal that has aborted before are told apart', async () => {
  const client = open(
    agent((agent) => {
      agent.on('session/prompt', () => agent.silence);
    }),
  );
  const errors = [];
  for (const options of [
    { signal: AbortSignal.abort(new Error('before')) },
    { timeoutMs: 50 },
    { signal: AbortSignal.timeout(50) },
  ]) {
    const session = await client.newSession();
    const error = await failureOf(session.prompt('x', options));
    errors.push(error.code === undefined ? error.message : (error.name ?? error.code));
  }
  expect(errors).toEqual(['before', 'MiniMeError', 'TimeoutError']);
});

test('71: no limit of its own ends a turn', async () => {
  const { MiniMe } = loadWithFakeTimers();
  const client = open(
    agent((agent) => {
      let end;
      agent.on('end', () => end({ stopReason: 'end_turn' }) ?? null);
      agent.on('session/prompt', ({ sessionId }) => {
        agent.say(sessionId, 'working');
        return new Promise((resolve) => {
          end = resolve;
        });
      });
    }),
    MiniMe,
  );
  const session = await client.newSession();
  const update = once(client, 'update');
  const turn = session.prompt('x');
  await update;
  jest.advanceTimersByTime(24 * 3_600_000);
  await client.request('end');
  expect(await turn).toMatchObject({ stopReason: 'end_turn', text: 'working' });
});

test('73: a turn that goes silent is rejected by close(), with why', async () => {
  const client = open(
    agent((agent) => {
      agent.on('session/prompt', ({ sessionId }) => {
        agent.say(sessionId, 'thinking');
        return agent.silence;
      });
    }),
  );
  const session = await client.newSession();
  const failure = failureOf(session.prompt('x'));
  await once(client, 'update');
  await client.close();
  expect(await failure).toMatchObject({ code: 'MM_ERR_CLOSED' });
});

test('74: an agent that never answers session/close is waited for no longer than closeTimeoutMs', async () => {
  const client = open({
    ...agent((agent) => {
      agent.on('session/close', () => agent.silence);
    }),
    closeTimeoutMs: 200,
  });
  const session = await client.newSession();
  const from = Date.now();
  expect(await failureOf(session.close())).toMatchObject({ code: 'MM_ERR_TIMEOUT' });
  await client.close();
  expect(Date.now() - from).toBeLessThan(2000);
});

test('74: with closeTimeoutMs 0 the agent is asked to close a session, and not waited for', async () => {
  const asked = [];
  const client = open({
    ...agent((agent) => {
      agent.on('session/close', ({ sessionId }) => {
        agent.send({ method: '_asked', params: { sessionId } });
        return agent.silence;
      });
      agent.on('$/cancel_request', () => agent.send({ method: '_asked', params: 'withdrawn' }));
    }),
    closeTimeoutMs: 0,
  });
  client.onNotification('_asked', (params) => asked.push(params));
  const session = await client.newSession();
  await session.close();
  expect(client.sessions.size).toBe(0);
  await client.request('_test/received');
  expect(asked).toEqual([{ sessionId: session.id }]);
});

test('75: a call that the agent gives up aborts its signal; its late result goes nowhere', async () => {
  let aborted;
  const client = open({
    ...agent((agent) => {
      agent.on('session/prompt', async () => {
        const answer = agent.ask('_t', {}, 5);
        await agent.sleep(50);
        agent.send({ method: '$/cancel_request', params: { requestId: 5 } });
        const { error } = await answer;
        await agent.sleep(100);
        return { stopReason: 'end_turn', error };
      });
    }),
    tools: [
      {
        name: 't',
        method: '_t',
        handle: (_, { signal }) => {
          aborted = once(signal, 'abort');
          return aborted.then(() => sleep(20)).then(() => 'late');
        },
      },
    ],
  });
  const told = record(client);
  const session = await client.newSession();
  const { raw } = await session.prompt('x');
  await aborted;
  expect(raw.error).toEqual({ code: -32800, message: 'Request cancelled' });
  const answers = (await received(client)).filter(({ id, method }) => id === 5 && !method);
  expect(answers).toHaveLength(1);
  expect(told.diagnostic).toEqual([]);
});

test('the cancellation goes out before the answers of the calls it ends', async () => {
  let running = 0;
  let bothRun;
  const tool = {
    name: 'lent',
    method: '_lent',
    handle: (_, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
        running += 1;
        if (running % 2 === 0) bothRun();
      }),
  };
  const client = open({
    ...agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        const _meta = { 'org.mini-me/sessionId': sessionId };
        await Promise.all([1, 2].map((n) => agent.ask('_lent', { _meta }, `call ${n}`)));
        return { stopReason: 'cancelled' };
      });
    }),
    tools: [tool],
  });
  const session = await client.newSession();
  for (let round = 0; round < 20; round += 1) {
    const called = once(client, 'toolCall');
    const entered = new Promise((resolve) => {
      bothRun = resolve;
    });
    const turn = session.prompt('x');
    await entered;
    await session.cancel();
    await called;
    await turn;
  }
  const said = (await received(client))
    .map(({ method, id }) => method ?? id)
    .filter((what) => what === 'session/cancel' || String(what).startsWith('call '));
  const round = ['session/cancel', 'call 1', 'call 2'];
  expect(said).toEqual(Array.from({ length: 20 }, () => round).flat());
});
