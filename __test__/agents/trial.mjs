// What is tried with an agent, step by step. A step gives what was seen; it throws when something that
// has to hold for every agent does not.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startModelServer } from './model-server.mjs';

const require = createRequire(import.meta.url);
const { MiniMe, workspaceFiles } = require('../..');

const BEGUN_MS = 30_000;
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const call = (tool, args = {}) => `@@CALL ${tool} ${JSON.stringify(args)}@@`;
/** Agents put something before the name, never behind it. */
const lent = (name) => `${name}$`;

/** Gives what was seen: `{carriers: {http, stdio}, ...}`. */
export async function tryAgent(agent, root) {
  const home = mkdtempSync(path.join(tmpdir(), 'agent-home-'));
  const cwd = mkdtempSync(path.join(tmpdir(), 'agent-cwd-'));
  writeFileSync(path.join(cwd, 'hello.txt'), 'hello\n');
  const server = await startModelServer();
  const place = { home, port: server.port };
  agent.setup(place);
  try {
    const own = await tryOwnTools(options(agent, root, place, cwd), agent, cwd);
    const http = await tryLent(options(agent, root, place, cwd), 'http', cwd);
    const stdio = await tryLent(options(agent, root, place, cwd), 'stdio', cwd);
    const offered = server.asked.flatMap(({ tools }) => tools);
    return { ...own, http, stdio, modelName: spelling(offered) };
  } finally {
    await server.close();
    for (const folder of [home, cwd]) rmSync(folder, { recursive: true, force: true });
  }
}

function options(agent, root, place, cwd) {
  const [command, ...args] = agent.program(root, place);
  const { PATH } = process.env;
  const { home } = place;
  const env = { PATH, HOME: home, XDG_CONFIG_HOME: `${home}/.config`, NO_PROXY: '127.0.0.1' };
  const mine = agent.env(place);
  return { command, args, cwd, carrier: 'mcp', inheritEnv: false, env: { ...env, ...mine } };
}

/** `mcp__S__T`: how the model is shown the tool `host_info` of the server S. */
function spelling(tools) {
  const name = tools.find((tool) => /host_info$/.test(tool));
  return name?.replace(/client[a-z0-9]{5}/, 'S').replace('host_info', 'T');
}

