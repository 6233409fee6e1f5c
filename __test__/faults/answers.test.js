'use strict';
// Answers of calls are joined for the native side, and not without bound: one string holds half a
// billion characters at most.

const { expect, test } = require('@jest/globals');
const { Calls } = require('../../js/calls');

/** The calls of a client whose native side hands `take` what is joined. */
function callsOf(take) {
  return new Calls({
    answerCalls: (answers) => {
      take(answers);
      return [];
    },
    answerLarge: (key, isError, json) => {
      take(`${key}${isError ? 'e' : 'r'}${json}\n`);
      return false;
    },
    sessionOf: () => undefined,
    sign: () => undefined,
    hold: () => undefined,
    release: () => undefined,
    isReporting: () => false,
    report: () => undefined,
    unread: { hasWoken: false },
  });
}

test('answers that are huge together are handed over before they are one string too long', async () => {
  const joined = [];
  const calls = callsOf((answers) => joined.push(answers.length));
  const tool = { definition: { handle: () => 'x'.repeat(60_000) }, registered: {} };
  for (let key = 0; key < 800; key += 1) calls.run(key, tool, {});
  expect(joined.length).toBeGreaterThan(30);
  await undefined;
  expect(Math.max(...joined)).toBeLessThan(2_000_000);
  expect(joined.reduce((sum, length) => sum + length)).toBeGreaterThan(40_000_000);
});

test('answers that are small stay one', async () => {
  const joined = [];
  const calls = callsOf((answers) => joined.push(answers));
  const tool = { definition: { handle: () => 1 }, registered: {} };
  for (let key = 0; key < 3; key += 1) calls.run(key, tool, {});
  await undefined;
  expect(joined).toEqual(['0r1\n1r1\n2r1\n']);
});

test('a large answer goes alone, behind those that were given before it', async () => {
  const joined = [];
  const calls = callsOf((answers) => joined.push(answers));
  const large = 'x'.repeat(70_000);
  const results = [1, large, { content: [{ type: 'text', text: large }] }, 2];
  results.forEach((result, key) => {
    calls.run(key, { definition: { handle: () => result }, registered: {} }, {});
  });
  await undefined;
  const lines = results.map((result, key) => `${key}r${JSON.stringify(result)}\n`);
  expect(joined).toEqual(lines);
});
