'use strict';
// What the model `openai` remembers from turn to turn.

const { afterEach, describe, expect, test } = require('@jest/globals');
const { openai } = require('../../js/stand-in/openai');
const { Histories, MOST_CHARACTERS, MOST_SESSIONS } = require('../../js/stand-in/openai/history');
const llm = require('../fixtures/llm-server');
const { ask, runTurn } = require('../fixtures/model-turn');

let server;

afterEach(() => server?.close());

async function create(...answers) {
  server = await llm.startLlmServer(...answers);
  return openai({ baseUrl: server.origin, model: 'm' }, {});
}

const lastMessages = () => server.requests.at(-1).body.messages;
const user = (content) => ({ role: 'user', content });
const assistant = (content) => ({ role: 'assistant', content });

describe('a session', () => {
  test('is told again with every turn, calls and results as well', async () => {
    const model = await create(
      llm.wants(llm.call(0, 'client_a', { n: 1 })),
      llm.says('first'),
      llm.says('second'),
    );
    await runTurn(model, ask('one'));
    await runTurn(model, ask('two'));
    expect(lastMessages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(lastMessages().slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'id-0', content: '{"n":1}' },
      assistant('first'),
      user('two'),
    ]);
  });

  test('knows nothing of another', async () => {
    const model = await create(llm.says('a'), llm.says('b'));
    await runTurn(model, ask('one', { sessionId: 'a' }));
    await runTurn(model, ask('two', { sessionId: 'b' }));
    expect(lastMessages()).toEqual([user('two')]);
  });

  test.each([
    [
      'failed',
      [llm.wants(llm.call(0, 'client_a', {})), llm.status(500, { error: { message: 'x' } })],
    ],
    ['was refused', [llm.events(llm.delta({ content: 'no' }, 'content_filter'))]],
  ])('forgets a turn that %s', async (_, answers) => {
    const model = await create(llm.says('a'), ...answers, llm.says('c'));
    await runTurn(model, ask('one'));
    await runTurn(model, ask('two'));
    await runTurn(model, ask('three'));
    expect(lastMessages()).toEqual([user('one'), assistant('a'), user('three')]);
  });

  test('forgets a turn that was cancelled', async () => {
    const model = await create(llm.wants(llm.call(0, 'client_a', {})), llm.says('b'));
    const controller = new AbortController();
    const turn = model.turn(ask('one'), controller.signal);
    expect(await turn.next()).toMatchObject({ value: { calls: [{}] } });
    controller.abort();
    await turn.return();
    await runTurn(model, ask('two'));
    expect(lastMessages()).toEqual([user('two')]);
  });

  test('keeps a turn that was ended for its rounds', async () => {
    const rounds = Array.from({ length: 50 }, () => llm.wants(llm.call(0, 'client_a', {})));
    const model = await create(...rounds, llm.says('b'));
    await runTurn(model, ask('one'));
    await runTurn(model, ask('two'));
    expect(lastMessages()).toHaveLength(1 + 50 * 2 + 1);
  });
});

describe('the history', () => {
  const long = (length) => [user('x'.repeat(length))];

  test('drops whole turns, the oldest first', () => {
    const history = new Histories().of('s');
    history.keep([user('first'), assistant('y')]);
    history.keep(long(MOST_CHARACTERS / 2));
    expect(history.messages()).toHaveLength(3);
    history.keep(long(MOST_CHARACTERS / 2 - 100));
    expect(history.messages()).toHaveLength(2);
    history.keep([user('last')]);
    expect(history.messages().at(-1)).toEqual(user('last'));
    expect(JSON.stringify(history.messages()).length).toBeLessThan(MOST_CHARACTERS + 10);
  });

  test('keeps the newest turn, however long', () => {
    const history = new Histories().of('s');
    history.keep([user('old')]);
    history.keep(long(MOST_CHARACTERS * 2));
    expect(history.messages()).toHaveLength(1);
    history.keep([user('new')]);
    expect(history.messages()).toEqual([user('new')]);
  });

  test('forgets the session that was not used for longest', () => {
    const histories = new Histories();
    for (let number = 0; number < MOST_SESSIONS; number += 1) {
      histories.of(`${number}`).keep([user('x')]);
    }
    histories.of('0');
    histories.of('one more');
    expect(histories.of('0').messages()).toHaveLength(1);
    expect(histories.of('1').messages()).toHaveLength(0);
  });
});
