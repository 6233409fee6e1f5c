'use strict';

const { describe, expect, test } = require('@jest/globals');
const { inspect } = require('node:util');
const { agent, failureOf, received, useClients } = require('./harness');

const open = useClients();

async function collect(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}

const textsOf = (updates) => updates.map(({ content }) => content.text);

describe('a turn', () => {
  test('is awaited for its result', async () => {
    const session = await open(agent('echo')).newSession();
    const result = await session.prompt('héllo 😀');
    expect(result).toEqual({
      stopReason: 'end_turn',
      text: 'héllo 😀',
      usage: { totalTokens: 3 },
      raw: { stopReason: 'end_turn', usage: { totalTokens: 3 } },
    });
    expect(structuredClone(result).text).toBe('héllo 😀');
    expect(JSON.parse(JSON.stringify(result)).text).toBe('héllo 😀');
  });

  test('shows its result whole, its text too', async () => {
    const session = await open(agent('echo')).newSession();
    const result = await session.prompt('hi');
    expect(inspect(result)).toContain("text: 'hi'");
    expect({ ...result }).toEqual(result);
  });

  test('is iterated for its updates', async () => {
    const session = await open(agent('streams-updates', 3)).newSession();
    expect(textsOf(await collect(session.prompt('go')))).toEqual(['0;', '1;', '2;']);
  });

  test('is both', async () => {
    const session = await open(agent('streams-updates', 3)).newSession();
    const turn = session.prompt('go');
    const [updates, { text }] = await Promise.all([collect(turn), turn]);
    expect(textsOf(updates)).toEqual(['0;', '1;', '2;']);
    expect(text).toBe('0;1;2;');
  });

  test('gives all to each of several iterators that are taken before the first update', async () => {
    const session = await open(agent('streams-updates', 3)).newSession();
    const turn = session.prompt('go');
    const [updates, texts] = await Promise.all([collect(turn), collect(turn.textStream())]);
    expect(textsOf(updates)).toEqual(texts);
    expect(texts).toEqual(['0;', '1;', '2;']);
  });

  test('gives an iterator that is taken late what came before', async () => {
    const session = await open(agent('streams-updates', 3)).newSession();
    const turn = session.prompt('go');
    await turn;
    expect(textsOf(await collect(turn))).toEqual(['0;', '1;', '2;']);
  });

  test('tells an iterator that is taken too late with MM_ERR_UNREAD', async () => {
    const session = await open(agent('says-huge', 1, 1)).newSession();
    const turn = session.prompt('go');
    expect((await turn).text).toHaveLength(1024 * 1024);
    expect(await failureOf(collect(turn))).toMatchObject({ code: 'MM_ERR_UNREAD' });
  });

  test('has the text of the message alone as textStream()', async () => {
    const session = await open(agent('says')).newSession();
    const contents = [
      ['agent_thought_chunk', { type: 'text', text: 'hm' }],
      ['agent_message_chunk', { type: 'text', text: 'a' }],
      ['agent_message_chunk', { type: 'image', data: '', mimeType: 'image/png' }],
      ['agent_message_chunk', { type: 'text', text: '' }],
      ['user_message_chunk', { type: 'text', text: 'you' }],
      ['agent_message_chunk', { type: 'text', text: 'b', annotations: {} }],
    ];
    const lines = contents.map(([sessionUpdate, content]) => {
      const params = { sessionId: session.id, update: { sessionUpdate, content } };
      return JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params });
    });
    const turn = session.prompt(JSON.stringify({ lines }));
    expect(await collect(turn.textStream())).toEqual(['a', '', 'b']);
    expect((await turn).text).toBe('ab');
  });

  test('goes on when a loop over it is left early', async () => {
    const session = await open(agent('streams-updates', 1000)).newSession();
    const turn = session.prompt('go');
    for await (const update of turn) {
      expect(update.content.text).toBe('0;');
      break;
    }
    expect((await turn).text).toContain('999;');
    expect((await session.prompt('again')).text).toContain('999;');
  });

  test('has a loop body that may wait for things behind it in the stream', async () => {
    const client = open(agent('streams-updates', 1000));
    const session = await client.newSession();
    let count = 0;
    for await (const _ of session.prompt('go')) {
      if (count === 0) await client.request('_test/received');
      count += 1;
    }
    expect(count).toBe(1000);
  });

  test('brings its error to await', async () => {
    const session = await open(agent('dies-mid-line')).newSession();
    expect((await failureOf(session.prompt('go'))).code).toBe('MM_ERR_EXITED');
  });

  test('brings its error to the loop, behind the updates that came, once', async () => {
    const session = await open(agent('dies-mid-line')).newSession();
    const turn = session.prompt('go');
    const texts = [];
    const iterator = turn[Symbol.asyncIterator]();
    const error = await failureOf(
      (async () => {
        for await (const update of iterator) texts.push(update.content.text);
      })(),
    );
    expect(texts).toEqual(['so far so good']);
    expect(error.code).toBe('MM_ERR_EXITED');
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test('has then, catch and finally', async () => {
    const session = await open(agent('echo')).newSession();
    const order = [];
    const turn = session.prompt('x');
    await turn.finally(() => order.push('finally')).then(({ text }) => order.push(text));
    expect(order).toEqual(['finally', 'x']);
    expect(await turn.catch(() => 'not called')).toMatchObject({ text: 'x' });
    expect(await turn.result).toMatchObject({ text: 'x' });
  });

  test('keeps a stop reason that nobody knows', async () => {
    const session = await open(agent('says')).newSession();
    const script = { answer: { result: { stopReason: 'bored', more: [1] } } };
    const { stopReason, usage, raw } = await session.prompt(JSON.stringify(script));
    expect({ stopReason, usage, raw }).toEqual({
      stopReason: 'bored',
      usage: undefined,
      raw: { stopReason: 'bored', more: [1] },
    });
  });

  test.each([[{ result: {} }], [{ result: null }], [{ result: { stopReason: 7 } }]])(
    'fails with MM_ERR_MESSAGE_INVALID when its answer is %j',
    async (answer) => {
      const session = await open(agent('says')).newSession();
      const error = await failureOf(session.prompt(JSON.stringify({ answer })));
      expect(error).toMatchObject({ code: 'MM_ERR_MESSAGE_INVALID', name: 'ProtocolError' });
      expect((await session.prompt('{}')).stopReason).toBe('end_turn');
    },
  );

  test('fails with the error that the agent answers, as it came', async () => {
    const session = await open(agent('says')).newSession();
    const answer = {
      error: { code: -32000, message: 'log in first', data: { how: { url: 'x' } } },
    };
    const error = await failureOf(session.prompt(JSON.stringify({ answer })));
    expect(error).toMatchObject({
      code: 'MM_ERR_AGENT',
      name: 'AgentError',
      message: 'session/prompt: log in first',
      rpcCode: -32000,
      rpcData: { how: { url: 'x' } },
    });
    expect((await session.prompt('{}')).stopReason).toBe('end_turn');
  });

  test.each([['text'], [7], [{}], [{ code: 'x', message: [] }]])(
    'fails with MM_ERR_AGENT though its error is malformed: %j',
    async (error) => {
      const session = await open(agent('says')).newSession();
      const failure = await failureOf(session.prompt(JSON.stringify({ answer: { error } })));
      expect(failure).toMatchObject({ code: 'MM_ERR_AGENT', rpcCode: -32603 });
    },
  );

  test('fails with MM_ERR_MESSAGE_INVALID when its answer has neither result nor error', async () => {
    const session = await open(agent('says')).newSession();
    const failure = await failureOf(session.prompt(JSON.stringify({ answer: {} })));
    expect(failure).toMatchObject({ code: 'MM_ERR_MESSAGE_INVALID', name: 'ProtocolError' });
  });
});

