'use strict';
// What is wrong with a model server, in words for the user. A key is never part of them.

const { isObject, member } = require('../../json');

/** The most characters of a server's own words in a message. */
const LONGEST_QUOTE = 600;
/** The most of them that is looked at. */
const LONGEST_READ = 65_536;

/**
 * What to do about an answer with this status, where the status says it.
 * @type {Readonly<Record<number, string>>}
 */
const REMEDIES = {
  404: 'check the base URL and the name of the model',
  429: 'wait before you ask again',
  503: 'ask again when it is ready',
};

/**
 * What Node says of a server that cannot be reached, in words with a remedy.
 * @type {Readonly<Record<string, string>>}
 */
const UNREACHABLE = {
  ECONNREFUSED: 'refuses the connection: start it, or check the base URL',
  ENOTFOUND: 'cannot be found, its host name is not known: check the base URL',
  EAI_AGAIN:
    'cannot be found, its host name cannot be looked up: check the base URL and the network',
};

/** @typedef {Pick<import('./options').Settings, 'where' | 'apiKey'>} Server */

/** Ends the turn as a `fail` step; never leaves the model. */
class ServerFault extends Error {
  /**
   * @param {Server} server
   * @param {string} what happened, as the end of a sentence
   * @param {{ status?: number, cause?: unknown }} [more]
   */
  constructor({ where }, what, { status, cause } = {}) {
    super(`the model server at ${where} ${what}`, { cause });
    this.status = status;
  }
}

/**
 * A page where an API was expected: the address is that of something else.
 * @param {Server} server
 * @param {string} page
 */
function notAnApi(server, page) {
  const what = `answered with a page of HTML (${quote(server, saidBy(page))}): check the base URL`;
  return new ServerFault(server, what);
}

/**
 * An error amid an answer, or in its place.
 * @param {Server} server
 * @param {string} text
 */
function failed(server, text) {
  return new ServerFault(server, `answered with an error: ${quote(server, saidBy(text))}`);
}

/**
 * An answer that is no success.
 * @param {Server} server
 * @param {Pick<Response, 'status' | 'statusText' | 'headers'>} response
 * @param {string} body
 */
function refused(server, { status, statusText, headers }, body) {
  const said = quote(server, saidBy(body) || statusText || 'no message');
  const location = headers.get('location');
  const remedy =
    location === null
      ? remedyFor(server, status)
      : `it moved to ${quote(server, location)}: set that base URL`;
  const what = `answered ${status}: ${said}${remedy === undefined ? '' : `; ${remedy}`}`;
  return new ServerFault(server, what, { status });
}

/**
 * @param {Server} server
 * @param {number} status
 */
function remedyFor({ apiKey }, status) {
  if (status !== 401 && status !== 403) return REMEDIES[status];
  return apiKey === undefined ? 'set OPENAI_API_KEY' : 'check OPENAI_API_KEY';
}

/**
 * An answer that ended too early.
 * @param {Server} server
 * @param {unknown} error of the body
 */
function cut(server, error) {
  const said = quote(server, textOf(rootOf(error)));
  return new ServerFault(server, `cut its answer short: ${said}`, { cause: error });
}

/**
 * A request that got no answer.
 * @param {Server} server
 * @param {unknown} error of fetch, which tells in its cause
 */
function unreachable(server, error) {
  const root = rootOf(error);
  const code = member(root, 'code');
  const known = typeof code === 'string' ? UNREACHABLE[code] : undefined;
  const what = known ?? `cannot be reached: ${quote(server, textOf(root))}`;
  return new ServerFault(server, what, { cause: error });
}

/**
 * What fetch's own errors, which say little, are about.
 * @param {unknown} error
 */
function rootOf(error) {
  return member(error, 'cause') ?? error;
}

/** @param {unknown} error */
function textOf(error) {
  const message = member(error, 'message');
  return typeof message === 'string' && message !== '' ? message : String(error);
}

/**
 * What a server said of its error, from any of the forms there are; empty for none.
 * @param {string} body
 */
function saidBy(body) {
  try {
    const value = JSON.parse(body);
    const message = member(value, 'message');
    return saidIn(value) ?? (typeof message === 'string' ? message : body);
  } catch {
    if (!/^\s*</.test(body)) return body;
    // Proxies answer with pages; their title says what is wrong.
    return /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1] ?? 'a page of HTML';
  }
}

/**
 * The error in a value: OpenAI's, Ollama's and llmman's (`error` is a text), vLLM's (`object` is "error"),
 * FastAPI's (`detail`); undefined when it holds none.
 * @param {unknown} value
 * @returns {string | undefined}
 */
function saidIn(value) {
  if (!isObject(value)) return undefined;
  const error = value.error ?? (value.object === 'error' ? value.message : value.detail);
  const said = member(error, 'message') ?? error;
  // Next to choices, null and an empty text say that there is none.
  if (said === undefined || said === null || said === '') return undefined;
  return typeof said === 'string' ? said : JSON.stringify(said);
}

/**
 * A server's words as a message shows them: in one line, not endless, without the key.
 * @param {Server} server
 * @param {string} text
 */
function quote({ apiKey }, text) {
  const start = text.slice(0, LONGEST_READ);
  const open = apiKey === undefined ? start : start.split(apiKey).join('[key]');
  const line = open.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length <= LONGEST_QUOTE ? line : `${line.slice(0, LONGEST_QUOTE - 1)}…`;
}

module.exports = { ServerFault, notAnApi, failed, refused, cut, unreachable, saidIn, quote };
