'use strict';
// The limits a caller sets: a signal that aborts, a time that passes.

const { onAbort } = require('./abort');
const { createError } = require('./errors');
const { clearTimeout, now, setLimit } = require('./schedule');

/**
 * Calls `giveUp` once, with `signal.reason` or MM_ERR_TIMEOUT; gives the undo. A signal that has aborted
 * gives up before this returns.
 * @param {string} method what is limited
 * @param {import('./types').CheckedCallOptions} options
 * @param {(error: unknown) => void} giveUp
 */
function limit(method, { signal, timeoutMs, since }, giveUp) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  if (timeoutMs !== undefined) {
    const message = `${method}: no answer within its limit of ${timeoutMs} ms`;
    const error = () => createError('MM_ERR_TIMEOUT', message, { method, timeoutMs });
    const spentMs = since === undefined ? 0 : now() - since;
    timer = setLimit(() => giveUp(error()), Math.max(0, timeoutMs - spentMs));
  }
  const undoAbort = onAbort(signal, giveUp);
  return () => {
    clearTimeout(timer);
    undoAbort();
  };
}

/**
 * Waits for what has to happen before a call can be made, no longer than the caller's limits say.
 * @param {string} method
 * @param {import('./types').CheckedCallOptions} options
 * @param {() => PromiseLike<unknown>} begin not called when the signal has aborted
 * @returns {Promise<void>}
 */
function within(method, options, begin) {
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted) throw options.signal.reason;
    const undo = limit(method, options, reject);
    begin().then(
      () => {
        undo();
        resolve();
      },
      (error) => {
        undo();
        reject(error);
      },
    );
  });
}

/**
 * The same limits, for a call that has to wait first: the wait counts.
 * @template {import('./types').CheckedCallOptions} Options
 * @param {Options} options
 * @returns {Options}
 */
function fromNow(options) {
  return options.timeoutMs === undefined ? options : { ...options, since: now() };
}

module.exports = { limit, within, fromNow };
