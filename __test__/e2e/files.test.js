'use strict';
// The ready-made handlers of files, asked by an agent.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { afterEach, beforeEach, expect, test } = require('@jest/globals');
const { workspaceFiles } = require('../..');
const { agent, received, useClients } = require('./harness');

const open = useClients();

let base;
let root;
beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-files-')));
  root = path.join(base, 'w');
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(root, 'a.txt'), 'a\nb\nc\n');
  fs.writeFileSync(path.join(base, 'secret.txt'), 'secret');
});
afterEach(() => fs.rmSync(base, { recursive: true }));

/** The answers to the agent's requests, in their order; `path` is taken from the root. */
async function answersTo(client, ...calls) {
  const session = await client.newSession();
  const requests = calls.map(([method, name, more], index) => ({
    method: `fs/${method}_text_file`,
    params: { sessionId: session.id, path: `${root}/${name}`, ...more },
    id: String(index),
  }));
  const { raw } = await session.prompt(JSON.stringify(requests));
  const answers = raw.answers.map((line) => JSON.parse(line));
  return answers.sort((a, b) => a.id - b.id).map(({ result, error }) => result ?? error);
}

test('an agent reads and writes inside the root', async () => {
  const client = open({ ...agent('calls-tools'), fs: workspaceFiles(root) });
  expect(
    await answersTo(
      client,
      ['read', 'a.txt'],
      ['read', 'a.txt', { line: 2, limit: 1 }],
      ['write', 'src/new.txt', { content: 'é\r\n' }],
    ),
  ).toEqual([{ content: 'a\nb\nc\n' }, { content: 'b\n' }, {}]);
  expect(fs.readFileSync(path.join(root, 'src/new.txt'), 'utf8')).toBe('é\r\n');
  const [{ params }] = await received(client);
  expect(params.clientCapabilities.fs).toEqual({ readTextFile: true, writeTextFile: true });
});

test('an agent is told what is missing, and nothing of what is outside', async () => {
  const client = open({ ...agent('calls-tools'), fs: workspaceFiles(root) });
  const [missing, there, absent, write] = await answersTo(
    client,
    ['read', 'none.txt'],
    ['read', '../secret.txt'],
    ['read', '../absent.txt'],
    ['write', '../secret.txt', { content: 'x' }],
  );
  const uri = pathToFileURL(path.join(root, 'none.txt')).href;
  expect(missing).toEqual({ code: -32002, message: `Resource not found: ${uri}`, data: { uri } });
  expect(there.code).toBe(-32602);
  expect(there.message.replace('secret', 'absent')).toBe(absent.message);
  expect(write).toEqual(there);
  expect(fs.readFileSync(path.join(base, 'secret.txt'), 'utf8')).toBe('secret');
});

test('an agent that reads before it makes a file is answered ""', async () => {
  const files = workspaceFiles(root, { missing: 'empty' });
  const client = open({ ...agent('calls-tools'), fs: files });
  expect(await answersTo(client, ['read', 'new.txt'])).toEqual([{ content: '' }]);
  expect(fs.existsSync(path.join(root, 'new.txt'))).toBe(false);
});

test('only the handlers that are given are advertised', async () => {
  const { readTextFile } = workspaceFiles([root]);
  const client = open({ ...agent('calls-tools'), fs: { readTextFile } });
  const [answer] = await answersTo(client, ['write', 'b.txt', { content: 'x' }]);
  expect(answer).toEqual({ code: -32601, message: 'Method not found' });
});
