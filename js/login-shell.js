'use strict';
// Asks the user's login shell for its environment. An app started from a dock has none of what the
// shell's profile sets: a PATH of its own, keys, proxies.

const { spawn } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const os = require('node:os');
const path = require('node:path');
const { check, isTime } = require('./options');
const { clearTimeout, setLimit } = require('./schedule');

const TIMEOUT_MS = 5_000;
/** No system holds as much for one process; it is for a profile that does not stop writing. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Tells profiles that nobody sits there; some look for it and start no multiplexer, no other shell, no
 * question. VS Code's is the one that they know.
 */
const HINTS = {
  VSCODE_RESOLVING_ENVIRONMENT: '1',
  DISABLE_AUTO_UPDATE: 'true',
  ZSH_TMUX_AUTOSTART: 'false',
};
/** What a shell says of itself, not of its user. */
const OF_THE_SHELL = ['_', 'OLDPWD', 'PWD', 'SHLVL'];

/** @satisfies {import('./options').Rules} */
const OPTIONS = {
  timeoutMs: ['a number of ms, over 0', (value) => isTime(value) && value !== 0],
};

/**
 * @typedef {Record<string, string>} Environment
 * @typedef {{ file: string, args: string[], argv0: string }} Command
 */

/**
 * @param {{ timeoutMs?: number | undefined }} [options]
 * @returns {Promise<Environment>}
 */
async function loginShellEnv(options = {}) {
  check('loginShellEnv', OPTIONS, options);
  const own = copyOf(process.env);
  // Windows gives each process the user's environment; there is no login shell.
  if (process.platform === 'win32') return own;
  const mark = `mini-me-client-${randomBytes(16).toString('hex')}`;
  const command = commandOf(shellOf(own, process.platform), mark, process.platform);
  try {
    const limitMs = options.timeoutMs ?? TIMEOUT_MS;
    const output = await run(command, { ...own, ...HINTS }, mark, limitMs);
    const found = output === undefined ? undefined : parse(output);
    return found === undefined ? own : settled(found, own);
  } catch {
    // spawn() throws where the system has no room for a process.
    return own;
  }
}

/**
 * @param {Environment} own
 * @param {NodeJS.Platform} platform
 */
function shellOf(own, platform) {
  const fallback = platform === 'darwin' ? '/bin/zsh' : '/bin/sh';
  return [own.SHELL, shellOfAccount()].find((shell) => shell && path.isAbsolute(shell)) ?? fallback;
}

