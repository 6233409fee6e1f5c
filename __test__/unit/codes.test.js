'use strict';
// Each code that a user can meet, and each option, is named by a test and the docs: one that is not
// fails here.

const { describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '../..');

function read(folder, isWanted) {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true })
    .filter(isWanted)
    .map((file) => fs.readFileSync(path.join(ROOT, folder, file), 'utf8'))
    .join('\n');
}

const all = (text, pattern) =>
  [...new Set([...text.matchAll(pattern)].map((match) => match[1]))].sort();

const javascript = read('js', (file) => file.endsWith('.js'));
const rust = read('src', (file) => file.endsWith('.rs'));
const tests = read(
  '__test__',
  (file) => file.endsWith('.test.js') && !file.endsWith('codes.test.js'),
);

const ERRORS = all(javascript + rust, /\b(MM_ERR_[A-Z_]+)\b/gu);
const DIAGNOSTICS = [
  ...all(javascript, /diagnose\(\s*'([a-z]+(?:-[a-z]+)+)'/gu),
  ...all(javascript, /code: '([a-z]+(?:-[a-z]+)+)'/gu),
  ...all(rust, /Diagnostic::new\(\s*"([a-z]+(?:-[a-z]+)+)"/gu),
];

const DOCS = fs.readFileSync(path.join(ROOT, 'docs/errors.md'), 'utf8');
const [, optionsBlock] = /^export interface MiniMeOptions .*?\{$(.*?)^\}$/msu.exec(
  fs.readFileSync(path.join(ROOT, 'index.d.ts'), 'utf8'),
);
const OPTIONS = all(optionsBlock, /^ {2}([a-zA-Z]+)\?:/gmu);

describe('each code is named by a test', () => {
  test('of those that were found, the oldest are among them', () => {
    expect(ERRORS).toEqual(expect.arrayContaining(['MM_ERR_SPAWN', 'MM_ERR_OPTION']));
    expect(DIAGNOSTICS).toEqual(
      expect.arrayContaining([
        'listener-failed',
        'permission-unhandled',
        'slow-start',
        'stdout-noise',
      ]),
    );
  });

  test.each(ERRORS)('%s', (code) => {
    expect(tests).toMatch(new RegExp(`\\b${code}\\b`, 'u'));
  });

  test.each([...new Set(DIAGNOSTICS)])('%s', (code) => {
    expect(tests).toMatch(new RegExp(`(?<![a-z-])${code}(?![a-z-])`, 'u'));
  });
});

describe('docs/errors.md has a row for each code', () => {
  test.each([...new Set([...ERRORS, ...DIAGNOSTICS])])('%s', (code) => {
    expect(DOCS).toContain(`\n| \`${code}\` `);
  });
});

describe('each option is given by a test', () => {
  test('of those that were found, the oldest are among them', () => {
    expect(OPTIONS).toEqual(expect.arrayContaining(['command', 'discovery', 'trace']));
    expect(OPTIONS.length).toBeGreaterThan(15);
  });

  test.each(OPTIONS)('%s', (option) => {
    expect(tests).toMatch(new RegExp(`[{,]\\s*${option}\\b`, 'u'));
  });
});
