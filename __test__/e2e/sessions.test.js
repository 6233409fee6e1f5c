'use strict';
// Sessions of old, and what ends them. The agent is the stand-in, which keeps sessions while it runs.

const path = require('node:path');
const { describe, expect, test } = require('@jest/globals');
const { agent, diagnostic, failureOf, record, useClients } = require('./harness');

const open = useClients();
const STAND_IN = path.join(__dirname, '../../js/stand-in.js');

function standIn(options = {}) {
  return { command: process.execPath, args: [STAND_IN, '-acp'], ...options };
}

/** A client with a tool, and the id of a session that had a turn and was closed. */
async function withPast(options) {
  const client = open(standIn(options));
  client.addTool({ name: 'ping', description: 'Ping pong.', handle: () => 'pong' });
  const session = await client.newSession();
  await session.prompt('ping pong');
  await session.close();
  return { client, id: session.id };
}

describe('loadSession()', () => {
  test('gives the history to onReplay and the update event before it settles, and to no turn', async () => {
    const { client, id } = await withPast();
    const told = record(client);
    const replayed = [];
    const session = await client.loadSession(id, { onReplay: (update) => replayed.push(update) });
    const kinds = replayed.map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds[0]).toBe('user_message_chunk');
    expect(kinds).toContain('tool_call_update');
    expect(told.update.map(({ update }) => update)).toEqual(replayed);
    expect((await session.prompt('ping pong')).text).toContain('pong');
    expect(client.sessions.get(id)).toBe(session);
  });

  test('of an open session gives the same object', async () => {
    const { client, id } = await withPast();
    const first = await client.loadSession(id);
    const [second, third] = await Promise.all([client.loadSession(id), client.resumeSession(id)]);
    expect(second).toBe(first);
    expect(third).toBe(first);
  });

  test('that fails is never replaced by a new session', async () => {
    const client = open(standIn());
    const error = await failureOf(client.loadSession('no such session'));
    expect(error).toMatchObject({ code: 'MM_ERR_AGENT' });
    expect(client.sessions.size).toBe(0);
  });

  test('whose onReplay throws costs nothing but the diagnostic listener-failed', async () => {
    const { client, id } = await withPast();
    const told = record(client);
    const onReplay = () => {
      throw new Error('no history');
    };
    await client.loadSession(id, { onReplay });
    expect(told.diagnostic[0]).toMatchObject({ code: 'listener-failed' });
  });

  test('whose onReplay rejects costs nothing but the diagnostic listener-failed', async () => {
    const { client, id } = await withPast();
    const failed = diagnostic(client, 'listener-failed');
    await client.loadSession(id, { onReplay: () => Promise.reject(new Error('no history')) });
    expect((await failed).message).toContain('no history');
  });

  test('is asked for only when the agent can', async () => {
    const client = open(agent('echo'));
    for (const opening of [client.loadSession('s'), client.resumeSession('s')]) {
      expect(await failureOf(opening)).toMatchObject({ code: 'MM_ERR_UNSUPPORTED' });
    }
    expect(await failureOf(client.deleteSession('s'))).toMatchObject({
      code: 'MM_ERR_UNSUPPORTED',
    });
    expect(await failureOf(client.listSessions().next())).toMatchObject({
      code: 'MM_ERR_UNSUPPORTED',
    });
    expect(await failureOf(client.logout())).toMatchObject({ code: 'MM_ERR_UNSUPPORTED' });
  });

  test.each([[''], [7], [undefined]])('takes no %p for an id', async (id) => {
    const client = open(agent('echo'));
    expect(await failureOf(client.loadSession(id))).toMatchObject({ code: 'MM_ERR_OPTION' });
  });
});

describe('listSessions()', () => {
  test('gives what the agent knows', async () => {
    const { client, id } = await withPast();
    const ids = [];
    for await (const { sessionId } of client.listSessions()) ids.push(sessionId);
    expect(ids).toEqual([id]);
  });
});

describe('a session that is closed', () => {
  test('takes no prompt, is forgotten, and ends its updates', async () => {
    const client = open(standIn());
    const session = await client.newSession();
    const updates = session.updates();
    await session.close();
    await session.close();
    expect(client.sessions.size).toBe(0);
    expect(await failureOf(session.prompt('x'))).toMatchObject({ code: 'MM_ERR_CLOSED' });
    expect(await failureOf(session.setMode('x'))).toMatchObject({ code: 'MM_ERR_CLOSED' });
    expect(await updates.next()).toEqual({ done: true, value: undefined });
  });
});

describe('updates()', () => {
  test('begins with what came before it was called, and goes on outside of turns', async () => {
    const client = open(standIn());
    const session = await client.newSession();
    const { text } = await session.prompt('first');
    const updates = session.updates();
    let read = '';
    while (read.length < text.length) read += (await updates.next()).value.content.text;
    expect(read).toBe(text);
    await updates.return();
    expect(await updates.next()).toEqual({ done: true, value: undefined });
  });
});

