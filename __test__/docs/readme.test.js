'use strict';
// What the README shows is what runs.

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { describe, expect, test } = require('@jest/globals');

const ROOT = path.join(__dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/first/index.js');
const readme = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');

describe('README.md', () => {
  test('shows the example that is in examples/first', () => {
    const [, shown] = /```js\n(.*?)```/s.exec(readme) ?? [];
    expect(shown).toBe(fs.readFileSync(EXAMPLE, 'utf8'));
  });

  test('has an example that lends a tool and prints the answer', async () => {
    const env = { ...process.env, MM_BIN: path.join(ROOT, 'js/stand-in.js') };
    const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE], { env });
    expect(stdout).toContain('the agent calls client: free_memory');
    expect(stdout).toMatch(/\d+ GiB/);
  });

  test('links to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link);
    const missing = links.filter((link) => !fs.existsSync(path.join(ROOT, link)));
    expect(missing).toEqual([]);
  });
});
