// Builds the native file of a release for one platform, into build/natives.
//   node scripts/build-target.mjs TARGET
// TARGET is a folder of npm/. For Linux it needs cargo-zigbuild and zig, which link against an old glibc or
// musl; for macOS and Windows a machine of that system.

import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildLibrary } from './lib/native-build.mjs';
import { ROOT } from './lib/run.mjs';
import { runMain, say } from './lib/say.mjs';
import { GLIBC_FLOOR, targetNamed } from './lib/targets.mjs';

const { fileName } = createRequire(import.meta.url)('../js/native-target.js');

await runMain(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const target = targetNamed(positionals[0]);
  const command = target.os === 'linux' ? 'cargo-zigbuild' : 'cargo';
  const library = await buildLibrary(command, howFor(target), environmentFor(target));
  const file = path.join(ROOT, 'build', 'natives', fileName(target.name));
  await mkdir(path.dirname(file), { recursive: true });
  await copyFile(library, file);
  say(`built ${path.relative(ROOT, file)}`);
  return 0;
});

/** @param {import('./lib/targets.mjs').Target} target */
function howFor({ triple, libc }) {
  const floor = libc === 'glibc' ? `.${GLIBC_FLOOR}` : '';
  return ['--locked', '--release', '--target', `${triple}${floor}`];
}

/** @param {import('./lib/targets.mjs').Target} target */
function environmentFor({ libc }) {
  // Rust links musl statically unless told otherwise, and makes no dynamic library then.
  return libc === 'musl' ? { RUSTFLAGS: '-C target-feature=-crt-static' } : {};
}
