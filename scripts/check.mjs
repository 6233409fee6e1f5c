// Runs every check that CI runs, all of them even when one fails, and says at the end how each went.
//   npm run check -- [names of the checks to run]

import { parseArgs } from 'node:util';
import { CHECKS } from './lib/checks.mjs';
import { ensureNodeModules } from './lib/node-modules.mjs';
import { requireCargo } from './lib/rust.mjs';
import { elapsed, runMain, ScriptError, say } from './lib/say.mjs';

/** @typedef {{ name: string, outcome: string, time: string }} Report */

await runMain(async () => {
  const checks = selectChecks(parseArgs({ allowPositionals: true }).positionals);
  await requireCargo();
  await ensureNodeModules();

  const reports = [];
  for (const check of checks) reports.push(await report(check));

  const width = Math.max(...reports.map(({ name }) => name.length));
  for (const { name, outcome, time } of reports) say(`${name.padEnd(width)}  ${outcome} (${time})`);
  const failed = reports.filter(({ outcome }) => outcome !== 'passed').length;
  say(`${reports.length - failed} checks passed, ${failed} failed, of ${CHECKS.length} there are`);
  return failed === 0 ? 0 : 1;
});

/** @param {string[]} names */
function selectChecks(names) {
  const known = CHECKS.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ScriptError(`expected names of checks (${known.join(', ')}), got ${unknown}`);
  return CHECKS.filter(({ name }) => names.length === 0 || names.includes(name));
}

/**
 * @param {import('./lib/checks.mjs').Check} check
 * @returns {Promise<Report>}
 */
async function report(check) {
  say(`── ${check.name}`);
  const startMs = performance.now();
  const outcome = await outcomeOf(check);
  return { name: check.name, outcome, time: elapsed(startMs) };
}

/** @param {import('./lib/checks.mjs').Check} check */
async function outcomeOf(check) {
  try {
    const status = await check.run();
    return status === 0 ? 'passed' : `FAILED with status ${status}`;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return `FAILED to run: ${error.message}`;
  }
}
