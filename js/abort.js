'use strict';
// An AbortSignal that is made when it is first asked for: most handlers never look at theirs.

/**
 * A reason to abort with, of the class of those that Node.js itself gives: its name is no global in
 * Node.js 16 (Electron 22). Signals are loaded when they are first used, and no start needs one.
 * @param {string} message
 * @returns {Error}
 */
function abortError(message) {
  /** @type {new (message: string, name: string) => Error} */
  const Reason = AbortSignal.abort().reason.constructor;
  return new Reason(message, 'AbortError');
}

/** Aborts a signal that may not exist yet. */
class LazyAbort {
  /** @type {AbortController | undefined} */
  #controller;
  /** @type {unknown} */
  #reason;
  #isAborted = false;

  get isAborted() {
    return this.#isAborted;
  }

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

/** @typedef {(reason: unknown) => void} AbortListener */

/**
 * Who listens to a signal. It gets one listener of ours, however many they are: Node warns of a leak
 * from the eleventh on.
 * @type {WeakMap<AbortSignal, Set<AbortListener>>}
 */
const listenersOf = new WeakMap();

/**
 * Calls `listener` with the reason when `signal` aborts, or at once when it has; gives the undo.
 * @param {AbortSignal | undefined} signal
 * @param {AbortListener} listener
 * @returns {() => void}
 */
function onAbort(signal, listener) {
  if (signal === undefined) return nothing;
  if (signal.aborted) {
    listener(signal.reason);
    return nothing;
  }
  // One of its own, since the same function may be given twice.
  const own = (/** @type {unknown} */ reason) => listener(reason);
  const listeners = listenersOf.get(signal) ?? listenTo(signal);
  listeners.add(own);
  return () => {
    listeners.delete(own);
  };
}

/** @param {AbortSignal} signal */
function listenTo(signal) {
  /** @type {Set<AbortListener>} */
  const listeners = new Set();
  listenersOf.set(signal, listeners);
  signal.addEventListener('abort', abortAll, { once: true });
  return listeners;
}

/**
 * @this {AbortSignal}
 */
function abortAll() {
  for (const listener of listenersOf.get(this) ?? []) listener(this.reason);
  listenersOf.delete(this);
}

function nothing() {
  // There is nothing to undo.
}

module.exports = { LazyAbort, abortError, onAbort };
