'use strict';
// Timers as they are when the package is loaded: a test's fake timers must not stop its streams.

const { setImmediate, setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask } =
  globalThis;

/** The longest a timer can be, ms; Node makes 1 of anything longer. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A timer for a limit; undefined for one that no timer can hold, weeks from now: it is none.
 * @param {() => void} action
 * @param {number} ms
 */
function setLimit(action, ms) {
  return ms > LONGEST_MS ? undefined : setTimeout(action, ms);
}

module.exports = {
  LONGEST_MS,
  setLimit,
  setImmediate,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  queueMicrotask,
};
