// Lends a tool and asks for it once, in whatever process this is.

const path = require('node:path');
const { MiniMe } = require('../../..');

async function lend() {
  const client = new MiniMe({
    command: process.execPath,
    args: [path.join(__dirname, '../../../js/stand-in.js'), '-acp'],
    env: { ELECTRON_RUN_AS_NODE: '1' },
    permissions: 'client-tools',
  });
  client.addTool({ name: 'where', description: 'Tells where.', handle: () => 'here' });
  try {
    const session = await client.newSession();
    return (await session.prompt('Where are you?')).text;
  } finally {
    await client.close();
  }
}

module.exports = { lend };
