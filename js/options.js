'use strict';
// Checks what a program gives to `new MiniMe()` and to calls, and fills in defaults.

const path = require('node:path');
const { createError } = require('./errors');
const { isObject, isText } = require('./json');
const { stringify } = require('./result');
const { check, fill } = require('./rules');
const { show, showKind } = require('./show');

const MIB = 1024 * 1024;
/** Of JSON that the native side reads whole: it takes 127, and some are around it. */
const MOST_LEVELS = 64;
const TERMINAL = ['create', 'output', 'waitForExit', 'kill', 'release'];
/** @type {readonly unknown[]} */
const CARRIERS = ['mini-me', 'mcp', 'auto'];
const POLICIES = ['client-tools', 'reject-all', 'allow-all'];

/**
 * @typedef {import('./rules').Rule} Rule
 * @typedef {import('./rules').Rules} Rules
 */

/** @param {unknown} value */
const isFunction = (value) => typeof value === 'function';
/** @param {unknown} value */
const isTime = (value) => typeof value === 'number' && value >= 0;
/**
 * @param {unknown} value
 * @returns {value is number}
 */
const isSize = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
/** @param {unknown} value */
const isSignal = (value) => isObject(value) && isFunction(value.addEventListener);

/**
 * Every option there is, and none that does nothing.
 * @satisfies {Record<keyof import('../index').MiniMeOptions, Rule>}
 */
const OPTIONS = {
  command: ['a program, not empty', (value) => isText(value) && value !== ''],
  args: ['an array of strings', (value) => Array.isArray(value) && value.every(isText)],
  cwd: ['a folder, not empty', (value) => isText(value) && value !== ''],
  env: ['an object of strings by names of variables', isEnvironment, showEnvironment],
  inheritEnv: ['true or false', (value) => typeof value === 'boolean'],
  discovery: ['"meta" or "request"', (value) => value === 'meta' || value === 'request'],
  carrier: ['"mini-me", "mcp" or "auto"', (value) => CARRIERS.includes(value)],
  tools: ['an array of tools, or a function', (value) => Array.isArray(value) || isFunction(value)],
  namespace: ['a reverse-DNS name', (value) => isText(value) && /^[A-Za-z0-9._-]+$/.test(value)],
  permissions: [
    `one of ${POLICIES.join(', ')}, or a function`,
    (value) => (isText(value) && POLICIES.includes(value)) || isFunction(value),
  ],
  fs: [
    'an object with readTextFile or writeTextFile, functions',
    (value) => hasHandlers(value, ['readTextFile', 'writeTextFile']),
  ],
  terminal: [
    `true or false, or an object with ${TERMINAL.join(', ')}, functions`,
    (value) => typeof value === 'boolean' || isTerminal(value),
  ],
  elicitation: [
    'an object with form or url, functions',
    (value) => hasHandlers(value, ['form', 'url']),
  ],
  clientInfo: [
    `an object with name and version, of JSON values, ${MOST_LEVELS} levels deep at most`,
    (value) =>
      isObject(value) &&
      isJson(value) &&
      isText(value.name) &&
      isText(value.version) &&
      (value.title === undefined || isText(value.title)),
  ],
  capabilities: [
    `an object of JSON values, ${MOST_LEVELS} levels deep at most`,
    (value) => isObject(value) && isJson(value),
  ],
  startTimeoutMs: ['a number of ms, 0 or more', isTime],
  closeTimeoutMs: ['a number of ms, 0 or more', isTime],
  maxIncomingBytes: ['a whole number of bytes, over 0', isSize],
  maxOutgoingBytes: ['a whole number of bytes, over 0', isSize],
  signal: ['an AbortSignal', isSignal],
  trace: ['a function', isFunction],
};

const DEFAULTS = {
  args: ['-acp'],
  env: {},
  inheritEnv: true,
  discovery: 'meta',
  carrier: 'mini-me',
  namespace: 'mini-me-client',
  startTimeoutMs: 120_000,
  closeTimeoutMs: 2_000,
  maxIncomingBytes: 64 * MIB,
  // The most acp-go-sdk 0.13.5, which mm uses, reads in one line.
  maxOutgoingBytes: 10_485_760,
};

/**
 * Whether a value is an object of functions under these names alone.
 * @param {unknown} value
 * @param {readonly string[]} names
 * @returns {value is Record<string, unknown>}
 */
function hasHandlers(value, names) {
  if (!isObject(value)) return false;
  const isHandler = (/** @type {[string, unknown]} */ [name, handler]) =>
    names.includes(name) && (handler === undefined || isFunction(handler));
  return Object.entries(value).every(isHandler);
}

/** @param {unknown} value */
function isTerminal(value) {
  return hasHandlers(value, TERMINAL) && TERMINAL.every((name) => isFunction(value[name]));
}

/** @param {unknown} value */
function isEnvironment(value) {
  return isObject(value) && !isCollection(value) && Object.entries(value).every(isVariable);
}

/**
 * A Map of variables would be an object without any.
 * @param {object} value
 */
function isCollection(value) {
  return Symbol.iterator in value;
}

/** @param {[name: string, value: unknown]} variable */
function isVariable([name, value]) {
  return isVariableName(name) && (value === undefined || (isText(value) && !value.includes('\0')));
}

