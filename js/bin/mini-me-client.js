#!/usr/bin/env node
'use strict';
// The command `mini-me-client`: reads its command line, and leaves the rest to its sub-commands.

const { parseArgs } = require('node:util');
const { check, failureDocument } = require('../check/command');
const { version } = require('../../package.json');

const USAGE = `usage: mini-me-client check MODULE [--json]

  check MODULE   shows what a model will see of the tools that a module exports, and
                 what may be wrong with them. MODULE is a path or the name of a
                 package. It is loaded, and none of its tools is called.
  --json         prints one JSON document instead: {tools, warnings, errors}
  --help         prints this
  --version      prints the version of mini-me-client

Exit status: 0 without errors, also with warnings; 1 with errors; 2 for a wrong command line.
`;

const OPTIONS = /** @type {const} */ ({
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
});

/** A command line that asks for nothing there is. */
class UsageError extends Error {}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const [, came] = /'(-[^']*)'/u.exec(message) ?? [];
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || came === undefined) throw error;
    const names = Object.keys(OPTIONS).map((name) => `--${name}`);
    throw new UsageError(`expected options among ${names.join(', ')}; got ${came}`);
  }
}

/**
 * What the command line asks for.
 * @param {string[]} args
 */
function read(args) {
  const { values, positionals } = parse(args);
  const [command, ...operands] = positionals;
  if (values.help || values.version) return { ...values, operands };
  if (command !== 'check') {
    const came = command === undefined ? 'none' : JSON.stringify(command);
    throw new UsageError(`expected the command check, got ${came}`);
  }
  if (operands.length !== 1) {
    throw new UsageError(`check: expected one module, got ${operands.length || 'none'}`);
  }
  return { ...values, operands };
}

async function main() {
  const args = process.argv.slice(2);
  let asked;
  try {
    asked = read(args);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`error: ${message}\n\n${USAGE}`);
    if (args.includes('--json')) process.stdout.write(failureDocument(message));
    process.exitCode = 2;
    return;
  }
  if (asked.help) process.stdout.write(USAGE);
  else if (asked.version) process.stdout.write(`${version}\n`);
  else await check(asked.operands[0] ?? '', { isJson: asked.json === true });
}

void main();