describe('a second prompt', () => {
  test('is refused with MM_ERR_PROMPT_RUNNING, and leaves the first alone', async () => {
    const client = open(agent('runs-until-cancelled'));
    const session = await client.newSession();
    const first = session.prompt('{"needs":"_test/end"}');
    const error = await failureOf(session.prompt('second'));
    expect(error).toMatchObject({
      code: 'MM_ERR_PROMPT_RUNNING',
      name: 'StateError',
      details: { sessionId: 's1' },
    });
    client.notify('_test/end');
    expect((await first).stopReason).toBe('cancelled');
    expect((await session.prompt('third')).text).toBe('third');
    const prompts = (await received(client)).filter(({ method }) => method === 'session/prompt');
    expect(prompts).toHaveLength(2);
  });

  test('of another session runs beside the first', async () => {
    const client = open(agent('interleaves', 2));
    const [first, second] = [await client.newSession(), await client.newSession()];
    const results = await Promise.all([first.prompt('a'), second.prompt('b')]);
    expect(results.map(({ text }) => text)).toEqual(['a0 a1 a2 ', 'b0 b1 b2 ']);
  });
});

describe('the content of a prompt', () => {
  test('is text, a block, or several, as they are', async () => {
    const session = await open(agent('takes-content')).newSession();
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
    const link = { type: 'resource_link', uri: 'file:///x', name: 'x' };
    const text = { type: 'text', text: 'hi', _meta: { a: 1 } };
    const cases = [
      ['hi', [{ type: 'text', text: 'hi' }]],
      ['', [{ type: 'text', text: '' }]],
      [image, [image]],
      [
        [text, link],
        [text, link],
      ],
    ];
    for (const [input, prompt] of cases)
      expect((await session.prompt(input)).raw.prompt).toEqual(prompt);
  });

  test('that the agent does not take is MM_ERR_UNSUPPORTED', async () => {
    const session = await open(agent('takes-content')).newSession();
    const audio = { type: 'audio', data: '', mimeType: 'audio/wav' };
    const attempt = failureOf((async () => session.prompt(audio))());
    expect(await attempt).toMatchObject({
      code: 'MM_ERR_UNSUPPORTED',
      name: 'StateError',
      details: { type: 'audio', capability: 'audio' },
    });
  });

  test.each([
    [undefined, 'text, or content blocks'],
    [null, 'text, or content blocks'],
    [7, 'text, or content blocks'],
    [[], 'at least one content block'],
    [{ type: 'hologram' }, 'text, or content blocks'],
    [{ type: 'text' }, 'the member text of a block of type text to be a string, got undefined'],
    [{ type: 'text', text: 7 }, 'to be a string, got 7'],
    [{ type: 'resource', resource: 'file:///a' }, 'to be an object, got "file:///a"'],
    [
      { type: 'image', data: 7 },
      'the member data of a block of type image to be a string in base64',
    ],
    [{ type: 'image', data: 'x' }, 'the member mimeType of a block of type image to be a string'],
    [['text'], 'text, or content blocks'],
    [{ type: 'toString' }, 'text, or content blocks'],
  ])('that is %j is MM_ERR_OPTION', async (input, expected) => {
    const session = await open(agent('takes-content')).newSession();
    const error = await failureOf((async () => session.prompt(input))());
    expect(error).toMatchObject({ code: 'MM_ERR_OPTION', name: 'OptionError' });
    expect(error.message).toContain(expected);
    expect((await session.prompt('fine')).stopReason).toBe('end_turn');
  });

  test.each([[{ timeoutMs: -1 }], [{ timeoutMs: 'x' }], [{ signal: {} }], [{ timeout: 1 }], [7]])(
    'comes with options that are right, not %j',
    async (options) => {
      const session = await open(agent('echo')).newSession();
      const error = await failureOf((async () => session.prompt('x', options))());
      expect(error.code).toBe('MM_ERR_OPTION');
    },
  );
});
