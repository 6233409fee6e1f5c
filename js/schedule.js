'use strict';
// Timers as they are when the package is loaded: a test's fake timers must not stop its streams.

const { setImmediate, setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask } =
  globalThis;

/** The longest a timer can be, ms; Node makes 1 of anything longer. */
const LONGEST_MS = 2 ** 31 - 1;

module.exports = {
  LONGEST_MS,
  setImmediate,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  queueMicrotask,
};
