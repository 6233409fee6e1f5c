'use strict';
// What the agent is answered for whatever a handler gives: a row of docs/protocol.md, "Results", each.

const { describe, expect, test } = require('@jest/globals');
const { failure, text } = require('../..');
const { agent, record, useClients } = require('./harness');

const open = useClients();

/** The line that answers one call of a tool, and the reports of the client. */
async function answerTo({ options, params = {}, method = '_probe', ...tool }) {
  const client = open({ ...agent('calls-tools'), ...options });
  const told = record(client);
  client.addTool({ name: 'probe', method: '_probe', ...tool });
  const session = await client.newSession();
  const { raw } = await session.prompt(JSON.stringify([{ method, params }]));
  expect(raw.answers).toHaveLength(1);
  return { line: raw.answers[0], client, session, told };
}

const failed = (message) => ({ content: [{ type: 'text', text: message }], isError: true });

describe('a handler that gives', () => {
  const buffer = Buffer.from('ab');
  test.each([
    ['a string', 'plain "text"\n\u2028é😀', 'plain "text"\n\u2028é😀'],
    ['an empty string', '', ''],
    [
      'content',
      { content: [{ type: 'text', text: 'a' }] },
      { content: [{ type: 'text', text: 'a' }] },
    ],
    ['text()', text('a'), { content: [{ type: 'text', text: 'a' }] }],
    [
      'content of any type',
      { content: [{ type: 'x', y: 1 }], z: 2 },
      { content: [{ type: 'x', y: 1 }], z: 2 },
    ],
    ['null', null, null],
    ['false', false, false],
    ['a number', -1.5e-7, -1.5e-7],
    ['an array', [1, [null, 'x']], [1, [null, 'x']]],
    ['an object', { b: 1, a: { c: [] } }, { b: 1, a: { c: [] } }],
    ['undefined members', { a: undefined, b: 1 }, { b: 1 }],
    ['isError without content', { isError: true }, { isError: true }],
    [
      'isError beside content that is no array',
      { isError: true, content: 'x' },
      { isError: true, content: 'x' },
    ],
    ['undefined', undefined, { content: [] }],
    ['a Date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a Buffer', buffer, { type: 'Buffer', data: [97, 98] }],
    ['what its toJSON says', { toJSON: () => [1] }, [1]],
    ['a toJSON that gives undefined', { toJSON: () => undefined }, { content: [] }],
    [
      'the same object twice',
      { a: buffer, b: buffer },
      JSON.parse(JSON.stringify({ a: buffer, b: buffer })),
    ],
    ['a promise', Promise.resolve('later'), 'later'],
    // biome-ignore lint/suspicious/noThenProperty: that is what it is about
    ['a thenable', { then: (resolve) => resolve('then') }, 'then'],
  ])('%s is answered with it', async (_, value, expected) => {
    const { line, told } = await answerTo({ handle: () => value });
    expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 1, result: expected });
    expect(told.toolCall).toMatchObject([{ outcome: 'ok', sessionId: undefined }]);
    expect(told.toolCall[0].durationMs).toBeGreaterThanOrEqual(0);
  });

  test('JSON keeps the order of its members and the text of its numbers', async () => {
    const value = { z: 1, a: 9007199254740991, 2: 0.1, 1: 1e21 };
    const { line } = await answerTo({ handle: () => value });
    expect(line).toBe(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(value)}}`);
  });

  test('failure() is answered with it, and is reported as an error', async () => {
    const { line, told } = await answerTo({ handle: () => failure('no such topic') });
    expect(JSON.parse(line).result).toEqual(failed('no such topic'));
    expect(told.toolCall).toMatchObject([{ outcome: 'error' }]);
    expect(told.toolCall[0]).not.toHaveProperty('error');
  });
});

describe('a handler that throws', () => {
  const bare = Object.create(null);
  const cycle = {};
  cycle.self = cycle;
  const error = new Error('no disk');
  test.each([
    ['an Error', error, 'no disk'],
    ['a string', 'just text', 'just text'],
    ['an object with a message', { message: 'm', code: 1 }, 'm'],
    ['another object', { code: 1 }, '{"code":1}'],
    ['an object whose message is no text', { message: 7 }, '{"message":7}'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a number', 7, '7'],
    ['a BigInt', 7n, '7'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a cycle', cycle, '[object Object]'],
    ['an object without a prototype', bare, '{}'],
    ['an Error without a message', new Error(''), 'the tool failed without a message'],
    ['an empty string', '', 'the tool failed without a message'],
  ])('%s gives the model its message, and the program the value', async (_, thrown, message) => {
    for (const handle of [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]) {
      const { line, told } = await answerTo({ handle });
      expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 1, result: failed(message) });
      expect(told.toolCall).toMatchObject([{ outcome: 'error' }]);
      expect(told.toolCall[0].error).toBe(thrown);
    }
  });

  test('never tells the stack', async () => {
    const { line } = await answerTo({
      handle: () => {
        throw new TypeError('bad');
      },
    });
    expect(line).not.toContain('results.test.js');
  });

  test('leaves the session as it was', async () => {
    const { session } = await answerTo({
      handle: () => {
        throw error;
      },
    });
    expect((await session.prompt('[]')).stopReason).toBe('end_turn');
  });
});

describe('a handler that gives what is no JSON', () => {
  const cycle = { list: [{}] };
  cycle.list[0].up = cycle;
  const getter = {
    a: {
      get b() {
        throw new Error('locked');
      },
    },
  };
  test.each([
    ['a BigInt', 1n, 'result: expected JSON, got a BigInt'],
    ['a BigInt inside', { a: [0, 1n] }, 'result.a[1]: expected JSON, got a BigInt'],
    ['a function', () => 1, 'result: expected JSON, got a function'],
    ['a function inside', { f: () => 1 }, 'result.f: expected JSON, got a function'],
    ['a symbol', Symbol('s'), 'result: expected JSON, got a symbol'],
    ['NaN', NaN, 'result: expected JSON, got NaN'],
    ['Infinity inside', [-Infinity], 'result[0]: expected JSON, got -Infinity'],
    ['a Map', new Map(), 'result: expected JSON, got a Map'],
    ['a Set inside', { a: { b: new Set() } }, 'result.a.b: expected JSON, got a Set'],
    ['a cycle', cycle, 'result.list[0].up: expected JSON, got a cycle'],
  ])('%s is answered with an error that names its path', async (_, value, message) => {
    const { line, told } = await answerTo({ handle: () => value });
    expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 1, result: failed(message) });
    expect(told.toolCall).toMatchObject([{ outcome: 'error' }]);
  });

  test('because reading it throws is answered with why', async () => {
    for (const value of [getter, { toJSON: () => getter.a.b }]) {
      const { line } = await answerTo({ handle: () => value });
      const { result } = JSON.parse(line);
      expect(result.isError).toBe(true);
      expect(result.content[0].text).toMatch(/^result.*locked$/u);
    }
  });
});

describe('an answer', () => {
  test('over maxOutgoingBytes is one that names size and limit', async () => {
    const { line, told } = await answerTo({
      options: { maxOutgoingBytes: 2000 },
      handle: () => 'x'.repeat(2000),
    });
    const { result } = JSON.parse(line);
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(/2000 bytes at most, got 20\d\d$/u);
    expect(told.toolCall).toMatchObject([{ outcome: 'too-large' }]);
  });

  test('of maxOutgoingBytes with its line feed goes out', async () => {
    const frame = '{"jsonrpc":"2.0","id":1,"result":""}\n'.length;
    const exact = 'x'.repeat(2000 - frame);
    const options = { maxOutgoingBytes: 2000 };
    const { line } = await answerTo({ options, handle: () => exact });
    expect(JSON.parse(line).result).toBe(exact);
    const { told } = await answerTo({ options, handle: () => `${exact}x` });
    expect(told.toolCall).toMatchObject([{ outcome: 'too-large' }]);
  });

  test('is limited in bytes, not in characters', async () => {
    const options = { maxOutgoingBytes: 2000 };
    const { told } = await answerTo({ options, handle: () => 'é'.repeat(1000) });
    expect(told.toolCall).toMatchObject([{ outcome: 'too-large' }]);
  });

  test('of five megabytes of any characters is one line, and exact', async () => {
    const value = `\0\t"\\\r\n\u2028é😀${'x'.repeat(5 * 1024 * 1024)}`;
    const { line } = await answerTo({ handle: () => value });
    expect(JSON.parse(line).result === value).toBe(true);
  });

  test('with half an emoji is valid JSON', async () => {
    const { line } = await answerTo({ handle: () => ({ '\udc00': 'a\ud83d' }) });
    expect(JSON.parse(line).result).toEqual({ '\ufffd': 'a\ufffd' });
  });

  test('comes after timeoutMs at the latest, and names the limit; the signal aborts', async () => {
    let signal;
    const { line, told } = await answerTo({
      timeoutMs: 30,
      handle: (_, context) => {
        signal = context.signal;
        return new Promise(() => undefined);
      },
    });
    expect(JSON.parse(line).result).toEqual(failed('the tool ran longer than its limit of 30 ms'));
    expect(signal.reason).toMatchObject({ code: 'MM_ERR_TIMEOUT', details: { timeoutMs: 30 } });
    expect(told.toolCall).toMatchObject([{ outcome: 'timeout' }]);
  });

  test('comes from a handler that is done before timeoutMs', async () => {
    for (const timeoutMs of [10_000, Infinity]) {
      const { line } = await answerTo({ timeoutMs, handle: () => Promise.resolve('done') });
      expect(JSON.parse(line).result).toBe('done');
    }
  });

  test('is waited for though timeoutMs is longer than a timer can be', async () => {
    const { line } = await answerTo({
      timeoutMs: 2 ** 31,
      handle: () => new Promise((resolve) => setTimeout(resolve, 50, 'done')),
    });
    expect(JSON.parse(line).result).toBe('done');
  });
});

