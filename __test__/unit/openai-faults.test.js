'use strict';
// What the model `openai` says of servers that refuse, break, are absent or silent: a message in the turn.

const { afterEach, describe, expect, test } = require('@jest/globals');
const { once } = require('node:events');
const net = require('node:net');
const { openai } = require('../../js/stand-in/openai');
const llm = require('../fixtures/llm-server');
const { ask, runTurn, said } = require('../fixtures/model-turn');

const KEY = 'sk-very-secret';

let server;

afterEach(() => server?.close());

async function create(answer, options = {}) {
  server = await llm.startLlmServer(answer);
  return openai({ baseUrl: server.origin, model: 'm', ...options }, {});
}

/** The message of the failure a turn ends with, without the address. */
async function failureOf(model, address = `${server.origin}/v1`) {
  const steps = await runTurn(model, ask('go'));
  const { fail } = steps.at(-1);
  expect(fail).toMatchObject({ code: -32603, data: { error: fail.message } });
  const lead = `the model server at ${address} `;
  expect(fail.message.slice(0, lead.length)).toBe(lead);
  return { ...fail, what: fail.message.slice(lead.length), said: said(steps) };
}

describe('a status', () => {
  test.each([
    [401, 'answered 401: no such key; set OPENAI_API_KEY'],
    [403, 'answered 403: no such key; set OPENAI_API_KEY'],
    [404, 'answered 404: no such key; check the base URL and the name of the model'],
    [429, 'answered 429: no such key; wait before you ask again'],
    [503, 'answered 503: no such key; ask again when it is ready'],
    [500, 'answered 500: no such key'],
  ])('%i is told, with what the server says and what to do', async (code, what) => {
    const model = await create(llm.status(code, { error: { message: 'no such key' } }));
    expect(await failureOf(model)).toMatchObject({ what, data: { status: code } });
  });

  test.each([
    ['OpenAI', { error: { message: 'why', type: 'x', code: null } }, 'why'],
    ['Ollama and llmman', { error: 'why' }, 'why'],
    ['vLLM', { object: 'error', message: 'why', code: 500 }, 'why'],
    ['FastAPI', { detail: [{ loc: ['body'], msg: 'why' }] }, '[{"loc":["body"],"msg":"why"}]'],
    ['others', { message: 'why' }, 'why'],
    ['servers with words of their own', { reason: 'why' }, '{"reason":"why"}'],
    ['text', 'why\n\tnot', 'why not'],
    ['nothing', '', 'Internal Server Error'],
    ['a page', '<html><title>502 Bad\nGateway</title><body>x</body>', '502 Bad Gateway'],
    ['a page without a title', '<html><body>x</body>', 'a page of HTML'],
    ['endless words', 'x'.repeat(10_000), `${'x'.repeat(599)}…`],
  ])('comes with the error as %s has it', async (_, body, expected) => {
    const { what } = await failureOf(await create(llm.status(500, body)));
    expect(what).toBe(`answered 500: ${expected}`);
  });

  test('whose body never ends is told all the same', async () => {
    const endless = (outgoing) => {
      outgoing.writeHead(400, { 'content-type': 'text/plain' });
      outgoing.write('why');
    };
    const { what } = await failureOf(await create(endless, { timeoutMs: 100 }));
    expect(what).toBe('answered 400: why');
  });

  test('whose body is a flood is told all the same', async () => {
    const flood = llm.flood(400, 'x'.repeat(1_000_000));
    const { what } = await failureOf(await create(flood));
    expect(what).toBe(`answered 400: ${'x'.repeat(599)}…`);
    await server.requests[0].closed;
  });

  test('of a server that moved names where to', async () => {
    const location = 'http://127.0.0.1:9/v1';
    const { what } = await failureOf(await create(llm.status(307, 'gone', { location })));
    expect(what).toBe(`answered 307: gone; it moved to ${location}: set that base URL`);
    expect(server.requests).toHaveLength(1);
  });
});

