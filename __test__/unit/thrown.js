'use strict';

/**
 * The message of what an action throws.
 * @param {() => unknown} action
 */
function messageOf(action) {
  try {
    action();
  } catch (error) {
    return error.message;
  }
  throw new Error('expected an error, got none');
}

module.exports = { messageOf };
