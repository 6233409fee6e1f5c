// Packs the app with electron-builder into out/, as a folder.
//   node package.mjs
// ELECTRON_DIST names an Electron that is there already: then nothing is downloaded.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const { build, Platform } = createRequire(import.meta.url)('electron-builder');
const dist = process.env.ELECTRON_DIST;

await build({
  projectDir: import.meta.dirname,
  targets: Platform.current().createTarget('dir'),
  config:
    dist && existsSync(dist)
      ? {
          electronDist: dist,
          electronVersion: readFileSync(path.join(dist, 'version'), 'utf8').trim(),
        }
      : {},
});
