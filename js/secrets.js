'use strict';
// Keeps secrets out of what a program is likely to write down: the lines of `trace`, and the end of the
// agent's stderr in errors. The words for it are in SECURITY.md.

const { isObject, member } = require('./json');

const HIDDEN = '***';
/** Names of variables whose values are kept out of stderr; of others (PATH) the text may have to be read. */
const SECRET_NAME = /key|token|secret|pass|auth|credential/iu;
/** A shorter value would be found in text that has nothing to do with it. */
const SHORTEST = 8;
/** So many values are known at a time; each session may bring its own. */
const MOST = 1_000;

/** Where a line lists variables or headers; inside a string the quote would have a backslash before it. */
const LIST = /(?<=[{,\s])"(?:env|headers)"\s*:\s*(?=\[)/gu;
/** The steps through such a list. */
const STEP = /["[\]{}]/gu;
const VALUE = '"value"';
/** Between a name and a string. */
const COLON = /\s*:\s*(?=")/uy;

/**
 * A line of JSON-RPC without the values of its variables and headers, whoever names them; all else is as it is.
 * @param {string} line
 */
function withoutValues(line) {
  let shown = '';
  let from = 0;
  for (const { 0: head, index } of line.matchAll(LIST)) {
    const start = index + head.length;
    if (start < from) continue;
    shown += line.slice(from, start);
    const list = hideIn(line, start);
    shown += list.shown;
    from = list.end;
  }
  return shown + line.slice(from);
}

/**
 * The list that starts there, up to its end or that of the line. By hand: one expression for a string with
 * escapes takes a step back for each of them, and a line has millions.
 * @param {string} line
 * @param {number} start
 */
function hideIn(line, start) {
  let shown = '';
  let from = start;
  let at = start;
  let depth = 0;
  do {
    STEP.lastIndex = at;
    const step = STEP.exec(line);
    if (step === null) return { shown: shown + line.slice(from), end: line.length };
    at = step.index + 1;
    if (step[0] === '"') {
      at = endOfString(line, step.index);
      const value = line.startsWith(VALUE, step.index) ? behindColon(line, at) : undefined;
      if (value !== undefined) {
        shown += `${line.slice(from, value)}"${HIDDEN}"`;
        at = endOfString(line, value);
        from = at;
      }
    } else depth += step[0] === '[' || step[0] === '{' ? 1 : -1;
  } while (depth > 0);
  return { shown: shown + line.slice(from, at), end: at };
}

/**
 * Where the string behind a name begins, if there is one.
 * @param {string} line
 * @param {number} at the end of the name
 */
function behindColon(line, at) {
  COLON.lastIndex = at;
  return COLON.test(line) ? COLON.lastIndex : undefined;
}

/**
 * The end of the string whose quote is there; that of the line when it has none.
 * @param {string} line
 * @param {number} quote
 */
function endOfString(line, quote) {
  for (let at = line.indexOf('"', quote + 1); at !== -1; at = line.indexOf('"', at + 1)) {
    let escapes = 0;
    while (line[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return line.length;
}

/** The secrets that a client has handed to its agent. */
class Secrets {
  /** @type {Set<string>} */
  #values = new Set();

  /** @param {readonly (readonly [name: unknown, value: unknown])[]} variables */
  learnVariables(variables) {
    for (const [name, value] of variables) {
      if (typeof name === 'string' && SECRET_NAME.test(name)) this.#add(value);
    }
  }

  /**
   * What the servers of a session are given.
   * @param {unknown} servers as they are named to the agent
   */
  learnServers(servers) {
    for (const server of Array.isArray(servers) ? servers : []) {
      this.learnVariables(entriesOf(server, 'env').map(({ name, value }) => [name, value]));
      // Of `Bearer x` the agent may say `x` alone.
      for (const { value } of entriesOf(server, 'headers')) {
        if (typeof value === 'string') this.#add(value.replace(/^\S+ (?=\S+$)/u, ''));
      }
    }
  }

  /**
   * Text of the agent without them.
   * @param {string} text
   */
  hide(text) {
    let shown = text;
    for (const value of this.#values) shown = shown.split(value).join(HIDDEN);
    return shown;
  }

  /** @param {unknown} value */
  #add(value) {
    if (typeof value !== 'string' || value.length < SHORTEST) return;
    const [oldest] = this.#values;
    if (this.#values.size >= MOST && oldest !== undefined) this.#values.delete(oldest);
    this.#values.add(value);
  }
}

/**
 * @param {unknown} server
 * @param {'env' | 'headers'} name
 */
function entriesOf(server, name) {
  const entries = member(server, name);
  return Array.isArray(entries) ? entries.filter(isObject) : [];
}

module.exports = { Secrets, withoutValues };
