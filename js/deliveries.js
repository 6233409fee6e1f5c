'use strict';
// What the lane delivers, and who gets it. One object per client; all that is hot goes through here.

const { createError } = require('./errors');
const { isNotification } = require('./kept');
const { errorText, isThenable } = require('./result');
const { setImmediate } = require('./schedule');
const { withoutValues } = require('./secrets');
const { signalName } = require('./signal-name');
const { textUpdate } = require('./turn');

/** Above this much unread the lane trickles; above the second the client ends. Bytes. */
const SLOW_BYTES = 8 * 1024 * 1024;
const FULL_BYTES = 256 * 1024 * 1024;

/**
 * @typedef {import('../index').MiniMeEvents} MiniMeEvents
 * @typedef {import('./types').NativeEnd} NativeEnd
 * @typedef {(params: unknown) => unknown} NotificationHandler
 *
 * @typedef {object} Parts
 * @property {import('./connection').Connection} connection
 * @property {import('./calls').Calls} calls
 * @property {import('./client').Life} life
 */

/** The receiver of one client's lane. */
class Deliveries {
  #client;
  #connection;
  #calls;
  #life;
  /** @type {Map<string, NotificationHandler>} */
  #notificationHandlers = new Map();
  #isSlow = false;

  /**
   * @param {import('./client').Client} client
   * @param {Parts} parts
   */
  constructor(client, { connection, calls, life }) {
    this.#client = client;
    this.#connection = connection;
    this.#calls = calls;
    this.#life = life;
  }

  /**
   * @param {string} method
   * @param {NotificationHandler} handler
   */
  setNotificationHandler(method, handler) {
    this.#notificationHandlers.set(method, handler);
    return () => {
      if (this.#notificationHandlers.get(method) === handler) {
        this.#notificationHandlers.delete(method);
      }
    };
  }

  /** A chunk was delivered; gives whether too much of it waits unread. */
  endChunk() {
    this.#client.unread.hasWoken = false;
    const { bytes } = this.#client.unread;
    if (bytes > FULL_BYTES) this.#overflow(bytes);
    const isSlow = bytes > SLOW_BYTES;
    if (isSlow && !this.#isSlow) {
      const message = `${bytes} bytes of updates wait unread in iterators; the stream is slowed down`;
      this.#client.diagnose('unread-updates', message, { bytes });
    }
    this.#isSlow = isSlow;
    return isSlow;
  }

  /** @param {number} bytes */
  #overflow(bytes) {
    const message = `expected iterators to read their updates, ${bytes} bytes wait unread`;
    this.#life.fail(createError('MM_ERR_UNREAD', message, { bytes }));
  }

  /**
   * @param {string} sessionId
   * @param {string} text
   * @param {number} size in bytes
   */
  onText(sessionId, text, size) {
    const update = textUpdate(text);
    this.#client.emit('update', /** @type {MiniMeEvents['update'][0]} */ ({ sessionId, update }));
    this.#client.sessions.receiveText(sessionId, update, text, size);
  }

  /**
   * A text that the native side does not keep.
   * @param {string} sessionId
   * @param {string} text
   * @param {number} size in bytes
   */
  onLargeText(sessionId, text, size) {
    this.onUpdate({ sessionId, update: textUpdate(text) }, size);
  }

  /**
   * @param {unknown} params
   * @param {number} size in bytes
   */
  onUpdate(params, size) {
    if (!isNotification(params)) {
      this.#client.diagnose(
        'message-invalid',
        'expected a session/update with sessionId and update',
        {},
      );
      return;
    }
    // Listeners see the update as the protocol has it; its members stay what the agent sent.
    this.#client.emit('update', /** @type {MiniMeEvents['update'][0]} */ (params));
    this.#client.sessions.receive(params.sessionId, params.update, size);
  }

  /**
   * @param {number} key
   * @param {number} index
   * @param {unknown} params
   */
  onCall(key, index, params) {
    const tool = this.#client.tools.at(index);
    if (tool !== undefined) this.#calls.run(key, tool, params);
    else this.#client.native.answerCalls(`${key}e{"code":-32601,"message":"Method not found"}\n`);
  }

  /** @param {number} key */
  onCallCancelled(key) {
    this.#calls.cancel(key);
  }

  /**
   * @param {number} index
   * @param {unknown} params
   */
  onCallRefused(index, params) {
    const tool = this.#client.tools.at(index);
    if (tool !== undefined) this.#calls.refused(tool, params);
  }

  /**
   * @param {number} id
   * @param {unknown} result
   */
  onResult(id, result) {
    this.#connection.result(id, result);
  }

  /**
   * @param {number} id
   * @param {unknown} error
   */
  onError(id, error) {
    this.#connection.error(id, error);
  }

  /**
   * @param {number} key
   * @param {string} method
   * @param {unknown} params
   */
  onRequest(key, method, params) {
    this.#client.requests.receive(key, method, params);
  }

  /** @param {number} key */
  onRequestCancelled(key) {
    this.#client.requests.cancelled(key);
  }

  /**
   * @param {number} number of the terminal
   * @param {number | null} code
   * @param {number | null} signal
   */
  onTerminalExit(number, code, signal) {
    this.#client.terminals?.exited(number, { code, signal });
  }

  /**
   * @param {string} method
   * @param {unknown} params
   */
  onNotification(method, params) {
    this.#guard(`the handler of "${method}"`, { method }, () =>
      this.#notificationHandlers.get(method)?.(params),
    );
  }

  /**
   * Calls one of the program's functions; what it throws, now or later, is told.
   * @param {string} what
   * @param {Record<string, unknown>} details
   * @param {() => unknown} run
   */
  #guard(what, details, run) {
    const fail = (/** @type {unknown} */ error) =>
      this.#client.diagnose('listener-failed', `${what} failed: ${errorText(error)}`, details);
    try {
      const result = run();
      if (isThenable(result)) result.then(undefined, fail);
    } catch (error) {
      fail(error);
    }
  }

  /** @param {import('../index').Diagnostic} diagnostic */
  onDiagnostic(diagnostic) {
    this.#client.tell(diagnostic);
  }

  /** @param {string} line */
  onStderr(line) {
    this.#life.heard(line);
    this.#client.emit('stderr', line);
  }

  /** @param {import('../index').ToolsReport} report */
  onToolsReport(report) {
    if (report.carrier === undefined) this.#client.lending.heard();
    this.#client.emit('tools', report);
  }

  /**
   * @param {boolean} isIncoming
   * @param {string} line
   * @param {number} timestampMs
   */
  onTrace(isIncoming, line, timestampMs) {
    const direction = isIncoming ? 'in' : 'out';
    this.#guard('trace', { event: 'trace' }, () =>
      this.#client.options.trace?.({ direction, line: withoutValues(line), timestampMs }),
    );
  }

  /**
   * What fails while an entry is delivered is a listener's or a fault of ours; it is told.
   * @param {unknown} error
   */
  onFault(error) {
    this.#client.diagnose(
      'listener-failed',
      `delivering a message failed: ${errorText(error)}`,
      {},
    );
  }

  /** @param {NativeEnd} end */
  onEnd(end) {
    // Whoever awaits the last answer goes on first: the end comes after all that was said.
    setImmediate(() => this.#ended(end));
  }

  /** @param {NativeEnd} end */
  #ended({ exitCode, signal, stderr, failure }) {
    const exit = {
      exitCode,
      signal: signalName(signal),
      stderr: this.#client.secrets.hide(stderr),
    };
    const reason = this.#life.ended(exit, failure);
    this.#client.end(reason);
    this.#life.settled();
  }
}

module.exports = { Deliveries };
