'use strict';
// What the model `openai` makes of the answers of servers, in all the forms they come in.

const { afterEach, describe, expect, test } = require('@jest/globals');
const { openai } = require('../../js/stand-in/openai');
const llm = require('../fixtures/llm-server');
const { HOST_INFO, ask, runTurn, said } = require('../fixtures/model-turn');

let server;

afterEach(() => server?.close());

async function create(answers, options = {}) {
  server = await llm.startLlmServer(...answers);
  return openai({ baseUrl: server.origin, model: 'm', ...options }, {});
}

const bodies = () => server.requests.map(({ body }) => body);

/** The calls a model makes of these chunks. */
async function callsOf(...chunks) {
  const model = await create([
    llm.events(...chunks, llm.delta({}, 'tool_calls'), '[DONE]'),
    llm.says('done'),
  ]);
  const steps = await runTurn(model, ask('go', { tools: [HOST_INFO] }));
  expect(steps.at(-1)).toEqual({ stop: 'end_turn' });
  return steps.filter((step) => step.calls).map((step) => step.calls);
}

const piece = (more, name, args) => ({ ...more, function: { name, arguments: args } });

describe('a request', () => {
  test('asks for a stream, with the tools as functions', async () => {
    const model = await create([llm.says('hi')], { apiKey: 'secret', temperature: 0 });
    await runTurn(model, ask('hello', { tools: [HOST_INFO] }));
    const [{ method, url, headers, body }] = server.requests;
    expect({ method, url }).toEqual({ method: 'POST', url: '/v1/chat/completions' });
    expect(headers).toMatchObject({
      authorization: 'Bearer secret',
      'content-type': 'application/json',
    });
    const { name, description, inputSchema: parameters } = HOST_INFO;
    expect(body).toEqual({
      model: 'm',
      stream: true,
      temperature: 0,
      messages: [{ role: 'user', content: 'hello' }],
      tools: [{ type: 'function', function: { name, description, parameters } }],
      parallel_tool_calls: true,
    });
  });

  test('has nothing that was not given: no key, no temperature, no tools', async () => {
    const model = await create([llm.says('hi')]);
    await runTurn(model, ask('hello'));
    expect(server.requests[0].headers.authorization).toBeUndefined();
    expect(Object.keys(bodies()[0]).sort()).toEqual(['messages', 'model', 'stream']);
  });

  test('begins with the system prompt, and holds the links of the prompt', async () => {
    const model = await create([llm.says('hi')], { systemPrompt: 'be brief' });
    const link = { type: 'resource_link', name: 'notes', uri: 'file:///notes.md' };
    await runTurn(model, ask('read', { prompt: [{ type: 'text', text: 'read' }, link] }));
    expect(bodies()[0].messages).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'read\n[notes](file:///notes.md)' },
    ]);
  });
});

