'use strict';
// The course of one turn: the updates it brings, its result. What users hold of it is in turn.js; what
// is sent and cancelled, and when, is the session's affair (prompts.js, cancel.js).

const { createError } = require('./errors');
const { isObject } = require('./json');
const { Stream } = require('./stream');
const { TextLog } = require('./text-log');

/** How much of its updates a turn keeps while nobody has taken an iterator, in bytes. */
const KEPT_BYTES = 256 * 1024;

/**
 * @typedef {import('../index').TurnResult} TurnResult
 * @typedef {import('./types').RawUpdate} RawUpdate
 */

/** See the head. */
class Course {
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

  /** @param {import('./stream').Unread} unread shared by the client's streams */
  constructor(unread) {
    this.#unread = unread;
    /** @type {Promise<TurnResult>} */
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
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

  /** The updates, for one who reads them. */
  openStream() {
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

function ignore() {
  // Somebody reads the turn by iterator, and gets its error there.
}

module.exports = { Course };
