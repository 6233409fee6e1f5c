'use strict';
// Which build of the addon this process needs, and what its file and its platform package are called.
// Runs nothing: a child process or a DNS look-up at load time would cost more than the addon itself.

const fs = require('node:fs');

/** Enough of an executable to hold the name of its dynamic loader. */
const HEADER_BYTES = 4096;

/**
 * @typedef {'gnu' | 'musl'} Libc
 *
 * @typedef {object} Host
 * @property {string} platform as `process.platform`
 * @property {string} arch as `process.arch`
 * @property {Libc | undefined} [libc] of a Linux; undefined when it could not be told
 */

/**
 * Names the builds that may fit a host, the likeliest first: more than one only where the C library
 * could not be told.
 * @param {Host} host
 * @returns {string[]} such as `linux-x64-gnu`, `darwin-arm64`, `win32-x64-msvc`
 */
function targetNames({ platform, arch, libc }) {
  const base = `${platform}-${arch}`;
  if (platform === 'win32') return [`${base}-msvc`];
  if (platform !== 'linux') return [base];
  return (libc === undefined ? ['gnu', 'musl'] : [libc]).map((name) => `${base}-${name}`);
}

/** @param {string} target */
function fileName(target) {
  return `mini-me-client.${target}.node`;
}

/** @param {string} target */
function packageName(target) {
  return `mini-me-client-${target}`;
}

/** @returns {Host} */
function currentHost() {
  const { platform, arch } = process;
  return { platform, arch, libc: platform === 'linux' ? detectLibc() : undefined };
}

/** @returns {Libc | undefined} */
function detectLibc() {
  return libcFromExecutable(process.execPath) ?? libcFromReport();
}

/**
 * Tells the C library by the dynamic loader that an executable asks for.
 * @param {string} file
 * @returns {Libc | undefined}
 */
function libcFromExecutable(file) {
  const header = readHeader(file);
  if (header.includes('/ld-musl-')) return 'musl';
  if (header.includes('/ld-linux')) return 'gnu';
  return undefined;
}

/** @param {string} file */
function readHeader(file) {
  try {
    const descriptor = fs.openSync(file, 'r');
    try {
      const header = Buffer.alloc(HEADER_BYTES);
      const length = fs.readSync(descriptor, header, 0, HEADER_BYTES, 0);
      return header.toString('latin1', 0, length);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    // An executable that may be run but not read: the report below still tells.
    return '';
  }
}

/** @returns {Libc | undefined} */
function libcFromReport() {
  const reporter = /** @type {{ getReport(): object, excludeNetwork?: boolean } | undefined} */ (
    process.report
  );
  if (reporter === undefined) return undefined;
  // Without this a report looks up the name of every open socket's peer. Older Nodes do not know it.
  const knowsExcludeNetwork = 'excludeNetwork' in reporter;
  const previous = reporter.excludeNetwork;
  if (knowsExcludeNetwork) reporter.excludeNetwork = true;
  try {
    return libcOfReport(reporter.getReport());
  } finally {
    if (knowsExcludeNetwork && previous !== undefined) reporter.excludeNetwork = previous;
  }
}

/**
 * @param {{ header?: { glibcVersionRuntime?: string }, sharedObjects?: string[] }} report
 * @returns {Libc | undefined}
 */
function libcOfReport({ header, sharedObjects }) {
  if (header?.glibcVersionRuntime !== undefined) return 'gnu';
  return sharedObjects?.some((file) => /\/(?:ld-musl-|libc\.musl-)/.test(file))
    ? 'musl'
    : undefined;
}

module.exports = {
  currentHost,
  libcFromExecutable,
  libcOfReport,
  fileName,
  packageName,
  targetNames,
};
