// Runs programs that use the addon under valgrind, and fails when one of them reads or writes memory that is
// not its own. What is under the addon's feet, the garbage collector of Node.js, has no part in it: without a
// JIT valgrind can follow all of it.
//   node scripts/memcheck.mjs [programs, default those of examples/docs that need nothing else]

import path from 'node:path';
import { ensureNative } from './lib/native-build.mjs';
import { ensureNodeModules } from './lib/node-modules.mjs';
import { capture, probe, ROOT } from './lib/run.mjs';
import { elapsed, runMain, say } from './lib/say.mjs';

/** Between them: tools, lists of sessions, permissions, replay, cancellation, errors, trace. */
const PROGRAMS = ['tools', 'discovery', 'permissions', 'sessions', 'cancel', 'errors'];
const FAULTY = 99;
const OPTIONS = ['--quiet', '--smc-check=all-non-file', `--error-exitcode=${FAULTY}`];

await runMain(async () => {
  if ((await probe('valgrind', ['--version'])) === undefined) {
    say('memcheck: valgrind is not here, nothing was checked');
    return 0;
  }
  await ensureNodeModules();
  await ensureNative();

  const named = process.argv.slice(2);
  const programs = named.length > 0 ? named : PROGRAMS.map((name) => `examples/docs/${name}.mjs`);
  let failed = 0;
  for (const program of programs) if (!(await check(program))) failed += 1;
  say(`memcheck: ${programs.length - failed} of ${programs.length} programs passed`);
  return failed === 0 ? 0 : 1;
});

/** @param {string} program */
async function check(program) {
  const startMs = performance.now();
  const file = path.resolve(ROOT, program);
  const args = [...OPTIONS, process.execPath, '--jitless', file];
  const env = { MM_BIN: path.join(ROOT, 'js', 'stand-in.js') };
  const options = { cwd: path.dirname(file), env, quiet: true };
  const { status, stderr } = await capture('valgrind', args, options);
  const outcome = { 0: 'passed', [FAULTY]: 'FAILED: valgrind found faults' }[String(status)];
  say(`${program}: ${outcome ?? `FAILED with status ${status}`} in ${elapsed(startMs)}`);
  if (status !== 0) process.stderr.write(`${stderr.split('\n').slice(-80).join('\n')}\n`);
  return status === 0;
}
