'use strict';
// Checks what a script says, before anything of it is done: docs/stand-in.md, "A script". Each kind of
// step is known by its member: `{ "text": "..." }`.

const { isObject } = require('../json');
const { LONGEST_MS } = require('../schedule');
const { show } = require('../show');

/**
 * @typedef {import('./types').View} View
 * @typedef {(view: View, signal: AbortSignal) => unknown} StepsOf
 * @typedef {readonly unknown[] | StepsOf} ScriptedPrompt
 *
 * @typedef {object} Script
 * @property {readonly ScriptedPrompt[]} prompts
 * @property {Readonly<Record<string, readonly unknown[]>>} before
 * @property {boolean} repeat
 * @property {boolean} ignoreEnd
 *
 * @typedef {keyof typeof KINDS} Kind
 * @typedef {keyof typeof FAULTS} Fault
 *
 * What a member must be, in words and as a check.
 * @typedef {readonly [expected: string, isValid: (value: unknown) => boolean]} Rule
 */

/** What the system keeps of an exit status. */
const LARGEST_STATUS = 255;

const MEMBERS = ['prompts', 'before', 'repeat', 'ignoreEnd'];

/** The requests of ACP that a client makes; those of one's own begin with `_`. */
const METHODS = [
  'initialize',
  'authenticate',
  'logout',
  'session/new',
  'session/load',
  'session/resume',
  'session/list',
  'session/close',
  'session/delete',
  'session/set_mode',
  'session/set_config_option',
  'session/prompt',
];

const isString = (/** @type {unknown} */ value) => typeof value === 'string';
const isName = (/** @type {unknown} */ value) => isString(value) && value !== '';
const isCount = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && Number(value) > 0;
const isStatus = (/** @type {unknown} */ value) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST_STATUS;
const isMs = (/** @type {unknown} */ value) =>
  typeof value === 'number' && value >= 0 && value <= LONGEST_MS;
const isEntry = (/** @type {unknown} */ value) =>
  isString(value) || (isObject(value) && isString(value.content));

/** @type {Rule} */
const TEXT = ['a text', isString];
/** @type {Rule} */
const COUNT = ['a whole number, over 0', isCount];
/** @type {Rule} */
const MS = [`a number of ms, at most ${LONGEST_MS}`, isMs];
/** @type {Rule} */
const TOOL = ['the name of a tool', isName];

/** What may stand beside the member of a kind. @satisfies {Record<string, Record<string, Rule>>} */
const BESIDE = {
  text: { chunks: COUNT, everyMs: MS },
  call: { arguments: ['an object', isObject] },
  status: { status: [`a whole number from 0 to ${LARGEST_STATUS}`, isStatus] },
};

/** The faults, and what may stand beside each. */
const FAULTS = {
  'never-answers': {},
  'dies-mid-line': BESIDE.status,
  exits: BESIDE.status,
  floods: { updates: COUNT, text: TEXT },
  'splits-utf8': { text: TEXT },
  'ignores-end': {},
  'answers-twice': {},
};

/** The kinds of steps, and what the member of each is. @satisfies {Record<string, Rule>} */
const KINDS = {
  text: TEXT,
  results: ['true', (/** @type {unknown} */ value) => value === true],
  thought: TEXT,
  plan: [
    'an array of texts and entries with content',
    (/** @type {unknown} */ value) => Array.isArray(value) && value.every(isEntry),
  ],
  update: [
    'an object with sessionUpdate',
    (/** @type {unknown} */ value) => isObject(value) && isName(value.sessionUpdate),
  ],
  call: TOOL,
  calls: [
    'an array of { call, arguments }, at least one',
    (/** @type {unknown} */ value) => Array.isArray(value) && value.length > 0,
  ],
  sleep: MS,
  stop: ['a stop reason', isString],
  error: [
    'an object with message',
    (/** @type {unknown} */ value) => isObject(value) && isString(value.message),
  ],
  line: [
    'a text, or an object that is written as JSON',
    (/** @type {unknown} */ value) => isString(value) || isObject(value),
  ],
  write: ['a text, which is written without a line feed', isString],
  stderr: TEXT,
  fault: [
    `one of ${Object.keys(FAULTS).join(', ')}`,
    (/** @type {unknown} */ value) => isString(value) && Object.hasOwn(FAULTS, String(value)),
  ],
};

/**
 * A script, whole. An array is the list of prompts; a function decides every prompt.
 * @param {unknown} given
 * @returns {Script}
 */
