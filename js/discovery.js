'use strict';
// Answers mm's request for the list of tools, while the session it asks for is being opened.
// Source: docs/protocol.md, "Discovery".

const { member } = require('./json');
const { errorText } = require('./result');

const TOOLS_LIST = '_org.mini-me/tools/list';

/**
 * @typedef {import('../index').AnyTool} AnyTool
 * @typedef {import('../index').ToolsRequest} ToolsRequest
 */

/** The list side of one client. */
class Discovery {
  #client;

  /**
   * @param {Pick<
   *   import('./client').Client,
   *   'options' | 'requests' | 'sessions' | 'tools' | 'emit' | 'diagnose'
   * >} client
   */
  constructor(client) {
    this.#client = client;
    client.requests.set(TOOLS_LIST, (params, context) => this.#answer(params, context));
  }

  /**
   * @param {unknown} params
   * @param {{ readonly signal: AbortSignal }} context
   */
  async #answer(params, context) {
    const request = { sessionId: textOf(params, 'sessionId'), cwd: textOf(params, 'cwd') };
    if (this.#client.options.discovery === 'meta') this.#tellMismatch(request.sessionId);
    this.#client.emit('toolsRequested', request);
    const more = await this.#more(request, context);
    return { tools: this.#give(request.sessionId, more) };
  }

  /**
   * The tools of this session besides the client's own.
   * @param {ToolsRequest} request
   * @param {{ readonly signal: AbortSignal }} context
   * @returns {Promise<readonly AnyTool[]>}
   */
  async #more(request, context) {
    const { tools } = this.#client.options;
    const opening = this.#client.sessions.openings.toolsOf(request.sessionId);
    if (typeof tools !== 'function') return opening;
    try {
      const given = await tools({ ...request, signal: context.signal });
      if (!Array.isArray(given)) throw new TypeError('expected an array of tools');
      return [...given, ...opening];
    } catch (error) {
      this.#tellFailure(request.sessionId, error);
      return opening;
    }
  }

  /**
   * @param {string} sessionId
   * @param {readonly AnyTool[]} more
   */
  #give(sessionId, more) {
    try {
      return this.#client.tools.give(sessionId, more);
    } catch (error) {
      this.#tellFailure(sessionId, error);
      return this.#client.tools.give(sessionId, []);
    }
  }

  /** @param {string} sessionId */
  #tellMismatch(sessionId) {
    const message =
      'mm asked for the list of tools, which was announced before; it is given again: set discovery to "request", or acp.clientTools.discovery of the agent file to meta';
    this.#client.diagnose('discovery-mismatch', message, { sessionId });
  }

  /**
   * @param {string} sessionId
   * @param {unknown} error
   */
  #tellFailure(sessionId, error) {
    const message = `the option tools gave no list for session ${sessionId}, the client's own tools are lent to it: ${errorText(error)}`;
    this.#client.diagnose('tools-function-failed', message, { sessionId });
  }
}

/**
 * @param {unknown} params
 * @param {string} name
 */
function textOf(params, name) {
  const value = member(params, name);
  return typeof value === 'string' ? value : '';
}

module.exports = { Discovery, TOOLS_LIST };
