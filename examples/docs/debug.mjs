// What docs/debug.md shows, as one program.
//   node debug.mjs TRACE_FILE

import { appendFileSync } from 'node:fs';
import { MiniMe } from 'mini-me-client';

const [, , file] = process.argv;

// #region trace
const client = new MiniMe({
  permissions: 'client-tools',
  trace: ({ direction, line }) => {
    appendFileSync(file, `${direction === 'in' ? '<' : '>'} ${line}\n`);
  },
});
// #endregion trace

// #region listen
client.on('diagnostic', ({ code, message }) => console.error(`[${code}] ${message}`));
client.on('stderr', (line) => console.error(`mm: ${line}`));
client.on('tools', ({ accepted, missing }) => console.error({ accepted, missing }));
client.on('toolCall', ({ tool, outcome, error }) => console.error(tool.name, outcome, error));
client.on('exit', ({ exitCode, signal }) => console.error('mm ended', { exitCode, signal }));
// #endregion listen

client.addTool({
  name: 'roll_dice',
  description: 'Rolls the dice.',
  handle: () => {
    throw new Error('the dice are lost');
  },
});
const session = await client.newSession();
await session.prompt('Roll the dice.');
await client.close();
