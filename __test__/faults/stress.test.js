'use strict';
// Fifty tasks at a time that do everything, in no order.

const { describe, expect, test } = require('@jest/globals');
const path = require('node:path');
const { isLong, runHost, tellFigures } = require('./harness');

const STAND_IN = [path.join(__dirname, '../../js/stand-in.js'), '-acp'];
const LONG_MS = isLong ? 300_000 : 30_000;

describe('fifty tasks at random', () => {
  test(
    '62: start, prompt, cancel and close: everything settles, nothing is unhandled',
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
        isLong ? 30_000 : 3000,
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
