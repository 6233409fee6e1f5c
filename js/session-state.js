'use strict';
// What a session's updates tell of its state. It is kept as the agent told it.

/**
 * @typedef {import('../index').AvailableCommand} AvailableCommand
 * @typedef {import('../index').ConfigOption} ConfigOption
 * @typedef {import('../index').SessionModes} SessionModes
 * @typedef {import('../index').Usage} Usage
 * @typedef {import('./types').RawToolCall} RawToolCall
 * @typedef {import('./types').RawUpdate} RawUpdate
 */

/** The state of one session; undefined is what the agent never told. */
class SessionState {
  /** @type {SessionModes | undefined} */
  modes;
  /** @type {ConfigOption[] | undefined} */
  configOptions;
  /** @type {AvailableCommand[] | undefined} */
  commands;
  /** @type {string | undefined} */
  title;
  /** @type {Usage | undefined} */
  usage;

  /**
   * The answer to the opening request.
   * @param {Readonly<Record<string, unknown>>} raw
   */
  open(raw) {
    if (raw.modes) this.modes = /** @type {SessionModes} */ (raw.modes);
    if (raw.configOptions) this.configOptions = /** @type {ConfigOption[]} */ (raw.configOptions);
  }

  /** @param {string} currentModeId */
  setMode(currentModeId) {
    this.modes = { availableModes: [], ...this.modes, currentModeId };
  }

  /** @param {RawUpdate} update */
  remember(update) {
    switch (update.sessionUpdate) {
      case 'available_commands_update':
        this.commands = /** @type {AvailableCommand[]} */ (update.availableCommands);
        break;
      case 'current_mode_update':
        this.setMode(/** @type {string} */ (update.currentModeId));
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
 * What is known of a tool call that is under way. Members that an update leaves out stay; those it
 * gives, also null, replace. A call that has ended is forgotten: its output may be large.
 * @param {Map<unknown, RawToolCall>} known
 * @param {RawUpdate} update
 */
function mergeCall(known, update) {
  const { sessionUpdate: _, ...members } = update;
  if (typeof members.toolCallId !== 'string') return;
  if (members.status === 'completed' || members.status === 'failed') {
    known.delete(members.toolCallId);
  } else known.set(members.toolCallId, { ...known.get(members.toolCallId), ...members });
}

module.exports = { SessionState, mergeCall };
