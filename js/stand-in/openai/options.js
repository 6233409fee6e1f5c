'use strict';
// What the model `openai` is told: options, else the environment. A key is never shown.

const { createError } = require('../../errors');
const { check } = require('../../rules');

/** Node's fetch waits no longer for the next byte, whatever it is told. */
const LONGEST_SILENCE_MS = 300_000;
const DEFAULT_SILENCE_MS = 120_000;
const PATH = '/chat/completions';

/** Which variable stands in for an option that is not given. */
const VARIABLES = {
  baseUrl: 'OPENAI_BASE_URL',
  model: 'OPENAI_MODEL',
  apiKey: 'OPENAI_API_KEY',
};

/**
 * @typedef {object} OpenAiOptions
 * @property {string} [baseUrl] of the server; `/v1` is added when it has no path
 * @property {string} [model] the name the server knows it by
 * @property {string} [apiKey] for servers that want one
 * @property {number} [temperature] the server's own by default
 * @property {number} [timeoutMs] the longest silence of the server; 120 000 by default, at most 300 000
 * @property {string} [systemPrompt] none by default
 *
 * @typedef {object} Settings
 * @property {URL} url where requests go
 * @property {string} where the base URL as messages show it, without its query
 * @property {string} model
 * @property {string | undefined} apiKey
 * @property {number | undefined} temperature
 * @property {number} timeoutMs
 * @property {string | undefined} systemPrompt
 */

/**
 * @param {unknown} value
 * @returns {value is string}
 */
const isText = (value) => typeof value === 'string' && value.trim() !== '';

/** @satisfies {Record<keyof OpenAiOptions, import('../../options').Rule>} */
const OPTIONS = {
  // Both may hold secrets, which `check` would show: they are looked at apart.
  baseUrl: ['a URL', () => true],
  apiKey: ['a key', () => true],
  model: ['the name of a model, not empty', isText],
  temperature: [
    'a number, 0 or more',
    (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  ],
  timeoutMs: [
    `a number of ms, over 0, at most ${LONGEST_SILENCE_MS} (fetch waits no longer)`,
    (value) => typeof value === 'number' && value > 0 && value <= LONGEST_SILENCE_MS,
  ],
  systemPrompt: ['a text', (value) => typeof value === 'string'],
};

/**
 * @param {unknown} given
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {Settings}
 */
function readOptions(given, environment) {
  check('model openai', OPTIONS, given);
  const options = /** @type {OpenAiOptions} */ (given);
  const baseUrl = readUrl(options.baseUrl ?? variable(environment, VARIABLES.baseUrl));
  const model = options.model ?? variable(environment, VARIABLES.model);
  if (model === undefined) {
    throw refuse('model', `the name of a model, got none: set ${VARIABLES.model} or model`);
  }
  const apiKey = readKey(options.apiKey ?? variable(environment, VARIABLES.apiKey));
  const url = new URL(baseUrl);
  url.pathname += PATH;
  const { temperature, timeoutMs = DEFAULT_SILENCE_MS, systemPrompt } = options;
  const where = `${baseUrl.origin}${baseUrl.pathname}`;
  return { url, where, model, apiKey, temperature, timeoutMs, systemPrompt };
}

/**
 * A variable that is empty counts as absent; blanks around it come from shells.
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @param {string} name
 */
function variable(environment, name) {
  return environment[name]?.trim() || undefined;
}

/**
 * The base URL, without a slash at its end. With no path it gets `/v1`, where all servers have the API;
 * any other path is taken as it is.
 * @param {unknown} given
 */
function readUrl(given) {
  if (given === undefined) {
    const remedy = `set ${VARIABLES.baseUrl} or baseUrl, as in http://127.0.0.1:8080/v1`;
    throw refuse('baseUrl', `the base URL of a server, got none: ${remedy}`);
  }
  const url = parseUrl(given);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const got = url === undefined ? 'no URL' : `one of ${url.protocol}`;
    const remedy = `look at ${VARIABLES.baseUrl} or baseUrl`;
    throw refuse('baseUrl', `a base URL of http: or https:, got ${got}: ${remedy}`);
  }
  if (url.username !== '' || url.password !== '') {
    const remedy = `give the server's key as ${VARIABLES.apiKey}`;
    throw refuse('baseUrl', `a base URL without a user and a password: ${remedy}`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path === '' ? '/v1' : path;
  url.hash = '';
  return url;
}

/** @param {unknown} given */
function parseUrl(given) {
  try {
    return typeof given === 'string' ? new URL(given) : undefined;
  } catch {
    // The error of `new URL` shows what it was given.
    return undefined;
  }
}

/**
 * @param {unknown} given
 * @returns {string | undefined}
 */
function readKey(given) {
  if (given === undefined) return undefined;
  // Visible ASCII is what a header can carry.
  if (typeof given === 'string' && /^[!-~]+$/.test(given)) return given;
  const remedy = `look at ${VARIABLES.apiKey} or apiKey`;
  throw refuse('apiKey', `a key of letters, digits and signs without blanks: ${remedy}`);
}

/**
 * @param {string} option
 * @param {string} expected
 */
function refuse(option, expected) {
  return createError('MM_ERR_OPTION', `model openai: expected ${expected}`, { option });
}

module.exports = { readOptions };
