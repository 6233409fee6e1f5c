'use strict';
// The keys of disposal. Hosts that have none yet get those that compilers of `using` fall back to.

/**
 * @typedef {typeof Symbol.dispose} DisposeKey
 * @typedef {typeof Symbol.asyncDispose} AsyncDisposeKey
 */

/** @type {DisposeKey} */
const dispose = /** @type {DisposeKey} */ (Symbol.dispose ?? Symbol.for('Symbol.dispose'));

/** @type {AsyncDisposeKey} */
const asyncDispose = /** @type {AsyncDisposeKey} */ (
  Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')
);

module.exports = { dispose, asyncDispose };
