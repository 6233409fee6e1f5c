'use strict';
// Tools and schemas: what is lent, what handlers get, and what they may give.

const { describe, expect, test } = require('@jest/globals');
const { agent, answersTo, asks, received, record, useClients } = require('./harness');

const open = useClients();

describe('a handler', () => {
  test('87: is given an object, whatever the params are', async () => {
    const seen = [];
    const client = open({
      ...asks,
      tools: [{ name: 't', method: '_t', handle: (args) => seen.push(args) && 'ok' }],
    });
    const answers = await answersTo(
      client,
      ['_t', undefined],
      ['_t', null],
      ['_t', {}],
      ['_t', { _meta: { x: 1 } }],
      ['_t', JSON.parse('{"__proto__": 1, "a": 2}')],
      ['_t', [1]],
      ['_t', 'x'],
    );
    expect(seen.slice(0, 4)).toEqual([{}, {}, {}, {}]);
    expect(Object.keys(seen[4])).toEqual(['__proto__', 'a']);
    expect(seen).toHaveLength(5);
    expect(answers.slice(5)).toMatchObject([
      { result: { isError: true } },
      { result: { isError: true } },
    ]);
  });

  test('86: that gives what is no JSON is answered once, with why', async () => {
    const cycle = {};
    cycle.self = cycle;
    const values = [1n, () => 1, Symbol('x'), NaN, new Map(), cycle, { toJSON: () => 1n }];
    const tools = [
      { name: 'now', method: '_now', handle: ({ at }) => values[at] },
      { name: 'later', method: '_later', handle: async ({ at }) => values[await at] },
    ];
    const client = open({ ...asks, tools });
    const calls = values.flatMap((_, at) => tools.map(({ method }) => [method, { at }]));
    const answers = await answersTo(client, ...calls);
    expect(answers).toHaveLength(14);
    for (const { result } of answers) {
      expect(result.isError).toBe(true);
      expect(result.content[0].text).toMatch(/expected JSON, got/u);
    }
  });

  test.each([
    [
      'a getter that throws',
      () => ({
        get a() {
          throw new Error('no');
        },
      }),
    ],
    [
      'a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('no');
            },
          },
        ),
    ],
    [
      'a then that throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a thenable that does wrong is the point
        get then() {
          throw new Error('no');
        },
      }),
    ],
    [
      'a then that calls back twice',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a thenable that does wrong is the point
        then: (yes, no) => {
          yes('a');
          no('b');
          yes('c');
        },
      }),
    ],
    [
      'an error whose message throws',
      () =>
        Promise.reject({
          get message() {
            throw new Error('no');
          },
        }),
    ],
    [
      'an object whose toString throws',
      () =>
        Promise.reject({
          toString() {
            throw new Error('no');
          },
          toJSON() {
            throw new Error('no');
          },
        }),
    ],
    [
      'a revoked proxy',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
    [
      'a rejection with a revoked proxy',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        throw proxy;
      },
    ],
    ['a class', () => class A {}],
    [
      'an object nested 100 000 deep',
      () => {
        let o = {};
        for (let i = 0; i < 100_000; i += 1) o = { o };
        return o;
      },
    ],
  ])(
    '86: that gives %s is answered once, and the session goes on',
    async (_, handle) => {
      const client = open({ ...asks, tools: [{ name: 't', method: '_t', handle }] });
      const told = record(client);
      const answers = await answersTo(client, ['_t', {}], ['_t', {}]);
      expect(answers).toHaveLength(2);
      for (const answer of answers) expect(answer).toHaveProperty('result');
      expect(told.diagnostic).toEqual([]);
    },
    5000,
  );

  test('116: that gives five megabytes of odd characters has them arrive as they are, on one line', async () => {
    const text = 'a"\\\n\r\t\0\u2028é😀'.repeat(400_000);
    const client = open({
      ...agent((agent) => {
        agent.on('_sum', async () => {
          const { result } = await agent.ask('_t', {});
          return require('node:crypto').createHash('sha1').update(result).digest('hex');
        });
      }),
      tools: [{ name: 't', method: '_t', handle: () => text }],
    });
    const expected = require('node:crypto').createHash('sha1').update(text).digest('hex');
    expect(await client.request('_sum')).toBe(expected);
  });
});

