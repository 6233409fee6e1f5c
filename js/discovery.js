'use strict';
// Answers mm's request for the list of tools, while the session it asks for is being opened.
// Source: docs/protocol.md, "Discovery".

const { member } = require('./json');
const { errorText } = require('./result');
const { readTool } = require('./tool');

const TOOLS_LIST = '_org.mini-me/tools/list';

/**
 * @typedef {import('../index').ToolsRequest} ToolsRequest
 */

/** The list side of one client. */
class Discovery {
  #client;

  /**
   * @param {Pick<
   *   import('./client').Client,
   *   'options' | 'requests' | 'sessions' | 'tools' | 'lending' | 'emit' | 'diagnose'
   * >} client
   */
  constructor(client) {
    this.#client = client;
    client.requests.serve(TOOLS_LIST, (params, context) => this.#answer(params, context));
  }

  /**
   * @param {unknown} params
   * @param {{ readonly signal: AbortSignal }} context
   */
  async #answer(params, context) {
    const request = { sessionId: textOf(params, 'sessionId'), cwd: textOf(params, 'cwd') };
    if (this.#client.lending.isMcp) {
      // A tool is never lent twice to one session.
      this.#tellCarrier(request.sessionId);
      return { tools: [] };
    }
    if (this.#client.options.discovery === 'meta') this.#tellMismatch(request.sessionId);
    this.#client.emit('toolsRequested', request);
    return { tools: await this.#give(request, context) };
  }

  /**
   * Gives the session its list: besides the client's own tools those of its opening, and those of the
   * option `tools` when it is a function. What cannot be lent is told and left out.
   * @param {ToolsRequest} request
   * @param {{ readonly signal: AbortSignal }} context
   */
  async #give(request, context) {
    const { sessionId } = request;
    const { options, sessions, tools } = this.#client;
    const ofOpening = sessions.openings.toolsOf(sessionId);
    const ways = [async () => ofOpening];
    const { tools: ask } = options;
    if (typeof ask === 'function') {
      ways.unshift(async () => [...(await asked(ask, request, context)), ...ofOpening]);
    }
    for (const way of ways) {
      try {
        return tools.give(sessionId, await way());
      } catch (error) {
        this.#tellFailure(sessionId, error);
      }
    }
    return tools.give(sessionId, []);
  }

  /** @param {string} sessionId */
  #tellCarrier(sessionId) {
    const message =
      'the agent asked for the list of tools as mm does, and is lent them over MCP: set carrier to "mini-me"';
    this.#client.diagnose('discovery-mismatch', message, { sessionId });
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
    const message = `the tools of session ${sessionId} cannot be lent, it is lent the others: ${errorText(error)}`;
    this.#client.diagnose('tools-function-failed', message, { sessionId });
  }
}

/**
 * What the option `tools` gives when it is a function.
 * @param {Extract<import('../index').MiniMeOptions['tools'], Function>} ask
 * @param {ToolsRequest} request
 * @param {{ readonly signal: AbortSignal }} context
 */
async function asked(ask, request, { signal }) {
  const tools = await ask({ ...request, signal });
  if (!Array.isArray(tools)) throw new TypeError('expected an array of tools');
  return tools.map(readTool);
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