/** An account without an entry makes os.userInfo() throw: a container's number. */
function shellOfAccount() {
  try {
    return os.userInfo().shell ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * A login shell that is interactive too, since many set their PATH in a file for interactive shells.
 * @param {string} file
 * @param {string} mark
 * @param {string} platform
 * @returns {Command}
 */
function commandOf(file, mark, platform) {
  const name = path.basename(file);
  const script = scriptOf(name, mark, platform);
  if (/^pwsh(?:-preview)?$/u.test(name)) {
    return { file, args: ['-Login', '-Command', script], argv0: file };
  }
  // To these `-l` is an argument that stands alone; a dash before the name says the same.
  if (name === 'csh' || name === 'tcsh') {
    return { file, args: ['-i', '-c', script], argv0: `-${name}` };
  }
  return { file, args: ['-i', '-l', '-c', script], argv0: file };
}

/**
 * Prints the environment, each variable ended by NUL, between two marks: a profile may print too.
 *
 * A program of the system does it, not process.execPath: an app that is one file, or an Electron with the
 * fuse RunAsNode off, would start itself anew. The words mean the same to every shell: one line without
 * `!`, `$` or backslash.
 * @param {string} shell
 * @param {string} mark
 * @param {string} platform
 */
function scriptOf(shell, mark, platform) {
  if (platform === 'darwin') {
    // env has no -0 there before macOS 13.
    const print = (/** @type {string} */ name, /** @type {string} */ value) =>
      `printf "%s=%s%c", ${name}, ${value}, 0`;
    const all = `for (name in ENVIRON) ${print('name', 'ENVIRON[name]')}`;
    const marked = (/** @type {string} */ word) => print(`"${mark}"`, `"${word}"`);
    return `/usr/bin/awk 'BEGIN { ${marked('begin')}; ${all}; ${marked('end')} }'`;
  }
  const env = shell === 'nu' ? '^/usr/bin/env' : '/usr/bin/env';
  return `${env} -i -0 ${mark}=begin; ${env} -0; ${env} -i -0 ${mark}=end`;
}

/**
 * What the command prints between the marks; undefined when it does not.
 * @param {Command} command
 * @param {Environment} env
 * @param {string} mark
 * @param {number} timeoutMs
 * @returns {Promise<string | undefined>}
 */
function run({ file, args, argv0 }, env, mark, timeoutMs) {
  return new Promise((resolve) => {
    // A session of its own: an interactive shell would take the terminal.
    const stdio = /** @type {const} */ (['ignore', 'pipe', 'ignore']);
    const child = spawn(file, args, { argv0, env, detached: true, stdio: [...stdio] });
    const output = new Marked(mark);
    let isDone = false;
    let hasExited = false;

    const timer = setLimit(() => {
      // With an answer only a shell is left that does not end; else all that its profile started, too.
      if (!hasExited) kill(child, isDone ? 'shell' : 'group');
      finish(undefined);
    }, timeoutMs);

    const finish = (/** @type {string | undefined} */ found) => {
      resolve(found);
      isDone = true;
      child.stdout.destroy();
      child.unref();
      if (hasExited) clearTimeout(timer);
      else timer?.unref();
    };
    child.stdout.on('data', (chunk) => {
      if (isDone) return;
      output.push(chunk);
      if (output.isWhole) finish(output.text());
      else if (output.bytes > MAX_BYTES) {
        kill(child, 'group');
        finish(undefined);
      }
    });
    child.on('exit', () => {
      hasExited = true;
      if (isDone) clearTimeout(timer);
    });
    child.on('close', () => finish(undefined));
    child.on('error', () => {
      hasExited = true;
      finish(undefined);
    });
  });
}

/** What stands between the marks. */
class Marked {
  /** @type {Buffer[]} */
  #chunks = [];
  #tail = Buffer.alloc(0);
  #begin;
  #end;
  bytes = 0;
  isWhole = false;

  /** @param {string} mark */
  constructor(mark) {
    this.#begin = `${mark}=begin\0`;
    this.#end = `${mark}=end\0`;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    this.#chunks.push(chunk);
    this.bytes += chunk.length;
    const seen = Buffer.concat([this.#tail, chunk]);
    this.isWhole = seen.includes(this.#end);
    this.#tail = seen.subarray(-this.#end.length);
  }

  text() {
    const all = Buffer.concat(this.#chunks).toString();
    // The first: dash shows it again, as the last argument of the command before, in `_`.
    const start = all.indexOf(this.#begin);
    return start === -1 ? '' : all.slice(start + this.#begin.length, all.indexOf(this.#end, start));
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {'shell' | 'group'} what
 */
function kill({ pid }, what) {
  if (pid === undefined) return;
  try {
    process.kill(what === 'group' ? -pid : pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/**
 * @param {string} text variables, each ended by NUL
 * @returns {Environment | undefined} undefined for what is no environment
 */
function parse(text) {
  // PowerShell ends what a program printed with a line feed of its own.
  const entries = text.split('\0').map((entry) => entry.replace(/^\r?\n/u, ''));
  const variables = entries
    .filter((entry) => entry !== '')
    .map((entry) => entry.split(/=(.*)/su, 2));
  if (variables.length === 0 || variables.some(([, value]) => value === undefined))
    return undefined;
  return Object.fromEntries(variables);
}

/**
 * Without what this file and the shell itself added.
 * @param {Environment} found
 * @param {Environment} own
 * @returns {Environment}
 */
function settled(found, own) {
  const hints = Object.entries(HINTS).filter(([name, hint]) => found[name] === hint);
  const names = [...OF_THE_SHELL, ...hints.map(([name]) => name)];
  const { ...result } = found;
  for (const name of names) {
    const value = own[name];
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

/** @param {NodeJS.ProcessEnv} env */
function copyOf(env) {
  const pairs = Object.entries(env).filter(([, value]) => value !== undefined);
  return /** @type {Environment} */ (Object.fromEntries(pairs));
}

module.exports = { commandOf, loginShellEnv, parse };
