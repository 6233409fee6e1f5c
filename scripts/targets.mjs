// Writes what follows from package.json and the list of targets: the packages of the platforms, and the
// version in Cargo's files. `npm version` runs it; a test fails when one of them differs.
//   npm run targets

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './lib/run.mjs';
import { runMain, say } from './lib/say.mjs';
import { derivedFiles } from './lib/targets.mjs';

await runMain(async () => {
  const files = await derivedFiles();
  for (const [name, text] of files) {
    const file = path.join(ROOT, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  say(`wrote ${files.size} files`);
  return 0;
});
