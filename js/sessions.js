'use strict';
// Opens sessions and brings updates to them, also those that come before the session is known.

const { createError } = require('./errors');
const { absolute } = require('./options');
const { Session } = require('./session');

/** What is kept for a session that is being opened, in bytes. */
const EARLY_BYTES = 1024 * 1024;

/** The sessions of one client; `client` has what Session needs, and: diagnose(), isOpening. */
class Sessions {
  #client;
  #early = new Map();
  #earlyBytes = 0;
  #openings = 0;
  /** Tools of the session that `session/new` is opening; one at a time where it matters. */
  #toolsOfNew = [];
  #gate = Promise.resolve();
  #strangers = new Set();

  constructor(client) {
    this.#client = client;
    this.byId = new Map();
  }

  /** Opens a session by `session/new`. */
  async open(options) {
    const { cwd, mcpServers = [], additionalDirectories, params, signal, timeoutMs } = options;
    const { tools = [] } = options;
    this.#checkTools(options.tools);
    const folder = absolute(cwd);
    const request = {
      cwd: folder,
      mcpServers,
      ...(additionalDirectories !== undefined && { additionalDirectories }),
      ...params,
    };
    const leave = await this.#enter();
    this.#toolsOfNew = tools;
    return new Promise((resolve, reject) => {
      this.#client
        .call(
          'session/new',
          request,
          { signal, timeoutMs },
          {
            // The session is there before the entries behind its answer are delivered.
            onAnswer: (raw) => this.#opened(raw, folder),
            onSettled: leave,
          },
        )
        .then(resolve, reject);
    });
  }

  /** The tools that whoever opens this session gave for it. */
  toolsOfOpening(sessionId) {
    return this.byId.has(sessionId) ? [] : this.#toolsOfNew;
  }

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
    let leave;
    const mine = new Promise((resolve) => {
      leave = resolve;
    });
    if (this.#client.options.discovery === 'request') {
      this.#gate = mine;
      await before;
    }
    this.#openings += 1;
    return () => {
      this.#toolsOfNew = [];
      this.#openings -= 1;
      if (this.#openings === 0) this.#dropEarly();
      leave();
    };
  }

  #opened(raw, cwd) {
    const id = raw?.sessionId;
    if (typeof id !== 'string') {
      const message = 'session/new: expected an answer with sessionId';
      throw createError('MM_ERR_MESSAGE_INVALID', message, { result: raw });
    }
    const session = new Session(this.#client, id, cwd, raw);
    this.byId.set(id, session);
    for (const { update, size } of this.#early.get(id) ?? []) session.receive(update, size);
    this.#early.delete(id);
    return session;
  }

  receiveText(sessionId, update, text, size) {
    const session = this.byId.get(sessionId);
    if (session !== undefined) session.receiveText(update, text, size);
    else this.#receiveEarly(sessionId, update, size);
  }

  receive(sessionId, update, size) {
    const session = this.byId.get(sessionId);
    if (session !== undefined) session.receive(update, size);
    else this.#receiveEarly(sessionId, update, size);
  }

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

  #tellStranger(sessionId) {
    if (this.#strangers.has(sessionId)) return;
    this.#strangers.add(sessionId);
    const message = `updates came for a session that is not open here: ${sessionId}`;
    this.#client.diagnose('update-unknown-session', message, { sessionId });
  }

  end(error) {
    for (const session of this.byId.values()) session.end(error);
  }
}

module.exports = { Sessions };
