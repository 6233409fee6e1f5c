// The packages as they are published: each in a folder of its own, out of which npm packs it.

import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { listPackedFiles } from './packed-files.mjs';
import { capture, npmCommand, ROOT } from './run.mjs';
import { ScriptError } from './say.mjs';
import { platformManifest, readManifest, TARGETS, toJson } from './targets.mjs';

const { fileName } = createRequire(import.meta.url)('../../js/native-target.js');

/** @typedef {import('./targets.mjs').Manifest} Manifest */

/**
 * Lays out the main package: JavaScript, types and documents, without any native file. It asks for the
 * platform packages of its very version; npm installs the one that fits.
 * @param {string} folder made anew
 */
export async function stageMain(folder) {
  const files = (await listPackedFiles()).filter((file) => !file.endsWith('.node'));
  await makeAnew(folder);
  for (const file of files) await copyInto(folder, path.join(ROOT, file), file);
  await writeManifest(folder, publishedManifest(await readManifest()));
}

/**
 * What is published of package.json: nothing that only a clone needs.
 * @param {Manifest} main
 * @returns {Manifest}
 */
export function publishedManifest({ devDependencies: _, scripts: __, ...main }) {
  const names = TARGETS.map((target) => platformManifest(target, main).name);
  return {
    ...main,
    files: main.files.filter((pattern) => !pattern.endsWith('.node')),
    optionalDependencies: Object.fromEntries(names.map((name) => [name, main.version])),
  };
}

/**
 * Lays out the package of a platform.
 * @param {import('./targets.mjs').Target} target
 * @param {string} natives the folder with the native files of all platforms
 * @param {string} folder made anew
 */
export async function stagePlatform(target, natives, folder) {
  const file = fileName(target.name);
  await makeAnew(folder);
  await copyInto(folder, path.join(natives, file), file);
  await copyInto(folder, path.join(ROOT, 'LICENSE'), 'LICENSE');
  await copyInto(folder, path.join(ROOT, 'npm', target.name, 'README.md'), 'README.md');
  await writeManifest(folder, platformManifest(target, await readManifest()));
}

/**
 * Packs everything that a release publishes.
 * @param {string} natives the folder with the native files of all platforms
 * @param {string} out
 * @returns {Promise<string[]>} the tarballs, the main one last: it must not be there before what it asks for
 */
export async function packRelease(natives, out) {
  const missing = TARGETS.map(({ name }) => fileName(name)).filter(
    (file) => !existsSync(path.join(natives, file)),
  );
  if (missing.length > 0) {
    throw new ScriptError(
      `expected a native file of each platform in ${natives}, missing: ${missing.join(', ')}`,
    );
  }
  await makeAnew(out);
  const tarballs = [];
  for (const target of TARGETS) {
    const folder = path.join(out, target.name);
    await stagePlatform(target, natives, folder);
    tarballs.push(await packFolder(folder, out));
  }
  tarballs.push(await packMain(out));
  return tarballs;
}

/**
 * Packs the main package alone.
 * @param {string} out
 * @returns {Promise<string>} the tarball
 */
export async function packMain(out) {
  const folder = path.join(out, 'main');
  await stageMain(folder);
  return await packFolder(folder, out);
}

/**
 * @param {string} folder
 * @param {string} out
 * @returns {Promise<string>} the tarball
 */
export async function packFolder(folder, out) {
  const wish = ['pack', '--json', '--ignore-scripts', '--pack-destination', path.resolve(out)];
  const { command, args } = npmCommand(wish);
  const { status, stdout, stderr } = await capture(command, args, { cwd: folder, quiet: true });
  if (status !== 0)
    throw new ScriptError(`expected to pack ${folder}, npm ended with status ${status}: ${stderr}`);
  const [{ filename }] = Object.values(JSON.parse(stdout));
  return path.resolve(out, filename);
}

/**
 * Provenance holds only where the package names the repository that the workflow runs in.
 * @param {string} folder
 * @param {Manifest} manifest
 */
async function writeManifest(folder, manifest) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  const isKnown = server !== undefined && repository !== undefined;
  const url = `git+${server}/${repository}.git`;
  const whole = { ...manifest, ...(isKnown && { repository: { type: 'git', url } }) };
  await writeFile(path.join(folder, 'package.json'), toJson(whole));
}

/** @param {string} folder */
async function makeAnew(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}

/**
 * @param {string} folder
 * @param {string} from
 * @param {string} name inside the folder
 */
async function copyInto(folder, from, name) {
  const to = path.join(folder, name);
  await mkdir(path.dirname(to), { recursive: true });
  await copyFile(from, to);
}