describe('arguments', () => {
  const inputSchema = {
    type: 'object',
    properties: { topic: { enum: ['os', 'cpu'] }, limit: { type: 'integer' } },
    required: ['topic'],
    additionalProperties: false,
  };

  test.each([
    ['of the wrong type', { topic: 'os', limit: 'x' }, 'limit: '],
    ['outside an enum', { topic: 'gpu' }, 'topic: '],
    ['that are missing', {}, 'topic: '],
    ['that nobody knows', { topic: 'os', more: 1 }, 'more: '],
    ['that are an array', [1], 'arguments: '],
    ['that are a number', 7, 'arguments: '],
  ])('%s never reach the handler: the model is told', async (_, params, start) => {
    let count = 0;
    const handle = () => {
      count += 1;
    };
    const { line, told } = await answerTo({ params, inputSchema, handle });
    const { result, error } = JSON.parse(line);
    expect(error).toBeUndefined();
    expect(result.isError).toBe(true);
    expect(result.content[0].text.startsWith(start)).toBe(true);
    expect(result.content[0].text).toMatch(/expected .*, got /u);
    expect(count).toBe(0);
    expect(told.toolCall).toMatchObject([{ outcome: 'invalid-arguments' }]);
  });

  test('that fit reach the handler as JSON.parse makes them, without _meta', async () => {
    const params =
      '{"__proto__":{"a":1},"n":9007199254740993,"_meta":{"org.mini-me/sessionId":"s9","x":[1]}}';
    let seen;
    const handle = function handle(args, context) {
      seen = { args, meta: context.meta, sessionId: context.sessionId, self: this };
    };
    const client = open(agent('says'));
    const told = record(client);
    client.addTool({ name: 'probe', method: '_probe', handle });
    const session = await client.newSession();
    const line = `{"jsonrpc":"2.0","id":1,"method":"_probe","params":${params}}`;
    await session.prompt(JSON.stringify({ lines: [line] }));
    expect(Object.hasOwn(seen.args, '__proto__')).toBe(true);
    expect(JSON.stringify(seen.args)).toBe('{"__proto__":{"a":1},"n":9007199254740992}');
    expect(seen.meta).toEqual({ 'org.mini-me/sessionId': 's9', x: [1] });
    expect(seen.sessionId).toBe('s9');
    expect(seen.self).toBeUndefined();
    expect(told.toolCall).toMatchObject([{ sessionId: 's9' }]);
  });

  test.each([
    ['missing', undefined],
    ['null', null],
    ['empty', {}],
    ['only _meta', { _meta: {} }],
  ])('that are %s are an empty object', async (_, params) => {
    let seen;
    const handle = (args) => {
      seen = args;
    };
    // What is undefined here is left out of the request.
    const client = open(agent('calls-tools'));
    client.addTool({ name: 'probe', method: '_probe', handle });
    const session = await client.newSession();
    await session.prompt(JSON.stringify([{ method: '_probe', params }]));
    expect(seen).toEqual({});
  });

  test('are not checked with validate: false', async () => {
    let seen;
    const handle = (args) => {
      seen = args;
    };
    await answerTo({ params: { more: [] }, inputSchema, validate: false, handle });
    expect(seen).toEqual({ more: [] });
  });
});

describe('a method nobody lends', () => {
  test.each(['_other', '_probe2', 'probe', '_Probe', 'fs/read_text_file', 'terminal/create'])(
    '%s is answered with -32601, without data',
    async (method) => {
      const { line, told } = await answerTo({ method, handle: () => 1 });
      expect(line).toBe(
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
      );
      expect(told.toolCall).toEqual([]);
    },
  );
});
