'use strict';
// What docs/testing.md shows is what runs.

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { describe, expect, test } = require('@jest/globals');

const ROOT = path.join(__dirname, '../..');
const text = fs.readFileSync(path.join(ROOT, 'docs/testing.md'), 'utf8');

describe('docs/testing.md', () => {
  test('has an example whose tests pass', async () => {
    const [, example] = /```js\n(.*?)```/s.exec(text) ?? [];
    const args = ['--test-reporter=tap', '--eval', example];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    expect(stdout).toContain('# pass 3\n');
    expect(stdout).toContain('# fail 0\n');
  });

  test('links to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link);
    const missing = links.filter((link) => !fs.existsSync(path.join(ROOT, 'docs', link)));
    expect(missing).toEqual([]);
  });
});
