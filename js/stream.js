'use strict';
// A queue that is read by `for await`. Hand-written: an async generator costs three times as much.

/** @type {IteratorReturnResult<undefined>} */
const DONE = Object.freeze({ done: true, value: undefined });

/**
 * Wrapped, since what is thrown may be undefined.
 * @typedef {{ error: unknown }} Failure
 */

/** What waits unread in all streams of a client, so that it can be bounded. */
class Unread {
  bytes = 0;
  /** Whether a waiting reader was given something that it has not seen yet. */
  hasWoken = false;
}

/**
 * One reader's queue. Leaving the loop early detaches it and disturbs nothing else.
 * @template T
 */
class Stream {
  /** @type {(T | undefined)[]} */
  #items = [];
  /** @type {number[]} */
  #sizes = [];
  #head = 0;
  /** @type {{ resolve(item: IteratorResult<T>): void, reject(error: unknown): void }[]} */
  #waiting = [];
  #isEnded = false;
  /** @type {Failure | undefined} */
  #failure;
  #unread;
  #onLeave;

  /**
   * @param {Unread} unread shared by a client's streams
   * @param {(stream: Stream<T>) => void} onLeave called when the reader leaves
   */
  constructor(unread, onLeave) {
    this.#unread = unread;
    this.#onLeave = onLeave;
  }

  /**
   * @param {T} item
   * @param {number} size in bytes
   */
  push(item, size) {
    if (this.#isEnded) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) {
      this.#unread.hasWoken = true;
      reader.resolve({ done: false, value: item });
      return;
    }
    this.#items.push(item);
    this.#sizes.push(size);
    this.#unread.bytes += size;
  }

  /**
   * Nothing comes any more; what waits is still read, then `failure` is thrown, if there is one.
   * @param {Failure} [failure]
   */
  end(failure = undefined) {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const readers = this.#waiting.splice(0);
    if (failure !== undefined) {
      const first = readers.shift();
      if (first === undefined) this.#failure = failure;
      else first.reject(failure.error);
    }
    for (const reader of readers) reader.resolve(DONE);
  }

  /** @returns {Promise<IteratorResult<T>>} */
  next() {
    if (this.#head < this.#items.length) return Promise.resolve(this.#take());
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#isEnded) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** @returns {IteratorYieldResult<T>} */
  #take() {
    const value = /** @type {T} */ (this.#items[this.#head]);
    this.#unread.bytes -= this.#sizes[this.#head] ?? 0;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) this.#clear();
    return { done: false, value };
  }

  /**
   * @template V
   * @param {V} [value]
   * @returns {Promise<IteratorReturnResult<V | undefined>>}
   */
  return(value) {
    this.#failure = undefined;
    this.end();
    for (const size of this.#sizes.slice(this.#head)) this.#unread.bytes -= size;
    this.#clear();
    this.#onLeave(this);
    return Promise.resolve({ done: true, value });
  }

  #clear() {
    this.#items = [];
    this.#sizes = [];
    this.#head = 0;
  }
}

/**
 * What users hold of a stream: it can be read, and nothing can be put into it.
 * @template T
 * @implements {AsyncIterableIterator<T>}
 */
class Reader {
  #stream;

  /** @param {Stream<T>} stream */
  constructor(stream) {
    this.#stream = stream;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next() {
    return this.#stream.next();
  }

  /**
   * @template V
   * @param {V} [value]
   */
  return(value) {
    return this.#stream.return(value);
  }
}

/**
 * What comes out of `stream`, seen through `pick`; what that gives as undefined is left out.
 * @template T, P
 * @implements {AsyncIterableIterator<P>}
 */
class Picked {
  #stream;
  #pick;

  /**
   * @param {Stream<T>} stream
   * @param {(item: T) => P | undefined} pick
   */
  constructor(stream, pick) {
    this.#stream = stream;
    this.#pick = pick;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @returns {Promise<IteratorResult<P>>} */
  async next() {
    for (;;) {
      const item = await this.#stream.next();
      if (item.done) return DONE;
      const picked = this.#pick(item.value);
      if (picked !== undefined) return { done: false, value: picked };
    }
  }

  /**
   * @template V
   * @param {V} [value]
   */
  return(value) {
    return this.#stream.return(value);
  }
}

module.exports = { Stream, Reader, Picked, Unread };
