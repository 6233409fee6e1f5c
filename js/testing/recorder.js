'use strict';
// What a stand-in recorded. It writes an entry before its client can see what follows from it, so what
// is read here, when a call or a turn is over, is whole.

const fs = require('node:fs');

/**
 * @typedef {{ type: string, [member: string]: any }} Entry
 * @typedef {import('../../testing').Recorder} Told
 */

class Recorder {
  #file;
  #offset = 0;
  /** @type {Entry[]} */
  #entries = [];

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
  }

  get calls() {
    return /** @type {Told['calls']} */ (this.#of('call'));
  }

  get lists() {
    return /** @type {Told['lists']} */ (this.#of('tools'));
  }

  get refusals() {
    return /** @type {Told['refusals']} */ (this.#of('noTools'));
  }

  get tools() {
    return this.lists.at(-1)?.tools ?? [];
  }

  get skipped() {
    return this.lists.flatMap(({ skipped }) => skipped);
  }

  get permissions() {
    return /** @type {Told['permissions']} */ (this.#of('permission'));
  }

  get lines() {
    // The stand-in tells what it reads and writes; here it is told as the client sees it.
    const lines = this.#of('line').map(({ direction, line }) => ({
      direction: direction === 'in' ? 'out' : 'in',
      line,
    }));
    return /** @type {Told['lines']} */ (lines);
  }

  clear() {
    this.#read();
    this.#entries = [];
  }

  /** @param {string} wanted */
  #of(wanted) {
    this.#read();
    /** @type {unknown} */
    const entries = this.#entries
      .filter(({ type }) => type === wanted)
      .map(({ type, ...entry }) => entry);
    return /** @type {any[]} */ (entries);
  }

  /** Reads what was written since. */
  #read() {
    const bytes = readFrom(this.#file, this.#offset);
    const end = bytes.lastIndexOf('\n') + 1;
    this.#offset += end;
    const lines = bytes.toString('utf8', 0, end).split('\n').filter(Boolean);
    this.#entries.push(...lines.map((line) => JSON.parse(line)));
  }
}

/**
 * @param {string} file
 * @param {number} offset
 */
function readFrom(file, offset) {
  let descriptor;
  try {
    descriptor = fs.openSync(file, 'r');
  } catch (error) {
    // Nothing was started yet, or the stand-in was disposed of.
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const bytes = Buffer.alloc(Math.max(0, fs.fstatSync(descriptor).size - offset));
    const count = fs.readSync(descriptor, bytes, 0, bytes.length, offset);
    return bytes.subarray(0, count);
  } finally {
    fs.closeSync(descriptor);
  }
}

module.exports = { Recorder };
