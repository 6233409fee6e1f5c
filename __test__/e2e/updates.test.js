'use strict';

const { describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { agent, codesOf, diagnostic, failureOf, record, useClients } = require('./harness');

const open = useClients();
const NUMBERS = Array.from({ length: 10_000 }, (_, number) => `${number};`);

describe('ten thousand updates in one burst', () => {
  test('are all delivered, in order, before await of the turn goes on', async () => {
    const client = open(agent('streams-updates', 10_000));
    const texts = [];
    client.on('update', ({ update }) => texts.push(update.content.text));
    const session = await client.newSession();
    const { text } = await session.prompt('go');
    expect(texts).toEqual(NUMBERS);
    expect(text).toBe(NUMBERS.join(''));
  });

  test('are all delivered though a listener throws on every tenth', async () => {
    const client = open(agent('streams-updates', 10_000));
    const told = record(client);
    let count = 0;
    client.prependListener('update', () => {
      count += 1;
      if (count % 10 === 0) throw new Error(`no ${count}`);
    });
    const session = await client.newSession();
    await session.prompt('go');
    expect(told.update.map(({ update }) => update.content.text)).toEqual(NUMBERS);
    expect(told.diagnostic).toHaveLength(1000);
    expect(told.diagnostic[0]).toEqual({
      code: 'listener-failed',
      message: 'a listener of "update" failed: no 10',
      details: { event: 'update' },
    });
    expect((await session.prompt('again')).stopReason).toBe('end_turn');
  });

  test('leave timers their turn', async () => {
    const client = open(agent('streams-updates', 10_000));
    const session = await client.newSession();
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    await session.prompt('go');
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
  });
});

describe('a listener', () => {
  test('that rejects costs nothing but the diagnostic listener-failed', async () => {
    const client = open(agent('echo'));
    const told = record(client);
    client.prependListener('update', () => Promise.reject(new Error('later')));
    const failed = diagnostic(client, 'listener-failed');
    const session = await client.newSession();
    expect((await session.prompt('hi')).text).toBe('hi');
    expect((await failed).message).toContain('later');
    expect(told.update).toHaveLength(1);
  });

  test('added by once() is called once', async () => {
    const client = open(agent('streams-updates', 3));
    let count = 0;
    client.once('update', () => {
      count += 1;
    });
    const session = await client.newSession();
    await session.prompt('go');
    expect(count).toBe(1);
  });

  test('may start another prompt and wait for it', async () => {
    const client = open(agent('echo'));
    const [first, second] = await Promise.all([client.newSession(), client.newSession()]);
    const inner = new Promise((resolve) => {
      client.once('update', async () => resolve(await second.prompt('inner')));
    });
    expect((await first.prompt('outer')).text).toBe('outer');
    expect((await inner).text).toBe('inner');
  });
});

describe('updates of a session', () => {
  test('that come before the answer to session/new reach the session', async () => {
    const client = open(agent('opens-busily'));
    const told = record(client);
    const session = await client.newSession();
    expect(session.commands).toEqual([{ name: 'early', description: 'early' }]);
    expect(codesOf(told.diagnostic)).toEqual(['update-unknown-session']);
  });

  test('that come right behind the answer to session/new reach the session', async () => {
    const client = open(agent('opens-busily'));
    const behind = new Promise((resolve) => {
      client.on('update', ({ update }) => {
        if (update.sessionUpdate === 'current_mode_update') resolve();
      });
    });
    const session = await client.newSession();
    await behind;
    await new Promise(setImmediate);
    expect(session.modes).toEqual({ currentModeId: 'code', availableModes: [] });
  });

  test('that nobody opened are told, once, with update-unknown-session', async () => {
    const client = open(agent('opens-busily'));
    const told = record(client);
    await client.newSession();
    const strangers = told.diagnostic.filter(({ details }) => details.sessionId === 'stranger');
    expect(codesOf(strangers)).toEqual(['update-unknown-session']);
    expect(told.update.filter(({ sessionId }) => sessionId === 'stranger')).toHaveLength(2);
  });

  test('are kept apart from those of sessions that run at the same time', async () => {
    const client = open(agent('interleaves', 4));
    const sessions = await Promise.all(Array.from({ length: 4 }, () => client.newSession()));
    expect(client.sessions.size).toBe(4);
    const turns = sessions.map((session) => session.prompt(`${session.id}.`));
    const texts = (await Promise.all(turns)).map(({ text }) => text);
    expect(texts).toEqual(sessions.map(({ id }) => `${id}.0 ${id}.1 ${id}.2 `));
  });

  test('behind the answer belong to no turn, and are told all the same', async () => {
    const client = open(agent('talks-after-turn'));
    const told = record(client);
    const session = await client.newSession();
    const done = new Promise((resolve) => client.onNotification('_test/done', resolve));
    const iterated = [];
    const turn = session.prompt('one');
    for await (const update of turn) iterated.push(update.content.text);
    expect((await turn).text).toBe('one');
    await done;
    expect(iterated).toEqual(['one']);
    expect(told.update).toHaveLength(2);
    expect((await session.prompt('two')).text).toBe('two');
  });

  test('are its state: title, mode, options, commands, usage', async () => {
    const client = open(agent('says'));
    const session = await client.newSession();
    const updates = [
      { sessionUpdate: 'session_info_update', title: 'T' },
      { sessionUpdate: 'session_info_update', updatedAt: 'now' },
      { sessionUpdate: 'current_mode_update', currentModeId: 'm' },
      { sessionUpdate: 'config_option_update', configOptions: [{ id: 'o' }] },
      { sessionUpdate: 'available_commands_update', availableCommands: [] },
      { sessionUpdate: 'usage_update', used: 1, size: 2, cost: null },
    ];
    await session.prompt(
      JSON.stringify({ lines: updates.map((update) => updateLine(session, update)) }),
    );
    const { title, modes, configOptions, commands, usage } = session;
    expect({ title, modes, configOptions, commands, usage }).toEqual({
      title: 'T',
      modes: { currentModeId: 'm', availableModes: [] },
      configOptions: [{ id: 'o' }],
      commands: [],
      usage: { used: 1, size: 2, cost: null },
    });
  });

  test('of a kind nobody knows arrive as they are', async () => {
    const client = open(agent('says'));
    const session = await client.newSession();
    const odd = [
      { sessionUpdate: 'from_the_future', x: { y: null } },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'hologram' } },
      { sessionUpdate: 'agent_message_chunk', content: null },
      { sessionUpdate: null },
      {},
    ];
    const turn = session.prompt(
      JSON.stringify({ lines: odd.map((update) => updateLine(session, update)) }),
    );
    const updates = [];
    for await (const update of turn) updates.push(update);
    expect(updates).toEqual(odd);
    expect(await turn).toMatchObject({ text: '', stopReason: 'end_turn' });
  });

  test('numbers in them are what JSON.parse makes of them', async () => {
    const client = open(agent('says'));
    const session = await client.newSession();
    const numbers = '[0,-0,5,2147483648,9007199254740991,9007199254740993,-1,1e308,1e400,0.1,1.50]';
    const params = `{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":${numbers}}}`;
    const line = `{"jsonrpc":"2.0","method":"session/update","params":${params}}`;
    const turn = session.prompt(JSON.stringify({ lines: [line] }));
    const updates = [];
    for await (const update of turn) updates.push(update);
    expect(updates).toEqual([JSON.parse(params).update]);
  });

  test('without a session id or an update are told with message-invalid', async () => {
    const client = open(agent('says'));
    const told = record(client);
    const session = await client.newSession();
    const lines = ['{}', '{"sessionId":"s1"}', '{"update":{}}', '[1]', '7']
      .map((params) => `{"jsonrpc":"2.0","method":"session/update","params":${params}}`)
      .concat('{"jsonrpc":"2.0","method":"session/update"}');
    await session.prompt(JSON.stringify({ lines }));
    expect(codesOf(told.diagnostic)).toEqual(Array(6).fill('message-invalid'));
    expect(told.update).toEqual([]);
  });
});

