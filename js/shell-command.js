'use strict';
// What a shell is asked to print its environment, and how its answer is read. Pure.

const path = require('node:path');

/**
 * @typedef {Record<string, string>} Environment
 * @typedef {{ file: string, args: string[], argv0: string }} Command
 */

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

module.exports = { Marked, commandOf, parse };
