// Bundles the extension into dist/.
//   node esbuild.mjs [--target linux-x64]

import { parseArgs } from 'node:util';
import { build } from '../chat/build.mjs';

// `vsce package` runs this without arguments of its own; package.mjs tells the target by the environment.
const { values } = parseArgs({ options: { target: { type: 'string' } } });
const target = values.target ?? process.env.EXTENSION_TARGET;

await build({
  folder: import.meta.dirname,
  entryPoints: { extension: 'src/extension.js' },
  external: ['vscode'],
  nodeTarget: 'node20',
  ...(target && { target }),
});
