// Builds the native addon into js/ when its sources have changed. Needs cargo, and no npm package.
//   node scripts/build.mjs [--release]

import { parseArgs } from 'node:util';
import { ensureNative } from './lib/native-build.mjs';
import { runMain } from './lib/say.mjs';

await runMain(async () => {
  const { values } = parseArgs({ options: { release: { type: 'boolean', default: false } } });
  await ensureNative(values.release ? 'release' : 'dev-fast');
  return 0;
});
