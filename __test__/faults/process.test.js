'use strict';
// Process lifecycle: how agents come, go, and stay.

const { describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const { once } = require('node:events');
const {
  agent,
  failureOf,
  gone,
  isAlive,
  program,
  record,
  runHost,
  useClients,
  wrapped,
} = require('./harness');

const open = useClients();

describe('a wrapper around the agent', () => {
  test.each([
    ['1: that passes signals on', { forwards: true }],
    ['4: that does not', { forwards: false }],
  ])('%s: close() ends both', async (_, how) => {
    const stays = agent((agent) => {
      process.on('SIGTERM', () => undefined);
      agent.stay();
    });
    const client = open({ ...wrapped(stays, how), closeTimeoutMs: 200 });
    const pids = once(client, 'stderr');
    await client.start();
    const [both] = await pids;
    await client.close();
    for (const pid of both.split(' ')) await gone(Number(pid), 1000);
  });
});

describe('the end of the host', () => {
  const stubborn = agent((agent) => {
    process.on('SIGTERM', () => undefined);
    agent.stay();
  });

  test.each(['exit', 'throw', 'reject', 'empty'])(
    '2: by %s leaves no agent that ignores stdin and SIGTERM',
    async (how) => {
      const host = await runHost(
        async ({ MiniMe, tell }, options, how) => {
          const client = new MiniMe(options);
          await client.start();
          tell(client.pid);
          process.removeAllListeners('unhandledRejection');
          if (how === 'exit') process.exit(3);
          if (how === 'throw') setTimeout(() => JSON.parse('{'));
          if (how === 'reject') Promise.reject(new Error('nobody listens'));
        },
        stubborn,
        how,
      );
      const [pid] = host.told;
      const expected = { exit: 3, throw: 1, reject: 1, empty: 0 };
      expect(host.code).toBe(expected[how]);
      await gone(pid, 1000);
    },
  );

  // Nothing of ours runs then, so an agent that ignores the end of its stdin stays.
  test.each(['SIGTERM', 'SIGKILL'])(
    '2: by %s leaves no agent that reads its stdin',
    async (signal) => {
      const host = await runHost(
        async ({ MiniMe, tell }, options, signal) => {
          const client = new MiniMe(options);
          await client.start();
          tell(client.pid);
          process.kill(process.pid, signal);
        },
        agent(() => undefined),
        signal,
      );
      expect(host).toMatchObject({ code: null, signal });
      await gone(host.told[0]);
    },
  );

  test('8: is not held up by a daemon that keeps the pipes of the agent', async () => {
    const host = await runHost(
      async ({ MiniMe, tell }, options) => {
        const client = new MiniMe(options);
        await client.start();
        const daemon = await client.request('daemon');
        const from = Date.now();
        const ends = [await client.close(), await client.close()];
        tell({ daemon, ms: Date.now() - from, ends });
      },
      agent((agent) => {
        agent.on('daemon', () => {
          const { spawn } = require('node:child_process');
          const daemon = spawn('sleep', ['20'], { detached: true, stdio: 'inherit' });
          daemon.unref();
          return daemon.pid;
        });
      }),
    );
    const [{ daemon, ms, ends }] = host.told;
    // A daemon in a session of its own is the agent's affair.
    if (isAlive(daemon)) process.kill(daemon, 'SIGKILL');
    expect(host).toMatchObject({ code: 0, err: '' });
    expect(ends[0]).toMatchObject({ exitCode: 0, expected: true });
    expect(ends[1]).toEqual(ends[0]);
    expect(ms).toBeLessThan(3000);
  });
});

describe('an agent that ends by itself', () => {
  test('7: rejects what is open and what comes later with its exit code and stderr, once; a new client works', async () => {
    const options = agent((agent) => {
      agent.on('session/prompt', () => {
        process.stderr.write('out of tokens\n');
        process.exitCode = 3;
        process.stdin.destroy();
        return { stopReason: 'end_turn' };
      });
    });
    const client = open(options);
    const told = record(client);
    const session = await client.newSession();
    await session.prompt('one');
    const error = await failureOf(session.prompt('two'));
    expect(error).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: 3 });
    expect(error.stderr).toBe('out of tokens\n');
    for (const call of [client.newSession(), client.request('x'), client.start()]) {
      expect(await failureOf(call)).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: 3 });
    }
    expect(told.exit).toHaveLength(1);
    expect(told.exit[0]).toMatchObject({ exitCode: 3, expected: false });
    await (await open(options).newSession()).prompt('one');
  });

  test('13: by closing its stdout rejects each pending call once', async () => {
    const host = await runHost(
      async ({ MiniMe, tell }, options) => {
        const client = new MiniMe({ ...options, closeTimeoutMs: 200 });
        const session = await client.newSession();
        const calls = [
          session.prompt('x'),
          session.setMode('m'),
          client.request('list'),
          client.newSession(),
        ];
        const settled = await Promise.allSettled(calls);
        tell(settled.map(({ status, reason }) => `${status} ${reason.code}`));
      },
      agent((agent) => {
        for (const method of ['session/set_mode', 'list']) agent.on(method, () => agent.silence);
        agent.on('session/prompt', () => {
          agent.on('session/new', () => agent.silence);
          setTimeout(() => require('node:fs').closeSync(1), 100);
          agent.stay();
          return agent.silence;
        });
      }),
    );
    expect(host).toMatchObject({ code: 0, err: '' });
    expect(host.told).toEqual([Array(4).fill('rejected MM_ERR_EXITED')]);
    expect(host.ms).toBeLessThan(5000);
  });

  test.each(['SIGSEGV', 'SIGKILL', 'SIGABRT'])(
    '14: by %s is told to have been ended by it',
    async (signal) => {
      const client = open(
        agent((agent, signal) => {
          agent.on('session/prompt', () => {
            process.kill(process.pid, signal);
            return agent.silence;
          });
        }, signal),
      );
      const session = await client.newSession();
      const error = await failureOf(session.prompt('x'));
      expect(error).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: null, signal });
      expect(error.message).toContain(signal);
    },
  );

  test('17: at once rejects start() alone; the host lives, with listeners and without', async () => {
    const host = await runHost(
      async ({ MiniMe, tell }, options) => {
        for (const isHeard of [false, true]) {
          const client = new MiniMe(options);
          if (isHeard) client.on('error', () => tell('an error event'));
          const error = await client.start().catch((error) => error);
          tell([error.code, error.exitCode, error.stderr]);
        }
      },
      program(() => {
        process.stderr.write('no key\n');
        process.exitCode = 1;
      }),
    );
    const failure = ['MM_ERR_EXITED', 1, 'no key\n'];
    expect(host).toMatchObject({ code: 0, err: '', told: [failure, failure] });
  });

  test('21: right behind a burst has all of it delivered before the exit', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/prompt', ({ sessionId }, { id }) => {
          const lines = Array.from({ length: 300 }, (_, i) =>
            agent.line({
              method: 'session/update',
              params: { sessionId, update: agent.chunk(`${i} ${'x'.repeat(1000)}`) },
            }),
          );
          lines.push(agent.line({ id, result: { stopReason: 'end_turn' } }));
          let rest = Buffer.from(lines.join(''));
          while (rest.length > 0) {
            try {
              rest = rest.subarray(require('node:fs').writeSync(1, rest));
            } catch {
              // The pipe is full.
            }
          }
          process.exit(0);
        });
      }),
    );
    const order = [];
    client.on('update', () => order.push('update'));
    client.on('exit', () => order.push('exit'));
    const exit = once(client, 'exit');
    const session = await client.newSession();
    const { stopReason } = await session.prompt('x');
    expect(stopReason).toBe('end_turn');
    await exit;
    expect(order).toEqual([...Array(300).fill('update'), 'exit']);
  });
});

