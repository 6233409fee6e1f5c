// Runs before `npm publish` in a clone, and ends it: what is published is what `npm run pack:release` makes.

import { runMain, ScriptError } from './lib/say.mjs';

await runMain(() => {
  throw new ScriptError(
    'expected to publish what `npm run pack:release` makes, not the clone itself: its package would hold the native ' +
      'file of one machine alone; .github/workflows/release.yml publishes all of it',
  );
});
