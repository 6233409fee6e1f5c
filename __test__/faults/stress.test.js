'use strict';
// Beyond the rows: many at a time, much at a time, for long. Figures of a host are taken in a process
// of its own, which does nothing else.

const { describe, expect, test } = require('@jest/globals');
const path = require('node:path');
const { agent, gone, isLong, program, runHost } = require('./harness');

const PACKAGE = path.join(__dirname, '../..');
const STAND_IN = [path.join(PACKAGE, 'js/stand-in.js'), '-acp'];
const MB = 1024 * 1024;
const LONG_MS = isLong ? 300_000 : 30_000;

/** An agent that runs a turn until it is cancelled. */
const endless = agent((agent) => {
  agent.on('session/prompt', ({ sessionId }) => {
    agent.say(sessionId, 'x');
    return agent.silence;
  });
});

/** A cheap agent for thousands of starts. */
const quick = {
  command: '/bin/sh',
  args: [
    '-c',
    `read line; printf '%s\\n' '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'; read line`,
  ],
};

describe('workers', () => {
  test(
    'that are terminated while a prompt runs leave no agent, and the process lives',
    async () => {
      const rounds = isLong ? 200 : 20;
      const host = await runHost(
        async ({ tell }, agent, home, rounds) => {
          const { Worker } = require('node:worker_threads');
          const source = `
          const { MiniMe } = require(${JSON.stringify(home)});
          const { parentPort, workerData } = require('node:worker_threads');
          const client = new MiniMe(workerData);
          client.newSession().then((session) => {
            session.prompt('go').catch(() => undefined);
            client.once('update', () => parentPort.postMessage(client.pid));
          });`;
          for (let round = 0; round < rounds; round += 4) {
            const workers = [1, 2, 3, 4].map(
              () => new Worker(source, { eval: true, workerData: agent }),
            );
            const pids = await Promise.all(
              workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))),
            );
            tell(pids);
            await Promise.all(workers.map((worker) => worker.terminate()));
          }
        },
        endless,
        PACKAGE,
        rounds,
      );
      expect(host).toMatchObject({ code: 0, signal: null, err: '' });
      const pids = host.told.flat();
      expect(pids).toHaveLength(rounds);
      for (const pid of pids) await gone(pid);
    },
    LONG_MS,
  );

  test(
    'that end one after the other, each the only one with the addon, end the process well',
    async () => {
      const host = await runHost(
        async (_, agent, home, rounds) => {
          const { Worker } = require('node:worker_threads');
          const source = `
          const { MiniMe } = require(${JSON.stringify(home)});
          const client = new MiniMe(require('node:worker_threads').workerData);
          client.start().then(() => client.close());`;
          for (let round = 0; round < rounds; round += 1) {
            const worker = new Worker(source, { eval: true, workerData: agent });
            await new Promise((resolve) => worker.once('exit', resolve));
          }
        },
        quick,
        PACKAGE,
        isLong ? 100 : 20,
      );
      expect(host).toMatchObject({ code: 0, signal: null, err: '', told: [] });
    },
    LONG_MS,
  );

  test(
    'terminated with start(), prompt() and close() pending abort nothing',
    async () => {
      const host = await runHost(
        async ({ tell }, agent, home, rounds) => {
          const { Worker } = require('node:worker_threads');
          const source = `
          const { MiniMe } = require(${JSON.stringify(home)});
          const { parentPort, workerData } = require('node:worker_threads');
          const [one, two, three] = [1, 2, 3].map(() => new MiniMe(workerData));
          const pids = () => [one, two, three].map(({ pid }) => pid);
          Promise.all([two.newSession(), three.start()]).then(([session]) => {
            one.start().catch(() => undefined);
            session.prompt('go').catch(() => undefined);
            three.close();
            parentPort.postMessage(pids());
          });`;
          for (let round = 0; round < rounds; round += 1) {
            const worker = new Worker(source, { eval: true, workerData: agent });
            tell(await new Promise((resolve) => worker.once('message', resolve)));
            await new Promise((resolve) => setTimeout(resolve, round * 3));
            await worker.terminate();
          }
        },
        endless,
        PACKAGE,
        isLong ? 50 : 5,
      );
      expect(host).toMatchObject({ code: 0, signal: null, err: '' });
      for (const pid of host.told.flat()) await gone(pid);
    },
    LONG_MS,
  );
});

