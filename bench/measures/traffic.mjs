// A client and the traffic of one agent: start, a session, a warm-up, the measurement.

import { setTimeout } from 'node:timers/promises';
import { setClock } from '../lib/clock.mjs';
import { Meter, peakRssMb, percentile } from '../lib/meter.mjs';
import { connectTo, toolsFor, Updates } from '../lib/traffic.mjs';

const WARM_UP = 4_000;
/** What a warm-up moves at most, unless that is a single update. */
const WARM_UP_BYTES = 10_000_000;
const SETTLE_MS = 50;

export async function measure({ client, command = {} }) {
  const { mode } = command;
  let updates = Updates.none();
  const host = { onUpdate: (update) => updates.receive(update), tools: toolsFor(command) };
  const startedMs = performance.now();
  const connection = await connectTo(client, host);
  const startMs = performance.now() - startedMs;

  const run = async (prompt, what, isThorough) => {
    updates = new Updates(what, isThorough);
    return await runOnce(prompt, what, updates);
  };
  let figures = { startMs, peakRssMb: peakRssMb() };
  if (mode !== undefined) {
    const prompt = await connection.open();
    const warmUp = warmUpFor(command);
    if (warmUp !== undefined) await run(prompt, warmUp, true);
    if (mode === 'paced') setClock();
    await setTimeout(SETTLE_MS);
    figures = await run(prompt, command, false);
  }
  await connection.close();
  return figures;
}

/** The same traffic, less of it, every text compared whole; none before a single huge message. */
function warmUpFor({ updates: count, calls, busyUs: _, ...rest }) {
  const { mode, text, repeat = 1 } = rest;
  if (mode === 'stream') {
    const most = Math.max(1, Math.floor(WARM_UP_BYTES / (text.length * repeat)));
    return { ...rest, updates: Math.min(WARM_UP, most) };
  }
  if (mode === 'paced') return { ...rest, mode: 'stream', updates: WARM_UP };
  if (mode === 'calls') return { ...rest, calls: Math.min(calls, WARM_UP) };
  return undefined;
}

async function runOnce(prompt, what, updates) {
  const meter = new Meter({ hasDelay: what.mode === 'stream' });
  const answer = await prompt(JSON.stringify(what));
  const measured = meter.stop();
  const peak = peakRssMb();
  updates.verify();
  const { bench } = answer._meta;
  // Before it answers the prompt, the agent checks what the tools gave: its clock has stopped then.
  const isByAgent = what.mode === 'calls' || what.mode === 'result';
  // While it makes a huge line, nothing is under way yet.
  const byClient = measured.elapsedMs - (bench.prepareMs ?? 0);
  const elapsedMs = isByAgent ? bench.agentMs : byClient;
  const seconds = elapsedMs / 1e3;
  const latencies = updates.latenciesNs.sort((a, b) => a - b);
  return {
    ...measured,
    ...bench,
    elapsedMs,
    peakRssMb: peak,
    ...(updates.count > 0 && {
      updatesPerSecond: updates.count / seconds,
      nsPerUpdate: (elapsedMs * 1e6) / updates.count,
    }),
    ...(what.calls && { callsPerSecond: what.calls / seconds }),
    ...(latencies.length > 0 && {
      latencyP50Us: percentile(latencies, 0.5) / 1e3,
      latencyP99Us: percentile(latencies, 0.99) / 1e3,
    }),
  };
}
