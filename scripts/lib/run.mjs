// Child processes, for the scripts: started, waited for, and never without a word when they cannot start.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ScriptError } from './say.mjs';

/** The project's folder, where every command runs unless told otherwise. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {Record<string, string>} [env] added to the script's own
 * @property {boolean} [quiet] collects stderr too instead of showing it
 */

/**
 * Runs a command with the script's own stdio.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<number>} its exit status; 128 and the signal's number when a signal ended it
 */
export async function run(command, args, options = {}) {
  const child = start(command, args, 'inherit', options);
  // Ctrl+C reaches the child by itself: the script must outlive it to pass its status on.
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  try {
    return await exitStatus(child, command);
  } finally {
    process.off('SIGINT', ignore);
  }
}

/**
 * Runs a command and collects what it prints.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ status: number, stdout: string, stderr: string }>} `stderr` is empty unless `quiet`
 */
export async function capture(command, args, options = {}) {
  const stderrTo = options.quiet ? 'pipe' : 'inherit';
  const child = start(command, args, ['ignore', 'pipe', stderrTo], options);
  const output = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name]?.setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk;
    });
  }
  const status = await exitStatus(child, command);
  return { status, ...output };
}

/**
 * Says whether a command can be started here at all.
 * @param {string} command
 * @param {readonly string[]} args some that only print, such as `--version`
 * @returns {Promise<string | undefined>} what it printed; undefined when it is absent or fails
 */
export async function probe(command, args) {
  try {
    const { status, stdout } = await capture(command, args, { quiet: true });
    return status === 0 ? stdout.trim() : undefined;
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}

/**
 * npm itself: the one that runs this script, else that of PATH.
 * @param {readonly string[]} args
 * @returns {{ command: string, args: string[] }}
 */
export function npmCommand(args) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) return { command: process.execPath, args: [cli, ...args] };
  // Windows has npm as a batch file, which only a shell can start.
  if (process.platform === 'win32') {
    return { command: process.env.ComSpec ?? 'cmd.exe', args: ['/d', '/c', 'npm', ...args] };
  }
  return { command: 'npm', args: [...args] };
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').StdioOptions} stdio
 * @param {RunOptions} options
 */
function start(command, args, stdio, { cwd = ROOT, env }) {
  return spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio });
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} command
 * @returns {Promise<number>}
 */
function exitStatus(child, command) {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(
        new ScriptError(`expected to run \`${command}\`, could not: ${error.message}`, {
          cause: error,
        }),
      );
    });
    child.once('close', (status, signal) => {
      resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
