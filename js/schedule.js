'use strict';
// Timers as they are when the package is loaded: a test's fake timers must not stop its streams.

const { setImmediate, setTimeout, clearTimeout, setInterval, queueMicrotask } = globalThis;

module.exports = { setImmediate, setTimeout, clearTimeout, setInterval, queueMicrotask };
