'use strict';

const { describe, expect, test } = require('@jest/globals');
const { callTool } = require('../../testing');
const { agent, failureOf, received, record, useClients } = require('./harness');

const open = useClients();

/** A promise that a test settles. */
function deferred() {
  const all = {};
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }));
  return all;
}

const script = (...calls) => JSON.stringify(calls);
const idsOf = (lines) => lines.map((line) => JSON.parse(line).id);

describe('calls of lent tools', () => {
  test('run at the same time and are answered as they end', async () => {
    const client = open(agent('calls-tools'));
    const told = record(client);
    const gates = { a: deferred(), b: deferred(), c: deferred() };
    const entered = [];
    client.addTool({
      name: 'wait',
      method: '_wait',
      handle: async ({ gate }) => {
        entered.push(gate);
        await gates[gate].promise;
        // The next is let go when this one's answer is on its way.
        if (gate === 'c') gates.a.resolve();
        if (gate === 'a') gates.b.resolve();
        if (entered.length === 3) return gate;
        return 'entered one by one';
      },
    });
    const session = await client.newSession();
    const calls = ['a', 'b', 'c'].map((gate, at) => ({
      method: '_wait',
      params: { gate },
      id: `${at}`,
    }));
    gates.c.resolve();
    const { raw } = await session.prompt(script(...calls));
    expect(entered).toEqual(['a', 'b', 'c']);
    expect(idsOf(raw.answers)).toEqual([2, 0, 1]);
    expect(raw.answers.map((line) => JSON.parse(line).result)).toEqual(['c', 'a', 'b']);
    expect(told.toolCall.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
  });

  test('know their tool, their session and their signal', async () => {
    const client = open(agent('calls-tools'));
    let seen;
    const registered = client.addTool({
      name: 'open buffers',
      handle: (_, context) => {
        const { tool, sessionId, session, signal, meta } = context;
        seen = { tool, sessionId, session, isAborted: signal.aborted, meta };
      },
    });
    expect(registered).toMatchObject({
      name: 'open buffers',
      modelName: 'client_open_buffers',
      method: '_mini-me-client/open_buffers',
    });
    const session = await client.newSession();
    const _meta = { 'org.mini-me/sessionId': session.id };
    await session.prompt(script({ method: registered.method, params: { _meta } }));
    expect(seen).toEqual({
      tool: registered,
      sessionId: session.id,
      session,
      isAborted: false,
      meta: _meta,
    });
    expect(seen.session).toBe(session);
  });

  test('may use the session and the client from inside', async () => {
    const client = open(agent('calls-tools'));
    client.addTool({
      name: 'inner',
      method: '_inner',
      handle: async () => {
        const other = await client.newSession();
        const { stopReason } = await other.prompt('[]');
        return { id: other.id, stopReason };
      },
    });
    const session = await client.newSession();
    const { raw } = await session.prompt(script({ method: '_inner' }));
    expect(JSON.parse(raw.answers[0]).result).toEqual({ id: 's2', stopReason: 'end_turn' });
  });

  test('are reported when they were answered, to listeners that may throw', async () => {
    const client = open(agent('calls-tools'));
    const told = record(client);
    client.prependListener('toolCall', () => {
      throw new Error('no');
    });
    const tool = client.addTool({ name: 'x', method: '_x', handle: () => 1 });
    const session = await client.newSession();
    await session.prompt(script({ method: '_x' }, { method: '_x' }));
    expect(told.toolCall).toEqual(
      Array(2).fill({ tool, sessionId: undefined, durationMs: expect.any(Number), outcome: 'ok' }),
    );
    expect(told.diagnostic.map(({ code }) => code)).toEqual(['listener-failed', 'listener-failed']);
  });
});

describe('a call that the agent cancels', () => {
  test('aborts its signal, is answered with -32800 once, and its late result goes nowhere', async () => {
    const client = open(agent('calls-tools'));
    const told = record(client);
    const late = deferred();
    let signal;
    const returned = deferred();
    client.addTool({
      name: 'slow',
      method: '_slow',
      handle: async (_, context) => {
        ({ signal } = context);
        await late.promise;
        setImmediate(returned.resolve);
        return 'too late';
      },
    });
    const session = await client.newSession();
    const { raw } = await session.prompt(script({ method: '_slow', id: '"c1"', cancel: true }));
    expect(raw.answers).toEqual([
      '{"jsonrpc":"2.0","id":"c1","error":{"code":-32800,"message":"Request cancelled"}}',
    ]);
    expect(signal.aborted).toBe(true);
    expect(signal.reason.name).toBe('AbortError');
    expect(told.toolCall).toMatchObject([{ outcome: 'cancelled' }]);
    late.resolve();
    await returned.promise;
    const answers = (await received(client)).filter(({ id }) => id === 'c1');
    expect(answers).toHaveLength(1);
    expect(told.toolCall).toHaveLength(1);
  });

  test('is reported once, though its handler rejects in the end', async () => {
    const client = open(agent('calls-tools'));
    const told = record(client);
    const rejected = deferred();
    const handle = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('stopped'));
          setImmediate(rejected.resolve);
        });
      });
    client.addTool({ name: 'slow', method: '_slow', handle });
    const session = await client.newSession();
    await session.prompt(script({ method: '_slow', id: '9', cancel: true }));
    await rejected.promise;
    expect(told.toolCall).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('is told apart from the others by its id', async () => {
    const client = open(agent('calls-tools'));
    const gate = deferred();
    client.addTool({
      name: 'x',
      method: '_x',
      handle: ({ waits }, { signal }) => {
        if (!waits) return 'free';
        signal.addEventListener('abort', gate.resolve);
        return new Promise(() => undefined);
      },
    });
    const session = await client.newSession();
    const { raw } = await session.prompt(
      script(
        { method: '_x', params: {}, id: '1' },
        { method: '_x', params: { waits: true }, id: '"1"', cancel: true },
      ),
    );
    const byId = Object.fromEntries(
      raw.answers.map((line) => [JSON.stringify(JSON.parse(line).id), JSON.parse(line)]),
    );
    expect(byId['1'].result).toBe('free');
    expect(byId['"1"'].error.code).toBe(-32800);
    await gate.promise;
  });

  test('long after its answer is no harm', async () => {
    const client = open(agent('says'));
    const told = record(client);
    client.addTool({ name: 'x', method: '_x', handle: () => 1 });
    const session = await client.newSession();
    const call = '{"jsonrpc":"2.0","id":5,"method":"_x"}';
    const cancel = '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}';
    const odd = ['{}', '[]', 'null', '{"requestId":null}', '{"requestId":{}}'].map(
      (params) => `{"jsonrpc":"2.0","method":"$/cancel_request","params":${params}}`,
    );
    await session.prompt(JSON.stringify({ lines: [call] }));
    await session.prompt(JSON.stringify({ lines: [cancel, cancel, ...odd] }));
    expect((await received(client)).filter(({ id, method }) => id === 5 && !method)).toHaveLength(
      1,
    );
    expect(told.toolCall).toHaveLength(1);
  });
});

