'use strict';
// One HTTP request and the text of its answer, on Node's fetch: silence is limited, so is the length, and
// nothing stays open behind it.

const { onAbort } = require('../../abort');
const { clearTimeout, setTimeout } = require('../../schedule');
const { ServerFault, cut, unreachable } = require('./fault');

/** The longest answer: no model writes as much, a broken server does. */
const LONGEST_ANSWER_BYTES = 64 * 1024 * 1024;

/** @typedef {import('./options').Settings} Settings */

class Exchange {
  #controller = new AbortController();
  #decoder = new TextDecoder();
  #isSilent = false;
  #isFinished = false;
  #bytes = 0;
  /** @type {ReadableStreamDefaultReader<Uint8Array> | undefined} */
  #reader;

  /**
   * @param {Settings} server
   * @param {AbortSignal} signal
   */
  constructor(server, signal) {
    this.server = server;
    this.silenceMs = server.timeoutMs;
    this.signal = signal;
    this.forget = onAbort(signal, (reason) => this.#controller.abort(reason));
  }

  /** @param {unknown} body */
  async post(body) {
    const { url, apiKey } = this.server;
    const response = await this.#wait(
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream, application/json',
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify(body),
        // Another address is the user's to choose, and a POST would become a GET on the way.
        redirect: 'manual',
        signal: this.#controller.signal,
      }),
      (error) => unreachable(this.server, error),
    );
    this.#reader = response.body?.getReader();
    return response;
  }

  /** The first text that is not blank; empty when there is none. */
  async start() {
    for await (const text of this.texts('')) {
      const start = text.trimStart();
      if (start !== '') return start;
    }
    return '';
  }

  /**
   * The text after `start`, whole.
   * @param {string} start
   * @param {number} [longest] what is longer is cut
   */
  async rest(start, longest = Number.POSITIVE_INFINITY) {
    let whole = '';
    for await (const text of this.texts(start)) {
      whole += text;
      if (whole.length >= longest) break;
    }
    return whole;
  }

  /**
   * `start` and what comes behind it.
   * @param {string} start
   */
  async *texts(start) {
    if (start !== '') yield start;
    for (let bytes = await this.#read(); bytes !== undefined; bytes = await this.#read()) {
      yield this.#decoder.decode(bytes, { stream: true });
    }
  }

  /**
   * The answer is finished: silence, or an error, is now its end.
   * @param {number} ms of silence
   */
  endWithin(ms) {
    this.#isFinished = true;
    this.silenceMs = Math.min(this.silenceMs, ms);
  }

  /** Ends the connection unless all was read. */
  close() {
    this.forget();
    this.#controller.abort();
  }

  /** The next bytes; undefined at the end. */
  async #read() {
    if (this.#reader === undefined) return undefined;
    try {
      const { value } = await this.#wait(this.#reader.read(), (error) => cut(this.server, error));
      this.#bytes += value?.length ?? 0;
      if (this.#bytes <= LONGEST_ANSWER_BYTES) return value;
    } catch (error) {
      if (this.#isFinished && !this.signal.aborted) return undefined;
      throw error;
    }
    const what = `answered with more than ${LONGEST_ANSWER_BYTES} bytes, no model says as much`;
    throw new ServerFault(this.server, what);
  }

  /**
   * Waits for the server as long as it may be silent.
   * @template T
   * @param {Promise<T>} promise
   * @param {(error: unknown) => ServerFault} explain
   * @returns {Promise<T>}
   */
  async #wait(promise, explain) {
    const timer = setTimeout(() => {
      this.#isSilent = true;
      this.#controller.abort();
    }, this.silenceMs);
    try {
      return await promise;
    } catch (error) {
      if (this.signal.aborted) throw error;
      if (!this.#isSilent) throw explain(error);
      const what = `sent nothing for ${this.silenceMs} ms: is it overloaded, or still loading the model?`;
      throw new ServerFault(this.server, what, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

module.exports = { Exchange };
