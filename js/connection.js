'use strict';
// The native client with what belongs to it on this side: open requests, and the process kept alive
// while there are any. Knows nothing of sessions or tools.

const { onAbort } = require('./abort');
const { callNative, createError, fromAgent } = require('./errors');
const { LONGEST_MS, setInterval, setTimeout, clearTimeout } = require('./schedule');

/** One connection, from the making of the client on. */
class Connection {
  #open = new Map();
  #nextId = 1;
  #holds = 0;
  #anchor;

  constructor(native) {
    this.native = native;
  }

  /** Keeps Node alive until as many `release` have come. */
  hold() {
    this.#holds += 1;
    if (this.#holds > 1) return;
    if (this.#anchor === undefined) this.#anchor = setInterval(nothing, LONGEST_MS);
    else this.#anchor.ref();
  }

  release() {
    this.#holds -= 1;
    if (this.#holds === 0) this.#anchor.unref();
  }

  /** Sends a request; `on.onResult` or `on.onError` is called while its entry is delivered. */
  send(method, params, on) {
    const id = this.#nextId;
    const json = JSON.stringify(params ?? {});
    callNative(() => this.native.request(id, method, json));
    return this.#opened(id, method, on);
  }

  /** Sends `initialize`. */
  initialize(introduction, on) {
    const id = this.#nextId;
    callNative(() => this.native.initialize(id, JSON.stringify(introduction)));
    return this.#opened(id, 'initialize', on);
  }

  #opened(id, method, on) {
    // Native ids are 32 bits wide; a client that sends so many starts over.
    this.#nextId = id === 0xffffffff ? 1 : id + 1;
    this.#open.set(id, { method, on });
    this.hold();
    return id;
  }

  notify(method, params) {
    callNative(() => this.native.notify(method, JSON.stringify(params ?? {})));
  }

  /**
   * Sends a request and waits for its answer; an abort or the limit withdraws it. `on.onAnswer` makes
   * the value while the entry is delivered; `on.onSettled` is called when the agent has answered,
   * which may be long after an abort, and after `onAnswer`.
   */
  call(method, params, { signal, timeoutMs }, { onAnswer = identity, onSettled = nothing } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        onSettled();
        reject(signal.reason);
        return;
      }
      let undo = nothing;
      let isGivenUp = false;
      const id = this.#sendOrSettle(method, params, onSettled, {
        onResult: (result) => {
          undo();
          if (!isGivenUp) settle(resolve, reject, () => onAnswer(result));
          onSettled();
        },
        onError: (error) => {
          undo();
          onSettled();
          reject(error);
        },
      });
      undo = this.#limit(method, { signal, timeoutMs }, (error) => {
        undo();
        isGivenUp = true;
        this.native.cancelRequest(id);
        reject(error);
      });
    });
  }

  #sendOrSettle(method, params, onSettled, on) {
    try {
      return this.send(method, params, on);
    } catch (error) {
      onSettled();
      throw error;
    }
  }

  #limit(method, { signal, timeoutMs }, giveUp) {
    let timer;
    if (timeoutMs !== undefined && timeoutMs !== Infinity) {
      const message = `${method}: no answer within its limit of ${timeoutMs} ms`;
      const error = () => createError('MM_ERR_TIMEOUT', message, { method, timeoutMs });
      timer = setTimeout(() => giveUp(error()), timeoutMs);
    }
    const undoAbort = onAbort(signal, giveUp);
    return () => {
      clearTimeout(timer);
      undoAbort();
    };
  }

  result(id, result) {
    this.#take(id)?.on.onResult(result);
  }

  error(id, error) {
    const request = this.#take(id);
    if (request === undefined) return;
    const failure = fromAgent(error, request.method);
    request.on.onError(failure, failure.rpcCode);
  }

  /** Nothing will be answered any more. */
  end(failure) {
    for (const id of [...this.#open.keys()]) this.#take(id)?.on.onError(failure(), undefined);
  }

  #take(id) {
    const request = this.#open.get(id);
    if (request === undefined) return undefined;
    this.#open.delete(id);
    this.release();
    return request;
  }
}

function identity(value) {
  return value;
}

function settle(resolve, reject, make) {
  try {
    resolve(make());
  } catch (error) {
    reject(error);
  }
}

function nothing() {
  // Only there to be called.
}

module.exports = { Connection };
