'use strict';
// Checks what a program gives to `new MiniMe()` and to calls, and fills in defaults.

const path = require('node:path');
const { createError } = require('./errors');
const { LONGEST_MS } = require('./schedule');

const MIB = 1024 * 1024;
const TIMES = `to ${LONGEST_MS}, or Infinity`;
const POLICIES = ['client-tools', 'reject-all', 'allow-all'];

const isString = (value) => typeof value === 'string';
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isFunction = (value) => typeof value === 'function';
const isTime = (value) =>
  value === Infinity || (typeof value === 'number' && value >= 0 && value <= LONGEST_MS);
const isSize = (value) => Number.isSafeInteger(value) && value > 0;
const isSignal = (value) => isObject(value) && isFunction(value.addEventListener);

/** Each option: what it must be, in words and as a check. */
const OPTIONS = {
  command: ['a program, not empty', (value) => isString(value) && value !== ''],
  args: ['an array of strings', (value) => Array.isArray(value) && value.every(isString)],
  cwd: ['a folder, not empty', (value) => isString(value) && value !== ''],
  env: ['an object of strings', isEnvironment],
  inheritEnv: ['true or false', (value) => typeof value === 'boolean'],
  discovery: ['"meta" or "request"', (value) => value === 'meta' || value === 'request'],
  tools: ['an array of tools, or a function', (value) => Array.isArray(value) || isFunction(value)],
  namespace: ['a reverse-DNS name', (value) => isString(value) && /^[A-Za-z0-9._-]+$/.test(value)],
  permissions: [
    `one of ${POLICIES.join(', ')}, or a function`,
    (value) => POLICIES.includes(value) || isFunction(value),
  ],
  clientInfo: [
    'an object with name and version',
    (value) => isObject(value) && isString(value.name) && isString(value.version),
  ],
  capabilities: ['an object', isObject],
  startTimeoutMs: [`a number of ms, 0 ${TIMES}`, isTime],
  closeTimeoutMs: [`a number of ms, 0 ${TIMES}`, isTime],
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
  namespace: 'mini-me-client',
  startTimeoutMs: 120_000,
  closeTimeoutMs: 2_000,
  maxIncomingBytes: 64 * MIB,
  // The most acp-go-sdk 0.13.5, which mm uses, reads in one line.
  maxOutgoingBytes: 10_485_760,
};

function isEnvironment(value) {
  const isValue = (member) => member === undefined || isString(member);
  return isObject(value) && Object.values(value).every(isValue);
}

function show(value) {
  if (isFunction(value)) return 'a function';
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function check(where, known, given) {
  if (!isObject(given)) {
    throw createError('MM_ERR_OPTION', `${where}: expected an object, got ${show(given)}`);
  }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) {
      const names = Object.keys(known).join(', ');
      const message = `${where}: expected options among ${names}; got ${name}`;
      throw createError('MM_ERR_OPTION', message, { option: name });
    }
    const [expected, isValid] = known[name];
    if (value !== undefined && !isValid(value)) {
      const message = `${where}: expected ${name} to be ${expected}; got ${show(value)}`;
      throw createError('MM_ERR_OPTION', message, { option: name });
    }
  }
}

/** The given members that are not undefined, over the defaults. */
function fill(defaults, given) {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(present) };
}

/** The options of a client, whole. */
function clientOptions(given = {}) {
  check('MiniMe', OPTIONS, given);
  const options = fill(DEFAULTS, given);
  if (isFunction(options.tools) && options.discovery !== 'request') {
    const message = 'MiniMe: expected tools to be an array with discovery "meta"; got a function';
    throw createError('MM_ERR_OPTION', message, { option: 'tools' });
  }
  return options;
}

const CALL_OPTIONS = {
  signal: OPTIONS.signal,
  timeoutMs: [`a number of ms, over 0, ${TIMES}`, (value) => isTime(value) && value > 0],
};
const SESSION_OPTIONS = {
  ...CALL_OPTIONS,
  cwd: OPTIONS.cwd,
  mcpServers: ['an array', Array.isArray],
  additionalDirectories: OPTIONS.args,
  tools: ['an array of tools', Array.isArray],
  params: ['an object', isObject],
};
const LOAD_OPTIONS = { ...SESSION_OPTIONS, onReplay: ['a function', isFunction] };
const CANCEL_OPTIONS = { timeoutMs: [`a number of ms, 0 ${TIMES}`, isTime] };

function checked(where, known) {
  return (given = {}) => {
    check(where, known, given);
    return fill({}, given);
  };
}

/** `cwd` as it goes to the agent: absolute. */
function absolute(folder) {
  return path.resolve(folder ?? process.cwd());
}

module.exports = {
  clientOptions,
  callOptions: checked('options', CALL_OPTIONS),
  sessionOptions: checked('session options', SESSION_OPTIONS),
  loadOptions: checked('loadSession options', LOAD_OPTIONS),
  cancelOptions: checked('cancel options', CANCEL_OPTIONS),
  absolute,
  show,
};
