'use strict';
// The text of a turn, piece by piece: read once at its end, and mostly never. Beyond a little it is
// kept outside the JavaScript heap, where the collector would copy each piece twice; that was half of
// the main thread's time in a stream of small updates.

const { Buffer } = require('node:buffer');

/** Pieces are put away when there are so many characters of them. */
const BLOCK_LENGTH = 64 * 1024;
/** A piece of this length stays what it is: to copy it out costs as much as the collector's work. */
const LARGE_LENGTH = 1024;

/** Texts that are joined when they are first read. */
class TextLog {
  /**
   * Large strings, and blocks of bytes with their encoding.
   * @type {(string | { bytes: Buffer, encoding: BufferEncoding })[]}
   */
  #blocks = [];
  /** @type {string[]} */
  #pieces = [];
  #length = 0;

  /** @param {string} text */
  add(text) {
    if (text.length >= LARGE_LENGTH) {
      this.#putAway();
      this.#blocks.push(text);
      return;
    }
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length >= BLOCK_LENGTH) this.#putAway();
  }

  read() {
    const blocks = this.#blocks.map((block) =>
      typeof block === 'string' ? block : block.bytes.toString(block.encoding),
    );
    return blocks.concat(this.#pieces).join('');
  }

  #putAway() {
    if (this.#length === 0) return;
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    const isAscii = Buffer.byteLength(text) === text.length;
    // UTF-16 keeps half surrogate pairs, which UTF-8 would lose.
    const encoding = isAscii ? 'latin1' : 'utf16le';
    this.#blocks.push({ bytes: Buffer.from(text, encoding), encoding });
  }
}

module.exports = { TextLog };
