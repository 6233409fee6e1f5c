'use strict';
// The limits a caller sets: a signal that aborts, a time that passes.

const { onAbort } = require('./abort');
const { createError } = require('./errors');
const { clearTimeout, setLimit } = require('./schedule');

/**
 * Calls `giveUp` once, with `signal.reason` or MM_ERR_TIMEOUT; gives the undo. A signal that has aborted
 * gives up before this returns.
 * @param {string} method what is limited
 * @param {import('./types').CheckedCallOptions} options
 * @param {(error: unknown) => void} giveUp
 */
function limit(method, { signal, timeoutMs }, giveUp) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  if (timeoutMs !== undefined) {
    const message = `${method}: no answer within its limit of ${timeoutMs} ms`;
    const error = () => createError('MM_ERR_TIMEOUT', message, { method, timeoutMs });
    timer = setLimit(() => giveUp(error()), timeoutMs);
  }
  const undoAbort = onAbort(signal, giveUp);
  return () => {
    clearTimeout(timer);
    undoAbort();
  };
}

module.exports = { limit };
