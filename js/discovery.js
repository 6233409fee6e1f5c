'use strict';
// Answers mm's request for the list of tools, while the session it asks for is being opened.
// Source: docs/protocol.md, "Discovery".

const { errorText } = require('./result');

const TOOLS_LIST = '_org.mini-me/tools/list';

/** The list side of one client; it has: options, requests, sessions, tools, emit(), diagnose(). */
class Discovery {
  #client;

  constructor(client) {
    this.#client = client;
    client.requests.set(TOOLS_LIST, (params, context) => this.#answer(params, context));
  }

  async #answer(params, context) {
    const { sessionId, cwd } = params ?? {};
    if (this.#client.options.discovery === 'meta') this.#tellMismatch(sessionId);
    this.#client.emit('toolsRequested', { sessionId, cwd });
    const more = await this.#more({ sessionId, cwd }, context);
    return { tools: this.#give(sessionId, more) };
  }

  /** The tools of this session besides the client's own. */
  async #more({ sessionId, cwd }, context) {
    const { tools } = this.#client.options;
    const opening = this.#client.sessions.toolsOfOpening(sessionId);
    if (typeof tools !== 'function') return opening;
    try {
      const given = await tools({ sessionId, cwd, signal: context.signal });
      if (!Array.isArray(given)) throw new TypeError('expected an array of tools');
      return [...given, ...opening];
    } catch (error) {
      this.#tellFailure(sessionId, error);
      return opening;
    }
  }

  #give(sessionId, more) {
    try {
      return this.#client.tools.give(sessionId, more);
    } catch (error) {
      this.#tellFailure(sessionId, error);
      return this.#client.tools.give(sessionId, []);
    }
  }

  #tellMismatch(sessionId) {
    const message =
      'mm asked for the list of tools, which was announced before; it is given again: set discovery to "request", or acp.clientTools.discovery of the agent file to meta';
    this.#client.diagnose('discovery-mismatch', message, { sessionId });
  }

  #tellFailure(sessionId, error) {
    const message = `the option tools gave no list for session ${sessionId}, the client's own tools are lent to it: ${errorText(error)}`;
    this.#client.diagnose('tools-function-failed', message, { sessionId });
  }
}

module.exports = { Discovery, TOOLS_LIST };
