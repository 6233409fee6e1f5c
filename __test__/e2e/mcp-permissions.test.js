'use strict';
// Which permission is one for a tool that is lent over MCP. Agents have no common word for it.

const { describe, expect, test } = require('@jest/globals');
const { agent, received, useClients } = require('./harness');

const open = useClients();

const offered = ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind }));
const tools = [
  { name: 'open buffers', handle: () => 1 },
  { name: 'other', handle: () => 2 },
];

/** The tool that a permission is for, as the program sees it; `make` is given the name of the server. */
async function toolOf(make, { of = 0 } = {}) {
  const seen = [];
  const client = open({
    ...agent('asks-permission'),
    carrier: 'mcp',
    tools,
    permissions: (request) => {
      seen.push(request.tool?.name);
      return 'reject_once';
    },
  });
  const sessions = [await client.newSession(), await client.newSession()];
  const servers = (await received(client))
    .filter(({ method }) => method === 'session/new')
    .map(({ params }) => params.mcpServers[0].name);
  const { toolCall, updates } = make(servers[of]);
  const script = {
    updates,
    request: { toolCall: { toolCallId: 't1', ...toolCall }, options: offered },
  };
  await sessions[0].prompt(JSON.stringify(script));
  return seen;
}

const NAMES = {
  mcp__S__T: (server, tool) => `mcp__${server}__${tool}`,
  mcp_S_T: (server, tool) => `mcp_${server}_${tool}`,
  'mcp_S.T': (server, tool) => `mcp_${server}.${tool}`,
  'mcp.S.T': (server, tool) => `mcp.${server}.${tool}`,
  'S-T': (server, tool) => `${server}-${tool}`,
  S_T: (server, tool) => `${server}_${tool}`,
  S__T: (server, tool) => `${server}__${tool}`,
  'S/T': (server, tool) => `${server}/${tool}`,
  'T (S MCP Server)': (server, tool) => `${tool} (${server} MCP Server)`,
};

describe('a permission is for a lent tool', () => {
  test.each(Object.entries(NAMES))('with kind other and the title %s', async (_, titleOf) => {
    const make = (server) => ({
      toolCall: { kind: 'other', title: titleOf(server, 'open_buffers') },
    });
    expect(await toolOf(make)).toEqual(['open buffers']);
  });

  test('whose raw input names server and tool, whatever kind and title are', async () => {
    const make = (server) => ({
      toolCall: { kind: 'execute', title: 'x', rawInput: { server, tool: 'other', arguments: {} } },
    });
    expect(await toolOf(make)).toEqual(['other']);
  });

  test('that the updates before it have told of', async () => {
    const make = (server) => ({
      updates: [
        { sessionUpdate: 'tool_call', toolCallId: 't1', kind: 'other', title: `${server}_other` },
      ],
      toolCall: { title: null },
    });
    expect(await toolOf(make)).toEqual(['other']);
  });
});

describe('a permission is for the tool of the updates before it', () => {
  test('when the request itself speaks of something else, as that of codex does', async () => {
    const make = (server) => ({
      updates: [
        {
          sessionUpdate: 'tool_call',
          toolCallId: 't1',
          title: `Tool: ${server}/other`,
          rawInput: { server, tool: 'other', arguments: {} },
        },
      ],
      toolCall: { title: 'Approve MCP tool call', rawInput: { server_name: server } },
    });
    expect(await toolOf(make)).toEqual(['other']);
  });

  test('and not of another call', async () => {
    const make = (server) => ({
      updates: [
        { sessionUpdate: 'tool_call', toolCallId: 't0', rawInput: { server, tool: 'other' } },
      ],
      toolCall: { title: 'Approve MCP tool call' },
    });
    expect(await toolOf(make)).toEqual([undefined]);
  });
});

describe('a permission is for no lent tool', () => {
  test.each([
    ['another kind', (server) => ({ kind: 'execute', title: `mcp__${server}__other` })],
    ['no kind', (server) => ({ title: `mcp__${server}__other` })],
    [
      'more in its title',
      (server) => ({ kind: 'other', title: `mcp__${server}__other; rm -rf /` }),
    ],
    [
      'something before its title',
      (server) => ({ kind: 'other', title: `x mcp__${server}__other` }),
    ],
    ['the name alone', () => ({ kind: 'other', title: 'other' })],
    ['mm\u2019s title', () => ({ kind: 'other', title: 'client: other' })],
    [
      'the name as it was defined',
      (server) => ({ kind: 'other', title: `${server}_open buffers` }),
    ],
    ['a tool that is not lent', (server) => ({ kind: 'other', title: `${server}_more` })],
    ['another server', () => ({ kind: 'other', title: 'mcp__client__other' })],
    ['half a raw input', (server) => ({ kind: 'other', title: 'x', rawInput: { server } })],
    ['a raw input of another server', () => ({ rawInput: { server: 'x', tool: 'other' } })],
    ['a raw input deeper down', (server) => ({ rawInput: { input: { server, tool: 'other' } } })],
  ])('with %s', async (_, make) => {
    expect(await toolOf((server) => ({ toolCall: make(server) }))).toEqual([undefined]);
  });

  test('with the server of another session', async () => {
    const make = (server) => ({ toolCall: { kind: 'other', title: `mcp__${server}__other` } });
    expect(await toolOf(make, { of: 1 })).toEqual([undefined]);
    expect(await toolOf(make, { of: 0 })).toEqual(['other']);
  });
});
