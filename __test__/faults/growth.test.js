'use strict';
// What is opened and closed again and again leaves nothing behind.

const { describe, expect, test } = require('@jest/globals');
const { agent, isLong, quick, runHost, tellFigures } = require('./harness');

const MB = 1024 * 1024;
const LONG_MS = isLong ? 300_000 : 30_000;

describe('clients started and closed again and again', () => {
  test(
    '141: leave no descriptor, no thread and no memory behind',
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
    '122: sessions opened and closed on one client leave no memory behind',
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
