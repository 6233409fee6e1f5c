'use strict';
// What reached the program and was not compared yet, by kind and in order.

const { expect } = require('@jest/globals');

/** Longer than anything takes on a loaded machine, shorter than a test. */
const PATIENCE_MS = 10_000;

class Inbox {
  #entries = new Map();
  #waiting = new Map();

  push(kind, entry) {
    const waiting = this.#waiting.get(kind);
    if (waiting === undefined) this.#of(kind).push(entry);
    else {
      this.#waiting.delete(kind);
      waiting(entry);
    }
  }

  /** The next entry of a kind, which may come later. */
  next(kind) {
    const entries = this.#of(kind);
    if (entries.length > 0) return Promise.resolve(entries.shift());
    return new Promise((resolve) => this.#waiting.set(kind, resolve));
  }

  /** Names what is waited for when it does not come. */
  async within(step, what) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`nothing came of ${what}`)), PATIENCE_MS);
    });
    try {
      await Promise.race([step, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Nothing came that the dialogue does not have. */
  expectEmpty() {
    const left = [...this.#entries].filter(([, entries]) => entries.length > 0);
    expect(Object.fromEntries(left)).toEqual({});
  }

  #of(kind) {
    if (!this.#entries.has(kind)) this.#entries.set(kind, []);
    return this.#entries.get(kind);
  }
}

module.exports = { Inbox };
