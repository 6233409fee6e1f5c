'use strict';
// Asks the user's login shell for its environment. An app started from a dock has none of what the
// shell's profile sets: a PATH of its own, keys, proxies.

const { spawn } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const os = require('node:os');
const path = require('node:path');
const { isTime } = require('./options');
const { check } = require('./rules');
const { clearTimeout, setLimit } = require('./schedule');
const { Marked, commandOf, parse } = require('./shell-command');

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

/** @satisfies {import('./rules').Rules} */
const OPTIONS = {
  timeoutMs: ['a number of ms, over 0', (value) => isTime(value) && value !== 0],
};

/**
 * @typedef {import('./shell-command').Command} Command
 * @typedef {import('./shell-command').Environment} Environment
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

module.exports = { loginShellEnv };
