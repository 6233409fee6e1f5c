'use strict';
// Lends host_info to the agent of your choice, which is named with its arguments:
//   node index.js opencode acp
//   node index.js mm -acp

const { MiniMe } = require('mini-me-client');
const { hostInfo } = require('../host-info/host-info');

const QUESTION = 'Which operating system does my machine run? Use the tool host_info.';

async function main([command, ...args]) {
  if (command === undefined) throw new Error('expected an agent and its arguments, got none');
  // #region client
  const client = new MiniMe({
    command,
    args,
    carrier: 'auto', // mm gets the tools by its own protocol, any other agent by MCP
    permissions: 'client-tools',
    tools: [hostInfo],
  });
  // #endregion client
  client.on('diagnostic', ({ message }) => console.error(message));
  try {
    const { name = command } = await client.start();
    console.log(`${name}: ${QUESTION}\n`);
    const session = await client.newSession();
    for await (const text of session.prompt(QUESTION).textStream()) process.stdout.write(text);
    console.log();
  } finally {
    await client.close();
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
