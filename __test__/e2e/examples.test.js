'use strict';
// The examples do what their heads say.

const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');
const { expect, jest, test } = require('@jest/globals');

const { MiniMe } = require('../..');
const { hostInfo } = require('../../examples/host-info/host-info');

const EXAMPLES = path.join(__dirname, '../../examples');

test('the to-do example gives each session a list of its own', async () => {
  const { MM_BIN: _, ...env } = { ...process.env, PATH: path.dirname(process.execPath) };
  const file = path.join(EXAMPLES, 'todo/index.js');
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  const lists = stdout.split('\n\n').filter((answer) => answer.includes('Show all items'));
  expect(lists).toHaveLength(2);
  const [home, work] = lists;
  expect(home).toMatch(/^\[home\].*1\. buy milk/s);
  expect(home).not.toContain('report');
  expect(work).toMatch(/^\[work\].*1\. write the report/s);
  expect(work).not.toContain('milk');
});

test('a second tool beside host_info is called for its own questions', async () => {
  // The example tells of each call.
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const args = [path.join(__dirname, '../../js/stand-in.js'), '-acp'];
  const mm = new MiniMe({ command: process.execPath, args });
  const called = [];
  mm.on('toolCall', ({ tool }) => called.push(tool.name));
  mm.addTool(hostInfo);
  mm.addTool({
    name: 'roll_dice',
    description: 'Rolls a pair of dice.',
    method: '_demo.minime/roll_dice',
    handle: () => '4 and 2',
  });
  try {
    const session = await mm.newSession();
    expect((await session.prompt('Roll the dice, please.')).text).toContain('4 and 2');
    await session.prompt('How much memory is free on my machine?');
    expect(called).toEqual(['roll_dice', 'host_info']);
  } finally {
    await mm.close();
  }
});

test('the example tests of a tool pass with the test runner of Node', async () => {
  const file = path.join(EXAMPLES, 'testing/size-of.test.js');
  const args = ['--test', '--test-reporter=tap', file];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toMatch(/^# pass 3$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});

test('host_info is lent to whichever agent is named', async () => {
  const file = path.join(EXAMPLES, 'any-agent/index.js');
  const agent = [process.execPath, path.join(__dirname, '../../js/stand-in.js'), '-acp'];
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...agent]);
  expect(stdout).toMatch(/^mini-me-stand-in: Which operating system/);
  expect(stdout).toContain('The tool answered:');
  const none = promisify(execFile)(process.execPath, [file]);
  await expect(none).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('got none'),
  });
});
