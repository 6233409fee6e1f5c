'use strict';
// What is kept longer than it is needed: by a signal, by an agent that invents, by a turn that is long.

const { expect, test } = require('@jest/globals');
const { agent, runHost } = require('./harness');

const MB = 1024 * 1024;

test('122: a signal that lives for long keeps no client that was closed or forgotten', async () => {
  const host = await runHost(async ({ MiniMe, tell }) => {
    const { signal } = new AbortController();
    let collected = 0;
    const registry = new FinalizationRegistry(() => {
      collected += 1;
    });
    for (let i = 0; i < 200; i += 1) {
      const client = new MiniMe({ signal });
      registry.register(client);
      if (i % 2 === 0) await client.close();
    }
    for (let i = 0; i < 5; i += 1) {
      global.gc();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    tell(collected);
  });
  expect(host).toMatchObject({ code: 0, err: '' });
  expect(host.told[0]).toBeGreaterThanOrEqual(199);
});

test('122: an agent that invents session ids without end is told of a thousand times, and costs no memory', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const client = new MiniMe(options);
      let told = 0;
      client.on('diagnostic', () => {
        told += 1;
      });
      await client.start();
      const heap = () => {
        global.gc();
        return process.memoryUsage().heapUsed;
      };
      const before = heap();
      await client.request('invent');
      tell({ told, growth: heap() - before });
      await client.close();
    },
    agent((agent) => {
      agent.on('invent', () => {
        for (let i = 0; i < 100_000; i += 1) agent.say(`${i} ${'x'.repeat(100)}`, 'x');
        return null;
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, err: '', told: [{ told: 1000 }] });
  expect(host.told[0].growth).toBeLessThan(2 * MB);
});

test('121: a turn does not keep what its finished tool calls gave', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const client = new MiniMe(options);
      const session = await client.newSession();
      client.on('update', () => undefined);
      const turn = session.prompt('x');
      let growth = 0;
      client.onRequest('_measure', () => {
        global.gc();
        growth = process.memoryUsage().heapUsed;
        return null;
      });
      global.gc();
      const before = process.memoryUsage().heapUsed;
      await turn;
      tell(growth - before);
      await client.close();
    },
    agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        for (let i = 0; i < 1000; i += 1) {
          const call = { toolCallId: `t${i}`, title: 'read' };
          agent.update(sessionId, { sessionUpdate: 'tool_call', ...call });
          const rawOutput = 'x'.repeat(100_000);
          const done = { status: i % 2 ? 'completed' : 'failed', rawOutput };
          agent.update(sessionId, { sessionUpdate: 'tool_call_update', ...call, ...done });
        }
        await agent.ask('_measure', {});
        return { stopReason: 'end_turn' };
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, err: '' });
  // Besides the last mebibyte for updates(), kept as the protocol's texts: two generations at most.
  expect(host.told[0]).toBeLessThan(12 * MB);
});

test('fifty prompts with one signal warn of nothing, and all are aborted by it', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const controller = new AbortController();
      const { signal } = controller;
      const client = new MiniMe(options);
      const sessions = await Promise.all(Array.from({ length: 50 }, () => client.newSession()));
      const turns = sessions.map((session) => session.prompt('x', { signal }));
      setTimeout(() => controller.abort(new Error('enough')), 50);
      const settled = await Promise.allSettled(turns);
      tell([...new Set(settled.map(({ reason }) => reason.message))]);
      await client.close();
    },
    agent((agent) => agent.on('session/prompt', () => agent.silence)),
  );
  expect(host).toMatchObject({ code: 0, err: '', told: [['enough']] });
});

test('a prompt that was given up keeps no program alive, and one that waits behind it does', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options, waits) => {
      const client = new MiniMe(options);
      const session = await client.newSession();
      await session.prompt('x', { timeoutMs: 50 }).catch(({ code }) => tell(code));
      if (waits) session.prompt('y').then(({ stopReason }) => tell(stopReason));
      setTimeout(() => process.exit(9), 4000).unref();
    },
    agent((agent) =>
      agent.on('session/prompt', async ({ prompt }) => {
        if (prompt[0].text === 'x') await agent.sleep(500);
        return { stopReason: 'end_turn' };
      }),
    ),
    true,
  );
  expect(host).toMatchObject({ code: 0, err: '', told: ['MM_ERR_TIMEOUT', 'end_turn'] });
  const silent = await runHost(
    async ({ MiniMe, tell }, options) => {
      const client = new MiniMe(options);
      const session = await client.newSession();
      await session.prompt('x', { timeoutMs: 50 }).catch(({ code }) => tell(code));
      setTimeout(() => process.exit(9), 3000).unref();
    },
    agent((agent) => agent.on('session/prompt', () => agent.silence)),
  );
  expect(silent).toMatchObject({ code: 0, err: '', told: ['MM_ERR_TIMEOUT'] });
});

test('a request that was given up keeps no program alive, though the agent never answers', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const client = new MiniMe(options);
      await client.start();
      const error = await client.request('x', {}, { timeoutMs: 50 }).catch((error) => error);
      tell(error.code);
      setTimeout(() => {
        tell('still here');
        process.exit(9);
      }, 3000).unref();
      setTimeout(() => undefined, 3100).unref();
    },
    agent((agent) => agent.on('x', () => agent.silence)),
  );
  expect(host).toMatchObject({ code: 0, err: '', told: ['MM_ERR_TIMEOUT'] });
});
