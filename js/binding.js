'use strict';
// The native side, loaded when it is first needed; a failure to load it is one of our errors.

const { createError } = require('./errors');
const { binding } = require('./native');

/** The exports of the native file. Throws MM_ERR_NATIVE. */
function loadBinding() {
  try {
    return binding();
  } catch (error) {
    if (error?.code !== 'MM_ERR_NATIVE') throw error;
    throw createError('MM_ERR_NATIVE', error.message, error.details, { cause: error });
  }
}

module.exports = { loadBinding };
