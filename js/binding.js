'use strict';
// The native side, loaded when it is first needed; a failure to load it is one of our errors.

const { createError } = require('./errors');
const { member } = require('./json');
const { binding } = require('./native');

/**
 * The exports of the native file. Throws MM_ERR_NATIVE.
 * @returns {import('./types').NativeBinding}
 */
function loadBinding() {
  try {
    return binding();
  } catch (error) {
    if (!isNativeError(error)) throw error;
    throw createError('MM_ERR_NATIVE', error.message, error.details, { cause: error });
  }
}

/**
 * @param {unknown} error
 * @returns {error is import('./native').NativeError}
 */
function isNativeError(error) {
  return member(error, 'code') === 'MM_ERR_NATIVE';
}

module.exports = { loadBinding };
