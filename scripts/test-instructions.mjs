// Counts the instructions that the core spends on a message of each kind, and fails above a bound. They do
// not depend on how busy the machine is. Needs valgrind; x64, where the bounds were taken.
//   npm run test:instructions

import { capture } from './lib/run.mjs';
import { buildArtifacts, requireCargo } from './lib/rust.mjs';
import { runMain, ScriptError, say } from './lib/say.mjs';

/** The most instructions a message: what Rust 1.95 needed, and a sixth more. */
const BOUNDS = { 'text-200': 2_600, 'text-2k': 15_800, 'tool-call': 8_500, 'lent-call': 16_100 };

/** The difference of two runs leaves out what a run costs besides its messages. */
const FEW = 1_000;
const MANY = 9_000;

const BUILD = ['build', '--profile', 'dev-fast', '--no-default-features', '--bench', 'hot_path'];

await runMain(async () => {
  if (process.arch !== 'x64') throw new ScriptError(`expected x64, this is ${process.arch}`);
  await requireCargo();
  const program = await build();
  let failed = 0;
  for (const [kind, bound] of Object.entries(BOUNDS)) {
    const spent = (await count(program, kind, MANY)) - (await count(program, kind, FEW));
    const each = Math.round(spent / (MANY - FEW));
    const isWell = each > 0 && each <= bound;
    if (!isWell) failed += 1;
    say(`${kind}: ${each} instructions a message, ${isWell ? 'within' : 'NOT within'} ${bound}`);
  }
  say(
    `${Object.keys(BOUNDS).length - failed} of ${Object.keys(BOUNDS).length} kinds within bounds`,
  );
  return failed === 0 ? 0 : 1;
});

async function build() {
  const artifacts = await buildArtifacts('cargo', BUILD);
  const program = artifacts.find(
    ({ target, executable }) => target.name === 'hot_path' && executable,
  );
  if (program?.executable) return program.executable;
  throw new ScriptError('expected `cargo build` to make the program hot_path, it named none');
}

/**
 * @param {string} program
 * @param {string} kind
 * @param {number} messages
 * @returns {Promise<number>}
 */
async function count(program, kind, messages) {
  const tool = ['--tool=callgrind', '--callgrind-out-file=/dev/null', '--log-fd=1'];
  const run = [...tool, program, kind, String(messages)];
  const { status, stdout } = await capture('valgrind', run);
  const found = /Collected : (\d+)/.exec(stdout)?.[1];
  if (status !== 0 || found === undefined)
    throw new ScriptError(
      `expected \`valgrind ${run.join(' ')}\` to count instructions, it ended with ${status}; is valgrind installed?`,
    );
  return Number(found);
}
