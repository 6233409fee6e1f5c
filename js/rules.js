'use strict';
// Objects of options held against a table of rules.

const { createError } = require('./errors');
const { isObject } = require('./json');
const { show } = require('./show');

/**
 * What an option must be, in words and as a check; and how a wrong value is shown, where not by `show`.
 * @typedef {readonly [
 *   expected: string,
 *   isValid: (value: unknown) => boolean,
 *   shown?: (value: unknown) => string,
 * ]} Rule
 * @typedef {Readonly<Record<string, Rule>>} Rules
 */

/**
 * @param {string} where
 * @param {Rules} known
 * @param {unknown} given
 * @returns {asserts given is Record<string, unknown>}
 */
function check(where, known, given) {
  if (!isObject(given)) {
    throw createError('MM_ERR_OPTION', `${where}: expected an object, got ${show(given)}`);
  }
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) {
      const names = Object.keys(known).join(', ');
      const message = `${where}: expected options among ${names}; got ${name}`;
      throw createError('MM_ERR_OPTION', message, { option: name });
    }
    const [expected, isValid, shown = show] = rule;
    if (value !== undefined && !isValid(value)) {
      const message = `${where}: expected ${name} to be ${expected}; got ${shown(value)}`;
      throw createError('MM_ERR_OPTION', message, { option: name });
    }
  }
}

/**
 * The given members that are not undefined, over the defaults.
 * @param {Record<string, unknown>} defaults
 * @param {Record<string, unknown>} given
 * @returns {Record<string, unknown>}
 */
function fill(defaults, given) {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(present) };
}

module.exports = { check, fill };
