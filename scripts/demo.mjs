// Runs examples/host-info from a fresh clone: builds the addon when it must, and needs no `npm install`.
//   npm run demo -- [--request] [--model openai] [question]

import { ensureNative } from './lib/native-build.mjs';
import { run } from './lib/run.mjs';
import { runMain } from './lib/say.mjs';

await runMain(async () => {
  await ensureNative();
  return await run(process.execPath, ['examples/host-info/client.js', ...process.argv.slice(2)]);
});
