'use strict';

const { describe, expect, test } = require('@jest/globals');
const { agent, codesOf, received, record, useClients } = require('./harness');

const open = useClients();

const KINDS = ['allow_always', 'allow_once', 'reject_once', 'reject_always'];
const options = (...kinds) =>
  kinds.map((kind) => ({ optionId: `id of ${kind}`, name: kind, kind }));
const EXECUTE = { toolCallId: 't1', title: 'rm -rf /', kind: 'execute' };

/** What the agent is answered when it asks; and what the client told. */
async function ask(
  permissions,
  { toolCall = EXECUTE, offered = options(...KINDS), tools, ...script } = {},
) {
  const client = open({ ...agent('asks-permission'), ...(permissions && { permissions }), tools });
  const told = record(client);
  const session = await client.newSession();
  const request = { toolCall, options: offered };
  const { raw } = await session.prompt(JSON.stringify({ request, ...script }));
  const { id, result, error } = JSON.parse(raw.answer);
  expect(id).toBe(7);
  return { outcome: result?.outcome, error, told, client, session };
}

const CANCELLED = { outcome: 'cancelled' };
const selected = (kind) => ({ outcome: 'selected', optionId: `id of ${kind}` });
const host = { name: 'host info', handle: () => 1 };
const hostCall = { toolCallId: 't1', title: 'client: host info', kind: 'other' };

describe('without a policy', () => {
  test('every request is rejected, and permission-unhandled tells it', async () => {
    const { outcome, told } = await ask();
    expect(outcome).toEqual(selected('reject_once'));
    expect(codesOf(told.diagnostic)).toEqual(['permission-unhandled']);
    expect(told.diagnostic[0].message).toContain('rm -rf /');
  });

  test('nothing is ever allowed', async () => {
    for (const offered of [options('allow_once'), options('allow_always', 'reject_always'), []]) {
      expect((await ask(undefined, { offered })).outcome).toEqual(CANCELLED);
    }
  });
});

describe('the policy', () => {
  test('reject-all rejects once, or else cancels', async () => {
    const { outcome, told } = await ask('reject-all');
    expect(outcome).toEqual(selected('reject_once'));
    expect(told.diagnostic).toEqual([]);
    const offered = options('allow_once', 'reject_always');
    expect((await ask('reject-all', { offered })).outcome).toEqual(CANCELLED);
  });

  test('allow-all allows once, or else cancels with a diagnostic: never always', async () => {
    expect((await ask('allow-all')).outcome).toEqual(selected('allow_once'));
    const { outcome, told } = await ask('allow-all', { offered: options('allow_always') });
    expect(outcome).toEqual(CANCELLED);
    expect(codesOf(told.diagnostic)).toEqual(['permission-option-missing']);
  });

  test('client-tools allows the lent tools once, and rejects the rest', async () => {
    const tools = [host];
    const lent = await ask('client-tools', { tools, toolCall: hostCall });
    expect(lent.outcome).toEqual(selected('allow_once'));
    expect((await ask('client-tools', { tools })).outcome).toEqual(selected('reject_once'));
  });

  test.each([
    ['a title with more', { ...hostCall, title: 'client: host info; rm' }],
    ['a title with less', { ...hostCall, title: 'host info' }],
    ['a munged title', { ...hostCall, title: 'client: host_info' }],
    ['another kind', { ...hostCall, kind: 'execute' }],
    ['no kind', { toolCallId: 't1', title: hostCall.title }],
    ['no title', { toolCallId: 't1', kind: 'other' }],
    ['no call', null],
  ])('client-tools takes %s for no lent tool', async (_, toolCall) => {
    const { outcome } = await ask('client-tools', { tools: [host], toolCall });
    expect(outcome).toEqual(selected('reject_once'));
  });

  test('client-tools knows a call from the updates before it', async () => {
    const updates = [{ sessionUpdate: 'tool_call', ...hostCall }];
    const toolCall = { toolCallId: 't1' };
    const { outcome } = await ask('client-tools', { tools: [host], toolCall, updates });
    expect(outcome).toEqual(selected('allow_once'));
  });
});

