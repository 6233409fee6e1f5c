'use strict';

const { describe, expect, test } = require('@jest/globals');
const { agent, diagnostic, failureOf, received, record, useClients } = require('./harness');

const open = useClients();
const dispose = (disposable) => disposable[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();

/** The answers to requests of the agent. */
async function answersTo(client, ...calls) {
  const session = await client.newSession();
  const { raw } = await session.prompt(JSON.stringify(calls));
  return raw.answers.map((line) => JSON.parse(line));
}

describe('request()', () => {
  test('gives the result as it came', async () => {
    const client = open(agent('initializes', '{"result":{"protocolVersion":1}}'));
    const lines = await client.request('_test/received', { a: [1] });
    expect(JSON.parse(lines[1])).toEqual({
      jsonrpc: '2.0',
      id: 2,
      method: '_test/received',
      params: { a: [1] },
    });
  });

  test('sends {} for params that are left out', async () => {
    const client = open(agent('echo'));
    const messages = await received(client);
    expect(messages.at(-1).params).toEqual({});
  });

  test('rejects with the error of the agent', async () => {
    const client = open(agent('echo'));
    expect(await failureOf(client.request('_nothing'))).toMatchObject({
      code: 'MM_ERR_AGENT',
      rpcCode: -32601,
      rpcData: undefined,
      message: '_nothing: Method not found',
    });
  });

  test('is answered in the order of the wire, among updates', async () => {
    const client = open(agent('streams-updates', 500));
    const order = [];
    const session = await client.newSession();
    client.on('update', () => order.push('update'));
    const turn = session.prompt('x').then(() => order.push('turn'));
    const request = client.request('_test/received').then(() => order.push('request'));
    await Promise.all([turn, request]);
    expect(order).toEqual([...Array(500).fill('update'), 'turn', 'request']);
  });

  test.each([[{ timeoutMs: 0 }], [{ timeoutMs: NaN }], [{ signal: 'x' }], [{ x: 1 }], ['x']])(
    'refuses the options %j',
    async (options) => {
      const client = open(agent('echo'));
      expect((await failureOf(client.request('_x', {}, options))).code).toBe('MM_ERR_OPTION');
      expect(client.state).toBe('idle');
    },
  );

  test.each([
    ['a method that is no text', [7, {}]],
    ['params that hold a BigInt', ['_x', { a: 1n }]],
    ['params that are a function', ['_x', () => 1]],
  ])('refuses %s with MM_ERR_OPTION', async (_, args) => {
    const client = open(agent('echo'));
    expect(await failureOf(client.request(...args))).toMatchObject({ code: 'MM_ERR_OPTION' });
    expect(() => client.notify(...args)).toThrow(
      expect.objectContaining({ code: 'MM_ERR_OPTION' }),
    );
  });
});

describe('notify()', () => {
  test('sends notifications, in order', async () => {
    const client = open(agent('echo'));
    await client.start();
    client.notify('_a', { n: 1 });
    client.notify('_b');
    expect((await received(client)).slice(1, 3)).toEqual([
      { jsonrpc: '2.0', method: '_a', params: { n: 1 } },
      { jsonrpc: '2.0', method: '_b', params: {} },
    ]);
  });

  test('goes out behind a request that was made before it', async () => {
    const client = open(agent('echo'));
    await client.start();
    const before = client.request('_a').catch(() => undefined);
    client.notify('_b');
    await before;
    const methods = (await received(client)).map(({ method }) => method);
    expect(methods.slice(1, 3)).toEqual(['_a', '_b']);
  });

  test('after an agent that refused initialize is told why', async () => {
    const client = open(agent('initializes', '{"error":{"code":1,"message":"no"}}'));
    await failureOf(client.start());
    expect(() => client.notify('_x')).toThrow(expect.objectContaining({ code: 'MM_ERR_AGENT' }));
  });
});

describe('onRequest()', () => {
  test('answers a request of the agent, at once or later', async () => {
    const client = open(agent('calls-tools'));
    client.onRequest('_now', (params) => ({ got: params }));
    client.onRequest('_later', () => Promise.resolve([1]));
    client.onRequest('_nothing', () => undefined);
    const answers = await answersTo(
      client,
      { method: '_now', params: { a: 1 }, id: '1' },
      { method: '_later', id: '2' },
      { method: '_nothing', id: '3' },
    );
    expect(Object.fromEntries(answers.map(({ id, result }) => [id, result]))).toEqual({
      1: { got: { a: 1 } },
      2: [1],
      3: null,
    });
  });

  test('answers -32603 with the message of what the handler throws, and tells of it', async () => {
    const client = open(agent('calls-tools'));
    const told = record(client);
    client.onRequest('_throws', () => {
      throw new Error('no such file');
    });
    client.onRequest('_bigint', () => 1n);
    const answers = await answersTo(client, { method: '_throws' }, { method: '_bigint' });
    expect(answers[0].error).toEqual({ code: -32603, message: 'no such file' });
    expect(answers[1].error.code).toBe(-32603);
    expect(told.diagnostic).toEqual([
      {
        code: 'handler-failed',
        message: 'the handler of _throws failed: no such file',
        details: { method: '_throws' },
      },
      expect.objectContaining({ code: 'handler-failed', details: { method: '_bigint' } }),
    ]);
  });

  test('answers what is too large with an error', async () => {
    const client = open({ ...agent('calls-tools'), maxOutgoingBytes: 2000 });
    client.onRequest('_x', () => 'x'.repeat(2000));
    const [{ error }] = await answersTo(client, { method: '_x' });
    expect(error).toEqual({
      code: -32603,
      message: 'the answer is too large: expected a line of 2000 bytes at most, got 2037',
    });
  });

  test('aborts the signal of a request that the agent withdraws, and answers it once', async () => {
    const client = open(agent('calls-tools'));
    let signal;
    client.onRequest('_slow', (_, context) => {
      ({ signal } = context);
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    });
    const told = record(client);
    const answers = await answersTo(client, { method: '_slow', id: '"r"', cancel: true });
    expect(answers).toMatchObject([{ id: 'r', error: { code: -32800 } }]);
    expect(signal.aborted).toBe(true);
    const all = (await received(client)).filter(({ id, method }) => id === 'r' && !method);
    expect(all).toHaveLength(1);
    expect(told.diagnostic).toEqual([]);
  });

  test('ends with its disposal; a later handler replaces an earlier one', async () => {
    const client = open(agent('calls-tools'));
    const first = client.onRequest('_x', () => 'first');
    const second = client.onRequest('_x', () => 'second');
    dispose(first);
    expect((await answersTo(client, { method: '_x' }))[0].result).toBe('second');
    dispose(second);
    dispose(second);
    expect((await answersTo(client, { method: '_x' }))[0].error).toEqual({
      code: -32601,
      message: 'Method not found',
    });
  });

  test('goes before an answer of this package, which is back with the disposal', async () => {
    const client = open(agent('calls-tools'));
    const method = 'session/request_permission';
    const theirs = client.onRequest(method, () => 'theirs');
    expect((await answersTo(client, { method }))[0].result).toBe('theirs');
    dispose(theirs);
    expect((await answersTo(client, { method }))[0].result).toEqual({
      outcome: { outcome: 'cancelled' },
    });
  });

  test.each([
    ['onRequest', 7],
    ['onRequest', ''],
    ['onNotification', undefined],
  ])('%s refuses a method that is %j, and a handler that is no function', (name, method) => {
    const client = open(agent('echo'));
    const refused = expect.objectContaining({ code: 'MM_ERR_OPTION' });
    expect(() => client[name](method, () => 1)).toThrow(refused);
    expect(() => client[name]('_x', 'handler')).toThrow(refused);
  });

  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
  ])('answers -32603 when the handler gives %s', async (_, value) => {
    const client = open(agent('calls-tools'));
    client.onRequest('_x', () => value);
    expect((await answersTo(client, { method: '_x' }))[0].error.code).toBe(-32603);
  });
});

