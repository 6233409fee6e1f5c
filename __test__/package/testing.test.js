'use strict';
// What a user requires besides the client itself, out of the packed package.

const { describe, expect, test } = require('@jest/globals');
const { usePackedPackage } = require('./unpack');

const { node } = usePackedPackage();

describe('the packed package', () => {
  test('has the testing kit, for require, for import, and for resolvers without exports', async () => {
    const use = `callTool({ name: 'ping', handle: () => 'pong' }).then(({ text }) => console.log(text))`;
    const ways = [
      ['--eval', `const { callTool } = require('mini-me-client/testing'); ${use}`],
      ['--eval', `const { callTool } = require('./node_modules/mini-me-client/testing'); ${use}`],
      [
        '--input-type=module',
        '--eval',
        `import { callTool } from 'mini-me-client/testing'; ${use}`,
      ],
    ];
    for (const way of ways) expect(await node(...way)).toBe('pong\n');
  });

  test('keeps Node.js alive while a limit may still end a call', async () => {
    const source = `
      const { callTool } = require('mini-me-client/testing');
      const never = { name: 'never', handle: () => new Promise(() => {}) };
      const tell = ({ outcome }) => console.log(outcome);
      callTool({ ...never, timeoutMs: 100 }).then(tell)
        .then(() => callTool(never, {}, { signal: AbortSignal.timeout(100) })).then(tell);
    `;
    expect(await node('--eval', source)).toBe('timeout\ncancelled\n');
  });
});
