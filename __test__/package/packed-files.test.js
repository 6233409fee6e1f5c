'use strict';

const { describe, expect, test } = require('@jest/globals');
const { evaluate } = require('./evaluate');

function differencesBetween(packed, expected) {
  const lists = [packed, expected].map((list) => JSON.stringify(list)).join(', ');
  return evaluate(`
    import { differences } from './scripts/lib/packed-files.mjs';
    console.log(JSON.stringify(differences(${lists})));
  `);
}

describe('the packed package', () => {
  test('holds the documents, the types, all of js/ and one native file, and nothing else', async () => {
    const found = await evaluate(`
      import * as files from './scripts/lib/packed-files.mjs';
      const lists = [await files.listPackedFiles(), await files.expectedFiles()];
      console.log(JSON.stringify(files.differences(...lists)));
    `);
    expect(found).toEqual([]);
  });
});

describe('the check of the packed files', () => {
  test('finds nothing where the lists agree, whatever their order', async () => {
    expect(await differencesBetween(['b', 'a'], ['a', 'b'])).toEqual([]);
  });

  test('tells of a file that is missing', async () => {
    const found = await differencesBetween(['a'], ['a', 'js/index.js']);
    expect(found).toEqual(['expected js/index.js in the package, it is not']);
  });

  test('tells of a file too many', async () => {
    const found = await differencesBetween(['a', 'js/addon.node.json'], ['a']);
    expect(found).toEqual(['expected no js/addon.node.json in the package, it is there']);
  });
});
