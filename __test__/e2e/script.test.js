'use strict';
// What a script of the stand-in says is what a client gets; the kit is used as a user would.

const { afterEach, describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { standIn } = require('mini-me-client/testing');
const { codesOf, failureOf, isAlive, record, useClients } = require('./harness');

const open = useClients();

let agents = [];
afterEach(() => {
  for (const agent of agents) agent[Symbol.dispose]();
  agents = [];
});

/** A stand-in that is disposed of after the test. */
function standInFor(options) {
  const agent = standIn(options);
  agents.push(agent);
  return agent;
}

/** A client of a stand-in that does what the script says, and lends `ping`. */
function start(script, { client: more, ...options } = {}) {
  const agent = standInFor({ script, ...options });
  const client = open({ ...agent.options, ...more });
  client.addTool({
    name: 'ping',
    handle: ({ fail }) => (fail ? Promise.reject(new Error('no')) : 'pong'),
  });
  return { agent, client, told: record(client) };
}

/** The first turn of a session, with its updates. */
async function turnOf(script, options) {
  const started = start(script, options);
  const session = await started.client.newSession();
  const turn = session.prompt('go');
  const updates = [];
  for await (const update of turn) updates.push(update);
  return { ...started, session, updates, result: await turn };
}

const text = (text) => ({ type: 'text', text });

describe('a step', () => {
  test('text says a piece of the message, in chunks when it should', async () => {
    const { updates, result } = await turnOf([['one ', { text: 'abcdef', chunks: 3, everyMs: 1 }]]);
    expect(updates.map(({ content }) => content.text)).toEqual(['one ', 'ab', 'cd', 'ef']);
    expect(result).toMatchObject({ stopReason: 'end_turn', text: 'one abcdef' });
  });

  test('text is cut between characters, and half a character is told as one that is unknown', async () => {
    const { updates } = await turnOf([[{ text: 'é😀😀!', chunks: 2 }, 'half \ud83d']]);
    const texts = updates.map(({ content }) => content.text);
    expect(texts).toEqual(['é😀', '😀!', 'half \ufffd']);
  });

  test('thought, plan and update tell updates', async () => {
    const update = { sessionUpdate: 'of_tomorrow', a: [1] };
    const plan = ['look', { content: 'tell', priority: 'high', status: 'completed' }];
    const { updates } = await turnOf([[{ thought: 'hm' }, { plan }, { update }]]);
    expect(updates).toEqual([
      { sessionUpdate: 'agent_thought_chunk', content: text('hm') },
      {
        sessionUpdate: 'plan',
        entries: [
          { content: 'look', priority: 'medium', status: 'pending' },
          { content: 'tell', priority: 'high', status: 'completed' },
        ],
      },
      update,
    ]);
  });

  test('call and calls call tools, by either name, and results says what the model read', async () => {
    const calls = [{ call: 'client_ping' }, { call: 'ping', arguments: { fail: true } }];
    const { result, told, agent } = await turnOf([
      [{ call: 'ping' }, { results: true }, { calls }, { results: true }, { call: 'other' }],
    ]);
    expect(result.text).toBe('pongpong\n[client tool error: no]');
    expect(told.toolCall.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'error']);
    expect(agent.recorder.calls.map(({ tool, text, isError }) => [tool, text, isError])).toEqual([
      ['client_ping', 'pong', false],
      ['client_ping', 'pong', false],
      ['client_ping', '[client tool error: no]', true],
      ['other', '[no tool is called other]', true],
    ]);
  });

  test('calls of one step run at the same time', async () => {
    const { agent, client } = start([[{ calls: [{ call: 'wait' }, { call: 'wait' }] }]]);
    let entered = 0;
    let release;
    const both = new Promise((resolve) => {
      release = resolve;
    });
    const handle = async () => {
      entered += 1;
      if (entered === 2) release();
      await both;
      return 'both';
    };
    client.addTool({ name: 'wait', handle });
    await (await client.newSession()).prompt('go');
    expect(agent.recorder.calls.map((call) => call.text)).toEqual(['both', 'both']);
  });

  test('sleep waits, and a cancelled turn does not wait for it', async () => {
    const { client } = start([[{ text: 'a' }, { sleep: 1e9 }, { text: 'b' }], ['c']]);
    const session = await client.newSession();
    const turn = session.prompt('go');
    for await (const _ of turn) void session.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled', text: 'a' });
    expect((await session.prompt('go')).text).toBe('c');
  });

  test('stop ends the turn with its reason, error with an error', async () => {
    const error = { code: -32000, message: 'log in first', data: { url: 'x' } };
    const { client } = start([
      [{ stop: 'refusal' }, 'never'],
      [{ error }, 'never'],
      [{ error: { message: 'm' } }],
    ]);
    const session = await client.newSession();
    expect(await session.prompt('go')).toMatchObject({ stopReason: 'refusal', text: '' });
    expect(await failureOf(session.prompt('go'))).toMatchObject({
      rpcCode: -32000,
      rpcData: { url: 'x' },
    });
    expect(await failureOf(session.prompt('go'))).toMatchObject({ rpcCode: -32603 });
  });

  test('line and write put what they say on stdout, stderr on stderr', async () => {
    const line = { jsonrpc: '2.0', method: '_x/told', params: { a: 1 } };
    const { client, told } = start([
      [{ line }, { write: 'half ' }, { line: 'noise' }, { stderr: 'hello' }],
    ]);
    const heard = new Promise((resolve) => client.onNotification('_x/told', resolve));
    await (await client.newSession()).prompt('go');
    expect(await heard).toEqual({ a: 1 });
    expect(told.diagnostic).toMatchObject([
      { code: 'stdout-noise', details: { line: 'half noise' } },
    ]);
    await client.close();
    expect(told.stderr).toContain('hello');
  });
});

