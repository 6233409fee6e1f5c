'use strict';
// What the agent asks, calls of lent tools apart. Each request gets exactly one answer, whenever its
// handler is ready; none holds up another.

const { LazyAbort, abortError } = require('./abort');
const { member } = require('./json');
const { errorText } = require('./result');

const METHOD_NOT_FOUND = '{"code":-32601,"message":"Method not found"}';
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** Of ACP: a file, a session, a terminal is not there. */
const RESOURCE_NOT_FOUND = -32002;

/**
 * `signal` is made when it is first asked for.
 * @typedef {(params: unknown, context: { readonly signal: AbortSignal }) => unknown} RequestHandler
 *
 * @typedef {{ readonly handler: RequestHandler, readonly onCancel: unknown }} Entry
 *
 * @typedef {object} OpenRequest
 * @property {number} key the native side's name for it
 * @property {string} method
 * @property {unknown} sessionId as it came
 * @property {LazyAbort} abort
 * @property {unknown} onCancel what is answered when the session's turn is cancelled
 */

/** An error of a handler of ours with a JSON-RPC code of its own. */
class RpcError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {unknown} [data]
   */
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
    this.rpc = { code, message, ...(data !== undefined && { data }) };
  }
}

/** The open requests of the agent. */
class AgentRequests {
  #client;
  /**
   * What this package answers itself.
   * @type {Map<string, Entry>}
   */
  #own = new Map();
  /**
   * What the program answers; goes before the own ones.
   * @type {Map<string, Entry>}
   */
  #given = new Map();
  /** @type {Map<number, OpenRequest>} */
  #open = new Map();
  #isEnded = false;

  /** @param {Pick<import('./client').Client, 'native' | 'hold' | 'release' | 'sign' | 'diagnose'>} client */
  constructor(client) {
    this.#client = client;
  }

  /**
   * `handler`, one of this package's, answers `method`.
   * @param {string} method
   * @param {RequestHandler} handler
   * @param {unknown} [onCancel] what is answered when the session's turn is cancelled
   */
  serve(method, handler, onCancel) {
    this.#own.set(method, { handler, onCancel });
  }

  /**
   * `handler`, one of the program's, answers `method` from now on; gives the undo.
   * @param {string} method
   * @param {RequestHandler} handler
   */
  set(method, handler) {
    const entry = { handler, onCancel: undefined };
    this.#given.set(method, entry);
    return () => {
      if (this.#given.get(method) === entry) this.#given.delete(method);
    };
  }

  /**
   * @param {number} key
   * @param {string} method
   * @param {unknown} params
   */
  receive(key, method, params) {
    if (this.#isEnded) return;
    const entry = this.#given.get(method) ?? this.#own.get(method);
    const sessionId = member(params, 'sessionId');
    this.#client.sign(sessionId);
    if (entry === undefined) {
      this.#client.native.answerRequest(key, true, METHOD_NOT_FOUND);
      return;
    }
    const request = { key, method, sessionId, abort: new LazyAbort(), onCancel: entry.onCancel };
    this.#open.set(key, request);
    this.#client.hold();
    this.#run(request, entry.handler, params);
  }

  /**
   * @param {OpenRequest} request
   * @param {RequestHandler} handler
   * @param {unknown} params
   */
  async #run(request, handler, params) {
    const context = {
      get signal() {
        return request.abort.signal;
      },
    };
    try {
      const result = await handler(params, context);
      if (typeof result === 'function' || typeof result === 'symbol') {
        throw new TypeError(`expected JSON, got a ${typeof result}`);
      }
      this.#answer(request, false, JSON.stringify(result ?? null) ?? 'null');
    } catch (error) {
      const isOurs = error instanceof RpcError;
      const rpc = isOurs ? error.rpc : { code: INTERNAL_ERROR, message: errorText(error) };
      if (!isOurs) this.#tellFailed(request, rpc.message);
      this.#answer(request, true, JSON.stringify(rpc));
    }
  }

  /**
   * The agent is answered with the error, and may keep it for itself.
   * @param {OpenRequest} request
   * @param {string} reason
   */
  #tellFailed({ key, method, abort }, reason) {
    // One that was withdrawn fails because it was.
    if (!this.#open.has(key) || abort.isAborted) return;
    const message = `the handler of ${method} failed: ${reason}`;
    this.#client.diagnose('handler-failed', message, { method });
  }

  /**
   * The agent withdrew a request; the native side has answered it.
   * @param {number} key
   */
  cancelled(key) {
    const request = this.#open.get(key);
    if (request === undefined) return;
    this.#settle(request);
    request.abort.abort(abortError('The agent withdrew the request'));
  }

  /**
   * The session's turn was cancelled: what can be answered at once is, and signals abort.
   * @param {string} sessionId
   * @param {unknown} reason
   */
  abortSession(sessionId, reason) {
    for (const request of [...this.#open.values()]) {
      if (request.sessionId !== sessionId) continue;
      if (request.onCancel !== undefined) {
        this.#answer(request, false, JSON.stringify(request.onCancel));
      }
      request.abort.abort(reason);
    }
  }

  /**
   * The client has ended: there is nobody to answer to, now or later.
   * @param {unknown} reason
   */
  end(reason) {
    this.#isEnded = true;
    for (const request of [...this.#open.values()]) {
      this.#settle(request);
      request.abort.abort(reason);
    }
  }

  /**
   * @param {OpenRequest} request
   * @param {boolean} isError
   * @param {string} json
   */
  #answer(request, isError, json) {
    if (this.#settle(request)) this.#client.native.answerRequest(request.key, isError, json);
  }

  /** @param {OpenRequest} request */
  #settle(request) {
    if (!this.#open.delete(request.key)) return false;
    this.#client.release();
    return true;
  }
}

module.exports = { AgentRequests, INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError };
