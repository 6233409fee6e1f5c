'use strict';
// Much at a time: floods, huge lines, and an agent that never reads. Figures of a host are taken in a
// process of its own, which does nothing else.

const { describe, expect, test } = require('@jest/globals');
const { agent, isLong, program, runHost, tellFigures } = require('./harness');

const MB = 1024 * 1024;
const LONG_MS = isLong ? 300_000 : 30_000;

describe('an agent that floods', () => {
  test(
    '118: stderr with 200 MB, without a line feed and with nobody listening, costs bounded memory',
    async () => {
      const host = await runHost(
        async ({ MiniMe, tell }, options) => {
          const client = new MiniMe(options);
          let peak = 0;
          const timer = setInterval(() => {
            peak = Math.max(peak, process.memoryUsage.rss());
          }, 5);
          await client.start();
          const before = process.memoryUsage.rss();
          peak = before;
          tell(await client.request('flood', {}));
          clearInterval(timer);
          tell(peak - before);
          const exit = await client.close();
          tell(exit.stderr.length);
        },
        agent((agent) => {
          agent.on('flood', ({ megabytes = 200 }) => {
            const piece = Buffer.from('12 % done\r'.repeat(6554).slice(0, 65536));
            for (let i = 0; i < megabytes * 16; i += 1) {
              let at = 0;
              while (at < piece.length) at += require('node:fs').writeSync(2, piece, at);
            }
            return 'flooded';
          });
        }),
      );
      expect(host).toMatchObject({ code: 0, err: '' });
      const [answer, growth, kept] = host.told;
      tellFigures('200 MB of stderr', { growth, kept, ms: host.ms });
      expect(answer).toBe('flooded');
      expect(growth).toBeLessThan(64 * MB);
      expect(kept).toBe(65536);
    },
    LONG_MS,
  );

  test(
    '120: with 200 000 updates of one character leaves timers their turn, and keeps order',
    async () => {
      const count = 200_000;
      const host = await runHost(
        async ({ MiniMe, tell }, options, count) => {
          const client = new MiniMe(options);
          const session = await client.newSession();
          let [lag, peak, last] = [0, 0, performance.now()];
          const timer = setInterval(() => {
            const now = performance.now();
            lag = Math.max(lag, now - last - 5);
            last = now;
            peak = Math.max(peak, process.memoryUsage.rss());
          }, 5);
          const turn = session.prompt('go');
          let next = 0;
          let isOrdered = true;
          for await (const text of turn.textStream()) {
            isOrdered &&= text === String(next % 10);
            next += 1;
          }
          clearInterval(timer);
          const { text } = await turn;
          tell({ next, isOrdered, lag, peak, length: text.length, count });
          await client.close();
        },
        agent((agent, count) => {
          agent.on('session/prompt', ({ sessionId }) => {
            const ten = Array.from({ length: 10 }, (_, i) =>
              agent.line({
                method: 'session/update',
                params: { sessionId, update: agent.chunk(String(i)) },
              }),
            ).join('');
            for (let i = 0; i < count / 10; i += 100) agent.write(ten.repeat(100));
            return { stopReason: 'end_turn' };
          });
        }, count),
        count,
      );
      expect(host).toMatchObject({ code: 0, err: '' });
      tellFigures('200 000 one-character updates', { ...host.told[0], ms: host.ms });
      expect(host.told[0]).toMatchObject({ next: count, isOrdered: true, length: count });
      expect(host.told[0].lag).toBeLessThan(100);
    },
    LONG_MS,
  );

  test(
    '121: a listener of 30 µs with a stream of 200 MB holds the agent back',
    async () => {
      const megabytes = isLong ? 200 : 40;
      const host = await runHost(
        async ({ MiniMe, tell }, options) => {
          const client = new MiniMe(options);
          const session = await client.newSession();
          let [updates, peak] = [0, 0];
          const before = process.memoryUsage.rss();
          client.on('update', () => {
            updates += 1;
            const end = performance.now() + 0.03;
            while (performance.now() < end);
            if (updates % 1000 === 0) peak = Math.max(peak, process.memoryUsage.rss());
          });
          await session.prompt('go');
          tell({ updates, growth: peak - before });
          await client.close();
        },
        agent((agent, megabytes) => {
          agent.on('session/prompt', ({ sessionId }) => {
            const line = agent.line({
              method: 'session/update',
              params: {
                sessionId,
                update: {
                  sessionUpdate: 'agent_thought_chunk',
                  content: { type: 'text', text: 'x'.repeat(900) },
                },
              },
            });
            for (let i = 0; i < megabytes; i += 1) agent.write(line.repeat(1000));
            return { stopReason: 'end_turn' };
          });
        }, megabytes),
      );
      expect(host).toMatchObject({ code: 0, err: '' });
      tellFigures('a slow listener', { megabytes, ...host.told[0], ms: host.ms });
      expect(host.told[0].updates).toBe(megabytes * 1000);
      expect(host.told[0].growth).toBeLessThan(120 * MB);
    },
    LONG_MS,
  );

  test(
    '123: while JavaScript is blocked loses no update',
    async () => {
      const host = await runHost(
        async ({ MiniMe, tell }, options, blockMs) => {
          const client = new MiniMe(options);
          const session = await client.newSession();
          const seen = [];
          client.on('update', ({ update }) => seen.push(update.content.text));
          const turn = session.prompt('go');
          await new Promise((resolve) => client.once('update', resolve));
          const end = Date.now() + blockMs;
          while (Date.now() < end);
          await turn;
          tell([seen.length, seen.every((text, i) => text === String(i))]);
          await client.close();
        },
        agent((agent) => {
          agent.on('session/prompt', ({ sessionId }) => {
            for (let i = 0; i < 10_000; i += 1) agent.say(sessionId, String(i));
            return { stopReason: 'end_turn' };
          });
        }),
        isLong ? 5000 : 1000,
      );
      expect(host).toMatchObject({ code: 0, err: '', told: [[10_000, true]] });
    },
    LONG_MS,
  );
});

