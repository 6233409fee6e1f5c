'use strict';
// Permissions: who decides, and what becomes of the decision.

const { describe, expect, test } = require('@jest/globals');
const { answersTo, asks, record, useClients } = require('./harness');

const open = useClients();

describe('a permission', () => {
  const ask = (...kinds) => [
    'session/request_permission',
    {
      sessionId: 's1',
      toolCall: { toolCallId: 't', title: 'rm -rf' },
      options: kinds.map((kind, i) => ({ optionId: `${kind} ${i}`, name: kind, kind })),
    },
  ];
  const chosen = ({ result }) => result.outcome.optionId ?? result.outcome.outcome;
  const sets = [
    ask('allow_always', 'allow_once', 'reject_once'),
    ask('allow_always', 'reject_always', 'perhaps'),
    ask('perhaps', 'allow_once', 'allow_once'),
    ask(),
  ];

  test.each([
    ['reject_once', ['reject_once 2', 'cancelled', 'cancelled', 'cancelled']],
    ['allow_once', ['allow_once 1', 'cancelled', 'allow_once 1', 'cancelled']],
    ['allow_always', ['allow_always 0', 'allow_always 0', 'cancelled', 'cancelled']],
  ])(
    '76, 79, 83: that is decided %s is that very kind, or cancelled and told',
    async (word, expected) => {
      const client = open({ ...asks, permissions: () => word });
      const told = record(client);
      expect((await answersTo(client, ...sets)).map(chosen)).toEqual(expected);
      const missed = expected.filter((one) => one === 'cancelled').length;
      expect(told.diagnostic.map(({ code }) => code)).toEqual(
        Array(missed).fill('permission-option-missing'),
      );
    },
  );

  test('77: that nobody decides is never an allow, and is told', async () => {
    const client = open(asks);
    const told = record(client);
    const answers = await answersTo(client, ...sets);
    expect(answers.map(chosen)).toEqual(['reject_once 2', 'cancelled', 'cancelled', 'cancelled']);
    expect(told.diagnostic.map(({ code }) => code)).toContain('permission-unhandled');
  });

  test('80, 82: has its option ids, kinds and all else as the agent sent them', async () => {
    const ids = ['approve_for_session', '1', 'α β\u2028', ''];
    const seen = [];
    const client = open({
      ...asks,
      permissions: (request) => {
        seen.push(request);
        return { optionId: request.options[seen.length - 1]?.optionId ?? 'not offered' };
      },
    });
    const params = {
      sessionId: 's1',
      toolCall: { toolCallId: 't', title: 'client: x', kind: 'other', _meta: { a: 1 } },
      options: ids.map((optionId) => ({ optionId, name: 'n', kind: 'k', _meta: { b: 2 } })),
      _meta: { c: 3 },
    };
    const request = ['session/request_permission', params];
    const answers = await answersTo(client, ...Array(5).fill(request));
    expect(answers.map(chosen)).toEqual([...ids, 'cancelled']);
    const { _meta, ...members } = params;
    expect(seen[0]).toMatchObject(members);
    expect(seen[0].raw).toEqual(params);
  });
});
