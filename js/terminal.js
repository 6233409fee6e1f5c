'use strict';
// The ready-made terminal. Its processes are the native side's; who may name which, and what a request
// of the agent has to be, is decided here. Source: docs/protocol.md, "The terminal".

const { randomUUID } = require('node:crypto');
const path = require('node:path');
const {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  RESOURCE_NOT_FOUND,
  RpcError,
} = require('./agent-requests');
const { withVariables } = require('./environment');
const { MiniMeError, callNative } = require('./errors');
const { isText, member } = require('./json');
const { show } = require('./show');
const { LONGEST_MS } = require('./schedule');
const { signalName } = require('./signal-name');

/** So many may be there, each with a process or the output of one. */
const MOST_TERMINALS = 256;

/**
 * @typedef {import('../index').TerminalExit} TerminalExit
 * @typedef {import('../index').TerminalHandlers} TerminalHandlers
 * @typedef {import('./types').NativeExit} NativeExit
 * @typedef {Parameters<TerminalHandlers['create']>[0]} CreateRequest
 * @typedef {[name: string, value: string]} Variable
 *
 * @typedef {object} Terminal
 * @property {number} number the native side's name for it
 * @property {string} sessionId whose it is
 * @property {Promise<TerminalExit>} exit
 * @property {(exit: TerminalExit) => void} tellExit
 */

/** The terminals of one client. */
class Terminals {
  #client;
  /**
   * The agent's, as the client computed it.
   * @type {readonly Variable[]}
   */
  #environment = [];
  /**
   * Those that the agent has not released.
   * @type {Map<string, Terminal>}
   */
  #byId = new Map();
  /**
   * Those whose command has not ended, as far as was told.
   * @type {Map<number, Terminal>}
   */
  #byNumber = new Map();

  /** @param {Pick<import('./client').Client, 'native' | 'options' | 'sessionOf' | 'sessions'>} client */
  constructor(client) {
    this.#client = client;
    /** @type {TerminalHandlers} */
    this.handlers = {
      create: (request) => this.#create(request),
      output: (request) => this.#output(this.#find('output', request)),
      waitForExit: (request) => this.#find('wait_for_exit', request).exit,
      kill: (request) => this.#kill(this.#find('kill', request)),
      release: (request) => this.#release(request.terminalId, this.#find('release', request)),
    };
  }

  /**
   * The agent was started.
   * @param {readonly Variable[]} environment
   */
  started(environment) {
    this.#environment = environment;
  }

  /**
   * A command has ended.
   * @param {number} number
   * @param {NativeExit} exit
   */
  exited(number, exit) {
    this.#byNumber.get(number)?.tellExit(exitOf(exit));
    this.#byNumber.delete(number);
  }

  /**
   * A session was closed.
   * @param {string} sessionId
   */
  forget(sessionId) {
    for (const [id, terminal] of this.#byId) {
      if (terminal.sessionId === sessionId) this.#release(id, terminal);
    }
  }

  /** The client ends: nobody will ask any more. */
  end() {
    this.#client.native.terminalsEnd();
    this.#byId.clear();
    this.#byNumber.clear();
  }

