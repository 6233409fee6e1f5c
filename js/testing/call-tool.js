'use strict';
// Runs one tool as the agent would, without any agent: the calls are those of js/calls.js, and both
// ends of the wire are the native side's.

const { onAbort } = require('../abort');
const { Calls } = require('../calls');
const { callNative, createError } = require('../errors');
const { isObject } = require('../json');
const { show } = require('../show');
const { errorText, stringify } = require('../result');
const { LONGEST_MS, clearInterval, setInterval } = require('../schedule');
const { callToolOptions } = require('./options');
const { Rehearsal } = require('./rehearsal');

const SESSION_ID = 'org.mini-me/sessionId';
/** mm always names the session of a call. */
const DEFAULT_SESSION = 'test-session';

/**
 * @typedef {import('../../index').AnyTool} AnyTool
 * @typedef {import('../calls').CallsClient} CallsClient
 * @typedef {import('../../testing').ToolCallResult} ToolCallResult
 * @typedef {import('../types').CheckedCallToolOptions} CheckedCallToolOptions
 * @typedef {import('../types').NativeAnswer} NativeAnswer
 * @typedef {import('../types').NativeBegun} NativeBegun
 */

/**
 * See `callTool` in testing/index.d.ts.
 * @param {AnyTool} tool
 * @param {unknown} [args]
 * @param {unknown} [options]
 * @returns {Promise<ToolCallResult>}
 */
async function callTool(tool, args = {}, options = {}) {
  const checked = callToolOptions(options);
  const params = toParams(args, checked);
  const { maxOutput } = checked;
  const rehearsal = new Rehearsal({ maxOutput });
  const { lent, native } = rehearsal.lend(tool);
  /** @type {NativeBegun} */
  const begun = JSON.parse(callNative(() => rehearsal.native.begin(native.index, params)));
  if (begun.key !== undefined) return await new Run(rehearsal, checked).of(begun.key, lent, params);
  return toResult({ outcome: begun.outcome, durationMs: 0 }, begun.answer);
}

/**
 * The params of the call, as the agent writes them.
 * @param {unknown} args
 * @param {CheckedCallToolOptions} options
 */
function toParams(args, { meta = {}, session, sessionId = session?.id ?? DEFAULT_SESSION }) {
  const _meta = { ...toSent('meta', meta), [SESSION_ID]: sessionId };
  return JSON.stringify({ ...toSent('args', args), _meta });
}

/**
 * What is left of an object when it has been sent.
 * @param {string} name
 * @param {unknown} value
 */
function toSent(name, value) {
  let json;
  try {
    json = stringify(value, name);
  } catch (cause) {
    throw createError(
      'MM_ERR_OPTION',
      `callTool: ${errorText(cause)}`,
      { option: name },
      { cause },
    );
  }
  const sent = json === undefined ? undefined : JSON.parse(json);
  if (isObject(sent)) return sent;
  const message = `callTool: expected ${name} to be an object, got ${show(sent)}`;
  throw createError('MM_ERR_OPTION', message, { option: name });
}

/**
 * @param {{ outcome: ToolCallResult['outcome'], durationMs: number, error?: unknown }} told
 * @param {NativeAnswer} answer
 * @returns {ToolCallResult}
 */
function toResult({ outcome, durationMs, ...more }, { result, text, isError }) {
  const onWire = result === null ? undefined : JSON.parse(result);
  return { text, isError, outcome, result: onWire, ...more, durationMs };
}

/**
 * One call that a handler answers: to js/calls.js it is the client.
 * @implements {CallsClient}
 */
class Run {
  #native;
  #session;
  #signal;
  /** @type {NativeAnswer | undefined} */
  #answer;
  /** @type {(result: ToolCallResult) => void} */
  #resolve = ignore;
  /** @type {(error: unknown) => void} */
  #reject = ignore;
  unread = { hasWoken: false };

  /**
   * @param {Rehearsal} rehearsal
   * @param {CheckedCallToolOptions} options
   */
  constructor({ native }, { session, signal }) {
    this.#native = native;
    this.#session = session;
    this.#signal = signal;
  }

  /**
   * @param {number} key
   * @param {import('../types').LentTool} lent
   * @param {string} params
   */
  async of(key, lent, params) {
    // A limit or a signal may still end the call; without them only the handler can.
    const mayEnd = this.#signal !== undefined || lent.definition.timeoutMs !== undefined;
    const anchor = mayEnd ? setInterval(ignore, LONGEST_MS) : undefined;
    const calls = new Calls(this);
    /** @type {Promise<ToolCallResult>} */
    const ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    calls.run(key, lent, JSON.parse(params));
    const undoAbort = onAbort(this.#signal, () => calls.cancel(key));
    try {
      return await ended;
    } finally {
      undoAbort();
      clearInterval(anchor);
    }
  }

  // ---- what js/calls.js needs

  hold() {
    // See `of`.
  }

  release() {
    // See `of`.
  }

  sign() {
    // There is no turn.
  }

  sessionOf() {
    return /** @type {import('../session').Session | undefined} */ (this.#session);
  }

  isReporting() {
    return true;
  }

  /** @param {string} answers one, since there is one call */
  answerCalls(answers) {
    try {
      /** @type {NativeAnswer} */
      const answer = JSON.parse(callNative(() => this.#native.answer(answers)));
      this.#answer = answer;
      return answer.isTooLarge ? [Number.parseInt(answers, 10)] : [];
    } catch (error) {
      this.#reject(error);
      return [];
    }
  }

  /**
   * @param {number} key
   * @param {boolean} isError
   * @param {string} json
   */
  answerLarge(key, isError, json) {
    return this.answerCalls(`${key}${isError ? 'e' : 'r'}${json}\n`).length > 0;
  }

  /** @param {import('../../index').ToolCallReport} report which comes after the answer */
  report({ tool, sessionId, ...told }) {
    if (this.#answer !== undefined) this.#resolve(toResult(told, this.#answer));
  }
}

function ignore() {
  // Nothing is to be done.
}

module.exports = { callTool };
