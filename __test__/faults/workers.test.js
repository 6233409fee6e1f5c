'use strict';
// Workers and hosts that end in the middle of work: nothing is left, and nothing aborts.

const { describe, expect, test } = require('@jest/globals');
const path = require('node:path');
const { agent, gone, isLong, quick, runHost, tellFigures } = require('./harness');

const MB = 1024 * 1024;
const PACKAGE = path.join(__dirname, '../..');
const LONG_MS = isLong ? 900_000 : 30_000;

/** A cheap agent that runs a turn without end, and takes no notice of the end of its stdin or of SIGTERM. */
const endless = {
  command: '/bin/sh',
  args: [
    '-c',
    `say() { read line; printf '%s\\n' "$1"; }
    say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
    say '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
    say '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}'
    trap '' TERM
    exec sleep 1000`,
  ],
};

describe('workers', () => {
  test(
    '137: that are terminated while a prompt runs leave no agent, no descriptor and no thread, and the process lives',
    async () => {
      const [rounds, workers] = isLong ? [200, 16] : [6, 4];
      const host = await runHost(
        async ({ tell }, agent, home, rounds, workers) => {
          const fs = require('node:fs');
          const { Worker } = require('node:worker_threads');
          const source = `
          const { MiniMe } = require(${JSON.stringify(home)});
          const { parentPort, workerData } = require('node:worker_threads');
          const client = new MiniMe(workerData);
          client.newSession().then((session) => {
            session.prompt('go').catch(() => undefined);
            client.once('update', () => parentPort.postMessage(client.pid));
          });`;
          const held = async () => {
            global.gc();
            await new Promise((resolve) => setTimeout(resolve, 500));
            return {
              descriptors: fs.readdirSync('/proc/self/fd').length,
              threads: fs.readdirSync('/proc/self/task').length,
              rss: process.memoryUsage.rss(),
            };
          };
          const lives = (pid) => {
            try {
              return process.kill(pid, 0);
            } catch {
              return false;
            }
          };
          const started = [];
          let before;
          for (let round = 0; round < rounds; round += 1) {
            const all = Array.from(
              { length: workers },
              () => new Worker(source, { eval: true, workerData: agent }),
            );
            const pids = await Promise.all(
              all.map((worker) => new Promise((resolve) => worker.once('message', resolve))),
            );
            await Promise.all(all.map((worker) => worker.terminate()));
            started.push(...pids);
            if (round === Math.floor(rounds / 4)) before = await held();
          }
          const after = await held();
          // While this process lives: at its end they would go with it.
          let left = started.filter(lives);
          for (let tries = 0; tries < 100 && left.length > 0; tries += 1) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            left = left.filter(lives);
          }
          tell({ count: started.length, left: left.length, before, after });
        },
        endless,
        PACKAGE,
        rounds,
        workers,
      );
      expect(host).toMatchObject({ code: 0, signal: null, err: '' });
      const [{ count, left, before, after }] = host.told;
      tellFigures('workers terminated', { rounds, workers, before, after, ms: host.ms });
      expect({ count, left }).toEqual({ count: rounds * workers, left: 0 });
      expect(after.descriptors).toBeLessThanOrEqual(before.descriptors);
      expect(after.threads).toBeLessThanOrEqual(before.threads);
      expect(after.rss - before.rss).toBeLessThan(64 * MB);
    },
    LONG_MS,
  );

  test(
    '138: that end one after the other, each the only one with the addon, end the process well',
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
    '139: terminated with start(), prompt() and close() pending abort nothing',
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

describe('process.exit()', () => {
  test.each(['listener', 'handler'])(
    '140: inside a %s, with five clients open, ends cleanly and leaves no agent',
    async (where) => {
      const calls = agent((agent) => {
        process.on('SIGTERM', () => undefined);
        agent.stay();
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
