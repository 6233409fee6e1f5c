'use strict';
// Answers mm's request for the list of tools, while the session it asks for is being opened.
// Source: docs/protocol.md, "Discovery".

const { member } = require('./json');

const TOOLS_LIST = '_org.mini-me/tools/list';

/**
 * Lets `client` answer list requests.
 * @param {Pick<
 *   import('./client').Client,
 *   'native' | 'options' | 'requests' | 'emit' | 'diagnose'
 * >} client
 */
function answerLists(client) {
  client.requests.set(TOOLS_LIST, (params) => {
    const sessionId = textOf(params, 'sessionId');
    const cwd = textOf(params, 'cwd');
    if (client.options.discovery === 'meta') {
      const message =
        'mm asked for the list of tools, which was announced before; it is given again: set discovery to "request", or acp.clientTools.discovery of the agent file to meta';
      client.diagnose('discovery-mismatch', message, { sessionId });
    }
    client.emit('toolsRequested', { sessionId, cwd });
    return JSON.parse(client.native.toolList());
  });
}

/**
 * @param {unknown} params
 * @param {string} name
 */
function textOf(params, name) {
  const value = member(params, name);
  return typeof value === 'string' ? value : '';
}

module.exports = { answerLists, TOOLS_LIST };
