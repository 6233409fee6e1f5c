'use strict';
// An AbortSignal that is made when it is first asked for: most handlers never look at theirs.

/** Aborts a signal that may not exist yet. */
class LazyAbort {
  /** @type {AbortController | undefined} */
  #controller;
  /** @type {unknown} */
  #reason;
  #isAborted = false;

  get signal() {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** @param {unknown} reason */
  abort(reason) {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/**
 * Calls `listener` with the reason when `signal` aborts, or at once when it has; gives the undo.
 * @param {AbortSignal | undefined} signal
 * @param {(reason: unknown) => void} listener
 * @returns {() => void}
 */
function onAbort(signal, listener) {
  if (signal === undefined) return nothing;
  const abort = () => listener(signal.reason);
  if (signal.aborted) {
    abort();
    return nothing;
  }
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

function nothing() {
  // There is nothing to undo.
}

module.exports = { LazyAbort, onAbort };
