'use strict';

const { describe, expect, test } = require('@jest/globals');
const { Secrets, withoutValues } = require('../../js/secrets');

describe('a line of trace', () => {
  const check = (given, expected) => expect(withoutValues(given)).toBe(expected);

  test('has no values of variables and headers, and is else as it was', () => {
    check(
      '{"id":1e400,"p":{"env":[{"name":"A","value":"b\\"]c"},{"value" : "d","name":"E"}],"x":[{"value":"y"}]}}',
      '{"id":1e400,"p":{"env":[{"name":"A","value":"***"},{"value" : "***","name":"E"}],"x":[{"value":"y"}]}}',
    );
    check(
      '[{"headers": [{"name":"a","value":"b"}]},{"headers":[],"env":[{"value":"c"}]}]',
      '[{"headers": [{"name":"a","value":"***"}]},{"headers":[],"env":[{"value":"***"}]}]',
    );
  });

  test('has no values where it was cut', () => {
    check('{"env":[{"name":"A","value":"b"},{"na', '{"env":[{"name":"A","value":"***"},{"na');
    check('{"env":[{"name":"A","value":"b', '{"env":[{"name":"A","value":"***"');
  });

  test.each([
    '{"text":"{\\"env\\":[{\\"value\\":\\"x\\"}]}"}',
    '{"properties":{"env":{"type":"string","value":"x"}}}',
    '{"env":null,"headers":["value","x"]}',
    'no JSON, "env" either',
  ])('that lists none is as it was: %s', (line) => check(line, line));

  test('may hold a value of megabytes', () => {
    for (const text of ['\\"x', '\\"', '\\\\'])
      check(`{"env":[{"value":"${text.repeat(2 ** 23)}"}]}`, '{"env":[{"value":"***"}]}');
  });
});

describe('text of the agent', () => {
  test('is shown without the secrets among its variables', () => {
    const secrets = new Secrets();
    secrets.learnVariables([
      ['API_KEY', 'abcd1234'],
      ['githubToken', 'a.b*c[d]'],
      ['SHORT_KEY', 'short'],
      ['PATH', '/usr/local/bin'],
    ]);
    const text = 'abcd1234,abcd1234 a.b*c[d] short /usr/local/bin';
    expect(secrets.hide(text)).toBe('***,*** *** short /usr/local/bin');
  });

  test('is shown without headers and secrets of the servers of a session', () => {
    const secrets = new Secrets();
    secrets.learnServers([
      { name: 'a', headers: [{ name: 'Authorization', value: 'Bearer abcd1234' }, null] },
      { name: 'b', env: [{ name: 'TOKEN', value: 'efgh5678' }, 7, { name: 'TOKEN', value: 7 }] },
      null,
    ]);
    secrets.learnServers('no list');
    expect(secrets.hide('got abcd1234 and efgh5678')).toBe('got *** and ***');
  });

  test('forgets the oldest of a thousand secrets', () => {
    const secrets = new Secrets();
    secrets.learnVariables(Array.from({ length: 1001 }, (_, at) => ['key', `secret-${at}-`]));
    expect(secrets.hide('secret-0- secret-1- secret-1000-')).toBe('secret-0- *** ***');
  });
});
