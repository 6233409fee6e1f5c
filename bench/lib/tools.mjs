// The tools that every client lends, and the messages of those that write theirs by hand.

/** The arguments of `_bench/add`; this package checks every call against it, the others check nothing. */
export const ADD_SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    priority: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['title'],
  additionalProperties: false,
};

/** Which handler of the host answers which method. */
export const TOOL_METHODS = { '_bench/add': 'add', '_bench/big': 'big' };

const DESCRIPTIONS = [
  { name: 'add', method: '_bench/add', inputSchema: ADD_SCHEMA },
  { name: 'big', method: '_bench/big' },
];

export const INITIALIZE = {
  protocolVersion: 1,
  clientInfo: { name: 'bench', version: '0.0.0' },
  clientCapabilities: { _meta: { 'org.mini-me/tools': DESCRIPTIONS } },
};

export const NEW_SESSION = { cwd: process.cwd(), mcpServers: [] };

export function promptOf(sessionId, text) {
  return { sessionId, prompt: [{ type: 'text', text }] };
}

export function textResult(text) {
  return { content: [{ type: 'text', text }] };
}
