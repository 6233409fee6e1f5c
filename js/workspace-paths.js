'use strict';
// Which paths an agent may name, and which are inside a root. Pure: the rules of Windows can be tested
// anywhere. What a path leads to only the disk knows: workspace.js.

const { RpcError } = require('./agent-requests');
const { show } = require('./show');

const INVALID_PARAMS = -32602;

/** No system takes longer ones (Linux 4 096, Windows 32 767); each step is looked at, so they have to end. */
const LONGEST = { unix: 4_095, windows: 32_767 };

/**
 * `path.posix` or `path.win32`.
 * @typedef {import('node:path').PlatformPath} Rules
 *
 * @typedef {object} Steps a path as the system walks it
 * @property {string} base the top of the disk: `/`, `C:\`, `\\server\share\`
 * @property {string[]} names of folders and at last the file; `..` among them, where the system walks it
 */

/** What has a meaning of its own in a name on Windows; the colon names a stream of a file. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_NAME_ON_WINDOWS = /[<>:"|?*\u0000-\u001f]|[. ]$/u;
const DEVICE_OF_WINDOWS =
  /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/iu;

/**
 * Refuses a path that names no place of its own, whatever there is on the disk.
 * @param {unknown} given
 * @param {Rules} rules
 * @returns {Steps}
 */
function stepsOf(given, rules) {
  if (typeof given !== 'string' || given.includes('\0')) {
    throw refusal('an absolute path without NUL', given);
  }
  const isWindows = rules.sep === '\\';
  const longest = isWindows ? LONGEST.windows : LONGEST.unix;
  if (given.length > longest) {
    const message = `expected a path of at most ${longest} characters, got ${given.length}`;
    throw new RpcError(INVALID_PARAMS, message);
  }
  return isWindows ? stepsOnWindows(given, rules) : stepsOnUnix(given);
}

/** @param {string} given */
function stepsOnUnix(given) {
  if (!given.startsWith('/')) throw refusal('an absolute path', given);
  return { base: '/', names: given.split('/').filter(isStep) };
}

/**
 * @param {string} given
 * @param {Rules} rules
 */
function stepsOnWindows(given, rules) {
  const plain = given.replace(/^\\\\\?\\UNC\\/iu, '\\\\').replace(/^\\\\\?\\(?=[a-z]:\\)/iu, '');
  // Windows takes `..` away before it looks at the disk.
  const normal = rules.normalize(plain);
  const base = rules.parse(normal).root;
  const isDisk = /^[a-z]:\\$/iu.test(base);
  const isShare = /^\\\\[^\\?.][^\\]*\\[^\\]+\\$/u.test(base);
  if (!isDisk && !isShare) throw refusal('a path with its drive or server', given);
  const names = normal.slice(base.length).split('\\').filter(isStep);
  const odd = names.find((name) => NO_NAME_ON_WINDOWS.test(name) || DEVICE_OF_WINDOWS.test(name));
  if (odd !== undefined) throw refusal(`a path without ${show(odd)}, which names no file`, given);
  return { base, names };
}

/** @param {string} name */
function isStep(name) {
  return name !== '' && name !== '.';
}

/**
 * Whether a place is a root or below it. Both are real paths, as the system gives them: no links, no
 * `..`, and the case that is on the disk; so names are compared as they are (Windows has folders that
 * tell case apart), drives and servers without case.
 * @param {string} root
 * @param {string} place
 * @param {Rules} rules
 */
function isInside(root, place, rules) {
  const [volume, folder] = partsOf(root, rules);
  const [ofPlace, below] = partsOf(place, rules);
  if (volume !== ofPlace) return false;
  return folder === '' || below === folder || below.startsWith(folder + rules.sep);
}

/**
 * @param {string} place
 * @param {Rules} rules
 * @returns {[volume: string, rest: string]}
 */
function partsOf(place, rules) {
  const { root } = rules.parse(place);
  // A share alone is written with the last backslash, or without.
  const volume = root.endsWith(rules.sep) ? root : root + rules.sep;
  return [volume.toLowerCase(), place.slice(root.length)];
}

/**
 * @param {string} expected
 * @param {unknown} given
 */
function refusal(expected, given) {
  return new RpcError(INVALID_PARAMS, `expected ${expected}, got ${show(given)}`);
}

module.exports = { INVALID_PARAMS, isInside, refusal, stepsOf };
