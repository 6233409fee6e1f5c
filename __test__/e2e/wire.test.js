'use strict';

const { describe, expect, test } = require('@jest/globals');
const { agent, codesOf, failureOf, received, record, useClients } = require('./harness');

const open = useClients();
const HARD = 'ASCII, é, 日本語, 😀👩‍👩‍👧, \u2028\u2029\u0085, \0\u001f"\\/\b\f\n\r\t';

function textLine(text) {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's1', update },
  });
}

/** The turn in which the agent writes `lines`, and what the client told meanwhile. */
async function say(lines, options = {}) {
  const client = open({ ...agent('says'), ...options });
  const told = record(client);
  const session = await client.newSession();
  const result = await session.prompt(JSON.stringify({ lines }));
  return { result, told, client, session };
}

describe('text', () => {
  test.each(['echo', 'splits-utf8', 'noisy', 'crlf-bom'])(
    'comes through %s as it was',
    async (name) => {
      const client = open(agent(name));
      const session = await client.newSession();
      expect((await session.prompt(HARD)).text).toBe(HARD);
    },
  );

  test('is told to be no noise where a mark, a carriage return or a blank line is beside it', async () => {
    const client = open(agent('crlf-bom'));
    const told = record(client);
    const session = await client.newSession();
    await session.prompt('x');
    await client.close();
    expect(told.diagnostic).toEqual([]);
  });

  test('may hold what other readers take for the end of a line', async () => {
    const text = 'a\u2028b\u2029c\u0085d';
    const raw = textLine('#').replace('#', text);
    expect((await say([raw])).result.text).toBe(text);
  });

  test('may hold half an emoji, in either direction', async () => {
    // As escapes: JSON text has no other way to hold it.
    const halves = ['\\udc00a', 'b\\ud83d'].map((half) => textLine('#').replace('#', half));
    const { result, told } = await say([...halves, textLine('!')]);
    expect(result.text).toMatch(/^[\udc00\ufffd]ab[\ud83d\ufffd]!$/u);
    expect(told.diagnostic).toEqual([]);
    const session = await open(agent('echo')).newSession();
    expect((await session.prompt('cut \ud83d')).text).toBe('cut \ufffd');
  });

  test('may hold bytes that are no UTF-8: they become U+FFFD, and the next lines are fine', async () => {
    const [before, after] = textLine('#').split('#');
    const bytes = Buffer.concat([
      Buffer.from(before),
      Buffer.of(0x63, 0xe9, 0x21),
      Buffer.from(after),
    ]);
    const { result } = await say([{ base64: bytes.toString('base64') }, textLine('?')]);
    expect(result.text).toBe('c\ufffd!?');
  });

  test('is nested as deeply as it may be', async () => {
    const deep = `${'['.repeat(2000)}1${']'.repeat(2000)}`;
    const params = `{"sessionId":"s1","update":{"sessionUpdate":"x","deep":${deep}}}`;
    const { told } = await say([`{"jsonrpc":"2.0","method":"session/update","params":${params}}`]);
    expect(JSON.stringify(told.update[0].update.deep)).toBe(deep);
  });
});

describe('what is no message', () => {
  test('is skipped, and told with stdout-noise', async () => {
    const noise = ['hello', '7', '[]', '[{"id":1,"method":"m"}]', '{"half":', 'null', '{"a":1} x'];
    const { result, told } = await say([...noise, textLine('fine')]);
    expect(result.text).toBe('fine');
    expect(told.diagnostic.map(({ code, details }) => [code, details.line])).toEqual(
      noise.map((line) => ['stdout-noise', line]),
    );
    expect(told.diagnostic[0].message).toContain('hello');
  });

  test('is told a hundred times, and no more', async () => {
    const { result, told } = await say([...Array(1500).fill('debug'), textLine('fine')]);
    expect(result.text).toBe('fine');
    expect(told.diagnostic).toHaveLength(100);
    expect(told.diagnostic[98].message).not.toContain('more');
    expect(told.diagnostic[99].message).toContain('more will not be told');
  });

  test('is shown cut short', async () => {
    const { told } = await say(['é'.repeat(10_000)]);
    expect(told.diagnostic[0].details.line).toBe(`${'é'.repeat(200)}…`);
  });

  test('though it is an object is told with message-invalid, and never answered', async () => {
    const odd = [
      '{}',
      '{"id":null,"result":1}',
      '{"result":{}}',
      '{"error":{"code":1,"message":"m"}}',
      '{"method":7}',
    ];
    const { result, told, client } = await say([...odd, textLine('fine')]);
    expect(result.text).toBe('fine');
    expect(codesOf(told.diagnostic)).toEqual(odd.map(() => 'message-invalid'));
    expect((await received(client)).filter(({ error }) => error)).toEqual([]);
  });

  test('does no harm around the end', async () => {
    const client = open(agent('noisy'));
    await client.start();
    expect(await client.close()).toMatchObject({ exitCode: 0, expected: true });
  });
});

