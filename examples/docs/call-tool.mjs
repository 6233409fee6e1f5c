// What README.md shows of testing a tool, as one program.

import os from 'node:os';

const tool = {
  name: 'free_memory',
  inputSchema: { type: 'object', properties: { unit: { enum: ['MiB', 'GiB'] } } },
  handle: ({ unit }) => `${Math.round(os.freemem() / 2 ** (unit === 'GiB' ? 30 : 20))} ${unit}`,
};

// #region call
import { callTool } from 'mini-me-client/testing';

const { text } = await callTool(tool, { unit: 'MiB' }); // what the model would read
// #endregion call
console.log(text);
