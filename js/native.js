'use strict';
// Finds the native file and loads it, once, when first needed. Of what is in it, it knows the version alone.

const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const native = require('./native-target');
const { version } = require('../package.json');

/** Names a native file to be used instead of any other. */
const NATIVE_VARIABLE = 'MINI_ME_CLIENT_NATIVE';

/** Says what can be done, by what went wrong. */
const REMEDIES = {
  absent:
    'in a clone run `npm run build`; elsewhere reinstall mini-me-client without omitting optional ' +
    'dependencies; put the native file beside a bundle (docs/packaging.md); or build it from source ' +
    `and set ${NATIVE_VARIABLE} to the file`,
  broken: 'in a clone run `npm run build`; elsewhere reinstall mini-me-client on this very machine',
  mismatched:
    'in a clone run `npm run build`; elsewhere reinstall mini-me-client, so that both come from one ' +
    'release; a bundle needs the native file of the release that was bundled',
  named: `set ${NATIVE_VARIABLE} to a native file built for this machine and this version, or unset it`,
};

/**
 * What the search looks at; a test replaces it.
 * @typedef {import('./native-target').Host & Surroundings} Search
 *
 * @typedef {object} Surroundings
 * @property {Record<string, string | undefined>} env
 * @property {string} directory where a clone's build lies, and that of a package that holds one
 * @property {(file: string) => boolean} exists
 * @property {(request: string) => unknown} requireFn
 * @property {string} version of the JavaScript, which must be the native file's too
 *
 * @typedef {object} Attempt
 * @property {string} file a path, or the name of a package
 * @property {string} reason why it was not used
 *
 * @typedef {Error & { code: 'MM_ERR_NATIVE', details: NativeFailure }} NativeError
 * @typedef {object} NativeFailure plain data: it survives structuredClone
 * @property {string} platform
 * @property {string} arch
 * @property {string | null} libc
 * @property {string} nodeVersion
 * @property {Attempt[]} tried
 * @property {string} remedy
 */

/** @type {unknown} */
let loaded;

/**
 * The exports of the native file. Throws a NativeError; after that the next call searches again.
 * @returns {any} whoever calls it knows what is in it
 */
function binding() {
  loaded ??= loadNative({
    ...native.currentHost(),
    env: process.env,
    directory: __dirname,
    exists: fs.existsSync,
    // Not the `require` of this file: a bundler puts another in its place.
    requireFn: createRequire(__filename),
    version,
  });
  return loaded;
}

/**
 * Loads the first native file there is. One that is there and does not load ends the search: taking
 * the next in its place would hide a broken build behind a file of other code.
 * @param {Search} search
 * @returns {unknown}
 */
function loadNative(search) {
  const named = search.env[NATIVE_VARIABLE];
  /** @type {Attempt[]} */
  const tried = [];
  for (const file of named ? [path.resolve(named)] : candidates(search)) {
    if (path.isAbsolute(file) && !search.exists(file)) {
      tried.push({ file, reason: 'no such file' });
      continue;
    }
    let exported;
    try {
      exported = search.requireFn(file);
    } catch (error) {
      const isAbsent = isAbsentPackage(error, file);
      tried.push({ file, reason: isAbsent ? 'not installed' : firstLine(error) });
      if (isAbsent) continue;
      throw nativeError(search, tried, REMEDIES[named ? 'named' : 'broken'], error);
    }
    const found = versionOf(exported);
    if (found === search.version) return exported;
    const what = found === undefined ? 'tells no version' : `is of version ${found}`;
    tried.push({ file, reason: `${what}, expected ${search.version}` });
    throw nativeError(search, tried, REMEDIES[named ? 'named' : 'mismatched']);
  }
  throw nativeError(search, tried, REMEDIES[named ? 'named' : 'absent']);
}

/**
 * Undefined where it tells none: another addon, or a build from before native files told it.
 * @param {unknown} exported
 */
function versionOf(exported) {
  const { version: tell } = /** @type {{ version?: unknown }} */ (Object(exported));
  return typeof tell === 'function' ? String(tell()) : undefined;
}

/** @param {Search} search */
function candidates(search) {
  const targets = native.targetNames(search);
  return [
    ...targets.map((target) => path.resolve(search.directory, native.fileName(target))),
    ...targets.map(native.packageName),
  ];
}

/**
 * A package that is installed and lacks a file of its own gives the same code, but names another module.
 * @param {unknown} error
 * @param {string} name
 */
function isAbsentPackage(error, name) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (Object(error));
  return code === 'MODULE_NOT_FOUND' && String(message).includes(`'${name}'`);
}

/** @param {unknown} error */
function firstLine(error) {
  const { message } = /** @type {Partial<Error>} */ (Object(error));
  return String(message ?? error).split('\n', 1)[0] ?? '';
}

/**
 * @param {Search} search
 * @param {Attempt[]} tried
 * @param {string} remedy
 * @param {unknown} [cause]
 * @returns {NativeError}
 */
function nativeError({ platform, arch, libc }, tried, remedy, cause) {
  const host = [platform, arch, libc].filter(Boolean).join('-');
  const message = [
    `expected a native file that loads on ${host} with Node.js ${process.version}, found none:`,
    ...tried.map(({ file, reason }) => `  ${file}: ${reason}`),
    `remedy: ${remedy}`,
  ].join('\n');
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), {
    code: /** @type {const} */ ('MM_ERR_NATIVE'),
    details: { platform, arch, libc: libc ?? null, nodeVersion: process.version, tried, remedy },
  });
}

module.exports = { NATIVE_VARIABLE, binding, loadNative };
