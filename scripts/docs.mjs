// Builds the API reference of index.d.ts and docs/ into build/api. A warning is an error: something has
// no documentation, or a link leads nowhere.
//   npm run docs

import path from 'node:path';
import { ensureNodeModules } from './lib/node-modules.mjs';
import { ROOT, run } from './lib/run.mjs';
import { runMain, say } from './lib/say.mjs';

const TYPEDOC = path.join(ROOT, 'node_modules', 'typedoc', 'bin', 'typedoc');

await runMain(async () => {
  await ensureNodeModules();
  const status = await run(process.execPath, [TYPEDOC]);
  if (status === 0) say('open build/api/index.html');
  return status;
});
