'use strict';
// docs/protocol.md names a test for each rule; a name that leads nowhere is a rule without a test.

const fs = require('node:fs');
const path = require('node:path');
const { describe, expect, test } = require('@jest/globals');

const ROOT = path.join(__dirname, '../..');
const text = fs.readFileSync(path.join(ROOT, 'docs/protocol.md'), 'utf8');
const named = [...text.matchAll(/`((?:src|tests|__test__)\/[\w./-]+)(?:: (\w+))?`/g)];

describe('docs/protocol.md', () => {
  test('names tests', () => {
    expect(named.length).toBeGreaterThan(50);
  });

  const files = named.filter(([, , name]) => name === undefined).map(([, file]) => file);
  test.each(files)('%s exists', (file) => {
    expect(fs.existsSync(path.join(ROOT, file))).toBe(true);
  });

  const tests = named.filter(([, , name]) => name !== undefined);
  test.each(tests.map(([, file, name]) => ({ file, name })))(
    '$name is in $file',
    ({ file, name }) => {
      expect(fs.readFileSync(path.join(ROOT, file), 'utf8')).toContain(`fn ${name}(`);
    },
  );
});