describe('text', () => {
  test('is said as it comes, before the answer is over', async () => {
    let end;
    const model = await create([
      (outgoing) => {
        outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
        outgoing.write(llm.event(llm.delta({ content: 'one' })));
        end = () => outgoing.end(llm.event(llm.delta({ content: ' two' }, 'stop')));
      },
    ]);
    // The server ends only once the first piece was said.
    const after = (step) => step.say === 'one' && end();
    const steps = await runTurn(model, ask('go'), { after });
    expect(steps).toEqual([{ say: 'one' }, { say: ' two' }, { stop: 'end_turn' }]);
  });

  test('survives any split of the bytes, line ends of any kind, comments and fields of no use', async () => {
    const chunk = JSON.stringify(llm.delta({ content: 'è 🦙' }));
    const stream = `\r\n: ping\r\nid: 1\r\nretry: 5\r\nfoo: bar\r\ndata:${chunk}\r\n\r\ndata: [DONE]\r\n\r\n`;
    const bytes = Buffer.from(stream);
    const single = [...bytes].map((byte) => Buffer.from([byte]));
    for (const pieces of [[bytes], single]) {
      const model = await create([
        async (outgoing) => {
          for (const one of pieces) {
            outgoing.write(one);
            await new Promise(setImmediate);
          }
          outgoing.end();
        },
      ]);
      expect(said(await runTurn(model, ask('go')))).toBe('è 🦙');
      await server.close();
    }
    server = undefined;
  });

  test('may come in parts, beside null, empty texts and chunks without choices', async () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const model = await create([
      llm.events(
        { choices: [] },
        llm.delta({ role: 'assistant', content: null }),
        llm.delta({ content: '' }),
        llm.delta({ content: parts }),
        llm.delta(null),
        { ...llm.delta({}), error: '' },
        llm.delta({}, 'stop'),
        { choices: [], usage: { total_tokens: 5 } },
        '[DONE]',
      ),
    ]);
    const steps = await runTurn(model, ask('go'));
    expect(steps).toEqual([{ say: 'ab' }, { stop: 'end_turn' }]);
  });

  test.each(['reasoning_content', 'reasoning'])('in %s is a thought', async (name) => {
    const model = await create([
      llm.events(llm.delta({ [name]: 'hm' }), llm.delta({ content: 'yes' }, 'stop'), '[DONE]'),
    ]);
    const content = { type: 'text', text: 'hm' };
    expect(await runTurn(model, ask('go'))).toEqual([
      { update: { sessionUpdate: 'agent_thought_chunk', content } },
      { say: 'yes' },
      { stop: 'end_turn' },
    ]);
  });
});

describe('an answer', () => {
  test.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['tool_calls', 'end_turn'],
    ['anything', 'end_turn'],
  ])('without calls that finishes with %s ends the turn with %s', async (reason, stop) => {
    const model = await create([llm.events(llm.delta({ content: 'x' }, reason), '[DONE]')]);
    expect(await runTurn(model, ask('go'))).toEqual([{ say: 'x' }, { stop }]);
  });

  test('is whole with a reason and no [DONE], and with [DONE] and no reason', async () => {
    const model = await create([
      llm.events(llm.delta({ content: 'a' }, 'stop')),
      llm.events(llm.delta({ content: 'b' }), '[DONE]'),
    ]);
    expect(await runTurn(model, ask('go'))).toEqual([{ say: 'a' }, { stop: 'end_turn' }]);
    expect(await runTurn(model, ask('go'))).toEqual([{ say: 'b' }, { stop: 'end_turn' }]);
  });

  test('has the last reason that was given', async () => {
    const model = await create([
      llm.events(llm.delta({ content: 'a' }, 'stop'), llm.delta({}, 'length'), llm.delta({})),
    ]);
    expect(await runTurn(model, ask('go'))).toEqual([{ say: 'a' }, { stop: 'max_tokens' }]);
  });

  test.each([
    ['is cut', llm.cut(llm.delta({ content: 'a' }, 'stop'))],
    ['falls silent', llm.pieces(llm.event(llm.delta({ content: 'a' }, 'stop')))],
  ])('that has its reason is whole, though the connection then %s', async (_, answer) => {
    const model = await create([answer], { timeoutMs: 300 });
    expect(await runTurn(model, ask('go'))).toEqual([{ say: 'a' }, { stop: 'end_turn' }]);
  });

  test.each(['application/json', 'text/event-stream'])('may come whole, as %s', async (type) => {
    const message = { role: 'assistant', content: 'hi', tool_calls: [llm.call(0, 'client_a', {})] };
    const whole = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
    const model = await create([
      llm.status(200, whole, { 'content-type': type }),
      llm.status(200, { choices: [{ message: { content: 'done' } }], error: null }),
    ]);
    expect(await runTurn(model, ask('go'))).toEqual([
      { say: 'hi' },
      { calls: [{ tool: 'client_a', arguments: {} }] },
      { say: 'done' },
      { stop: 'end_turn' },
    ]);
  });

  test('that was cut by its length makes no calls, which may be cut as well', async () => {
    const cut = piece({ index: 0, id: 'a' }, 'client_a', '{"x"');
    const model = await create([
      llm.events(llm.calls(cut), llm.delta({ content: 'x' }, 'length'), '[DONE]'),
      llm.says('more'),
    ]);
    expect(await runTurn(model, ask('go'))).toEqual([{ say: 'x' }, { stop: 'max_tokens' }]);
    await runTurn(model, ask('on'));
    expect(bodies()[1].messages[1]).toEqual({ role: 'assistant', content: 'x' });
  });
});

