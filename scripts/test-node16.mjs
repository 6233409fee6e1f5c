// Runs programs on Node.js 16.17, which is what Electron 22 has: the oldest that js/ is written for. Jest
// needs a younger one, so these are programs of their own; what a type can tell is told by tsc-node16.
// Linux on x64 alone: npm has the program of this version for no other platform.
//   npm run test:node16

import { ensureNative } from './lib/native-build.mjs';
import { ensureNodeModules } from './lib/node-modules.mjs';
import { run } from './lib/run.mjs';
import { runMain, ScriptError, say } from './lib/say.mjs';
import { ensureNode } from './lib/tools.mjs';

/** Of Electron 22.0 to 22.3. */
const VERSION = '16.17.1';

await runMain(async () => {
  const host = `${process.platform}-${process.arch}`;
  if (host !== 'linux-x64') throw new ScriptError(`expected Linux on x64, got ${host}`);
  await ensureNodeModules();
  await ensureNative();
  const node = await ensureNode(VERSION);
  say(`testing on Node.js ${VERSION} ...`);
  const args = ['--test', '--test-reporter', 'spec', '__test__/node16/programs.test.mjs'];
  return await run(process.execPath, args, { env: { OLD_NODE: node } });
});
