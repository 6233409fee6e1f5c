'use strict';
// The chat of the desktop examples, without a desktop: what the page is told, and what it can ask for.

const path = require('node:path');
const { afterEach, beforeEach, describe, expect, test } = require('@jest/globals');
const { AgentChat } = require('../../examples/chat/agent-chat');
const { programs } = require('../../examples/chat/programs');
const { standIn } = require('../../testing');

const STAND_IN = path.join(__dirname, '../../js/stand-in.js');
const AGENT_FILE = path.join(__dirname, '../../examples/chat/agent.yaml');
const ping = { name: 'ping', description: 'Answers.', handle: () => 'pong' };

let chat;
let posted;
/** What is done when a permission is asked for: by the page, with the item that asks. */
let onAsked;

const log = { info: () => undefined, trace: () => undefined, warn: () => undefined };
const kinds = () => chat.items.map(({ kind }) => kind);

/** @param {{ words: string, options: object }[]} candidates */
function open(candidates) {
  posted = [];
  chat = new AgentChat({
    tools: [ping],
    programs: () => candidates,
    cwd: () => __dirname,
    post: (message) => posted.push(structuredClone(message)),
    log,
    onAsked: () => onAsked(chat.items.at(-1)),
  });
}

function openWith(script) {
  open([{ words: 'a script', options: standIn({ script }).options }]);
}

const decide = (optionId) => (item) => chat.receive({ type: 'decide', id: item.id, optionId });

beforeEach(() => {
  onAsked = decide('allow');
});

afterEach(() => chat.dispose());

describe('which program is taken', () => {
  const settings = { command: '', args: [], standIn: STAND_IN, agentFile: AGENT_FILE };

  test('the stand-in, when there is no mm, and it is said', async () => {
    const [mm, other] = programs({ ...settings, env: { PATH: '/nowhere', MM_BIN: undefined } });
    // The variable of this very machine must not count.
    open([{ ...mm, options: { ...mm.options, command: 'mm' } }, other]);
    await chat.receive({ type: 'ready' });
    expect(chat.state).toEqual({ agent: 'the stand-in (mm is not on PATH)', status: 'ready' });
  });

  test('the one of the settings alone, and that it is absent is told', async () => {
    open(programs({ ...settings, command: '/nowhere/mm' }));
    await chat.receive({ type: 'ready' });
    expect(chat.state.status).toBe('failed');
    expect(kinds()).toEqual(['error']);
    expect(chat.items[0].text).toContain('/nowhere/mm');
  });
});

describe('a question', () => {
  test('is drawn with the call, the decision and the answer', async () => {
    open(programs({ command: process.execPath, args: [STAND_IN, '-acp', '-agent', AGENT_FILE] }));
    await chat.prompt('Ping, please.');
    expect(kinds()).toEqual(['question', 'tool', 'permission', 'answer']);
    const [, tool, permission, answer] = chat.items;
    expect(tool).toMatchObject({ title: 'client: ping', status: 'completed', output: 'pong' });
    expect(permission).toMatchObject({ about: 'Answers.', decision: 'allowed' });
    expect(answer.text).toContain('pong');
    expect(chat.state.status).toBe('ready');
  });

  test('is answered piece by piece', async () => {
    openWith([[{ text: 'one two three', chunks: 3, everyMs: 1 }]]);
    await chat.prompt('Count.');
    expect(posted.filter(({ type }) => type === 'append').length).toBeGreaterThan(1);
    expect(chat.items.at(-1)).toMatchObject({ kind: 'answer', text: 'one two three' });
  });

  test('that is stopped says so, and its permission is no longer asked', async () => {
    open(programs({ command: process.execPath, args: [STAND_IN, '-acp', '-agent', AGENT_FILE] }));
    onAsked = () => chat.receive({ type: 'cancel' });
    await chat.prompt('Ping, please.');
    const permission = chat.items.find(({ kind }) => kind === 'permission');
    expect(permission.decision).toBe('no longer asked');
    expect(chat.items.at(-1)).toMatchObject({ kind: 'note', text: 'Stopped.' });
  });

  test('that is stopped while the agent starts is not asked', async () => {
    openWith([['Hello.']]);
    const asked = chat.prompt('Hello?');
    await chat.receive({ type: 'cancel' });
    await asked;
    expect(kinds()).toEqual(['question', 'note']);
  });

  test('that comes while another runs is not asked', async () => {
    openWith([[{ sleep: 60_000 }]]);
    const asked = chat.prompt('Wait.');
    expect(chat.state.status).toBe('running');
    await chat.prompt('And this?');
    expect(kinds()).toEqual(['question']);
    await chat.cancel();
    await asked;
    expect(chat.state.status).toBe('ready');
  });
});

describe('the agent', () => {
  test('that has ended is told once, and the next question starts another', async () => {
    openWith([[{ fault: 'exits', status: 3 }]]);
    await chat.prompt('End.');
    expect(kinds()).toEqual(['question', 'note']);
    expect(chat.items.at(-1).text).toBe('The agent ended by itself (status 3).');
    await chat.prompt('Again.');
    expect(kinds()).toEqual(['question', 'note', 'question', 'note']);
  });

  test('is a new one after `new`, and the page is empty', async () => {
    openWith([['Hello.']]);
    await chat.prompt('Hello?');
    await chat.receive({ type: 'new' });
    expect(posted.findLast(({ type }) => type === 'reset').items).toEqual([]);
    await chat.prompt('Hello?');
    expect(chat.items.at(-1).text).toBe('Hello.');
  });

  test('that is being started ends with the chat, and leaves no error', async () => {
    open([
      {
        words: 'slow',
        options: { command: process.execPath, args: ['-e', 'setInterval(()=>{},1e6)'] },
      },
    ]);
    const ready = chat.receive({ type: 'ready' });
    await chat.dispose();
    await ready;
    expect(chat.items).toEqual([]);
  });
});
