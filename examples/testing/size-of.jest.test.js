'use strict';
// The same with jest, for programs that use it.

const { afterEach, expect, test } = require('@jest/globals');
const { defineTool, MiniMe } = require('mini-me-client');
const { callTool, standIn } = require('mini-me-client/testing');

const sizeOf = defineTool({
  name: 'size_of',
  inputSchema: { type: 'object', properties: { label: { enum: ['S', 'M'] } }, required: ['label'] },
  handle: ({ label }) => ({ S: 36, M: 40 })[label],
});

let client;
afterEach(() => client?.close());

test('the model reads the size', async () => {
  expect(await callTool(sizeOf, { label: 'M' })).toMatchObject({ text: '40', outcome: 'ok' });
});

test('an agent calls it, and is told when it may not', async () => {
  const agent = standIn({
    permissions: 'ask',
    script: [[{ call: 'size_of', arguments: { label: 'S' } }]],
  });
  const permissions = 'reject-all';
  client = new MiniMe({ ...agent.options, permissions, tools: [sizeOf] });
  await (await client.newSession()).prompt('How long is S?');
  expect(agent.recorder.calls).toMatchObject([{ text: '[client_size_of rejected by user]' }]);
});
