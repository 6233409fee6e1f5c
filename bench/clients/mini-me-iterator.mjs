// This package, its updates by `for await` over the turn.

import { start } from './mini-me.mjs';

/** @type {import('../lib/client.mjs').Connect} */
export async function connect(host) {
  const client = await start(host);
  return {
    open: async () => {
      const session = await client.newSession();
      return async (command) => {
        const turn = session.prompt(command);
        for await (const update of turn) host.onUpdate(update, session.id);
        return (await turn).raw;
      };
    },
    close: () => client.close(),
  };
}
