'use strict';
// Versions, capabilities, sessions of old, authentication.

const { once } = require('node:events');
const { describe, expect, test } = require('@jest/globals');
const { agent, failureOf, gone, received, record, useClients } = require('./harness');

const open = useClients();

describe('the limits of a call', () => {
  const slow = () =>
    agent((agent) => {
      agent.on('initialize', async () => {
        await agent.sleep(400);
        return agent.initialized;
      });
    });

  test('hold while the agent is being started for it, which goes on', async () => {
    const client = open(slow());
    const timedOut = { code: 'MM_ERR_TIMEOUT', details: { timeoutMs: 50 } };
    const calls = [
      client.newSession({ timeoutMs: 50 }),
      client.loadSession('s', { timeoutMs: 50 }),
      client.resumeSession('s', { timeoutMs: 50 }),
      client.request('_x', {}, { timeoutMs: 50 }),
    ].map(failureOf);
    const aborted = client.newSession({ signal: AbortSignal.timeout(50) });
    expect((await failureOf(aborted)).name).toBe('TimeoutError');
    for (const call of calls) expect(await call).toMatchObject(timedOut);
    expect(client.state).toBe('starting');
    const session = await client.newSession();
    const sent = await received(client);
    expect(sent.slice(0, 2).map(({ method }) => method)).toEqual(['initialize', 'session/new']);
    expect(client.sessions.get(session.id)).toBe(session);
  });

  test('start no agent for a call whose signal has aborted', async () => {
    const client = open(slow());
    const signal = AbortSignal.abort('before');
    await expect(client.newSession({ signal })).rejects.toBe('before');
    await expect(client.request('_x', {}, { signal })).rejects.toBe('before');
    expect(client.state).toBe('idle');
  });
});

test('a session that was deleted, or whose client has ended, is open no more', async () => {
  const client = open(
    agent((agent) => {
      agent.initialized.agentCapabilities.sessionCapabilities = { delete: {} };
      agent.on('session/delete', () => ({}));
    }),
  );
  const [first, second] = [await client.newSession(), await client.newSession()];
  await client.deleteSession(first.id);
  expect([...client.sessions.keys()]).toEqual([second.id]);
  expect((await failureOf(first.prompt('x'))).code).toBe('MM_ERR_CLOSED');
  await client.close();
  expect(client.sessions.size).toBe(0);
});

describe('initialize', () => {
  test.each([[2], [0], ['1'], [null], [undefined]])(
    '94: answered with version %p ends the agent, and nothing more is sent',
    async (protocolVersion) => {
      const client = open(
        agent(
          (agent, version) => {
            agent.on('initialize', () => ({ ...agent.initialized, protocolVersion: version }));
          },
          protocolVersion === undefined ? null : protocolVersion,
        ),
      );
      const exited = once(client, 'exit');
      const error = await failureOf(client.newSession());
      expect(error).toMatchObject({ code: 'MM_ERR_PROTOCOL_VERSION' });
      await exited;
      await gone(client.pid);
      expect(client.state).toBe('closed');
    },
  );

  test('95: that is refused shows code, message and data', async () => {
    const client = open(
      agent((agent) => {
        agent.on('initialize', () => agent.refuse(-32600, 'use version 0', { supported: [0] }));
      }),
    );
    expect(await failureOf(client.start())).toMatchObject({
      code: 'MM_ERR_AGENT',
      rpcCode: -32600,
      rpcData: { supported: [0] },
      message: expect.stringContaining('use version 0'),
    });
  });

  test.each([
    ['an array', []],
    ['a string', 'x'],
    ['capabilities that are an array', { protocolVersion: 1, agentCapabilities: [1] }],
    ['capabilities that are a string', { protocolVersion: 1, agentCapabilities: 'all' }],
    ['methods of authentication that are no array', { protocolVersion: 1, authMethods: 7 }],
    [
      '__proto__ among its capabilities',
      { protocolVersion: 1, agentCapabilities: { ['__proto__']: { loadSession: true } } },
    ],
  ])('98: answered with %s throws nothing that is not ours', async (_, answer) => {
    const client = open(
      agent((agent, answer) => {
        agent.on('initialize', () => JSON.parse(answer));
      }, JSON.stringify(answer)),
    );
    const outcome = await client.start().catch((error) => error);
    if (outcome instanceof Error) expect(outcome.code).toMatch(/^MM_ERR_/u);
    else expect(await failureOf(client.loadSession('x'))).toHaveProperty('code');
  });
});

test('97: session/new has mcpServers, always', async () => {
  const client = open(
    agent((agent) => {
      agent.on('session/new', ({ mcpServers }) =>
        Array.isArray(mcpServers) ? { sessionId: 's' } : agent.refuse(-32602, 'mcpServers?'),
      );
    }),
  );
  await client.newSession({ cwd: '/' });
});

