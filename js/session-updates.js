'use strict';
// All updates of a session, for whoever asks: also those that belong to no turn, and the last of those
// that came before anybody asked.

const { Stream } = require('./stream');
const { textUpdate } = require('./turn');

/** How much is kept for the first who asks, in bytes. */
const KEPT_BYTES = 1024 * 1024;

/** What an update takes besides its text, in bytes. */
const ENVELOPE_BYTES = 100;

/**
 * A plain text chunk is kept as its text: the objects around it cost more than all else in a stream.
 * @typedef {import('./types').RawUpdate} RawUpdate
 * @typedef {string | { update: RawUpdate, size: number }} Kept
 */

/** The updates of one session. */
class SessionUpdates {
  #unread;
  /** @type {Set<Stream<RawUpdate>>} */
  #streams = new Set();
  #isEnded = false;
  /**
   * The last updates, and those before: whole generations are dropped, which costs nothing an update.
   * @type {Kept[] | undefined}
   */
  #recent = [];
  /** @type {Kept[]} */
  #older = [];
  #recentBytes = 0;
  #dropped = 0;

  /** @param {import('./stream').Unread} unread shared by a client's streams */
  constructor(unread) {
    this.#unread = unread;
  }

  /**
   * @param {RawUpdate} update
   * @param {number} size in bytes
   */
  push(update, size) {
    if (this.#recent === undefined) this.#deliver(update, size);
    else this.#keep(this.#recent, { update, size }, size);
  }

  /**
   * A plain text chunk.
   * @param {RawUpdate} update
   * @param {string} text of it
   * @param {number} size in bytes
   */
  pushText(update, text, size) {
    if (this.#recent === undefined) this.#deliver(update, size);
    else this.#keep(this.#recent, text, text.length + ENVELOPE_BYTES);
  }

  /**
   * A stream of what comes; the first one begins with what was kept.
   * @param {(dropped: number) => void} onDropped told how many older ones there were
   */
  open(onDropped) {
    /** @type {Stream<RawUpdate>} */
    const stream = new Stream(this.#unread, (left) => this.#streams.delete(left));
    for (const { update, size } of this.#takeKept(onDropped)) stream.push(update, size);
    if (this.#isEnded) stream.end();
    else this.#streams.add(stream);
    return stream;
  }

  /** @param {import('./stream').Failure | undefined} failure */
  end(failure) {
    this.#isEnded = true;
    for (const stream of this.#streams) stream.end(failure);
    this.#streams.clear();
  }

  /**
   * @param {RawUpdate} update
   * @param {number} size
   */
  #deliver(update, size) {
    for (const stream of this.#streams) stream.push(update, size);
  }

  /**
   * @param {Kept[]} recent
   * @param {Kept} kept
   * @param {number} size
   */
  #keep(recent, kept, size) {
    recent.push(kept);
    this.#recentBytes += size;
    if (this.#recentBytes < KEPT_BYTES) return;
    this.#dropped += this.#older.length;
    this.#older = recent;
    this.#recent = [];
    this.#recentBytes = 0;
  }

  /** @param {(dropped: number) => void} onDropped */
  #takeKept(onDropped) {
    if (this.#recent === undefined) return [];
    const kept = [...this.#older, ...this.#recent].map(whole);
    let bytes = kept.reduce((sum, { size }) => sum + size, 0);
    let first = 0;
    for (; bytes > KEPT_BYTES; first += 1) bytes -= kept[first]?.size ?? 0;
    this.#recent = undefined;
    this.#older = [];
    if (this.#dropped + first > 0) onDropped(this.#dropped + first);
    return kept.slice(first);
  }
}

/** @param {Kept} kept */
function whole(kept) {
  if (typeof kept !== 'string') return kept;
  return { update: textUpdate(kept), size: kept.length + ENVELOPE_BYTES };
}

module.exports = { SessionUpdates };