  /** @param {CreateRequest} request */
  #create(request) {
    const { sessionId } = request;
    const command = this.#commandOf(request);
    if (this.#byId.size >= MOST_TERMINALS) {
      const message = `terminal/create: expected at most ${MOST_TERMINALS} terminals at a time; release those that are not needed`;
      throw new RpcError(INTERNAL_ERROR, message);
    }
    const number = this.#start(command);
    /** @type {(exit: TerminalExit) => void} */
    let tellExit = () => undefined;
    /** @type {Promise<TerminalExit>} */
    const exit = new Promise((resolve) => {
      tellExit = resolve;
    });
    const id = `term_${randomUUID()}`;
    const terminal = { number, sessionId, exit, tellExit };
    this.#byId.set(id, terminal);
    this.#byNumber.set(number, terminal);
    return id;
  }

  /** @param {import('./types').NativeTerminalCommand} command */
  #start(command) {
    try {
      return callNative(() => this.#client.native.terminalStart(JSON.stringify(command)));
    } catch (error) {
      if (!(error instanceof MiniMeError) || error.code !== 'MM_ERR_SPAWN') throw error;
      throw new RpcError(INTERNAL_ERROR, `terminal/create: ${error.message}`, error.details);
    }
  }

  /**
   * @param {CreateRequest} request checked for `sessionId` and `command` alone
   * @returns {import('./types').NativeTerminalCommand}
   */
  #commandOf({ sessionId, command, args, env, cwd, outputByteLimit }) {
    expect('command', 'a program, not empty', command, isText(command) && command !== '');
    const folder = this.#folderOf(sessionId);
    if (folder === undefined) {
      const message = `terminal/create: expected the id of an open session, got ${show(sessionId)}`;
      throw new RpcError(RESOURCE_NOT_FOUND, message, { sessionId });
    }
    return {
      command,
      args: argumentsOf(args ?? []),
      cwd: cwdOf(cwd ?? folder),
      env: withVariables(this.#environment, variablesOf(env ?? []), process.platform),
      limitBytes: limitOf(outputByteLimit ?? null),
    };
  }

  /** @param {string} sessionId */
  #folderOf(sessionId) {
    const session = this.#client.sessionOf(sessionId);
    return session?.cwd ?? this.#client.sessions.openings.folderOf(sessionId);
  }

  /** @param {Terminal} terminal */
  #output({ number }) {
    /** @type {import('./types').NativeTerminalOutput} */
    const { output, truncated, exit } = JSON.parse(
      callNative(() => this.#client.native.terminalOutput(number)),
    );
    return { output, truncated, ...(exit !== null && { exitStatus: exitOf(exit) }) };
  }

  /**
   * Answered when the command has ended: what the agent asks for next is the last of its output.
   * @param {Terminal} terminal
   */
  async #kill({ number, exit }) {
    const { closeTimeoutMs } = this.#client.options;
    this.#client.native.terminalKill(number, Math.min(closeTimeoutMs, LONGEST_MS));
    await exit;
  }

  /**
   * @param {string} id
   * @param {Terminal} terminal
   */
  #release(id, { number }) {
    this.#byId.delete(id);
    this.#client.native.terminalRelease(number);
  }

  /**
   * @param {string} method
   * @param {{ sessionId: string, terminalId: string }} request
   */
  #find(method, { sessionId, terminalId }) {
    const terminal = this.#byId.get(terminalId);
    if (terminal?.sessionId === sessionId) return terminal;
    const message = `terminal/${method}: expected a terminal of this session that was not released, got ${show(terminalId)}`;
    throw new RpcError(RESOURCE_NOT_FOUND, message, { terminalId });
  }
}

/**
 * @param {NativeExit} exit
 * @returns {TerminalExit}
 */
function exitOf({ code, signal }) {
  return { exitCode: code, signal: signalName(signal) };
}

/** @param {unknown} args */
function argumentsOf(args) {
  const isFit = Array.isArray(args) && args.every(isText);
  expect('args', 'an array of strings', args, isFit);
  return /** @type {string[]} */ (args);
}

/** @param {unknown} cwd */
function cwdOf(cwd) {
  expect('cwd', 'an absolute path', cwd, isText(cwd) && path.isAbsolute(cwd));
  return /** @type {string} */ (cwd);
}

/**
 * @param {unknown} env
 * @returns {Variable[]}
 */
function variablesOf(env) {
  expect('env', 'an array of {name, value}', env, Array.isArray(env) && env.every(isVariable));
  const variables = /** @type {{ name: string, value: string }[]} */ (env);
  return variables.map(({ name, value }) => [name, value]);
}

/** @param {unknown} variable */
function isVariable(variable) {
  const [name, value] = [member(variable, 'name'), member(variable, 'value')];
  return isText(name) && /^[^=\0]+$/u.test(name) && isText(value);
}

/** @param {unknown} limit */
function limitOf(limit) {
  if (limit === null) return null;
  const isFit = typeof limit === 'number' && Number.isInteger(limit) && limit >= 0;
  expect('outputByteLimit', 'a whole number of bytes, 0 or more', limit, isFit);
  return Math.min(/** @type {number} */ (limit), Number.MAX_SAFE_INTEGER);
}

/**
 * @param {string} name
 * @param {string} what
 * @param {unknown} value
 * @param {boolean} isFit
 */
function expect(name, what, value, isFit) {
  if (isFit) return;
  const message = `terminal/create: expected ${name} to be ${what}, got ${show(value)}`;
  throw new RpcError(INVALID_PARAMS, message);
}

module.exports = { Terminals };
