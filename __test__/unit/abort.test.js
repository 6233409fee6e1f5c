'use strict';

const { expect, test } = require('@jest/globals');
const { abortError } = require('../../js/abort');

test('a reason to abort with is of the class that Node.js gives, also where that is no global', () => {
  const reason = abortError('The turn was cancelled');
  expect(reason).toBeInstanceOf(AbortSignal.abort().reason.constructor);
  expect(reason).toBeInstanceOf(DOMException);
  expect(reason).toMatchObject({ name: 'AbortError', message: 'The turn was cancelled' });
});
