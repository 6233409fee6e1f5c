'use strict';
// Numbers that are the same for a seed on every machine.

class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** One of 0 to `most` - 1. */
  below(most) {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  }

  oneIn(count) {
    return this.below(count) === 0;
  }

  pick(from) {
    return from[this.below(from.length)];
  }
}

module.exports = { Random };
