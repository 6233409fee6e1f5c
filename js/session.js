'use strict';
// A session as users hold it: its state as the agent tells it, its prompts, its updates.

const { cancelOptions, callOptions } = require('./options');
const { promptContent } = require('./content');
const { createError } = require('./errors');
const { Prompts } = require('./prompts');

/** See `Session` in index.d.ts. */
class Session {
  #client;
  #prompts;
  #isClosed = false;

  /** `client` has: unread, problem(), send(), notifyAgent(), abortSession(), capabilities(). */
  constructor(client, id, cwd, raw) {
    this.#client = client;
    this.id = id;
    this.cwd = cwd;
    this.raw = raw;
    this.modes = raw.modes ?? undefined;
    this.configOptions = raw.configOptions ?? undefined;
    this.commands = undefined;
    this.title = undefined;
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

  prompt(input, options = {}) {
    const checked = callOptions(options);
    return this.#prompts.start(promptContent(input, this.#client.promptCapabilities()), checked);
  }

  cancel(options = {}) {
    const checked = cancelOptions(options);
    const turn = this.#prompts.running?.turn;
    return turn === undefined ? Promise.resolve() : this.#prompts.cancel(turn, checked);
  }

  /** What the running turn's updates told of a tool call, merged. */
  known(toolCallId) {
    return this.#prompts.running?.known.get(toolCallId);
  }

  /** A plain text chunk, the one update that is hot. */
  receiveText(update, text, size) {
    const run = this.#prompts.running;
    if (run === undefined) return;
    if (!run.hasSign) this.#prompts.sign();
    if (!run.turn.isSettled) run.turn.deliver(update, text, size);
  }

  receive(update, size) {
    this.#remember(update);
    const run = this.#prompts.running;
    if (run === undefined) return;
    this.#prompts.sign();
    const kind = update.sessionUpdate;
    if (kind === 'tool_call' || kind === 'tool_call_update') mergeCall(run.known, update);
    const isText = kind === 'agent_message_chunk' && update.content?.type === 'text';
    const text = isText ? update.content.text : undefined;
    if (!run.turn.isSettled) run.turn.deliver(update, text, size);
  }

  /** The agent asked something of this session: a sign of its turn. */
  sign() {
    this.#prompts.sign();
  }

  /** The client has ended. */
  end(error) {
    this.#prompts.end(error);
  }

  #remember(update) {
    switch (update.sessionUpdate) {
      case 'available_commands_update':
        this.commands = update.availableCommands;
        break;
      case 'current_mode_update':
        this.modes = { availableModes: [], ...this.modes, currentModeId: update.currentModeId };
        break;
      case 'config_option_update':
        this.configOptions = update.configOptions;
        break;
      case 'session_info_update':
        if (update.title !== undefined) this.title = update.title ?? undefined;
        break;
      case 'usage_update': {
        const { sessionUpdate: _, ...usage } = update;
        this.usage = usage;
        break;
      }
      default:
    }
  }
}

/** Members that an update leaves out stay; those it gives, also null, replace. */
function mergeCall(known, update) {
  const { sessionUpdate: _, ...members } = update;
  if (typeof members.toolCallId !== 'string') return;
  known.set(members.toolCallId, { ...known.get(members.toolCallId), ...members });
}

function closed(sessionId) {
  return createError('MM_ERR_CLOSED', 'expected an open session, this one is closed', {
    sessionId,
  });
}

module.exports = { Session };
