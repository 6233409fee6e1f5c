'use strict';
// One session, as the client keeps it: its state as the agent tells it, its prompts, its updates. What
// users hold of it is in session.js.

const { createError } = require('./errors');
const { Prompts } = require('./prompts');
const { Session } = require('./session');
const { SessionState, mergeCall } = require('./session-state');
const { SessionUpdates } = require('./session-updates');
const { textOf } = require('./turn');

/** @typedef {import('./types').RawUpdate} RawUpdate */

/** Whoever waits for an answer that nobody waits for. */
const NOBODY = { onResult: () => undefined, onError: () => undefined };

/** See the head. What the agent tells is kept as it came. */
class Conversation {
  #isClosed = false;
  #closing = Promise.resolve();
  state = new SessionState();
  cwd = '';
  /** @type {Record<string, unknown>} */
  raw = {};

  /**
   * @param {import('./client').Client} client
   * @param {string} id
   */
  constructor(client, id) {
    this.client = client;
    this.id = id;
    this.updates = new SessionUpdates(id, client);
    this.prompts = new Prompts({
      id,
      client: {
        unread: client.unread,
        progress: client.progress,
        native: client.native,
        problem: () => client.problem() ?? this.closed(),
        send: (method, params, on) => client.send(method, params, on),
        letGo: (requestId) => client.letGo(requestId),
        hold: () => client.hold(),
        release: () => client.release(),
        notifyAgent: (method, params) => client.notifyAgent(method, params),
        abortSession: (sessionId, reason) => client.abortSession(sessionId, reason),
      },
    });
    /** What users hold. */
    this.session = new Session(this);
  }

  /** Why nothing can be asked for in it; undefined while it is open. */
  closed() {
    if (!this.#isClosed) return undefined;
    const message = 'expected an open session, this one is closed';
    return createError('MM_ERR_CLOSED', message, { sessionId: this.id });
  }

  /**
   * The agent has answered the opening request.
   * @param {string} cwd
   * @param {Record<string, unknown>} raw
   */
  opened(cwd, raw) {
    this.cwd = cwd;
    this.raw = raw;
    this.state.open(raw);
  }

  /** It is among the client's sessions: updates come to it, all of its own. */
  attach() {
    this.updates.attach();
  }

  /** It is going to be opened again: what comes until then may be history. */
  detach() {
    this.updates.detach();
    this.prompts.running?.course.detach();
  }

  /**
   * What the running turn's updates told of a tool call, merged.
   * @param {unknown} toolCallId
   */
  known(toolCallId) {
    return this.prompts.running?.known.get(toolCallId);
  }

  /**
   * A plain text chunk, the one update that is hot.
   * @param {RawUpdate} update
   * @param {string} text of it
   * @param {number} size in bytes
   */
  receiveText(update, text, size) {
    this.updates.push(update, size);
    const run = this.prompts.running;
    if (run === undefined) return;
    if (!run.hasSign) this.prompts.sign();
    if (!run.course.isSettled) run.course.deliverText(update, text, size);
  }

  /**
   * @param {RawUpdate} update
   * @param {number} size in bytes
   */
  receive(update, size) {
    this.state.remember(update);
    this.updates.push(update, size);
    const run = this.prompts.running;
    if (run === undefined) return;
    this.prompts.sign();
    const kind = update.sessionUpdate;
    if (kind === 'tool_call' || kind === 'tool_call_update') mergeCall(run.known, update);
    if (!run.course.isSettled) run.course.deliver(update, textOf(update), size);
  }

  /**
   * History, replayed while the session is being loaded: it belongs to no turn.
   * @param {RawUpdate} update
   */
  replay(update) {
    this.state.remember(update);
  }

  /** The agent asked something of this session: a sign of its turn. */
  sign() {
    this.prompts.sign();
  }

  /**
   * The session or the client has ended.
   * @param {unknown} error
   */
  end(error) {
    this.prompts.end(error);
    this.updates.end(this.#isClosed ? undefined : { error });
  }

  /** Asks the agent once, and gives all who close it the same outcome. */
  close() {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#closing = this.#close();
    }
    return this.#closing;
  }

  /** The agent has deleted the session: there is nothing left to close. */
  deleted() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.client.sessions.forget(this);
    this.end(this.closed());
  }

  async #close() {
    try {
      if (this.client.problem() === undefined && this.client.can('sessionCapabilities', 'close')) {
        await this.#askToClose(this.client.options.closeTimeoutMs);
      }
    } finally {
      this.client.sessions.forget(this);
      this.end(this.closed());
    }
  }

  /** @param {number} timeoutMs 0: asked, and not waited for */
  async #askToClose(timeoutMs) {
    const params = { sessionId: this.id };
    if (timeoutMs > 0) await this.client.call('session/close', params, { timeoutMs });
    else this.client.letGo(this.client.send('session/close', params, NOBODY));
  }
}

module.exports = { Conversation };
