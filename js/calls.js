'use strict';
// Calls of lent tools: from the entry in the lane to the answer. Each gets exactly one answer.
// Answers of one microtask turn are joined and written by one native call.

const { LazyAbort, abortError } = require('./abort');
const { createError } = require('./errors');
const { isObject } = require('./json');
const { encodeResult, errorText, failureJson, isThenable } = require('./result');
const { clearTimeout, now, queueMicrotask, setImmediate, setLimit } = require('./schedule');

const SESSION_ID = 'org.mini-me/sessionId';
/** Answers are joined up to about this many characters: a string has its limit, and memory, too. */
const JOINED_CHARACTERS = 1024 * 1024;
/** One of this length goes alone: to join it would copy it. */
const LARGE_CHARACTERS = 64 * 1024;
const CANCELLED = '{"code":-32800,"message":"Request cancelled"}';

/**
 * @typedef {Pick<
 *   import('./client').Client,
 *   'answerCalls' | 'answerLarge' | 'sessionOf' | 'sign' | 'hold' | 'release' | 'isReporting' | 'report'
 * > & { readonly unread: { readonly hasWoken: boolean } }} CallsClient
 * @typedef {import('./types').LentTool} LentTool
 * @typedef {import('../index').ToolCallReport} ToolCallReport
 * @typedef {Record<string, unknown>} Arguments
 * @typedef {Readonly<Record<string, unknown>>} Meta
 *
 * @typedef {object} Call
 * @property {Calls} calls
 * @property {number} key the native side's name for it
 * @property {LentTool} tool
 * @property {Meta} meta
 * @property {string | undefined} sessionId
 * @property {LazyAbort} abort
 * @property {number} startedAt as `now()`
 * @property {boolean} isTurnCancelled
 * @property {NodeJS.Timeout | undefined} timer
 */

/** What a handler gets besides its arguments. */
class ToolContext {
  #call;

  /** @param {Call} call */
  constructor(call) {
    this.#call = call;
  }

  get signal() {
    return this.#call.abort.signal;
  }

  get sessionId() {
    return this.#call.sessionId;
  }

  get session() {
    return this.#call.calls.client.sessionOf(this.#call.sessionId);
  }

  get tool() {
    return this.#call.tool.registered;
  }

  get meta() {
    return this.#call.meta;
  }
}

/**
 * Takes `_meta` out of the params; `__proto__` stays an ordinary member, as JSON.parse has it.
 * @param {unknown} params
 * @returns {{ args: Arguments, meta: Meta }}
 */
function splitParams(params) {
  const { _meta: meta, ...args } = isObject(params) ? params : {};
  return { args, meta: isObject(meta) ? meta : {} };
}

/** @param {Meta} meta */
function sessionIdOf(meta) {
  const id = meta[SESSION_ID];
  return typeof id === 'string' ? id : undefined;
}

/** The calls of one client. */
class Calls {
  /** @type {Map<number, Call>} */
  #open = new Map();
  #answers = '';
  /** @type {{ key: number, report: ToolCallReport }[]} */
  #reports = [];
  #isEnded = false;

  /** @param {CallsClient} client */
  constructor(client) {
    this.client = client;
  }

  /**
   * Runs a call. The handler is entered before this returns, except when a loop over updates was just
   * given some: it sees them first, as the agent sent them.
   * @param {number} key
   * @param {LentTool} tool
   * @param {unknown} params
   */
  run(key, tool, params) {
    if (this.#isEnded) return;
    const { args, meta } = splitParams(params);
    /** @type {Call} */
    const call = {
      calls: this,
      key,
      tool,
      meta,
      sessionId: sessionIdOf(meta),
      abort: new LazyAbort(),
      startedAt: now(),
      isTurnCancelled: false,
      timer: undefined,
    };
    this.#open.set(key, call);
    this.client.hold();
    this.client.sign(call.sessionId);
    if (this.client.unread.hasWoken) setImmediate(() => this.#enter(call, args));
    else this.#enter(call, args);
  }

  /**
   * @param {Call} call
   * @param {Record<string, unknown>} args
   */
  #enter(call, args) {
    // Withdrawn in the meantime.
    if (!this.#open.has(call.key)) return;
    const { check, definition } = call.tool;
    const { timeoutMs } = definition;
    if (timeoutMs !== undefined) this.#limit(call, timeoutMs);
    if (check === undefined) this.#handle(call, args);
    else this.#check(call, check, args);
  }

  /**
   * Has the schema's own check pass the arguments before the handler runs; it may take its time.
   * @param {Call} call
   * @param {import('./standard-schema').ArgumentsCheck} check
   * @param {Arguments} args
   */
  #check(call, check, args) {
    const go = (/** @type {import('./standard-schema').Checked} */ checked) => {
      if (!this.#open.has(call.key)) return;
      if (checked.complaints === undefined) this.#handle(call, checked.args);
      else this.#finish(call, 'r', failureJson(checked.complaints), 'invalid-arguments');
    };
    try {
      const checked = check(args);
      if (isThenable(checked)) checked.then(go, (error) => this.#fail(call, error));
      else go(checked);
    } catch (error) {
      this.#fail(call, error);
    }
  }

  /**
   * @param {Call} call
   * @param {Arguments} args
   */
  #handle(call, args) {
    const { handle } = call.tool.definition;
    try {
      const result = handle(args, new ToolContext(call));
      if (isThenable(result)) this.#follow(call, result);
      else this.#succeed(call, result);
    } catch (error) {
      this.#fail(call, error);
    }
  }

  /**
   * @param {Call} call
   * @param {PromiseLike<unknown>} promise
   */
  #follow(call, promise) {
    promise.then(
      (value) => this.#succeed(call, value),
      (error) => this.#fail(call, error),
    );
  }

  /**
   * @param {Call} call
   * @param {number} timeoutMs
   */
  #limit(call, timeoutMs) {
    call.timer = setLimit(() => {
      const message = `the tool ran longer than its limit of ${timeoutMs} ms`;
      this.#finish(call, 'r', failureJson(message), 'timeout');
      call.abort.abort(createError('MM_ERR_TIMEOUT', message, { timeoutMs }));
    }, timeoutMs);
    call.timer?.unref?.();
  }

