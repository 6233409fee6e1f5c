// Says whether the native file that was built for a Linux fits it: its processor, its C library, and the
// oldest glibc that is promised.
//   node scripts/check-native.mjs TARGET [FILE]
// FILE is by default what scripts/build-target.mjs made.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { misfits } from './lib/elf.mjs';
import { ROOT } from './lib/run.mjs';
import { runMain, ScriptError, say } from './lib/say.mjs';
import { GLIBC_FLOOR, targetNamed } from './lib/targets.mjs';

const { fileName } = createRequire(import.meta.url)('../js/native-target.js');

await runMain(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const target = targetNamed(positionals[0]);
  if (target.os !== 'linux')
    throw new ScriptError(`expected a target of Linux, got ${target.name}`);
  const built = path.join(ROOT, 'build', 'natives', fileName(target.name));
  const file = positionals[1] ?? built;
  const found = misfits(target, await readFile(file), GLIBC_FLOOR);
  for (const misfit of found) say(`${file}: ${misfit}`);
  if (found.length === 0) say(`${file}: fits ${target.title}`);
  return found.length === 0 ? 0 : 1;
});
