'use strict';
// Clients of the fake agents. What a test opens is closed behind it, and no process may be left.

const { afterEach, expect, jest } = require('@jest/globals');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { MiniMe } = require('../..');

const AGENTS = path.join(__dirname, '../fixtures/agents');

/** Command and arguments of a fake agent. */
function agent(name, ...args) {
  return {
    command: process.execPath,
    args: [path.join(AGENTS, `${name}.js`), ...args.map(String)],
  };
}

/** Gives `open(options)`, which makes a client that is closed after the test. */
function useClients() {
  let clients = [];
  afterEach(async () => {
    jest.useRealTimers();
    const opened = clients;
    clients = [];
    await Promise.all(opened.map((client) => client.close()));
    const left = opened.filter(({ pid }) => pid !== undefined && isAlive(pid));
    expect(left).toEqual([]);
  });
  return (options, Client = MiniMe) => {
    const client = new Client(options);
    clients.push(client);
    return client;
  };
}

/** The package with timers that stand still until the test advances them. */
function loadWithFakeTimers() {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
  let loaded;
  jest.isolateModules(() => {
    loaded = require('../..');
  });
  return loaded;
}

/** Everything a client tells from now on, by event. */
function record(client) {
  const events = ['update', 'stderr', 'toolsRequested', 'tools', 'toolCall', 'diagnostic', 'exit'];
  const told = {};
  for (const event of events) {
    told[event] = [];
    client.on(event, (value) => told[event].push(value));
  }
  return told;
}

const codesOf = (diagnostics) => diagnostics.map(({ code }) => code);

/** Resolves with the first diagnostic of that code. */
async function diagnostic(client, code) {
  for (;;) {
    const [value] = await once(client, 'diagnostic');
    if (value.code === code) return value;
  }
}

/** What the agent has received, as messages. */
async function received(client) {
  const lines = await client.request('_test/received');
  return lines.map((line) => JSON.parse(line));
}

/** What `promise` rejects with; it must. */
async function failureOf(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection, got none');
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // An orphan that ended stays a zombie where nobody reaps it.
  if (process.platform !== 'linux') return true;
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

/** Resolves when the process, which is nobody's child here, is gone; rejects when it stays longer than `ms`. */
async function gone(pid, ms = 5000) {
  const end = Date.now() + ms;
  while (isAlive(pid)) {
    if (Date.now() > end) throw new Error(`expected process ${pid} to be gone within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

module.exports = {
  agent,
  codesOf,
  diagnostic,
  failureOf,
  gone,
  isAlive,
  loadWithFakeTimers,
  received,
  record,
  useClients,
};
