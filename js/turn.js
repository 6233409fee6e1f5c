'use strict';
// One turn: a prompt, the updates it brings, its result. What is sent and cancelled, and when, is
// the session's affair (session.js, cancel.js).

const { createError } = require('./errors');
const { isObject } = require('./json');
const { Picked, Stream } = require('./stream');
const { TextLog } = require('./text-log');

/** How much of its updates a turn keeps while nobody has taken an iterator, in bytes. */
const KEPT_BYTES = 256 * 1024;

function ignore() {
  // Somebody reads the turn by iterator, and gets its error there.
}

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
  /** @type {{ update: RawUpdate, size: number }[]} */
  #kept = [];
  #keptBytes = 0;
  /** Updates came that no iterator can be given any more. */
  #isMissed = false;
  /** @type {Set<Stream<RawUpdate>>} */
  #streams = new Set();
  #text = new TextLog();
  /** @type {(result: TurnResult) => void} */
  #resolve = ignore;
  /** @type {(error: unknown) => void} */
  #reject = ignore;
  /** @type {{ failure?: import('./stream').Failure } | undefined} */
  #outcome;
  /** @type {(() => void)[]} */
  #waiting = [];
  #unread;
  #cancel;

  /**
   * @param {import('./stream').Unread} unread shared by the client's streams
   * @param {(turn: Turn, options?: CancelOptions) => Promise<void>} cancel ends the turn
   */
  constructor(unread, cancel) {
    this.#unread = unread;
    this.#cancel = cancel;
    /** @type {Promise<TurnResult>} */
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    Object.defineProperty(this, 'result', { enumerable: false, writable: false });
  }

  get [Symbol.toStringTag]() {
    return 'Turn';
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
    return this.#cancel(this, options);
  }

  /** @returns {AsyncIterator<SessionUpdate>} */
  [Symbol.asyncIterator]() {
    // Typed as the protocol has it; members stay what the agent sent.
    const stream = /** @type {unknown} */ (this.#openStream());
    return /** @type {Stream<SessionUpdate>} */ (stream);
  }

  textStream() {
    return new Picked(this.#openStream(), textOf);
  }

  /**
   * Resolves when the turn has ended, however it has: its error is for whoever awaits the turn.
   * @returns {Promise<void>}
   */
  ended() {
    if (this.isSettled) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get isSettled() {
    return this.#outcome !== undefined;
  }

  /**
   * An update of this turn.
   * @param {RawUpdate} update
   * @param {string | undefined} text of the agent's message
   * @param {number} size in bytes
   */
  deliver(update, text, size) {
    if (text !== undefined) this.#text.add(text);
    if (this.#streams.size > 0) {
      for (const stream of this.#streams) stream.push(update, size);
      this.#isMissed = true;
    } else if (!this.#isMissed) this.#keep(update, size);
  }

  /**
   * The agent's answer, or what stands for it.
   * @param {string} stopReason
   * @param {Record<string, unknown>} raw
   */
  succeed(stopReason, raw) {
    if (this.isSettled) return;
    const usage = isObject(raw.usage) ? raw.usage : undefined;
    this.#end({});
    this.#resolve(turnResult(stopReason, this.#text, usage, raw));
    this.#tellEnded();
  }

  /** @param {unknown} error */
  fail(error) {
    if (this.isSettled) return;
    this.#end({ failure: { error } });
    this.#reject(error);
    this.#tellEnded();
  }

  /** @param {{ failure?: import('./stream').Failure }} outcome */
  #end(outcome) {
    this.#outcome = outcome;
    for (const stream of this.#streams) stream.end(outcome.failure);
  }

  /** After the result: whoever waits for the end finds the turn's own followers told. */
  #tellEnded() {
    for (const resolve of this.#waiting) resolve();
  }

  /**
   * @param {RawUpdate} update
   * @param {number} size
   */
  #keep(update, size) {
    this.#keptBytes += size;
    if (this.#keptBytes > KEPT_BYTES) {
      this.#isMissed = true;
      this.#kept = [];
      return;
    }
    this.#kept.push({ update, size });
  }

  #openStream() {
    this.result.catch(ignore);
    /** @type {Stream<RawUpdate>} */
    const stream = new Stream(this.#unread, (left) => this.#leave(left));
    if (this.#isMissed) {
      stream.end({ error: this.#missed() });
      return stream;
    }
    for (const { update, size } of this.#kept) stream.push(update, size);
    // Whoever comes later would miss what this one was given.
    this.#isMissed = this.#kept.length > 0;
    this.#kept = [];
    this.#keptBytes = 0;
    if (this.#outcome !== undefined) stream.end(this.#outcome.failure);
    else this.#streams.add(stream);
    return stream;
  }

  #missed() {
    const wasTaken = this.#keptBytes <= KEPT_BYTES;
    const message = wasTaken
      ? 'expected one iterator a turn, but its updates were given to another; keep what you need while reading, or listen to the event update'
      : 'expected the iterator to be taken before 256 KiB of updates had come; take it right after prompt()';
    const details = wasTaken ? {} : { keptBytes: KEPT_BYTES };
    return createError('MM_ERR_UNREAD', message, details);
  }

  /** @param {Stream<RawUpdate>} stream */
  #leave(stream) {
    this.#streams.delete(stream);
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

/**
 * A result whose text is joined when it is first read: joining costs as much as the whole stream.
 * @param {string} stopReason
 * @param {TextLog} text
 * @param {TurnResult['usage']} usage
 * @param {Record<string, unknown>} raw
 */
function turnResult(stopReason, text, usage, raw) {
  /** @type {TurnResult} */
  const result = { stopReason, text: '', usage, raw };
  Object.defineProperty(result, 'text', {
    enumerable: true,
    configurable: true,
    get() {
      const value = text.read();
      Object.defineProperty(result, 'text', { value, enumerable: true, configurable: true });
      return value;
    },
  });
  return result;
}

module.exports = { Turn, textOf, textUpdate };
