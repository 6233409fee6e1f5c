'use strict';
// What an agent may leave open: it must have a bound, and cost no more than it is worth.

const { expect, test } = require('@jest/globals');
const { agent, runHost } = require('./harness');

test('withdrawing twice as many calls takes twice the time', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const handle = () => new Promise(() => undefined);
      const client = new MiniMe({ ...options, tools: [{ name: 't', method: '_t', handle }] });
      await client.start();
      for (const count of [10_000, 20_000, 40_000]) {
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
