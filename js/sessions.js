'use strict';
// The sessions of a client, and how updates come to them: also those of a session that is being opened.

const { Openings } = require('./openings');

/** Of so many unknown sessions it is told. */
const TOLD_STRANGERS = 1000;
/** What is kept for a session that is being opened, in bytes. */
const EARLY_BYTES = 1024 * 1024;

/**
 * @typedef {import('./conversation').Conversation} Conversation
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
    /** @type {Map<string, Conversation>} */
    this.byId = new Map();
    /**
     * What users hold of them.
     * @type {Map<string, import('./session').Session>}
     */
    this.open = new Map();
    this.openings = new Openings(client, this);
  }

  /**
   * A session was opened; what came early is delivered to it.
   * @param {Conversation} conversation
   */
  add(conversation) {
    const { id } = conversation;
    this.byId.set(id, conversation);
    this.open.set(id, conversation.session);
    for (const { update, size } of this.#early.get(id) ?? []) conversation.receive(update, size);
    this.#early.delete(id);
    conversation.attach();
  }

  /**
   * A session was closed: nothing comes to it, nothing is lent to it, nothing runs in it.
   * @param {Conversation} conversation
   */
  forget(conversation) {
    const { id } = conversation;
    if (this.byId.get(id) === conversation) {
      this.byId.delete(id);
      this.open.delete(id);
    }
    this.#client.tools.forget(id);
    this.#client.lending.forget(id);
    this.#client.native.forgetList(id);
    this.#client.terminals?.forget(id);
  }

  /**
   * @param {string} sessionId
   * @param {RawUpdate} update
   * @param {string} text of it
   * @param {number} size in bytes
   */
  receiveText(sessionId, update, text, size) {
    if (this.openings.isReplaying && this.openings.replay(sessionId, update)) return;
    const conversation = this.byId.get(sessionId);
    if (conversation !== undefined) conversation.receiveText(update, text, size);
    else this.#receiveEarly(sessionId, update, size);
  }

  /**
   * @param {string} sessionId
   * @param {RawUpdate} update
   * @param {number} size in bytes
   */
  receive(sessionId, update, size) {
    if (this.openings.isReplaying && this.openings.replay(sessionId, update)) return;
    const conversation = this.byId.get(sessionId);
    if (conversation !== undefined) conversation.receive(update, size);
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
    for (const conversation of this.byId.values()) conversation.end(error);
    this.open.clear();
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
