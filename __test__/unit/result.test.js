'use strict';

const { describe, expect, test } = require('@jest/globals');
const { encodeResult, errorText, failureJson } = require('../../js/result');

const ok = (json) => ({ json, isError: false });

describe('encodeResult()', () => {
  test.each([
    [undefined, '{"content":[]}'],
    [null, 'null'],
    ['', '""'],
    ['a\n"b"', '"a\\n\\"b\\""'],
    [0, '0'],
    [-0, '0'],
    [true, 'true'],
    [[], '[]'],
    [[undefined, 1], '[null,1]'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [{ b: 1, a: 2, 1: 3 }, '{"1":3,"b":1,"a":2}'],
    [new Date(NaN), 'null'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [Buffer.from('a'), '{"type":"Buffer","data":[97]}'],
    [{ toJSON: () => ({ x: 1 }) }, '{"x":1}'],
    [{ toJSON: () => undefined }, '{"content":[]}'],
    [{ a: { toJSON: (key) => `I am ${key}` } }, '{"a":"I am a"}'],
    [{ content: [] }, '{"content":[]}'],
    [{ isError: true, content: {} }, '{"isError":true,"content":{}}'],
    [{ isError: 'true', content: [] }, '{"isError":"true","content":[]}'],
    [Object(1), '1'],
    [
      new (class Point {
        x = 1;
      })(),
      '{"x":1}',
    ],
    [Object(''), '""'],
    [new Uint8Array(0), '{}'],
    [require('node:vm').runInNewContext('({})'), '{}'],
    [Object.create(null), '{}'],
  ])('%p is %s', (value, json) => {
    expect(encodeResult(value)).toEqual(ok(json));
  });

  const block = { type: 'text', text: 'a "b"\u2028\ud800' };
  test.each([
    { content: [block] },
    { content: [{ text: 'x', type: 'text' }] },
    { content: [{ ...block, annotations: {} }] },
    { content: [{ ...block, text: 7 }] },
    { content: [{ ...block, type: 'image' }] },
    { content: [block, block] },
    { content: Object.assign([block], { toJSON: () => 'replaced' }) },
    { content: [Object.assign(Object.create({ toJSON: () => 'replaced' }), block)] },
    { content: [block], toJSON: () => 'replaced' },
    { content: [block], _meta: {} },
    { content: { 0: block, length: 1 } },
    Object.create(null, { content: { value: [block], enumerable: true } }),
  ])(
    'a result of one text block, or nearly so, is what JSON.stringify makes of it: %#',
    (value) => {
      expect(encodeResult(value)).toEqual(ok(JSON.stringify(value)));
    },
  );

  test('isError counts beside a content array', () => {
    const value = { content: [{ type: 'text', text: 'x' }], isError: true };
    const failed = { json: JSON.stringify(value), isError: true };
    expect(encodeResult(value)).toEqual(failed);
    expect(encodeResult({ toJSON: () => value })).toEqual(failed);
  });

  test('isError counts as it goes out, not where JSON leaves it behind', () => {
    const value = { content: [], isError: true };
    expect(encodeResult({ ...value, toJSON: () => 'fine' })).toEqual(ok('"fine"'));
    const inherited = Object.assign(Object.create(value), { fine: true });
    expect(encodeResult(inherited)).toEqual(ok('{"fine":true}'));
  });

  const cycle = [];
  cycle.push([cycle]);
  const siblings = { a: { b: {} }, c: { d: 1n } };
  test.each([
    [1n, 'result: expected JSON, got a BigInt'],
    [() => 1, 'result: expected JSON, got a function'],
    [class A {}, 'result: expected JSON, got a function'],
    [Symbol('x'), 'result: expected JSON, got a symbol'],
    [NaN, 'result: expected JSON, got NaN'],
    [Infinity, 'result: expected JSON, got Infinity'],
    [
      [1, Promise.resolve(2)],
      'result[1]: expected JSON, got a Promise: await it, several by Promise.all()',
    ],
    [
      { error: new Error('x') },
      'result.error: expected JSON, got an object of the class Error, of which JSON holds nothing',
    ],
    [/x/, 'result: expected JSON, got an object of the class RegExp, of which JSON holds nothing'],
    [
      (function* numbers() {
        yield 1;
      })(),
      'result: expected JSON, got an object of the class Generator, of which JSON holds nothing',
    ],
    [
      new (class Empty {})(),
      'result: expected JSON, got an object of the class Empty, of which JSON holds nothing',
    ],
    [new Map(), 'result: expected JSON, got a Map'],
    [new Set(), 'result: expected JSON, got a Set'],
    [cycle, 'result[0][0]: expected JSON, got a cycle'],
    [siblings, 'result.c.d: expected JSON, got a BigInt'],
    [{ a: [{ b: [1, 2, NaN] }] }, 'result.a[0].b[2]: expected JSON, got NaN'],
    [{ toJSON: () => 1n }, 'result: expected JSON, got a BigInt'],
  ])('%p is an error that names its path', (value, message) => {
    expect(encodeResult(value)).toEqual({ json: failureJson(message), isError: true });
  });

  test.each([
    ['result.bad', { ok: { deep: 1 }, bad: undefined }],
    ['result.list[1].bad', { list: [{ ok: 1 }, { bad: undefined }] }],
  ])('what throws while it is read is named: %s', (path, value) => {
    const holder = value.list?.[1] ?? value;
    const message = failureJson(`${path}: expected JSON, reading it threw: boo`);
    const get = () => {
      throw new Error('boo');
    };
    Object.defineProperty(holder, 'bad', { get, enumerable: true, configurable: true });
    expect(encodeResult(value)).toEqual({ json: message, isError: true });
    Object.defineProperty(holder, 'bad', { value: { toJSON: get }, enumerable: true });
    expect(encodeResult(value)).toEqual({ json: message, isError: true });
  });

  test('an object met twice, but not within itself, is no cycle', () => {
    const twice = { x: 1 };
    expect(encodeResult([twice, { twice }, twice])).toEqual(
      ok('[{"x":1},{"twice":{"x":1}},{"x":1}]'),
    );
  });

  test('a promise in a result that rejects ends nothing', async () => {
    const heard = [];
    const listener = (reason) => heard.push(reason);
    process.on('unhandledRejection', listener);
    expect(encodeResult([Promise.reject(new Error('late'))]).isError).toBe(true);
    await new Promise(setImmediate);
    process.off('unhandledRejection', listener);
    expect(heard).toEqual([]);
  });

  test('what throws while it is read is an error', () => {
    const throws = () => {
      throw new Error('locked');
    };
    const proxy = new Proxy({}, { ownKeys: throws });
    for (const value of [
      { toJSON: throws },
      Object.defineProperty({}, 'x', { get: throws, enumerable: true }),
      proxy,
    ]) {
      const { json, isError } = encodeResult(value);
      expect(isError).toBe(true);
      expect(json).toMatch(/^\{"content":\[\{"type":"text","text":"result.*locked"/u);
    }
  });
});

describe('errorText()', () => {
  test.each([
    [new Error('m'), 'm'],
    ['s', 's'],
    [{ message: 'm' }, 'm'],
    [{ message: 1 }, '{"message":1}'],
    [undefined, 'undefined'],
    [null, 'null'],
    [7n, '7'],
    [Symbol('x'), 'Symbol(x)'],
    [[1], '[1]'],
    ['', 'the tool failed without a message'],
    [new Error(''), 'the tool failed without a message'],
    [new AggregateError([new Error('refused'), new Error('late')], ''), 'refused'],
    [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [
      Object.defineProperty(new Error(''), 'errors', {
        get() {
          throw new Error('locked');
        },
      }),
      'the tool failed without a message',
    ],
  ])('of %p is %j', (thrown, text) => {
    expect(errorText(thrown)).toBe(text);
  });

  test('of a value that cannot be shown says so', () => {
    const hostile = {
      toJSON: () => {
        throw new Error('no');
      },
      toString: () => {
        throw new Error('no');
      },
    };
    expect(errorText(hostile)).toBe('the tool failed with a value that cannot be shown');
  });
});