describe('a fault', () => {
  test('never-answers leaves a turn open, whatever is said to it', async () => {
    const { client } = start([[{ fault: 'never-answers' }]], { client: { closeTimeoutMs: 50 } });
    const session = await client.newSession();
    const turn = session.prompt('go');
    await session.cancel({ timeoutMs: 400 });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    // The session stays busy until the agent has answered, which it never does.
    expect(await failureOf(session.prompt('again', { timeoutMs: 50 }))).toMatchObject({
      code: 'MM_ERR_TIMEOUT',
    });
  });

  test('dies-mid-line ends the agent within a message', async () => {
    const { client, told } = start([['a', { fault: 'dies-mid-line', status: 7 }]]);
    const session = await client.newSession();
    const failure = await failureOf(session.prompt('go'));
    expect(failure).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: 7 });
    expect(codesOf(told.diagnostic)).toEqual(['stdout-noise']);
  });

  test('exits ends the agent with its status', async () => {
    const { client } = start([[{ fault: 'exits' }]]);
    const session = await client.newSession();
    expect(await failureOf(session.prompt('go'))).toMatchObject({ exitCode: 1 });
  });

  test('floods writes that many updates', async () => {
    const { client } = start([[{ fault: 'floods', updates: 20_000, text: 'x' }]]);
    const session = await client.newSession();
    const { text } = await session.prompt('go');
    expect(text).toBe('x'.repeat(20_000));
  });

  test('splits-utf8 cuts characters, and nothing is lost', async () => {
    const { result } = await turnOf([[{ fault: 'splits-utf8', text: 'é 漢字 😀.' }]]);
    expect(result.text).toBe('é 漢字 😀.');
  });

  test('ignores-end keeps the agent when its input ends, so that it has to be told', async () => {
    const { client } = start([[{ fault: 'ignores-end' }]], { client: { closeTimeoutMs: 50 } });
    await (await client.newSession()).prompt('go');
    const { pid } = client;
    expect(await client.close()).toMatchObject({ signal: 'SIGTERM' });
    expect(isAlive(pid)).toBe(false);
  });

  test('answers-twice is told by a diagnostic, and costs nothing', async () => {
    const { client, told } = start([[{ fault: 'answers-twice' }, 'a'], ['b']]);
    const session = await client.newSession();
    expect((await session.prompt('go')).text).toBe('a');
    expect((await session.prompt('go')).text).toBe('b');
    expect(codesOf(told.diagnostic)).toEqual(['message-invalid']);
  });
});