describe('a list of tools', () => {
  test('85: has names the model can be given; what cannot be is refused at once', () => {
    const client = open({ ...asks, discovery: 'meta' });
    const handle = () => 1;
    expect(client.addTool({ name: 'open buffers', handle }).modelName).toBe('client_open_buffers');
    for (const [name, code] of [
      ['open-buffers', 'MM_ERR_TOOL_DUPLICATE'],
      ['', 'MM_ERR_TOOL_NAME'],
      ['日本', 'MM_ERR_TOOL_NAME'],
    ]) {
      expect(() => client.addTool({ name, handle })).toThrow(expect.objectContaining({ code }));
    }
    expect(client.addTool({ name: 'a/b', handle }).modelName).toBe('client_a_b');
    expect(client.addTool({ name: 'é x', handle }).modelName).toBe('client_x');
  });

  test('88: has each schema as it was given', async () => {
    const inputSchema = {
      type: 'object',
      $defs: { node: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/node' }] } },
      properties: {
        list: { type: 'array', items: { anyOf: [{ type: 'string' }, { enum: [1, null] }] } },
        node: { $ref: '#/$defs/node' },
        'a/b': { const: { b: 1, a: 2 } },
      },
      required: ['list'],
      additionalProperties: false,
    };
    const client = open({ ...asks, tools: [{ name: 't', inputSchema, handle: () => 1 }] });
    await client.start();
    const [{ params }] = await received(client);
    const [tool] = params.clientCapabilities._meta['org.mini-me/tools'];
    expect(JSON.stringify(tool.inputSchema)).toBe(JSON.stringify(inputSchema));
  });

  test('89: names methods exactly', async () => {
    const tools = [{ name: 't', method: '_com.example/x', handle: () => 'x' }];
    const client = open({ ...asks, tools });
    const methods = ['_com.example/x', 'com.example/x', '_x', '_com.example/X', '__com.example/x'];
    const answers = await answersTo(client, ...methods.map((method) => [method, {}]));
    expect(answers.map(({ result, error }) => result ?? error.code)).toEqual([
      'x',
      ...Array(4).fill(-32601),
    ]);
  });

  test('91: of one session cannot be called with the id of another', async () => {
    const run = [];
    const client = open({
      ...agent((agent) => {
        agent.on('session/new', async (_, { id }) => {
          const sessionId = `s${id}`;
          await agent.ask('_org.mini-me/tools/list', { sessionId, cwd: '/' });
          return { sessionId };
        });
        agent.on('call', ({ sessionId, method }) =>
          agent.ask(method, { _meta: { 'org.mini-me/sessionId': sessionId } }),
        );
      }),
      discovery: 'request',
    });
    const lend = (name) => ({ name, method: `_${name}`, handle: () => run.push(name) && name });
    const one = await client.newSession({ tools: [lend('one')] });
    const two = await client.newSession({ tools: [lend('two')] });
    const call = (sessionId, method) => client.request('call', { sessionId, method });
    expect((await call(one.id, '_one')).result).toBe('one');
    expect((await call(one.id, '_two')).result).toMatchObject({ isError: true });
    expect((await call('nobody', '_two')).result).toMatchObject({ isError: true });
    await two.close();
    expect(
      (await call(two.id, '_two')).error ?? (await call(two.id, '_two')).result.isError,
    ).toBeTruthy();
    expect(run).toEqual(['one']);
  });

  test('92: modes of one session are not those of another', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/new', (_, { id }) => ({
          sessionId: `s${id}`,
          modes: { currentModeId: 'ask', availableModes: [] },
        }));
        agent.on('session/set_mode', () => ({}));
      }),
    );
    const [one, two] = [await client.newSession(), await client.newSession()];
    await one.setMode('code');
    expect([one.modes.currentModeId, two.modes.currentModeId]).toEqual(['code', 'ask']);
  });
});
