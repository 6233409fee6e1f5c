'use strict';
// An agent that misbehaves at random, by the seed of its argument: it drops, repeats, reorders, lies
// about ids and types, asks for everything, floods, is silent, makes noise, and dies.

const fs = require('node:fs');
const { Random } = require('../random');

const random = new Random(Number(process.argv[2]));
const CAPABILITIES = {
  loadSession: true,
  sessionCapabilities: { close: {}, delete: {}, list: {}, resume: {} },
  auth: { logout: {} },
};
const SESSIONS = ['s0', 's1', 's2', 's3', 'é', '__proto__'];
/** What stands where something else should. */
const ODD = [null, true, 7, -1.5, '', 'x', [], {}, [null], { a: { b: [] } }, '\u2028', '😀'];

const open = [];
let last = '{}';
let nextId = 1;
let acts = 0;

const write = (text) => process.stdout.write(text);
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const send = (message) => {
  last = line(message);
  write(last);
};
const odd = () => random.pick(ODD);
const session = () => (random.oneIn(15) ? odd() : random.pick(SESSIONS));
/** `plain`, or with one of its members turned into something else. */
const bent = (plain) => {
  if (!random.oneIn(8)) return plain;
  const members = Object.keys(plain);
  return { ...plain, [random.pick(members) ?? 'x']: odd() };
};
const text = () => random.pick(['a', 'é😀', '\u2028', 'x'.repeat(random.below(3000)), '\ud83d']);
const chunk = () => ({
  sessionUpdate: random.pick(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk']),
  content: bent({ type: 'text', text: text() }),
});

const RESULTS = {
  initialize: () => ({
    protocolVersion: random.oneIn(40) ? odd() : 1,
    agentCapabilities: random.oneIn(20) ? odd() : CAPABILITIES,
    authMethods: random.oneIn(20) ? odd() : [],
  }),
  'session/new': () => bent({ sessionId: session(), modes: modes(), configOptions: configs() }),
  'session/load': () => bent({ modes: modes() }),
  'session/resume': () => bent({ configOptions: configs() }),
  'session/prompt': () =>
    bent({ stopReason: random.pick(['end_turn', 'cancelled', 'refusal', 'x']) }),
  'session/list': () =>
    bent({
      sessions: SESSIONS.map((sessionId) => bent({ sessionId, cwd: '/' })),
      nextCursor: random.oneIn(3) ? `c${random.below(3)}` : null,
    }),
};

function modes() {
  return bent({ currentModeId: 'a', availableModes: [bent({ id: 'a', name: 'A' })] });
}

function configs() {
  return [bent({ id: 'c', name: 'C', type: 'select', currentValue: 'v', options: [] })];
}

function answer({ id, method }) {
  const result = (RESULTS[method] ?? (() => random.pick([{}, null, odd()])))();
  // Without an answer to this one there is no chaos to speak of.
  switch (method === 'initialize' && !random.oneIn(15) ? 11 : random.below(12)) {
    case 0:
      return send({
        id,
        error: { code: -32000 - random.below(900), message: text(), data: odd() },
      });
    case 1:
      return send({ id, error: odd() });
    case 2:
      return send({
        id,
        ...random.pick([{}, { result, error: null }, { result, error: { code: 'x' } }]),
      });
    default:
      return send({ id, result });
  }
}

const UPDATES = [
  chunk,
  chunk,
  () =>
    bent({
      sessionUpdate: 'tool_call',
      toolCallId: toolCallId(),
      title: text(),
      status: 'pending',
    }),
  () => bent({ sessionUpdate: 'tool_call_update', toolCallId: toolCallId(), status: 'completed' }),
  () => bent({ sessionUpdate: 'plan', entries: [bent({ content: 'x' })] }),
  () =>
    bent({ sessionUpdate: 'available_commands_update', availableCommands: [bent({ name: 'c' })] }),
  () => bent({ sessionUpdate: 'current_mode_update', currentModeId: 'b' }),
  () => bent({ sessionUpdate: 'config_option_update', configOptions: configs() }),
  () => bent({ sessionUpdate: 'session_info_update', title: text() }),
  () => bent({ sessionUpdate: 'usage_update', used: 1, size: 2 }),
  () => bent({ sessionUpdate: odd() }),
  odd,
];

function toolCallId() {
  return random.pick(['t1', 't2', '__proto__', odd()]);
}

const update = () =>
  send({
    method: 'session/update',
    params: bent({ sessionId: session(), update: random.pick(UPDATES)() }),
  });

/** The ids are often in use, on this side or on the other. */
function ask(method, params) {
  nextId += 1;
  const id = random.pick([
    nextId,
    nextId,
    nextId,
    random.below(10),
    `${random.below(10)}`,
    1.5,
    odd(),
  ]);
  send({ id, method, params: random.oneIn(10) ? odd() : params });
}

const meta = () => ({ _meta: { 'org.mini-me/sessionId': session() } });
const QUESTIONS = [
  () => ask('_chaos/any', { a: odd(), ...meta() }),
  () => ask('_chaos/any', { a: text() }),
  () => ask('_chaos/strict', { n: random.oneIn(2) ? 1 : odd(), ...meta() }),
  () => ask('_chaos/slow', meta()),
  () => ask('_mini-me/client_tools/list', bent({ sessionId: session(), cwd: '/' })),
  () => ask('_nobody/knows', odd()),
  () =>
    ask('session/request_permission', {
      sessionId: session(),
      toolCall: bent({ toolCallId: toolCallId(), title: text() }),
      options: random.oneIn(9) ? odd() : [bent({ optionId: 'y', name: 'Y', kind: 'allow_once' })],
    }),
  () => ask('fs/read_text_file', bent({ sessionId: session(), path: '/x' })),
  () => ask('fs/write_text_file', bent({ sessionId: session(), path: '/x', content: text() })),
  () =>
    ask(
      'terminal/create',
      bent({ sessionId: session(), command: random.pick(['true', 'no-such', 'echo x']) }),
    ),
  () =>
    ask(`terminal/${random.pick(['output', 'wait_for_exit', 'kill', 'release'])}`, {
      sessionId: session(),
      terminalId: random.pick(['1', 'term_1', odd()]),
    }),
  () => ask('elicitation/create', bent({ sessionId: session(), mode: 'form', message: 'x' })),
];

const FRAGMENTS = [
  'hello\n',
  '\r\n',
  '{"half": \n',
  '[]\n',
  '{"id":7,"method":7}\n',
  '{}\n',
  'null\n',
];

function act() {
  switch (random.below(24)) {
    case 0:
      return write(last.repeat(1 + random.below(3)));
    case 1:
      return write(random.pick(FRAGMENTS));
    case 2:
      return send({ id: random.pick([1, 2, 99_999, odd()]), result: odd() });
    case 3:
      return send({
        method: random.pick(['x', '$/cancel_request', 'elicitation/complete']),
        params: odd(),
      });
    case 4:
    case 5:
      return send({ method: '$/cancel_request', params: { requestId: nextId - random.below(5) } });
    case 6:
      return process.stderr.write(random.pick(['oh\n', '[acp] client tools: x\n', 'no end']));
    case 7:
      return random.oneIn(8) ? flood() : undefined;
    case 8:
      return random.oneIn(15) ? die() : undefined;
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
      return random.pick(QUESTIONS)();
    default:
      return update();
  }
}

function flood() {
  const one = line({ method: 'session/update', params: { sessionId: session(), update: chunk() } });
  for (let count = random.below(2000); count > 0; count -= 1) write(one);
}

function die() {
  switch (random.below(5)) {
    case 0:
      return process.exit(random.below(3));
    case 1:
      return process.kill(process.pid, 'SIGKILL');
    case 2:
      return fs.closeSync(1);
    case 3:
      write(last.slice(0, last.length / 2));
      return process.exit(1);
    default:
      return process.stdin.pause();
  }
}

function tick() {
  for (let count = random.below(4); count > 0; count -= 1) {
    if (open.length > 0) answer(open.splice(random.below(open.length), 1)[0]);
  }
  for (let count = random.below(6); count > 0 && acts < 400; count -= 1) {
    acts += 1;
    act();
  }
  setTimeout(tick, random.below(5));
}

const ignoresEnd = random.oneIn(6);
process.stdout.on('error', () => process.exit(1));
process.stdin.setEncoding('utf8').on('end', () => ignoresEnd || process.exit(0));
let rest = '';
process.stdin.on('data', (data) => {
  const lines = (rest + data).split('\n');
  rest = lines.pop();
  for (const text of lines) {
    const message = JSON.parse(text);
    // Some are never answered; what opens things is.
    const isLost = message.method !== 'initialize' && random.oneIn(10);
    if (message.method !== undefined && message.id !== undefined && !isLost) open.push(message);
  }
});
tick();
