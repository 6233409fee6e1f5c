'use strict';
// Handlers for the agent's wishes for files that keep to some folders. How they keep to them: workspace.js.

const fs = require('node:fs');
const path = require('node:path');
const { getSystemErrorMap } = require('node:util');
const { RpcError } = require('./agent-requests');
const { createError } = require('./errors');
const { errorText } = require('./result');
const { check } = require('./rules');
const { show } = require('./show');
const { Missing, Workspace } = require('./workspace');
const { refusal } = require('./workspace-paths');
const { readLines } = require('./workspace-text');

const INTERNAL_ERROR = -32603;

/**
 * @typedef {import('../index').ReadTextFileHandler} ReadTextFileHandler
 * @typedef {import('../index').WriteTextFileHandler} WriteTextFileHandler
 */

/** @satisfies {import('./rules').Rules} */
const OPTIONS = {
  missing: ['"error" or "empty"', (value) => value === 'error' || value === 'empty'],
};

/**
 * @param {string | readonly string[]} roots
 * @param {{ missing?: 'error' | 'empty' | undefined }} [options]
 * @returns {{ readTextFile: ReadTextFileHandler, writeTextFile: WriteTextFileHandler }}
 */
function workspaceFiles(roots, options = {}) {
  check('workspaceFiles', OPTIONS, options);
  const folders = checkRoots(roots);
  const isEmptyWhenMissing = options.missing === 'empty';
  /** @type {Promise<void>} The last write: two at once into one file would leave a mixture. */
  let last = Promise.resolve();

  return {
    readTextFile: async (request, context) => {
      try {
        return await read(folders, request, context?.signal);
      } catch (error) {
        if (isEmptyWhenMissing && error instanceof Missing) return '';
        throw explained('read', request.path, error);
      }
    },
    writeTextFile: (request, context) => {
      const done = last.then(() => write(folders, request, context?.signal));
      last = done.catch(() => undefined);
      return done.catch((error) => {
        throw explained('write', request.path, error);
      });
    },
  };
}

/**
 * @param {readonly string[]} folders
 * @param {Parameters<ReadTextFileHandler>[0]} request
 * @param {AbortSignal | undefined} signal
 */
async function read(folders, request, signal) {
  const first = checkCount('line', request.line) ?? 1;
  const count = checkCount('limit', request.limit) ?? Number.POSITIVE_INFINITY;
  signal?.throwIfAborted();
  const workspace = await Workspace.of(folders);
  const file = await workspace.openToRead(request.path);
  try {
    return await readLines(file, request.path, { first, count, signal });
  } finally {
    await file.close();
  }
}

/**
 * In place: the file keeps its mode, its owner, its links and who watches it. It is cut to its new length
 * last, so no one ever finds it empty.
 * @param {readonly string[]} folders
 * @param {Parameters<WriteTextFileHandler>[0]} request
 * @param {AbortSignal | undefined} signal
 */
async function write(folders, { path: given, content }, signal) {
  // Half of a pair would become another character, unnoticed.
  if (typeof content !== 'string' || /\p{Surrogate}/u.test(content)) {
    throw refusal('content to be text without lone surrogates', content);
  }
  signal?.throwIfAborted();
  const workspace = await Workspace.of(folders);
  const file = await workspace.openToWrite(given);
  try {
    // From here on it is not given up: half a file helps nobody.
    signal?.throwIfAborted();
    const bytes = Buffer.from(content);
    await file.writeFile(bytes);
    await file.truncate(bytes.length);
  } finally {
    await file.close();
  }
}

/**
 * @param {unknown} roots
 * @returns {string[]}
 */
function checkRoots(roots) {
  const folders = Array.isArray(roots) ? [...roots] : [roots];
  const expected = 'workspaceFiles: expected roots to be absolute paths of folders that are there';
  if (folders.length === 0) {
    throw createError('MM_ERR_OPTION', `${expected}; got none`, { option: 'roots' });
  }
  for (const folder of folders) {
    const flaw = flawOf(folder);
    if (flaw === undefined) continue;
    const message = `${expected}; got ${show(folder)}${flaw}`;
    throw createError('MM_ERR_OPTION', message, { option: 'roots' });
  }
  return folders;
}

/**
 * Why something is no root; undefined for one that is.
 * @param {unknown} folder
 */
function flawOf(folder) {
  if (typeof folder !== 'string') return '';
  if (!path.isAbsolute(folder)) return ', which is not absolute (path.resolve() makes it so)';
  try {
    return fs.statSync(folder).isDirectory() ? undefined : ', which is a file';
  } catch (error) {
    return `, which cannot be looked at: ${errorText(error)}`;
  }
}

/**
 * @param {'line' | 'limit'} name
 * @param {unknown} value
 * @returns {number | undefined}
 */
function checkCount(name, value) {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw refusal(`${name} to be a whole number, 0 or more`, value);
}

/**
 * What the agent is told: of the system's errors the reason alone, since their messages name handles
 * instead of the path, and real places besides it.
 * @param {'read' | 'write'} what
 * @param {unknown} given
 * @param {unknown} error
 */
function explained(what, given, error) {
  const { code, errno } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  if (error instanceof RpcError || typeof code !== 'string' || errno === undefined) return error;
  const [, reason] = getSystemErrorMap().get(errno) ?? [];
  const message = `could not ${what} ${show(given)}: ${reason ?? 'the system refused'} (${code})`;
  return new RpcError(INTERNAL_ERROR, message);
}

module.exports = { workspaceFiles };
