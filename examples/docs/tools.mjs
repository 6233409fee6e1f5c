// What docs/tools.md shows, as one program.

import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defineTool, failure, MiniMe } from 'mini-me-client';

// #region several
const searchNotes = defineTool({
  name: 'search_notes',
  description: "Searches the user's notes for a topic.",
  inputSchema: {
    type: 'object',
    properties: { topic: { enum: ['garden', 'travel'] } },
    required: ['topic'],
  },
  handle: ({ topic }) => ({ topic, notes: [`all about ${topic}`] }),
});
const countNotes = defineTool({
  name: 'count_notes',
  description: 'Tells how many notes there are.',
  handle: () => 42,
});

const client = new MiniMe({ permissions: 'client-tools', tools: [searchNotes, countNotes] });
// #endregion several

// #region lend
client.addTool({
  name: 'line_count',
  description: 'Counts the lines of a file.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'The file, absolute.' } },
    required: ['path'],
  },
  handle: async ({ path }) => (await readFile(path, 'utf8')).split('\n').length - 1,
});
// #endregion lend

const prices = new Map([['apple', 1.2]]);
// #region failure
client.addTool({
  name: 'price',
  description: 'Tells the price of a fruit.',
  inputSchema: {
    type: 'object',
    properties: { fruit: { enum: ['apple', 'pear'] } },
    required: ['fruit'],
  },
  handle: ({ fruit }) =>
    prices.get(fruit) ?? failure(`no price for ${fruit}; known: ${[...prices.keys()]}`),
});
// #endregion failure

const takePicture = () => Promise.resolve(Buffer.from('89504e470d0a1a0a', 'hex'));
// #region image
client.addTool({
  name: 'photograph_garden',
  description: 'Takes a picture of the garden.',
  handle: async () => ({
    content: [
      { type: 'text', text: 'The garden, at noon: 3 roses, 1 cat.' },
      { type: 'image', mimeType: 'image/png', data: (await takePicture()).toString('base64') },
    ],
  }),
});
// #endregion image

// #region limits
client.addTool({
  name: 'water_plants',
  description: 'Waters the plants.',
  timeoutMs: 200,
  handle: async (_args, { signal, sessionId }) => {
    await wait(60_000, undefined, { signal }); // rejects when the call is given up
    return `done for ${sessionId}`;
  },
});
// #endregion limits

// #region remove
const dice = client.addTool({ name: 'roll_dice', handle: () => 1 + Math.floor(Math.random() * 6) });
dice.remove();
// #endregion remove

// #region report
client.on('toolCall', ({ tool, outcome, durationMs, error }) => {
  console.log(`${tool.name}: ${outcome} in ${durationMs.toFixed()} ms`, error ?? '');
});
// #endregion report

// #region model
for (const { name, description } of client.modelTools()) console.log(`${name}: ${description}`);
// #endregion model

const session = await client.newSession();
const ask = async (question) => console.log((await session.prompt(question)).text);
await ask('Search my notes about travel.');
await ask(
  `Count the lines of the file "${fileURLToPath(new URL('agent-ask.yaml', import.meta.url))}"`,
);
await ask('What is the price of a pear?');
await ask('Water the plants, please.');
await ask('Photograph the garden.');
await client.close();
