'use strict';
// The demo as a person runs it: a process of its own, and what it prints. Order is asserted among the
// lines of stdout; `[acp]` lines come over stderr.

const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { afterEach, beforeEach, expect, test } = require('@jest/globals');

const ROOT = path.join(__dirname, '../..');
const CLIENT = path.join(ROOT, 'examples/host-info/client.js');
const STAND_IN = path.join(ROOT, 'js/stand-in.js');
const SESSION = String.raw`\d{8}-\d{6}-[0-9a-f]{8}`;

/** A folder of its own for each test; nothing in it is on PATH but what the test puts there. */
let folder;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-demo-'));
});

afterEach(() => {
  fs.rmSync(folder, { recursive: true });
});

/** Runs the demo with a PATH that holds no mm, and gives what it printed and its exit status. */
function demo(args, env = {}) {
  const { MM_BIN: _bin, MM_ARGS: _args, ...inherited } = process.env;
  const child = spawn(process.execPath, [CLIENT, ...args], {
    cwd: folder,
    env: { ...inherited, PATH: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ ...output, status, signal }));
  });
}

/** The environment in which the demo takes the stand-in, with this agent file, for mm. */
function asMm(yaml) {
  const agentFile = path.join(folder, 'agent.yaml');
  fs.writeFileSync(agentFile, yaml);
  return { MM_BIN: process.execPath, MM_ARGS: `${STAND_IN} -acp -agent ${agentFile}` };
}

/** Expects each pattern to match a line, each after the one before. */
function expectInOrder(stdout, patterns) {
  const lines = stdout.split('\n');
  let from = 0;
  for (const pattern of patterns) {
    const at = lines.findIndex((line, index) => index >= from && pattern.test(line));
    if (at < 0) throw new Error(`expected ${pattern} after line ${from}, got:\n${stdout}`);
    from = at + 1;
  }
}

const call = (topic) =>
  new RegExp(`^\\[client\\] host_info \\{"topic":"${topic}"\\} \\(session ${SESSION}\\)$`);
const CALLED = /^🛠️ {2}client: host_info$/;
const RESULT = /^ {3}│ \S/;

test('the default question leads to two calls and an answer that holds both results', async () => {
  const { stdout, stderr, status } = await demo([]);
  expect(stderr).toContain('[acp] client tools (meta): client_host_info\n');
  expectInOrder(stdout, [
    new RegExp(`^\\[client\\] discovery: meta, session ${SESSION}$`),
    /^❓ What operating system does my machine run, and how much memory does it have\?$/,
    /^$/,
    CALLED,
    CALLED,
    call('os'),
    call('memory'),
    RESULT,
    RESULT,
    /^$/,
    /^\[end_turn\]$/,
  ]);
  const results = [...stdout.matchAll(/^ {3}│ (.+)$/gm)].map(([, result]) => result);
  expect(results).toHaveLength(2);
  const answer = stdout.slice(stdout.lastIndexOf('   │ ')).split('\n').slice(1).join('\n');
  for (const result of results) expect(answer).toContain(result);
  expect(stdout.endsWith('\n\n[end_turn]\n')).toBe(true);
  expect(status).toBe(0);
});

test('--request lets the agent ask for the list while it opens the session', async () => {
  const question = 'Which CPU does my machine have, and since when is it up?';
  const { stdout, stderr, status } = await demo(['--request', question]);
  expect(stderr).toMatch(
    new RegExp(`^\\[acp\\] session ${SESSION} client tools \\(request\\): client_host_info$`, 'm'),
  );
  expectInOrder(stdout, [
    new RegExp(`^\\[client\\] list requested for session ${SESSION}$`),
    new RegExp(`^\\[client\\] discovery: request, session ${SESSION}$`),
    CALLED,
    CALLED,
    call('(cpu|uptime)'),
    call('(cpu|uptime)'),
    /^\[end_turn\]$/,
  ]);
  for (const topic of ['cpu', 'uptime']) expect(stdout).toMatch(new RegExp(`"topic":"${topic}"`));
  expect(status).toBe(0);
});

test('a question of your own is asked, and calls what it needs', async () => {
  const { stdout, status } = await demo(['How much memory is free on my machine?']);
  expectInOrder(stdout, [/^❓ How much memory is free on my machine\?$/, call('memory'), RESULT]);
  expect(stdout.match(/🛠️/gu)).toHaveLength(1);
  expect(status).toBe(0);
});

