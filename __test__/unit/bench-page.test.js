'use strict';
// The blocks that the benchmarks write into documents.

const fs = require('node:fs');
const path = require('node:path');
const { expect, test } = require('@jest/globals');
const { evaluate } = require('../package/evaluate');

const ROOT = path.resolve(__dirname, '../..');

function filled(text, blocks) {
  return evaluate(`
    import { fillBlocks } from './bench/lib/page.mjs';
    const [text, blocks] = ${JSON.stringify([text, blocks])};
    let result;
    try {
      result = fillBlocks(text, blocks, 'page.md');
    } catch ({ message }) {
      result = message;
    }
    console.log(JSON.stringify(result));
  `);
}

const OLD = 'a\n<!-- bench: one -->\n\nold\n\n<!-- bench end -->\nb\n';

test('a block is written anew, and nothing around it', async () => {
  const text = await filled(OLD, { one: ['| $& |', '', ''] });
  expect(text).toBe('a\n<!-- bench: one -->\n\n| $& |\n\n<!-- bench end -->\nb\n');
  expect(await filled(text, { one: ['old'] })).toBe(OLD);
});

test('a block that is not known, or not there, is told of', async () => {
  expect(await filled(OLD, {})).toBe('page.md: expected a block that is known, got "bench: one"');
  expect(await filled(OLD, { one: [], two: [] })).toBe(
    'page.md: expected blocks for two, there are none',
  );
});

test.each([
  [22.4, '22.4 ×'],
  [0.951, '0.951 ×'],
  [0.4, '1/2.5'],
  [0.02, '1/50'],
])('a ratio of %p is said as %s', async (ratio, expected) => {
  const said = await evaluate(`
    import { times } from './bench/lib/page.mjs';
    console.log(JSON.stringify(times(${ratio})));
  `);
  expect(said).toBe(expected);
});

test('every chart that a document shows is there, and every chart is shown', () => {
  const page = fs.readFileSync(path.join(ROOT, 'docs/benchmarks.md'), 'utf8');
  const shown = [...page.matchAll(/\]\(charts\/([^)]+)\)/g)].map(([, name]) => name);
  expect(fs.readdirSync(path.join(ROOT, 'docs/charts')).sort()).toEqual(shown.sort());
});

test('README quotes figures of the same run as the page', () => {
  const [readme, page] = ['README.md', 'docs/benchmarks.md'].map((name) =>
    fs.readFileSync(path.join(ROOT, name), 'utf8'),
  );
  const quoted = readme.split('<!-- bench: figures -->')[1]?.split('<!-- bench end -->')[0] ?? '';
  const rows = [...quoted.matchAll(/^\| .+? +\| ([\d. ]+?) +\| (?:[\d.]+ ×|1\/[\d. ]+?) +\|/gm)];
  expect(rows.length).toBe(4);
  for (const [, value] of rows) expect(page).toMatch(new RegExp(`\\| mini-me +\\| ${value}[ ~]`));
  const [, machine] = quoted.match(/Medians on ([^,]+),/) ?? [];
  expect(page).toContain(`- machine: ${machine},`);
});
