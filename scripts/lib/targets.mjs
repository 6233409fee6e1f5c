// The platforms that have a package of their own, and what those packages are.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT } from './run.mjs';
import { ScriptError } from './say.mjs';

const { fileName, packageName } = createRequire(import.meta.url)('../../js/native-target.js');

/** The glibc of the oldest Linux that the native files of the releases run on: RHEL 7's. */
export const GLIBC_FLOOR = '2.17';

/**
 * @typedef {object} Target
 * @property {string} name as `js/native-target.js` has it
 * @property {string} triple as Rust has it
 * @property {string} os as npm has it
 * @property {string} cpu as npm has it
 * @property {'glibc' | 'musl'} [libc] as npm has it
 * @property {string} title for people
 */

/** @type {readonly Target[]} */
export const TARGETS = [
  {
    name: 'linux-x64-gnu',
    triple: 'x86_64-unknown-linux-gnu',
    os: 'linux',
    cpu: 'x64',
    libc: 'glibc',
    title: `Linux on x64 with glibc ${GLIBC_FLOOR} or later`,
  },
  {
    name: 'linux-arm64-gnu',
    triple: 'aarch64-unknown-linux-gnu',
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    title: `Linux on arm64 with glibc ${GLIBC_FLOOR} or later`,
  },
  {
    name: 'linux-x64-musl',
    triple: 'x86_64-unknown-linux-musl',
    os: 'linux',
    cpu: 'x64',
    libc: 'musl',
    title: 'Linux on x64 with musl (Alpine)',
  },
  {
    name: 'linux-arm64-musl',
    triple: 'aarch64-unknown-linux-musl',
    os: 'linux',
    cpu: 'arm64',
    libc: 'musl',
    title: 'Linux on arm64 with musl (Alpine)',
  },
  {
    name: 'darwin-x64',
    triple: 'x86_64-apple-darwin',
    os: 'darwin',
    cpu: 'x64',
    title: 'macOS on x64',
  },
  {
    name: 'darwin-arm64',
    triple: 'aarch64-apple-darwin',
    os: 'darwin',
    cpu: 'arm64',
    title: 'macOS on arm64',
  },
  {
    name: 'win32-x64-msvc',
    triple: 'x86_64-pc-windows-msvc',
    os: 'win32',
    cpu: 'x64',
    title: 'Windows on x64',
  },
  {
    name: 'win32-arm64-msvc',
    triple: 'aarch64-pc-windows-msvc',
    os: 'win32',
    cpu: 'arm64',
    title: 'Windows on arm64',
  },
];

/**
 * @param {string | undefined} name
 * @returns {Target}
 */
export function targetNamed(name) {
  const target = TARGETS.find((candidate) => candidate.name === name);
  if (target !== undefined) return target;
  const names = TARGETS.map((candidate) => candidate.name).join(', ');
  throw new ScriptError(`expected one of ${names}, got ${name ?? 'nothing'}`);
}

/**
 * The package.json of a package, with the members that are looked at here.
 * @typedef {Record<string, unknown> & { name: string, version: string, files: string[] }} Manifest
 */

/** @returns {Promise<Manifest>} of the main package, as it is committed */
export async function readManifest() {
  return JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
}

/**
 * The package of a target.
 * @param {Target} target
 * @param {Manifest} main
 * @returns {Manifest}
 */
export function platformManifest({ name, os, cpu, libc, title }, main) {
  const { version, license, author, engines } = main;
  return {
    name: packageName(name),
    version,
    description: `The native file of ${main.name} for ${title}`,
    license,
    author,
    main: fileName(name),
    files: [fileName(name)],
    engines,
    os: [os],
    cpu: [cpu],
    ...(libc !== undefined && { libc: [libc] }),
  };
}

/**
 * Everything in the clone that says again what package.json or the list of targets says.
 * @returns {Promise<Map<string, string>>} by path from the root
 */
export async function derivedFiles() {
  const main = await readManifest();
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const target of TARGETS) {
    const folder = `npm/${target.name}`;
    files.set(`${folder}/package.json`, toJson(platformManifest(target, main)));
    files.set(`${folder}/README.md`, readme(target, main));
  }
  files.set('Cargo.toml', await withVersion('Cargo.toml', main, /^version = ".*"$/m));
  const ownEntry = /(?<=\[\[package\]\]\nname = "mini-me-client"\n)version = ".*"/;
  files.set('Cargo.lock', await withVersion('Cargo.lock', main, ownEntry));
  return files;
}

/** @param {unknown} value */
export function toJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * @param {Target} target
 * @param {Manifest} main
 */
function readme({ name, title }, main) {
  return `# ${packageName(name)}

The native file of \`${main.name}\` for ${title}. It is an optional dependency
of that package, which loads it where it fits: install \`${main.name}\`, not this.
`;
}

/**
 * @param {string} file
 * @param {Manifest} main
 * @param {RegExp} line the one that holds the version
 */
async function withVersion(file, { version }, line) {
  const text = await readFile(path.join(ROOT, file), 'utf8');
  if (!line.test(text)) throw new ScriptError(`expected a version in ${file}, found none`);
  return text.replace(line, `version = "${version}"`);
}
