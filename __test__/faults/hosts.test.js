'use strict';
// The native addon in its hosts: what crosses the border, and what must not bring a host down.

const { expect, test } = require('@jest/globals');
const path = require('node:path');
const { agent, failureOf, record, runHost, useClients } = require('./harness');

const open = useClients();
const PACKAGE = path.join(__dirname, '../..');

test('135: a throw in each kind of callback leaves the host alive, and is told', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const fail = () => {
        throw new Error('boom');
      };
      const client = new MiniMe({
        ...options,
        tools: [{ name: 't', method: '_t', handle: fail }],
        permissions: fail,
        trace: fail,
        fs: { readTextFile: fail },
      });
      for (const event of ['update', 'stderr', 'toolCall', 'exit']) client.on(event, fail);
      client.onNotification('_n', fail);
      client.onRequest('_r', fail);
      const diagnostics = new Set();
      client.on('diagnostic', ({ code }) => diagnostics.add(code));
      const session = await client.newSession();
      const { raw } = await session.prompt('x');
      await client.close();
      await new Promise((resolve) => setTimeout(resolve, 20));
      tell({ answers: raw.answers, diagnostics: [...diagnostics].sort() });
    },
    agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        process.stderr.write('x\n');
        agent.say(sessionId, 'x');
        agent.send({ method: '_n', params: {} });
        const params = { sessionId, path: '/', toolCall: { toolCallId: 't' }, options: [] };
        const answers = [];
        for (const method of ['_t', '_r', 'session/request_permission', 'fs/read_text_file']) {
          answers.push(await agent.ask(method, params));
        }
        return { stopReason: 'end_turn', answers };
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, signal: null, err: '' });
  expect(host.told[0].answers).toMatchObject([
    { result: { isError: true } },
    { error: { code: -32603 } },
    { result: { outcome: { outcome: 'cancelled' } } },
    { error: { code: -32603 } },
  ]);
  expect(host.told[0].diagnostics).toEqual([
    'handler-failed',
    'listener-failed',
    'permission-option-missing',
  ]);
});

test('135: callbacks that reject are told as well, and no rejection is left unhandled', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const reject = () => Promise.reject(new Error('boom'));
      const client = new MiniMe({ ...options, trace: reject });
      const messages = new Set();
      client.on('diagnostic', ({ message }) => messages.add(message));
      await client.loadSession('x', { onReplay: reject });
      await client.close();
      tell([...messages].sort());
    },
    agent((agent) => {
      agent.on('session/load', ({ sessionId }) => {
        agent.say(sessionId, 'x');
        return {};
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, signal: null, err: '' });
  expect(host.told).toEqual([['onReplay failed: boom', 'trace failed: boom']]);
});

test('a host without the globals that came after Node 16, as Electron 22, cancels and is cancelled', async () => {
  const host = await runHost(
    async ({ tell }, entry, options) => {
      // Loaded before the globals were gone: load it again.
      for (const file of Object.keys(require.cache)) {
        if (!file.endsWith('.node')) delete require.cache[file];
      }
      for (const name of ['DOMException', 'structuredClone', 'fetch', 'CustomEvent', 'File']) {
        delete globalThis[name];
      }
      const { MiniMe } = require(entry);
      const reasons = [];
      let bothRun;
      const running = new Promise((resolve) => {
        bothRun = resolve;
      });
      let count = 0;
      const wait = (_, { signal }) => {
        count += 1;
        if (count === 2) bothRun();
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(reasons.push(signal.reason)));
        });
      };
      const client = new MiniMe({ ...options, tools: [{ name: 't', method: '_t', handle: wait }] });
      client.onRequest('_r', wait);
      const session = await client.newSession();
      const turn = session.prompt('x');
      await running;
      await turn.cancel().catch(() => client.close());
      const { stopReason } = await turn;
      await client.close();
      tell([stopReason, ...reasons.map(({ name, code, message }) => ({ name, code, message }))]);
    },
    PACKAGE,
    agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        agent.ask('_t', { _meta: { 'org.mini-me/sessionId': sessionId } });
        await agent.ask('_r', {}, 'request');
        return { stopReason: 'cancelled' };
      });
      agent.on('session/cancel', () => {
        agent.send({ method: '$/cancel_request', params: { requestId: 'request' } });
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, signal: null, err: '' });
  const reason = (message) => ({ name: 'AbortError', code: 20, message });
  expect(host.told).toEqual([
    ['cancelled', reason('The turn was cancelled'), reason('The agent withdrew the request')],
  ]);
});

test('a host stays alive while an opening waits for one that was given up', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const client = new MiniMe({ ...options, discovery: 'request' });
      await client.start();
      await client.newSession({ timeoutMs: 50 }).catch(({ code }) => tell(code));
      const { id } = await client.newSession();
      tell(id);
      await client.close();
    },
    agent((agent) => {
      agent.on('session/new', async () => {
        await agent.sleep(300);
        return { sessionId: agent.newSessionId() };
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, err: '', told: ['MM_ERR_TIMEOUT', 's2'] });
});

test('half of a surrogate pair in a command of the agent is refused as what it is', async () => {
  const client = open({
    ...agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        const params = { sessionId, command: 'echo', args: ['\ud800'] };
        const { error } = await agent.ask('terminal/create', params);
        return { stopReason: 'end_turn', error };
      });
    }),
    terminal: true,
  });
  const { raw } = await (await client.newSession()).prompt('x');
  expect(raw.error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('expected args to be an array of strings'),
  });
});

test('144: numbers are what JSON.parse makes of them, in updates, arguments and answers', async () => {
  const text =
    '[0,5,2147483648,4294967296,9007199254740991,9007199254740993,-1,-0,1e308,1e400,0.1]';
  const seen = [];
  const client = open({
    ...agent((agent, text) => {
      agent.on('session/prompt', ({ sessionId }, { id }) => {
        const raw = (line) => agent.write(line.replace('"RAW"', text));
        raw(
          agent.line({
            method: 'session/update',
            params: { sessionId, update: { sessionUpdate: 'x', n: 'RAW' } },
          }),
        );
        raw(agent.line({ id: 900, method: '_t', params: { n: 'RAW' } }));
        raw(agent.line({ id, result: { stopReason: 'end_turn', n: 'RAW' } }));
        return agent.silence;
      });
    }, text),
    tools: [{ name: 't', method: '_t', handle: ({ n }) => seen.push(n) }],
  });
  client.on('update', ({ update }) => seen.push(update.n));
  const session = await client.newSession();
  const { raw } = await session.prompt('x');
  const expected = JSON.parse(text);
  expect([...seen, raw.n]).toEqual([expected, expected, expected]);
});

test('156: errors and data survive structuredClone', async () => {
  const client = open(
    agent((agent) => {
      agent.on('session/prompt', ({ sessionId }) => {
        agent.say(sessionId, 'x');
        agent.update(sessionId, { sessionUpdate: 'plan', entries: [] });
        return { stopReason: 'end_turn', usage: { totalTokens: 1 } };
      });
      agent.on('bad', () => agent.refuse(-1, 'no', { deep: [1] }));
    }),
  );
  const told = record(client);
  const info = await client.start();
  const session = await client.newSession();
  const result = await session.prompt('x');
  const error = await failureOf(client.request('bad'));
  const exit = await client.close();
  const plain = [info, result, told.update, exit, error.details, error.toJSON()];
  for (const value of plain) expect(structuredClone(value)).toEqual(value);
  expect(Object.keys(error)).toEqual(expect.arrayContaining(['code', 'details', 'rpcCode']));
  expect(structuredClone(error).message).toBe(error.message);
});