  /**
   * @param {Call} call
   * @param {unknown} value
   */
  #succeed(call, value) {
    if (!this.#open.has(call.key)) return;
    const { json, isError } = encodeResult(value);
    this.#finish(call, 'r', json, isError ? 'error' : 'ok');
  }

  /**
   * @param {Call} call
   * @param {unknown} error
   */
  #fail(call, error) {
    const outcome = call.isTurnCancelled ? 'cancelled' : 'error';
    this.#finish(call, 'r', failureJson(errorText(error)), outcome, { error });
  }

  /**
   * The agent withdrew the call.
   * @param {number} key
   */
  cancel(key) {
    const call = this.#open.get(key);
    if (call === undefined) return;
    this.#finish(call, 'e', CANCELLED, 'cancelled');
    call.abort.abort(abortError('The agent cancelled the call'));
  }

  /**
   * Aborts the signals of a session's calls: its turn was cancelled here. Handlers still answer.
   * @param {string} sessionId
   * @param {unknown} reason
   */
  abortSession(sessionId, reason) {
    for (const call of this.#open.values()) {
      if (call.sessionId !== sessionId) continue;
      call.isTurnCancelled = true;
      call.abort.abort(reason);
    }
  }

  /**
   * Ends all calls without an answer, and runs none any more: there is nobody to answer to.
   * @param {unknown} reason
   */
  end(reason) {
    this.#isEnded = true;
    for (const call of [...this.#open.values()]) {
      this.#settle(call);
      this.#report(call, 'cancelled');
      call.abort.abort(reason);
    }
    this.#flush();
  }

  /**
   * A call whose arguments were refused by the native side, which has answered it.
   * @param {LentTool} tool
   * @param {unknown} params
   */
  refused(tool, params) {
    const { meta } = splitParams(params);
    this.client.report({
      tool: tool.registered,
      sessionId: sessionIdOf(meta),
      durationMs: 0,
      outcome: 'invalid-arguments',
    });
  }

  /**
   * @param {Call} call
   * @param {'r' | 'e'} kind a result or a JSON-RPC error
   * @param {string} json
   * @param {ToolCallReport['outcome']} outcome
   * @param {{ error: unknown }} [more]
   */
  #finish(call, kind, json, outcome, more) {
    if (!this.#settle(call)) return;
    if (json.length > LARGE_CHARACTERS) {
      this.#finishLarge(call, kind, json, outcome, more);
      return;
    }
    if (this.#answers === '') queueMicrotask(() => this.#flush());
    this.#answers += `${call.key}${kind}${json}\n`;
    this.#report(call, outcome, more);
    if (this.#answers.length > JOINED_CHARACTERS) this.#flush();
  }

  /**
   * @param {Call} call
   * @param {'r' | 'e'} kind
   * @param {string} json
   * @param {ToolCallReport['outcome']} outcome
   * @param {{ error: unknown }} [more]
   */
  #finishLarge(call, kind, json, outcome, more) {
    this.#flush();
    const isTooLarge = this.client.answerLarge(call.key, kind === 'e', json);
    this.#report(call, isTooLarge ? 'too-large' : outcome, more);
    this.#flush();
  }

  /** @param {Call} call */
  #settle(call) {
    if (!this.#open.delete(call.key)) return false;
    clearTimeout(call.timer);
    this.client.release();
    return true;
  }

  /**
   * @param {Call} call
   * @param {ToolCallReport['outcome']} outcome
   * @param {{ error: unknown }} [more]
   */
  #report(call, outcome, more) {
    if (!this.client.isReporting()) return;
    const durationMs = now() - call.startedAt;
    const { sessionId, tool } = call;
    const report = { tool: tool.registered, sessionId, durationMs, outcome, ...more };
    this.#reports.push({ key: call.key, report });
  }

  #flush() {
    const answers = this.#answers;
    const reports = this.#reports;
    this.#answers = '';
    this.#reports = [];
    const tooLarge = answers === '' ? [] : this.client.answerCalls(answers);
    for (const { key, report } of reports) {
      this.client.report(tooLarge.includes(key) ? { ...report, outcome: 'too-large' } : report);
    }
  }
}

module.exports = { Calls };