describe('a reader that is slow', () => {
  test('slows the stream down above 8 MiB, which unread-updates tells, and misses nothing', async () => {
    const client = open(agent('says-huge', 12, 1));
    const told = record(client);
    const session = await client.newSession();
    const turn = session.prompt('go');
    const updates = turn[Symbol.asyncIterator]();
    await turn;
    expect(codesOf(told.diagnostic)).toEqual(['unread-updates']);
    let bytes = 0;
    for await (const update of updates) bytes += update.content.text.length;
    expect(bytes).toBe(12 * 1024 * 1024);
  });

  test('that leaves over 256 MiB unread ends the client with MM_ERR_UNREAD', async () => {
    const client = open(agent('says-huge', 9, 30, 'silent'));
    const session = await client.newSession();
    const turn = session.prompt('go');
    const updates = turn[Symbol.asyncIterator]();
    const error = await failureOf(turn);
    expect(error).toMatchObject({ code: 'MM_ERR_UNREAD', name: 'MiniMeError' });
    await updates.return();
    expect((await failureOf(client.newSession())).code).toBe('MM_ERR_UNREAD');
  });

  test('of stderr is told of lines it was not given, with stderr-dropped', async () => {
    const sign = path.join(os.tmpdir(), `mini-me-client-stderr-${process.pid}`);
    const client = open(agent('outruns-its-reader', sign));
    const told = record(client);
    const session = await client.newSession();
    // A program that is busy until the agent has given up on it.
    client.once('update', () => {
      const pause = new Int32Array(new SharedArrayBuffer(4));
      const deadline = Date.now() + 10_000;
      while (!fs.existsSync(sign) && Date.now() < deadline) Atomics.wait(pause, 0, 0, 10);
      fs.rmSync(sign);
    });
    const dropped = diagnostic(client, 'stderr-dropped');
    await session.prompt('go');
    await client.request('_test/log', { line: 'found' });
    expect((await dropped).details.lines).toBeGreaterThan(0);
    await client.close();
    expect(told.stderr.at(-1)).toBe('found');
    expect(told.update).toHaveLength(20);
  });
});

function updateLine(session, update) {
  const params = { sessionId: session.id, update };
  return JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params });
}
