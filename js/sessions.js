'use strict';
// The sessions of a client, and how updates come to them: also those of a session that is being opened.

const { Openings } = require('./openings');

/** Of so many unknown sessions it is told. */
const TOLD_STRANGERS = 1000;
/** What is kept for a session that is being opened, in bytes. */
const EARLY_BYTES = 1024 * 1024;

/**
 * @typedef {import('./session').Session} Session
 * @typedef {import('./types').RawUpdate} RawUpdate
 */

/** The sessions of one client. */
class Sessions {
  #client;
  /** @type {Map<string, { update: RawUpdate, size: number }[]>} */
  #early = new Map();
  #earlyBytes = 0;
  /** @type {Set<string>} */
  #strangers = new Set();

  /** @param {import('./client').Client} client */
  constructor(client) {
    this.#client = client;
    /** @type {Map<string, Session>} */
    this.byId = new Map();
    this.openings = new Openings(client, this);
  }

  /**
   * A session was opened; what came early is delivered to it.
   * @param {Session} session
   */
  add(session) {
    this.byId.set(session.id, session);
    for (const { update, size } of this.#early.get(session.id) ?? []) session.receive(update, size);
    this.#early.delete(session.id);
  }

  /**
   * A session was closed: nothing comes to it, nothing is lent to it, nothing runs in it.
   * @param {Session} session
   */
  forget(session) {
    if (this.byId.get(session.id) === session) this.byId.delete(session.id);
    this.#client.tools.forget(session.id);
    this.#client.native.forgetList(session.id);
    this.#client.terminals?.forget(session.id);
  }

  /**
   * @param {string} sessionId
   * @param {RawUpdate} update
   * @param {string} text of it
   * @param {number} size in bytes
   */
  receiveText(sessionId, update, text, size) {
    const session = this.byId.get(sessionId);
    if (session !== undefined && !this.openings.isReplaying)
      session.receiveText(update, text, size);
    else this.receive(sessionId, update, size);
  }

  /**
   * @param {string} sessionId
   * @param {RawUpdate} update
   * @param {number} size in bytes
   */
  receive(sessionId, update, size) {
    if (this.openings.isReplaying && this.openings.replay(sessionId, update)) return;
    const session = this.byId.get(sessionId);
    if (session !== undefined) session.receive(update, size);
    else this.#receiveEarly(sessionId, update, size);
  }

  /** Nothing is being opened any more: what came for nobody is told. */
  dropEarly() {
    for (const sessionId of this.#early.keys()) this.#tellStranger(sessionId);
    this.#early.clear();
    this.#earlyBytes = 0;
  }

  /** @param {unknown} error */
  end(error) {
    for (const session of this.byId.values()) session.end(error);
  }

  /**
   * @param {string} sessionId
   * @param {RawUpdate} update
   * @param {number} size
   */
  #receiveEarly(sessionId, update, size) {
    if (this.openings.isOpening && this.#earlyBytes + size <= EARLY_BYTES) {
      const updates = this.#early.get(sessionId) ?? [];
      updates.push({ update, size });
      this.#early.set(sessionId, updates);
      this.#earlyBytes += size;
      return;
    }
    this.#tellStranger(sessionId);
  }

  /** @param {string} sessionId */
  #tellStranger(sessionId) {
    if (this.#strangers.has(sessionId) || this.#strangers.size === TOLD_STRANGERS) return;
    this.#strangers.add(sessionId);
    const message = `updates came for a session that is not open here: ${sessionId}`;
    this.#client.diagnose('update-unknown-session', message, { sessionId });
  }
}

module.exports = { Sessions };
