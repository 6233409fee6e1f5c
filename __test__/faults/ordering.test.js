'use strict';
// Ordering and concurrency: who waits for whom, and what belongs to which turn.

const { describe, expect, test } = require('@jest/globals');
const { once } = require('node:events');
const { agent, failureOf, received, record, runHost, sleep, useClients } = require('./harness');

const open = useClients();

test.each(['session/new', 'session/load', 'session/resume'])(
  '45: what the agent asks while it handles %s is answered at once',
  async (method) => {
    const client = open({
      ...agent((agent, method) => {
        agent.on(method, async () => {
          const sessionId = 'x';
          const list = await agent.ask('_org.mini-me/tools/list', { sessionId, cwd: '/' });
          const meta = { 'org.mini-me/sessionId': sessionId };
          const call = await agent.ask('_mini-me-client/a', { _meta: meta });
          const permission = await agent.ask('session/request_permission', {
            sessionId,
            toolCall: { toolCallId: 't' },
            options: [{ optionId: 'n', name: 'no', kind: 'reject_once' }],
          });
          return { sessionId, told: [list, call, permission].map(({ result }) => result) };
        });
      }, method),
      discovery: 'request',
      tools: async () => {
        await sleep(200);
        return [{ name: 'a', handle: () => 'ran' }];
      },
      permissions: 'reject-all',
    });
    const opening = {
      'session/new': () => client.newSession(),
      'session/load': () => client.loadSession('x'),
      'session/resume': () => client.resumeSession('x'),
    };
    const { raw } = await opening[method]();
    expect(raw.told[0].tools).toMatchObject([{ name: 'a' }]);
    expect(raw.told.slice(1)).toEqual(['ran', { outcome: { outcome: 'selected', optionId: 'n' } }]);
  },
);

test('46: a permission that is thought over holds up neither updates nor calls', async () => {
  let decide;
  const client = open({
    ...agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        const permission = agent.ask('session/request_permission', {
          sessionId,
          toolCall: { toolCallId: 't' },
          options: [{ optionId: 'y', name: 'yes', kind: 'allow_once' }],
        });
        for (let i = 0; i < 100; i += 1) agent.say(sessionId, '.');
        const { result } = await agent.ask('_t', {});
        return { stopReason: 'end_turn', result, permission: (await permission).result };
      });
    }),
    permissions: () =>
      new Promise((resolve) => {
        decide = resolve;
      }),
    tools: [{ name: 't', method: '_t', handle: () => decide('allow_once') ?? 'called' }],
  });
  const session = await client.newSession();
  const { text, raw } = await session.prompt('x');
  expect(text).toHaveLength(100);
  expect(raw).toMatchObject({
    result: 'called',
    permission: { outcome: { outcome: 'selected', optionId: 'y' } },
  });
});

