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

/**
 * Whether a value is text that is Unicode: half of a surrogate pair is no character, and the native side,
 * as any program that is started, takes none.
 * @param {unknown} value
 * @returns {value is string}
 */
function isText(value) {
  return typeof value === 'string' && !/\p{Surrogate}/u.test(value);
}

module.exports = { isObject, isText, member };
