// The agent of agent-requests.mjs, files.mjs and terminal.mjs. It asks the client what a prompt says, a method and
// its params, and says how it was answered.

import { createInterface } from 'node:readline';

/** What waits for the client's answers, by the ids of the requests. */
const waiting = new Map();
let isLoggedIn = false;

const write = (message) => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
};
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = waiting.size + 1;
    waiting.set(id, resolve);
    write({ id, method, params });
  });

const METHODS = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'asking-agent', version: '1.0.0' },
    authMethods: process.argv.includes('--locked') ? [{ id: 'account', name: 'Your account' }] : [],
  }),
  authenticate: () => {
    isLoggedIn = true;
    return {};
  },
  'session/new': ({ mcpServers }) => {
    if (process.argv.includes('--locked') && !isLoggedIn) {
      throw Object.assign(new Error('Authentication required'), { code: -32000 });
    }
    const names = mcpServers.map(({ name }) => name);
    if (names.length > 0) write({ method: '_example.com/servers', params: { names } });
    return { sessionId: 'one' };
  },
  'session/prompt': async ({ sessionId, prompt: [{ text }] }) => {
    const [, method, params] = /^(\S+) (.*)$/.exec(text);
    const { result, error } = await ask(method, { sessionId, ...JSON.parse(params) });
    const content = { type: 'text', text: JSON.stringify(error ?? result) };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    write({ method: 'session/update', params: { sessionId, update } });
    return { stopReason: 'end_turn' };
  },
  '_example.com/index': () => ({ files: 42 }),
  '_example.com/saved': ({ path }) => process.stderr.write(`saved: ${path}\n`),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, ...answer } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)(answer);
    continue;
  }
  new Promise((resolve) => resolve(METHODS[method]?.(params))).then(
    (result) => id !== undefined && write({ id, result: result ?? {} }),
    ({ code, message }) => write({ id, error: { code: code ?? -32603, message } }),
  );
}
