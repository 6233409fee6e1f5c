'use strict';

const { describe, expect, test } = require('@jest/globals');
const { evaluate } = require('./evaluate');

const MB = 2 ** 20;

/** What has grown too much in samples whose member is what `at` gives for each of 40. */
function grown(what, at) {
  const steady = { descriptors: 30, threads: 12, rss: 70 * MB, heap: 6 * MB };
  const samples = Array.from({ length: 40 }, (_, number) => ({ ...steady, [what]: at(number) }));
  return evaluate(`
    import { growths, isTooMuch } from './scripts/lib/growth.mjs';
    const found = growths(${JSON.stringify(samples)}).filter(isTooMuch).map(({ what }) => what);
    console.log(JSON.stringify(found));
  `);
}

describe('a soak', () => {
  test.each([
    ['a descriptor left now and then', 'descriptors', (number) => 30 + Math.floor(number / 10)],
    ['a thread that is left', 'threads', (number) => (number < 20 ? 12 : 13)],
    ['a heap that grows', 'heap', (number) => (6 + number / 8) * MB],
    ['RSS that grows', 'rss', (number) => (70 + 2 * number) * MB],
  ])('fails for %s', async (_, what, at) => {
    expect(await grown(what, at)).toEqual([what]);
  });

  test.each([
    ['what is under way at some samples', 'descriptors', (number) => 30 + (number % 7)],
    ['what comes up while it warms up', 'heap', (number) => Math.min(number, 9) * MB],
    ['what is freed', 'rss', (number) => (90 - number) * MB],
  ])('passes for %s', async (_, what, at) => {
    expect(await grown(what, at)).toEqual([]);
  });
});