describe('an id of the agent', () => {
  const ids = [
    '0',
    '-1',
    '1',
    '2',
    '"1"',
    '"a"',
    '""',
    '"é\\u00e9\\n"',
    '1.0',
    '1e3',
    '9007199254740993',
    '12345678901234567890123',
  ];

  test('of any kind comes back byte for byte, for calls of tools', async () => {
    const client = open(agent('calls-tools'));
    client.addTool({ name: 'x', method: '_x', handle: ({ n }) => n });
    const session = await client.newSession();
    const calls = ids.map((id, n) => ({ method: '_x', params: { n }, id }));
    const { raw } = await session.prompt(script(...calls));
    expect(raw.answers).toEqual(ids.map((id, n) => `{"jsonrpc":"2.0","id":${id},"result":${n}}`));
  });

  test('of any kind comes back byte for byte, for other requests', async () => {
    const client = open(agent('calls-tools'));
    client.onRequest('_y', ({ n }) => n);
    const session = await client.newSession();
    const calls = ids.map((id, n) => ({ method: '_y', params: { n }, id }));
    const { raw } = await session.prompt(script(...calls));
    expect([...raw.answers].sort()).toEqual(
      ids.map((id, n) => `{"jsonrpc":"2.0","id":${id},"result":${n}}`).sort(),
    );
  });

  test('may be that of a request of ours that is open: each gets its own answer', async () => {
    const client = open(agent('calls-tools'));
    client.addTool({ name: 'x', method: '_x', handle: () => 'mine' });
    const session = await client.newSession();
    // initialize was 1, session/new 2: the prompt, which is open meanwhile, is 3.
    const { raw, stopReason } = await session.prompt(script({ method: '_x', id: '3' }));
    expect(raw.answers).toEqual(['{"jsonrpc":"2.0","id":3,"result":"mine"}']);
    expect(stopReason).toBe('end_turn');
  });

  test('that is no id is refused, and told with message-invalid', async () => {
    const client = open(agent('says'));
    const told = record(client);
    const session = await client.newSession();
    const lines = ['true', '{}', '[1]'].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"_x"}`);
    await session.prompt(JSON.stringify({ lines }));
    expect(told.diagnostic.map(({ code }) => code)).toEqual(Array(3).fill('message-invalid'));
    const refusals = (await received(client)).filter(({ error }) => error);
    expect(refusals).toEqual(
      Array(3).fill({ jsonrpc: '2.0', id: null, error: expect.objectContaining({ code: -32600 }) }),
    );
  });
});

describe('lending tools', () => {
  const handle = () => 1;

  test('ends with start() in meta discovery', async () => {
    const client = open(agent('echo'));
    const tool = client.addTool({ name: 'a', handle });
    await client.start();
    const announced = expect.objectContaining({
      code: 'MM_ERR_TOOLS_ANNOUNCED',
      name: 'StateError',
    });
    expect(() => client.addTool({ name: 'b', handle })).toThrow(announced);
    expect(() => tool.remove()).toThrow(announced);
    expect(client.tools).toEqual([tool]);
    tool[Symbol.dispose ?? Symbol.for('Symbol.dispose')]?.();
    expect(client.tools).toEqual([tool]);
  });

  test('is taken back with remove(), more than once, before start()', async () => {
    const client = open(agent('tells-itself'));
    const tool = client.addTool({ name: 'a', handle });
    client.addTool({ name: 'b', handle });
    tool.remove();
    tool.remove();
    expect(client.tools.map(({ name }) => name)).toEqual(['b']);
    client.addTool({ name: 'a', handle });
    const { params } = (await client.start()).raw._meta;
    const names = params.clientCapabilities._meta['org.mini-me/tools'].map(({ name }) => name);
    expect(names.sort()).toEqual(['a', 'b']);
  });

  test('with a member that no tool has is told which it may have', () => {
    const add = () => open(agent('tells-itself')).addTool({ name: 'a', handle, parameters: {} });
    expect(add).toThrow(
      'tool "a": expected no member "parameters", only name, description, method, inputSchema, validate, timeoutMs, handle',
    );
  });

  test.each([
    [
      'MM_ERR_TOOL',
      [null, 7, [], { name: 'a', handle, description: 7 }, { name: 'a', handle, x: 1 }],
    ],
    [
      'MM_ERR_TOOL',
      [
        { name: 'a', handle, timeoutMs: 0 },
        { name: 'a\ud800', handle },
        { name: 'a', handle, description: 'half \\\udc00 pair' },
        { name: 'a', handle, inputSchema: { type: 'object', description: '\ud800' } },
        { name: 'a', handle, validate: 'yes' },
      ],
    ],
    [
      'MM_ERR_TOOL_NAME',
      [{ handle }, { name: '', handle }, { name: '日本', handle }, { name: 7, handle }],
    ],
    ['MM_ERR_TOOL_HANDLE', [{ name: 'a' }, { name: 'a', handle: 'x' }]],
    [
      'MM_ERR_TOOL_METHOD',
      ['x', '_', '_org.mini-me/tools/list', ''].map((method) => ({ name: 'a', method, handle })),
    ],
    [
      'MM_ERR_TOOL_SCHEMA',
      [
        7,
        null,
        { type: 'array' },
        { type: 'object', properties: { a: { type: 'text' } } },
        { path: { type: 'string' } },
        { type: 'object', properties: { path: () => 'string' } },
        cyclic(),
      ].map((inputSchema) => ({ name: 'a', inputSchema, handle })),
    ],
  ])('%s tells of a definition that cannot be lent', (code, tools) => {
    for (const tool of tools) {
      const client = open(agent('echo'));
      expect(() => client.addTool(tool)).toThrow(
        expect.objectContaining({ code, name: 'ToolDefinitionError' }),
      );
      expect(() => open({ ...agent('echo'), tools: [tool] })).toThrow(
        expect.objectContaining({ code }),
      );
      expect(client.tools).toEqual([]);
    }
  });

  test.each([true, false])(
    'MM_ERR_TOOL_SCHEMA names the levels of a schema that is too deep, validate: %p',
    async (validate) => {
      const nested = (levels) => ({ name: 'a', inputSchema: deepSchema(levels), validate, handle });
      const refused = expect.objectContaining({
        code: 'MM_ERR_TOOL_SCHEMA',
        message: expect.stringContaining('expected at most 120 levels of JSON, got 121'),
      });
      const client = open({ ...agent('echo'), discovery: 'request' });
      expect(() => client.addTool(nested(121))).toThrow(refused);
      expect(await failureOf(client.newSession({ tools: [nested(121)] }))).toEqual(refused);
      expect(await failureOf(callTool(nested(121), {}))).toEqual(refused);
      await client.newSession({ tools: [{ ...nested(120), name: 'b' }] });
      client.addTool(nested(120));
      expect(client.modelTools()).toHaveLength(1);
    },
  );

  test('MM_ERR_TOOL_SCHEMA tells of an inputSchema that is an array', () => {
    const tool = { name: 'a', inputSchema: [], handle };
    expect(() => open(agent('echo')).addTool(tool)).toThrow(
      expect.objectContaining({ code: 'MM_ERR_TOOL_SCHEMA' }),
    );
  });

  test('MM_ERR_TOOL_DUPLICATE names both tools of one name, or of one method', () => {
    const client = open(agent('echo'));
    client.addTool({ name: 'open buffers', method: '_a', handle });
    for (const tool of [
      { name: 'open-buffers', handle },
      { name: 'other', method: '_a', handle },
    ]) {
      const message = expect.stringMatching(new RegExp(`open buffers.*${tool.name}`, 'u'));
      expect(() => client.addTool(tool)).toThrow(
        expect.objectContaining({ code: 'MM_ERR_TOOL_DUPLICATE', message }),
      );
    }
  });

  test('a definition that is changed later has no effect', async () => {
    const client = open(agent('calls-tools'));
    const tool = { name: 'a', method: '_a', handle: () => 'first' };
    client.addTool(tool);
    tool.handle = () => 'second';
    const session = await client.newSession();
    const { raw } = await session.prompt(script({ method: '_a' }));
    expect(JSON.parse(raw.answers[0]).result).toBe('first');
  });

  test('text of a definition is any that is Unicode', () => {
    const client = open(agent('echo'));
    const description = '\u{1f600} is \\ud83d\\ude00, \\\\ud83d is no half';
    client.addTool({ name: 'a', description, handle });
    expect(client.modelTools()[0].description).toBe(description);
  });

  test('a tool may be an object of a class, whose members are inherited', async () => {
    class Tool {
      get name() {
        return 'a';
      }

      method = '_a';

      handle() {
        return 'of a class';
      }
    }
    const client = open(agent('calls-tools'));
    client.addTool(new Tool());
    const session = await client.newSession();
    const { raw } = await session.prompt(script({ method: '_a' }));
    expect(JSON.parse(raw.answers[0]).result).toBe('of a class');
  });

  test('modelTools() shows them as the model sees them', () => {
    const client = open(agent('echo'));
    const inputSchema = {
      type: 'object',
      properties: { t: { enum: ['x', 'y'] } },
      required: ['t'],
    };
    client.addTool({ name: 'Zed', handle });
    client.addTool({ name: 'info', description: 'Tells.', inputSchema, handle });
    expect(client.modelTools()).toEqual([
      {
        name: 'client_Zed',
        description: 'Tool provided by the editor (_mini-me-client/Zed).',
        inputSchema: { type: 'object', properties: {} },
      },
      {
        name: 'client_info',
        description: 'Tells. Required parameters: t',
        inputSchema: { type: 'object', properties: { t: { description: 'One of: x, y.' } } },
      },
    ]);
  });

  test('tool-schema-stray tells of parameters that stand beside the keywords', async () => {
    const client = open(agent('tells-itself'));
    const told = record(client);
    const inputSchema = { type: 'object', path: { type: 'string' } };
    client.addTool({ name: 'a', inputSchema, handle });
    client.addTool({
      name: 'b',
      inputSchema: { ...inputSchema, path: true, 'x-ui': {} },
      handle,
    });
    await client.start();
    const details = { name: 'a', stray: ['path'] };
    expect(told.diagnostic).toEqual([
      { code: 'tool-schema-stray', message: expect.stringContaining('"path"'), details },
    ]);
  });

  test('tool-schema-lossy tells what the model does not see of a schema', async () => {
    const client = open(agent('echo'));
    const told = record(client);
    const inner = { type: 'object', properties: { b: {} }, required: ['b'] };
    client.addTool({
      name: 'a',
      inputSchema: { type: 'object', properties: { a: inner } },
      handle,
    });
    await client.start();
    expect(told.diagnostic).toMatchObject([{ code: 'tool-schema-lossy', details: { name: 'a' } }]);
  });

  test('namespace is the prefix of derived methods', () => {
    const client = open({ ...agent('echo'), namespace: 'com.example' });
    expect(client.addTool({ name: 'a b', handle }).method).toBe('_com.example/a_b');
  });
});

describe('a session that is refused', () => {
  test('rejects with the error of the agent, as it came, and opens nothing', async () => {
    const error = { code: -32000, message: 'auth', data: { nested: { why: [1] } } };
    const client = open(agent('refuses', JSON.stringify(error)));
    const failure = await failureOf(client.newSession());
    expect(failure).toMatchObject({
      code: 'MM_ERR_AGENT',
      message: 'session/new: auth',
      rpcCode: -32000,
      rpcData: { nested: { why: [1] } },
      details: { method: 'session/new', rpcCode: -32000, rpcData: { nested: { why: [1] } } },
    });
    expect(client.sessions.size).toBe(0);
    expect(client.state).toBe('ready');
  });
});

function deepSchema(levels) {
  let value = {};
  for (let level = 3; level < levels; level += 1) value = { a: value };
  return { type: 'object', examples: [value] };
}

function cyclic() {
  const schema = { type: 'object' };
  schema.properties = { self: schema };
  return schema;
}
