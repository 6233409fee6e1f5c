'use strict';
// The stand-in for mm as a command: its command line, its streams and its exit status.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { expect, test } = require('@jest/globals');

const STAND_IN = path.join(__dirname, '../../js/stand-in.js');
const INITIALIZE = { id: 0, method: 'initialize', params: { protocolVersion: 1 } };

/** Runs the command, writes `input` and ends it, and gives what came and the exit status. */
function standIn(args, input = '', env = process.env) {
  const child = spawn(process.execPath, [STAND_IN, ...args], { env });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  }
  // A command that ends without reading leaves a broken pipe behind.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ ...output, status }));
  });
}

const messages = (text) => text.split('\n').filter(Boolean).map(JSON.parse);

test('without -acp it prints how it is used and ends with status 2', async () => {
  const { stdout, stderr, status } = await standIn([]);
  expect(stdout).toBe('');
  expect(stderr).toContain('expected -acp');
  expect(stderr).toContain('usage: mm-stand-in -acp [-agent FILE]');
  expect(status).toBe(2);
});

test('--help prints how it is used on stdout', async () => {
  const { stdout, status } = await standIn(['--help']);
  expect(stdout).toContain('usage: mm-stand-in -acp [-agent FILE]');
  expect(status).toBe(0);
});

test('it answers a last line without line feed, says what it is, and ends with its input', async () => {
  const { stdout, stderr, status } = await standIn(['-acp'], JSON.stringify(INITIALIZE));
  expect(messages(stdout)).toMatchObject([
    { id: 0, result: { protocolVersion: 1, agentInfo: { name: 'mini-me-stand-in' } } },
  ]);
  expect(stderr).toContain('a set of rules, not a language model');
  expect(status).toBe(0);
});

test('the settings of the agent file hold', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-stand-in-'));
  const file = path.join(folder, 'agent.yaml');
  fs.writeFileSync(file, 'acp: {clientTools: {discovery: request, timeout: 50ms}}\n');
  const params = {
    protocolVersion: 1,
    clientCapabilities: { _meta: { 'org.mini-me/tools': true } },
  };
  const opening = { id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } };
  const lines = [{ ...INITIALIZE, params }, opening];
  const child = spawn(process.execPath, [STAND_IN, '-acp', '-agent', file]);
  let text = '';
  const opened = new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (text.includes('"id":1,"result"')) resolve();
    });
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  child.stdin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await opened;
  child.stdin.end();
  expect(await closed).toBe(0);
  fs.rmSync(folder, { recursive: true });
  expect(messages(text).map(({ id, method }) => method ?? id)).toEqual([
    0,
    '_org.mini-me/tools/list',
    '$/cancel_request',
    1,
  ]);
});

test.each([
  ['yolo: perhaps\n', ':1: yolo: expected true or false, got "perhaps"'],
  ['acp:\n  clientTools:\n    timeout: 30\n', ':3: acp.clientTools.timeout: expected a duration'],
])('an agent file that is wrong is named with line and key: %j', async (yaml, problem) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-stand-in-'));
  const file = path.join(folder, 'agent.yaml');
  fs.writeFileSync(file, yaml);
  const { stderr, status } = await standIn(['-acp', '-agent', file]);
  fs.rmSync(folder, { recursive: true });
  expect(stderr).toContain(file + problem);
  expect(status).toBe(1);
});

test('an agent file that is not there is named', async () => {
  const { stderr, status } = await standIn(['-acp', '--agent', '/no/such.yaml']);
  expect(stderr).toContain('/no/such.yaml');
  expect(status).toBe(1);
});

test('without its native file it says what to do, and gives no stack', async () => {
  const env = { ...process.env, MINI_ME_CLIENT_NATIVE: '/no/such.node' };
  const { stderr, status } = await standIn(['-acp'], '', env);
  expect(stderr).toContain('MINI_ME_CLIENT_NATIVE');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(status).toBe(1);
});
