'use strict';
// What the agent asks, calls of lent tools apart. Each request gets exactly one answer, whenever its
// handler is ready; none holds up another.

const { LazyAbort } = require('./abort');
const { errorText } = require('./result');

const METHOD_NOT_FOUND = '{"code":-32601,"message":"Method not found"}';
const INTERNAL_ERROR = -32603;

/** An error of a handler of ours with a JSON-RPC code of its own. */
class RpcError extends Error {
  constructor(code, message, data) {
    super(message);
    this.rpc = { code, message, ...(data !== undefined && { data }) };
  }
}

/** The open requests of the agent. `client` has: native, hold(), release(), sessionOf(id). */
class AgentRequests {
  #client;
  #handlers = new Map();
  #open = new Map();

  constructor(client) {
    this.#client = client;
  }

  /** `handler(params, {signal})` answers `method` from now on; gives the undo. */
  set(method, handler, onCancel) {
    const entry = { handler, onCancel };
    this.#handlers.set(method, entry);
    return () => {
      if (this.#handlers.get(method) === entry) this.#handlers.delete(method);
    };
  }

  receive(key, method, params) {
    const entry = this.#handlers.get(method);
    const sessionId = params?.sessionId;
    this.#client.sessionOf(sessionId)?.sign();
    if (entry === undefined) {
      this.#client.native.answerRequest(key, true, METHOD_NOT_FOUND);
      return;
    }
    const request = { key, sessionId, abort: new LazyAbort(), onCancel: entry.onCancel };
    this.#open.set(key, request);
    this.#client.hold();
    this.#run(request, entry.handler, params);
  }

  async #run(request, handler, params) {
    const context = {
      get signal() {
        return request.abort.signal;
      },
    };
    try {
      const result = await handler(params, context);
      this.#answer(request, false, JSON.stringify(result ?? null) ?? 'null');
    } catch (error) {
      const isOurs = error instanceof RpcError;
      const rpc = isOurs ? error.rpc : { code: INTERNAL_ERROR, message: errorText(error) };
      this.#answer(request, true, JSON.stringify(rpc));
    }
  }

  /** The agent withdrew a request; the native side has answered it. */
  cancelled(key) {
    const request = this.#open.get(key);
    if (request === undefined) return;
    this.#settle(request);
    request.abort.abort(new DOMException('The agent withdrew the request', 'AbortError'));
  }

  /** The session's turn was cancelled: what can be answered at once is, and signals abort. */
  abortSession(sessionId, reason) {
    for (const request of [...this.#open.values()]) {
      if (request.sessionId !== sessionId) continue;
      if (request.onCancel !== undefined) {
        this.#answer(request, false, JSON.stringify(request.onCancel));
      }
      request.abort.abort(reason);
    }
  }

  /** The client has ended: there is nobody to answer to. */
  end(reason) {
    for (const request of [...this.#open.values()]) {
      this.#settle(request);
      request.abort.abort(reason);
    }
  }

  #answer(request, isError, json) {
    if (this.#settle(request)) this.#client.native.answerRequest(request.key, isError, json);
  }

  #settle(request) {
    if (!this.#open.delete(request.key)) return false;
    this.#client.release();
    return true;
  }
}

module.exports = { AgentRequests, RpcError };
