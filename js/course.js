'use strict';
// The course of one turn: the updates it brings, its result. What users hold of it is in turn.js; what
// is sent and cancelled, and when, is the session's affair (prompts.js, cancel.js).

const { createError } = require('./errors');
const { isObject } = require('./json');
const { keptUpdates } = require('./kept');
const { Stream } = require('./stream');
const { TurnText } = require('./turn-text');

/** How much of its updates a turn keeps while nobody has taken an iterator, in bytes. The native side
 * has the same bound (src/client/kept/). */
const KEPT_BYTES = 256 * 1024;

/** The name of the method by which Node.js shows an object. */
const inspect = Symbol.for('nodejs.util.inspect.custom');

/**
 * @typedef {import('../index').TurnResult} TurnResult
 * @typedef {import('./types').RawUpdate} RawUpdate
 * @typedef {Pick<import('./client').Client, 'unread' | 'progress'>} CourseClient
 */

/** See the head. */
class Course {
  /**
   * What the native side keeps of the turn, and the number of the first update of that.
   * @type {import('./types').NativeTurn | undefined}
   */
  #turn;
  #from = Number.POSITIVE_INFINITY;
  /**
   * The updates before those: they were under way when the turn began.
   * @type {import('./kept').Kept[]}
   */
  #kept = [];
  #keptBytes = 0;
  /**
   * Why an iterator cannot be given all updates any more.
   * @type {'too-many' | 'taken' | undefined}
   */
  #missed;
  /** @type {Set<Stream<RawUpdate>>} */
  #streams = new Set();
  #text = new TurnText();
  /** @type {(result: TurnResult) => void} */
  #resolve = ignore;
  /** @type {(error: unknown) => void} */
  #reject = ignore;
  /** @type {{ failure?: import('./stream').Failure } | undefined} */
  #outcome;
  /** @type {(() => void)[]} */
  #waiting = [];
  /** How many updates of the client had been delivered when the turn ended. */
  #endedAt = Number.POSITIVE_INFINITY;
  #client;
  #sessionId;

  /**
   * @param {string} sessionId
   * @param {CourseClient} client
   */
  constructor(sessionId, client) {
    this.#sessionId = sessionId;
    this.#client = client;
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
   * The prompt is being sent; from now on the native side keeps what comes.
   * @param {import('./types').NativeTurn} turn
   */
  attach(turn) {
    this.#turn = turn;
    this.#from = turn.from;
  }

  /** What comes for the session is not all delivered to the turn for a while: it is kept here, as it is. */
  detach() {
    const turn = this.#turn;
    if (turn === undefined) return;
    const first = this.#missed === undefined ? this.#first() : [];
    this.#text.take(turn);
    const text = this.#text.read();
    this.#text = new TurnText();
    this.#text.add(text);
    this.#turn = undefined;
    this.#from = Number.POSITIVE_INFINITY;
    this.#kept = [];
    this.#keptBytes = 0;
    for (const { update, size } of first) this.#keep(update, size);
  }

  /**
   * A plain text chunk of this turn, the one update that is hot.
   * @param {RawUpdate} update
   * @param {string} text of it
   * @param {number} size in bytes
   */
  deliverText(update, text, size) {
    if (this.#client.progress.updates < this.#from) this.deliver(update, text, size);
    else {
      this.#text.count();
      if (this.#streams.size > 0) this.#push(update, size);
    }
  }

  /**
   * Any other update of this turn.
   * @param {RawUpdate} update
   * @param {string | undefined} text of the agent's message
   * @param {number} size in bytes
   */
  deliver(update, text, size) {
    if (text !== undefined) this.#text.add(text);
    if (this.#streams.size > 0) this.#push(update, size);
    else if (this.#missed === undefined && this.#client.progress.updates < this.#from)
      this.#keep(update, size);
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
    const stream = new Stream(this.#client.unread, (left) => this.#streams.delete(left));
    const first = this.#missed === undefined ? this.#first() : [];
    if (this.#missed !== undefined) {
      stream.end({ error: unread(this.#missed) });
      return stream;
    }
    for (const { update, size } of first) stream.push(update, size);
    // Whoever comes later would miss what this one was given.
    if (first.length > 0) this.#missed = 'taken';
    this.#kept = [];
    this.#keptBytes = 0;
    if (this.#outcome !== undefined) stream.end(this.#outcome.failure);
    else this.#streams.add(stream);
    return stream;
  }

  /** @param {{ failure?: import('./stream').Failure }} outcome */
  #end(outcome) {
    this.#outcome = outcome;
    this.#endedAt = this.#client.progress.updates;
    if (this.#turn !== undefined) this.#text.take(this.#turn);
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
  #push(update, size) {
    for (const stream of this.#streams) stream.push(update, size);
    this.#missed = 'taken';
  }

  /**
   * @param {RawUpdate} update
   * @param {number} size
   */
  #keep(update, size) {
    this.#keptBytes += size;
    if (this.#keptBytes > KEPT_BYTES) this.#missTooMany();
    else this.#kept.push({ update, size });
  }

  /** The updates that no iterator was given, as far as they were delivered. */
  #first() {
    if (this.#turn === undefined) return this.#kept;
    const json = this.#turn.first(Math.min(this.#client.progress.updates, this.#endedAt));
    if (json === null) {
      this.#missTooMany();
      return [];
    }
    return [...this.#kept, ...keptUpdates(JSON.parse(json), json.length, this.#sessionId)];
  }

  #missTooMany() {
    this.#missed = 'too-many';
    this.#kept = [];
  }
}

/** @param {'too-many' | 'taken'} reason */
function unread(reason) {
  if (reason === 'taken') {
    const message =
      'expected one iterator a turn, but its updates were given to another; keep what you need while reading, or listen to the event update';
    return createError('MM_ERR_UNREAD', message, {});
  }
  const message =
    'expected the iterator to be taken before 256 KiB of updates had come; take it right after prompt()';
  return createError('MM_ERR_UNREAD', message, { keptBytes: KEPT_BYTES });
}

/**
 * A result whose text is joined when it is first read: joining costs as much as the whole stream.
 * @param {string} stopReason
 * @param {TurnText} text
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
  // `console.log()` would show `[Getter]`.
  Object.defineProperty(result, inspect, { value: () => ({ ...result }) });
  return result;
}

function ignore() {
  // Somebody reads the turn by iterator, and gets its error there.
}

module.exports = { Course };
