'use strict';
// Narrows JSON that came from outside: of it nothing is known but that it is JSON.

/**
 * Whether a value is a JSON object; an array is none.
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The member of what may be no object at all.
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
function member(value, name) {
  return isObject(value) ? value[name] : undefined;
}

module.exports = { isObject, member };
