// Measures this package against the ACP SDK and a readline client, side by side.
//   npm run bench -- [names of scenarios] [--rounds 7] [--clients mini-me,sdk] [--cpus 0,1]

import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { capture } from '../scripts/lib/run.mjs';
import { elapsed, runMain, ScriptError, say } from '../scripts/lib/say.mjs';
import { BENCH, RESULTS } from './lib/files.mjs';
import { describeMachine, probeMs } from './lib/machine.mjs';
import { machineLines, scenarioLines } from './lib/report.mjs';
import { SCENARIOS } from './lib/scenarios.mjs';
import { setUp } from './lib/setup.mjs';
import { median } from './lib/statistics.mjs';

/** A machine this much slower than at its best is used by others. */
const DISTURBED = 1.15;

await runMain(async () => {
  const { names, ...how } = readArguments();
  await setUp();
  const machine = await describeMachine();
  print(machineLines(machine));
  print(['']);

  const quiet = { probes: [], loads: [] };
  const results = {};
  for (const name of names) {
    const startedMs = performance.now();
    results[name] = await measure(name, how, quiet);
    say(`${name}: ${how.rounds} rounds in ${elapsed(startedMs)}`);
    print(scenarioLines(SCENARIOS[name], results[name]));
  }
  print(noiseLines(quiet));
  await keep({ machine, how, quiet, results });
  return Object.values(results).every(isWhole) ? 0 : 1;
});

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '7' },
      clients: { type: 'string' },
      cpus: { type: 'string' },
    },
  });
  const unknown = positionals.find((name) => !Object.hasOwn(SCENARIOS, name));
  if (unknown !== undefined) {
    const known = Object.keys(SCENARIOS).join(', ');
    throw new ScriptError(`expected names of scenarios (${known}), got ${unknown}`);
  }
  const rounds = Number(values.rounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    throw new ScriptError(`expected --rounds to be a count, got ${values.rounds}`);
  }
  const usual = Object.keys(SCENARIOS).filter((name) => !SCENARIOS[name].isExtra);
  const names = positionals.length > 0 ? positionals : usual;
  return { names, rounds, only: values.clients?.split(','), cpus: values.cpus };
}

/** All clients in each round, in turning order: what disturbs one round disturbs all of them. */
async function measure(name, { rounds, only, cpus }, quiet) {
  const clients = SCENARIOS[name].clients.filter((client) => only?.includes(client) ?? true);
  const runs = Object.fromEntries(clients.map((client) => [client, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const client of round % 2 === 0 ? clients : [...clients].reverse()) {
      quiet.probes.push(probeMs());
      runs[client].push(await measureOnce(client, name, cpus));
    }
    quiet.loads.push(os.loadavg()[0]);
  }
  return runs;
}

/** The figures of one run; null when it failed, which is told and never measured. */
async function measureOnce(client, name, cpus) {
  const run = [process.execPath, path.join(BENCH, 'one.mjs'), client, name];
  // A short round trip depends on whether the scheduler gives each process a core: this settles it.
  const [command, ...args] = cpus === undefined ? run : ['taskset', '-c', cpus, ...run];
  const { status, stdout } = await capture(command, args);
  if (status === 0) return JSON.parse(stdout);
  say(`${name}, ${client}: ended with status ${status}; this run does not count`);
  return null;
}

function isWhole(runs) {
  return Object.values(runs).every((figures) => !figures.includes(null));
}

function noiseLines({ probes, loads }) {
  const best = Math.min(...probes);
  const disturbed = probes.filter((ms) => ms > best * DISTURBED).length;
  return [
    `The same work took ${best.toFixed(1)} ms at best, ${median(probes).toFixed(1)} ms in the median; before ${disturbed} of`,
    `${probes.length} runs the machine was more than ${Math.round((DISTURBED - 1) * 100)} % slower than at its best. Load: ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)} on ${os.cpus().length} cores.`,
    'A ratio is the median of the ratios within each round, with the band of their middle half;',
    '`~n %` marks a figure whose middle half is that wide; ✓ and ✗ say whether the aim was reached.',
  ];
}

function print(lines) {
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function keep(all) {
  await mkdir(RESULTS, { recursive: true });
  const file = path.join(RESULTS, `${new Date().toISOString().replaceAll(':', '-')}.json`);
  await writeFile(file, `${JSON.stringify(all, null, 1)}\n`);
  say(`all figures are in ${path.relative(process.cwd(), file)}`);
}
