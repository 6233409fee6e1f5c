'use strict';
// Runs a module in a Node.js of its own: jest can load neither ES modules nor what it already holds anew.

const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');

const ROOT = path.resolve(__dirname, '../..');

/**
 * Evaluates the source of an ES module in the project's folder, where it may import the package by name.
 * @param {string} source
 * @returns {Promise<unknown>} the JSON that it prints
 */
async function evaluate(source) {
  const args = ['--input-type=module', '--eval', source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  return JSON.parse(stdout);
}

module.exports = { evaluate };