test('with yolo: false each call is allowed before it is made', async () => {
  const { stdout, status } = await demo(['memory?'], asMm('yolo: false\n'));
  expectInOrder(stdout, [
    CALLED,
    /^\[client\] permission for "client: host_info": allowed$/,
    call('memory'),
    /^\[end_turn\]$/,
  ]);
  expect(status).toBe(0);
});

test('modes that are mixed up are told by both sides, and the turn ends without a call', async () => {
  const { stdout, stderr, status } = await demo(['--request', 'memory?'], asMm(''));
  expect(stderr).toContain('[acp] client tools: "org.mini-me/tools" is not a list of tools; ');
  expect(stderr).toMatch(/^\[client\] .*discovery/m);
  expect(stdout).not.toContain('🛠️');
  expect(stdout).toContain('[end_turn]');
  expect(status).toBe(0);
});

test('modes that are mixed up the other way are told, and healed by giving the list', async () => {
  const yaml = 'acp:\n  clientTools:\n    discovery: request\n';
  const { stdout, stderr, status } = await demo(['memory?'], asMm(yaml));
  expect(stderr).toMatch(/^\[client\] mm asked for the list of tools.*set discovery/m);
  expectInOrder(stdout, [/^\[client\] list requested/, CALLED, call('memory'), /^\[end_turn\]$/]);
  expect(status).toBe(0);
});

test('it says on stderr which agent it took', async () => {
  expect((await demo(['hi'])).stderr).toContain('[client] agent: the stand-in for mm');
  const named = await demo(['hi'], asMm(''));
  expect(named.stderr).toContain(`[client] agent: ${process.execPath} (MM_BIN)\n`);
});

test('an MM_BIN that does not exist is one clear error with its name, PATH and what to set', async () => {
  const { stdout, stderr, status } = await demo([], { MM_BIN: 'no-such-mm' });
  expect(stdout).toBe('');
  expect(stderr).toContain('no-such-mm');
  expect(stderr).toContain(folder);
  expect(stderr).toContain('set MM_BIN');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(status).toBe(1);
});

test('an agent that ends at once is an error, not a stack', async () => {
  const { stderr, status } = await demo([], asMm('maxOutput: none\n'));
  expect(stderr).toContain('agent.yaml:1: maxOutput: expected an integer above 0, got "none"');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(status).toBe(1);
});

test('an unknown topic is an error for the model that names the four', async () => {
  const agent = path.join(folder, 'agent.js');
  fs.writeFileSync(agent, `(${asksForDisk})();`);
  const { stdout, status } = await demo([], { MM_BIN: process.execPath, MM_ARGS: agent });
  const [line] = stdout.split('\n').filter((text) => text.startsWith('{'));
  const result = JSON.parse(line);
  expect(result.isError).toBe(true);
  for (const topic of ['os', 'cpu', 'memory', 'uptime']) {
    expect(result.content[0].text).toContain(topic);
  }
  expect(status).toBe(0);
});

/** An agent, run from its text: it asks for a topic there is not, and says what it was answered. */
function asksForDisk() {
  const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const update = (text) => ({
    sessionId: 's',
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  });
  let prompt;
  const take = ({ id, method, result }) => {
    if (method === 'initialize') say({ id, result: { protocolVersion: 1 } });
    if (method === 'session/new') say({ id, result: { sessionId: 's' } });
    if (method === 'session/prompt') {
      prompt = id;
      say({ id: 'call', method: '_demo.minime/host_info', params: { topic: 'disk' } });
    }
    if (id === 'call') {
      say({ method: 'session/update', params: update(JSON.stringify(result)) });
      say({ id: prompt, result: { stopReason: 'end_turn' } });
    }
  };
  require('node:readline')
    .createInterface({ input: process.stdin })
    .on('line', (line) => take(JSON.parse(line)));
}

test('no process is left', async () => {
  const { MM_ARGS, MM_BIN } = asMm('');
  await demo(['memory?'], { MM_ARGS, MM_BIN });
  const running = commandLines();
  expect(running).toContain('jest');
  expect(running).not.toContain(path.basename(folder));
});

/** The command lines of all processes. */
function commandLines() {
  const [command, args] =
    process.platform === 'win32'
      ? ['powershell', ['-NoProfile', '-Command', '(Get-CimInstance Win32_Process).CommandLine']]
      : ['ps', ['-A', '-o', 'args=', '-ww']];
  return execFileSync(command, args, { encoding: 'utf8' });
}