describe('a question to the user', () => {
  const method = 'elicitation/create';

  test('goes to the handler of its mode, and its answer to the agent', async () => {
    const answer = { action: 'accept', content: { name: 'x' }, _meta: { a: 1 } };
    const elicitation = { form: () => answer, url: async () => ({ action: 'decline' }) };
    const client = open({ ...agent('calls-tools'), elicitation });
    const [form, url, other, none] = await answersTo(
      client,
      { method, params: { message: 'm' }, id: '1' },
      { method, params: { message: 'm', mode: 'url' }, id: '2' },
      { method, params: { message: 'm', mode: 'voice' }, id: '3' },
      { method, params: {}, id: '4' },
    ).then((answers) => answers.sort((one, two) => one.id - two.id));
    expect(form.result).toEqual(answer);
    expect(url.result).toEqual({ action: 'decline' });
    expect([other.error.code, none.error.code]).toEqual([-32602, -32602]);
  });

  test.each([['foo'], [undefined], [{ action: 'yes' }]])(
    'is -32603 when the handler gives %j',
    async (given) => {
      const client = open({ ...agent('calls-tools'), elicitation: { form: () => given } });
      const [{ error }] = await answersTo(client, { method, params: { message: 'm' } });
      expect(error.code).toBe(-32603);
      expect(error.message).toMatch(/^expected the handler to give an object with action, one of/u);
    },
  );
});

describe('onNotification()', () => {
  test.each([
    ['session/update', /event update/u],
    ['$/cancel_request', /signal/u],
  ])('refuses %s, which no handler would hear, and says where it goes', (method, message) => {
    const client = open(agent('echo'));
    expect(() => client.onNotification(method, () => 1)).toThrow(
      expect.objectContaining({
        code: 'MM_ERR_OPTION',
        message: expect.stringMatching(message),
      }),
    );
  });

  test('hears notifications of its method, in order, until it is disposed of', async () => {
    const client = open(agent('says'));
    const heard = [];
    const subscription = client.onNotification('_n', (params) => heard.push(params));
    const session = await client.newSession();
    const lines = [
      '{"jsonrpc":"2.0","method":"_n","params":{"a":1}}',
      '{"method":"_n"}',
      '{"method":"_other"}',
    ];
    await session.prompt(JSON.stringify({ lines }));
    dispose(subscription);
    await session.prompt(JSON.stringify({ lines }));
    expect(heard).toEqual([{ a: 1 }, null]);
  });

  test('that throws costs nothing but the diagnostic listener-failed', async () => {
    const client = open(agent('says'));
    const told = record(client);
    client.onNotification('_n', () => {
      throw new Error('oh');
    });
    const session = await client.newSession();
    await session.prompt(JSON.stringify({ lines: ['{"method":"_n"}'] }));
    expect(told.diagnostic).toMatchObject([{ code: 'listener-failed' }]);
  });

  test('that rejects costs nothing but the diagnostic listener-failed', async () => {
    const client = open(agent('says'));
    const failed = diagnostic(client, 'listener-failed');
    client.onNotification('_n', () => Promise.reject(new Error('oh')));
    const session = await client.newSession();
    await session.prompt(JSON.stringify({ lines: ['{"method":"_n"}'] }));
    await failed;
  });
});
