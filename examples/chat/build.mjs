// Bundles a host's program with esbuild, and puts beside it what cannot be bundled: the addon of the
// target, and what is only read. The library finds its addon beside the file that holds its code.

import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));

/** The targets of VS Code and of Electron, in the names of this package's addons. */
const ADDONS = {
  'linux-x64': 'linux-x64-gnu',
  'linux-arm64': 'linux-arm64-gnu',
  'alpine-x64': 'linux-x64-musl',
  'alpine-arm64': 'linux-arm64-musl',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-x64-msvc',
  'win32-arm64': 'win32-arm64-msvc',
};

/**
 * @param {object} options
 * @param {string} options.folder of the example; its `dist` is written anew
 * @param {Record<string, string>} options.entryPoints of the host's side, by the name in `dist`
 * @param {string} [options.page] the script of the page; default: the chat alone
 * @param {readonly string[]} options.external what the host itself has
 * @param {string} options.nodeTarget such as `node16`
 * @param {string} [options.target] default: this machine's
 */
export async function build({
  folder,
  entryPoints,
  page = path.join(HERE, 'page/chat.js'),
  external,
  nodeTarget,
  target = thisTarget(),
}) {
  const require = createRequire(path.join(folder, 'package.json'));
  const esbuild = require('esbuild');
  const dist = path.join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  const common = { bundle: true, outdir: dist, logLevel: 'warning', absWorkingDir: folder };
  // #region host
  await esbuild.build({
    ...common,
    entryPoints: { ...entryPoints, 'stand-in': require.resolve('mini-me-client/stand-in') },
    platform: 'node',
    format: 'cjs',
    target: nodeTarget,
    external,
    // The chat has no node_modules of its own.
    nodePaths: [path.join(folder, 'node_modules')],
  });
  const addon = findAddon(require, target);
  copyFileSync(addon, path.join(dist, path.basename(addon)));
  // #endregion host
  await esbuild.build({
    ...common,
    entryPoints: { chat: page },
    format: 'iife',
    target: 'chrome108',
  });
  copyFileSync(path.join(HERE, 'page/chat.css'), path.join(dist, 'chat.css'));
  copyFileSync(path.join(HERE, 'agent.yaml'), path.join(dist, 'agent.yaml'));
}

function thisTarget() {
  return `${process.platform}-${process.arch}`;
}

/** In a clone the addon was built into js/; from a registry it is a package of its own. */
function findAddon(require, target) {
  const name = ADDONS[target];
  if (name === undefined)
    throw new Error(`expected a target of ${Object.keys(ADDONS).join(', ')}, got ${target}`);
  const file = `mini-me-client.${name}.node`;
  const js = path.dirname(require.resolve('mini-me-client'));
  if (existsSync(path.join(js, file))) return path.join(js, file);
  try {
    const manifest = require.resolve(`mini-me-client-${name}/package.json`);
    return path.join(path.dirname(manifest), file);
  } catch (cause) {
    const remedy = `npm install --no-save --force mini-me-client-${name}`;
    throw new Error(`expected ${file}, or the package mini-me-client-${name}: ${remedy}`, {
      cause,
    });
  }
}
