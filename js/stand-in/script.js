'use strict';
// The model that does what a script says: for each prompt of a session the next list of steps. What a
// script may say: docs/stand-in.md, "A script".

const fs = require('node:fs');
const { pathToFileURL } = require('node:url');
const { isObject } = require('../json');
const { show } = require('../show');
const { errorText } = require('../result');
const { checkScript, checkStep } = require('./script-check');
const { perform } = require('./script-steps');

/**
 * @typedef {import('./types').Model} Model
 * @typedef {import('./types').Steps} Steps
 * @typedef {import('./types').View} View
 * @typedef {import('./script-check').Script} Script
 * @typedef {import('./script-check').ScriptedPrompt} ScriptedPrompt
 */

/**
 * Loads a script: JSON, or a module that exports one.
 * @param {string} file absolute
 * @returns {Promise<Model>}
 */
async function loadScript(file) {
  const given = file.endsWith('.json') ? readJson(file) : await importScript(file);
  try {
    return scripted(checkScript(given));
  } catch (error) {
    throw new Error(`the script ${file}: ${errorText(error)}`, { cause: error });
  }
}

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    const message = `expected to read the script ${file}, got: ${errorText(error)}`;
    throw new Error(message, { cause: error });
  }
}

/** @param {string} file */
async function importScript(file) {
  try {
    const loaded = await import(pathToFileURL(file).href);
    return loaded.default ?? loaded;
  } catch (error) {
    const message = `expected to load the script ${file}, got: ${errorText(error)}`;
    throw new Error(message, { cause: error });
  }
}

/**
 * The model of a script.
 * @param {Script} script
 * @returns {Model}
 */
function scripted(script) {
  /** How many prompts each session has had. @type {Map<string, number>} */
  const counts = new Map();
  return {
    ignoresEnd: script.ignoreEnd || hasFault(script, 'ignores-end'),
    before: Object.fromEntries(
      Object.entries(script.before).map(([method, steps]) => [
        method,
        (signal) => play(steps, undefined, signal),
      ]),
    ),
    turn(view, signal) {
      const count = counts.get(view.sessionId) ?? 0;
      counts.set(view.sessionId, count + 1);
      return play(promptAt(script, count), view, signal);
    },
  };
}

/**
 * @param {Script} script
 * @param {string} fault
 */
function hasFault({ prompts, before }, fault) {
  return [...prompts, ...Object.values(before)]
    .flatMap((steps) => (typeof steps === 'function' ? [] : steps))
    .some((step) => isObject(step) && step.fault === fault);
}

/**
 * @param {Script} script
 * @param {number} count of prompts before
 * @returns {ScriptedPrompt}
 */
function promptAt({ prompts, repeat }, count) {
  const place = repeat && prompts.length > 0 ? count % prompts.length : count;
  const message = `the script has ${prompts.length} prompts for a session, this is number ${count + 1}`;
  return prompts[place] ?? [{ error: { code: -32603, message } }];
}

/**
 * @param {ScriptedPrompt} prompt
 * @param {View | undefined} view undefined before a request
 * @param {AbortSignal} signal
 * @returns {Steps}
 */
async function* play(prompt, view, signal) {
  const steps = typeof prompt === 'function' ? prompt(/** @type {View} */ (view), signal) : prompt;
  const settled = await steps;
  const place = 'the function of the prompt';
  if (!isIterable(settled)) {
    throw new TypeError(`${place}: expected steps, got ${show(settled)}`);
  }
  const scene = { view, signal, results: /** @type {import('./types').CallResult[]} */ ([]) };
  const iterator = iterate(settled);
  for (;;) {
    const { done, value } = await iterator.next(scene.results);
    if (done || signal.aborted) return;
    if (typeof prompt === 'function') checkStep(value, place);
    yield* perform(value, scene);
  }
}

/**
 * @param {any} value
 * @returns {value is Iterable<unknown> | AsyncIterable<unknown>}
 */
function isIterable(value) {
  return typeof value?.[Symbol.asyncIterator] === 'function' || Array.isArray(value);
}

/** @param {any} steps */
function iterate(steps) {
  return (steps[Symbol.asyncIterator] ?? steps[Symbol.iterator]).call(steps);
}

module.exports = { loadScript };
