'use strict';
// Answers mm's request for the list of tools, while the session it asks for is being opened.
// Source: docs/protocol.md, "Discovery".

const TOOLS_LIST = '_org.mini-me/tools/list';

/** Lets `client` answer list requests; it has: native, options, requests, emit(), diagnose(). */
function answerLists(client) {
  client.requests.set(TOOLS_LIST, (params) => {
    const { sessionId, cwd } = params ?? {};
    if (client.options.discovery === 'meta') {
      const message =
        'mm asked for the list of tools, which was announced before; it is given again: set discovery to "request", or acp.clientTools.discovery of the agent file to meta';
      client.diagnose('discovery-mismatch', message, { sessionId });
    }
    client.emit('toolsRequested', { sessionId, cwd });
    return JSON.parse(client.native.toolList());
  });
}

module.exports = { answerLists, TOOLS_LIST };