describe('a line of 100 MB in writes of 4 KB', () => {
  test(
    '112, 113: costs twice the time of one of 50 MB, and gives its memory back',
    async () => {
      const sizes = isLong ? [50, 100] : [25, 50];
      const host = await runHost(
        async ({ MiniMe, tell }, options, sizes) => {
          const client = new MiniMe({ ...options, maxIncomingBytes: 2 ** 28 });
          await client.start();
          const before = process.memoryUsage.rss();
          for (const megabytes of sizes) {
            const from = performance.now();
            const { length } = await client.request('big', { megabytes });
            tell({ megabytes, ms: performance.now() - from, length });
          }
          for (let i = 0; i < 10; i += 1) {
            global.gc();
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          tell(process.memoryUsage.rss() - before);
          await client.close();
        },
        agent((agent) => {
          agent.on('big', ({ megabytes }, { id }) => {
            agent.write(`{"jsonrpc":"2.0","id":${id},"result":"`);
            const piece = 'x'.repeat(4096);
            for (let i = 0; i < megabytes * 256; i += 1) agent.write(piece);
            agent.write('"}\n');
            return agent.silence;
          });
        }),
        sizes,
      );
      expect(host).toMatchObject({ code: 0, err: '' });
      const [half, whole, kept] = host.told;
      tellFigures('a huge line', { half, whole, kept, ms: host.ms });
      expect(whole.length).toBe(whole.megabytes * MB);
      expect(whole.ms).toBeLessThan(half.ms * 3.2);
      expect(kept).toBeLessThan(40 * MB);
    },
    LONG_MS,
  );
});

describe('an agent that never reads', () => {
  const floods = program(() => {
    const fs = require('node:fs');
    fs.readSync(0, Buffer.alloc(65_536));
    fs.writeSync(1, '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}\n');
    for (let id = 0; ; id += 1) {
      fs.writeSync(1, `{"jsonrpc":"2.0","id":${id},"method":"_t","params":{}}\n`);
    }
  });

  test('is closed in the time that closeTimeoutMs says, and no handler runs on', async () => {
    const host = await runHost(async ({ MiniMe, tell }, options) => {
      let calls = 0;
      const handle = () => {
        calls += 1;
        return 'x'.repeat(5_000);
      };
      const tools = [{ name: 't', method: '_t', handle }];
      const client = new MiniMe({ ...options, tools, closeTimeoutMs: 300 });
      await client.start();
      await new Promise((resolve) => setTimeout(resolve, 200));
      const from = Date.now();
      const closing = client.close();
      const atClose = calls;
      await closing;
      tell({ calls, late: calls - atClose, closeMs: Date.now() - from });
    }, floods);
    expect(host).toMatchObject({ code: 0, err: '', told: [{ late: 0 }] });
    expect(host.told[0].calls).toBeGreaterThan(100);
    expect(host.told[0].closeMs).toBeLessThan(1500);
  });

  test(
    'ends the client with MM_ERR_UNREAD when 256 MiB wait for it',
    async () => {
      const host = await runHost(async ({ MiniMe, tell }, options) => {
        const tools = [{ name: 't', method: '_t', handle: () => 'x'.repeat(50_000) }];
        const client = new MiniMe({ ...options, tools, closeTimeoutMs: 300 });
        await client.start();
        const before = process.memoryUsage.rss();
        let peak = before;
        client.on('toolCall', () => {
          peak = Math.max(peak, process.memoryUsage.rss());
        });
        const from = Date.now();
        const error = await client.request('x').catch((error) => error);
        tell({
          growth: peak - before,
          ms: Date.now() - from,
          code: error.code,
          details: error.details,
        });
      }, floods);
      expect(host).toMatchObject({ code: 0, err: '', told: [{ code: 'MM_ERR_UNREAD' }] });
      tellFigures('an agent that never reads', host.told[0]);
      expect(host.told[0].details.bytes).toBeGreaterThan(256 * MB);
      expect(host.told[0].growth).toBeLessThan(400 * MB);
    },
    LONG_MS,
  );
});
