'use strict';
// Puts calls together from the pieces they come in. Servers agree on little: some leave out `index` or
// `id`, give every call the index 0, send a call whole, or its arguments as an object.

const { isObject, member } = require('../../json');

/**
 * @typedef {object} Draft
 * @property {string} id
 * @property {string} name
 * @property {string} args
 *
 * A call as the model wants it, or why it cannot be made, in words for the model.
 * @typedef {{ id: string, name: string, args: string } & (
 *   | { call: import('../types').ModelCall, problem?: undefined }
 *   | { call?: undefined, problem: string })} Wish
 */

/** The calls of one answer. */
class ToolCalls {
  /** @type {Draft[]} */
  #drafts = [];
  /** @type {Map<number, Draft>} */
  #byIndex = new Map();

  /** @param {unknown} piece an element of `tool_calls` */
  take(piece) {
    const id = asText(member(piece, 'id'));
    const { name: givenName, arguments: args } = asObject(member(piece, 'function'));
    const name = asText(givenName);
    const draft = this.#draftOf(member(piece, 'index'), id, name);
    draft.id ||= id;
    // Some repeat the name with every piece.
    if (name !== draft.name) draft.name += name;
    if (isObject(args)) draft.args = JSON.stringify(args);
    else draft.args += asText(args);
  }

  /**
   * The call that a piece belongs to, a new one when it begins one.
   * @param {unknown} index
   * @param {string} id
   * @param {string} name
   */
  #draftOf(index, id, name) {
    const known = typeof index === 'number' ? this.#byIndex.get(index) : this.#unindexed(id, name);
    if (known !== undefined && !beginsAnother(known, id, name)) return known;
    const draft = { id: '', name: '', args: '' };
    this.#drafts.push(draft);
    if (typeof index === 'number') this.#byIndex.set(index, draft);
    return draft;
  }

  /**
   * @param {string} id
   * @param {string} name
   */
  #unindexed(id, name) {
    if (id !== '') return this.#drafts.find((draft) => draft.id === id);
    return name === '' ? this.#drafts.at(-1) : undefined;
  }

  /**
   * @param {string} prefix for the ids the server did not give, unlike any it gives in this session
   * @returns {Wish[]}
   */
  wishes(prefix) {
    const ids = new Set();
    return this.#drafts.map((draft, place) => {
      const id = draft.id === '' || ids.has(draft.id) ? `${prefix}${place}` : draft.id;
      ids.add(id);
      return wish(id, draft);
    });
  }
}

/**
 * Whether a piece begins another call though its index is that of a known one.
 * @param {Draft} known
 * @param {string} id
 * @param {string} name
 */
function beginsAnother(known, id, name) {
  if (name === '') return false;
  if (id !== '' && known.id !== '') return id !== known.id;
  return id === '' && isObject(parsed(known.args));
}

/**
 * @param {string} id
 * @param {Draft} draft
 * @returns {Wish}
 */
function wish(id, draft) {
  if (draft.name === '') {
    const problem = 'this call names no tool: call again with the name of a tool';
    return { id, name: 'unnamed', args: '{}', problem };
  }
  const { name } = draft;
  const args = draft.args.trim() === '' ? {} : (parsed(draft.args) ?? undefined);
  if (isObject(args)) {
    return { id, name, args: JSON.stringify(args), call: { tool: name, arguments: args } };
  }
  const expected = `expected the arguments of ${name} to be a JSON object`;
  const problem = `${expected}, got ${shown(draft.args)}: call it again with a JSON object`;
  // What is no JSON must not go back to the server: some read it again for the model's template.
  return { id, name, args: '{}', problem };
}

/**
 * The value of a JSON text, an empty object for `null`; undefined for what is no JSON.
 * @param {string} text
 * @returns {unknown}
 */
function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return undefined;
  }
}

/** @param {string} text */
function shown(text) {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

/** @param {unknown} value */
function asText(value) {
  return typeof value === 'string' ? value : '';
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
function asObject(value) {
  return isObject(value) ? value : {};
}

module.exports = { ToolCalls };
