'use strict';
// Agents that do wrong, and host programs that end badly, each written where it is tested: a function
// that runs in a process of its own.

const { afterEach, expect } = require('@jest/globals');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { MiniMe } = require('../..');

const PACKAGE = path.join(__dirname, '../..');
const AGENT = path.join(__dirname, 'agents/agent.js');

/** Long runs are for `MM_LONG=1`; see docs/faults.md. */
const isLong = process.env.MM_LONG === '1';

/** An agent that does `body(agent, ...args)`, told as options of a client. The function sees nothing else. */
function agent(body, ...args) {
  return script(`const { Agent } = require(${json(AGENT)});`, body, 'new Agent()', args);
}

/** A program that does `body(...args)` and reads nothing by itself. */
function program(body, ...args) {
  return script('', body, undefined, args);
}

function script(head, body, first, args) {
  const given = [first, ...args.map(json)].filter((one) => one !== undefined).join(', ');
  return { command: process.execPath, args: ['-e', `${head} (${body})(${given});`] };
}

function json(value) {
  return JSON.stringify(value);
}

/**
 * Runs a host program: `body({ MiniMe, tell }, ...args)`. Gives how it ended, how long it took, and
 * what it told.
 */
async function runHost(body, ...args) {
  const head = `
    const { MiniMe, ...rest } = require(${json(PACKAGE)});
    const tell = (value) => require('node:fs').writeSync(1, JSON.stringify(value) + '\\n');
    const unhandled = (what) => (error) => tell({ unhandled: what, error: String(error) });
    process.on('unhandledRejection', unhandled('rejection'));`;
  const { command, args: argv } = script(head, body, '{ MiniMe, tell, ...rest }', args);
  const from = Date.now();
  const child = spawn(command, ['--expose-gc', ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [code, signal] = await new Promise((resolve) => {
    child.on('close', (...end) => resolve(end));
  });
  const told = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { code, signal, told, err, ms: Date.now() - from };
}

/** Gives `open(options)`, which makes a client that is closed after the test; no agent may be left. */
function useClients() {
  let clients = [];
  afterEach(async () => {
    const opened = clients;
    clients = [];
    await Promise.all(opened.map((client) => client.close()));
    expect(opened.filter(({ pid }) => pid !== undefined && isAlive(pid))).toEqual([]);
  });
  return (options) => {
    const client = new MiniMe(options);
    clients.push(client);
    return client;
  };
}

/** Everything a client tells from now on, by event. */
function record(client) {
  const told = { update: [], stderr: [], toolCall: [], diagnostic: [], exit: [] };
  for (const [event, values] of Object.entries(told)) {
    client.on(event, (value) => values.push(value));
  }
  return told;
}

/** What the agent received, as messages. */
async function received(client) {
  const lines = await client.request('_received');
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

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isAlive(pid) {
  try {
    // A zombie that nobody reaps here has no command line.
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

/** Resolves when the process is gone; rejects when it stays longer than `ms`. */
async function gone(pid, ms = 5000) {
  const end = Date.now() + ms;
  while (isAlive(pid)) {
    if (Date.now() > end) throw new Error(`expected process ${pid} to be gone within ${ms} ms`);
    await sleep(10);
  }
}

module.exports = {
  agent,
  failureOf,
  gone,
  isAlive,
  isLong,
  program,
  received,
  record,
  runHost,
  sleep,
  useClients,
};