describe('calls', () => {
  test('of one answer are made at once, and their results go back with their ids', async () => {
    const model = await create([
      llm.events(
        llm.delta({ content: 'Let me see.' }),
        llm.calls(llm.call(0, 'client_host_info', { topic: 'os' })),
        llm.calls(llm.call(1, 'client_host_info', { topic: 'cpu' })),
        llm.delta({}, 'tool_calls'),
        '[DONE]',
      ),
      llm.says('Linux.'),
    ]);
    const results = ({ arguments: { topic } }) => ({ text: `about ${topic}`, isFailed: false });
    const steps = await runTurn(model, ask('go', { tools: [HOST_INFO] }), { results });
    expect(steps).toEqual([
      { say: 'Let me see.' },
      {
        calls: [
          { tool: 'client_host_info', arguments: { topic: 'os' } },
          { tool: 'client_host_info', arguments: { topic: 'cpu' } },
        ],
      },
      { say: 'Linux.' },
      { stop: 'end_turn' },
    ]);
    const repeated = (id, topic) => ({
      id,
      type: 'function',
      function: { name: 'client_host_info', arguments: JSON.stringify({ topic }) },
    });
    expect(bodies()[1].messages).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [repeated('id-0', 'os'), repeated('id-1', 'cpu')],
      },
      { role: 'tool', tool_call_id: 'id-0', content: 'about os' },
      { role: 'tool', tool_call_id: 'id-1', content: 'about cpu' },
    ]);
  });

  test('are made though the server says that it stopped', async () => {
    const model = await create([
      llm.events(llm.calls(llm.call(0, 'client_a', {})), llm.delta({}, 'stop'), '[DONE]'),
      llm.says('done'),
    ]);
    expect(await runTurn(model, ask('go'))).toContainEqual({
      calls: [{ tool: 'client_a', arguments: {} }],
    });
  });

  test('of a name that is no tool are left to the agent', async () => {
    expect(await callsOf(llm.calls(llm.call(0, 'nonsense', {})))).toEqual([
      [{ tool: 'nonsense', arguments: {} }],
    ]);
  });

  const A = { tool: 'client_a', arguments: { n: 1 } };
  const B = { tool: 'client_b', arguments: { n: 2 } };
  const [ARGS_A, ARGS_B] = ['{"n":1}', '{"n":2}'];

  test.each([
    [
      'in pieces that take turns',
      [
        [piece({ index: 0, id: 'a' }, 'client_a', '')],
        [piece({ index: 1, id: 'b' }, 'client_b', '{"n"')],
        [piece({ index: 0 }, undefined, '{"n":')],
        [piece({ index: 1 }, undefined, ':2}'), piece({ index: 0 }, undefined, '1}')],
      ],
    ],
    [
      'with names in pieces',
      [
        [piece({ index: 0, id: 'a' }, 'client', '')],
        [piece({ index: 0 }, '_a', ARGS_A)],
        [piece({ index: 1, id: 'b' }, 'client_b', ARGS_B)],
      ],
    ],
    [
      'with id and name in every piece',
      [
        [piece({ index: 0, id: 'a' }, 'client_a', '{"n":')],
        [piece({ index: 0, id: 'a' }, 'client_a', '1}')],
        [piece({ index: 1, id: 'b' }, 'client_b', ARGS_B)],
      ],
    ],
    [
      'with a name and no id in every piece',
      [
        [piece({ index: 0 }, 'client_a', '{"n":')],
        [piece({ index: 0 }, 'client_a', '1}')],
        [piece({ index: 1 }, 'client_b', ARGS_B)],
      ],
    ],
    [
      'with another id in every piece',
      [
        [piece({ index: 0, id: 'a' }, 'client_a', '{"n":')],
        [piece({ index: 0, id: 'a2' }, null, '1}')],
        [piece({ index: 1, id: 'b' }, 'client_b', ARGS_B)],
      ],
    ],
    [
      'without index',
      [
        [piece({ id: 'a' }, 'client_a', '{"n":')],
        [piece({}, undefined, '1}')],
        [piece({ id: 'b' }, 'client_b', '{"n":')],
        [piece({ id: 'b' }, undefined, '2}')],
      ],
    ],
    [
      'without index, in pieces that take turns',
      [
        [piece({ id: 'a' }, 'client_a', '{"n":')],
        [piece({ id: 'b' }, 'client_b', '{"n":')],
        [piece({ id: 'a' }, undefined, '1}'), piece({ id: 'b' }, undefined, '2}')],
      ],
    ],
    [
      'without index and id',
      [
        [piece({}, 'client_a', '{"n":')],
        [piece({}, undefined, '1}')],
        [piece({}, 'client_b', ARGS_B)],
      ],
    ],
    [
      'all with the index 0, told apart by id',
      [
        [piece({ index: 0, id: 'a' }, 'client_a', ARGS_A)],
        [piece({ index: 0, id: 'b' }, 'client_b', ARGS_B)],
      ],
    ],
    [
      'all with the index 0 and no id',
      [[piece({ index: 0 }, 'client_a', ARGS_A)], [piece({ index: 0 }, 'client_b', ARGS_B)]],
    ],
    [
      'all with the same id',
      [
        [piece({ index: 0, id: '0' }, 'client_a', ARGS_A)],
        [piece({ index: 1, id: '0' }, 'client_b', ARGS_B)],
      ],
    ],
    [
      'with arguments that are objects',
      [
        [
          piece({ index: 0, id: 'a' }, 'client_a', { n: 1 }),
          piece({ index: 1 }, 'client_b', { n: 2 }),
        ],
      ],
    ],
  ])('may come %s', async (_, pieces) => {
    expect(await callsOf(...pieces.map((list) => llm.calls(...list)))).toEqual([[A, B]]);
    const [, answer, ...results] = bodies()[1].messages;
    const ids = answer.tool_calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain('');
    expect(results.map((result) => result.tool_call_id)).toEqual(ids);
    expect(answer.content).toBeNull();
  });

  test.each([
    ['absent', undefined],
    ['empty', ''],
    ['blank', ' \n'],
    ['null', null],
    ['the text null', 'null'],
  ])('with arguments that are %s have none', async (_, args) => {
    expect(await callsOf(llm.calls(piece({ index: 0, id: 'a' }, 'client_a', args)))).toEqual([
      [{ tool: 'client_a', arguments: {} }],
    ]);
  });

  test.each(['{"n":', '[1]', '"x"'])(
    'with arguments %s are not made, and the model is told',
    async (args) => {
      const calls = await callsOf(
        llm.calls(
          piece({ index: 0, id: 'bad' }, 'client_a', args),
          llm.call(1, 'client_b', { n: 2 }),
        ),
      );
      expect(calls).toEqual([[B]]);
      const [, answer, first, second] = bodies()[1].messages;
      expect(answer.tool_calls[0].function.arguments).toBe('{}');
      const content = `expected the arguments of client_a to be a JSON object, got ${args}: call it again with a JSON object`;
      expect(first).toEqual({ role: 'tool', tool_call_id: 'bad', content });
      expect(second).toMatchObject({ tool_call_id: 'id-1', content: ARGS_B });
    },
  );

  test('none of which can be made are no step: the model is asked again', async () => {
    expect(await callsOf(llm.calls({ index: 0, function: { arguments: '{}' } }))).toEqual([]);
    expect(bodies()[1].messages[2].content).toMatch(/^this call names no tool/);
  });

  test('without end are ended', async () => {
    const answers = Array.from({ length: 51 }, () => llm.wants(llm.call(0, 'client_a', {})));
    const model = await create(answers);
    const steps = await runTurn(model, ask('go'));
    expect(steps.filter((step) => step.calls)).toHaveLength(50);
    expect(steps.at(-1)).toEqual({ stop: 'max_turn_requests' });
    expect(server.requests).toHaveLength(50);
  });
});
