'use strict';
// A queue that is read by `for await`. Hand-written: an async generator costs three times as much.

const DONE = Object.freeze({ done: true, value: undefined });

/** What waits unread in all streams of a client, so that it can be bounded. */
class Unread {
  bytes = 0;
}

/** One reader's queue. Leaving the loop early detaches it and disturbs nothing else. */
class Stream {
  #items = [];
  #sizes = [];
  #head = 0;
  #waiting = [];
  #isEnded = false;
  #failure;
  #unread;
  #onLeave;

  /** `unread` is shared by a client's streams; `onLeave` is called when the reader leaves. */
  constructor(unread, onLeave) {
    this.#unread = unread;
    this.#onLeave = onLeave;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  push(item, size) {
    if (this.#isEnded) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: item });
      return;
    }
    this.#items.push(item);
    this.#sizes.push(size);
    this.#unread.bytes += size;
  }

  /** Nothing comes any more; what waits is still read, then `failure` is thrown, if there is one. */
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

  #take() {
    const value = this.#items[this.#head];
    this.#unread.bytes -= this.#sizes[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) this.#clear();
    return { done: false, value };
  }

  return(value) {
    this.#failure = undefined;
    this.end();
    for (let at = this.#head; at < this.#sizes.length; at += 1)
      this.#unread.bytes -= this.#sizes[at];
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

/** What comes out of `stream`, seen through `pick`; what that gives as undefined is left out. */
class Picked {
  #stream;
  #pick;

  constructor(stream, pick) {
    this.#stream = stream;
    this.#pick = pick;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async next() {
    for (;;) {
      const { done, value } = await this.#stream.next();
      if (done) return DONE;
      const picked = this.#pick(value);
      if (picked !== undefined) return { done: false, value: picked };
    }
  }

  return(value) {
    return this.#stream.return(value);
  }
}

module.exports = { Stream, Picked, Unread };