test('98: updates of unknown kinds, with nulls and of wrong types are delivered as they are', async () => {
  const updates = [
    { sessionUpdate: 'usage_update', used: null, size: 'x', cost: null },
    { sessionUpdate: 'hologram', a: [null] },
    { sessionUpdate: 'agent_message_chunk', content: null },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 7 } },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'smell' } },
    { sessionUpdate: 'agent_message_chunk' },
    { sessionUpdate: 'tool_call', toolCallId: null, title: null, content: 7, locations: 'x' },
    { sessionUpdate: 'tool_call_update' },
    { sessionUpdate: 'available_commands_update', availableCommands: null },
    { sessionUpdate: 'current_mode_update' },
    { sessionUpdate: 'session_info_update', title: { a: 1 } },
    { sessionUpdate: null },
    { sessionUpdate: ['x'] },
    {},
  ];
  const client = open(
    agent((agent, updates) => {
      agent.on('session/prompt', ({ sessionId }) => {
        for (const update of updates) agent.update(sessionId, update);
        for (const params of [
          null,
          [],
          7,
          {},
          { sessionId: 7, update: {} },
          { sessionId },
          { sessionId, update: [] },
        ]) {
          agent.send({ method: 'session/update', params });
        }
        agent.say(sessionId, 'end');
        return { stopReason: 'tired', usage: null, extra: [1] };
      });
    }, updates),
  );
  const told = record(client);
  const session = await client.newSession();
  const { stopReason, text, raw } = await session.prompt('x');
  expect({ stopReason, text }).toEqual({ stopReason: 'tired', text: 'end' });
  expect(raw.extra).toEqual([1]);
  expect(told.update.slice(0, -1).map(({ update }) => update)).toEqual(updates);
  const codes = new Set(told.diagnostic.map(({ code }) => code));
  expect([...codes]).toEqual(['message-invalid']);
  expect(told.diagnostic).toHaveLength(7);
});

describe('loading a session', () => {
  const replays = agent((agent) => {
    agent.on('session/load', ({ sessionId }) => {
      for (let i = 0; i < 50; i += 1) agent.say(sessionId, `${i} `);
      return null;
    });
    agent.on('session/prompt', ({ sessionId }) => {
      agent.say(sessionId, 'live');
      return { stopReason: 'end_turn' };
    });
  });

  test('101: gives its history to onReplay, before it resolves with a null answer, and to no turn', async () => {
    const client = open(replays);
    const replayed = [];
    const session = await client.loadSession('x', {
      onReplay: (update) => replayed.push(update.content.text),
    });
    expect(replayed).toHaveLength(50);
    expect((await session.prompt('x')).text).toBe('live');
  });

  test('103: twice gives the same session, and doubles nothing', async () => {
    const client = open(replays);
    const told = record(client);
    const one = await client.loadSession('x');
    expect(await client.loadSession('x')).toBe(one);
    expect(client.sessions.size).toBe(1);
    told.update.length = 0;
    expect((await one.prompt('x')).text).toBe('live');
    expect(told.update).toHaveLength(1);
  });

  test('104: that fails opens no new session', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/load', () => agent.refuse(-32603, 'disk'));
      }),
    );
    await failureOf(client.loadSession('x'));
    expect(client.sessions.size).toBe(0);
    const methods = (await received(client)).map(({ method }) => method);
    expect(methods).not.toContain('session/new');
  });
});

test('session/new answered with an id that is open gives that session, whose turn goes on', async () => {
  const client = open(
    agent((agent) => {
      agent.on('session/new', () => ({ sessionId: 's' }));
      agent.on('session/prompt', async ({ sessionId }) => {
        await agent.ask('_ready');
        agent.say(sessionId, 'late');
        return { stopReason: 'end_turn' };
      });
    }),
  );
  const session = await client.newSession();
  let again;
  client.onRequest('_ready', async () => {
    again = await client.newSession();
  });
  expect((await session.prompt('x')).text).toBe('late');
  expect(again).toBe(session);
  expect(client.sessions.size).toBe(1);
});

test('a list of sessions that is read by several at once gives each session once, in order', async () => {
  const client = open(
    agent((agent) => {
      agent.initialized.agentCapabilities.sessionCapabilities.list = {};
      agent.on('session/list', ({ cursor = '0' }) => ({
        sessions: [{ sessionId: `${cursor}a` }, { sessionId: `${cursor}b` }],
        nextCursor: cursor === '2' ? null : String(Number(cursor) + 1),
      }));
    }),
  );
  const list = client.listSessions();
  const items = await Promise.all(Array.from({ length: 7 }, () => list.next()));
  expect(items.map(({ value }) => value?.sessionId)).toEqual([
    ...['0a', '0b', '1a', '1b', '2a', '2b'],
    undefined,
  ]);
});

