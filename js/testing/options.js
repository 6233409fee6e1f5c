'use strict';
// Checks what a test gives to callTool().

const { isObject } = require('../json');
const { isText } = require('../json');
const { OPTIONS, isSize } = require('../options');
const { check, fill } = require('../rules');

/** @satisfies {Record<keyof import('../../testing').CallToolOptions, import('../options').Rule>} */
const CALL_TOOL_OPTIONS = {
  sessionId: ['a string', isText],
  session: ['an object', isObject],
  meta: ['an object', isObject],
  signal: OPTIONS.signal,
  maxOutput: [
    'a whole number of characters, over 0',
    (value) => isSize(value) && value <= 0xffffffff,
  ],
};

/**
 * @param {unknown} given
 * @returns {import('../types').CheckedCallToolOptions}
 */
function callToolOptions(given) {
  check('callTool options', CALL_TOOL_OPTIONS, given);
  return fill({}, given);
}

module.exports = { callToolOptions };