describe('with request discovery', () => {
  const FILE = path.join(__dirname, '../../examples/todo/agent.yaml');
  const args = [STAND_IN, '-acp', '-agent', FILE];

  test('a session is lent the tools it was opened with, and no other', async () => {
    const client = open(standIn({ args, discovery: 'request' }));
    const told = record(client);
    client.addTool({ name: 'own', description: 'Own letters.', handle: () => 'O' });
    const tool = (name) => ({ name, description: `${name} letters.`, handle: () => name });
    const [alpha, beta] = await Promise.all([
      client.newSession({ tools: [tool('alpha')] }),
      client.newSession({ tools: [tool('beta')] }),
    ]);
    expect((await alpha.prompt('use alpha')).text).toContain('alpha');
    await beta.prompt('use alpha');
    expect(told.toolCall.map(({ tool: { name }, sessionId }) => [name, sessionId])).toEqual([
      ['alpha', alpha.id],
    ]);
    expect(told.tools.map(({ accepted, missing }) => [accepted, missing])).toEqual([
      [['client_alpha', 'client_own'], []],
      [['client_beta', 'client_own'], []],
    ]);
  });

  test('the function tools is asked at each opening, and may take its time', async () => {
    const asked = [];
    const tools = async (request) => {
      asked.push(request);
      await new Promise((resolve) => setImmediate(resolve));
      return [{ name: 'folder teller', description: 'Folder.', handle: () => request.cwd }];
    };
    const client = open(standIn({ args, discovery: 'request', tools }));
    const told = record(client);
    const session = await client.newSession({ cwd: '/' });
    await client.resumeSession(session.id, { cwd: __dirname });
    expect(asked.map(({ sessionId, cwd }) => [sessionId, cwd])).toEqual([
      [session.id, '/'],
      [session.id, __dirname],
    ]);
    expect(told.toolsRequested).toHaveLength(2);
    expect((await session.prompt('use the folder teller')).text).toContain(__dirname);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no tools today'))],
    ['gives no array', () => 'x'],
    ['gives a bad tool', () => [{ name: '日本', handle: () => '' }]],
  ])('a function tools that %s costs its tools alone: tools-function-failed', async (_, tools) => {
    const client = open(standIn({ args, discovery: 'request', tools }));
    const told = record(client);
    client.addTool({ name: 'own', handle: () => 'O' });
    await client.newSession({ tools: [{ name: 'given', handle: () => 'G' }] });
    expect(told.diagnostic.map(({ code }) => code)).toEqual(['tools-function-failed']);
    expect(told.tools[0].accepted).toEqual(['client_given', 'client_own']);
  });

  test('tools that clash with one lent meanwhile cost themselves alone', async () => {
    const client = open(standIn({ args, discovery: 'request' }));
    const told = record(client);
    await client.start();
    client.once('toolsRequested', () => client.addTool({ name: 'same', handle: () => 'O' }));
    await client.newSession({ tools: [{ name: 'same', handle: () => 'G' }] });
    expect(told.diagnostic.map(({ code }) => code)).toEqual(['tools-function-failed']);
    expect(told.tools[0].accepted).toEqual(['client_same']);
  });

  test('a bad tool of a session is refused before anything is sent', async () => {
    const client = open(standIn({ args, discovery: 'request' }));
    const handle = () => '';
    const refused = [
      [{ name: '---', handle }, 'MM_ERR_TOOL_NAME'],
      [{ name: 'b', method: 'b', handle }, 'MM_ERR_TOOL_METHOD'],
      [{ name: 'A', handle }, 'MM_ERR_TOOL_DUPLICATE'],
    ];
    for (const [tool, code] of refused) {
      const tools = [{ name: 'a', handle }, { name: 'A_', handle }, tool, { name: 'c', handle }];
      const error = await failureOf(client.newSession({ tools }));
      expect(error).toMatchObject({ code, details: { name: tool.name } });
      expect(error.message).toContain(`tool "${tool.name}": `);
    }
    expect(client.sessions.size).toBe(0);
  });

  test('a signal ends the wait for another opening', async () => {
    const client = open(
      standIn({ args, discovery: 'request', tools: () => new Promise(() => undefined) }),
    );
    const first = failureOf(client.newSession({ signal: AbortSignal.timeout(50) }));
    const second = failureOf(client.newSession({ timeoutMs: 10 }));
    expect(await second).toMatchObject({
      code: 'MM_ERR_TIMEOUT',
      details: { method: 'session/new', timeoutMs: 10 },
    });
    expect((await first).name).toBe('TimeoutError');
  });
});

test('tools of one session are refused with meta discovery', async () => {
  const client = open(agent('echo'));
  const opening = client.newSession({ tools: [] });
  expect(await failureOf(opening)).toMatchObject({ code: 'MM_ERR_OPTION' });
});
