'use strict';
// Calls of lent tools: from the entry in the lane to the answer. Each gets exactly one answer.
// Answers of one microtask turn are joined and written by one native call.

const { performance } = require('node:perf_hooks');
const { LazyAbort } = require('./abort');
const { createError } = require('./errors');
const { encodeResult, errorText, failureJson } = require('./result');
const { clearTimeout, queueMicrotask, setTimeout } = require('./schedule');

const SESSION_ID = 'org.mini-me/sessionId';
const CANCELLED = '{"code":-32800,"message":"Request cancelled"}';

/** What a handler gets besides its arguments. */
class ToolContext {
  #call;

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

/** Takes `_meta` out of the params; `__proto__` stays an ordinary member, as JSON.parse has it. */
function splitParams(params) {
  const { _meta: meta, ...args } = params ?? {};
  const isObject = typeof meta === 'object' && meta !== null;
  return { args, meta: isObject ? meta : {} };
}

function sessionIdOf(meta) {
  const id = meta[SESSION_ID];
  return typeof id === 'string' ? id : undefined;
}

/** The calls of one client. */
class Calls {
  #open = new Map();
  #answers = '';
  #reports = [];

  /** `client` has: native, sessionOf, hold, release, report(toolCall). */
  constructor(client) {
    this.client = client;
  }

  /** Runs a call; the handler is entered before this returns. */
  run(key, tool, params) {
    const { args, meta } = splitParams(params);
    const call = {
      calls: this,
      key,
      tool,
      meta,
      sessionId: sessionIdOf(meta),
      abort: new LazyAbort(),
      startedAt: performance.now(),
      timer: undefined,
    };
    this.#open.set(key, call);
    this.client.hold();
    const { handle, timeoutMs } = tool.definition;
    if (timeoutMs !== undefined && timeoutMs !== Infinity) this.#limit(call, timeoutMs);
    try {
      const result = handle(args, new ToolContext(call));
      if (typeof result?.then !== 'function') this.#succeed(call, result);
      else this.#follow(call, result);
    } catch (error) {
      this.#fail(call, error);
    }
  }

  #follow(call, promise) {
    promise.then(
      (value) => this.#succeed(call, value),
      (error) => this.#fail(call, error),
    );
  }

  #limit(call, timeoutMs) {
    call.timer = setTimeout(() => {
      const message = `the tool ran longer than its limit of ${timeoutMs} ms`;
      this.#finish(call, 'r', failureJson(message), 'timeout');
      call.abort.abort(createError('MM_ERR_TIMEOUT', message, { timeoutMs }));
    }, timeoutMs);
    call.timer.unref?.();
  }

  #succeed(call, value) {
    if (!this.#open.has(call.key)) return;
    const { json, isError } = encodeResult(value);
    this.#finish(call, 'r', json, isError ? 'error' : 'ok');
  }

  #fail(call, error) {
    this.#finish(call, 'r', failureJson(errorText(error)), 'error', { error });
  }

  /** The agent withdrew the call. */
  cancel(key) {
    const call = this.#open.get(key);
    if (call === undefined) return;
    this.#finish(call, 'e', CANCELLED, 'cancelled');
    call.abort.abort(new DOMException('The agent cancelled the call', 'AbortError'));
  }

  /** Aborts the signals of a session's calls: its turn was cancelled here. Handlers still answer. */
  abortSession(sessionId, reason) {
    for (const call of this.#open.values()) {
      if (call.sessionId === sessionId) call.abort.abort(reason);
    }
  }

  /** Ends all calls without an answer: there is nobody to answer to. */
  end(reason) {
    for (const call of [...this.#open.values()]) {
      this.#settle(call);
      this.#report(call, 'cancelled');
      call.abort.abort(reason);
    }
    this.#flush();
  }

  /** A call whose arguments were refused by the native side, which has answered it. */
  refused(tool, params) {
    const isObject = typeof params === 'object' && params !== null && !Array.isArray(params);
    const { meta } = splitParams(isObject ? params : {});
    this.client.report({
      tool: tool.registered,
      sessionId: sessionIdOf(meta),
      durationMs: 0,
      outcome: 'invalid-arguments',
    });
  }

  #finish(call, kind, json, outcome, more = undefined) {
    if (!this.#settle(call)) return;
    if (this.#answers === '') queueMicrotask(() => this.#flush());
    this.#answers += `${call.key}${kind}${json}\n`;
    this.#report(call, outcome, more);
  }

  #settle(call) {
    if (!this.#open.delete(call.key)) return false;
    clearTimeout(call.timer);
    this.client.release();
    return true;
  }

  #report(call, outcome, more = undefined) {
    if (!this.client.isReporting()) return;
    const durationMs = performance.now() - call.startedAt;
    const { sessionId, tool } = call;
    const report = { tool: tool.registered, sessionId, durationMs, outcome, ...more };
    this.#reports.push({ key: call.key, report });
  }

  #flush() {
    const answers = this.#answers;
    const reports = this.#reports;
    this.#answers = '';
    this.#reports = [];
    const tooLarge = answers === '' ? [] : this.client.native.answerCalls(answers);
    for (const { key, report } of reports) {
      this.client.report(tooLarge.includes(key) ? { ...report, outcome: 'too-large' } : report);
    }
  }
}

module.exports = { Calls };
