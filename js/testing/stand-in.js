'use strict';
// A stand-in for mm for tests: the options a client starts it with, and what it recorded.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { dispose } = require('../dispose');
const { createError } = require('../errors');
const { isObject } = require('../json');
const { errorText, stringify } = require('../result');
const { check, fill } = require('../rules');
const { checkScript } = require('../stand-in/script-check');
const { Recorder } = require('./recorder');

const COMMAND = path.join(__dirname, '..', 'stand-in.js');

const isBoolean = (/** @type {unknown} */ value) => typeof value === 'boolean';
const isCount = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && Number(value) > 0;

/** @satisfies {Record<keyof import('../../testing').StandInOptions, import('../rules').Rule>} */
const OPTIONS = {
  script: [
    'a script, or the path of one',
    (value) => typeof value === 'string' || isObject(value) || Array.isArray(value),
  ],
  discovery: ['"meta" or "request"', (value) => value === 'meta' || value === 'request'],
  permissions: ['"auto" or "ask"', (value) => value === 'auto' || value === 'ask'],
  yolo: ['true or false', isBoolean],
  enabled: ['true or false', isBoolean],
  timeoutMs: ['a whole number of ms, over 0', isCount],
  maxOutput: ['a whole number of characters, over 0', isCount],
};

/**
 * Makes ready to start a stand-in.
 * @param {import('../../testing').StandInOptions} [given]
 */
function standIn(given = {}) {
  check('standIn options', OPTIONS, given);
  return new StandIn(fill({ discovery: 'meta' }, given));
}

/** The folders of stand-ins that were not disposed of. @type {Set<string>} */
const folders = new Set();
let isExitHeard = false;

class StandIn {
  #folder;

  /** @param {import('../../testing').StandInOptions} options whole */
  constructor({ script, discovery = 'meta', ...settings }) {
    const json = script === undefined || typeof script === 'string' ? undefined : toJson(script);
    this.#folder = makeFolder();
    const record = path.join(this.#folder, 'record.jsonl');
    const args = [
      COMMAND,
      '-acp',
      '-agent',
      this.#write('agent.yaml', agentFile(discovery, settings)),
    ];
    if (json !== undefined) args.push('-script', this.#write('script.json', json));
    else if (typeof script === 'string') args.push('-script', path.resolve(script));
    args.push('-record', record);
    this.options = Object.freeze({
      command: process.execPath,
      args: Object.freeze(args),
      // In Electron the program is not Node until it is told to be.
      env: Object.freeze(process.versions.electron ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
      discovery,
    });
    this.recorder = new Recorder(record);
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  #write(name, text) {
    const file = path.join(this.#folder, name);
    fs.writeFileSync(file, text);
    return file;
  }

  [dispose]() {
    remove(this.#folder);
  }
}

function makeFolder() {
  if (!isExitHeard) process.once('exit', () => [...folders].forEach(remove));
  isExitHeard = true;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-stand-in-'));
  folders.add(folder);
  return folder;
}

/** @param {string} folder */
function remove(folder) {
  folders.delete(folder);
  // A process that still holds a file there may keep it from being removed on Windows.
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * The agent file; JSON is YAML.
 * @param {string} discovery
 * @param {import('../../testing').StandInOptions} settings
 */
function agentFile(discovery, { permissions, enabled, timeoutMs, yolo, maxOutput }) {
  const timeout = timeoutMs === undefined ? undefined : `${timeoutMs}ms`;
  const clientTools = { discovery, permissions, enabled, timeout };
  return JSON.stringify({ acp: { clientTools }, yolo, maxOutput });
}

/**
 * A script of plain data as the agent will read it, checked as the agent does.
 * @param {unknown} script
 */
function toJson(script) {
  let json;
  try {
    json = stringify(script, 'script') ?? 'null';
  } catch (cause) {
    const remedy = 'write a script with functions into a file, and give its path';
    throw wrongScript(`expected a script of plain data; ${errorText(cause)}; ${remedy}`, cause);
  }
  try {
    checkScript(JSON.parse(json));
  } catch (cause) {
    throw wrongScript(`script: ${errorText(cause)}`, cause);
  }
  return json;
}

/**
 * @param {string} message
 * @param {unknown} cause
 */
function wrongScript(message, cause) {
  const details = { option: 'script' };
  return createError('MM_ERR_OPTION', `standIn options: ${message}`, details, { cause });
}

module.exports = { standIn };