describe('close()', () => {
  test('19: ends an agent that has closed its stdin and stdout and runs on', async () => {
    const client = open({
      ...agent((agent) => {
        process.on('SIGTERM', () => undefined);
        agent.on('session/prompt', () => {
          require('node:fs').closeSync(0);
          require('node:fs').closeSync(1);
          agent.stay();
          return agent.silence;
        });
      }),
      closeTimeoutMs: 200,
    });
    const session = await client.newSession();
    const failure = failureOf(session.prompt('x'));
    const from = Date.now();
    expect((await failure).code).toMatch(/^MM_ERR_(EXITED|CLOSED)$/u);
    await client.close();
    expect(Date.now() - from).toBeLessThan(3000);
  });

  test('20: gives the exit of an agent that crashes on the way', async () => {
    const client = open(
      agent(() => {
        process.stdin.on('end', () => process.exit(9));
      }),
    );
    await client.start();
    expect(await client.close()).toMatchObject({ exitCode: 9, signal: null, expected: true });
  });
});

describe('the process of an agent', () => {
  test('11: that ends late reaches neither state nor events of the next client', async () => {
    const options = agent(() => {
      process.stdin.on('end', () => setTimeout(() => process.exit(5), 300));
    });
    const first = open(options);
    await first.start();
    const closing = first.close();
    const second = open(options);
    const told = record(second);
    await second.start();
    expect(await closing).toMatchObject({ exitCode: 5 });
    expect(second.state).toBe('ready');
    expect(told.exit).toEqual([]);
  });

  test('12: is not left when close() overtakes a slow start()', async () => {
    const client = open(
      agent((agent) => {
        agent.on('initialize', () => agent.sleep(1000).then(() => agent.initialized));
      }),
    );
    const failure = failureOf(client.start());
    const { pid } = client;
    const exit = client.close();
    expect(await failure).toMatchObject({ code: 'MM_ERR_CLOSED' });
    await exit;
    expect(isAlive(pid)).toBe(false);
  });
});

