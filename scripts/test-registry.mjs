// Publishes the packages of a release to a registry on this machine, and installs them from there with
// npm, pnpm and yarn. The native files of other platforms are stand-ins: only this machine's is real.
//   npm run test:registry

import { ensureNative } from './lib/native-build.mjs';
import { ensureNodeModules } from './lib/node-modules.mjs';
import { run } from './lib/run.mjs';
import { runMain } from './lib/say.mjs';

await runMain(async () => {
  await ensureNodeModules();
  await ensureNative();
  return await run(process.execPath, [
    '--test',
    '--test-reporter',
    'spec',
    '__test__/registry/install.test.mjs',
  ]);
});
