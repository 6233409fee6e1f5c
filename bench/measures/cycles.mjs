// Clients that start, open a session and close, again and again, some at once: whether anything stays.

import { growths, sample } from '../../scripts/lib/growth.mjs';
import { connectTo, toolsFor, Updates } from '../lib/traffic.mjs';

const CYCLES = 1_000;
const AT_ONCE = 4;
const SAMPLES = 40;

export async function measure({ client }) {
  const samples = [];
  const startedMs = performance.now();
  let sampledMs = 0;
  for (let round = 0; round < SAMPLES; round += 1) {
    await runCycles(client, CYCLES / SAMPLES);
    const beforeMs = performance.now();
    samples.push(await sample());
    sampledMs += performance.now() - beforeMs;
  }
  const elapsedMs = performance.now() - startedMs - sampledMs;
  const grown = Object.fromEntries(
    growths(samples).map(({ what, before, after }) => [what, after - before]),
  );
  return {
    cycleMs: elapsedMs / CYCLES,
    ...(grown.descriptors !== undefined && {
      descriptorGrowth: grown.descriptors,
      threadGrowth: grown.threads,
    }),
    rssGrowthMb: grown.rss / 2 ** 20,
    heapGrowthMb: grown.heap / 2 ** 20,
  };
}

async function runCycles(client, count) {
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const updates = Updates.none();
      const host = { onUpdate: (update) => updates.receive(update), tools: toolsFor({}) };
      const connection = await connectTo(client, host);
      await connection.open();
      await connection.close();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
