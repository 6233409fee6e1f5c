'use strict';
// Pulls the lane: chunk by chunk, entry by entry, in the order of the wire. The native side wakes
// once, then this pulls with setImmediate, so that timers and I/O of the program have their turn.
// The tags are those of src/client/entries.rs.

const { setImmediate, setTimeout } = require('./schedule');

const UPDATE = 0;
const CALL = 1;
const TEXT = 5;
/** Of the session of the text before it in the chunk. */
const MORE_TEXT = 15;
const LARGE_TEXT = 17;

/**
 * Who gets the entries: a method for each kind of entry.
 * @typedef {Pick<
 *   import('./deliveries').Deliveries,
 *   | 'endChunk' | 'onText' | 'onLargeText' | 'onUpdate' | 'onCall' | 'onResult' | 'onError' | 'onNotification'
 *   | 'onRequest' | 'onCallCancelled' | 'onDiagnostic' | 'onEnd' | 'onStderr' | 'onToolsReport'
 *   | 'onCallRefused' | 'onTrace' | 'onRequestCancelled' | 'onTerminalExit' | 'onFault'
 * >} Receiver
 *
 * Members are `any` here and nowhere else: their types go by the tag, and the native side keeps to them.
 * @typedef {object} Entry
 * @property {number} length how many members it has, its tag included
 * @property {(to: Receiver, first: any, second: any, third: any) => void} deliver
 */

/**
 * The entries that are not hot, by tag.
 * @type {Map<number, Entry>}
 */
const OTHERS = new Map([
  [2, { length: 3, deliver: (to, id, result) => to.onResult(id, result) }],
  [3, { length: 3, deliver: (to, id, error) => to.onError(id, error) }],
  [4, { length: 3, deliver: (to, method, params) => to.onNotification(method, params) }],
  [6, { length: 4, deliver: (to, key, method, params) => to.onRequest(key, method, params) }],
  [7, { length: 2, deliver: (to, key) => to.onCallCancelled(key) }],
  [8, { length: 2, deliver: (to, diagnostic) => to.onDiagnostic(diagnostic) }],
  [9, { length: 2, deliver: (to, end) => to.onEnd(end) }],
  [10, { length: 2, deliver: (to, line) => to.onStderr(line) }],
  [11, { length: 2, deliver: (to, report) => to.onToolsReport(report) }],
  [12, { length: 3, deliver: (to, tool, params) => to.onCallRefused(tool, params) }],
  [13, { length: 4, deliver: (to, isIncoming, line, at) => to.onTrace(isIncoming, line, at) }],
  [14, { length: 2, deliver: (to, key) => to.onRequestCancelled(key) }],
  [
    16,
    { length: 4, deliver: (to, number, code, signal) => to.onTerminalExit(number, code, signal) },
  ],
]);

/** While too much is unread, one chunk in this time: it slows the agent down and stops nothing. */
const TRICKLE_MS = 50;

/** The reading end of one client's lane. */
class Lane {
  #native;
  #receiver;
  #progress;
  #isPulling = false;

  /**
   * @param {Pick<import('./types').NativeClient, 'take'>} native
   * @param {Receiver} receiver
   * @param {import('./kept').Progress} progress
   */
  constructor(native, receiver, progress) {
    this.#native = native;
    this.#receiver = receiver;
    this.#progress = progress;
  }

  /** Called by the native side when the lane is no longer empty. */
  wake() {
    if (this.#isPulling) return;
    this.#isPulling = true;
    this.#pull();
  }

  #pull() {
    const chunk = this.#native.take();
    if (chunk === null) {
      this.#isPulling = false;
      return;
    }
    this.#deliver(chunk);
    if (this.#receiver.endChunk()) setTimeout(() => this.#pull(), TRICKLE_MS);
    else setImmediate(() => this.#pull());
  }

  /** @param {string} chunk a JSON array, the members of its entries one after the other */
  #deliver(chunk) {
    const receiver = this.#receiver;
    /** @type {any[]} */
    const members = JSON.parse(chunk);
    const length = members.length;
    // An estimate is enough to bound what waits unread: characters of a chunk are of one size.
    const size = chunk.length / length;
    let session = '';
    let at = 0;
    while (at < length) {
      const tag = members[at];
      const first = members[at + 1];
      // Whatever fails in one entry, the next ones are delivered.
      try {
        switch (tag) {
          case MORE_TEXT:
            at += 2;
            receiver.onText(session, first, size * 2);
            break;
          case TEXT:
            at += 3;
            session = first;
            receiver.onText(session, members[at - 1], size * 3);
            break;
          case UPDATE:
            at += 2;
            receiver.onUpdate(first, size * 2);
            break;
          case LARGE_TEXT:
            at += 3;
            receiver.onLargeText(first, members[at - 1], size * 3);
            break;
          case CALL:
            at += 4;
            receiver.onCall(first, members[at - 2], members[at - 1]);
            break;
          default: {
            const other = OTHERS.get(tag);
            if (other === undefined) {
              // Nothing behind an entry of unknown length can be read.
              at = length;
              throw new Error(`expected a known entry, got tag ${tag}`);
            }
            const from = at;
            at += other.length;
            other.deliver(receiver, first, members[from + 2], members[from + 3]);
          }
        }
      } catch (error) {
        receiver.onFault(error);
      }
      if (tag === MORE_TEXT || tag === TEXT || tag === UPDATE || tag === LARGE_TEXT)
        this.#progress.updates += 1;
    }
  }
}

module.exports = { Lane };
