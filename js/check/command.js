'use strict';
// The sub-command `check`: loads a module, looks at its tools, prints what it found, ends the process.

const fs = require('node:fs');
const { loadModule } = require('./load');
const { printed } = require('./print');
const { problemOf, review } = require('./review');

/** Columns of a report that goes to no terminal. */
const DEFAULT_COLUMNS = 100;
/** A module that takes longer waits for something that does not come. */
const LOAD_TIMEOUT_MS = 60_000;

/**
 * Ends the process with status 1 when there are errors, else 0: the module may have opened what would
 * keep it alive.
 * @param {string} request a path, or the name of a package
 * @param {{ isJson: boolean, loadTimeoutMs?: number }} options
 */
async function check(request, { isJson, loadTimeoutMs = LOAD_TIMEOUT_MS }) {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  // What the module prints while it loads must not be in the document.
  if (isJson) stdout.write = process.stderr.write.bind(process.stderr);
  const tell = () => tellUnfinished(isJson);
  process.once('exit', tell);
  const report = await reportOn(request, loadTimeoutMs);
  process.off('exit', tell);
  const text = isJson
    ? documentOf(report)
    : printed(report, { columns: stdout.columns ?? DEFAULT_COLUMNS, isColored: isColored() });
  write(text, () => process.exit(report.errors.length > 0 ? 1 : 0));
}

/**
 * @param {string} request
 * @param {number} loadTimeoutMs
 */
async function reportOn(request, loadTimeoutMs) {
  try {
    return review(await Promise.race([loadModule(request, process.cwd()), late(loadTimeoutMs)]));
  } catch (error) {
    return { tools: [], warnings: [], errors: [problemOf(error)] };
  }
}

/**
 * Rejects after so long; keeps no process that has nothing else to do.
 * @param {number} ms
 * @returns {Promise<never>}
 */
function late(ms) {
  return new Promise((_, reject) => {
    const error = new Error(`expected the module to load, it had not after ${ms} ms`);
    setTimeout(() => reject(error), ms).unref();
  });
}

/** @param {import('./review').Report} report */
function documentOf({ tools, warnings, errors }) {
  const document = { tools: tools.map(({ view }) => view), warnings, errors };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/**
 * The document of an error that came before any tool was seen.
 * @param {string} message
 */
function failureDocument(message) {
  return documentOf({ tools: [], warnings: [], errors: [{ message }] });
}

/**
 * The module called process.exit(), or awaits what nothing will settle: no other way leads here.
 * @param {boolean} isJson
 */
function tellUnfinished(isJson) {
  const message = 'expected the module to load, the process ended before it had';
  if (isJson) fs.writeSync(1, failureDocument(message));
  else fs.writeSync(2, `error: ${message}\n`);
  process.exitCode = 1;
}

function isColored() {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}

module.exports = { check, failureDocument };
