'use strict';
// The inner half of a MiniMe: joins lane, connection, sessions, calls and requests. What the native
// side delivers arrives here; what users see is in mini-me.js.

const os = require('node:os');
const { AgentRequests } = require('./agent-requests');
const { Calls } = require('./calls');
const { Connection } = require('./connection');
const { Discovery } = require('./discovery');
const { callNative, createError } = require('./errors');
const { isObject, member } = require('./json');
const { Lane } = require('./lane');
const { CANCELLED, Permissions } = require('./permissions');
const { errorText, isThenable } = require('./result');
const { setImmediate } = require('./schedule');
const { serve } = require('./services');
const { Sessions } = require('./sessions');
const { Unread } = require('./stream');
const { Tools } = require('./tools');
const { textUpdate } = require('./turn');

/** Above this much unread the lane trickles; above the second the client ends. Bytes. */
const SLOW_BYTES = 8 * 1024 * 1024;
const FULL_BYTES = 256 * 1024 * 1024;

/** The longest grace the native side takes, ms. */
const LONGEST_MS = 0xffffffff;

/**
 * @typedef {import('./types').NativeClient} NativeClient
 * @typedef {import('./types').NativeEnd} NativeEnd
 * @typedef {import('./types').RawUpdate} RawUpdate
 * @typedef {import('./types').AnswerListener} AnswerListener
 * @typedef {import('../index').MiniMeEvents} MiniMeEvents
 * @typedef {(params: unknown) => unknown} NotificationHandler
 *
 * @typedef {Pick<
 *   import('./lifecycle').Lifecycle,
 *   'isAnnounced' | 'problem' | 'capabilities' | 'heard' | 'fail' | 'ended' | 'settled'
 * >} Life
 */

/**
 * Started and not ended: kept alive, since nothing else may hold them.
 * @type {Set<Client>}
 */
const running = new Set();

/** See the head. */
class Client {
  #connection;
  #calls;
  #life;
  #events;
  /** @type {Map<string, NotificationHandler>} */
  #notificationHandlers = new Map();
  #isSlow = false;

  /**
   * @param {import('./types').NativeBinding} binding
   * @param {import('./types').CheckedOptions} options
   * @param {import('./types').ClientEvents} events
   * @param {Life} life
   */
  constructor(binding, options, events, life) {
    this.options = options;
    this.#events = events;
    this.#life = life;
    this.unread = new Unread();
    /** @type {NativeClient} */
    this.native = new binding.NativeClient(
      JSON.stringify({
        namespace: options.namespace,
        isDiscoveryByRequest: options.discovery === 'request',
        maxIncomingBytes: options.maxIncomingBytes,
        maxOutgoingBytes: options.maxOutgoingBytes,
        isTraced: options.trace !== undefined,
      }),
      wakeOf(new WeakRef(this)),
    );
    this.lane = new Lane(this.native, this);
    this.choosePermission = binding.choosePermission;
    this.#connection = new Connection(this.native);
    this.sessions = new Sessions(this);
    this.tools = new Tools(this);
    this.#calls = new Calls(this);
    this.requests = new AgentRequests(this);
    const permissions = new Permissions(this, options.permissions);
    this.requests.set(
      'session/request_permission',
      (params, context) => permissions.answer(params, context),
      CANCELLED,
    );
    new Discovery(this);
    serve(this.requests, options);
  }

  /**
   * Starts the agent; gives its process id.
   * @param {import('./types').NativeProgram} program
   */
  start(program) {
    const pid = callNative(() => this.native.start(JSON.stringify(program)));
    running.add(this);
    return pid;
  }

  /**
   * Ends the agent, step by step; its last entry comes by the lane.
   * @param {number} graceMs
   */
  stop(graceMs) {
    this.native.stop(Math.min(graceMs, LONGEST_MS));
  }

  /**
   * Rejects all open requests: no answer is waited for any more.
   * @param {() => import('./errors').MiniMeError} reason
   */
  rejectOpen(reason) {
    this.#connection.end(reason);
  }

