'use strict';
// A session as users hold it: its state as the agent tells it, its prompts, its updates.

const { cancelOptions, callOptions } = require('./options');
const { promptContent } = require('./content');
const { asyncDispose } = require('./dispose');
const { createError } = require('./errors');
const { isObject } = require('./json');
const { Prompts } = require('./prompts');
const { SessionState, mergeCall } = require('./session-state');
const { SessionUpdates } = require('./session-updates');
const { textOf } = require('./turn');

/**
 * @typedef {import('../index').ContentBlock} ContentBlock
 * @typedef {import('../index').Session} PublicSession
 * @typedef {import('../index').SessionUpdate} SessionUpdate
 * @typedef {import('./types').RawUpdate} RawUpdate
 */

/**
 * See `Session` in index.d.ts. What the agent tells of it is kept as it came.
 * @implements {PublicSession}
 */
class Session {
  #client;
  #prompts;
  #updates;
  #state = new SessionState();
  #isClosed = false;
  #cwd = '';
  /** @type {Record<string, unknown>} */
  #raw = {};

  /**
   * @param {import('./client').Client} client
   * @param {string} id
   */
  constructor(client, id) {
    this.#client = client;
    this.id = id;
    this.#updates = new SessionUpdates(client.unread);
    const problem = () => client.problem() ?? (this.#isClosed ? closed(id) : undefined);
    this.#prompts = new Prompts({
      id,
      client: {
        unread: client.unread,
        native: client.native,
        problem,
        send: (method, params, on) => client.send(method, params, on),
        letGo: (requestId) => client.letGo(requestId),
        hold: () => client.hold(),
        release: () => client.release(),
        notifyAgent: (method, params) => client.notifyAgent(method, params),
        abortSession: (sessionId, reason) => client.abortSession(sessionId, reason),
      },
    });
  }

  get cwd() {
    return this.#cwd;
  }

  get raw() {
    return this.#raw;
  }

  get modes() {
    return this.#state.modes;
  }

  get configOptions() {
    return this.#state.configOptions;
  }

  get commands() {
    return this.#state.commands;
  }

  get title() {
    return this.#state.title;
  }

  get usage() {
    return this.#state.usage;
  }

  /**
   * @param {ContentBlock | readonly ContentBlock[] | string} input
   * @param {import('../index').CallOptions} options
   */
  prompt(input, options = {}) {
    try {
      const checked = callOptions(options);
      const can = (/** @type {string} */ need) => this.#client.can('promptCapabilities', need);
      return this.#prompts.start(promptContent(input, can), checked);
    } catch (error) {
      // What is wrong with a prompt reaches whoever awaits its turn, as everything else does.
      return this.#prompts.refuse(error);
    }
  }

  /** @param {{ timeoutMs?: number }} options */
  async cancel(options = {}) {
    const checked = cancelOptions(options);
    const turn = this.#prompts.running?.turn;
    if (turn !== undefined) await this.#prompts.cancel(turn, checked);
  }

  /** @param {string} modeId */
  async setMode(modeId) {
    await this.#call('session/set_mode', { modeId }, () => this.#state.setMode(modeId));
  }

  /**
   * @param {string} configId
   * @param {string | boolean} value
   */
  async setConfigOption(configId, value) {
    const type = typeof value === 'boolean' ? { type: 'boolean' } : {};
    await this.#call('session/set_config_option', { configId, value, ...type }, (answer) => {
      if (isObject(answer)) this.#state.open(answer);
    });
  }

  /** @returns {AsyncIterableIterator<SessionUpdate>} */
  updates() {
    const stream = this.#updates.open((dropped) => {
      const message = `${dropped} older updates of the session were dropped before updates() was called`;
      this.#client.diagnose('unread-updates', message, { sessionId: this.id, dropped });
    });
    return /** @type {AsyncIterableIterator<any>} */ (stream);
  }

  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      if (
        this.#client.problem() === undefined &&
        this.#client.can('sessionCapabilities', 'close')
      ) {
        const { closeTimeoutMs: timeoutMs } = this.#client.options;
        await this.#client.call('session/close', { sessionId: this.id }, { timeoutMs });
      }
    } finally {
      this.#client.sessions.forget(this);
      this.end(closed(this.id));
    }
  }

  async [asyncDispose]() {
    try {
      await this.close();
    } catch {
      // Disposing never throws: what is left of the session ends with the agent.
    }
  }

  // ---- for the client

  /**
   * The agent has answered the opening request.
   * @param {string} cwd
   * @param {Record<string, unknown>} raw
   */
  opened(cwd, raw) {
    this.#cwd = cwd;
    this.#raw = raw;
    this.#state.open(raw);
  }

  /**
   * What the running turn's updates told of a tool call, merged.
   * @param {unknown} toolCallId
   */
  known(toolCallId) {
    return this.#prompts.running?.known.get(toolCallId);
  }

  /**
   * A plain text chunk, the one update that is hot.
   * @param {RawUpdate} update
   * @param {string} text of it
   * @param {number} size in bytes
   */
  receiveText(update, text, size) {
    this.#updates.pushText(update, text, size);
    const run = this.#prompts.running;
    if (run === undefined) return;
    if (!run.hasSign) this.#prompts.sign();
    if (!run.turn.isSettled) run.turn.deliver(update, text, size);
  }

  /**
   * @param {RawUpdate} update
   * @param {number} size in bytes
   */
  receive(update, size) {
    this.#state.remember(update);
    this.#updates.push(update, size);
    const run = this.#prompts.running;
    if (run === undefined) return;
    this.#prompts.sign();
    const kind = update.sessionUpdate;
    if (kind === 'tool_call' || kind === 'tool_call_update') mergeCall(run.known, update);
    if (!run.turn.isSettled) run.turn.deliver(update, textOf(update), size);
  }

  /**
   * History, replayed while the session is being loaded: it belongs to no turn.
   * @param {RawUpdate} update
   */
  replay(update) {
    this.#state.remember(update);
  }

  /** The agent asked something of this session: a sign of its turn. */
  sign() {
    this.#prompts.sign();
  }

  /**
   * The session or the client has ended.
   * @param {unknown} error
   */
  end(error) {
    this.#prompts.end(error);
    this.#updates.end(this.#isClosed ? undefined : { error });
  }

  /**
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {(answer: unknown) => void} onAnswer called before what comes behind the answer is delivered
   */
  async #call(method, params, onAnswer) {
    if (this.#isClosed) throw closed(this.id);
    await this.#client.call(method, { sessionId: this.id, ...params }, {}, { onAnswer });
  }
}

/** @param {string} sessionId */
function closed(sessionId) {
  return createError('MM_ERR_CLOSED', 'expected an open session, this one is closed', {
    sessionId,
  });
}

module.exports = { Session };
