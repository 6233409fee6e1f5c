// This package, its updates by the `update` event; also what its client by iterator shares.

import { MiniMe, text } from '../../js/index.js';
import { ADD_SCHEMA } from '../lib/tools.mjs';

/** @type {import('../lib/client.mjs').Connect} */
export async function connect(host) {
  const client = await start(host);
  client.on('update', ({ sessionId, update }) => host.onUpdate(update, sessionId));
  return {
    open: async () => {
      const session = await client.newSession();
      return async (command) => (await session.prompt(command)).raw;
    },
    close: () => client.close(),
  };
}

/** A client that lends the tools and has initialized. */
export async function start({ agent, tools, moreTools = 0 }) {
  const client = new MiniMe({ command: agent, args: [] });
  client.addTool({
    name: 'add',
    method: '_bench/add',
    inputSchema: ADD_SCHEMA,
    handle: async (args) => text(tools.add(args)),
  });
  if (tools.big !== undefined)
    client.addTool({ name: 'big', method: '_bench/big', handle: async () => text(tools.big()) });
  for (let number = 0; number < moreTools; number += 1) {
    client.addTool({
      name: `more_${number}`,
      description: `Adds an entry to list ${number}`,
      inputSchema: ADD_SCHEMA,
      handle: async (args) => text(tools.add(args)),
    });
  }
  await client.start();
  return client;
}
