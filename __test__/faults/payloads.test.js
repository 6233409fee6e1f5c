'use strict';
// Large payloads: nothing is lost, cut or held for long.

const { expect, test } = require('@jest/globals');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { agent, failureOf, runHost, useClients } = require('./harness');

const open = useClients();
const MB = 1024 * 1024;

test('109: prompts and results of many megabytes reach an agent that reads slowly, and timers run on', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const big = 'é'.repeat(8 * 2 ** 20);
      const tools = [{ name: 't', method: '_t', handle: () => big }];
      const client = new MiniMe({ ...options, tools, maxOutgoingBytes: 2 ** 26 });
      const session = await client.newSession();
      let [lag, last] = [0, performance.now()];
      const timer = setInterval(() => {
        lag = Math.max(lag, performance.now() - last - 5);
        last = performance.now();
      }, 5);
      const { raw } = await session.prompt(big);
      clearInterval(timer);
      tell({ lag, raw });
      await client.close();
    },
    agent((agent) => {
      const pause = () => {
        process.stdin.pause();
        setTimeout(() => process.stdin.resume(), 1);
      };
      process.stdin.on('data', pause);
      agent.on('session/prompt', async ({ prompt }) => {
        const { result } = await agent.ask('_t', {});
        const isExact = (text) => text.length === 8 * 2 ** 20 && !/[^é]/u.test(text);
        return { stopReason: 'end_turn', exact: [prompt[0].text, result].map(isExact) };
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, err: '' });
  expect(host.told[0].raw.exact).toEqual([true, true]);
  expect(host.told[0].lag).toBeLessThan(1000);
});

test('110, 115: an image of eight megabytes comes in an update and in an argument', async () => {
  const seen = [];
  const client = open({
    ...agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        const data = 'iVBOR'.repeat(1_700_000);
        const content = { type: 'image', data, mimeType: 'image/png' };
        agent.update(sessionId, { sessionUpdate: 'agent_message_chunk', content });
        const { result } = await agent.ask('_t', { data });
        return { stopReason: 'end_turn', result };
      });
    }),
    tools: [{ name: 't', method: '_t', handle: ({ data }) => seen.push(data.length) && 'ok' }],
  });
  client.on('update', ({ update }) => seen.push(update.content.data.length));
  const session = await client.newSession();
  expect((await session.prompt('x')).raw.result).toBe('ok');
  expect(seen).toEqual([8_500_000, 8_500_000]);
});

test('114: a replayed update of 30 MB does not keep a session from being loaded', async () => {
  const client = open(
    agent((agent) => {
      agent.on('session/load', ({ sessionId }) => {
        agent.say(sessionId, 'x'.repeat(30_000_000));
        return {};
      });
    }),
  );
  let length = 0;
  await client.loadSession('x', {
    onReplay: ({ content }) => {
      length = content.text.length;
    },
  });
  expect(length).toBe(30_000_000);
});

test('117: a megabyte on stderr before each answer stops nothing', async () => {
  const client = open(
    agent((agent) => {
      agent.on('x', () => {
        process.stderr.write('e'.repeat(2 ** 20));
        return 'ok';
      });
    }),
  );
  for (let i = 0; i < 5; i += 1) expect(await client.request('x')).toBe('ok');
});

test('121: updates that grow meet a slow listener in bounded memory', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const client = new MiniMe(options);
      const session = await client.newSession();
      const before = process.memoryUsage.rss();
      let [peak, count, bytes] = [before, 0, 0];
      client.on('update', ({ update }) => {
        count += 1;
        bytes += update.rawOutput.length;
        const end = performance.now() + 0.5;
        while (performance.now() < end);
        peak = Math.max(peak, process.memoryUsage.rss());
      });
      await session.prompt('x');
      tell({ count, bytes, growth: peak - before });
      await client.close();
    },
    agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        for (let i = 1; i <= 2000; i += 1) {
          const sessionUpdate = 'tool_call_update';
          const rawOutput = 'x'.repeat(i * 100);
          agent.update(sessionId, { sessionUpdate, toolCallId: 't', rawOutput });
          if (process.stdout.writableNeedDrain) {
            await new Promise((resolve) => process.stdout.once('drain', resolve));
          }
        }
        return { stopReason: 'end_turn' };
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, err: '', told: [{ count: 2000, bytes: 200_100_000 }] });
  expect(host.told[0].growth).toBeLessThan(150 * MB);
});

test('121: an agent that JavaScript does not keep up with is held back by its pipe', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-held-'));
  const file = path.join(folder, 'megabytes');
  const host = await runHost(
    async ({ MiniMe, tell }, options, file) => {
      const client = new MiniMe(options);
      const session = await client.newSession();
      let count = 0;
      client.on('update', () => {
        count += 1;
        if (count > 1) return;
        // Until the agent gets no further for half a second.
        let [written, since] = ['', performance.now()];
        while (performance.now() < since + 500) {
          const now = require('node:fs').readFileSync(file, 'utf8');
          if (now !== written) [written, since] = [now, performance.now()];
        }
        tell(Number(written));
      });
      await session.prompt('x');
      tell(count);
      await client.close();
    },
    agent((agent, file) => {
      agent.on('session/prompt', ({ sessionId }) => {
        const params = { sessionId, update: { sessionUpdate: 'x', text: 'x'.repeat(65_000) } };
        const megabyte = Buffer.from(agent.line({ method: 'session/update', params }).repeat(16));
        const fs = require('node:fs');
        for (let megabytes = 0; megabytes < 32; megabytes += 1) {
          fs.writeFileSync(file, String(megabytes));
          for (let at = 0; at < megabyte.length; ) {
            try {
              at += fs.writeSync(1, megabyte, at);
            } catch {
              // The pipe is full.
            }
          }
        }
        return { stopReason: 'end_turn' };
      });
    }, file),
    file,
  );
  fs.rmSync(folder, { recursive: true });
  expect(host).toMatchObject({ code: 0, err: '', told: [expect.any(Number), 512] });
  // 8 MiB in the lane; what was read at once and the pipe itself come on top.
  expect(host.told[0]).toBeLessThan(16);
});

test('111: a line without end is not waited for: the client ends at the limit, in bounded memory', async () => {
  const limit = 8 * 1024 * 1024;
  const client = open({
    ...agent((agent) => {
      agent.on('flood', () => {
        const piece = Buffer.alloc(65_536, 'x');
        for (;;) {
          try {
            require('node:fs').writeSync(1, piece);
          } catch (error) {
            if (error.code !== 'EAGAIN') throw error;
          }
        }
      });
    }),
    maxIncomingBytes: limit,
  });
  await client.start();
  const before = process.memoryUsage.rss();
  const error = await failureOf(client.request('flood'));
  expect(error).toMatchObject({
    code: 'MM_ERR_MESSAGE_TOO_LARGE',
    details: { limitBytes: limit },
  });
  expect(process.memoryUsage.rss() - before).toBeLessThan(limit * 8);
});
