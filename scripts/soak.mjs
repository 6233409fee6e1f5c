// Works with the stand-in for a long time, faults and all, and fails when the process grows, or when
// something ended as nothing may. The rate is bounded: some 100 prompts a second at most.
//   node scripts/soak.mjs [minutes, default 60]

import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { growths, isTooMuch, sample } from './lib/growth.mjs';
import { ensureNative } from './lib/native-build.mjs';
import { elapsed, runMain, ScriptError, say } from './lib/say.mjs';

const MOST_SAMPLES = 60;
const MB = 2 ** 20;

await runMain(async () => {
  const minutes = readMinutes(process.argv.slice(2));
  await ensureNative();
  const { load, Tally } = await import('./lib/soak-load.mjs');
  const tally = new Tally();
  const told = (/** @type {unknown} */ error) => tally.faults.push(`unhandled: ${String(error)}`);
  process.on('unhandledRejection', told);

  const startMs = performance.now();
  const ending = new AbortController();
  const loading = load(tally, ending.signal);
  const samples = [];
  for (let count = 0; count < MOST_SAMPLES; count += 1) {
    await sleep((minutes * 60_000) / MOST_SAMPLES);
    samples.push(await sample());
  }
  ending.abort();
  await loading;

  for (const [what, count] of Object.entries(tally.counts).sort()) console.log(`${what}: ${count}`);
  const found = growths(samples);
  for (const { what, before, after } of found)
    console.log(`${what}: ${shown(what, before)} → ${shown(what, after)}`);
  for (const fault of new Set(tally.faults)) say(`error: ${fault}`);
  const grown = found.filter(isTooMuch);
  for (const { what, most } of grown)
    say(`error: expected ${what} to grow by at most ${shown(what, most)}`);
  const isWell = tally.faults.length === 0 && grown.length === 0;
  say(`soak: ${isWell ? 'passed' : 'FAILED'} after ${elapsed(startMs)}`);
  return isWell ? 0 : 1;
});

/** @param {string[]} args */
function readMinutes([text = '60', ...more]) {
  const minutes = Number(text);
  if (!(minutes > 0) || more.length > 0)
    throw new ScriptError(`expected a number of minutes, got ${[text, ...more].join(' ')}`);
  return minutes;
}

/**
 * @param {string} what
 * @param {number} value
 */
function shown(what, value) {
  return what === 'rss' || what === 'heap' ? `${(value / MB).toFixed(1)} MB` : String(value);
}
