'use strict';
// What is there at run time is what index.d.ts promises: no member less, none more.

const { afterAll, beforeAll, describe, expect, test } = require('@jest/globals');
const { EventEmitter, once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const implemented = require('../..');
const { asyncDispose, dispose } = require('../../js/dispose');
const { CLASSES, createError } = require('../../js/errors');
const { readAssertions } = require('./assertions');
const { readDeclarations } = require('./declarations');

const { values, shapes, generics } = readDeclarations();

/** What a program gives, and what comes as the agent sent it: this package makes none of them. */
const NOT_MADE = [
  'AuthMethod',
  'AvailableCommand',
  'CallOptions',
  'ConfigOption',
  'MiniMeEvents',
  'MiniMeOptions',
  'SessionInfo',
  'SessionModes',
  'SessionOptions',
  'StandardToolSchema',
  'TerminalExit',
  'TerminalHandlers',
  'TerminalOutput',
  'TokenUsage',
  'ToolCallUpdate',
  'ToolDefinition',
  'UnknownUpdate',
  'Usage',
];
const MADE = [...shapes.keys()].filter((name) => !NOT_MADE.includes(name));

/** Hosts without the keys of disposal have those of js/dispose.js. */
const SYMBOLS = { asyncDispose, dispose };
/** What JavaScript and Node.js bring is theirs. */
const BUILT_IN = [Object.prototype, Error.prototype, EventEmitter.prototype];

/** The names of what can be reached on a value, symbols and `_private` ones apart. */
function reachable(value) {
  const names = new Set();
  for (let at = value; at !== null && !BUILT_IN.includes(at); at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  return [...names].filter((name) => !name.startsWith('_') && !(name in Object.prototype));
}

function has(value, name) {
  const [, symbol] = /^\[Symbol\.(\w+)\]$/.exec(name) ?? [];
  return (symbol === undefined ? name : (SYMBOLS[symbol] ?? Symbol[symbol])) in value;
}

/** One line for each member that is promised and absent, or there and not promised. */
function differences(members, value) {
  const promised = members.map(({ name }) => name);
  const absent = members.filter(({ name, isOptional }) => !isOptional && !has(value, name));
  return [
    ...absent.map(({ name }) => `${name} is promised, and not there`),
    ...reachable(value)
      .filter((name) => !promised.includes(name))
      .map((name) => `${name} is there, and not promised`),
  ];
}

/** At least one of each type of `MADE`, from one client that meets everything. */
const found = new Map();
const find = (name, value) => found.set(name, [...(found.get(name) ?? []), value]);
/** The iterators that a user is given. */
const iterators = {};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-surface-'));

/** A client of the stand-in, which asks for the tools of each session, and for permission. */
function open() {
  const file = path.join(folder, 'agent.yaml');
  fs.writeFileSync(file, 'acp: {clientTools: {discovery: request, permissions: ask}}\n');
  return new implemented.MiniMe({
    command: process.execPath,
    args: [require.resolve('../../js/stand-in'), '-acp', '-agent', file],
    discovery: 'request',
    trace: (message) => find('TraceMessage', message),
    permissions: (request, context) => {
      find('PermissionRequest', request);
      find('HandlerContext', context);
      return 'allow_once';
    },
  });
}

async function findAll() {
  const client = open();
  find('MiniMe', client);
  client.on('toolsRequested', (request) => find('ToolsRequest', request));
  client.on('diagnostic', (diagnostic) => find('Diagnostic', diagnostic));
  client.on('toolCall', (report) => find('ToolCallReport', report));
  client.on('exit', (exit) => find('ExitInfo', exit));
  const isTold = once(client, 'tools');
  // A name that long is told of.
  const tool = { name: `dice_${'x'.repeat(64)}`, description: 'Rolls the dice.' };
  const handle = (_args, context) => {
    find('ToolContext', context);
    return implemented.text('4 and 2');
  };
  find('RegisteredTool', client.addTool({ ...tool, handle }));
  for (const seen of client.modelTools()) find('ModelTool', seen);
  find('AgentInfo', await client.start());
  const session = await client.newSession();
  find('Session', session);
  find('ToolsReport', (await isTold)[0]);
  const turn = session.prompt('Roll the dice, please.');
  find('Turn', turn);
  iterators.turn = turn[Symbol.asyncIterator]();
  iterators.text = turn.textStream()[Symbol.asyncIterator]();
  iterators.updates = session.updates();
  iterators.sessions = client.listSessions();
  find('TurnResult', await turn);
  find('ToolResult', implemented.text('done'));
  find('ToolResult', implemented.failure('no'));
  find('ExitInfo', await client.close());
  for (const code of [...Object.keys(CLASSES), 'MM_ERR_TIMEOUT']) {
    const error = createError(code, 'a test', { rpcCode: 1 });
    find(error.constructor.name, error);
  }
}

beforeAll(findAll);
afterAll(() => fs.rmSync(folder, { recursive: true }));

test('what index.d.ts exports as a value is what the package exports', () => {
  expect(Object.keys(implemented).sort()).toEqual([...values].sort());
});

test('index.d.ts has the types that are sorted here into made and not made', () => {
  expect(NOT_MADE.filter((name) => !shapes.has(name))).toEqual([]);
  expect([...found.keys()].sort()).toEqual([...MADE].sort());
});

describe('each member is promised and there:', () => {
  test.each(MADE)('%s', (name) => {
    const { members } = shapes.get(name);
    expect(members).not.toEqual([]);
    expect(found.get(name).flatMap((value) => differences(members, value))).toEqual([]);
  });

  test.each(MADE.filter((name) => shapes.get(name).isClass))('%s, the class itself', (name) => {
    const own = Object.getOwnPropertyNames(implemented[name]);
    const language = ['length', 'name', 'prototype'];
    expect(own.filter((one) => !language.includes(one))).toEqual(shapes.get(name).statics);
  });

  test.each(['turn', 'text', 'updates', 'sessions'])('the iterator of %s', (name) => {
    const members = ['next', 'return', 'throw', '[Symbol.asyncIterator]'].map((member) => {
      return { name: member, isOptional: member === 'throw' };
    });
    expect(differences(members, iterators[name])).toEqual([]);
  });
});

test.each(Object.entries(CLASSES))('%s is a code that its class promises', (code, Class) => {
  expect(shapes.get(Class.name).codes).toContain(code);
});

test('a class promises no code that is not made', () => {
  const { codes } = shapes.get('MiniMeError');
  const ownOnes = ['MM_ERR_INTERNAL', 'MM_ERR_TIMEOUT', 'MM_ERR_UNREAD'];
  expect([...codes].sort()).toEqual([...Object.keys(CLASSES), ...ownOnes].sort());
});

describe('a type test asserts of each generic:', () => {
  const asserted = readAssertions();

  test('those that were found, the oldest are among them', () => {
    expect(generics).toEqual(expect.arrayContaining(['ToolDefinition', 'MiniMe.request']));
  });

  test.each(generics)('%s', (name) => {
    expect(asserted).toContain(name.split('.').pop());
  });
});
