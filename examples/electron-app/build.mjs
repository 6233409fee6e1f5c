// Bundles the app into dist/.
//   node build.mjs [--target linux-x64]

import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../chat/build.mjs';

const { values } = parseArgs({ options: { target: { type: 'string' } } });
const folder = import.meta.dirname;

await build({
  folder,
  entryPoints: { main: 'src/main.js', preload: 'src/preload.js' },
  page: path.join(folder, 'page/window.js'),
  external: ['electron'],
  // That of Electron 22, the oldest this package is tested with.
  nodeTarget: 'node16',
  ...(values.target && { target: values.target }),
});
for (const name of ['window.html', 'window.css']) {
  copyFileSync(path.join(folder, 'page', name), path.join(folder, 'dist', name));
}