describe('a start', () => {
  test('16: of a missing path, a folder and a plain file is three rejections', async () => {
    for (const command of ['/no/such/agent', __dirname, __filename]) {
      const error = await failureOf(open({ command }).start());
      expect(error).toMatchObject({ code: 'MM_ERR_SPAWN', details: { command } });
    }
  });

  test('25: with startTimeoutMs under what the agent needs is given up, and over it is not', async () => {
    const slow = agent((agent) => {
      agent.on('initialize', () => agent.sleep(400).then(() => agent.initialized));
    });
    const error = await failureOf(open({ ...slow, startTimeoutMs: 150 }).start());
    expect(error.code).toBe('MM_ERR_START_TIMEOUT');
    for (const startTimeoutMs of [10_000, 0, Infinity]) {
      await open({ ...slow, startTimeoutMs }).start();
    }
  });

  test('26, 104: a session that cannot be resumed or loaded is one rejection, with no retry and no new session', async () => {
    const client = open(
      agent((agent) => {
        const refuse = () => agent.refuse(-32002, 'no such session', { id: ['x'] });
        agent.on('session/resume', refuse);
        agent.on('session/load', refuse);
      }),
    );
    for (const call of [client.resumeSession('x'), client.loadSession('x')]) {
      expect(await failureOf(call)).toMatchObject({
        code: 'MM_ERR_AGENT',
        rpcCode: -32002,
        rpcData: { id: ['x'] },
      });
    }
    const methods = (await client.request('_test/received')).map((line) => JSON.parse(line).method);
    expect(methods).toEqual(['initialize', 'session/resume', 'session/load', '_test/received']);
  });

  test('100: of an agent that is silent in a pipe ends by its limit', async () => {
    const client = open({
      ...program(() => {
        process.stderr.write('waiting for a terminal\n');
        if (process.stdout.isTTY) process.stdout.write('hello');
        process.stdin.resume();
      }),
      startTimeoutMs: 500,
    });
    const error = await failureOf(client.start());
    expect(error).toMatchObject({ code: 'MM_ERR_START_TIMEOUT' });
    expect(error.stderr).toBe('waiting for a terminal\n');
  });
});

test('119: an idle agent costs the host no processor time', async () => {
  const client = open(agent(() => undefined));
  await client.start();
  const ticks = () => {
    const threads = fs.readdirSync('/proc/self/task');
    return threads.reduce((sum, id) => {
      const [name, ...rest] = fs.readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ');
      if (!name.includes('mini-me')) return sum;
      const fields = rest.join('').split(' ');
      return sum + Number(fields[11]) + Number(fields[12]);
    }, 0);
  };
  const before = ticks();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(ticks() - before).toBeLessThanOrEqual(2);
});

test('149: a client that is dropped while it runs is kept until its agent ends, and no warning comes', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const heard = [];
      const start = async () => {
        const client = new MiniMe(options);
        client.on('stderr', (line) => heard.push(line));
        await client.start();
        return client.pid;
      };
      const pid = await start();
      for (let i = 0; i < 10; i += 1) {
        global.gc();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      process.kill(pid, 'SIGUSR2');
      for (let i = 0; i < 100 && heard.length === 0; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      tell([pid, heard]);
    },
    agent((agent) => {
      process.on('SIGUSR2', () => process.stderr.write('still here\n'));
      agent.stay();
    }),
  );
  expect(host).toMatchObject({ code: 0, err: '', told: [[expect.any(Number), ['still here']]] });
  await gone(host.told[0][0]);
});

test('136: a client that was never started keeps nothing alive', async () => {
  const host = await runHost(({ MiniMe }) => {
    new MiniMe();
  });
  expect(host).toMatchObject({ code: 0, err: '' });
});