describe('before', () => {
  test('a request is refused, or the agent ends, as the script says', async () => {
    const error = { code: -32000, message: 'log in first' };
    const refusing = start({ before: { 'session/new': [{ error }] } });
    expect(await failureOf(refusing.client.newSession())).toMatchObject({ rpcCode: -32000 });
    const exiting = start({
      before: { initialize: [{ stderr: 'no license' }, { fault: 'exits', status: 3 }] },
    });
    const failure = await failureOf(exiting.client.start());
    expect(failure).toMatchObject({ code: 'MM_ERR_EXITED', exitCode: 3 });
    expect(failure.stderr).toContain('no license');
  });

  test('a request that is never answered runs into the limit', async () => {
    const before = { initialize: [{ fault: 'never-answers' }] };
    const { client } = start({ before }, { client: { startTimeoutMs: 500 } });
    expect(await failureOf(client.start())).toMatchObject({ code: 'MM_ERR_START_TIMEOUT' });
  });

  test('what is late is late, and nothing else', async () => {
    const { client } = start({ before: { 'session/new': [{ sleep: 30 }] }, prompts: [['a']] });
    const session = await client.newSession();
    expect((await session.prompt('go')).text).toBe('a');
  });
});

describe('a script', () => {
  test('has a list of prompts for each session, and says so when it is at its end', async () => {
    const { client } = start([['a'], ['b']]);
    const [one, two] = [await client.newSession(), await client.newSession()];
    expect((await one.prompt('go')).text).toBe('a');
    expect((await two.prompt('go')).text).toBe('a');
    expect((await one.prompt('go')).text).toBe('b');
    const failure = await failureOf(one.prompt('go'));
    expect(failure.message).toContain('the script has 2 prompts for a session, this is number 3');
  });

  test('begins anew with repeat', async () => {
    const { client } = start({ prompts: [['a'], ['b']], repeat: true });
    const session = await client.newSession();
    for (const said of ['a', 'b', 'a']) expect((await session.prompt('go')).text).toBe(said);
  });

  /** A script of that source, in a file. */
  function fileOf(name, source) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-script-'));
    agents.push({ [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true }) });
    const file = path.join(folder, name);
    fs.writeFileSync(file, source);
    return file;
  }

  test.each([
    ['script.cjs', 'module.exports = async function* ({ question, tools }) {'],
    ['script.mjs', 'export default async function* ({ question, tools }) {'],
  ])('of a module (%s) may decide by what it is asked', async (name, head) => {
    const source = `${head}
      yield \`\${question}: \`;
      const [{ text }] = yield { call: tools[0].name };
      yield text;
    }`;
    const { client, agent } = start(fileOf(name, source));
    const session = await client.newSession();
    for (const asked of ['one', 'two']) {
      expect((await session.prompt(asked)).text).toBe(`${asked}: pong`);
    }
    expect(agent.recorder.calls).toHaveLength(2);
  });

  test.each([
    ['script.json', '{', /expected to read the script .*script\.json/],
    ['script.json', '7', /expected an object with prompts, or an array of them; got 7/],
    ['script.json', '{"prompt":[]}', /expected members among prompts.*got prompt/],
    ['script.json', '[[{"sing":"a"}]]', /prompts\[0\]\[0\]: expected a step with one of text/],
    ['script.json', '[[{"text":7}]]', /prompts\[0\]\[0\]: expected text to be a text; got 7/],
    ['script.json', '[[{"text":"a","loud":1}]]', /expected no loud beside text/],
    ['script.json', '[[{"fault":"sneezes"}]]', /expected fault to be one of never-answers/],
    ['script.json', '{"before":{"initialize":{}}}', /before\["initialize"\]: expected an array/],
    ['script.json', '[[{"call":"dice","arguments":[1]}]]', /prompts\[0\]\[0\]: expected arguments/],
    ['script.mjs', 'syntax error', /expected to load the script .*script\.mjs/],
  ])('%s that is wrong (%s) is told before anything runs', async (name, source, message) => {
    const { client } = start(fileOf(name, source));
    const failure = await failureOf(client.start());
    expect(failure.code).toBe('MM_ERR_EXITED');
    expect(failure.stderr).toMatch(message);
  });

  test('whose function fails or gives a bad step fails its turn', async () => {
    const source = `export default { prompts: [
      () => { throw new Error('broken'); },
      () => [{ sing: 'a' }],
      () => 7,
    ] }`;
    const { client } = start(fileOf('script.mjs', source));
    const session = await client.newSession();
    for (const words of ['broken', 'expected a step with one of', 'expected steps, got 7']) {
      expect((await failureOf(session.prompt('go'))).message).toContain(words);
    }
  });
});
