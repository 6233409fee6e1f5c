// Measures this package against the ACP SDK and a readline client, side by side, and how it scales.
//   npm run bench -- [names of scenarios or scales, scale] [--rounds 7] [--clients mini-me,sdk] [--cpus 0,1]
//   npm run bench -- --write [--from FILE]

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { elapsed, runMain, ScriptError, say } from '../scripts/lib/say.mjs';
import { RESULTS } from './lib/files.mjs';
import { describeMachine } from './lib/machine.mjs';
import { writePages } from './lib/page.mjs';
import { LEGEND, machineLines, scaleLines, scenarioLines } from './lib/report.mjs';
import { noiseLines, Rounds } from './lib/rounds.mjs';
import { SCALES } from './lib/scales.mjs';
import { SCENARIOS } from './lib/scenarios.mjs';
import { setUp } from './lib/setup.mjs';

await runMain(async () => {
  const { from, isWriting, ...how } = readArguments();
  const found = from === undefined ? await measure(how) : JSON.parse(await readFile(from, 'utf8'));
  const runs = [...Object.values(found.results), ...Object.values(found.scales)];
  const isWhole = runs.flatMap(Object.values).every((figures) => !figures.includes(null));
  if (isWriting) await writePages(found);
  return isWhole ? 0 : 1;
});

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '7' },
      clients: { type: 'string' },
      cpus: { type: 'string' },
      write: { type: 'boolean', default: false },
      from: { type: 'string' },
    },
  });
  const { write: isWriting, from, cpus } = values;
  const rounds = Number(values.rounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1)
    throw new ScriptError(`expected --rounds to be a count, got ${values.rounds}`);
  const only = values.clients?.split(',');
  if (isWriting && (positionals.length > 0 || only !== undefined))
    throw new ScriptError(
      'expected no names and no --clients with --write: the documents show all',
    );
  if (from !== undefined && !isWriting)
    throw new ScriptError('expected --write with --from: it writes what an earlier run has kept');
  return { names: namesOf(positionals, isWriting), rounds, only, cpus, isWriting, from };
}

/** Those asked for, else the usual ones; `scale` stands for all scales. */
function namesOf(asked, isWriting) {
  const scales = Object.keys(SCALES);
  const usual = Object.keys(SCENARIOS).filter((name) => !SCENARIOS[name].isExtra);
  if (asked.length === 0) return isWriting ? [...usual, ...scales] : usual;
  const names = asked.flatMap((name) => (name === 'scale' ? scales : name));
  const unknown = names.find((name) => !Object.hasOwn({ ...SCENARIOS, ...SCALES }, name));
  if (unknown === undefined) return names;
  const known = ['scale', ...scales, ...Object.keys(SCENARIOS)].join(', ');
  throw new ScriptError(`expected names of scenarios or scales (${known}), got ${unknown}`);
}

/** Measures, prints each table once it is there, and keeps every figure. */
async function measure({ names, ...how }) {
  await setUp();
  const machine = await describeMachine();
  print([...machineLines(machine), '']);
  const rounds = new Rounds(how);
  const results = {};
  const scales = {};
  for (const name of names) {
    const startedMs = performance.now();
    if (Object.hasOwn(SCALES, name)) {
      scales[name] = await rounds.ofScale(name);
      print(scaleLines(SCALES[name], scales[name]));
    } else {
      results[name] = await rounds.ofScenario(name);
      print(scenarioLines(SCENARIOS[name], results[name]));
    }
    say(`${name}: measured in ${elapsed(startedMs)}`);
  }
  const quiet = rounds.quiet();
  print([...noiseLines(quiet), ...LEGEND]);
  const found = { machine, how, quiet, results, scales };
  await keep(found);
  return found;
}

function print(lines) {
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function keep(found) {
  await mkdir(RESULTS, { recursive: true });
  const file = path.join(RESULTS, `${new Date().toISOString().replaceAll(':', '-')}.json`);
  await writeFile(file, `${JSON.stringify(found, null, 1)}\n`);
  say(`all figures are in ${path.relative(process.cwd(), file)}`);
}
