// Fills a registry: with the packages of a release, and with what they depend on.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { nativeFile } from '../../scripts/lib/native-build.mjs';
import { capture, npmCommand, ROOT } from '../../scripts/lib/run.mjs';
import { packFolder, packRelease } from '../../scripts/lib/stage.mjs';
import { readManifest, TARGETS } from '../../scripts/lib/targets.mjs';

const { fileName } = createRequire(import.meta.url)('../../js/native-target.js');

/**
 * Publishes a release with npm itself, as the workflow does.
 * @param {string} scratch
 * @param {Record<string, string>} env npm's
 */
export async function publishRelease(scratch, env) {
  const natives = path.join(scratch, 'natives');
  mkdirSync(natives);
  for (const { name } of TARGETS)
    writeFileSync(path.join(natives, fileName(name)), 'the native file of another platform');
  copyFileSync(nativeFile(), path.join(natives, path.basename(nativeFile())));
  for (const tarball of await packRelease(natives, path.join(scratch, 'packages'))) {
    const { command, args } = npmCommand(['publish', tarball, '--ignore-scripts']);
    const { status, stderr } = await capture(command, args, { cwd: scratch, env, quiet: true });
    if (status !== 0) throw new Error(`npm publish ${tarball}: ${stderr}`);
  }
}

/**
 * Publishes all that the package depends on, out of node_modules: no other registry is needed then.
 * @param {string} scratch
 * @param {string} url
 */
export async function publishDependencies(scratch, url) {
  const out = path.join(scratch, 'dependencies');
  mkdirSync(out);
  const { dependencies } = await readManifest();
  for (const [name, { folder, manifest }] of closure(Object.keys(dependencies))) {
    const data = readFileSync(await packFolder(folder, out)).toString('base64');
    const document = {
      versions: { [manifest.version]: manifest },
      _attachments: { [name]: { data } },
    };
    const response = await fetch(new URL(name, url), {
      method: 'PUT',
      body: JSON.stringify(document),
    });
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
  }
}

/** @param {string[]} names */
function closure(names) {
  const found = new Map();
  const open = [...names];
  for (const name of open) {
    if (found.has(name)) continue;
    const folder = path.join(ROOT, 'node_modules', name);
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    found.set(name, { folder, manifest });
    open.push(...Object.keys(manifest.dependencies ?? {}));
  }
  return found;
}
