'use strict';
// The lane's reader on this side: entries are delivered one by one, and a bad one costs no other.

const { expect, jest, test } = require('@jest/globals');
const { Lane } = require('../../js/lane');

/** Delivers chunks; gives what the receiver was told. */
function deliver(...chunks) {
  const told = [];
  const receiver = {
    isOverfull: () => false,
    onStderr: (line) => told.push(line),
    onTrace: () => {
      throw new Error('trace failed');
    },
    onFault: (error) => told.push(`fault: ${error.message}`),
  };
  const lane = new Lane({ take: jest.fn(() => chunks.shift() ?? null) }, receiver);
  lane.wake();
  return told;
}

test('an entry whose receiver throws is told, and the next ones are delivered', () => {
  expect(deliver('[10,"a",13,true,"line",1,10,"b"]')).toEqual(['a', 'fault: trace failed', 'b']);
});

test('an entry of an unknown kind ends its chunk', () => {
  const told = deliver('[10,"a",99,"x",10,"b"]');
  expect(told).toEqual(['a', 'fault: expected a known entry, got tag 99']);
});
