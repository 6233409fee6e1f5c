'use strict';
// The text of a turn. The native side keeps the plain chunks, which are nearly all of it; what else
// belongs to it is kept here, with its place among them.

const { TextLog } = require('./text-log');

/** See the head. */
class TurnText {
  /** How many chunks the native side keeps. */
  #chunks = 0;
  /**
   * Texts kept here, each run of them with the number of chunks before it.
   * @type {{ after: number, log: TextLog }[]}
   */
  #runs = [];
  /** @type {import('./types').NativeText | undefined} */
  #kept;

  /** A chunk came that the native side keeps. */
  count() {
    this.#chunks += 1;
  }

  /** @param {string} text that the native side does not keep */
  add(text) {
    let run = this.#runs[this.#runs.length - 1];
    if (run === undefined || run.after !== this.#chunks) {
      run = { after: this.#chunks, log: new TextLog() };
      this.#runs.push(run);
    }
    run.log.add(text);
  }

  /**
   * The native side keeps no more; what it has is held from now on.
   * @param {import('./types').NativeTurn} turn
   */
  take(turn) {
    this.#kept = turn.end(this.#chunks);
  }

  /** All of it, joined. */
  read() {
    const cuts = this.#runs.map(({ after }) => after);
    /** @type {string[]} */
    const kept = this.#kept === undefined ? [] : JSON.parse(this.#kept.read(cuts));
    const runs = this.#runs.map(({ log }, at) => (kept[at] ?? '') + log.read());
    return runs.join('') + (kept[cuts.length] ?? '');
  }
}

module.exports = { TurnText };
