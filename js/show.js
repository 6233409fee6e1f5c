'use strict';
// Values as messages show them.

/** A value is shown up to this many characters: who gave it knows it. */
const SHOWN_CHARACTERS = 1000;

/**
 * A value as a message shows it.
 * @param {unknown} value
 */
function show(value) {
  const text = textOf(value);
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text.slice(0, SHOWN_CHARACTERS)}... (${text.length} characters)`;
}

/** @param {unknown} value */
function textOf(value) {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value, shown) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/**
 * JSON leaves functions out, the members of an object that was meant to have them.
 * @param {string} _
 * @param {unknown} member
 */
function shown(_, member) {
  return typeof member === 'function' ? 'a function' : member;
}

/**
 * What a value is, for one that may hold secrets.
 * @param {unknown} value
 */
function showKind(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

module.exports = { show, showKind };
