'use strict';
// The recorder between a client and an agent, and what can be done with a recording.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { afterEach, beforeEach, expect, test } = require('@jest/globals');
const { MiniMe } = require('../..');
const { readDialogue } = require('./player/dialogue');
const { play } = require('./player/play');

const RECORDER = path.join(__dirname, '../../scripts/record.mjs');
const STAND_IN = path.join(__dirname, '../../js/stand-in.js');
/** An agent that writes back what it reads, complains, and ends with a status of its own. */
const ECHO = `process.stdin.pipe(process.stdout);
process.stdin.on('end', () => { process.stderr.write('bye'); process.exitCode = 7; });`;

let folder;
let file;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-recorder-'));
  file = path.join(folder, 'dialogue.jsonl');
});

afterEach(() => {
  fs.rmSync(folder, { recursive: true });
});

/** Runs the recorder with these arguments, writes `input`, and gives what came and the exit status. */
function record(args, input = Buffer.alloc(0)) {
  const child = spawn(process.execPath, [RECORDER, ...args]);
  const output = { stdout: [], stderr: [] };
  for (const name of ['stdout', 'stderr'])
    child[name].on('data', (data) => output[name].push(data));
  // A recorder that ends without reading leaves a broken pipe behind.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      const [stdout, stderr] = [output.stdout, output.stderr].map((chunks) =>
        Buffer.concat(chunks),
      );
      resolve({ stdout, stderr: stderr.toString(), status });
    });
  });
}

const recordEcho = (input) =>
  record([file, '--', process.execPath, '-e', ECHO], Buffer.from(input));
const entries = () => fs.readFileSync(file, 'utf8').trimEnd().split('\n').map(JSON.parse);

test('every byte goes on as it came, and the exit status too', async () => {
  const input = Buffer.concat([Buffer.from('é\r\n\n{"a":1}\n'), Buffer.from([0xff, 0x0a, 0x00])]);
  const { stdout, stderr, status } = await recordEcho(input);
  expect(stdout.equals(input)).toBe(true);
  expect(stderr).toBe('bye');
  expect(status).toBe(7);
});

test('each line is written down with its direction, a last one without line feed too', async () => {
  await recordEcho('{"a":1}\n\nlast');
  const lines = entries();
  for (const dir of ['client->agent', 'agent->client']) {
    expect(lines.filter((line) => line.dir === dir)).toEqual([
      { dir, line: '{"a":1}' },
      { dir, line: '' },
      { dir, line: 'last', partial: true },
    ]);
  }
  const complaint = { dir: 'agent-stderr', line: 'bye', partial: true };
  expect(lines).toContainEqual(complaint);
});

test.each([
  ['plain', `{"id":1,"result":"${'x'.repeat(20_000)}"}`],
  ['of two bytes each', `{"text":"${'é'.repeat(10_000)}","type":"text"}`],
  ['escaped', JSON.stringify({ text: '"\\"\n'.repeat(3_000), more: '\u0001'.repeat(5_000) })],
  ['surrogate pairs', JSON.stringify({ text: `x${'😀'.repeat(4_000)}` })],
])('a long line is shortened, and gets its length back when it is read: %s', async (_, line) => {
  await recordEcho(`${line}\n`);
  const [{ line: shortened, cutFrom }] = entries();
  expect(shortened.length).toBeLessThan(line.length);
  expect(cutFrom).toBe(Buffer.byteLength(line));
  const [{ text, message }] = readDialogue(file);
  expect(Buffer.byteLength(text)).toBe(Buffer.byteLength(line));
  expect(Object.keys(message)).toEqual(Object.keys(JSON.parse(line)));
});

test('a line that is long by its members stays whole', async () => {
  const line = JSON.stringify(Array.from({ length: 2_000 }, (_, at) => `item ${at}`));
  await recordEcho(`${line}\n`);
  expect(entries()[0]).toEqual({ dir: 'client->agent', line });
});

test('a signal reaches the agent', async () => {
  const agent = `process.on('SIGTERM', () => { process.stdout.write('told'); process.exit(3); });
    process.stdin.resume(); process.stdout.write('up');`;
  const child = spawn(process.execPath, [RECORDER, file, '--', process.execPath, '-e', agent]);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    if (text === '') child.kill('SIGTERM');
    text += chunk;
  });
  const status = await new Promise((resolve) => child.on('close', resolve));
  // Windows has no signals: the recorder ends at once, and the agent with its stdin.
  const expected = process.platform === 'win32' ? ['up', null] : ['uptold', 3];
  expect([text, status]).toEqual(expected);
});

test.each([
  [[], 'got nothing'],
  [['out.jsonl', 'mm'], 'expected node scripts/record.mjs OUT.jsonl -- COMMAND'],
  [['out.jsonl', '--'], 'expected node scripts/record.mjs OUT.jsonl -- COMMAND'],
])('without a file and a command it says what it expects: %j', async (args, problem) => {
  const { stderr, status } = await record(args);
  expect(stderr).toContain(problem);
  expect(status).toBe(1);
});

test('a command that cannot be run is named', async () => {
  const { stderr, status } = await record([file, '--', '/no/such/mm']);
  expect(stderr).toContain('/no/such/mm');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(status).toBe(1);
});

test.each([
  ['meta', 'yolo: true\n'],
  ['request', 'yolo: false\nacp: {clientTools: {discovery: request}}\n'],
])(
  'a run of the stand-in that was recorded can be played: discovery %s',
  async (discovery, yaml) => {
    const agentFile = path.join(folder, 'agent.yaml');
    fs.writeFileSync(agentFile, yaml);
    const agent = [process.execPath, STAND_IN, '-acp', '-agent', agentFile];
    const mm = new MiniMe({
      command: process.execPath,
      args: [RECORDER, file, '--', ...agent],
      discovery,
      permissions: 'client-tools',
    });
    mm.addTool({
      name: 'open buffers',
      description: 'Lists the open buffers.',
      handle: () => ({ content: [{ type: 'text', text: 'main.go, util.go' }] }),
    });
    const session = await mm.newSession({ cwd: folder });
    const { text } = await session.prompt('Which open buffers are there?');
    await mm.close();
    expect(text).toContain('main.go');

    const lines = readDialogue(file);
    expect(lines.filter(({ text: line }) => line.includes('main.go')).length).toBeGreaterThan(1);
    await play(lines);
  },
);
