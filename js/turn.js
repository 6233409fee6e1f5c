'use strict';
// One turn, as users hold it. What happens in it is in course.js.

const { isObject } = require('./json');
const { Picked, Reader } = require('./stream');

/**
 * @typedef {import('../index').SessionUpdate} SessionUpdate
 * @typedef {import('../index').TurnResult} TurnResult
 * @typedef {import('./types').RawUpdate} RawUpdate
 * @typedef {{ timeoutMs?: number }} CancelOptions
 */

/**
 * See `Turn` in index.d.ts.
 * @implements {Promise<TurnResult>}
 * @implements {AsyncIterable<SessionUpdate>}
 */
class Turn {
  #course;
  #cancel;

  /**
   * @param {import('./course').Course} course
   * @param {(options?: CancelOptions) => Promise<void>} cancel ends the turn
   */
  constructor(course, cancel) {
    this.#course = course;
    this.#cancel = cancel;
  }

  get [Symbol.toStringTag]() {
    return 'Turn';
  }

  get result() {
    return this.#course.result;
  }

  /**
   * @template [A=TurnResult], [B=never]
   * @param {((result: TurnResult) => A | PromiseLike<A>) | null} [onResult]
   * @param {((error: unknown) => B | PromiseLike<B>) | null} [onError]
   */
  // biome-ignore lint/suspicious/noThenProperty: a turn is awaited, as index.d.ts says
  then(onResult, onError) {
    return this.result.then(onResult, onError);
  }

  /**
   * @template [B=never]
   * @param {((error: unknown) => B | PromiseLike<B>) | null} [onError]
   */
  catch(onError) {
    return this.result.catch(onError);
  }

  /** @param {(() => void) | null} [onEnd] */
  finally(onEnd) {
    return this.result.finally(onEnd);
  }

  /** @param {CancelOptions} [options] */
  cancel(options) {
    return this.#cancel(options);
  }

  /** @returns {AsyncIterator<SessionUpdate>} */
  [Symbol.asyncIterator]() {
    // Typed as the protocol has it; members stay what the agent sent.
    const reader = /** @type {unknown} */ (new Reader(this.#course.openStream()));
    return /** @type {Reader<SessionUpdate>} */ (reader);
  }

  textStream() {
    return new Picked(this.#course.openStream(), textOf);
  }
}

/**
 * The text of the agent's message in an update, where there is some.
 * @param {RawUpdate} update
 */
function textOf({ sessionUpdate, content }) {
  if (sessionUpdate !== 'agent_message_chunk' || !isObject(content)) return undefined;
  return content.type === 'text' && typeof content.text === 'string' ? content.text : undefined;
}

/**
 * A plain text chunk of the agent's message.
 * @param {string} text
 */
function textUpdate(text) {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

module.exports = { Turn, textOf, textUpdate };