/**
 * The system keeps a variable as `name=value`: of `A=B` with `c` it would make `A` with `B=c`.
 * @param {string} name
 */
function isVariableName(name) {
  return isText(name) && /^[^=\0]+$/u.test(name);
}

/**
 * Values are not shown: they may be secrets. What is behind `=` in a name may be one, too.
 * @param {unknown} value
 */
function showEnvironment(value) {
  if (!isObject(value)) return showKind(value);
  if (isCollection(value))
    return 'an iterable, as a Map is; Object.fromEntries() makes an object of it';
  const [name = '', wrong] = Object.entries(value).find((member) => !isVariable(member)) ?? [];
  const shown = name.replace(/=.*$/su, '=…');
  if (!isVariableName(name)) return `a name that is empty, or has "=" or NUL: ${show(shown)}`;
  if (typeof wrong !== 'string') return `${showKind(wrong)} for ${name}`;
  return `text ${isText(wrong) ? 'with NUL' : 'that is no Unicode'} for ${name}`;
}

/** @param {unknown} value */
function isJson(value) {
  try {
    const json = stringify(value, 'value');
    return json !== undefined && hasLevels(JSON.parse(json), MOST_LEVELS);
  } catch {
    return false;
  }
}

/**
 * Whether arrays and objects are nested no deeper than this.
 * @param {unknown} value
 * @param {number} levels
 * @returns {boolean}
 */
function hasLevels(value, levels) {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => hasLevels(member, levels - 1));
}

/**
 * The options of a client, whole.
 * @param {unknown} given
 */
function clientOptions(given) {
  check('MiniMe', OPTIONS, given);
  /** @type {unknown} */
  const options = fill(DEFAULTS, given);
  const checked = /** @type {import('./types').CheckedOptions} */ (options);
  const { carrier, discovery, tools } = checked;
  if (typeof tools === 'function' && (discovery !== 'request' || carrier !== 'mini-me')) {
    const way = carrier === 'mini-me' ? `discovery "${discovery}"` : `carrier "${carrier}"`;
    const message = `MiniMe: expected tools to be an array with ${way}; got a function`;
    throw createError('MM_ERR_OPTION', message, { option: 'tools' });
  }
  return checked;
}

/** @satisfies {Record<keyof import('../index').CallOptions, Rule>} */
const CALL_OPTIONS = {
  signal: OPTIONS.signal,
  timeoutMs: ['a number of ms, over 0', (value) => isTime(value) && value !== 0],
};
/** @satisfies {Record<keyof import('../index').SessionOptions, Rule>} */
const SESSION_OPTIONS = {
  ...CALL_OPTIONS,
  cwd: OPTIONS.cwd,
  // Their headers and variables may be secrets.
  mcpServers: ['an array', Array.isArray, showKind],
  additionalDirectories: OPTIONS.args,
  tools: ['an array of tools', Array.isArray],
  params: ['an object', isObject],
};
/** @satisfies {Rules} */
const LOAD_OPTIONS = { ...SESSION_OPTIONS, onReplay: ['a function', isFunction] };
/** @satisfies {Rules} */
const LIST_OPTIONS = { cwd: OPTIONS.cwd };
/** @satisfies {Rules} */
const CANCEL_OPTIONS = { timeoutMs: ['a number of ms, 0 or more', isTime] };

/**
 * @param {unknown} given
 * @returns {import('./types').CheckedCallOptions}
 */
function callOptions(given) {
  check('options', CALL_OPTIONS, given);
  return fill({}, given);
}

/**
 * @param {unknown} given
 * @returns {import('./types').CheckedSessionOptions}
 */
function sessionOptions(given) {
  check('session options', SESSION_OPTIONS, given);
  return fill({}, given);
}

/**
 * @param {unknown} given
 * @returns {import('./types').CheckedLoadOptions}
 */
function loadOptions(given) {
  check('session options', LOAD_OPTIONS, given);
  return fill({}, given);
}

/**
 * @param {unknown} given
 * @returns {{ cwd?: string }}
 */
function listOptions(given) {
  check('listSessions options', LIST_OPTIONS, given);
  return fill({}, given);
}

/**
 * Checks the id of a session that a program names.
 * @param {unknown} id
 * @returns {asserts id is string}
 */
function checkId(id) {
  checkWord('id', 'the id of a session', id);
}

/**
 * Checks an argument that is a word of the agent's.
 * @param {string} name of the argument
 * @param {string} what it is
 * @param {unknown} value
 * @returns {asserts value is string}
 */
function checkWord(name, what, value) {
  if (typeof value === 'string' && value !== '') return;
  const message = `expected ${what}, not empty; got ${show(value)}`;
  throw createError('MM_ERR_OPTION', message, { option: name });
}

/**
 * @param {unknown} given
 * @returns {{ timeoutMs?: number }}
 */
function cancelOptions(given) {
  check('cancel options', CANCEL_OPTIONS, given);
  return fill({}, given);
}

/**
 * `cwd` as it goes to the agent: absolute.
 * @param {string | undefined} folder
 */
function absolute(folder) {
  return path.resolve(folder ?? process.cwd());
}

module.exports = {
  OPTIONS,
  clientOptions,
  callOptions,
  sessionOptions,
  loadOptions,
  listOptions,
  cancelOptions,
  checkId,
  checkWord,
  absolute,
  isSize,
  isTime,
};
