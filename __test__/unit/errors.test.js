'use strict';

const { describe, expect, jest, test } = require('@jest/globals');
const { inspect } = require('node:util');
const errors = require('../../js/errors');

const { createError, fromAgent, fromNative } = errors;

/** Another copy of the package, as when two versions are installed. */
function otherCopy() {
  let copy;
  jest.isolateModules(() => {
    copy = require('../../js/errors');
  });
  return copy;
}

const CLASS_NAMES = [
  'ToolDefinitionError',
  'OptionError',
  'StateError',
  'ConnectionError',
  'ProtocolError',
  'AgentError',
];

describe('every code', () => {
  test.each(Object.keys(errors.CLASSES))('%s makes an error of its class', (code) => {
    const error = createError(code, 'what happened', { rpcCode: 1 });
    const Class = errors.CLASSES[code];
    expect(Object.getPrototypeOf(error)).toBe(Class.prototype);
    expect(error).toBeInstanceOf(Class);
    expect(error).toBeInstanceOf(errors.MiniMeError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ code, name: Class.name, message: 'what happened' });
    const others = CLASS_NAMES.filter((name) => name !== Class.name);
    for (const name of others) expect(error).not.toBeInstanceOf(errors[name]);
  });

  test.each(['MM_ERR_TIMEOUT', 'MM_ERR_UNREAD', 'MM_ERR_INTERNAL', 'toString'])(
    'of no class of its own (%s) makes a MiniMeError',
    (code) => {
      expect(Object.getPrototypeOf(createError(code, 'm'))).toBe(errors.MiniMeError.prototype);
    },
  );
});

describe('an error', () => {
  test('is an instance of the classes of every copy of the package', () => {
    const copy = otherCopy();
    expect(copy.StateError).not.toBe(errors.StateError);
    const error = createError('MM_ERR_CLOSED', 'm');
    expect(error instanceof copy.StateError).toBe(true);
    expect(error instanceof copy.MiniMeError).toBe(true);
    expect(error instanceof copy.AgentError).toBe(false);
    expect(copy.createError('MM_ERR_AGENT', 'm', {}) instanceof errors.AgentError).toBe(true);
  });

  test('is told apart from whatever else there is', () => {
    const others = [
      undefined,
      null,
      7,
      'x',
      {},
      [],
      new Error('x'),
      { code: 'MM_ERR_CLOSED' },
      () => 1,
    ];
    for (const other of others) expect(other instanceof errors.MiniMeError).toBe(false);
  });

  test('can be extended', () => {
    class Mine extends errors.StateError {}
    const error = new Mine('MM_ERR_CLOSED', 'm');
    expect(error.name).toBe('Mine');
    expect(error instanceof Mine).toBe(true);
    expect(error instanceof errors.StateError).toBe(true);
    expect(createError('MM_ERR_CLOSED', 'm') instanceof Mine).toBe(false);
  });

  test('shows name, code and message however it is shown', () => {
    const cause = new Error('below');
    const error = createError('MM_ERR_SPAWN', 'no mm', { command: 'mm' }, { cause });
    expect(String(error)).toBe('ConnectionError [MM_ERR_SPAWN]: no mm');
    expect(`${error}`).toBe(error.toString());
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ConnectionError',
      message: 'no mm',
      code: 'MM_ERR_SPAWN',
      details: { command: 'mm' },
      exitCode: null,
      signal: null,
      stderr: '',
    });
    expect(inspect(error)).toMatch(/no mm[\s\S]*MM_ERR_SPAWN/u);
    expect(error.cause).toBe(cause);
    expect(error.stack).toContain('errors.test.js');
  });

  test('has details that survive structuredClone, and its own members with them', () => {
    const details = { exitCode: 3, signal: null, stderr: 's' };
    const error = createError('MM_ERR_EXITED', 'm', details);
    expect(structuredClone(error.details)).toEqual(details);
    expect(error).toMatchObject(details);
    expect(structuredClone({ ...error })).toEqual({ ...details, code: 'MM_ERR_EXITED', details });
    expect(structuredClone(error).message).toBe('m');
  });

  test('without details has none', () => {
    expect(createError('MM_ERR_CLOSED', 'm').details).toEqual({});
    expect(createError('MM_ERR_CLOSED', 'm')).not.toHaveProperty('cause');
  });
});

describe('fromNative()', () => {
  test('makes of JSON the error that it describes', () => {
    const json = JSON.stringify({
      code: 'MM_ERR_SPAWN',
      message: 'm',
      details: { errno: 'ENOENT' },
    });
    const error = fromNative({ message: json });
    expect(error).toBeInstanceOf(errors.ConnectionError);
    expect(error).toMatchObject({
      code: 'MM_ERR_SPAWN',
      message: 'm',
      details: { errno: 'ENOENT' },
    });
  });

  test.each([
    [new Error('panicked')],
    ['panicked'],
    [{ message: '{"message":"panicked"}' }],
    [{ message: '["panicked"]' }],
  ])('takes anything else for a fault of ours, MM_ERR_INTERNAL, and keeps it: %p', (cause) => {
    const error = fromNative(cause);
    expect(error).toMatchObject({ code: 'MM_ERR_INTERNAL', name: 'MiniMeError' });
    expect(error.message).toContain('panicked');
    expect(error.cause).toBe(cause);
  });
});

describe('fromAgent()', () => {
  test.each([
    [{ code: -32000, message: 'm', data: { a: 1 } }, -32000, { a: 1 }, 'x/y: m'],
    [{ code: 5, message: '' }, 5, undefined, 'x/y: error 5'],
    [{ code: '5', message: 7 }, -32603, undefined, 'x/y: error -32603'],
    [{ code: 1, message: 'm', data: null }, 1, null, 'x/y: m'],
    ['text', -32603, undefined, 'x/y: error -32603'],
    [[], -32603, undefined, 'x/y: error -32603'],
    [{ code: 1, message: 'm', data: 'why' }, 1, 'why', 'x/y: m (why)'],
    [{ code: 1, message: 'm', data: { error: 'why' } }, 1, { error: 'why' }, 'x/y: m (why)'],
    [{ code: 1, message: 'm: why', data: { error: 'why' } }, 1, { error: 'why' }, 'x/y: m: why'],
    [{ code: 1, message: 'm', data: { error: 7 } }, 1, { error: 7 }, 'x/y: m'],
    [
      { code: 1, message: 'm', data: 'w'.repeat(600) },
      1,
      'w'.repeat(600),
      `x/y: m (${'w'.repeat(500)})`,
    ],
  ])('of %j', (answer, rpcCode, rpcData, message) => {
    const error = fromAgent(answer, 'x/y');
    expect(error).toBeInstanceOf(errors.AgentError);
    expect(error).toMatchObject({ code: 'MM_ERR_AGENT', rpcCode, message });
    expect(error.rpcData).toEqual(rpcData);
    expect(error.details.method).toBe('x/y');
  });

  test('of null, an answer with neither result nor error, is MM_ERR_MESSAGE_INVALID', () => {
    const error = fromAgent(null, 'x/y');
    expect(error).toBeInstanceOf(errors.ProtocolError);
    expect(error).toMatchObject({ code: 'MM_ERR_MESSAGE_INVALID' });
  });
});
