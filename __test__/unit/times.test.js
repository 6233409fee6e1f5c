'use strict';
// Options are checked before anything is started.

const { describe, expect, test } = require('@jest/globals');
const { OptionError } = require('../../js/errors');
const { callOptions, cancelOptions, clientOptions } = require('../../js/options');
const { checkTool } = require('../../js/tool');

describe('a time', () => {
  test.each([0, 1.5, 2 ** 40, Number.POSITIVE_INFINITY])('may be %p ms', (startTimeoutMs) => {
    expect(clientOptions({ startTimeoutMs })).toMatchObject({ startTimeoutMs });
  });

  test.each([-1, Number.NaN, '1'])('may not be %p', (time) => {
    expect(() => clientOptions({ startTimeoutMs: time })).toThrow(OptionError);
    expect(() => clientOptions({ closeTimeoutMs: time })).toThrow(OptionError);
    expect(() => callOptions({ timeoutMs: time })).toThrow(OptionError);
    expect(() => cancelOptions({ timeoutMs: time })).toThrow(OptionError);
  });

  test('of no length is no limit of a call', () => {
    expect(() => callOptions({ timeoutMs: 0 })).toThrow(OptionError);
  });
});

test('a member that is undefined counts as absent', () => {
  expect(clientOptions({ args: undefined })).toMatchObject({ args: ['-acp'] });
});

test.each([0, -1, Number.NaN])('a tool may not run %p ms', (timeoutMs) => {
  expect(() => checkTool({ name: 'a', timeoutMs, handle: () => 1 })).toThrow(
    expect.objectContaining({ code: 'MM_ERR_TOOL' }),
  );
});
