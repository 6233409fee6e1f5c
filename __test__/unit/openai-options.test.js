'use strict';
// What the model `openai` is told, and what it refuses before it is asked.

const { describe, expect, test } = require('@jest/globals');
const { OptionError } = require('../../js/errors');
const { openai } = require('../../js/stand-in/openai');
const { readOptions } = require('../../js/stand-in/openai/options');

const GIVEN = { baseUrl: 'http://127.0.0.1:8080', model: 'm' };

function problemOf(options, environment = {}) {
  try {
    readOptions(options, environment);
  } catch (error) {
    expect(error).toBeInstanceOf(OptionError);
    return error;
  }
  throw new Error('expected the options to be refused');
}

describe('a base URL', () => {
  test.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1/chat/completions'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/v1/chat/completions'],
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1/chat/completions'],
    ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1/chat/completions'],
    ['https://host/api/openai/', 'https://host/api/openai/chat/completions'],
    ['https://host/v1?api-version=2#x', 'https://host/v1/chat/completions?api-version=2'],
  ])('%s asks %s', (baseUrl, expected) => {
    const { url, where } = readOptions({ ...GIVEN, baseUrl }, {});
    expect(url.href).toBe(expected);
    expect(where).not.toContain('?');
  });

  test.each([
    ['absent', undefined, /base URL of a server, got none: set OPENAI_BASE_URL or baseUrl/],
    ['no URL', '127.0.0.1:8080', /a base URL of http: or https:, got no URL/],
    ['no text', 8080, /a base URL of http: or https:, got no URL/],
    ['of another kind', 'ftp://host/v1', /got one of ftp:/],
    ['with a password', 'http://me:hidden@host/v1', /without a user and a password/],
  ])('that is %s is refused', (_, baseUrl, message) => {
    const error = problemOf({ ...GIVEN, baseUrl });
    expect(error).toMatchObject({ code: 'MM_ERR_OPTION', details: { option: 'baseUrl' } });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('hidden');
  });
});

describe('the environment', () => {
  const environment = {
    OPENAI_BASE_URL: ' http://env/v1\n',
    OPENAI_MODEL: 'of-env',
    OPENAI_API_KEY: 'key ',
  };

  test('stands in for what is not given', () => {
    const settings = readOptions({}, environment);
    expect(settings).toMatchObject({ where: 'http://env/v1', model: 'of-env', apiKey: 'key' });
  });

  test('gives way to what is', () => {
    const settings = readOptions({ ...GIVEN, apiKey: 'mine' }, environment);
    expect(settings).toMatchObject({ where: `${GIVEN.baseUrl}/v1`, model: 'm', apiKey: 'mine' });
  });

  test('counts as absent where it is empty', () => {
    expect(readOptions(GIVEN, { OPENAI_API_KEY: ' ' }).apiKey).toBeUndefined();
    expect(problemOf({ baseUrl: 'http://x' }, { OPENAI_MODEL: '' }).message).toMatch(
      /expected the name of a model, got none: set OPENAI_MODEL or model/,
    );
  });

  test('is that of the process by default', () => {
    const { OPENAI_BASE_URL: before } = process.env;
    process.env.OPENAI_BASE_URL = 'nonsense';
    try {
      expect(() => openai({ model: 'm' })).toThrow(/got no URL/);
    } finally {
      if (before === undefined) delete process.env.OPENAI_BASE_URL;
      else process.env.OPENAI_BASE_URL = before;
    }
  });
});

test.each([
  { model: '' },
  { model: 5 },
  { temperature: -1 },
  { temperature: Number.NaN },
  { timeoutMs: 0 },
  { timeoutMs: 300_001 },
  { systemPrompt: 5 },
  { unknown: 1 },
])('%p is refused', (option) => {
  const error = problemOf({ ...GIVEN, ...option });
  expect(error.details).toEqual({ option: Object.keys(option)[0] });
});

test('options that are no object are refused', () => {
  expect(problemOf(undefined).message).toMatch(/^model openai: expected an object/);
});

test.each(['with blanks', 'line\nend', 'clé', ''])('the key %p is refused, not shown', (apiKey) => {
  const error = problemOf({ ...GIVEN, apiKey });
  expect(error.details).toEqual({ option: 'apiKey' });
  expect(error.message).toMatch(/OPENAI_API_KEY/);
  if (apiKey !== '') expect(error.message).not.toContain(apiKey);
});

test('two minutes of silence are allowed by default', () => {
  expect(readOptions(GIVEN, {}).timeoutMs).toBe(120_000);
});

test('a Node.js without fetch is told of', () => {
  const { fetch } = globalThis;
  globalThis.fetch = undefined;
  try {
    expect(() => openai(GIVEN, {})).toThrow(/expected Node.js 18 or later, which has fetch/);
  } finally {
    globalThis.fetch = fetch;
  }
});