describe('updates', () => {
  test('47: behind the end of a turn reach the session, and not the next turn', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/prompt', ({ sessionId }, { id }) => {
          const answer = agent.line({ id, result: { stopReason: 'end_turn' } });
          const params = { sessionId, update: agent.chunk('w') };
          agent.write(answer + agent.line({ method: 'session/update', params }));
          setTimeout(() => ['x', 'y', 'z'].map((text) => agent.say(sessionId, text)), 50);
          return agent.silence;
        });
      }),
    );
    const told = record(client);
    const session = await client.newSession();
    const updates = session.updates();
    expect((await session.prompt('1')).text).toBe('');
    for (const text of ['w', 'x', 'y', 'z']) {
      expect((await updates.next()).value.content.text).toBe(text);
    }
    expect((await session.prompt('2')).text).toBe('');
    expect(told.diagnostic).toEqual([]);
  });

  test('48: have all been heard when the turn is; a prompt inside a listener is no deadlock', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/prompt', ({ sessionId, prompt }) => {
          const count = prompt[0].text === 'many' ? 1000 : 1;
          const line = agent.line({
            method: 'session/update',
            params: { sessionId, update: agent.chunk('x') },
          });
          agent.write(line.repeat(count));
          return { stopReason: 'end_turn' };
        });
      }),
    );
    const [session, other] = [await client.newSession(), await client.newSession()];
    let heard = 0;
    let nested;
    client.on('update', async ({ sessionId }) => {
      if (sessionId !== session.id) return;
      heard += 1;
      nested ??= other.prompt('one');
      await nested;
    });
    expect((await session.prompt('many')).text).toHaveLength(1000);
    expect(heard).toBe(1000);
    expect((await nested).text).toBe('x');
  });

  test('49, 50: before the answer to session/new, and right behind it, reach the session', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/new', (_, { id }) => {
          const told = (name) =>
            agent.line({
              method: 'session/update',
              params: {
                sessionId: 'early',
                update: {
                  sessionUpdate: 'available_commands_update',
                  availableCommands: [{ name, description: '' }],
                },
              },
            });
          const answer = agent.line({ id, result: { sessionId: 'early' } });
          agent.write(told('before') + answer + told('behind'));
          return agent.silence;
        });
      }),
    );
    const told = record(client);
    const session = await client.newSession();
    await sleep(50);
    const updates = session.updates();
    const names = [await updates.next(), await updates.next()].map(
      ({ value }) => value.availableCommands[0].name,
    );
    expect(names).toEqual(['before', 'behind']);
    expect(session.commands).toEqual([{ name: 'behind', description: '' }]);
    expect(told.diagnostic).toEqual([]);
  });

  test('61: of four sessions that run at once reach each its own', async () => {
    const client = open(
      agent((agent) => {
        const running = [];
        agent.on('session/prompt', ({ sessionId }) => {
          const turn = new Promise((resolve) => running.push([sessionId, resolve]));
          if (running.length === 4) {
            for (let i = 0; i < 50; i += 1) for (const [id] of running) agent.say(id, `${id} `);
            for (const [, resolve] of running) resolve({ stopReason: 'end_turn' });
          }
          return turn;
        });
      }),
    );
    const sessions = await Promise.all([1, 2, 3, 4].map(() => client.newSession()));
    const turns = await Promise.all(sessions.map((session) => session.prompt('x')));
    expect(turns.map(({ text }) => text)).toEqual(sessions.map(({ id }) => `${id} `.repeat(50)));
  });
});

describe('a tool call', () => {
  test('52: that nobody announced may be asked about and updated', async () => {
    const asked = [];
    const client = open({
      ...agent((agent) => {
        agent.on('session/prompt', async ({ sessionId }) => {
          await agent.ask('session/request_permission', {
            sessionId,
            toolCall: { toolCallId: 'X', title: 'rm' },
            options: [{ optionId: 'n', name: 'no', kind: 'reject_once' }],
          });
          agent.update(sessionId, {
            sessionUpdate: 'tool_call_update',
            toolCallId: 'X',
            status: 'completed',
          });
          return { stopReason: 'end_turn' };
        });
      }),
      permissions: (request) => asked.push(request) && 'reject_once',
    });
    const told = record(client);
    const session = await client.newSession();
    await session.prompt('x');
    expect(asked).toMatchObject([{ toolCall: { toolCallId: 'X', title: 'rm' }, known: undefined }]);
    expect(told.update).toMatchObject([{ update: { toolCallId: 'X', status: 'completed' } }]);
    expect(told.diagnostic).toEqual([]);
  });

  test('53: is known merged: what is left out stays, what is given replaces, null too', async () => {
    let known;
    const client = open({
      ...agent((agent) => {
        agent.on('session/prompt', async ({ sessionId }) => {
          const tell = (sessionUpdate, members) =>
            agent.update(sessionId, { sessionUpdate, toolCallId: 'X', ...members });
          tell('tool_call', { title: 'a', kind: 'read', content: ['A'] });
          tell('tool_call_update', { status: 'in_progress' });
          tell('tool_call_update', { content: ['B'] });
          tell('tool_call_update', { title: null });
          await agent.ask('session/request_permission', {
            sessionId,
            toolCall: { toolCallId: 'X' },
            options: [],
          });
          return { stopReason: 'end_turn' };
        });
      }),
      permissions: (request) => {
        known = request.known;
        return 'cancelled';
      },
    });
    await (await client.newSession()).prompt('x');
    const status = 'in_progress';
    expect(known).toEqual({ toolCallId: 'X', title: null, kind: 'read', status, content: ['B'] });
  });
});

