'use strict';
// What the tests of both hosts share: where things are, free ports, and which processes are left.

const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const ROOT = path.resolve(__dirname, '../..');
const SCREENSHOTS = path.join(ROOT, 'build/desktop');

/** @param {string} name */
function fromEnvironment(name) {
  const value = process.env[name];
  if (value === undefined) throw new Error(`expected ${name}: run \`npm run test:desktop\``);
  return value;
}

function playwright() {
  return require(path.join(fromEnvironment('DESKTOP_PLAYWRIGHT'), 'node_modules/playwright-core'));
}

const browserType = () => playwright().chromium;
const electronLauncher = () => playwright()._electron;

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * The processes whose environment or arguments hold `mark`, be they children or not: what a host has
 * started, and what is left of it. Some helpers of Electron write over their environment.
 * @param {string} mark
 * @returns {{ pid: number, command: string }[]}
 */
function processesWith(mark) {
  return fs.readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const environment = fs.readFileSync(`/proc/${name}/environ`, 'utf8');
      const command = fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      if (!environment.includes(mark) && !command.includes(mark)) return [];
      // One that has ended and is not yet collected has no command line.
      return command === '' ? [] : [{ pid: Number(name), command }];
    } catch {
      // It ended while it was looked at.
      return [];
    }
  });
}

/** Those of them that are an agent: the stand-in. */
function agentsWith(mark) {
  return processesWith(mark).filter(({ command }) => command.includes('stand-in.js'));
}

/** Ends a process that a test has started, if it is still there. @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * @template Value
 * @param {() => Value | Promise<Value>} look
 * @param {(value: Value) => boolean} isGood
 * @param {string} what
 * @param {number} [limitMs]
 */
async function until(look, isGood, what, limitMs = 30_000) {
  const endMs = Date.now() + limitMs;
  for (;;) {
    const value = await look();
    if (isGood(value)) return value;
    if (Date.now() > endMs) throw new Error(`expected ${what}, got ${JSON.stringify(value)}`);
    await sleep(50);
  }
}

module.exports = {
  ROOT,
  SCREENSHOTS,
  agentsWith,
  browserType,
  electronLauncher,
  freePort,
  fromEnvironment,
  kill,
  processesWith,
  until,
};
