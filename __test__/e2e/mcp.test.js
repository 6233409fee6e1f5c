'use strict';
// Tools lent over MCP, to an agent that takes them with the official client of MCP.

const { describe, expect, test } = require('@jest/globals');
const { once } = require('node:events');
const { agent, codesOf, record, useClients } = require('./harness');

const open = useClients();

const HTTP = ['{"http":true}'];
const text = (value) => ({ type: 'text', text: value });
const schema = {
  type: 'object',
  properties: { topic: { type: 'string', enum: ['os', 'cpu'] } },
  required: ['topic'],
  additionalProperties: false,
};
const echo = { name: 'echo back', handle: (args) => args };

function lend(tools, args = HTTP, options = {}) {
  return open({ ...agent('connects-mcp', ...args), carrier: 'mcp', tools, ...options });
}

/** What the agent gets for calls, in their order. */
async function call(session, ...calls) {
  const { raw } = await session.prompt(JSON.stringify(calls));
  return raw.answers;
}

describe.each([
  ['http', '2025-11-25', [...HTTP, 'legacy']],
  ['http', '2026-07-28', [...HTTP, '2026-07-28']],
  ['http', '2026-07-28', [...HTTP, 'auto']],
  ['stdio', '2025-11-25', ['{}', 'legacy']],
  ['stdio', '2026-07-28', ['{}', '2026-07-28']],
])('over %s, revision %s, client mode %#', (_way, revision, args) => {
  test('a tool is listed with its schema as it was given, and runs', async () => {
    const contexts = [];
    const info = {
      name: 'host info',
      description: 'Tells of the host.',
      inputSchema: schema,
      handle: (given, context) => {
        contexts.push([given, context.sessionId, context.session, context.meta]);
        return `about ${given.topic}`;
      },
    };
    const client = lend([info], args);
    const told = record(client);
    const session = await client.newSession();
    const [server] = session.raw.servers;
    expect(server).toMatchObject({ name: expect.stringMatching(/^client[a-z0-9]{5}$/), revision });
    expect(server.tools).toEqual([
      {
        name: 'host_info',
        description: 'Tells of the host.',
        inputSchema: schema,
        _meta: { 'anthropic/alwaysLoad': true },
      },
    ]);
    const meta = { 'org.example/x': 1 };
    const [answer] = await call(session, { name: 'host_info', arguments: { topic: 'os' }, meta });
    expect(answer.result.content).toEqual([text('about os')]);
    const [[given, id, ofCall, came]] = contexts;
    expect([given, id, ofCall]).toEqual([{ topic: 'os' }, session.id, session]);
    expect(came).toMatchObject(meta);
    expect(told.toolCall).toMatchObject([{ outcome: 'ok', sessionId: session.id }]);
    expect(told.tools).toEqual([
      {
        discovery: 'request',
        carrier: 'mcp',
        sessionId: session.id,
        accepted: ['host_info'],
        missing: [],
        skipped: [],
      },
    ]);
    expect(told.diagnostic).toEqual([]);
  });

  test('results of every kind arrive', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const tools = [
      echo,
      { name: 'picture', handle: () => ({ content: [text('a'), image] }) },
      { name: 'fails', handle: () => Promise.reject(new Error('not today')) },
      { name: 'nothing', handle: () => undefined },
      { name: 'strict', inputSchema: schema, handle: () => 1 },
      { name: 'slow', timeoutMs: 20, handle: () => new Promise(() => undefined) },
    ];
    const client = lend(tools, args);
    const session = await client.newSession();
    const names = ['echo_back', 'picture', 'fails', 'nothing', 'strict', 'slow', 'unknown'];
    const answers = await call(
      session,
      ...names.map((name) => ({ name, arguments: { a: [1, 'é'] } })),
    );
    const [echoed, picture, failed, nothing, strict, slow, unknown] = answers;
    expect(echoed.result).toMatchObject({
      content: [text('{"a":[1,"é"]}')],
      structuredContent: { a: [1, 'é'] },
    });
    expect(picture.result.content).toEqual([text('a'), image]);
    expect(failed.result).toMatchObject({ content: [text('not today')], isError: true });
    expect(nothing.result.content).toEqual([]);
    expect(strict.result.isError).toBe(true);
    expect(strict.result.content[0].text).toContain('topic');
    expect(slow.result).toMatchObject({
      content: [text('the tool ran longer than its limit of 20 ms')],
      isError: true,
    });
    expect(unknown.error).toContain('Unknown tool: unknown');
  });

  test('a call that the agent cancels aborts its signal', async () => {
    let seen;
    const aborted = new Promise((resolve) => {
      seen = resolve;
    });
    const waits = {
      name: 'waits',
      handle: (_, { signal }) => {
        signal.addEventListener('abort', () => seen(signal.reason));
        return new Promise(() => undefined);
      },
    };
    const client = lend([waits], args);
    const told = record(client);
    const session = await client.newSession();
    const [answer] = await call(session, { name: 'waits', cancelAfterMs: 50 });
    expect(answer.error).toBeDefined();
    expect((await aborted).name).toBe('AbortError');
    expect(told.toolCall).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('session.cancel() aborts it, and the handler still answers', async () => {
    let begun;
    const isBegun = new Promise((resolve) => {
      begun = resolve;
    });
    const waits = {
      name: 'waits',
      handle: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve('stopped'));
          begun();
        }),
    };
    const client = lend([waits], args);
    const session = await client.newSession();
    const turn = session.prompt(JSON.stringify([{ name: 'waits' }]));
    await isBegun;
    await session.cancel();
    const { raw } = await turn;
    expect(raw.answers[0].result.content).toEqual([text('stopped')]);
  });

  test('the agent ends, and with it what it has started', async () => {
    const client = lend([echo], args);
    await client.newSession();
    const { expected } = await client.close();
    expect(expected).toBe(true);
  });
});

