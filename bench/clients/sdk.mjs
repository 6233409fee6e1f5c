// The TypeScript SDK of ACP, as its README shows it.

import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { INITIALIZE, NEW_SESSION, promptOf, TOOL_METHODS, textResult } from '../lib/tools.mjs';

/** Its own limit of 32 MiB is under the longest line measured here. */
const LIMITS = { maxMessageBytes: 256 * 1024 * 1024 };

/** @type {import('../lib/client.mjs').Connect} */
export async function connect({ agent, onUpdate, tools }) {
  const child = spawn(agent, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin),
    Readable.toWeb(child.stdout),
    LIMITS,
  );
  const client = acp
    .client({ name: 'bench' })
    .onNotification(acp.methods.client.session.update, ({ params }) =>
      onUpdate(params.update, params.sessionId),
    );
  for (const [method, tool] of Object.entries(TOOL_METHODS)) {
    const parse = ({ _meta, ...args }) => args;
    client.onRequest(method, parse, async ({ params }) => textResult(tools[tool](params)));
  }
  const connection = client.connect(stream);
  const { methods } = acp;
  await connection.agent.request(methods.agent.initialize, INITIALIZE);
  return {
    open: async () => {
      const { sessionId } = await connection.agent.request(methods.agent.session.new, NEW_SESSION);
      return (text) =>
        connection.agent.request(methods.agent.session.prompt, promptOf(sessionId, text));
    },
    close: () => {
      connection.close();
      child.kill();
    },
  };
}
