'use strict';
// The examples do what their heads say.

const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');
const { expect, test } = require('@jest/globals');

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
