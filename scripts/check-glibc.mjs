// Says whether native files for Linux run with the oldest glibc that is promised.
//   node scripts/check-glibc.mjs FILE...

import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { aboveFloor, neededVersions } from './lib/elf.mjs';
import { runMain, ScriptError, say } from './lib/say.mjs';
import { GLIBC_FLOOR } from './lib/targets.mjs';

await runMain(async () => {
  const { positionals: files } = parseArgs({ allowPositionals: true });
  if (files.length === 0) throw new ScriptError('expected the paths of native files, got none');
  let status = 0;
  for (const file of files) {
    const versions = neededVersions(await readFile(file));
    const tooYoung = aboveFloor(versions, GLIBC_FLOOR);
    const isFine = versions.length > 0 && tooYoung.length === 0;
    if (!isFine) status = 1;
    const found = isFine ? versions : tooYoung;
    say(
      isFine
        ? `${file}: runs with glibc ${GLIBC_FLOOR} (asks for ${found.join(', ')})`
        : `${file}: expected symbols of glibc up to ${GLIBC_FLOOR}, found ${found.join(', ') || 'none at all'}`,
    );
  }
  return status;
});