test('a key is in no message, though the server repeats it', async () => {
  const model = await create(
    llm.status(401, { error: { message: `wrong key ${KEY}`, param: KEY } }),
    { apiKey: KEY },
  );
  const failure = await failureOf(model);
  expect(failure.what).toBe('answered 401: wrong key [key]; check OPENAI_API_KEY');
  expect(JSON.stringify(failure)).not.toContain(KEY);
});

describe('an answer', () => {
  const hello = llm.delta({ content: 'hel' });

  test.each([
    ['OpenAI', { error: { message: 'out of memory' } }],
    ['Ollama', { error: 'out of memory' }],
    ['vLLM', { object: 'error', message: 'out of memory' }],
    ['OpenRouter', { ...hello, error: { code: 502, message: 'out of memory' } }],
  ])('may hold an error as %s has it', async (_, error) => {
    const { what, said } = await failureOf(await create(llm.events(hello, error)));
    expect(what).toBe('answered with an error: out of memory');
    expect(said).toBe('hel');
  });

  test.each([
    ['an event of type error', 'event: error\ndata: {"message":"out of memory"}\n\n'],
    ['an event of type error with plain text', 'event: error\ndata: out of memory\n\n'],
    ['a field that is none', 'error: {"message":"out of memory"}\n\n'],
  ])('may hold an error as %s', async (_, text) => {
    const { what } = await failureOf(await create(llm.pieces(llm.event(hello), text)));
    expect(what).toBe('answered with an error: out of memory');
  });

  test('that is whole may be an error', async () => {
    const { what } = await failureOf(await create(llm.status(200, { error: 'no' })));
    expect(what).toBe('answered with an error: no');
  });

  test.each([
    ['no JSON', '{"choices":', 'sent an event that is not a JSON object: {"choices":'],
    ['no object', '5', 'sent an event that is not a JSON object: 5'],
  ])('with an event that is %s is told', async (_, data, expected) => {
    const { what, said } = await failureOf(await create(llm.events(hello, data)));
    expect(what).toBe(expected);
    expect(said).toBe('hel');
  });

  test.each([
    ['a page of HTML', '<!doctype html><title>Hello</title>', 'with a page of HTML (Hello)'],
    ['text', 'Ollama is running', 'with no event stream: Ollama is running'],
    ['empty', '', 'with no event stream: it is empty'],
    ['without choices', '{"models":[]}', 'without choices: {"models":[]}'],
    ['events without choices', 'data: {}\n\ndata: [DONE]\n\n', 'without choices'],
  ])('that is %s is told', async (_, body, expected) => {
    const { what } = await failureOf(await create(llm.status(200, body)));
    expect(what.startsWith(`answered ${expected}`)).toBe(true);
  });

  test('that is JSON and cut is told', async () => {
    const { what } = await failureOf(await create(llm.status(200, '{"choices":[')));
    expect(what).toBe('sent an answer that is not a JSON object: {"choices":[');
  });

  test('without end is told', async () => {
    const flood = llm.flood(200, `: ${'x'.repeat(1_000_000)}\n\n`);
    const { what } = await failureOf(await create(flood));
    expect(what).toBe('answered with more than 67108864 bytes, no model says as much');
    await server.requests[0].closed;
  });

  test('whose connection dies is told, and what was said stays', async () => {
    const { what, said } = await failureOf(await create(llm.cut(hello)));
    // What follows is Node's, and differs by platform.
    expect(what).toMatch(/^cut its answer short: \S/);
    expect(said).toBe('hel');
  });

  test('that ends without a reason and [DONE] was cut', async () => {
    const { what } = await failureOf(await create(llm.events(hello)));
    expect(what).toMatch(/^cut its answer short: it ended without a finish_reason/);
  });

  test('that has calls and was cut makes none of them', async () => {
    const model = await create(llm.events(llm.calls(llm.call(0, 'client_a', {}))));
    const steps = await runTurn(model, ask('go'));
    expect(steps.map((step) => Object.keys(step))).toEqual([['fail']]);
  });
});

