'use strict';
// docs/faults.md: each known kind of fault has one row, and what a row names is there.

const fs = require('node:fs');
const path = require('node:path');
const { describe, expect, test } = require('@jest/globals');

const ROOT = path.join(__dirname, '../..');

/** The numbers of all kinds. Those left out mean the same as one that is there. */
const KINDS = `
  1-2 4-5 7-8 10-14 16-17 19-23 25-26 28-35 37-41 43-50 52-56 58-71 73-77 79-80 82-83 85-92 94-95
  97-98 100-101 103-104 106-107 109-125 127-128 130-131 133-152 154-158 160-164 166-167 169-170`;

const text = fs.readFileSync(path.join(ROOT, 'docs/faults.md'), 'utf8');
const rows = [...text.matchAll(/^\| (\d*) *\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, number, kind, tests, guard]) => ({ number, kind: kind.trim(), tests, guard }),
);

/** What a cell names: files, each with a title, or with functions and their like. */
function namedIn(cell) {
  const names = /`([\w./-]+\.(?:m?js|rs))`(?:, "([^"]+)"|: ((?:`[^`]+`(?:, )?)+))?/g;
  return [...cell.matchAll(names)].map(([, file, title, members = '']) => ({
    file,
    title,
    members: [...members.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  }));
}

function sourceOf(...places) {
  const file = places.map((place) => path.join(ROOT, place)).find((place) => fs.existsSync(place));
  return file === undefined ? undefined : fs.readFileSync(file, 'utf8');
}

/** Whether Rust or JavaScript defines that function, method, constant or type. */
function defines(source, name) {
  const word = name.replace(/[$#]/g, '\\$&');
  const forms = [
    `\\b(?:fn|struct|enum|class|function|const|static) ${word}\\b`,
    `^ *(?:static |async )*${word}\\(.*\\{$`,
  ];
  return forms.some((form) => new RegExp(form, 'm').test(source));
}

/** What is wrong with a row. */
function faultsOf({ number, tests, guard }) {
  const faults = [];
  for (const { file, title, members } of namedIn(tests)) {
    const source = sourceOf(`__test__/faults/${file}`, `__test__/${file}`, file);
    const numbered = new RegExp(`['"](?:\\d+, )*${number}(?:, \\d+)*: `);
    if (source === undefined) faults.push(`no file ${file}`);
    else if (title !== undefined && !source.includes(title))
      faults.push(`no "${title}" in ${file}`);
    else if (title === undefined && members.length === 0 && !numbered.test(source)) {
      faults.push(`no test with the number ${number} in ${file}`);
    }
    for (const name of members) {
      if (!defines(source ?? '', name)) faults.push(`no ${name} in ${file}`);
    }
  }
  for (const { file, members } of namedIn(guard)) {
    const source = sourceOf(file);
    if (source === undefined) faults.push(`no file ${file}`);
    for (const name of members) {
      if (!defines(source ?? '', name)) faults.push(`no ${name} in ${file}`);
    }
  }
  return faults;
}

function rangesOf(ranges) {
  return ranges
    .trim()
    .split(/\s+/)
    .flatMap((range) => {
      const [first, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
}

describe('docs/faults.md', () => {
  test('has each kind once, in order', () => {
    const numbers = rows.flatMap(({ number }) => (number === '' ? [] : [Number(number)]));
    expect(numbers).toEqual(rangesOf(KINDS));
  });

  test.each(rows)('$number ($kind) names a test and a guard that are there', (row) => {
    expect(faultsOf(row)).toEqual([]);
    const isElsewhere = /^(?:Windows|macOS): not run here/.test(row.tests);
    expect(namedIn(row.tests).length > 0 || isElsewhere).toBe(true);
    expect(row.guard.trim()).not.toBe('');
  });

  test('names no test by a number that has no row there', () => {
    const folder = path.join(ROOT, '__test__/faults');
    const missing = fs.readdirSync(folder).flatMap((file) => {
      if (!file.endsWith('.test.js')) return [];
      const source = fs.readFileSync(path.join(folder, file), 'utf8');
      const titles = [...source.matchAll(/^\s*(?:test\(|\[)?['"]((?:\d+, )*\d+): /gm)];
      const numbers = titles.flatMap(([, list]) => list.split(', '));
      const named = rows.filter(({ tests }) => namedIn(tests).some((one) => one.file === file));
      const known = named.map(({ number }) => number);
      return numbers.filter((number) => !known.includes(number)).map((one) => `${file}: ${one}`);
    });
    expect([...new Set(missing)]).toEqual([]);
  });
});

describe('the check of a row', () => {
  const row = (tests, guard = '') => faultsOf({ number: '1', tests, guard });

  test('finds what is not there', () => {
    expect(row('`process.test.js`; `e2e/close.test.js`, "is idempotent"')).toEqual([]);
    expect(row('`e2e/close.test.js`')).toEqual(['no test with the number 1 in e2e/close.test.js']);
    expect(row('`e2e/close.test.js`, "is slow"')).toEqual(['no "is slow" in e2e/close.test.js']);
    expect(row('`none.test.js`')).toEqual(['no file none.test.js']);
    expect(row('`src/wire/lines.rs`: `check`, `none`')).toEqual(['no none in src/wire/lines.rs']);
    expect(row('', '`js/limit.js`: `limit`; `js/calls.js`: `#follow`, `Calls`')).toEqual([]);
    expect(row('', '`js/limit.js`: `onAbort`; `js/none.js`')).toEqual([
      'no onAbort in js/limit.js',
      'no file js/none.js',
    ]);
  });
});
