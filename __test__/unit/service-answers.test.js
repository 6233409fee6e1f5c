'use strict';
// What handlers of files, terminals and questions give is checked before it goes out.

const { describe, expect, test } = require('@jest/globals');
const answers = require('../../js/service-answers');
const { messageOf } = require('./thrown');

const STATUS = { exitCode: 0, signal: null };

/** Each kind: what is taken, and what is not, with the words for what was expected. */
const CASES = {
  content: [[''], [[5, 'the text of the file'], [undefined], [{ content: 'x' }]]],
  created: [['t1'], [[5, 'the id of the terminal, text'], [undefined], [{ terminalId: 't' }]]],
  output: [
    [
      { output: '', truncated: false },
      { output: 'x', truncated: true, exitStatus: null, _meta: { a: 1 } },
      { output: 'x', truncated: true, exitStatus: { ...STATUS, more: 1 } },
    ],
    [
      [undefined, 'an object with output, text'],
      ['text'],
      [[]],
      [{ output: 1, truncated: true }],
      [{ output: 'x' }, 'truncated as true or false', 'undefined'],
      [{ output: 'x', truncated: 0 }, undefined, '0'],
      [{ output: 'x', truncated: true, exitStatus: 1 }, 'an object with exitCode or signal', '1'],
    ],
  ],
  exit: [
    [{}, STATUS, { exitCode: 4_294_967_295 }, { exitCode: null, signal: 'SIGTERM', _meta: {} }],
    [
      [null, 'an object with exitCode or signal'],
      [0],
      [{ exitCode: '0' }, 'exitCode as a whole number, 0 or more, or null', '"0"'],
      [{ exitCode: 1.5 }, undefined, '1.5'],
      [{ exitCode: -1 }, undefined, '-1'],
      [{ signal: 15 }, 'signal as text or null', '15'],
    ],
  ],
  elicited: [
    [
      { action: 'accept' },
      { action: 'accept', content: { a: 1 }, _meta: {} },
      { action: 'decline', content: null },
      { action: 'cancel' },
    ],
    [
      ['foo', 'an object with action, one of accept, decline, cancel'],
      [undefined],
      [{}],
      [{ action: 'yes' }],
      [{ action: ['accept'] }],
      [{ action: 'accept', content: 'x' }, 'content as an object', '"x"'],
    ],
  ],
};

describe('an answer', () => {
  test.each(Object.entries(CASES))('%s', (kind, [good, bad]) => {
    for (const given of good) {
      const wrapped = { content: { content: given }, created: { terminalId: given } };
      expect(answers[kind](given)).toEqual(wrapped[kind] ?? given);
    }
    for (const [given, expected = '', came = JSON.stringify(given) ?? 'undefined'] of bad) {
      const message = messageOf(() => answers[kind](given));
      expect(message).toContain(`expected the handler to give ${expected}`);
      expect(message.endsWith(`, got ${came}`)).toBe(true);
    }
  });

  test('of write, kill and release is empty whatever is given', () => {
    expect(answers.empty('x')).toEqual({});
  });
});
