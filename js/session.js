'use strict';
// A session as users hold it: its state as the agent tells it, its prompts, its updates.

const { cancelOptions, callOptions } = require('./options');
const { promptContent } = require('./content');
const { createError } = require('./errors');
const { Prompts } = require('./prompts');
const { textOf } = require('./turn');

/**
 * @typedef {import('../index').AvailableCommand} AvailableCommand
 * @typedef {import('../index').ConfigOption} ConfigOption
 * @typedef {import('../index').Session} PublicSession
 * @typedef {import('../index').SessionModes} SessionModes
 * @typedef {Pick<import('./client').Client, 'promptCapabilities'>} Capable
 * @typedef {import('./prompts').PromptsClient & Capable} SessionClient
 * @typedef {import('../index').Usage} Usage
 * @typedef {import('./types').RawToolCall} RawToolCall
 * @typedef {import('./types').RawUpdate} RawUpdate
 */

/**
 * See `Session` in index.d.ts. What the agent tells of it is kept as it came.
 * @implements {PublicSession}
 */
class Session {
  #client;
  #prompts;
  #isClosed = false;

  /**
   * @param {SessionClient} client
   * @param {string} id
   * @param {string} cwd
   * @param {Record<string, unknown>} raw
   */
  constructor(client, id, cwd, raw) {
    this.#client = client;
    this.id = id;
    this.cwd = cwd;
    this.raw = raw;
    this.modes = /** @type {SessionModes | undefined} */ (raw.modes ?? undefined);
    this.configOptions = /** @type {ConfigOption[] | undefined} */ (raw.configOptions ?? undefined);
    /** @type {AvailableCommand[] | undefined} */
    this.commands = undefined;
    /** @type {string | undefined} */
    this.title = undefined;
    /** @type {Usage | undefined} */
    this.usage = undefined;
    const problem = () => client.problem() ?? (this.#isClosed ? closed(id) : undefined);
    this.#prompts = new Prompts({
      id,
      client: {
        unread: client.unread,
        native: client.native,
        problem,
        send: (method, params, on) => client.send(method, params, on),
        notifyAgent: (method, params) => client.notifyAgent(method, params),
        abortSession: (sessionId, reason) => client.abortSession(sessionId, reason),
      },
    });
  }

  /**
   * @param {import('../index').ContentBlock | readonly import('../index').ContentBlock[] | string} input
   * @param {import('../index').CallOptions} options
   */
  prompt(input, options = {}) {
    const checked = callOptions(options);
    return this.#prompts.start(promptContent(input, this.#client.promptCapabilities()), checked);
  }

  /** @param {{ timeoutMs?: number }} options */
  cancel(options = {}) {
    const checked = cancelOptions(options);
    const turn = this.#prompts.running?.turn;
    return turn === undefined ? Promise.resolve() : this.#prompts.cancel(turn, checked);
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
    this.#remember(update);
    const run = this.#prompts.running;
    if (run === undefined) return;
    this.#prompts.sign();
    const kind = update.sessionUpdate;
    if (kind === 'tool_call' || kind === 'tool_call_update') mergeCall(run.known, update);
    if (!run.turn.isSettled) run.turn.deliver(update, textOf(update), size);
  }

  /** The agent asked something of this session: a sign of its turn. */
  sign() {
    this.#prompts.sign();
  }

  /**
   * The client has ended.
   * @param {unknown} error
   */
  end(error) {
    this.#prompts.end(error);
  }

  /** @param {RawUpdate} update */
  #remember(update) {
    switch (update.sessionUpdate) {
      case 'available_commands_update':
        this.commands = /** @type {AvailableCommand[]} */ (update.availableCommands);
        break;
      case 'current_mode_update':
        this.modes = {
          availableModes: [],
          ...this.modes,
          currentModeId: /** @type {string} */ (update.currentModeId),
        };
        break;
      case 'config_option_update':
        this.configOptions = /** @type {ConfigOption[]} */ (update.configOptions);
        break;
      case 'session_info_update':
        if (update.title === undefined) break;
        this.title = /** @type {string | undefined} */ (update.title ?? undefined);
        break;
      case 'usage_update': {
        const { sessionUpdate: _, ...usage } = update;
        this.usage = /** @type {Usage} */ (/** @type {unknown} */ (usage));
        break;
      }
      default:
    }
  }
}

/**
 * Members that an update leaves out stay; those it gives, also null, replace.
 * @param {Map<unknown, RawToolCall>} known
 * @param {RawUpdate} update
 */
function mergeCall(known, update) {
  const { sessionUpdate: _, ...members } = update;
  if (typeof members.toolCallId !== 'string') return;
  known.set(members.toolCallId, { ...known.get(members.toolCallId), ...members });
}

/** @param {string} sessionId */
function closed(sessionId) {
  return createError('MM_ERR_CLOSED', 'expected an open session, this one is closed', {
    sessionId,
  });
}

module.exports = { Session };
