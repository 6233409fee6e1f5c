'use strict';
// The text of an open file, or some lines of it; no more of it is held than is asked for.

const { INVALID_PARAMS, refusal } = require('./workspace-paths');
const { RpcError } = require('./agent-requests');
const { show } = require('./show');

/** As much as a message holds: the default of `maxOutgoingBytes`. */
const MAX_TEXT_BYTES = 10_485_760;
const CHUNK_BYTES = 65_536;
const LINE_FEED = 0x0a;

/**
 * @typedef {object} Part which lines: `count` of them from `first` on, where 0 means 1 as well
 * @property {number} first
 * @property {number} count may be Infinity
 * @property {AbortSignal | undefined} signal
 */

/**
 * The lines as they are, with what ends them (CRLF, LF) and a byte order mark.
 * @param {import('node:fs/promises').FileHandle} file
 * @param {string} given the path, for messages
 * @param {Part} part
 * @returns {Promise<string>}
 */
async function readLines(file, given, { first, count, signal }) {
  const lines = new Lines(Math.max(first, 1) - 1, count);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; !lines.isComplete; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    lines.push(chunk.subarray(0, bytesRead));
    if (lines.bytes > MAX_TEXT_BYTES) throw tooLarge(given);
  }
  return decode(lines.join(), given);
}

/** Keeps the lines that are asked for of all that is pushed. */
class Lines {
  /** @type {Buffer[]} */
  #kept = [];
  #toSkip;
  #toKeep;
  bytes = 0;

  /**
   * @param {number} toSkip
   * @param {number} toKeep
   */
  constructor(toSkip, toKeep) {
    this.#toSkip = toSkip;
    this.#toKeep = toKeep;
  }

  get isComplete() {
    return this.#toKeep === 0;
  }

  /** @param {Buffer} chunk used again by the caller */
  push(chunk) {
    let start = 0;
    while (this.#toSkip > 0 && start < chunk.length) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) return;
      start = end + 1;
      this.#toSkip -= 1;
    }
    let end = this.#toKeep === Number.POSITIVE_INFINITY ? chunk.length : start;
    while (this.#toKeep > 0 && end < chunk.length) {
      const feed = chunk.indexOf(LINE_FEED, end);
      end = feed === -1 ? chunk.length : feed + 1;
      if (feed !== -1) this.#toKeep -= 1;
    }
    this.#kept.push(Buffer.from(chunk.subarray(start, end)));
    this.bytes += end - start;
  }

  join() {
    return Buffer.concat(this.#kept);
  }
}

/**
 * @param {Buffer} bytes
 * @param {string} given
 */
function decode(bytes, given) {
  // UTF-16 without a mark is UTF-8 full of NUL.
  if (bytes.includes(0)) throw refusal('a file of text, without NUL bytes', given);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refusal('a file of text in UTF-8', given);
  }
}

/** @param {string} given */
function tooLarge(given) {
  const message =
    `expected at most ${MAX_TEXT_BYTES} bytes of text, ${show(given)} has more;` +
    ' ask for a part of it with line and limit';
  return new RpcError(INVALID_PARAMS, message);
}

module.exports = { readLines };
