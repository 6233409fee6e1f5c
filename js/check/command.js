'use strict';
// The sub-command `check`: loads a module, looks at its tools, prints what it found, ends the process.

const fs = require('node:fs');
const { loadModule } = require('./load');
const { printed } = require('./print');
const { problemOf, review } = require('./review');

/** Columns of a report that goes to no terminal. */
const DEFAULT_COLUMNS = 100;

/**
 * Ends the process with status 1 when there are errors, else 0: the module may have opened what would
 * keep it alive.
 * @param {string} request a path, or the name of a package
 * @param {{ isJson: boolean }} options
 */
async function check(request, { isJson }) {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  // What the module prints while it loads must not be in the document.
  if (isJson) stdout.write = process.stderr.write.bind(process.stderr);
  const tell = () => tellUnfinished(isJson);
  process.once('exit', tell);
  const report = await reportOn(request);
  process.off('exit', tell);
  const text = isJson
    ? documentOf(report)
    : printed(report, { columns: stdout.columns ?? DEFAULT_COLUMNS, isColored: isColored() });
  write(text, () => process.exit(report.errors.length > 0 ? 1 : 0));
}

/** @param {string} request */
async function reportOn(request) {
  try {
    return review(await loadModule(request, process.cwd()));
  } catch (error) {
    return { tools: [], warnings: [], errors: [problemOf(error)] };
  }
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
