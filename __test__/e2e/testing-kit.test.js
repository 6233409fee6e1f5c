'use strict';

const { describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const path = require('node:path');
const { standIn } = require('mini-me-client/testing');
const { useClients } = require('./harness');

const open = useClients();

const ping = { name: 'ping', description: 'Answers.', handle: () => 'pong' };

describe('standIn()', () => {
  test('gives the options of a client; without a script the words of the question decide', async () => {
    const agent = standIn();
    const client = open({ ...agent.options, tools: [ping] });
    expect((await (await client.newSession()).prompt('ping')).text).toContain('pong');
    expect(agent.recorder.calls).toEqual([
      {
        sessionId: expect.any(String),
        tool: 'client_ping',
        arguments: {},
        text: 'pong',
        isError: false,
      },
    ]);
    agent[Symbol.dispose]();
  });

  test.each(['meta', 'request'])(
    'takes the list by discovery %s, and records it',
    async (discovery) => {
      const agent = standIn({ discovery });
      const client = open({ ...agent.options, tools: [ping] });
      const { id } = await client.newSession();
      const tool = { name: 'client_ping', description: 'Answers.' };
      expect(agent.recorder.tools).toMatchObject([tool]);
      expect(agent.recorder.lists).toMatchObject([
        { discovery, sessionId: discovery === 'meta' ? null : id, tools: [tool], skipped: [] },
      ]);
      agent[Symbol.dispose]();
    },
  );

  test('records what was skipped, and lists that are none', async () => {
    const agent = standIn();
    const meta = { 'org.mini-me/tools': [{ name: 'bad', method: 'x' }] };
    const client = open({ ...agent.options, capabilities: { _meta: meta } });
    await client.start();
    expect(agent.recorder.skipped).toMatchObject([{ index: 0, name: 'bad' }]);
    expect(agent.recorder.tools).toEqual([]);
    const mixed = open({ ...agent.options, discovery: 'request' });
    await mixed.start();
    expect(agent.recorder.refusals).toEqual([
      { sessionId: null, reason: expect.stringContaining('acp.clientTools.discovery: request') },
    ]);
    agent[Symbol.dispose]();
  });

  test('asks for permission when it should, and records the answer', async () => {
    for (const settings of [{ permissions: 'ask' }, { yolo: false }]) {
      const agent = standIn({ ...settings, script: [[{ call: 'ping' }], [{ call: 'ping' }]] });
      let decision = 'allow_once';
      const permissions = () => decision;
      const client = open({ ...agent.options, tools: [ping], permissions });
      const session = await client.newSession();
      await session.prompt('go');
      decision = 'reject_once';
      await session.prompt('go');
      const outcomes = agent.recorder.permissions.map(({ outcome }) => outcome.optionId);
      expect(outcomes).toEqual(['allow', 'reject']);
      expect(agent.recorder.calls[1].text).toBe('[client_ping rejected by user]');
      agent[Symbol.dispose]();
    }
  });

  test('holds timeoutMs, maxOutput and enabled', async () => {
    const slow = { name: 'slow', handle: () => new Promise(() => undefined) };
    const long = { name: 'long', handle: () => 'x'.repeat(1000) };
    const script = [[{ calls: [{ call: 'slow' }, { call: 'long' }] }]];
    const agent = standIn({ script, timeoutMs: 50, maxOutput: 60 });
    const client = open({ ...agent.options, tools: [slow, long] });
    await (await client.newSession()).prompt('go');
    const texts = Object.fromEntries(agent.recorder.calls.map(({ tool, text }) => [tool, text]));
    expect(texts.client_long).toContain('characters cut');
    // The wrapped error is cut as well.
    expect(texts.client_slow).toContain('[client tool error');
    agent[Symbol.dispose]();
    const off = standIn({ enabled: false });
    const none = open({ ...off.options, tools: [ping] });
    await none.start();
    expect(off.recorder.lists).toEqual([]);
    off[Symbol.dispose]();
  });

  test('records every line as the client sees it', async () => {
    const agent = standIn({ script: [['a']] });
    const traced = [];
    const client = open({
      ...agent.options,
      trace: ({ direction, line }) => traced.push({ direction, line }),
    });
    await (await client.newSession()).prompt('go');
    const of = (lines, wanted) => lines.filter(({ direction }) => direction === wanted);
    for (const direction of ['in', 'out']) {
      expect(of(agent.recorder.lines, direction)).toEqual(of(traced, direction));
    }
    agent.recorder.clear();
    expect(agent.recorder.lines).toEqual([]);
    agent[Symbol.dispose]();
  });

  test('leaves nothing in the temporary folder once it is disposed of', () => {
    const agent = standIn({ script: [['a']] });
    const folder = path.dirname(agent.options.args.at(-1));
    expect(fs.readdirSync(folder).sort()).toEqual(['agent.yaml', 'script.json']);
    agent[Symbol.dispose]();
    agent[Symbol.dispose]();
    expect(fs.existsSync(folder)).toBe(false);
    expect(agent.recorder.calls).toEqual([]);
  });

  test.each([
    [{ script: 7 }, /expected script to be a script/],
    [{ script: [() => ['a']] }, /expected a script of plain data; script\[0\].*got a function/],
    [{ script: [['a', 1n]] }, /expected a script of plain data; script\[0\]\[1\].*got a BigInt/],
    [{ script: [[{ sing: 'a' }]] }, /standIn options: script: prompts\[0\]\[0\]: expected a step/],
    [{ script: { prompt: [] } }, /script: expected members among prompts, .*; got prompt/],
    [{ discovery: 'none' }, /expected discovery to be "meta" or "request"/],
    [{ yolo: 1 }, /expected yolo to be true or false/],
    [{ timeoutMs: 0 }, /expected timeoutMs to be a whole number of ms/],
    [{ color: 'red' }, /got color/],
  ])('refuses %j: MM_ERR_OPTION', (options, message) => {
    expect(() => standIn(options)).toThrow(expect.objectContaining({ code: 'MM_ERR_OPTION' }));
    expect(() => standIn(options)).toThrow(message);
  });
});
