// Runs the fuzz targets of fuzz/, one after the other, each for a bounded time.
//   node scripts/fuzz.mjs [seconds for each, default 60] [targets]
// Without a sanitizer: the crate is safe Rust, so panics and assertions are what there is to find, and
// any toolchain will do.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeCorpus } from './lib/fuzz-corpus.mjs';
import { capture, ROOT, run } from './lib/run.mjs';
import { requireCargo } from './lib/rust.mjs';
import { elapsed, runMain, ScriptError, say } from './lib/say.mjs';
import { CARGO_FUZZ, ensureTool } from './lib/tools.mjs';

const FOLDER = path.join(ROOT, 'fuzz');
/** An input that takes longer is a finding, in seconds. */
const SLOW_SECONDS = 20;

await runMain(async () => {
  const { seconds, targets } = await readArguments(process.argv.slice(2));
  await requireCargo();
  const cargoFuzz = await ensureTool(CARGO_FUZZ);
  await writeCorpus(path.join(FOLDER, 'corpus'));
  say('building the fuzz targets (the first build takes a few minutes) ...');
  const built = await run(cargoFuzz, ['build', '--sanitizer', 'none']);
  if (built !== 0) throw new ScriptError(`expected the fuzz targets to build, got status ${built}`);

  const failed = [];
  for (const target of targets) {
    if (!(await fuzz(cargoFuzz, target, seconds))) failed.push(target);
  }
  say(`fuzz: ${targets.length - failed.length} of ${targets.length} targets passed`);
  return failed.length === 0 ? 0 : 1;
});

/**
 * @param {string} cargoFuzz
 * @param {string} target
 * @param {number} seconds
 * @returns {Promise<boolean>} whether nothing was found
 */
async function fuzz(cargoFuzz, target, seconds) {
  const startMs = performance.now();
  const how = [`-max_total_time=${seconds}`, `-timeout=${SLOW_SECONDS}`, '-print_final_stats=1'];
  const args = ['run', '--sanitizer', 'none', target, '--', ...how];
  const { status, stderr } = await capture(cargoFuzz, args, { quiet: true });
  const inputs = /number_of_executed_units: (\d+)/.exec(stderr)?.[1] ?? 'no';
  const covered = [...stderr.matchAll(/ cov: (\d+)/g)].at(-1)?.[1] ?? 'nothing';
  say(`${target}: ${inputs} inputs, ${covered} edges covered, in ${elapsed(startMs)}`);
  if (status === 0) return true;

  process.stderr.write(`${stderr.split('\n').slice(-60).join('\n')}\n`);
  const artifact = /fuzz\/artifacts\/\S+/.exec(stderr)?.[0] ?? `fuzz/artifacts/${target}/...`;
  say(`error: ${target} failed; to see it again:`);
  say(`  cargo install cargo-fuzz --version ${CARGO_FUZZ.version}`);
  say(`  cargo fuzz run --sanitizer none ${target} ${artifact}`);
  return false;
}

/** @param {string[]} args */
async function readArguments([text = '60', ...names]) {
  const seconds = Number(text);
  if (!Number.isSafeInteger(seconds) || seconds < 1)
    throw new ScriptError(`expected a number of seconds, got ${text}`);
  const manifest = await readFile(path.join(FOLDER, 'Cargo.toml'), 'utf8');
  const bins = manifest.split('[[bin]]').slice(1);
  const known = bins.map((bin) => /^name = "(.+)"$/m.exec(bin)?.[1] ?? '');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ScriptError(`expected names of targets (${known.join(', ')}), got ${unknown}`);
  return { seconds, targets: names.length > 0 ? names : known };
}
