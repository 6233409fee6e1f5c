'use strict';
// Tests of one tool, with Node's own test runner: node --test size-of.test.js
// No mm and no model is needed. Copy it, put your tool in the place of `sizeOf`, and go on from there.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { defineTool, MiniMe } = require('mini-me-client');
const { callTool, standIn } = require('mini-me-client/testing');

const sizes = { S: 36, M: 40 };
const sizeOf = defineTool({
  name: 'size_of',
  description: 'Tells a size in centimeters.',
  inputSchema: {
    type: 'object',
    properties: { label: { type: 'string', enum: ['S', 'M', 'L'] } },
    required: ['label'],
  },
  handle: ({ label }) => sizes[label] ?? Promise.reject(new Error(`no size ${label} today`)),
});

test('the model reads the size, and why there is none', async () => {
  assert.equal((await callTool(sizeOf, { label: 'M' })).text, '40');
  const { text, outcome } = await callTool(sizeOf, { label: 'L' });
  assert.equal(text, '[client tool error: no size L today]');
  assert.equal(outcome, 'error');
});

test('an agent finds the tool and calls it', async () => {
  const agent = standIn({
    script: [[{ call: 'size_of', arguments: { label: 'S' } }, 'It is ', { results: true }]],
  });
  const client = new MiniMe({ ...agent.options, tools: [sizeOf] });
  const session = await client.newSession();
  const { text } = await session.prompt('How long is S?');
  await client.close();

  assert.equal(text, 'It is 36');
  assert.deepEqual(
    agent.recorder.tools.map(({ name }) => name),
    ['client_size_of'],
  );
  assert.equal(agent.recorder.calls[0].isError, false);
});

test('the program goes on when the agent dies in the middle of a message', async () => {
  const agent = standIn({ script: [['It is ', { fault: 'dies-mid-line', status: 3 }]] });
  const client = new MiniMe(agent.options);
  const session = await client.newSession();
  await assert.rejects(session.prompt('How long is S?'), { code: 'MM_ERR_EXITED', exitCode: 3 });
  await client.close();
});
