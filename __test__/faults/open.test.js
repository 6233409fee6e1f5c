'use strict';
// What an agent may leave open: it must have a bound, and cost no more than it is worth.

const { describe, expect, test } = require('@jest/globals');
const { agent, record, runHost, useClients } = require('./harness');

const open = useClients();

test('withdrawing twice as many calls takes twice the time', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const handle = () => new Promise(() => undefined);
      const client = new MiniMe({ ...options, tools: [{ name: 't', method: '_t', handle }] });
      await client.start();
      for (const count of [2_500, 5_000, 10_000]) {
        const from = performance.now();
        await client.request('withdraw', { count });
        tell(performance.now() - from);
      }
      await client.close();
    },
    agent((agent) => {
      agent.on('withdraw', async ({ count }) => {
        const ids = Array.from({ length: count }, (_, i) => `c${i}`);
        const calls = ids.map((id) => agent.line({ id, method: '_t', params: {} }));
        const cancels = ids.map((requestId) =>
          agent.line({ method: '$/cancel_request', params: { requestId } }),
        );
        agent.write(calls.join(''));
        agent.write(cancels.join(''));
        await agent.ask('_none', {}, 'last');
        return null;
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, err: '' });
  const [, half, whole] = host.told;
  expect(whole).toBeLessThan(half * 3);
});

describe('an agent that opens without end', () => {
  const LIMIT = 10_000;

  /** Opens `count` requests of `method` one after the other; gives how the last was answered. */
  const greedy = () =>
    agent((agent) => {
      agent.on('open', async ({ method, count }) => {
        const asked = Array.from({ length: count }, () => agent.ask(method, {}));
        return await asked.at(-1);
      });
    });

  test.each([
    ['calls', '_lent'],
    ['requests', '_asked'],
  ])('%s has the one over 10 000 refused: message-refused', async (_, method) => {
    const client = open(greedy());
    const told = record(client);
    let opened = 0;
    const never = () => {
      opened += 1;
      return new Promise(() => undefined);
    };
    client.addTool({ name: 'lent', method: '_lent', handle: never });
    client.onRequest('_asked', never);
    await client.start();
    const { error } = await client.request('open', { method, count: LIMIT + 1 });
    expect(error).toEqual({
      code: -32000,
      message: 'expected at most 10000 open requests at once',
    });
    expect(opened).toBe(LIMIT);
    expect(told.diagnostic).toMatchObject([
      { code: 'message-refused', details: { method, limit: LIMIT } },
    ]);
  });
});
