// The native file in js/: built when the sources have changed since it was, left alone otherwise.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT } from './run.mjs';
import { buildArtifacts, describeCompiler, requireCargo } from './rust.mjs';
import { elapsed, ScriptError, say } from './say.mjs';

const nativeTarget = createRequire(import.meta.url)('../../js/native-target.js');

/** What the native file is made of: a change of any of these makes it stale. */
const SOURCE_FILES = ['Cargo.lock', 'Cargo.toml', 'build.rs'];
const SOURCE_FOLDER = 'src';

/**
 * @typedef {'dev-fast' | 'release'} Profile
 * @typedef {{ sources: string, compiler: string | undefined, profile: Profile }} Stamp
 */

/**
 * Makes sure that js/ holds a native file of the current sources.
 * @param {Profile} [profile] a release build also satisfies the need for a fast one
 * @returns {Promise<string>} the native file's path
 */
export async function ensureNative(profile = 'dev-fast') {
  const file = nativeFile();
  const wanted = { sources: await hashSources(ROOT), compiler: await describeCompiler(), profile };
  if (existsSync(file) && isFresh(await readStamp(file), wanted)) return file;

  await requireCargo();
  await build(profile, file, wanted);
  return file;
}

/** Where this machine's native file belongs. */
export function nativeFile() {
  const [target] = nativeTarget.targetNames(nativeTarget.currentHost());
  return path.join(ROOT, 'js', nativeTarget.fileName(target));
}

/**
 * Says whether a native file made as `found` will do where `wanted` is asked for.
 * @param {Stamp | undefined} found
 * @param {Stamp} wanted
 */
export function isFresh(found, wanted) {
  if (found === undefined || found.sources !== wanted.sources) return false;
  // Without a compiler nothing better can be built, and the file is of these sources.
  if (wanted.compiler !== undefined && found.compiler !== wanted.compiler) return false;
  return found.profile === wanted.profile || found.profile === 'release';
}

/**
 * One hash over the paths and the contents of all sources.
 * @param {string} root
 */
export async function hashSources(root) {
  const hash = createHash('sha256');
  for (const file of await listSources(root)) {
    const content = await readFile(path.join(root, file));
    hash.update(`${file.split(path.sep).join('/')}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** @param {string} root */
async function listSources(root) {
  const files = [...SOURCE_FILES];
  for (const name of await readdir(path.join(root, SOURCE_FOLDER), { recursive: true })) {
    const file = path.join(SOURCE_FOLDER, name);
    if ((await stat(path.join(root, file))).isFile()) files.push(file);
  }
  return files.sort();
}

/**
 * @param {Profile} profile
 * @param {string} file
 * @param {Stamp} stamp
 */
async function build(profile, file, stamp) {
  const startMs = performance.now();
  const expectation = existsSync(file)
    ? 'the one in js/ is out of date'
    : 'the first time takes a few minutes';
  say(`building the native addon, profile ${profile} (${expectation}) ...`);
  const library = await buildLibrary('cargo', ['--profile', profile]);
  await install(library, file, stamp);
  say(`built ${path.relative(ROOT, file)} in ${elapsed(startMs)}`);
}

/** Of one type alone: beside an `rlib`, as Cargo.toml has it for the tests, cargo leaves out LTO. */
const WISH = ['rustc', '--package', 'mini-me-client', '--lib', '--crate-type', 'cdylib'];

/**
 * @param {'cargo' | 'cargo-zigbuild'} command
 * @param {readonly string[]} how it is built
 * @param {Record<string, string>} [env]
 * @returns {Promise<string>} the library that was made, wherever cargo's target folder is
 */
export async function buildLibrary(command, how, env = {}) {
  const artifacts = await buildArtifacts(command, [...WISH, ...how], env);
  const libraries = artifacts.filter(({ target }) => target.crate_types.includes('cdylib'));
  const names = libraries.flatMap(({ filenames }) => filenames);
  const library = names.find((name) => /\.(?:so|dylib|dll)$/.test(name));
  if (library !== undefined) return library;
  throw new ScriptError(`expected \`${command} rustc\` to make a dynamic library, it named none`);
}

/**
 * Puts the library in place. A file that a process has loaded must never be truncated, so the new one
 * takes its name instead. The old stamp goes first: no crash may leave it beside a newer file.
 * @param {string} library
 * @param {string} file
 * @param {Stamp} stamp
 */
async function install(library, file, stamp) {
  const fresh = `${file}.${process.pid}.tmp`;
  try {
    await copyFile(library, fresh);
    await rm(stampFile(file), { force: true });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new ScriptError(
      `expected to replace ${file}, could not: ${reason}; on Windows end the programs that have it loaded`,
      { cause: error },
    );
  }
  await writeFile(stampFile(file), `${JSON.stringify(stamp, null, 2)}\n`);
}

/** @param {string} file */
function stampFile(file) {
  return `${file}.json`;
}

/**
 * @param {string} file
 * @returns {Promise<Stamp | undefined>} undefined where there is none that can be read: then it is built anew
 */
async function readStamp(file) {
  try {
    return JSON.parse(await readFile(stampFile(file), 'utf8'));
  } catch {
    return undefined;
  }
}
