'use strict';
// Looks at tools as addTool() and a model do: what a model will see, what may be wrong, what is.

const { MiniMeError } = require('../errors');
const { isObject, member } = require('../json');
const { errorText } = require('../result');
const { Rehearsal } = require('../testing/rehearsal');
const { LONG_NAME } = require('../tools');
const { keywordNear } = require('./near');
const { parametersOf, typeOf, unknownRequired, valueAt } = require('./parameters');

/** What other libraries call `handle`. */
const OTHER_HANDLES = ['execute', 'run', 'handler'];

/**
 * @typedef {import('../../index').ModelTool} ModelTool
 * @typedef {import('../testing/rehearsal').Rehearsed} Rehearsed
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {string} type
 * @property {boolean} isRequired
 * @property {string} description
 *
 * @typedef {object} ReviewedTool
 * @property {ModelTool} view
 * @property {string} method
 * @property {Row[]} parameters
 *
 * @typedef {object} Warning
 * @property {string} code
 * @property {string} tool as the model calls it
 * @property {string} message
 *
 * @typedef {object} Problem
 * @property {string} [code]
 * @property {string} [where] the export it is in
 * @property {string} message
 *
 * @typedef {object} Report
 * @property {ReviewedTool[]} tools sorted by name, as the model has them
 * @property {Warning[]} warnings
 * @property {Problem[]} errors
 */

/**
 * @param {readonly import('./load').Source[]} sources
 * @returns {Report}
 */
function review(sources) {
  /** @type {Report} */
  const report = { tools: [], warnings: [], errors: [] };
  for (const source of sources) reviewSource(source, report);
  report.tools.sort((one, other) =>
    Buffer.compare(Buffer.from(one.view.name), Buffer.from(other.view.name)),
  );
  return report;
}

/**
 * @param {import('./load').Source} source
 * @param {Report} report
 */
function reviewSource({ namespace, tools }, report) {
  const rehearsal = new Rehearsal({ namespace });
  /** @type {Map<string, Rehearsed>} */
  const byName = new Map();
  for (const { where, definition } of tools) {
    try {
      const tool = rehearsal.lend(/** @type {import('../../index').AnyTool} */ (definition));
      byName.set(tool.native.modelName, tool);
    } catch (error) {
      report.errors.push({ where, ...withRemedy(problemOf(error), definition) });
    }
  }
  for (const view of rehearsal.modelTools()) {
    const tool = /** @type {Rehearsed} */ (byName.get(view.name));
    report.tools.push({ view, method: tool.native.method, parameters: rowsOf(view, tool) });
    report.warnings.push(...warningsOf(view, tool));
  }
}

/**
 * A tool whose function has another name is told which it should have.
 * @param {Problem} problem
 * @param {unknown} definition
 * @returns {Problem}
 */
function withRemedy(problem, definition) {
  if (problem.code !== 'MM_ERR_TOOL_HANDLE' || !isObject(definition)) return problem;
  const other = OTHER_HANDLES.find((name) => typeof definition[name] === 'function');
  if (other === undefined || 'handle' in definition) return problem;
  return { ...problem, message: `${problem.message}; call it handle, not ${other}` };
}

/**
 * A failure, as it is told.
 * @param {unknown} error
 * @returns {Problem}
 */
function problemOf(error) {
  const code = error instanceof MiniMeError ? { code: error.code } : {};
  return { ...code, message: errorText(error) };
}

/**
 * What a model reads of each parameter; that one is required it reads in the tool's description.
 * @param {ModelTool} view
 * @param {Rehearsed} tool
 * @returns {Row[]}
 */
function rowsOf(view, tool) {
  const given = [...parametersOf(tool.json.inputSchema)];
  const required = new Set(given.filter(({ isRequired }) => isRequired).map(({ name }) => name));
  return [...parametersOf(view.inputSchema)].map(({ name, schema }) => ({
    name,
    type: typeOf(schema),
    isRequired: required.has(name),
    description: descriptionOf(schema),
  }));
}

/**
 * @param {ModelTool} view
 * @param {Rehearsed} tool
 * @returns {Warning[]}
 */
function warningsOf(view, { native, json }) {
  /** @type {Warning[]} */
  const warnings = [];
  const warn = (/** @type {string} */ code, /** @type {string} */ message) =>
    warnings.push({ code, tool: view.name, message });
  const { length } = view.name;
  if (length > LONG_NAME) {
    warn(
      'tool-name-long',
      `expected a name of at most ${LONG_NAME} characters for the model, got ${length}`,
    );
  }
  if (!json.description)
    warn('no-description', `expected a description, the model reads: ${view.description}`);
  if (native.stray.length > 0) {
    const names = native.stray.map(withKeyword).join(', ');
    warn(
      'schema-stray',
      `expected parameters under "properties" of the schema, got beside it: ${names}`,
    );
  }
  // Those beside "properties" were told.
  const unknown = native.stray.length > 0 ? [] : unknownRequired(json.inputSchema);
  if (unknown.length > 0) {
    const names = unknown.join(', ');
    warn('required-unknown', `expected required parameters to be under "properties", got ${names}`);
  }
  const told = new Map(
    [...parametersOf(view.inputSchema)].map(({ name, schema }) => [name, descriptionOf(schema)]),
  );
  const bare = [...parametersOf(json.inputSchema)].filter(({ schema }) => !isDescribed(schema));
  for (const { name } of bare) {
    const words = told.get(name);
    if (words)
      warn('no-enum-description', `expected a description of ${name}, the model reads: ${words}`);
  }
  const silent = bare.filter(({ name }) => !told.get(name)).map(({ name }) => name);
  if (silent.length > 0)
    warn('no-parameter-description', `expected a description of ${silent.join(', ')}`);
  const isEmpty = (/** @type {string} */ pointer) => isEmptyEnum(json.inputSchema, pointer);
  for (const pointer of native.lossy.filter(isEmpty)) {
    warn('enum-empty', `expected values in ${pointer} of the schema, got none; no argument fits`);
  }
  const lossy = native.lossy.filter((pointer) => !isEmpty(pointer));
  if (lossy.length > 0) {
    const lost = lossy.join(', ');
    warn(
      'tool-schema-lossy',
      `the model does not see ${lost} of the schema; say it in a description`,
    );
  }
  return warnings;
}

/** @param {string} stray a member beside `properties` */
function withKeyword(stray) {
  const keyword = keywordNear(stray);
  return keyword === undefined ? stray : `${stray} (did you mean ${keyword}?)`;
}

/**
 * @param {unknown} schema
 * @param {string} pointer
 */
function isEmptyEnum(schema, pointer) {
  const value = valueAt(schema, pointer);
  return pointer.endsWith('/enum') && Array.isArray(value) && value.length === 0;
}

/** @param {unknown} schema */
function descriptionOf(schema) {
  const description = member(schema, 'description');
  return typeof description === 'string' ? description : '';
}

/**
 * Whether a parameter is described: itself, by what it refers to, or in one of its alternatives.
 * @param {unknown} schema
 */
function isDescribed(schema) {
  if (!isObject(schema)) return false;
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].flat();
  return [schema, ...alternatives].some((part) => descriptionOf(part) || member(part, '$ref'));
}

module.exports = { problemOf, review };
