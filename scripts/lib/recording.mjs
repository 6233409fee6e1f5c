// A dialogue being recorded: one JSON object a line, in the order in which the lines were seen.
// The format: __test__/transcripts/recorded/README.md.

import fs from 'node:fs';

/** A longer line is shortened, in characters: a recording is for people to read as well. */
const LONGEST_LINE = 4000;
/** Only a string longer than this is cut; what is kept of its two ends, in characters. */
const LONGEST_STRING = 1000;
const KEPT_HEAD = 300;
const KEPT_TAIL = 100;

/**
 * @typedef {'client->agent' | 'agent->client' | 'agent-stderr'} Direction
 *
 * @typedef {object} Listener
 * @property {(chunk: Buffer | string) => void} onData
 * @property {() => void} onEnd
 */

/** The file of one recording. Each line is in it as soon as it was seen, whatever happens next. */
export class Recording {
  #file;

  /** @param {string} path */
  constructor(path) {
    this.#file = fs.openSync(path, 'w');
  }

  /**
   * Listens to one stream.
   * @param {Direction} dir
   * @returns {Listener}
   */
  listener(dir) {
    /** @type {Buffer[]} */
    let rest = [];
    return {
      onData: (chunk) => {
        let bytes = Buffer.from(chunk);
        for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n')) {
          this.#write(dir, Buffer.concat([...rest, bytes.subarray(0, end)]), false);
          rest = [];
          bytes = bytes.subarray(end + 1);
        }
        if (bytes.length > 0) rest.push(bytes);
      },
      onEnd: () => {
        if (rest.length > 0) this.#write(dir, Buffer.concat(rest), true);
        rest = [];
      },
    };
  }

  close() {
    fs.closeSync(this.#file);
  }

  /**
   * @param {Direction} dir
   * @param {Buffer} bytes
   * @param {boolean} isPartial
   */
  #write(dir, bytes, isPartial) {
    const whole = bytes.toString();
    const line = shorten(whole);
    const entry = {
      dir,
      line,
      ...(line !== whole && { cutFrom: bytes.length }),
      ...(isPartial && { partial: true }),
    };
    fs.writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}

/**
 * A long line without the middle of its longest string. One without such a string stays whole: what
 * holds its members together could not be put back.
 * @param {string} line
 */
function shorten(line) {
  if (line.length <= LONGEST_LINE) return line;
  const { start, end } = longestString(line);
  if (end - start <= LONGEST_STRING) return line;
  const head = line.slice(0, whole(line, start + KEPT_HEAD));
  return `${head}…${line.slice(whole(line, end - KEPT_TAIL))}`;
}

/**
 * Where the longest string of a JSON text begins and ends, quotes left out.
 * @param {string} text
 */
function longestString(text) {
  let longest = { start: 0, end: 0 };
  for (let quote = text.indexOf('"'); quote !== -1; ) {
    const string = { start: quote + 1, end: endOfString(text, quote + 1) };
    if (string.end - string.start > longest.end - longest.start) longest = string;
    quote = text.indexOf('"', string.end + 1);
  }
  return longest;
}

/**
 * @param {string} text
 * @param {number} start
 */
function endOfString(text, start) {
  let end = text.indexOf('"', start);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/**
 * Whether an odd number of backslashes stands before a place.
 * @param {string} text
 * @param {number} at
 */
function isEscaped(text, at) {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/**
 * The nearest place before `at` that is in no escape and in no surrogate pair.
 * @param {string} text
 * @param {number} at
 */
function whole(text, at) {
  const half = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text.slice(at - 6, at));
  let place = at;
  if (half !== null) {
    const start = at - half[0].length;
    if (!isEscaped(text, start)) place = start;
  }
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}
