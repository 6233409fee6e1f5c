'use strict';
// Loads a module and finds the tools among its exports. Knows nothing of what makes a tool good.

const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { isObject, member } = require('../json');
const { lentBy } = require('../mini-me');
const { errorText } = require('../result');

/**
 * @typedef {import('../../index').AnyTool} AnyTool
 *
 * Tools that would be lent by one client.
 * @typedef {object} Source
 * @property {string | undefined} namespace undefined for the default
 * @property {{ where: string, definition: unknown }[]} tools `where` is the name of the export
 */

/** With one of these beside its name an object is meant for a tool, whatever is wrong with it. */
const SIGNS = ['description', 'method', 'inputSchema', 'execute', 'run', 'handler', 'parameters'];
/** So many names of exports a message has at most. */
const MOST_NAMES = 10;

/**
 * The tools that a module exports: first those of no client, then those of each.
 * @param {string} request a path, or the name of a package
 * @param {string} cwd
 * @returns {Promise<Source[]>}
 */
async function loadModule(request, cwd) {
  const file = resolve(request, cwd);
  if (file.endsWith('.json')) {
    const remedy = 'give a module (.js, .mjs, .cjs) that exports the tools';
    throw new Error(`expected ${request} to be a module, got a JSON file; ${remedy}`);
  }
  let exported;
  try {
    exported = new Map(Object.entries(await import(pathToFileURL(file).href)));
  } catch (error) {
    throw loadError(request, file, error);
  }
  const sources = sourcesOf(exported);
  if (sources.some(({ tools }) => tools.length > 0)) return sources;
  throw new Error(
    `expected ${request} to export tools (objects with name and handle), arrays of them, or a MiniMe ` +
      `of this copy of mini-me-client that lends some; got ${cameOf(exported)}`,
  );
}

/**
 * @param {string} request
 * @param {string} cwd
 */
function resolve(request, cwd) {
  const wanted = path.resolve(cwd, request);
  const isPath =
    /^\.{0,2}[\\/]/u.test(request) || path.isAbsolute(request) || fs.existsSync(wanted);
  try {
    return createRequire(path.join(cwd, 'check')).resolve(isPath ? wanted : request);
  } catch (error) {
    if (member(error, 'code') === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
      const remedy = 'give the path of the file that does';
      throw new Error(`expected the package ${request} to export tools to require(); ${remedy}`);
    }
    const place = isPath ? `a module at ${wanted}` : `a file or a package ${request} from ${cwd}`;
    throw new Error(`expected ${place}, found none`);
  }
}

/**
 * @param {string} request
 * @param {string} file
 * @param {unknown} error
 */
function loadError(request, file, error) {
  if (member(error, 'code') === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts$/u.test(file)) {
    const remedy = 'give the compiled file, or use Node.js 22.18 or later';
    return new Error(`${request}: Node.js ${process.version} does not run TypeScript; ${remedy}`);
  }
  const name = error instanceof Error ? `${error.name}: ` : '';
  return new Error(`cannot load ${request}: ${name}${errorText(error)}${placeOf(error)}`);
}

/**
 * The first place of the stack that is in a file of the user's.
 * @param {unknown} error
 */
function placeOf(error) {
  const stack = member(error, 'stack');
  const lines = typeof stack === 'string' ? stack.split('\n') : [];
  // A syntax error has its place before the message.
  const place = lines.find(
    (line) =>
      /^(?:file:|\/|[A-Za-z]:\\).*:\d+$|^ +at .*:\d+:\d+\)?$/u.test(line) && !/node:/u.test(line),
  );
  return place === undefined ? '' : `\n  ${place.trim()}`;
}

/**
 * What a module without tools exports, in words.
 * @param {ReadonlyMap<string, unknown>} exported
 */
function cameOf(exported) {
  const names = namesOf(exported);
  const isFunction = (/** @type {string} */ name) => typeof exported.get(name) === 'function';
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  const listed = `the exports ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
  const came = names.join() === 'default' && isFunction('default') ? 'a function' : listed;
  if (names.length === 0) return 'no exports';
  if (!names.some(isFunction)) return came;
  return `${came}; what functions of tools give cannot be checked, since they need a session`;
}

/**
 * The names as their author knows them: of CommonJS the namespace has the whole beside its members.
 * @param {ReadonlyMap<string, unknown>} exported
 */
function namesOf(exported) {
  const names = [...exported.keys()].filter((name) => name !== 'module.exports');
  const others = names.filter((name) => name !== 'default');
  return others.length > 0 ? others : names;
}

/**
 * @param {ReadonlyMap<string, unknown>} exported
 * @returns {Source[]}
 */
function sourcesOf(exported) {
  /** @type {Source} */
  const loose = { namespace: undefined, tools: [] };
  /** @type {Source[]} */
  const ofClients = [];
  const seen = new Set();
  for (const [where, value] of candidatesOf(exported)) {
    if (seen.has(value)) continue;
    seen.add(value);
    const client = isObject(value) ? lentBy(value) : undefined;
    if (client !== undefined) {
      const tools = client.definitions.map((definition) => ({ where, definition }));
      ofClients.push({ namespace: client.namespace, tools });
    } else if (Array.isArray(value) && value.some(isTool)) {
      value.forEach((definition, at) => {
        if (!seen.has(definition)) loose.tools.push({ where: `${where}[${at}]`, definition });
        if (isObject(definition)) seen.add(definition);
      });
    } else if (isTool(value)) loose.tools.push({ where, definition: value });
  }
  return [loose, ...ofClients.map((source) => without(source, loose))];
}

/**
 * The exports; of a default export that is a plain object, also its members: so CommonJS has them.
 * @param {ReadonlyMap<string, unknown>} exported
 * @returns {[where: string, value: unknown][]}
 */
function candidatesOf(exported) {
  const { default: whole, 'module.exports': _, ...named } = Object.fromEntries(exported);
  const isMap = isObject(whole) && lentBy(whole) === undefined && isMapOfExports(whole);
  // These first: they are in the order of the module, where names of a namespace are sorted.
  const first = isMap ? Object.entries(whole) : [['default', whole]];
  return [.../** @type {[string, unknown][]} */ (first), ...Object.entries(named)];
}

/**
 * Whether it is no tool itself; a module that has a name and a description may hold tools.
 * @param {Record<string, unknown>} whole
 */
function isMapOfExports(whole) {
  if ('handle' in whole) return false;
  return !isTool(whole) || Object.values(whole).flat().some(isLendable);
}

/** @param {unknown} value */
function isLendable(value) {
  return isObject(value) && (isTool(value) || lentBy(value) !== undefined);
}

/** @param {unknown} value */
function isTool(value) {
  if (!isObject(value)) return false;
  return 'handle' in value || ('name' in value && SIGNS.some((sign) => sign in value));
}

/**
 * A tool that is exported, and lent by a client that is exported too, is shown once.
 * @param {Source} source
 * @param {Source} loose
 * @returns {Source}
 */
function without(source, loose) {
  const handlers = new Set(loose.tools.map(({ definition }) => member(definition, 'handle')));
  const tools = source.tools.filter(
    ({ definition }) => !handlers.has(member(definition, 'handle')),
  );
  return { ...source, tools };
}

module.exports = { loadModule };
