'use strict';
// The native client with what belongs to it on this side: open requests, and the process kept alive
// while there are any. Knows nothing of sessions or tools.

const { AgentError, callNative, createError, fromAgent } = require('./errors');
const { limit } = require('./limit');
const { errorText } = require('./result');
const { LONGEST_MS, clearInterval, setInterval } = require('./schedule');

/**
 * @typedef {import('./errors').MiniMeError} MiniMeError
 * @typedef {import('./types').AnswerListener} AnswerListener
 * @typedef {import('./types').CheckedCallOptions} CheckedCallOptions
 */

/** One connection, from the making of the client on. */
class Connection {
  /** @type {Map<number, { method: string, on: AnswerListener, isHeld: boolean }>} */
  #open = new Map();
  #nextId = 1;
  #holds = 0;
  /**
   * Set when nothing will be answered any more.
   * @type {(() => MiniMeError) | undefined}
   */
  #ended;
  /** @type {NodeJS.Timeout | undefined} */
  #anchor;

  /**
   * @param {Pick<
   *   import('./types').NativeClient,
   *   'request' | 'initialize' | 'notify' | 'cancelRequest'
   * >} native
   */
  constructor(native) {
    this.native = native;
  }

  /** Keeps Node alive until as many `release` have come. */
  hold() {
    this.#holds += 1;
    if (this.#holds === 1) this.#anchor = setInterval(nothing, LONGEST_MS);
  }

  release() {
    this.#holds -= 1;
    if (this.#holds === 0) clearInterval(this.#anchor);
  }

  /**
   * Sends a request; `on.onResult` or `on.onError` is called while its entry is delivered.
   * @param {string} method
   * @param {unknown} params
   * @param {AnswerListener} on
   */
  send(method, params, on) {
    if (this.#ended !== undefined) throw this.#ended();
    const id = this.#nextId;
    const json = toJson(method, params);
    callNative(() => this.native.request(id, method, json));
    return this.#opened(id, method, on);
  }

  /**
   * Sends `initialize`.
   * @param {unknown} introduction
   * @param {AnswerListener} on
   */
  initialize(introduction, on) {
    const id = this.#nextId;
    callNative(() => this.native.initialize(id, JSON.stringify(introduction)));
    return this.#opened(id, 'initialize', on);
  }

  /**
   * @param {number} id
   * @param {string} method
   * @param {AnswerListener} on
   */
  #opened(id, method, on) {
    // Native ids are 32 bits wide; a client that sends so many starts over.
    this.#nextId = id === 0xffffffff ? 1 : id + 1;
    this.#open.set(id, { method, on, isHeld: true });
    this.hold();
    return id;
  }

  /**
   * @param {string} method
   * @param {unknown} params
   */
  notify(method, params) {
    const json = toJson(method, params);
    callNative(() => this.native.notify(method, json));
  }

  /**
   * Sends a request and waits for its answer; an abort or the limit withdraws it. `on.onAnswer` makes
   * the value while the entry is delivered; `on.onSettled` is called when the agent has answered,
   * which may be long after an abort, and after `onAnswer`.
   * @template [T=unknown]
   * @param {string} method
   * @param {unknown} params
   * @param {CheckedCallOptions} options
   * @param {{ onAnswer?: (result: unknown) => T, onSettled?: () => void }} [on]
   * @returns {Promise<T>}
   */
  call(method, params, options, { onAnswer = asItIs, onSettled = nothing } = {}) {
    return new Promise((resolve, reject) => {
      if (options.signal?.aborted) {
        onSettled();
        reject(options.signal.reason);
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
      undo = limit(method, options, (error) => {
        undo();
        isGivenUp = true;
        this.native.cancelRequest(id);
        this.letGo(id);
        reject(error);
      });
    });
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @param {() => void} onSettled
   * @param {AnswerListener} on
   */
  #sendOrSettle(method, params, onSettled, on) {
    try {
      return this.send(method, params, on);
    } catch (error) {
      onSettled();
      throw error;
    }
  }

  /**
   * @param {number} id
   * @param {unknown} result
   */
  result(id, result) {
    this.#take(id)?.on.onResult(result);
  }

  /**
   * @param {number} id
   * @param {unknown} error as the agent sent it
   */
  error(id, error) {
    const request = this.#take(id);
    if (request === undefined) return;
    const failure = fromAgent(error, request.method);
    request.on.onError(failure, failure instanceof AgentError ? failure.rpcCode : undefined);
  }

  /**
   * Nothing will be answered any more.
   * @param {() => MiniMeError} failure
   */
  end(failure) {
    this.#ended = failure;
    for (const id of [...this.#open.keys()]) this.#take(id)?.on.onError(failure(), undefined);
  }

  /** @param {number} id */
  #take(id) {
    const request = this.#open.get(id);
    if (request === undefined) return undefined;
    this.#open.delete(id);
    if (request.isHeld) this.release();
    return request;
  }

  /**
   * Nobody waits for this answer any more: it keeps Node alive no longer.
   * @param {number} id
   */
  letGo(id) {
    const request = this.#open.get(id);
    if (!request?.isHeld) return;
    request.isHeld = false;
    this.release();
  }
}

/**
 * @template T
 * @param {unknown} result
 */
function asItIs(result) {
  return /** @type {T} */ (result);
}

/**
 * @template T
 * @param {(value: T) => void} resolve
 * @param {(error: unknown) => void} reject
 * @param {() => T} make
 */
function settle(resolve, reject, make) {
  try {
    resolve(make());
  } catch (error) {
    reject(error);
  }
}

/**
 * @param {string} method
 * @param {unknown} params
 */
function toJson(method, params) {
  try {
    const json = JSON.stringify(params ?? {});
    if (json !== undefined) return json;
  } catch (cause) {
    const message = `${method}: expected params that are JSON: ${errorText(cause)}`;
    throw createError('MM_ERR_OPTION', message, { option: 'params' }, { cause });
  }
  const message = `${method}: expected params that are JSON, got a ${typeof params}`;
  throw createError('MM_ERR_OPTION', message, { option: 'params' });
}

function nothing() {
  // Only there to be called.
}

module.exports = { Connection };