describe('prompts of one session', () => {
  test('54, 55, 56, 67: come one after the other: cancelled and late text stays with its own turn', async () => {
    const client = open(
      agent((agent) => {
        let end;
        agent.on('session/cancel', async ({ sessionId }) => {
          await agent.sleep(200);
          if (end === undefined) return;
          for (let i = 0; i < 20; i += 1) agent.say(sessionId, 'late ');
          end({ stopReason: 'cancelled' });
          end = undefined;
        });
        agent.on('session/prompt', ({ sessionId, prompt }) => {
          agent.say(sessionId, `${prompt[0].text} `);
          if (prompt[0].text !== 'A') return { stopReason: 'end_turn' };
          return new Promise((resolve) => {
            end = resolve;
          });
        });
      }),
    );
    const session = await client.newSession();
    const first = session.prompt('A');
    expect((await failureOf(session.prompt('too early'))).code).toBe('MM_ERR_PROMPT_RUNNING');
    await once(client, 'update');
    const cancelled = session.cancel();
    const second = session.prompt('B');
    expect(await first).toMatchObject({
      stopReason: 'cancelled',
      text: `A ${'late '.repeat(20)}`,
    });
    await cancelled;
    expect(await second).toMatchObject({ stopReason: 'end_turn', text: 'B ' });
    const prompts = (await received(client)).filter(({ method }) => method === 'session/prompt');
    expect(prompts.map(({ params }) => params.prompt[0].text)).toEqual(['A', 'B']);
  });
});

describe('a handler', () => {
  test('58: may set the mode, open a session and close the client', async () => {
    const done = [];
    const client = open({
      ...agent((agent) => {
        agent.on('session/set_mode', () => ({}));
        agent.on('session/prompt', async () => {
          await agent.ask('_t', {});
          return { stopReason: 'end_turn' };
        });
      }),
      tools: [
        {
          name: 't',
          method: '_t',
          handle: async () => {
            await session.setMode('fast');
            done.push('mode');
            await client.newSession();
            done.push('session');
            await client.close();
            done.push('close');
          },
        },
      ],
    });
    const session = await client.newSession();
    const turn = failureOf(session.prompt('x'));
    expect(await turn).toMatchObject({ code: 'MM_ERR_CLOSED' });
    await client.close();
    await sleep(0);
    expect(done).toEqual(['mode', 'session', 'close']);
  });

  test('59: that throws costs its own answer, and no other', async () => {
    const fail = () => {
      throw new Error('boom');
    };
    const client = open({
      ...agent((agent) => {
        agent.on('session/prompt', async ({ sessionId }) => {
          agent.say(sessionId, 'x');
          const answers = [
            await agent.ask('_t', {}),
            await agent.ask('session/request_permission', {
              sessionId,
              toolCall: { toolCallId: 't' },
              options: [],
            }),
            await agent.ask('_r', {}),
            await agent.ask('_org.mini-me/tools/list', 7),
          ];
          return { stopReason: 'end_turn', answers };
        });
      }),
      tools: [{ name: 't', method: '_t', handle: fail }],
      permissions: fail,
    });
    client.onRequest('_r', fail);
    client.on('update', fail);
    client.on('stderr', fail);
    const told = record(client);
    const session = await client.newSession();
    const { raw, text } = await session.prompt('x');
    expect(text).toBe('x');
    expect(raw.answers).toMatchObject([
      { result: { isError: true, content: [{ text: 'boom' }] } },
      { result: { outcome: { outcome: 'cancelled' } } },
      { error: { code: -32603, message: 'boom' } },
      { result: { tools: [{ name: 't' }] } },
    ]);
    expect(told.diagnostic.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['listener-failed', 'permission-option-missing']),
    );
    expect((await session.prompt('again')).stopReason).toBe('end_turn');
  });

  test('60: is not entered any more once close() was called', async () => {
    const host = await runHost(
      async ({ MiniMe, tell }, options) => {
        let isClosing = false;
        const late = [];
        const note = (what) => () => isClosing && late.push(what);
        const client = new MiniMe({
          ...options,
          tools: [{ name: 't', method: '_t', handle: note('call') }],
          permissions: () => {
            note('permission')();
            return 'cancelled';
          },
        });
        client.onRequest('_r', note('request'));
        await client.start();
        client.request('go').catch(() => undefined);
        await new Promise((resolve) => client.once('toolCall', resolve));
        isClosing = true;
        await client.close();
        await new Promise((resolve) => setTimeout(resolve, 50));
        tell(late);
      },
      agent((agent) => {
        agent.on('go', () => {
          const params = { sessionId: 's', toolCall: { toolCallId: 't' }, options: [] };
          let id = 0;
          const timer = setInterval(() => {
            for (const method of ['_t', '_r', 'session/request_permission']) {
              id += 1;
              agent.send({ id, method, params });
            }
          }, 0);
          process.stdin.on('end', () => setTimeout(() => clearInterval(timer), 200));
          return agent.silence;
        });
      }),
    );
    expect(host).toMatchObject({ code: 0, err: '', told: [[]] });
  });
});