  /**
   * Tells handlers that nobody waits for them any more.
   * @param {unknown} reason
   */
  abandonHandlers(reason) {
    this.#calls.end(reason);
    this.requests.end(reason);
  }

  // ---- what the parts need

  hold() {
    this.#connection.hold();
  }

  release() {
    this.#connection.release();
  }

  isAnnounced() {
    return this.options.discovery === 'meta' && this.#life.isAnnounced();
  }

  problem() {
    return this.#life.problem();
  }

  /**
   * Whether the agent says it can: `agentCapabilities` has the member at this path, and it is no false.
   * @param {readonly string[]} path
   */
  can(...path) {
    /** @type {unknown} */
    let found = this.#life.capabilities();
    for (const name of path) found = member(found, name);
    return found !== undefined && found !== null && found !== false;
  }

  /**
   * The open session of an id, as it came.
   * @param {unknown} id
   */
  sessionOf(id) {
    return typeof id === 'string' ? this.sessions.byId.get(id) : undefined;
  }

  /**
   * @param {unknown} title of a permission
   * @param {string} sessionId
   */
  toolOf(title, sessionId) {
    return this.tools.titled(title, sessionId);
  }

  /**
   * @template {keyof MiniMeEvents} K
   * @param {K} event
   * @param {MiniMeEvents[K]} values
   */
  emit(event, ...values) {
    return this.#events.emit(event, ...values);
  }

  /**
   * @param {import('../index').DiagnosticCode} code
   * @param {string} message
   * @param {Record<string, unknown>} details
   */
  diagnose(code, message, details = {}) {
    this.#events.diagnose({ code, message, details });
  }

  /**
   * Gives handlers' answers to the native side; gives the keys of those that were too large.
   * @param {string} answers joined as src/client/calls.rs reads them
   */
  answerCalls(answers) {
    try {
      return callNative(() => this.native.answerCalls(answers));
    } catch (error) {
      // The agent does not read; or a fault of ours, and nobody knows which answers went out.
      this.#life.fail(/** @type {import('./errors').MiniMeError} */ (error));
      return [];
    }
  }

  isReporting() {
    return this.#events.listenerCount('toolCall') > 0;
  }