describe('a handler', () => {
  test.each(KINDS)('that says %s picks the option of that kind', async (kind) => {
    for (const handler of [() => kind, () => Promise.resolve(kind)]) {
      const { outcome, told } = await ask(handler);
      expect(outcome).toEqual(selected(kind));
      expect(told.diagnostic).toEqual([]);
    }
  });

  test('that says cancelled cancels, without a diagnostic', async () => {
    const { outcome, told } = await ask(() => 'cancelled');
    expect(outcome).toEqual(CANCELLED);
    expect(told.diagnostic).toEqual([]);
  });

  test('picks the first option of a kind, and an option by its id, byte for byte', async () => {
    const offered = [
      { optionId: '1', name: 'a', kind: 'allow_once' },
      { optionId: 'α β', name: 'b', kind: 'allow_once' },
      { optionId: 'session', name: 'c', kind: 'allow_for_session' },
    ];
    const first = await ask(() => 'allow_once', { offered });
    expect(first.outcome).toEqual({ outcome: 'selected', optionId: '1' });
    for (const optionId of ['α β', 'session']) {
      const { outcome } = await ask(() => ({ optionId }), { offered });
      expect(outcome).toEqual({ outcome: 'selected', optionId });
    }
  });

  test.each([
    ['a kind that is not offered', () => 'reject_always', options('allow_once', 'reject_once')],
    ['an id that is not offered', () => ({ optionId: 'yes' }), options('allow_once')],
    ['a word that nobody knows', () => 'allow', options(...KINDS)],
    ['nothing', () => undefined, options(...KINDS)],
    ['true', () => true, options(...KINDS)],
    ['an id that is no text', () => ({ optionId: 1 }), options(...KINDS)],
  ])(
    'that gives %s cancels, and permission-option-missing tells it',
    async (_, handler, offered) => {
      const { outcome, told } = await ask(handler, { offered });
      expect(outcome).toEqual(CANCELLED);
      expect(codesOf(told.diagnostic)).toEqual(['permission-option-missing']);
    },
  );

  test('that throws or rejects cancels, and is told', async () => {
    const handlers = [
      () => {
        throw new Error('dialog gone');
      },
      () => Promise.reject(new Error('dialog gone')),
    ];
    for (const handler of handlers) {
      const { outcome, told, session } = await ask(handler);
      expect(outcome).toEqual(CANCELLED);
      expect(told.diagnostic[0].message).toContain('dialog gone');
      expect(session.id).toBe('s1');
    }
  });

  test('is given all that is known', async () => {
    let seen;
    const updates = [
      {
        sessionUpdate: 'tool_call',
        toolCallId: 't1',
        title: 'old',
        status: 'pending',
        rawInput: { a: 1 },
      },
      { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: null, content: [] },
      { sessionUpdate: 'tool_call', toolCallId: 't2', title: 'another' },
    ];
    const handler = (request, { signal }) => {
      seen = { ...request, isAborted: signal.aborted };
      return 'reject_once';
    };
    const toolCall = { ...hostCall, _meta: { x: 1 } };
    const offered = [{ optionId: 'o', name: 'n', kind: 'k', _meta: {} }];
    const { client } = await ask(handler, { tools: [host], toolCall, offered, updates });
    expect(seen).toEqual({
      sessionId: 's1',
      toolCall,
      known: { toolCallId: 't1', title: 'old', status: null, rawInput: { a: 1 }, content: [] },
      options: offered,
      tool: client.tools[0],
      raw: { sessionId: 's1', toolCall, options: offered },
      isAborted: false,
    });
  });

  test('that waits holds up nothing else', async () => {
    const client = open({
      ...agent('calls-tools'),
      tools: [{ name: 'x', method: '_x', handle: () => decide() }],
      permissions: () =>
        new Promise((resolve) => {
          decide = () => resolve('allow_once');
        }),
    });
    let decide;
    const session = await client.newSession();
    const params = { sessionId: 's1', toolCall: EXECUTE, options: options(...KINDS) };
    const calls = [
      { method: 'session/request_permission', params, id: '"p"' },
      { method: '_x', id: '"x"' },
    ];
    const { raw } = await session.prompt(JSON.stringify(calls));
    expect(raw.answers).toHaveLength(2);
    const answer = raw.answers.map((line) => JSON.parse(line)).find(({ id }) => id === 'p');
    expect(answer.result.outcome).toEqual(selected('allow_once'));
  });

  test('whose request the agent withdraws is aborted, and answers once', async () => {
    let signal;
    let decide;
    const { error, client } = await ask(
      (_, context) => {
        ({ signal } = context);
        return new Promise((resolve) => {
          decide = resolve;
        });
      },
      { withdraw: true },
    );
    expect(error.code).toBe(-32800);
    expect(signal.aborted).toBe(true);
    decide('allow_once');
    await new Promise(setImmediate);
    const answers = (await received(client)).filter(({ id, method }) => id === 7 && !method);
    expect(answers).toHaveLength(1);
  });
});
