// Packs what a release publishes, the main package and one for each platform, into build/packages.
//   npm run pack:release -- FOLDER
// FOLDER holds the native files of all platforms, as .github/workflows/release.yml brings them together.
// It prints the tarballs in the order in which they are to be published.

import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './lib/run.mjs';
import { runMain, ScriptError } from './lib/say.mjs';
import { packRelease } from './lib/stage.mjs';

await runMain(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [natives] = positionals;
  if (natives === undefined || positionals.length > 1)
    throw new ScriptError(`expected one folder of native files, got ${positionals.length}`);
  const tarballs = await packRelease(path.resolve(natives), path.join(ROOT, 'build', 'packages'));
  for (const tarball of tarballs) console.log(tarball);
  return 0;
});
