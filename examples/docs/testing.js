'use strict';
// What docs/testing.md shows, as one program.

// #region tests
const { test } = require('node:test');
const assert = require('node:assert/strict');
const { defineTool, MiniMe } = require('mini-me-client');
const { callTool, standIn } = require('mini-me-client/testing');

const sizes = { S: 36, M: 40 };
const sizeOf = defineTool({
  name: 'size_of',
  inputSchema: {
    type: 'object',
    properties: { label: { enum: ['S', 'M', 'L'] } },
    required: ['label'],
  },
  handle: ({ label }) => sizes[label] ?? Promise.reject(new Error(`no size ${label} today`)),
});

test('the model reads the size', async () => {
  const { text, isError } = await callTool(sizeOf, { label: 'M' });
  assert.deepEqual({ text, isError }, { text: '40', isError: false });
});

test('a size that is not there is told', async () => {
  const { text, outcome, error } = await callTool(sizeOf, { label: 'L' });
  assert.equal(text, '[client tool error: no size L today]');
  assert.equal(outcome, 'error');
  assert.ok(error instanceof Error); // the very value that was thrown
});

test('a label of another kind does not reach the handler', async () => {
  const { outcome } = await callTool(sizeOf, { label: 'XL' });
  assert.equal(outcome, 'invalid-arguments');
});
// #endregion tests

test('an agent finds the tool and calls it', async () => {
  // #region stand-in
  const agent = standIn({
    script: [[{ call: 'size_of', arguments: { label: 'S' } }, 'It is ', { results: true }]],
  });
  const client = new MiniMe({ ...agent.options, tools: [sizeOf] });
  const session = await client.newSession();
  const { text } = await session.prompt('How long is S?');
  await client.close();

  assert.equal(text, 'It is 36');
  assert.equal(agent.recorder.tools[0].name, 'client_size_of');
  assert.equal(agent.recorder.calls[0].isError, false);
  // #endregion stand-in
});
