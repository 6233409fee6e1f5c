'use strict';
// Agents that do wrong, and host programs that end badly, each written where it is tested: a function
// that runs in a process of its own.

const { spawn } = require('node:child_process');
const path = require('node:path');
const { failureOf, gone, isAlive, received, record, useClients } = require('../e2e/harness');

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

/** A cheap agent for thousands of starts. */
const quick = {
  command: '/bin/sh',
  args: [
    '-c',
    `read line; printf '%s\\n' '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'; read line`,
  ],
};

/** An agent that, when prompted, asks what it is told, one after the other; gives the answers. */
const asks = agent((agent) => {
  agent.on('session/prompt', async ({ prompt }) => {
    const answers = [];
    for (const [method, params] of JSON.parse(prompt[0].text)) {
      answers.push(await agent.ask(method, params));
    }
    return { stopReason: 'end_turn', answers };
  });
});

/** What the client answers to requests of the agent `asks`. */
async function answersTo(client, ...requests) {
  const session = await client.newSession();
  const { raw } = await session.prompt(JSON.stringify(requests));
  return raw.answers;
}

/** A wrapper that starts `agent` under itself, on its own streams, and tells both pids on stderr. */
function wrapped({ command, args }, { forwards }) {
  return program(
    (command, args, forwards) => {
      const { spawn } = require('node:child_process');
      const child = spawn(command, args, { stdio: 'inherit' });
      process.stderr.write(`${process.pid} ${child.pid}\n`);
      if (!forwards) process.on('SIGTERM', () => undefined);
      child.on('exit', () => process.exit());
    },
    command,
    args,
    forwards,
  );
}

/**
 * Runs a host program: `body({ MiniMe, tell }, ...args)`. Gives how it ended, how long it took, and
 * what it told.
 */
function runHost(body, ...args) {
  const head = `
    const { MiniMe, ...rest } = require(${json(PACKAGE)});
    const tell = (value) => require('node:fs').writeSync(1, JSON.stringify(value) + '\\n');
    const unhandled = (what) => (error) => tell({ unhandled: what, error: String(error) });
    process.on('unhandledRejection', unhandled('rejection'));`;
  const { command, args: argv } = script(head, body, '{ MiniMe, tell, ...rest }', args);
  return run(command, ['--expose-gc', ...argv]);
}

/** Runs a program to its end, and gives what `runHost` does; it tells lines of JSON on its stdout. */
async function run(command, args, options = {}) {
  const from = Date.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
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

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Figures are for who asks: `MM_FIGURES=1`. */
function tellFigures(title, figures) {
  if (process.env.MM_FIGURES) process.stderr.write(`${title}: ${JSON.stringify(figures)}\n`);
}

module.exports = {
  agent,
  answersTo,
  asks,
  failureOf,
  gone,
  isAlive,
  isLong,
  program,
  quick,
  received,
  record,
  run,
  runHost,
  sleep,
  tellFigures,
  useClients,
  wrapped,
};
