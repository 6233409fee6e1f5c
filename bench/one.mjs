// One measurement in a process of its own: one client, one scenario. Prints its figures as JSON.
//   node bench/one.mjs <client> <scenario>

import { setTimeout } from 'node:timers/promises';
import { setClock } from './lib/clock.mjs';
import { agentFile } from './lib/files.mjs';
import { Meter, percentile } from './lib/meter.mjs';
import { SCENARIOS } from './lib/scenarios.mjs';
import { toolsFor, Updates } from './lib/traffic.mjs';

const WARM_UP = 4_000;
const SETTLE_MS = 50;

const [client, scenarioName] = process.argv.slice(2);
const { command = {} } = SCENARIOS[scenarioName];
const { mode } = command;
let updates = new Updates({ mode: 'none', text: '' }, false);
const host = {
  agent: agentFile(),
  onUpdate: (update) => updates.receive(update),
  tools: toolsFor(command),
};

const startedMs = performance.now();
const { connect } = await import(`./clients/${client}.mjs`);
const connection = await connect(host);
const startMs = performance.now() - startedMs;

let figures = { startMs, peakRssMb: peakRssMb() };
if (mode !== undefined) {
  const prompt = await connection.open();
  const warmUp = warmUpFor(command);
  if (warmUp !== undefined) await run(prompt, warmUp, true);
  if (mode === 'paced') setClock();
  await setTimeout(SETTLE_MS);
  figures = await run(prompt, command, false);
}
process.stdout.write(`${JSON.stringify(figures)}\n`);
await connection.close();

/** The same traffic, less of it, every text compared whole; none before a single huge message. */
function warmUpFor({ updates: count, calls, ...rest }) {
  if (mode === 'stream') return { ...rest, updates: Math.min(count, WARM_UP) };
  if (mode === 'paced') return { ...rest, mode: 'stream', updates: WARM_UP };
  if (mode === 'calls') return { ...rest, calls: Math.min(calls, WARM_UP) };
  return undefined;
}

async function run(prompt, what, isThorough) {
  updates = new Updates(what, isThorough);
  const meter = new Meter({ hasDelay: what.mode === 'stream' });
  const answer = await prompt(JSON.stringify(what));
  const measured = meter.stop();
  const peak = peakRssMb();
  updates.verify();
  const { bench } = answer._meta;
  // Before it answers the prompt, the agent checks what the tools gave: its clock has stopped then.
  const elapsedMs = mode === 'calls' || mode === 'result' ? bench.agentMs : measured.elapsedMs;
  const seconds = elapsedMs / 1e3;
  const latencies = updates.latenciesNs.sort((a, b) => a - b);
  return {
    ...measured,
    ...bench,
    elapsedMs,
    peakRssMb: peak,
    ...(updates.count > 1 && { updatesPerSecond: updates.count / seconds }),
    ...(what.calls && { callsPerSecond: what.calls / seconds }),
    ...(latencies.length > 0 && {
      latencyP50Us: percentile(latencies, 0.5) / 1e3,
      latencyP99Us: percentile(latencies, 0.99) / 1e3,
    }),
  };
}

function peakRssMb() {
  return process.resourceUsage().maxRSS / 1024;
}