test('a list of sessions that is left while a page is asked for gives no more', async () => {
  const client = open(
    agent((agent) => {
      agent.initialized.agentCapabilities.sessionCapabilities.list = {};
      agent.on('session/list', () => ({ sessions: [{ sessionId: 'a' }, { sessionId: 'b' }] }));
    }),
  );
  const list = client.listSessions();
  const [first, left] = await Promise.all([list.next(), list.return()]);
  expect(first.value).toEqual({ sessionId: 'a' });
  expect(left).toEqual({ done: true, value: undefined });
  expect(await list.next()).toEqual({ done: true, value: undefined });
});

test('a session that is closed by two has one outcome for both', async () => {
  const client = open(
    agent((agent) => {
      agent.on('session/close', () => agent.refuse(-32603, 'disk'));
    }),
  );
  const session = await client.newSession();
  const errors = await Promise.all([failureOf(session.close()), failureOf(session.close())]);
  expect(errors).toMatchObject([{ code: 'MM_ERR_AGENT' }, { code: 'MM_ERR_AGENT' }]);
  expect(client.sessions.size).toBe(0);
  const methods = (await received(client)).map(({ method }) => method);
  expect(methods.filter((method) => method === 'session/close')).toHaveLength(1);
});

test('words for the agent are checked before anything is sent', async () => {
  const client = open(agent(() => undefined));
  const session = await client.newSession();
  const calls = [
    () => session.setMode(undefined),
    () => session.setMode(''),
    () => session.setConfigOption(7, 'x'),
    () => session.setConfigOption('x', 7),
    () => session.setConfigOption('x'),
    () => client.authenticate(),
  ];
  for (const call of calls)
    expect(await failureOf(call())).toMatchObject({ code: 'MM_ERR_OPTION' });
  const methods = (await received(client)).map(({ method }) => method);
  expect(methods).toEqual(['initialize', 'session/new', '_test/received']);
});

describe('a permission with the title of a tool, in request discovery', () => {
  const asks = agent((agent) => {
    const cwd = '/';
    agent.on('session/new', async () => {
      const sessionId = agent.newSessionId();
      await agent.ask('_org.mini-me/tools/list', { sessionId, cwd });
      return { sessionId };
    });
    agent.on('session/prompt', async ({ sessionId, prompt }) => {
      const toolCall = { toolCallId: 't', kind: 'other', title: `client: ${prompt[0].text}` };
      const options = ['allow_once', 'reject_once'].map((kind) => ({
        optionId: kind,
        name: kind,
        kind,
      }));
      const params = { sessionId, toolCall, options };
      const { result } = await agent.ask('session/request_permission', params);
      agent.say(sessionId, result.outcome.optionId);
      return { stopReason: 'end_turn' };
    });
  });
  const tool = (name) => ({ name, handle: () => name });

  test('is for that tool when the session was given it, and as long as it has it', async () => {
    const client = open({ ...asks, discovery: 'request', permissions: 'client-tools' });
    const early = client.addTool(tool('early'));
    const session = await client.newSession({ tools: [tool('own')] });
    client.addTool(tool('late'));
    early.remove();
    const other = await client.newSession();
    const answer = async (to, name) => (await to.prompt(name)).text;
    expect(await answer(session, 'early')).toBe('allow_once');
    expect(await answer(session, 'own')).toBe('allow_once');
    expect(await answer(session, 'late')).toBe('reject_once');
    expect(await answer(other, 'early')).toBe('reject_once');
    expect(await answer(other, 'own')).toBe('reject_once');
    expect(await answer(other, 'late')).toBe('allow_once');
  });
});

test('106, 107: authentication that does not help keeps code, message and data of the agent', async () => {
  const data = { reasons: [{ code: 'expired', at: { day: 1 } }], authMethods: [{ id: 'key' }] };
  const client = open(
    agent((agent, data) => {
      agent.initialized.authMethods = data.authMethods;
      agent.on('authenticate', () => ({}));
      agent.on('session/new', () => agent.refuse(-32000, 'Authentication required', data));
    }, data),
  );
  await client.start();
  await client.authenticate('key');
  expect(client.agent.authMethods).toEqual(data.authMethods);
  const error = await failureOf(client.newSession());
  expect(error).toMatchObject({ code: 'MM_ERR_AGENT', rpcCode: -32000 });
  expect(error.rpcData).toEqual(data);
});
