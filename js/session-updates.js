'use strict';
// All updates of a session, for whoever asks: also those that belong to no turn, and the last of those
// that came before anybody asked. The native side keeps them; those that were under way when it began
// to are kept here.

const { keptUpdates } = require('./kept');
const { Stream } = require('./stream');

/** How much is kept for the first who asks, in bytes. */
const KEPT_BYTES = 1024 * 1024;

/**
 * @typedef {import('./kept').Kept} Kept
 * @typedef {import('./types').RawUpdate} RawUpdate
 * @typedef {import('./types').NativeHistory} NativeHistory
 *
 * @typedef {object} UpdatesClient
 * @property {import('./stream').Unread} unread shared by a client's streams
 * @property {Readonly<import('./kept').Progress>} progress
 * @property {Pick<import('./types').NativeClient, 'keepHistory'>} native
 */

/** The updates of one session. */
class SessionUpdates {
  #client;
  #sessionId;
  /** @type {Set<Stream<RawUpdate>>} */
  #streams = new Set();
  #isOpen = false;
  /**
   * How many updates of the client had been delivered when the session ended.
   * @type {number | undefined}
   */
  #endedAt;
  /** @type {NativeHistory | undefined} */
  #history;
  /** The number of the first update that the native side keeps. */
  #from = Number.POSITIVE_INFINITY;
  /**
   * The last updates kept here, and those before: whole generations are dropped, which costs nothing an
   * update.
   * @type {Kept[]}
   */
  #recent = [];
  /** @type {Kept[]} */
  #older = [];
  #recentBytes = 0;
  #dropped = 0;

  /**
   * @param {string} sessionId
   * @param {UpdatesClient} client
   */
  constructor(sessionId, client) {
    this.#sessionId = sessionId;
    this.#client = client;
  }

  /** From now on the native side keeps what comes, until somebody asks. */
  attach() {
    if (this.#isOpen || this.#history !== undefined || this.#endedAt !== undefined) return;
    this.#history = this.#client.native.keepHistory(this.#sessionId);
    this.#from = this.#history.from;
  }

  /** What comes for the session is not all delivered to it for a while: it is kept here, as it is. */
  detach() {
    if (this.#history === undefined) return;
    const kept = this.#takeKept();
    this.#older = [];
    this.#recent = kept;
    this.#recentBytes = kept.reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * @param {RawUpdate} update
   * @param {number} size in bytes
   */
  push(update, size) {
    if (this.#isOpen) for (const stream of this.#streams) stream.push(update, size);
    else if (this.#client.progress.updates < this.#from) this.#keep({ update, size });
  }

  /**
   * A stream of what comes; the first one begins with what was kept.
   * @param {(dropped: number) => void} onDropped told how many older ones there were
   */
  open(onDropped) {
    /** @type {Stream<RawUpdate>} */
    const stream = new Stream(this.#client.unread, (left) => this.#streams.delete(left));
    if (!this.#isOpen) {
      for (const { update, size } of this.#takeKept()) stream.push(update, size);
      if (this.#dropped > 0) onDropped(this.#dropped);
      this.#recent = [];
      this.#older = [];
      this.#isOpen = true;
    }
    if (this.#endedAt !== undefined) stream.end();
    else this.#streams.add(stream);
    return stream;
  }

  /** @param {import('./stream').Failure | undefined} failure */
  end(failure) {
    this.#endedAt ??= this.#client.progress.updates;
    this.#history?.stop();
    for (const stream of this.#streams) stream.end(failure);
    this.#streams.clear();
  }

  /** @param {Kept} kept */
  #keep(kept) {
    this.#recent.push(kept);
    this.#recentBytes += kept.size;
    if (this.#recentBytes < KEPT_BYTES) return;
    this.#dropped += this.#older.length;
    this.#older = this.#recent;
    this.#recent = [];
    this.#recentBytes = 0;
  }

  /** The last of what is kept, here and there; the native side keeps no more. */
  #takeKept() {
    const here = [...this.#older, ...this.#recent];
    const [dropped, there] = this.#takeHistory();
    // Those kept here are the older ones: without what was dropped there they are not the last.
    const kept = dropped > 0 ? there : [...here, ...there];
    let bytes = kept.reduce((sum, { size }) => sum + size, 0);
    let first = 0;
    for (; bytes > KEPT_BYTES; first += 1) bytes -= kept[first]?.size ?? 0;
    this.#dropped += dropped > 0 ? here.length + dropped : first;
    return dropped > 0 ? kept : kept.slice(first);
  }

  /** @returns {[dropped: number, kept: Kept[]]} */
  #takeHistory() {
    const history = this.#history;
    if (history === undefined) return [0, []];
    this.#history = undefined;
    this.#from = Number.POSITIVE_INFINITY;
    const json = history.take(this.#endedAt ?? this.#client.progress.updates);
    /** @type {[number, unknown[]]} */
    const [dropped, entries] = JSON.parse(json);
    return [dropped, keptUpdates(entries, json.length, this.#sessionId)];
  }
}

module.exports = { SessionUpdates };
