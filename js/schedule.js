'use strict';
// Timers and clock as they are when the package is loaded: a test's fake timers must not stop its streams.

const { setImmediate, setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask } =
  globalThis;
const { bigint: nanoseconds } = process.hrtime;

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

/** For how long something takes: ms since some moment, with fractions. To load `performance` takes half a ms. */
function now() {
  return Number(nanoseconds()) / 1e6;
}

module.exports = {
  LONGEST_MS,
  now,
  setLimit,
  setImmediate,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  queueMicrotask,
};
