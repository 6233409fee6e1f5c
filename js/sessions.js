'use strict';
// Opens sessions and brings updates to them, also those that come before the session is known.

const { createError } = require('./errors');
const { isObject } = require('./json');
const { absolute } = require('./options');
const { Session } = require('./session');

/** What is kept for a session that is being opened, in bytes. */
const EARLY_BYTES = 1024 * 1024;

/**
 * @typedef {import('../index').AnyTool} AnyTool
 * @typedef {import('./types').RawUpdate} RawUpdate
 */

/** The sessions of one client. */
class Sessions {
  #client;
  /** @type {Map<string, { update: RawUpdate, size: number }[]>} */
  #early = new Map();
  #earlyBytes = 0;
  #openings = 0;
  /**
   * Tools of the session that `session/new` is opening: one at a time, where it matters.
   * @type {readonly AnyTool[]}
   */
  #toolsOfNew = [];
  #gate = Promise.resolve();
  /** @type {Set<string>} */
  #strangers = new Set();

  /** @param {import('./client').Client} client */
  constructor(client) {
    this.#client = client;
    /** @type {Map<string, Session>} */
    this.byId = new Map();
  }

  /**
   * Opens a session by `session/new`.
   * @param {import('./types').CheckedSessionOptions} options
   */
  async open(options) {
    const { cwd, mcpServers = [], additionalDirectories, params, signal, timeoutMs } = options;
    this.#checkTools(options.tools);
    const folder = absolute(cwd);
    const request = {
      cwd: folder,
      mcpServers,
      ...(additionalDirectories !== undefined && { additionalDirectories }),
      ...params,
    };
    const leave = await this.#enter();
    this.#toolsOfNew = options.tools ?? [];
    const on = {
      // The session is there before the entries behind its answer are delivered.
      onAnswer: (/** @type {unknown} */ raw) => this.#opened(raw, folder),
      onSettled: leave,
    };
    return await this.#client.call('session/new', request, { signal, timeoutMs }, on);
  }

  /**
   * The tools that whoever opens this session gave for it.
   * @param {string} sessionId
   */
  toolsOfOpening(sessionId) {
    return this.byId.has(sessionId) ? [] : this.#toolsOfNew;
  }

  /** @param {readonly AnyTool[] | undefined} tools */
  #checkTools(tools) {
    if (tools === undefined) return;
    if (this.#client.options.discovery === 'meta') {
      const message =
        'session options: expected tools only with discovery "request"; with "meta" one list holds for all sessions';
      throw createError('MM_ERR_OPTION', message, { option: 'tools' });
    }
    this.#client.tools.check(tools);
  }

  /** A list request of mm names an id nobody knows: with request discovery, openings take turns. */
  async #enter() {
    const before = this.#gate;
    /** @type {(() => void) | undefined} */
    let open;
    if (this.#client.options.discovery === 'request') {
      this.#gate = new Promise((resolve) => {
        open = resolve;
      });
      await before;
    }
    this.#openings += 1;
    return () => {
      this.#toolsOfNew = [];
      this.#openings -= 1;
      if (this.#openings === 0) this.#dropEarly();
      open?.();
    };
  }

  /**
   * @param {unknown} raw
   * @param {string} cwd
   */
  #opened(raw, cwd) {
    if (!isObject(raw) || typeof raw.sessionId !== 'string') {
      const message = 'session/new: expected an answer with sessionId';
      throw createError('MM_ERR_MESSAGE_INVALID', message, { result: raw });
    }
    const id = raw.sessionId;
    const session = new Session(this.#client, id, cwd, raw);
    this.byId.set(id, session);
    for (const { update, size } of this.#early.get(id) ?? []) session.receive(update, size);
    this.#early.delete(id);
    return session;
  }

  /**
   * @param {string} sessionId
   * @param {RawUpdate} update
   * @param {string} text of it
   * @param {number} size in bytes
   */
  receiveText(sessionId, update, text, size) {
    const session = this.byId.get(sessionId);
    if (session !== undefined) session.receiveText(update, text, size);
    else this.#receiveEarly(sessionId, update, size);
  }

  /**
   * @param {string} sessionId
   * @param {RawUpdate} update
   * @param {number} size in bytes
   */
  receive(sessionId, update, size) {
    const session = this.byId.get(sessionId);
    if (session !== undefined) session.receive(update, size);
    else this.#receiveEarly(sessionId, update, size);
  }

  /**
   * @param {string} sessionId
   * @param {RawUpdate} update
   * @param {number} size
   */
  #receiveEarly(sessionId, update, size) {
    if (this.#openings > 0 && this.#earlyBytes + size <= EARLY_BYTES) {
      const updates = this.#early.get(sessionId) ?? [];
      updates.push({ update, size });
      this.#early.set(sessionId, updates);
      this.#earlyBytes += size;
      return;
    }
    this.#tellStranger(sessionId);
  }

  #dropEarly() {
    for (const sessionId of this.#early.keys()) this.#tellStranger(sessionId);
    this.#early.clear();
    this.#earlyBytes = 0;
  }

  /** @param {string} sessionId */
  #tellStranger(sessionId) {
    if (this.#strangers.has(sessionId)) return;
    this.#strangers.add(sessionId);
    const message = `updates came for a session that is not open here: ${sessionId}`;
    this.#client.diagnose('update-unknown-session', message, { sessionId });
  }

  /** @param {unknown} error */
  end(error) {
    for (const session of this.byId.values()) session.end(error);
  }
}

module.exports = { Sessions };