  /** @param {import('../index').ToolCallReport} report */
  report(report) {
    this.emit('toolCall', report);
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @param {AnswerListener} on
   */
  send(method, params, on) {
    return this.#connection.send(method, params, on);
  }

  /**
   * @param {import('./types').NativeIntroduction} introduction
   * @param {AnswerListener} on
   */
  initialize(introduction, on) {
    return this.#connection.initialize(introduction, on);
  }

  /**
   * See `Connection.call`.
   * @template [T=unknown]
   * @param {string} method
   * @param {unknown} params
   * @param {import('./types').CheckedCallOptions} options
   * @param {{ onAnswer?: (result: unknown) => T, onSettled?: () => void }} [on]
   */
  call(method, params, options, on) {
    return this.#connection.call(method, params, options, on);
  }

  /** @param {number} id of a request that nobody waits for any more */
  letGo(id) {
    this.#connection.letGo(id);
  }

  /**
   * @param {string} method
   * @param {unknown} params
   */
  notifyAgent(method, params) {
    this.#connection.notify(method, params);
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

  /**
   * A turn was cancelled: everything of its session that is open is told.
   * @param {string} sessionId
   * @param {unknown} reason
   */
  abortSession(sessionId, reason) {
    this.requests.abortSession(sessionId, reason);
    this.#calls.abortSession(sessionId, reason);
  }

  // ---- what the lane delivers

  /** A chunk was delivered; gives whether too much of it waits unread. */
  endChunk() {
    this.unread.hasWoken = false;
    const { bytes } = this.unread;
    if (bytes > FULL_BYTES) this.#overflow(bytes);
    const isSlow = bytes > SLOW_BYTES;
    if (isSlow && !this.#isSlow) {
      const message = `${bytes} bytes of updates wait unread in iterators; the stream is slowed down`;
      this.diagnose('unread-updates', message, { bytes });
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
    this.emit('update', /** @type {MiniMeEvents['update'][0]} */ ({ sessionId, update }));
    this.sessions.receiveText(sessionId, update, text, size);
  }

  /**
   * @param {unknown} params
   * @param {number} size in bytes
   */
  onUpdate(params, size) {
    if (!isNotification(params)) {
      this.diagnose('message-invalid', 'expected a session/update with sessionId and update', {});
      return;
    }
    // Listeners see the update as the protocol has it; its members stay what the agent sent.
    this.emit('update', /** @type {MiniMeEvents['update'][0]} */ (params));
    this.sessions.receive(params.sessionId, params.update, size);
  }

  /**
   * @param {number} key
   * @param {number} index
   * @param {unknown} params
   */
  onCall(key, index, params) {
    const tool = this.tools.at(index);
    if (tool !== undefined) this.#calls.run(key, tool, params);
    else this.native.answerCalls(`${key}e{"code":-32601,"message":"Method not found"}\n`);
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
    const tool = this.tools.at(index);
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
    this.requests.receive(key, method, params);
  }

  /** @param {number} key */
  onRequestCancelled(key) {
    this.requests.cancelled(key);
  }

  /**
   * @param {string} method
   * @param {unknown} params
   */
  onNotification(method, params) {
    const result = this.#notificationHandlers.get(method)?.(params);
    if (isThenable(result)) result.then(undefined, (error) => this.onFault(error));
  }

  /** @param {import('../index').Diagnostic} diagnostic */
  onDiagnostic(diagnostic) {
    this.#events.diagnose(diagnostic);
  }

  /** @param {string} line */
  onStderr(line) {
    this.#life.heard(line);
    this.emit('stderr', line);
  }

  /** @param {import('../index').ToolsReport} report */
  onToolsReport(report) {
    this.emit('tools', report);
  }

  /**
   * @param {boolean} isIncoming
   * @param {string} line
   * @param {number} timestampMs
   */
  onTrace(isIncoming, line, timestampMs) {
    this.options.trace?.({ direction: isIncoming ? 'in' : 'out', line, timestampMs });
  }

  /**
   * What fails while an entry is delivered is a listener's or a fault of ours; it is told.
   * @param {unknown} error
   */
  onFault(error) {
    this.diagnose('listener-failed', `delivering a message failed: ${errorText(error)}`, {});
  }

  /** @param {NativeEnd} end */
  onEnd(end) {
    // Whoever awaits the last answer goes on first: the end comes after all that was said.
    setImmediate(() => this.#ended(end));
  }

  /** @param {NativeEnd} end */
  #ended({ exitCode, signal, stderr, failure }) {
    running.delete(this);
    const exit = { exitCode, signal: signalName(signal), stderr };
    const reason = this.#life.ended(exit, failure);
    this.abandonHandlers(reason());
    this.#connection.end(reason);
    this.sessions.end(reason());
    this.#life.settled();
  }
}

/**
 * Weak: a client that does not run is garbage as soon as nobody holds it. A function of its own, since
 * closures of one scope keep all that any of them names, and the native side keeps this one.
 * @param {WeakRef<Client>} client
 */
function wakeOf(client) {
  return () => client.deref()?.lane.wake();
}

/**
 * @param {unknown} params
 * @returns {params is { sessionId: string, update: RawUpdate }}
 */
function isNotification(params) {
  return isObject(params) && typeof params.sessionId === 'string' && isObject(params.update);
}

/**
 * @param {number | null} number
 * @returns {NodeJS.Signals | null}
 */
function signalName(number) {
  if (number === null) return null;
  const signals = Object.entries(os.constants.signals);
  const name = signals.find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
  return /** @type {NodeJS.Signals} */ (name);
}

module.exports = { Client };