function checkScript(given) {
  if (Array.isArray(given)) return checkScript({ prompts: given });
  if (typeof given === 'function') return checkScript({ prompts: [given], repeat: true });
  if (!isObject(given) || Object.keys(given).length === 0) {
    throw new TypeError(`expected an object with prompts, or an array of them; got ${show(given)}`);
  }
  const unknown = Object.keys(given).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) {
    throw new TypeError(`expected members among ${MEMBERS.join(', ')}; got ${unknown}`);
  }
  const { prompts = [], before = {}, repeat = false, ignoreEnd = false } = given;
  if (!Array.isArray(prompts)) {
    throw new TypeError(`expected prompts to be an array, got ${show(prompts)}`);
  }
  for (const [place, prompt] of prompts.entries()) {
    if (typeof prompt !== 'function') checkSteps(prompt, `prompts[${place}]`);
  }
  if (!isObject(before))
    throw new TypeError(`expected before to be an object, got ${show(before)}`);
  for (const [method, steps] of Object.entries(before)) checkBefore(method, steps);
  for (const [name, value] of Object.entries({ repeat, ignoreEnd })) {
    if (typeof value !== 'boolean')
      throw new TypeError(`expected ${name} to be true or false, got ${show(value)}`);
  }
  return /** @type {Script} */ ({ prompts, before, repeat, ignoreEnd });
}

/**
 * @param {string} method
 * @param {unknown} steps
 */
function checkBefore(method, steps) {
  const place = `before["${method}"]`;
  if (!METHODS.includes(method) && !method.startsWith('_')) {
    throw new TypeError(
      `${place}: expected the method of a request, one of ${METHODS.join(', ')}, or one that begins with _`,
    );
  }
  checkSteps(steps, place);
  if (Array.isArray(steps) && steps.length === 0)
    throw new TypeError(`${place}: expected at least one step, got []`);
}

/**
 * @param {unknown} steps
 * @param {string} place
 */
function checkSteps(steps, place) {
  if (!Array.isArray(steps)) {
    throw new TypeError(`${place}: expected an array of steps, got ${show(steps)}`);
  }
  for (const [index, step] of steps.entries()) checkStep(step, `${place}[${index}]`);
}

/**
 * @param {unknown} step
 * @param {string} place
 */
function checkStep(step, place) {
  if (typeof step === 'string') return;
  if (!isObject(step)) {
    throw new TypeError(`${place}: expected a step, an object or a text; got ${show(step)}`);
  }
  const kind = kindOf(step);
  if (kind === undefined) {
    const kinds = Object.keys(KINDS).join(', ');
    throw new TypeError(`${place}: expected a step with one of ${kinds}; got ${show(step)}`);
  }
  const { [kind]: value, ...more } = step;
  checkMember(kind, KINDS[kind], value, place);
  if (kind === 'fault') {
    const fault = /** @type {Fault} */ (value);
    checkBeside(more, FAULTS[fault], `fault "${fault}"`, place);
  } else {
    const known = kind === 'text' || kind === 'call' ? BESIDE[kind] : {};
    checkBeside(more, known, kind, place);
  }
  if (kind === 'calls') checkCalls(/** @type {unknown[]} */ (value), place);
  if (kind === 'error') checkError(/** @type {Record<string, unknown>} */ (value), place);
}

/**
 * @param {Readonly<Record<string, unknown>>} step
 * @returns {Kind | undefined}
 */
function kindOf(step) {
  // Of a fault, `text` is a detail.
  if (Object.hasOwn(step, 'fault')) return 'fault';
  const kinds = /** @type {Kind[]} */ (Object.keys(KINDS));
  return kinds.find((name) => Object.hasOwn(step, name));
}

/**
 * @param {readonly unknown[]} calls
 * @param {string} around
 */
function checkCalls(calls, around) {
  for (const [index, one] of calls.entries()) {
    const place = `${around}.calls[${index}]`;
    if (!isObject(one)) {
      throw new TypeError(`${place}: expected an object with call; got ${show(one)}`);
    }
    const { call, ...more } = one;
    checkMember('call', TOOL, call, place);
    checkBeside(more, BESIDE.call, 'call', place);
  }
}

/**
 * @param {Readonly<Record<string, unknown>>} error
 * @param {string} place
 */
function checkError({ message, code, data, ...more }, place) {
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw new TypeError(`${place}: expected no ${unknown} in error`);
  if (code !== undefined)
    checkMember('code of error', ['a whole number', Number.isSafeInteger], code, place);
}

/**
 * @param {Readonly<Record<string, unknown>>} members
 * @param {Readonly<Record<string, Rule>>} known
 * @param {string} kind
 * @param {string} place
 */
function checkBeside(members, known, kind, place) {
  for (const [name, value] of Object.entries(members)) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) throw new TypeError(`${place}: expected no ${name} beside ${kind}`);
    if (value !== undefined) checkMember(name, rule, value, place);
  }
}

/**
 * @param {string} name
 * @param {Rule} rule
 * @param {unknown} value
 * @param {string} place
 */
function checkMember(name, [expected, isValid], value, place) {
  if (!isValid(value))
    throw new TypeError(`${place}: expected ${name} to be ${expected}; got ${show(value)}`);
}

module.exports = { checkScript, checkStep, kindOf };