describe('each session', () => {
  test('has a server of its own, with the tools of its time', async () => {
    const client = lend([echo]);
    const extra = { name: 'extra', handle: () => 'of one' };
    const one = await client.newSession({ tools: [extra] });
    const added = client.addTool({ name: 'added', handle: () => 'late' });
    const two = await client.newSession({ tools: [{ ...extra, handle: () => 'of two' }] });
    added.remove();
    const three = await client.newSession();
    const namesOf = (session) => session.raw.servers[0].tools.map(({ name }) => name);
    expect([one, two, three].map(namesOf)).toEqual([
      ['echo_back', 'extra'],
      ['echo_back', 'added', 'extra'],
      ['echo_back'],
    ]);
    const servers = [one, two, three].map(({ raw }) => raw.servers[0].name);
    expect(new Set(servers).size).toBe(3);

    expect((await call(one, { name: 'extra' }))[0].result.content).toEqual([text('of one')]);
    const [extraOfTwo, addedOfTwo] = await call(two, { name: 'extra' }, { name: 'added' });
    expect(extraOfTwo.result.content).toEqual([text('of two')]);
    expect(addedOfTwo.result.content).toEqual([text('late')]);
    expect((await call(three, { name: 'extra' }))[0].error).toContain('Unknown tool');
  });

  test('is the one its tools were lent to, whoever calls', async () => {
    const who = { name: 'who', handle: (_, { sessionId }) => sessionId };
    const client = lend([who]);
    const one = await client.newSession();
    const two = await client.newSession();
    const forged = { 'org.mini-me/sessionId': two.id };
    const answers = await call(
      one,
      { name: 'who', meta: forged, arguments: { _meta: forged } },
      { name: 'who', of: two.id },
    );
    expect(answers.map(({ result }) => result.content)).toEqual([[text(one.id)], [text(two.id)]]);
  });

  test('keeps its server when it is loaded again, with its new tools', async () => {
    const client = lend([echo]);
    const session = await client.newSession({ tools: [{ name: 'old', handle: () => 1 }] });
    const tools = [{ name: 'new', handle: () => 'n' }];
    const again = await client.loadSession(session.id, { tools });
    expect(again).toBe(session);
    const [server] = again.raw.servers;
    expect(server.name).toBe(session.raw.servers[0].name);
    expect(server.tools.map(({ name }) => name)).toEqual(['echo_back', 'new']);
    expect((await call(session, { name: 'new' }))[0].result.content).toEqual([text('n')]);
  });

  test('that was never open here can be loaded with tools', async () => {
    const client = lend([], HTTP);
    const who = { name: 'who', handle: (_, { session }) => session.id };
    const session = await client.loadSession('of old', { tools: [who] });
    expect((await call(session, { name: 'who' }))[0].result.content).toEqual([text('of old')]);
  });
});

describe('the program', () => {
  test('sees the names that the agent sees', async () => {
    const client = lend([{ ...echo, inputSchema: schema }]);
    expect(client.tools.map(({ name, modelName }) => [name, modelName])).toEqual([
      ['echo back', 'echo_back'],
    ]);
    expect(client.modelTools()).toEqual([
      { name: 'echo_back', description: '', inputSchema: schema },
    ]);
    await client.newSession();
    expect(client.tools[0].modelName).toBe('echo_back');
  });

  test('is told of a name that is too long with what agents put before it', async () => {
    const client = lend([{ name: 'x'.repeat(46), handle: () => 1 }]);
    const told = record(client);
    client.addTool({ name: 'y'.repeat(47), handle: () => 1 });
    await client.start();
    expect(codesOf(told.diagnostic)).toEqual(['tool-name-long']);
    expect(told.diagnostic[0].message).toContain('yyy');
  });

  test('hears of a list that is fetched', async () => {
    const client = lend([echo]);
    const report = once(client, 'tools');
    const session = await client.newSession();
    expect((await report)[0]).toMatchObject({ sessionId: session.id, accepted: ['echo_back'] });
  });

  test('keeps the limits of answers', async () => {
    const big = { name: 'big', handle: () => 'x'.repeat(5000) };
    const client = lend([big], HTTP, { maxOutgoingBytes: 4000 });
    const told = record(client);
    const [answer] = await call(await client.newSession(), { name: 'big' });
    expect(answer.result.isError).toBe(true);
    expect(answer.result.content[0].text).toContain('4000');
    expect(told.toolCall).toMatchObject([{ outcome: 'too-large' }]);
  });
});