describe('an answer', () => {
  test('that nobody asked for is told with message-invalid, and harms nothing', async () => {
    const strangers = ['99', '"3"', '3.5', '-3', '"x"'].map(
      (id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`,
    );
    const { result, told } = await say([...strangers, textLine('fine')]);
    expect(result).toMatchObject({ text: 'fine', stopReason: 'end_turn' });
    expect(codesOf(told.diagnostic)).toEqual(strangers.map(() => 'message-invalid'));
  });

  test('that comes twice counts once', async () => {
    const twice = Array(2).fill('{"jsonrpc":"2.0","id":3,"result":{"stopReason":"refusal"}}');
    const { result, told, session } = await say(twice);
    expect(result.stopReason).toBe('refusal');
    expect((await session.prompt('{}')).stopReason).toBe('end_turn');
    // The second, and the one the agent gives of its own.
    expect(codesOf(told.diagnostic)).toEqual(['message-invalid', 'message-invalid']);
  });

  test('with an error that is null is a result', async () => {
    const line = '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"refusal"},"error":null}';
    expect((await say([line])).result.stopReason).toBe('refusal');
  });

  test('without "jsonrpc" is taken', async () => {
    expect((await say(['{"id":3,"result":{"stopReason":"refusal"}}'])).result.stopReason).toBe(
      'refusal',
    );
  });
});

describe('a line', () => {
  test('over maxIncomingBytes ends the client', async () => {
    const client = open({ ...agent('says-huge', 1, 2), maxIncomingBytes: 1024 * 1024 });
    const told = record(client);
    const session = await client.newSession();
    const error = await failureOf(session.prompt('x'));
    expect(error).toMatchObject({
      code: 'MM_ERR_MESSAGE_TOO_LARGE',
      name: 'ProtocolError',
      details: { limitBytes: 1024 * 1024 },
    });
    expect(told.exit).toHaveLength(1);
    expect((await failureOf(client.newSession())).code).toBe('MM_ERR_MESSAGE_TOO_LARGE');
  });

  test('that has no end is not waited for', async () => {
    const client = open({
      ...agent('floods', 2, 1024 * 1024, 'without end'),
      maxIncomingBytes: 1024 * 1024,
    });
    expect((await failureOf(client.start())).code).toBe('MM_ERR_MESSAGE_TOO_LARGE');
  });

  test('of eight megabytes is taken', async () => {
    const session = await open(agent('says-huge', 1, 8)).newSession();
    expect((await session.prompt('x')).text).toHaveLength(8 * 1024 * 1024);
  });

  test('of ours over maxOutgoingBytes fails its call alone: nothing is sent', async () => {
    const client = open({ ...agent('echo'), maxOutgoingBytes: 1000 });
    const session = await client.newSession();
    const huge = 'é'.repeat(600);
    const attempts = [
      session.prompt(huge),
      client.request('_x', { huge }),
      client.newSession({ params: { huge } }),
    ];
    for (const error of await Promise.all(attempts.map(failureOf))) {
      expect(error).toMatchObject({
        code: 'MM_ERR_MESSAGE_TOO_LARGE',
        name: 'ProtocolError',
        details: { limitBytes: 1000, method: expect.any(String), bytes: expect.any(Number) },
      });
    }
    expect(() => client.notify('_x', { huge })).toThrow(
      expect.objectContaining({ code: 'MM_ERR_MESSAGE_TOO_LARGE' }),
    );
    expect((await session.prompt('small')).text).toBe('small');
    const methods = (await received(client)).map(({ method }) => method);
    expect(methods).toEqual(['initialize', 'session/new', 'session/prompt', '_test/received']);
  });

  test('of ours is measured to the byte, with its line feed', async () => {
    const frame = '{"jsonrpc":"2.0","id":2,"method":"_test/received","params":{"x":""}}\n'.length;
    const fits = { x: 'x'.repeat(400 - frame) };
    const client = open({ ...agent('echo'), maxOutgoingBytes: 400 });
    await client.start();
    const lines = await client.request('_test/received', fits);
    expect(lines.at(-1)).toHaveLength(399);
    const error = await failureOf(client.request('_test/received', { x: `${fits.x}x` }));
    expect(error.details).toEqual({ bytes: 401, limitBytes: 400, method: '_test/received' });
  });

  test('of ours that announces too many tools fails start()', async () => {
    const client = open({ ...agent('echo'), maxOutgoingBytes: 1000 });
    client.addTool({ name: 'x', description: 'd'.repeat(1000), handle: () => 1 });
    expect((await failureOf(client.start())).code).toBe('MM_ERR_MESSAGE_TOO_LARGE');
    await client.close();
  });
});

describe('trace', () => {
  test('sees every line both ways, in order, with its time', async () => {
    const lines = [];
    const client = open({ ...agent('echo'), trace: (message) => lines.push(message) });
    const before = Date.now();
    const session = await client.newSession();
    await session.prompt('é');
    await client.close();
    expect(lines.map(({ direction, line }) => `${direction} ${methodOf(line)}`)).toEqual([
      'out initialize',
      'in answer',
      'out session/new',
      'in answer',
      'out session/prompt',
      'in session/update',
      'in answer',
    ]);
    expect(lines[4].line).toBe(
      '{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"é"}]}}',
    );
    for (const { timestampMs } of lines) expect(timestampMs).toBeGreaterThanOrEqual(before);
  });

  test('that throws costs nothing but a diagnostic', async () => {
    const client = open({
      ...agent('echo'),
      trace: () => {
        throw new Error('disk full');
      },
    });
    const told = record(client);
    const session = await client.newSession();
    expect((await session.prompt('x')).text).toBe('x');
    expect(told.diagnostic[0]).toMatchObject({ code: 'listener-failed' });
    expect(told.diagnostic[0].message).toContain('disk full');
  });
});

function methodOf(line) {
  return JSON.parse(line).method ?? 'answer';
}
