'use strict';
// What of a script of the stand-in is refused, and what is not.

const { describe, expect, test } = require('@jest/globals');
const { checkScript } = require('../../js/stand-in/script-check');

const ping = { call: 'ping' };

describe('a step that is wrong is told with its place, what was expected and what came', () => {
  test.each([
    [{ ...ping, arguments: [1] }, 'expected arguments to be an object; got [1]'],
    [{ ...ping, arguments: 'x' }, 'expected arguments to be an object; got "x"'],
    [{ ...ping, arguments: null }, 'expected arguments to be an object; got null'],
    [{ ...ping, arguments: 5 }, 'expected arguments to be an object; got 5'],
    [{ ...ping, loud: 1 }, 'expected no loud beside call'],
    [{ call: '' }, 'expected call to be the name of a tool; got ""'],
    [{ calls: [] }, 'expected calls to be an array of { call, arguments }, at least one; got []'],
    [{ text: 'a', chunks: 'a' }, 'expected chunks to be a whole number, over 0; got "a"'],
    [{ text: 'a', chunks: 0 }, 'expected chunks to be a whole number, over 0; got 0'],
    [
      { text: 'a', everyMs: -1 },
      'expected everyMs to be a number of ms, at most 2147483647; got -1',
    ],
    [{ sleep: 2 ** 31 }, 'expected sleep to be a number of ms, at most 2147483647; got 2147483648'],
    [{ plan: [{}] }, 'expected plan to be an array of texts and entries with content; got [{}]'],
    [{ update: {} }, 'expected update to be an object with sessionUpdate; got {}'],
    [{ error: {} }, 'expected error to be an object with message; got {}'],
    [
      { error: { message: 'm', code: '7' } },
      'expected code of error to be a whole number; got "7"',
    ],
    [{ error: { message: 'm', cod: 7 } }, 'expected no cod in error'],
    [
      { fault: 'exits', status: 'x' },
      'expected status to be a whole number from 0 to 255; got "x"',
    ],
    [
      { fault: 'exits', status: 999 },
      'expected status to be a whole number from 0 to 255; got 999',
    ],
    [{ fault: 'floods', updates: -1 }, 'expected updates to be a whole number, over 0; got -1'],
    [{ fault: 'splits-utf8', text: 7 }, 'expected text to be a text; got 7'],
    [{ fault: 'floods', status: 1 }, 'expected no status beside fault "floods"'],
    [{ fault: 'toString' }, 'expected fault to be one of never-answers, '],
    [{}, 'expected a step with one of text, results, '],
    [[], 'expected a step, an object or a text; got []'],
  ])('%j', (step, message) => {
    expect(() => checkScript([['a'], ['b', step]])).toThrow(`prompts[1][1]: ${message}`);
  });

  test.each([
    [{ ...ping, arguments: [1] }, 'expected arguments to be an object; got [1]'],
    [{ ...ping, more: 1 }, 'expected no more beside call'],
    [{ call: 7 }, 'expected call to be the name of a tool; got 7'],
    ['ping', 'expected an object with call; got "ping"'],
  ])('among calls: %j', (call, message) => {
    expect(() => checkScript([[{ calls: [ping, call] }]])).toThrow(
      `prompts[0][0].calls[1]: ${message}`,
    );
  });
});

describe('a script that is wrong is told', () => {
  test.each([
    [{}, 'expected an object with prompts, or an array of them; got {}'],
    [{ prompts: [{}] }, 'prompts[0]: expected an array of steps, got {}'],
    [{ prompts: {} }, 'expected prompts to be an array, got {}'],
    [{ prompts: [], repeat: 'yes' }, 'expected repeat to be true or false, got "yes"'],
    [{ prompts: [], ignoreEnd: 1 }, 'expected ignoreEnd to be true or false, got 1'],
    [{ before: [] }, 'expected before to be an object, got []'],
    [{ before: { initialize: [] } }, 'before["initialize"]: expected at least one step, got []'],
    [
      { before: { initialize: [{ fault: 'exits', status: 'x' }] } },
      'before["initialize"][0]: expected status to be a whole number',
    ],
    [
      { before: { 'session/newx': [{ sleep: 1 }] } },
      'before["session/newx"]: expected the method of a request, one of initialize, ',
    ],
    [
      { before: { 'session/cancel': [{ sleep: 1 }] } },
      'before["session/cancel"]: expected the method of a request, one of initialize, ',
    ],
  ])('%j', (script, message) => {
    expect(() => checkScript(script)).toThrow(message);
  });
});

test('what has a meaning is taken', () => {
  const { prompts } = checkScript([
    ['', { text: 'a', chunks: 2, everyMs: 0.5 }, { text: 'b', chunks: undefined }],
    [{ ...ping, arguments: {} }, { calls: [ping, { ...ping, arguments: undefined }] }],
    [{ plan: [] }, { plan: ['a', { content: 'b' }] }, { line: {} }, { sleep: 1e9 }],
    [
      { fault: 'exits', status: 0 },
      { fault: 'floods', updates: 1, text: '' },
    ],
    [{ error: { message: 'm', code: -32000, data: null } }, { stop: 'of_tomorrow' }],
    // The agent says nothing.
    [],
  ]);
  expect(prompts).toHaveLength(6);
  expect(checkScript([])).toEqual({ prompts: [], before: {}, repeat: false, ignoreEnd: false });
  const before = Object.fromEntries(
    ['session/set_mode', 'authenticate', '_x/y'].map((method) => [method, [{ sleep: 1 }]]),
  );
  expect(checkScript({ before, ignoreEnd: true })).toMatchObject({ before, ignoreEnd: true });
});
