'use strict';
// A session, as users hold it. What the client keeps of it, and does with it, is in conversation.js.

const { cancelOptions, callOptions, checkWord } = require('./options');
const { show } = require('./show');
const { promptContent } = require('./content');
const { asyncDispose } = require('./dispose');
const { createError } = require('./errors');
const { isObject } = require('./json');
const { Reader } = require('./stream');

/**
 * @typedef {import('../index').ContentBlock} ContentBlock
 * @typedef {import('../index').Session} PublicSession
 * @typedef {import('../index').SessionUpdate} SessionUpdate
 */

/**
 * See `Session` in index.d.ts.
 * @implements {PublicSession}
 */
class Session {
  #conversation;

  /** @param {import('./conversation').Conversation} conversation */
  constructor(conversation) {
    this.#conversation = conversation;
    this.id = conversation.id;
  }

  get cwd() {
    return this.#conversation.cwd;
  }

  get raw() {
    return this.#conversation.raw;
  }

  get modes() {
    return this.#conversation.state.modes;
  }

  get configOptions() {
    return this.#conversation.state.configOptions;
  }

  get commands() {
    return this.#conversation.state.commands;
  }

  get title() {
    return this.#conversation.state.title;
  }

  get usage() {
    return this.#conversation.state.usage;
  }

  /**
   * @param {ContentBlock | readonly ContentBlock[] | string} input
   * @param {import('../index').CallOptions} options
   */
  prompt(input, options = {}) {
    const { client, prompts } = this.#conversation;
    try {
      const checked = callOptions(options);
      const can = (/** @type {string} */ need) => client.can('promptCapabilities', need);
      return prompts.start(promptContent(input, can), checked);
    } catch (error) {
      // What is wrong with a prompt reaches whoever awaits its turn, as everything else does.
      return prompts.refuse(error);
    }
  }

  /** @param {{ timeoutMs?: number }} options */
  async cancel(options = {}) {
    const checked = cancelOptions(options);
    const { prompts } = this.#conversation;
    const course = prompts.current;
    if (course !== undefined) await prompts.cancel(course, checked);
  }

  /** @param {string} modeId */
  async setMode(modeId) {
    checkWord('modeId', 'the id of a mode', modeId);
    await this.#call('session/set_mode', { modeId }, () =>
      this.#conversation.state.setMode(modeId),
    );
  }

  /**
   * @param {string} configId
   * @param {string | boolean} value
   */
  async setConfigOption(configId, value) {
    checkWord('configId', 'the id of a setting', configId);
    if (typeof value !== 'string' && typeof value !== 'boolean') {
      const message = `expected the value of a setting to be text, true or false; got ${show(value)}`;
      throw createError('MM_ERR_OPTION', message, { option: 'value' });
    }
    const type = typeof value === 'boolean' ? { type: 'boolean' } : {};
    await this.#call('session/set_config_option', { configId, value, ...type }, (answer) => {
      if (isObject(answer)) this.#conversation.state.open(answer);
    });
  }

  /** @returns {AsyncIterableIterator<SessionUpdate>} */
  updates() {
    const { client, updates } = this.#conversation;
    const stream = updates.open((dropped) => {
      const message = `${dropped} older updates of the session were dropped before updates() was called`;
      client.diagnose('unread-updates', message, { sessionId: this.id, dropped });
    });
    return /** @type {AsyncIterableIterator<any>} */ (new Reader(stream));
  }

  close() {
    return this.#conversation.close();
  }

  async [asyncDispose]() {
    try {
      await this.close();
    } catch {
      // Disposing never throws: what is left of the session ends with the agent.
    }
  }

  /**
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {(answer: unknown) => void} onAnswer called before what comes behind the answer is delivered
   */
  async #call(method, params, onAnswer) {
    const problem = this.#conversation.closed();
    if (problem !== undefined) throw problem;
    const { client } = this.#conversation;
    await client.call(method, { sessionId: this.id, ...params }, {}, { onAnswer });
  }
}

module.exports = { Session };
