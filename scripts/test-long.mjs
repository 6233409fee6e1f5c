// Runs what takes longer than a person waits: the faults in their long forms, chaos, fuzzing, the soak, valgrind.
//   npm run test:long [-- --brief]
// All of it takes an hour and a half; `--brief` some five minutes.

import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureNative } from './lib/native-build.mjs';
import { ensureNodeModules } from './lib/node-modules.mjs';
import { ROOT, run } from './lib/run.mjs';
import { requireCargo } from './lib/rust.mjs';
import { elapsed, runMain, ScriptError, say } from './lib/say.mjs';

const JEST = path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const CHAOS = ['test', '--no-default-features', '--test', 'chaos'];

/** @typedef {{ title: string, run: () => Promise<number> }} Step */

/** @type {readonly Step[]} */
const WHOLE = [
  { title: 'faults, long', run: () => jest('__test__/faults') },
  { title: 'chaos at the core, 10 000 seeds', run: () => chaos(10_000) },
  { title: 'fuzzing, 10 minutes a target', run: () => script('fuzz.mjs', '600') },
  { title: 'soak, 15 minutes', run: () => script('soak.mjs', '15') },
  { title: 'the addon under valgrind', run: () => script('memcheck.mjs') },
];

/** `npm test` has run the short forms of the faults. */
/** @type {readonly Step[]} */
const BRIEF = [
  { title: 'chaos, 300 seeds', run: () => jest('__test__/faults/chaos.test.js') },
  { title: 'chaos at the core, 2 000 seeds', run: () => chaos(2000) },
  { title: 'fuzzing, 8 seconds a target', run: () => script('fuzz.mjs', '8') },
  { title: 'soak, 1 minute', run: () => script('soak.mjs', '1') },
];

await runMain(async () => {
  const { values } = parseArgs({ options: { brief: { type: 'boolean', default: false } } });
  await requireCargo();
  await ensureNodeModules();
  await ensureNative();

  const reports = [];
  for (const step of values.brief ? BRIEF : WHOLE) {
    say(`── ${step.title}`);
    const startMs = performance.now();
    reports.push({ ...(await outcomeOf(step)), title: step.title, time: elapsed(startMs) });
  }
  for (const { title, outcome, time } of reports) say(`${title}: ${outcome} (${time})`);
  const failed = reports.filter(({ isFailed }) => isFailed).length;
  say(`${reports.length - failed} of ${reports.length} long tests passed`);
  return failed === 0 ? 0 : 1;
});

/** @param {Step} step */
async function outcomeOf(step) {
  try {
    const status = await step.run();
    return {
      isFailed: status !== 0,
      outcome: status === 0 ? 'passed' : `FAILED with status ${status}`,
    };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { isFailed: true, outcome: `FAILED to run: ${error.message}` };
  }
}

/** @param {string} tests */
function jest(tests) {
  return run(process.execPath, [JEST, tests], { env: { MM_LONG: '1', MM_FIGURES: '1' } });
}

/** @param {number} seeds */
function chaos(seeds) {
  return run('cargo', CHAOS, { env: { CHAOS_SEEDS: String(seeds) } });
}

/**
 * @param {string} name
 * @param {string[]} args
 */
function script(name, ...args) {
  return run(process.execPath, [path.join(ROOT, 'scripts', name), ...args]);
}
