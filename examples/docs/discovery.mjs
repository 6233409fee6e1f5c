// What docs/discovery.md shows, as one program.

import { MiniMe } from 'mini-me-client';

const inventory = new Map([
  ['garden', 'a spade'],
  ['kitchen', 'a kettle'],
]);
const roomTools = (room) => [
  {
    name: `look_around_${room}`,
    description: `Tells what is in the ${room}.`,
    handle: () => inventory.get(room),
  },
];

// #region request
const client = new MiniMe({
  args: ['-acp', '-agent', 'agent-request.yaml'],
  discovery: 'request',
  permissions: 'client-tools',
});
client.addTool({ name: 'roll_dice', description: 'Rolls the dice.', handle: () => 4 });
// #endregion request

// #region report
client.on('tools', ({ sessionId, accepted, missing, skipped }) => {
  console.log(`mm took ${accepted} for session ${sessionId}`, { missing, skipped });
});
// #endregion report

// #region session
const garden = await client.newSession({ tools: roomTools('garden') });
const kitchen = await client.newSession({ tools: roomTools('kitchen') });
// #endregion session
console.log('garden:', (await garden.prompt('Look around the garden.')).text);
console.log('kitchen:', (await kitchen.prompt('Look around the kitchen.')).text);
await client.close();

// #region function
const asked = new MiniMe({
  args: ['-acp', '-agent', 'agent-request.yaml'],
  discovery: 'request',
  tools: ({ sessionId, cwd }) => {
    console.log(`tools of session ${sessionId} in ${cwd}`);
    return cwd.endsWith('docs') ? roomTools('kitchen') : [];
  },
});
// #endregion function
await asked.newSession();
await asked.close();

// #region mismatch
const mistaken = new MiniMe({ args: ['-acp', '-agent', 'agent-request.yaml'] });
mistaken.on('diagnostic', ({ code, message }) => console.log(`${code}: ${message}`));
// #endregion mismatch
mistaken.addTool({ name: 'roll_dice', handle: () => 4 });
await mistaken.newSession();
await mistaken.close();
