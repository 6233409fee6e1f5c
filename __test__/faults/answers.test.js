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
  const tool = { definition: { handle: () => 'x'.repeat(400_000) }, registered: {} };
  for (let key = 0; key < 100; key += 1) calls.run(key, tool, {});
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