describe('clients started and closed again and again', () => {
  test(
    'leave no descriptor, no thread and no memory behind',
    async () => {
      const rounds = 1000;
      const host = await runHost(
        async ({ MiniMe, tell }, options, rounds) => {
          const fs = require('node:fs');
          const measure = async () => {
            for (let i = 0; i < 5; i += 1) {
              global.gc();
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
            return {
              descriptors: fs.readdirSync('/proc/self/fd').length,
              threads: fs.readdirSync('/proc/self/task').length,
              rss: process.memoryUsage.rss(),
              heap: process.memoryUsage().heapUsed,
            };
          };
          const run = async (count) => {
            for (let i = 0; i < count; i += 10) {
              await Promise.all(
                Array.from({ length: 10 }, async () => {
                  const client = new MiniMe(options);
                  await client.start();
                  await client.close();
                }),
              );
            }
          };
          await run(500);
          const before = await measure();
          await run(rounds);
          tell([before, await measure()]);
        },
        quick,
        rounds,
      );
      expect(host).toMatchObject({ code: 0, err: '' });
      const [before, after] = host.told[0];
      tellFigures('start/close', { rounds, before, after, ms: host.ms });
      expect(after.descriptors).toBe(before.descriptors);
      expect(after.threads).toBeLessThanOrEqual(before.threads);
      expect(after.heap - before.heap).toBeLessThan(MB);
      expect(after.rss - before.rss).toBeLessThan(24 * MB);
    },
    LONG_MS,
  );

  test(
    'sessions opened and closed on one client leave no memory behind',
    async () => {
      const rounds = 10_000;
      const host = await runHost(
        async ({ MiniMe, tell }, options, rounds) => {
          const heap = async () => {
            for (let i = 0; i < 5; i += 1) {
              global.gc();
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
            return [process.memoryUsage().heapUsed, process.memoryUsage.rss()];
          };
          const client = new MiniMe(options);
          await client.start();
          const run = async (count) => {
            for (let i = 0; i < count; i += 50) {
              await Promise.all(
                Array.from({ length: 50 }, async () => {
                  const session = await client.newSession();
                  await session.prompt('x');
                  await session.close();
                }),
              );
            }
          };
          // As much of the native side waits for the collector as ever will.
          await run(rounds);
          const before = await heap();
          await run(rounds);
          tell([before, await heap(), client.sessions.size]);
          await client.close();
        },
        agent((agent) => {
          agent.on('session/prompt', ({ sessionId }) => {
            agent.say(sessionId, 'x');
            agent.received.length = 0;
            return { stopReason: 'end_turn' };
          });
        }),
        rounds,
      );
      expect(host).toMatchObject({ code: 0, err: '' });
      const [before, after, open] = host.told[0];
      tellFigures('newSession/close', { rounds, before, after, ms: host.ms });
      expect(open).toBe(0);
      expect(after[0] - before[0]).toBeLessThan(MB);
      expect(after[1] - before[1]).toBeLessThan(16 * MB);
    },
    LONG_MS,
  );
});

describe('process.exit()', () => {
  test.each(['listener', 'handler'])(
    'inside a %s, with five clients open, ends cleanly and leaves no agent',
    async (where) => {
      const calls = agent((agent) => {
        agent.on('session/prompt', ({ sessionId }) => {
          agent.say(sessionId, 'x');
          agent.ask('_t', {});
          return agent.silence;
        });
      });
      const host = await runHost(
        async ({ MiniMe, tell }, options, where) => {
          const tools = [{ name: 't', method: '_t', handle: () => leave('handler') }];
          const clients = Array.from({ length: 5 }, () => new MiniMe({ ...options, tools }));
          const leave = (here) => here === where && process.exit(7);
          const sessions = await Promise.all(clients.map((client) => client.newSession()));
          tell(clients.map(({ pid }) => pid));
          for (const client of clients) client.on('update', () => leave('listener'));
          for (const session of sessions) session.prompt('go').catch(() => undefined);
        },
        calls,
        where,
      );
      expect(host).toMatchObject({ code: 7, signal: null, err: '' });
      for (const pid of host.told[0]) await gone(pid);
    },
  );
});

describe('an agent that floods', () => {
  test(
    'stderr with 200 MB, without a line feed and with nobody listening, costs bounded memory',
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
    'with 200 000 updates of one character leaves timers their turn, and keeps order',
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
    'a listener of 30 µs with a stream of 200 MB holds the agent back',
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
    'while JavaScript is blocked loses no update',
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
    'costs twice the time of one of 50 MB, and gives its memory back',
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

describe('fifty tasks at random', () => {
  test(
    'start, prompt, cancel and close: everything settles, nothing is unhandled',
    async () => {
      const host = await runHost(
        async ({ MiniMe, tell }, options, ms) => {
          let seed = 42;
          const random = (most) => {
            seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
            return seed % most;
          };
          const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
          const end = Date.now() + ms;
          const outcomes = {};
          const count = (what) => {
            outcomes[what] = (outcomes[what] ?? 0) + 1;
          };
          const settle = (what, promise) =>
            Promise.resolve(promise).then(
              () => count(`${what} ok`),
              (error) =>
                count(`${what} ${error instanceof DOMException ? error.name : error.code}`),
            );
          let client = new MiniMe(options);
          const sessions = [];
          const actions = [
            () => settle('start', client.start()),
            () =>
              settle(
                'new',
                client.newSession().then((session) => sessions.push(session)),
              ),
            () => {
              const session = sessions[random(sessions.length || 1)];
              return session && settle('prompt', session.prompt('hello'));
            },
            () => {
              const session = sessions[random(sessions.length || 1)];
              const signal = AbortSignal.timeout(random(20));
              return session && settle('aborted prompt', session.prompt('hello', { signal }));
            },
            () => {
              const session = sessions[random(sessions.length || 1)];
              return session && settle('cancel', session.cancel({ timeoutMs: 1000 }));
            },
            () => {
              const [session] = sessions.splice(random(sessions.length || 1), 1);
              return session && settle('close session', session.close());
            },
            async () => {
              if (random(300) > 0) return;
              const old = client;
              client = new MiniMe(options);
              sessions.length = 0;
              await settle('close', old.close());
            },
          ];
          await Promise.all(
            Array.from({ length: 50 }, async () => {
              while (Date.now() < end) {
                await actions[random(actions.length)]();
                await sleep(random(10));
              }
            }),
          );
          await client.close();
          tell(outcomes);
        },
        { command: process.execPath, args: STAND_IN },
        isLong ? 30_000 : 5000,
      );
      expect(host).toMatchObject({ code: 0, signal: null, err: '' });
      tellFigures('fifty tasks', { ...host.told[0], ms: host.ms });
      expect(host.told).toHaveLength(1);
      const allowed = /( ok| MM_ERR_(CLOSED|PROMPT_RUNNING|EXITED)| TimeoutError)$/u;
      expect(Object.keys(host.told[0]).filter((what) => !allowed.test(what))).toEqual([]);
    },
    LONG_MS,
  );
});

/** Figures are for who asks: `MM_FIGURES=1`. */
function tellFigures(title, figures) {
  if (process.env.MM_FIGURES) process.stderr.write(`${title}: ${JSON.stringify(figures)}\n`);
}
