// Messages of one size: what a byte costs in a stream of them, and in one that comes alone. The first is
// told as CPU: in a stream of small ones the agent writes, a thread reads and another parses at once, and
// around a huge one they come one after another.

import { Meter } from '../lib/meter.mjs';
import { median } from '../lib/statistics.mjs';
import { connectTo, toolsFor, Updates } from '../lib/traffic.mjs';

const ALONE_BYTES = 100_000_000;
const MOST_ALONE = 50;

export async function measure({ client, command }) {
  const bytes = command.text.length * (command.repeat ?? 1);
  let updates = Updates.none();
  const onUpdate = (update) => updates.receive(update);
  const connection = await connectTo(client, { onUpdate, tools: toolsFor({}) });
  const prompt = await connection.open();
  const run = async (count, isThorough) => {
    const what = { ...command, updates: count };
    updates = new Updates(what, isThorough);
    const meter = new Meter({ hasDelay: false });
    const answer = await prompt(JSON.stringify(what));
    const { elapsedMs, cpuMs } = meter.stop();
    updates.verify();
    const { prepareMs, lineBytes } = answer._meta.bench;
    return { elapsedMs: elapsedMs - prepareMs, cpuMs, lineBytes };
  };

  await run(Math.ceil(command.updates / 10), true);
  const { cpuMs, lineBytes } = await run(command.updates, false);
  const alone = [];
  const times = Math.min(MOST_ALONE, Math.ceil(ALONE_BYTES / bytes));
  for (let time = 0; time < times; time += 1) alone.push((await run(1, false)).elapsedMs);
  await connection.close();
  return {
    cpuNsPerByte: (cpuMs * 1e6) / (command.updates * lineBytes),
    aloneNsPerByte: (median(alone) * 1e6) / lineBytes,
  };
}
