'use strict';
// The names of signals: the native side knows their numbers.

/**
 * @param {number | null} number
 * @returns {NodeJS.Signals | null}
 */
function signalName(number) {
  if (number === null) return null;
  const os = require('node:os');
  const signals = Object.entries(os.constants.signals);
  const name = signals.find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
  return /** @type {NodeJS.Signals} */ (name);
}

module.exports = { signalName };
