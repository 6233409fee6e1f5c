// node --test size-of.test.js
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { MiniMe } = require('mini-me-client');
const { callTool, standIn } = require('mini-me-client/testing');

const sizeOf = {
  name: 'size_of',
  description: 'Tells a size in centimeters.',
  inputSchema: {
    type: 'object',
    properties: { label: { type: 'string', enum: ['S', 'M', 'L'] } },
    required: ['label'],
  },
  handle: ({ label }) => ({ S: 36, M: 40 })[label] ?? Promise.reject(new Error('not in stock')),
};

test('the model reads the size, and why there is none', async () => {
  assert.equal((await callTool(sizeOf, { label: 'M' })).text, '40');
  const { text } = await callTool(sizeOf, { label: 'L' });
  assert.equal(text, '[client tool error: not in stock]');
});

test('an agent finds the tool and calls it', async () => {
  const agent = standIn({ script: [[{ call: 'size_of', arguments: { label: 'S' } }]] });
  const client = new MiniMe({ ...agent.options, tools: [sizeOf] });
  await (await client.newSession()).prompt('How long is S?');
  await client.close();
  assert.equal(agent.recorder.calls[0].text, '36');
});

test('the program is told when the agent dies in the middle of a message', async () => {
  const agent = standIn({ script: [['It is ', { fault: 'dies-mid-line', status: 3 }]] });
  const client = new MiniMe(agent.options);
  const session = await client.newSession();
  await assert.rejects(session.prompt('How long is S?'), { code: 'MM_ERR_EXITED', exitCode: 3 });
  await client.close();
});
