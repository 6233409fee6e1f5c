'use strict';
// The MCP server that an agent starts when it takes no other: it relays lines between the agent and the
// program whose tools are lent. Runs by itself, in any Node.js, and knows nothing of what it relays.

const net = require('node:net');

const { MINI_ME_CLIENT_SOCKET, MINI_ME_CLIENT_SERVER, MINI_ME_CLIENT_TOKEN } = process.env;

if (
  MINI_ME_CLIENT_SOCKET === undefined ||
  MINI_ME_CLIENT_SERVER === undefined ||
  MINI_ME_CLIENT_TOKEN === undefined
) {
  fail('expected to be started by an agent, as the entry of mcpServers says');
} else {
  relay(MINI_ME_CLIENT_SOCKET, `${MINI_ME_CLIENT_SERVER} ${MINI_ME_CLIENT_TOKEN}\n`);
}

/**
 * @param {string} path
 * @param {string} greeting shows that we may come in
 */
function relay(path, greeting) {
  const socket = net.connect(path);
  socket.on('error', (error) => fail(error.message));
  socket.write(greeting);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  // The program has ended, or has closed the session.
  socket.on('close', () => process.exit());
  // The agent does not read any more.
  process.stdout.on('error', () => process.exit());
}

/** @param {string} reason */
function fail(reason) {
  process.stderr.write(`mini-me-client: no tools: ${reason}\n`);
  process.exitCode = 1;
}
