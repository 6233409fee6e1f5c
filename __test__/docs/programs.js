'use strict';
// Runs the programs that documents show, with the stand-in as their `mm`.

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');

const ROOT = path.join(__dirname, '../..');
const STAND_IN = path.join(ROOT, 'js/stand-in.js');

/** What MM_BIN can name: Windows starts no .js file. */
function standIn() {
  if (process.platform !== 'win32') return STAND_IN;
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-docs-')), 'mm.cmd');
  fs.writeFileSync(file, `@"${process.execPath}" "${STAND_IN}" %*\r\n`);
  return file;
}

/**
 * Runs a program in its own folder; rejects when it fails.
 * @param {string} file from the project's folder
 * @param {string[]} args
 * @param {Record<string, string>} variables
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
function runProgram(file, args = [], variables = {}) {
  const env = { ...process.env, MM_BIN: standIn(), ...variables };
  const absolute = path.join(ROOT, file);
  const options = { env, cwd: path.dirname(absolute) };
  return promisify(execFile)(process.execPath, [absolute, ...args], options);
}

module.exports = { ROOT, runProgram };
