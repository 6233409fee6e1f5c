'use strict';

const { describe, expect, test } = require('@jest/globals');
const path = require('node:path');
const options = require('../../js/options');
const { show } = require('../../js/show');
const { messageOf } = require('./thrown');

const OPTION_ERROR = (option) =>
  expect.objectContaining({
    code: 'MM_ERR_OPTION',
    name: 'OptionError',
    message: expect.stringContaining(option),
    ...(option === undefined ? {} : { details: { option } }),
  });
const signal = new AbortController().signal;
const nothing = () => undefined;
const TERMINAL = {
  create: nothing,
  output: nothing,
  waitForExit: nothing,
  kill: nothing,
  release: nothing,
};

function cyclic() {
  const cycle = {};
  cycle.self = cycle;
  return cycle;
}

function nested(levels) {
  let value = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

/** Each option: values that are taken, and values that are not. */
const CASES = {
  command: [
    ['mm', '/a b'],
    ['', 7, null],
  ],
  args: [
    [[], ['-acp', '']],
    ['-acp', [1], ['\ud800'], null],
  ],
  cwd: [
    ['/', 'a'],
    ['', 7],
  ],
  env: [
    [{}, { A: '1', B: undefined }],
    [
      ...[{ A: 1 }, { A: null }, { A: '\ud800' }, { A: 'a\0b' }, { 'A=B': '1' }, { '': '1' }],
      ...[[], 'A=1', new Map([['A', '1']]), new URLSearchParams('A=1')],
    ],
  ],
  inheritEnv: [
    [true, false],
    [1, 'no'],
  ],
  discovery: [
    ['meta', 'request'],
    ['Meta', '', true],
  ],
  tools: [[[]], [{}, 'x']],
  namespace: [
    ['a', 'com.example-1_x'],
    ['', 'a b', 'a/b', 7],
  ],
  permissions: [
    ['client-tools', 'reject-all', 'allow-all', nothing],
    ['allow', true, {}],
  ],
  clientInfo: [
    [
      { name: 'a', version: '1' },
      { name: 'a', version: '1', title: 'A' },
    ],
    [
      ...[{ name: 'a' }, { version: '1' }, { name: 'a', version: '1', title: 1 }, 'a', null],
      { name: 'a', version: '1', _meta: nested(64) },
    ],
  ],
  capabilities: [
    [{}, { a: [] }, nested(64)],
    [[], true, null, { a: 1n }, { a: { b: nothing } }, cyclic(), nested(65), nested(50_000)],
  ],
  startTimeoutMs: [
    [0, 1.5, Infinity],
    [-1, NaN, '1'],
  ],
  closeTimeoutMs: [
    [0, 1.5, Infinity],
    [-1, NaN, '1'],
  ],
  maxIncomingBytes: [
    [1, 2 ** 40],
    [0, -1, 1.5, Infinity, '1'],
  ],
  maxOutgoingBytes: [
    [1, 2 ** 40],
    [0, -1, 1.5, Infinity, '1'],
  ],
  fs: [
    [{}, { readTextFile: nothing }, { writeTextFile: nothing }],
    [{ readTextFile: 1 }, { read: nothing }, nothing, null],
  ],
  terminal: [
    [TERMINAL, true, false],
    [{}, 1, 'true', { ...TERMINAL, kill: undefined }, { ...TERMINAL, more: nothing }],
  ],
  elicitation: [
    [{}, { form: nothing }, { url: nothing, form: nothing }],
    [{ form: 'x' }, { voice: nothing }, []],
  ],
  carrier: [
    ['mini-me', 'mcp', 'auto'],
    ['http', 'MCP', true, null],
  ],
  signal: [[signal], [{}, 'x', null]],
  trace: [[nothing], [true, 'x']],
};

describe('the options of a client', () => {
  test.each(Object.entries(CASES))('%s', (name, [good, bad]) => {
    for (const value of good) expect(options.clientOptions({ [name]: value })[name]).toBe(value);
    for (const value of bad) {
      expect(() => options.clientOptions({ [name]: value })).toThrow(OPTION_ERROR(name));
    }
  });

  test('are all in this table', () => {
    const refusal = () => options.clientOptions({ '': 1 });
    for (const name of Object.keys(CASES))
      expect(refusal).toThrow(new RegExp(`\\b${name}\\b`, 'u'));
    const known = messageOf(refusal)
      .match(/among (.*);/u)[1]
      .split(', ');
    expect(known.sort()).toEqual(Object.keys(CASES).sort());
  });

  test('have defaults, for what is left out and for what is undefined', () => {
    const defaults = {
      args: ['-acp'],
      env: {},
      inheritEnv: true,
      discovery: 'meta',
      carrier: 'mini-me',
      namespace: 'mini-me-client',
      startTimeoutMs: 120_000,
      closeTimeoutMs: 2_000,
      maxIncomingBytes: 67_108_864,
      maxOutgoingBytes: 10_485_760,
    };
    expect(options.clientOptions({})).toEqual(defaults);
    const given = Object.fromEntries(Object.keys(CASES).map((name) => [name, undefined]));
    expect(options.clientOptions(given)).toEqual(defaults);
  });

  test('that are unknown are named, with those there are', () => {
    const refusal = () => options.clientOptions({ program: 'mm' });
    expect(refusal).toThrow(OPTION_ERROR('program'));
    expect(refusal).toThrow(/command, args/u);
    expect(() => options.clientOptions({ toString: 1 })).toThrow(OPTION_ERROR('toString'));
  });

  test.each([[null], [7], ['x'], [[]], [nothing]])('are an object, not %p', (given) => {
    expect(() => options.clientOptions(given)).toThrow(
      expect.objectContaining({ code: 'MM_ERR_OPTION' }),
    );
  });

  test('take a function for tools in request discovery alone', () => {
    expect(options.clientOptions({ tools: nothing, discovery: 'request' }).tools).toBe(nothing);
    expect(() => options.clientOptions({ tools: nothing })).toThrow(OPTION_ERROR('tools'));
  });

  test('say in the message what was expected and what came', () => {
    const message = messageOf(() => options.clientOptions({ discovery: 'both' }));
    expect(message).toBe('MiniMe: expected discovery to be "meta" or "request"; got "both"');
  });
});

describe('the message about a wrong env', () => {
  test.each([
    [{ 'A=': '1' }, 'a name that is empty, or has "=" or NUL: "A=…"'],
    [{ 'TOKEN=se\ncret=x': '1' }, 'a name that is empty, or has "=" or NUL: "TOKEN=…"'],
    [{ '=': '1' }, 'a name that is empty, or has "=" or NUL: "=…"'],
    [{ '': '1' }, 'a name that is empty, or has "=" or NUL: ""'],
    [{ 'A\0B': '1' }, 'a name that is empty, or has "=" or NUL: "A\\u0000B"'],
    [new Map(), 'an iterable, as a Map is; Object.fromEntries() makes an object of it'],
  ])('%j', (env, came) => {
    const expected = 'MiniMe: expected env to be an object of strings by names of variables';
    expect(messageOf(() => options.clientOptions({ env }))).toBe(`${expected}; got ${came}`);
  });
});

describe('the options of', () => {
  test.each([
    ['callOptions', { signal, timeoutMs: 1 }, [{ timeoutMs: 0 }, { cwd: '/' }]],
    [
      'sessionOptions',
      {
        signal,
        timeoutMs: Infinity,
        cwd: 'a',
        mcpServers: [],
        additionalDirectories: ['/'],
        tools: [],
        params: {},
      },
      [
        { mcpServers: {} },
        { additionalDirectories: [1] },
        { params: [] },
        { onReplay: nothing },
        { tools: nothing },
      ],
    ],
    ['loadOptions', { onReplay: nothing, cwd: '/' }, [{ onReplay: 1 }]],
    ['cancelOptions', { timeoutMs: 0 }, [{ timeoutMs: -1 }, { signal }]],
  ])('%s', (name, good, bad) => {
    expect(options[name](good)).toEqual(good);
    expect(options[name]({})).toEqual({});
    expect(options[name]({ ...good, timeoutMs: undefined })).not.toHaveProperty('timeoutMs');
    for (const given of bad)
      expect(() => options[name](given)).toThrow(OPTION_ERROR(Object.keys(given)[0]));
  });
});

describe('show()', () => {
  test.each([
    ['a', '"a"'],
    [NaN, 'NaN'],
    [-Infinity, '-Infinity'],
    [undefined, 'undefined'],
    [nothing, 'a function'],
    [Symbol('s'), 'Symbol(s)'],
    [1n, '[object BigInt]'],
    [cyclic(), '[object Object]'],
    [{ a: [1] }, '{"a":[1]}'],
    [{ create: nothing }, '{"create":"a function"}'],
  ])('%p is %s', (value, text) => {
    expect(show(value)).toBe(text);
  });

  test('cuts what is long, and says how long it is', () => {
    const text = show({ data: 'x'.repeat(1_000_000) });
    expect(text).toMatch(/^\{"data":"xxx.*x\.\.\. \(1000011 characters\)$/u);
    expect(text.length).toBeLessThan(1100);
  });
});

test('absolute() resolves against the working directory', () => {
  expect(options.absolute()).toBe(process.cwd());
  expect(options.absolute('a')).toBe(path.join(process.cwd(), 'a'));
  expect(options.absolute(path.resolve('/b'))).toBe(path.resolve('/b'));
});
