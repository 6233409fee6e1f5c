'use strict';
// The inner half of a MiniMe: joins lane, connection, sessions, calls and requests. What the native
// side delivers arrives here; what users see is in mini-me.js.

const os = require('node:os');
const { AgentRequests } = require('./agent-requests');
const { Calls } = require('./calls');
const { Connection } = require('./connection');
const { Discovery } = require('./discovery');
const { callNative, createError } = require('./errors');
const { Lane } = require('./lane');
const { CANCELLED, Permissions } = require('./permissions');
const { Sessions } = require('./sessions');
const { Unread } = require('./stream');
const { Tools } = require('./tools');

/** Above this much unread the lane trickles; above the second the client ends. Bytes. */
const SLOW_BYTES = 8 * 1024 * 1024;
const FULL_BYTES = 256 * 1024 * 1024;

/** The longest grace the native side takes, ms. */
const LONGEST_MS = 0xffffffff;

/** Started and not ended: kept alive, since nothing else may hold them. */
const running = new Set();

/**
 * See the head. `events` has: emit, listenerCount, diagnose. `life` has: isAnnounced(), problem(),
 * promptCapabilities(), heard(line), fail(error), ended(exit, failure), settled().
 */
class Client {
  #connection;
  #calls;
  #life;
  #events;
  #notificationHandlers = new Map();
  #isSlow = false;

  constructor(binding, options, events, life) {
    this.options = options;
    this.#events = events;
    this.#life = life;
    this.unread = new Unread();
    const self = new WeakRef(this);
    this.native = new binding.NativeClient(
      JSON.stringify({
        namespace: options.namespace,
        isDiscoveryByRequest: options.discovery === 'request',
        maxIncomingBytes: options.maxIncomingBytes,
        maxOutgoingBytes: options.maxOutgoingBytes,
        isTraced: options.trace !== undefined,
      }),
      // Weak: a client that was never started is garbage as soon as nobody holds it.
      () => self.deref()?.lane.wake(),
    );
    this.lane = new Lane(this.native, this);
    this.choosePermission = binding.choosePermission;
    this.#connection = new Connection(this.native);
    this.sessions = new Sessions(this);
    this.tools = new Tools(this);
    this.#calls = new Calls(this);
    this.requests = new AgentRequests(this);
    const permissions = new Permissions(this, options.permissions);
    const ask = (params, context) => permissions.answer(params, context);
    this.requests.set('session/request_permission', ask, CANCELLED);
    new Discovery(this);
  }

  /** Starts the agent; gives its process id. */
  start(program) {
    const pid = callNative(() => this.native.start(JSON.stringify(program)));
    running.add(this);
    return pid;
  }

  /** Ends the agent, step by step; its last entry comes by the lane. */
  stop(graceMs) {
    this.native.stop(Math.min(graceMs, LONGEST_MS));
  }

  /** Rejects all open requests: no answer is waited for any more. */
  rejectOpen(reason) {
    this.#connection.end(reason);
  }

  /** Tells handlers that nobody waits for them any more. */
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

  promptCapabilities() {
    return this.#life.promptCapabilities();
  }

  sessionOf(id) {
    return this.sessions.byId.get(id);
  }

  toolOf(title, sessionId) {
    return this.tools.titled(title, sessionId);
  }

  emit(event, value) {
    return this.#events.emit(event, value);
  }

  diagnose(code, message, details = {}) {
    this.#events.diagnose({ code, message, details });
  }

  isReporting() {
    return this.#events.listenerCount('toolCall') > 0;
  }

  report(report) {
    this.emit('toolCall', report);
  }

  send(method, params, on) {
    return this.#connection.send(method, params, on);
  }

  initialize(introduction, on) {
    return this.#connection.initialize(introduction, on);
  }

  call(method, params, options, on) {
    return this.#connection.call(method, params, options, on);
  }

  notifyAgent(method, params) {
    this.#connection.notify(method, params);
  }

  setNotificationHandler(method, handler) {
    this.#notificationHandlers.set(method, handler);
    return () => {
      if (this.#notificationHandlers.get(method) === handler) {
        this.#notificationHandlers.delete(method);
      }
    };
  }

  /** A turn was cancelled: everything of its session that is open is told. */
  abortSession(sessionId, reason) {
    this.requests.abortSession(sessionId, reason);
    this.#calls.abortSession(sessionId, reason);
  }

  // ---- what the lane delivers

  isOverfull() {
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

  #overflow(bytes) {
    const message = `expected iterators to read their updates, ${bytes} bytes wait unread`;
    this.#life.fail(createError('MM_ERR_UNREAD', message, { bytes }));
  }

  onText(sessionId, text, size) {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    this.emit('update', { sessionId, update });
    this.sessions.receiveText(sessionId, update, text, size);
  }

  onUpdate(params, size) {
    const { sessionId, update } = params;
    if (typeof sessionId !== 'string' || typeof update !== 'object' || update === null) {
      this.diagnose('message-invalid', 'expected a session/update with sessionId and update', {});
      return;
    }
    this.emit('update', params);
    this.sessions.receive(sessionId, update, size);
  }

  onCall(key, index, params) {
    const tool = this.tools.at(index);
    if (tool !== undefined) this.#calls.run(key, tool, params);
    else this.native.answerCalls(`${key}e{"code":-32601,"message":"Method not found"}\n`);
  }

  onCallCancelled(key) {
    this.#calls.cancel(key);
  }

  onCallRefused(index, params) {
    const tool = this.tools.at(index);
    if (tool !== undefined) this.#calls.refused(tool, params);
  }

  onResult(id, result) {
    this.#connection.result(id, result);
  }

  onError(id, error) {
    this.#connection.error(id, error);
  }

  onRequest(key, method, params) {
    this.requests.receive(key, method, params);
  }

  onRequestCancelled(key) {
    this.requests.cancelled(key);
  }

  onNotification(method, params) {
    const result = this.#notificationHandlers.get(method)?.(params);
    if (typeof result?.then === 'function') {
      result.then(undefined, (error) => this.onFault(error));
    }
  }

  onDiagnostic(diagnostic) {
    this.#events.diagnose(diagnostic);
  }

  onStderr(line) {
    this.#life.heard(line);
    this.emit('stderr', line);
  }

  onToolsReport(report) {
    this.emit('tools', report);
  }

  onTrace(isIncoming, line, timestampMs) {
    this.options.trace({ direction: isIncoming ? 'in' : 'out', line, timestampMs });
  }

  /** What fails while an entry is delivered is a listener's or a fault of ours; it is told. */
  onFault(error) {
    this.diagnose('listener-failed', `delivering a message failed: ${error?.message ?? error}`, {});
  }

  onEnd({ exitCode, signal, stderr, failure }) {
    running.delete(this);
    const exit = { exitCode, signal: signalName(signal), stderr };
    const reason = this.#life.ended(exit, failure);
    this.abandonHandlers(reason());
    this.#connection.end(reason);
    this.sessions.end(reason());
    this.#life.settled();
  }
}

function signalName(number) {
  if (number === null) return null;
  const signals = Object.entries(os.constants.signals);
  return signals.find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
}

module.exports = { Client };
