'use strict';
// What README.md shows of the stand-in, as one program.

const { MiniMe } = require('mini-me-client');

// #region stand-in
const client = new MiniMe({
  command: process.execPath,
  args: [require.resolve('mini-me-client/stand-in'), '-acp'], // '-agent', 'agent.yaml' for its settings
});
// #endregion stand-in

async function main() {
  const { name, version } = await client.start();
  console.log(`talking to ${name} ${version}`);
  await client.close();
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