describe('silence', () => {
  const expected = /^sent nothing for 100 ms: is it overloaded/;

  test.each([
    ['before the answer', llm.silence()],
    ['after its head', llm.pieces()],
    ['amid it', llm.pieces(llm.event(llm.delta({ content: 'a' })))],
  ])('%s ends the turn at the limit', async (_, answer) => {
    const { what } = await failureOf(await create(answer, { timeoutMs: 100 }));
    expect(what).toMatch(expected);
    await server.requests[0].closed;
  });

  test('is none while bytes come, be they comments', async () => {
    const comments = Array.from({ length: 140 }, () => ': busy\n\n');
    const model = await create(
      llm.pieces(...comments, llm.event(llm.delta({ content: 'a' })), llm.event('[DONE]')),
      { timeoutMs: 500 },
    );
    expect(await runTurn(model, ask('go'))).toEqual([{ say: 'a' }, { stop: 'end_turn' }]);
  });
});

describe('a server that is not there', () => {
  test('is told with what to do', async () => {
    const listener = net.createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address();
    listener.close();
    await once(listener, 'close');
    const baseUrl = `http://127.0.0.1:${port}/v1/`;
    server = undefined;
    const failure = await failureOf(openai({ baseUrl, model: 'm' }, {}), baseUrl.slice(0, -1));
    expect(failure.what).toBe('refuses the connection: start it, or check the base URL');
  });

  test('for its name cannot be looked up is told', async () => {
    server = undefined;
    const model = openai({ baseUrl: 'http://nowhere.invalid/v1', model: 'm' }, {});
    const { what } = await failureOf(model, 'http://nowhere.invalid/v1');
    expect(what).toMatch(/^cannot be found, its host name/);
  });

  test('or speaks something else is told', async () => {
    const listener = net.createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = `http://127.0.0.1:${listener.address().port}/v1`;
    server = listener;
    const { what } = await failureOf(openai({ baseUrl: address, model: 'm' }, {}), address);
    expect(what).toMatch(/^cannot be reached: /);
  });
});

describe('a cancelled turn', () => {
  test.each([
    ['before the answer', llm.silence()],
    ['after its head', llm.pieces()],
  ])('%s ends at once, in silence, and closes the connection', async (_, answer) => {
    const model = await create(answer);
    const controller = new AbortController();
    const steps = runTurn(model, ask('go'), { signal: controller.signal });
    while (server.requests.length === 0) await new Promise(setImmediate);
    controller.abort();
    expect(await steps).toEqual([]);
    await server.requests[0].closed;
  });

  test('amid its text ends at once, in silence, and closes the connection', async () => {
    const model = await create(llm.pieces(llm.event(llm.delta({ content: 'a' }))));
    const controller = new AbortController();
    const after = () => controller.abort();
    const steps = await runTurn(model, ask('go'), { signal: controller.signal, after });
    expect(steps).toEqual([{ say: 'a' }]);
    await server.requests[0].closed;
  });

  test('behind its last word ends at once, in silence', async () => {
    const model = await create(llm.pieces(llm.event(llm.delta({ content: 'a' }, 'stop'))));
    const controller = new AbortController();
    const after = () => setTimeout(() => controller.abort(), 50);
    const steps = await runTurn(model, ask('go'), { signal: controller.signal, after });
    expect(steps).toEqual([{ say: 'a' }]);
  });

  test('that was cancelled before it began asks nothing', async () => {
    const model = await create(llm.says('a'));
    expect(await runTurn(model, ask('go'), { signal: AbortSignal.abort() })).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test('that is left closes the connection without a signal', async () => {
    const model = await create(llm.pieces(llm.event(llm.delta({ content: 'a' }))));
    const turn = model.turn(ask('go'), new AbortController().signal);
    expect(await turn.next()).toEqual({ done: false, value: { say: 'a' } });
    await turn.return();
    await server.requests[0].closed;
  });
});