/** Runs `use` with a client, and sees to it that no process is left. */
async function withClient(given, use) {
  const client = new MiniMe(given);
  try {
    return await use(client);
  } finally {
    await client.close();
    assert.ok(!isAlive(-client.pid), 'expected no process of the agent to be left');
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Allows once, and writes down what was asked. */
function noted(asked) {
  return (request) => {
    asked.push(request);
    const isOffered = request.options.some(({ kind }) => kind === 'allow_once');
    return isOffered ? 'allow_once' : 'cancelled';
  };
}

async function tryOwnTools(given, agent, cwd) {
  const files = workspaceFiles(cwd, { missing: 'empty' });
  const used = new Set();
  const watched = (name, handler) => (request, context) => {
    used.add(name);
    return handler(request, context);
  };
  const permissions = [];
  const fs = {
    readTextFile: watched('reads', files.readTextFile),
    writeTextFile: watched('writes', files.writeTextFile),
  };
  const more = {
    fs,
    terminal: true,
    permissions: noted(permissions),
  };
  return await withClient({ ...given, ...more, trace: terminals(used) }, async (client) => {
    const { name, version } = await client.start();
    const session = await client.newSession({ cwd });
    const turn = session.prompt('@@SAY one and two@@');
    let chunks = 0;
    for await (const { sessionUpdate } of turn) chunks += sessionUpdate === 'agent_message_chunk';
    assert.match((await turn).text, /one and two/);
    assert.ok(chunks >= 2, `expected a streamed text, got ${chunks} chunks`);

    const ran = await session.prompt(call(...agent.shell));
    assert.match(ran.text, /RESULTS 1 <<.*shell-ok/s);
    if (agent.write !== undefined) {
      await session.prompt(call(...agent.write(cwd)));
      assert.equal(readFileSync(path.join(cwd, 'out.txt'), 'utf8'), 'written\n');
    }
    assert.ok(permissions.length > 0, 'expected a permission to be asked for');
    assert.deepEqual(
      permissions.filter(({ tool }) => tool !== undefined),
      [],
    );
    const touched = ['reads', 'writes'].filter((one) => used.has(one)).join(' and ');
    return {
      name,
      version,
      files: touched || 'none',
      terminal: used.has('terminal') ? 'yes' : 'no',
    };
  });
}

/** Notes that the agent made a terminal. */
function terminals(used) {
  return ({ direction, line }) => {
    if (direction === 'in' && line.includes('"terminal/create"')) used.add('terminal');
  };
}

async function tryLent(given, way, cwd) {
  const asked = [];
  const permissions = noted(asked);
  const told = [];
  const { tools, begun, aborted } = lentTools();
  const seen = await withClient({ ...given, permissions, tools }, async (client) => {
    client.on('diagnostic', (diagnostic) => told.push(diagnostic.code));
    const { capabilities } = await client.start();
    const { mcpCapabilities } = capabilities;
    if (way === 'http' && !mcpCapabilities?.http) return { isTaken: false };
    // The agent is free to take both; here it is not told of the other.
    if (way === 'stdio') capabilities.mcpCapabilities = {};
    const session = await client.newSession({ cwd });
    const say = async (text) => (await session.prompt(text)).text;
    assert.match(await say(call(lent('host_info'), { topic: 'os' })), /about os/);
    assert.match(await say(call(lent('fails'))), /not today/);
    assert.match(await say(call(lent('picture'))), /a picture/);
    for (const { tool } of asked) assert.ok(tool, 'expected a permission to name its lent tool');

    const turn = session.prompt(call(lent('waits')));
    await within(begun, 'the call');
    await session.cancel();
    const { stopReason } = await turn;
    await within(aborted, 'the abort');

    const other = await client.newSession({
      cwd,
      tools: [{ name: 'only_two', handle: () => 'two' }],
    });
    assert.match((await other.prompt(call(lent('only_two')))).text, /two/);
    const apart = /NO TOOL/.test(await say(call(lent('only_two')))) ? 'yes' : 'no';
    assert.deepEqual(
      told.filter((code) => code === 'lent-tools-ignored'),
      [],
    );
    const permission = asked.length > 0 ? 'asks' : 'never';
    return { isTaken: true, permission, stopReason, apart, session, capabilities };
  });
  if (!seen.isTaken) return seen;
  const { session, capabilities, ...more } = seen;
  const again = { id: session.id, capabilities, tools, permissions, cwd, way };
  return { ...more, reopens: await tryReopen(given, again) };
}

function lentTools() {
  let begin;
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  let abort;
  const aborted = new Promise((resolve) => {
    abort = resolve;
  });
  const topic = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] };
  const picture = [
    { type: 'text', text: 'a picture' },
    { type: 'image', mimeType: 'image/png', data: IMAGE },
  ];
  const tools = [
    { name: 'host_info', inputSchema: topic, handle: (args) => `about ${args.topic}` },
    { name: 'fails', handle: () => Promise.reject(new Error('not today')) },
    { name: 'picture', handle: () => ({ content: picture }) },
    {
      name: 'waits',
      handle: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            abort();
            resolve('stopped');
          });
          begin();
        }),
    },
  ];
  return { tools, begun, aborted };
}

/** Opens the session again, in a client of its own, and calls a lent tool there. */
async function tryReopen(given, { id, capabilities, tools, permissions, cwd, way }) {
  const how = capabilities.loadSession ? 'loadSession' : 'resumeSession';
  if (how === 'resumeSession' && !capabilities.sessionCapabilities?.resume) return 'no';
  return await withClient({ ...given, permissions, tools }, async (client) => {
    const info = await client.start();
    if (way === 'stdio') info.capabilities.mcpCapabilities = {};
    let again;
    try {
      again = await client[how](id, { cwd });
    } catch (error) {
      if (error.code === 'MM_ERR_AGENT') return 'the agent refuses';
      throw error;
    }
    const { text } = await again.prompt(call(lent('host_info'), { topic: 'again' }));
    assert.match(text, /about again/);
    return 'yes';
  });
}

async function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`expected ${what} within ${BEGUN_MS} ms`)), BEGUN_MS);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
