// What a program writes that uses no library: readline and JSON.parse.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { INITIALIZE, NEW_SESSION, promptOf, TOOL_METHODS, textResult } from '../lib/tools.mjs';

/** @type {import('../lib/client.mjs').Connect} */
export async function connect({ agent, onUpdate, tools }) {
  const child = spawn(agent, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const open = new Map();
  let nextId = 1;

  const send = (message) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      open.set(id, { resolve, reject });
      send({ id, method, params });
    });
  const answer = async ({ id, method, params }) => {
    const tool = TOOL_METHODS[method];
    if (tool === undefined) {
      send({ id, error: { code: -32601, message: 'Method not found' } });
      return;
    }
    const { _meta, ...args } = params;
    try {
      send({ id, result: textResult(await tools[tool](args)) });
    } catch (error) {
      send({ id, result: { ...textResult(error.message), isError: true } });
    }
  };

  createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on(
    'line',
    (line) => {
      const message = JSON.parse(line);
      if (message.method === 'session/update')
        onUpdate(message.params.update, message.params.sessionId);
      else if (message.method !== undefined) answer(message);
      else {
        const { resolve, reject } = open.get(message.id);
        open.delete(message.id);
        if (message.error === undefined) resolve(message.result);
        else reject(new Error(message.error.message));
      }
    },
  );

  await request('initialize', INITIALIZE);
  return {
    open: async () => {
      const { sessionId } = await request('session/new', NEW_SESSION);
      return (text) => request('session/prompt', promptOf(sessionId, text));
    },
    close: () => child.stdin.end(),
  };
}
