'use strict';
// The sessions an agent knows, page by page.

const { createError } = require('./errors');
const { isObject } = require('./json');
const { unsupported } = require('./openings');

/** @typedef {import('../index').SessionInfo} SessionInfo */

/**
 * Asks for a page when the one before was read.
 * @implements {AsyncIterableIterator<SessionInfo>}
 */
class SessionList {
  #client;
  #start;
  #params;
  /** @type {SessionInfo[]} */
  #page = [];
  #cursor = /** @type {unknown} */ (undefined);
  #isLast = false;
  /** What was asked for before: pages are read one at a time. @type {Promise<unknown>} */
  #before = Promise.resolve();

  /**
   * @param {import('./client').Client} client
   * @param {() => Promise<unknown>} start called before the first page is asked for
   * @param {{ cwd?: string | undefined }} params
   */
  constructor(client, start, params) {
    this.#client = client;
    this.#start = start;
    this.#params = params;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @returns {Promise<IteratorResult<SessionInfo>>} */
  next() {
    const next = this.#before.then(() => this.#next());
    this.#before = next.catch(ignore);
    return next;
  }

  /** @returns {Promise<IteratorResult<SessionInfo>>} */
  async #next() {
    while (this.#page.length === 0) {
      if (this.#isLast) return { done: true, value: undefined };
      await this.#turn();
    }
    return { done: false, value: /** @type {SessionInfo} */ (this.#page.shift()) };
  }

  /** @returns {Promise<IteratorResult<SessionInfo>>} */
  return() {
    const left = this.#before.then(() => this.#leave());
    this.#before = left;
    return left;
  }

  /** @returns {IteratorReturnResult<undefined>} */
  #leave() {
    this.#isLast = true;
    this.#page = [];
    return { done: true, value: undefined };
  }

  async #turn() {
    await this.#start();
    if (!this.#client.can('sessionCapabilities', 'list')) {
      throw unsupported('session/list', 'sessionCapabilities.list');
    }
    const cursor = this.#cursor === undefined ? {} : { cursor: this.#cursor };
    const answer = await this.#client.call('session/list', { ...this.#params, ...cursor }, {});
    if (!isObject(answer) || !Array.isArray(answer.sessions)) {
      const message = 'session/list: expected an answer with sessions';
      throw createError('MM_ERR_MESSAGE_INVALID', message, { result: answer });
    }
    this.#page = [...answer.sessions];
    // An agent that gives the same cursor again would be asked for ever.
    const next = answer.nextCursor ?? undefined;
    this.#isLast = next === undefined || next === this.#cursor;
    this.#cursor = next;
  }
}

function ignore() {
  // Whoever asked for it is told.
}

module.exports = { SessionList };
