'use strict';
// Reads a recorded dialogue: ../recorded/README.md has the format. Knows neither client nor agent, so
// that either can be tested with it.

const fs = require('node:fs');

const SPEAKERS = { 'client->agent': 'client', 'agent->client': 'agent', 'agent-stderr': 'stderr' };
const LEFT_OUT = /^… (\d+) lines left out …$/;
/** An id keeps its very text where it stands before everything long, as in all that SDKs write. */
const ID = /^\s*\{(?:"jsonrpc":"[^"]*",)?\s*"id":\s*(\{[^}]*\}|\[[^\]]*\]|"[^"]*"|[^\s,}]+)/;

/** What the cut may have taken besides: nothing, or the end of a text block as the SDK writes it. */
const ENDINGS = ['', '","type":"text"}'];

/**
 * @typedef {object} Line
 * @property {'client' | 'agent' | 'stderr'} from who wrote it
 * @property {string} text without its line feed, whole
 * @property {any} message what it says as JSON; undefined when it is none
 * @property {string | undefined} id the JSON text of its id
 * @property {boolean} isPartial it had no line feed
 */

/**
 * The lines of a file.
 * @param {string} file
 * @returns {Line[]}
 */
function readDialogue(file) {
  const entries = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
  /** @type {Line[]} */
  const lines = [];
  for (const entry of entries) {
    const { dir, line, cutFrom, partial = false } = JSON.parse(entry);
    if (dir === 'note') {
      lines.push(...leftOut(line, lines.at(-1)));
    } else {
      const text = cutFrom === undefined ? line : restore(line, cutFrom);
      lines.push(toLine(speaker(dir), text, partial));
    }
  }
  return lines;
}

function speaker(dir) {
  if (Object.hasOwn(SPEAKERS, dir)) return SPEAKERS[dir];
  throw new Error(`expected dir to be note, ${Object.keys(SPEAKERS).join(', ')}; got ${dir}`);
}

/** @returns {Line} */
function toLine(from, text, isPartial = false) {
  const message = from === 'stderr' ? undefined : parsed(text);
  return { from, text, message, id: ID.exec(text)?.[1] ?? idOf(message), isPartial };
}

function idOf(message) {
  return message?.id === undefined ? undefined : JSON.stringify(message.id);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function leftOut(note, before) {
  const count = LEFT_OUT.exec(note)?.[1];
  if (count === undefined || before === undefined) {
    throw new Error(`expected a note of lines left out behind one like them, got ${note}`);
  }
  return Array.from({ length: Number(count) }, () => before);
}

/** A line as long as it was: the string that was cut is filled up with a character of its own. */
function restore(text, bytes) {
  const at = text.indexOf('…');
  // An escape that was cut in two would spoil the string.
  const head = text.slice(0, at).replace(/\\(u[0-9a-fA-F]{0,3})?$/, '');
  const filler = /[A-Za-z0-9]$/.exec(head)?.[0] ?? 'x';
  for (const ending of ENDINGS) {
    const tail = `${ending}${text.slice(at + 1)}`;
    const missing = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
    const whole = `${head}${filler.repeat(Math.max(missing, 0))}${tail}`;
    if (at !== -1 && missing >= 0 && parsed(whole) !== undefined) return whole;
  }
  throw new Error(`expected a line cut inside one string, got ${text}`);
}

module.exports = { readDialogue, toLine };
