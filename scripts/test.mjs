// Runs all tests: those of the Rust core without napi, then jest over the addon, which is built when it must be.
//   npm test -- [jest's arguments]

import path from 'node:path';
import { ensureNative } from './lib/native-build.mjs';
import { ensureNodeModules } from './lib/node-modules.mjs';
import { ROOT, run } from './lib/run.mjs';
import { requireCargo } from './lib/rust.mjs';
import { runMain, say } from './lib/say.mjs';

const JEST = path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');

await runMain(async () => {
  await requireCargo();
  await ensureNodeModules();

  say('testing the Rust core: cargo test (the first build takes a few minutes) ...');
  const rust = await run('cargo', ['test', '--no-default-features']);

  await ensureNative();
  say('testing the package: jest ...');
  const jest = await run(process.execPath, [JEST, ...process.argv.slice(2)]);

  for (const [name, status] of Object.entries({ 'cargo test': rust, jest })) {
    say(`${name}: ${status === 0 ? 'passed' : `failed with status ${status}`}`);
  }
  return rust || jest;
});
