'use strict';
// The inner half of a MiniMe: joins lane, connection, sessions, calls and requests. What the native
// side delivers arrives in deliveries.js; what users see is in mini-me.js.

const { AgentRequests } = require('./agent-requests');
const { Calls } = require('./calls');
const { Connection } = require('./connection');
const { Deliveries } = require('./deliveries');
const { Discovery } = require('./discovery');
const { callNative } = require('./errors');
const { member } = require('./json');
const { Progress } = require('./kept');
const { Lane } = require('./lane');
const { Lending } = require('./lending');
const { CANCELLED, Permissions } = require('./permissions');
const { Secrets } = require('./secrets');
const { serve } = require('./services');
const { Sessions } = require('./sessions');
const { Unread } = require('./stream');
const { Tools } = require('./tools');

/** The longest grace the native side takes, ms. */
const LONGEST_MS = 0xffffffff;

/**
 * @typedef {import('./types').NativeClient} NativeClient
 * @typedef {import('./types').AnswerListener} AnswerListener
 * @typedef {import('../index').MiniMeEvents} MiniMeEvents
 *
 * @typedef {Pick<
 *   import('./lifecycle').Lifecycle,
 *   'isAnnounced' | 'problem' | 'agent' | 'capabilities' | 'heard' | 'fail' | 'ended' | 'settled'
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
    this.progress = new Progress();
    this.secrets = new Secrets();
    /** @type {NativeClient} */
    this.native = new binding.NativeClient(
      JSON.stringify({
        namespace: options.namespace,
        isDiscoveryByRequest: options.discovery === 'request',
        carrier: options.carrier,
        maxIncomingBytes: options.maxIncomingBytes,
        maxOutgoingBytes: options.maxOutgoingBytes,
        isTraced: options.trace !== undefined,
      }),
      wakeOf(new WeakRef(this)),
    );
    this.choosePermission = binding.choosePermission;
    this.#connection = new Connection(this.native);
    this.lending = new Lending(this);
    this.sessions = new Sessions(this);
    this.tools = new Tools(this);
    this.#calls = new Calls(this);
    this.requests = new AgentRequests(this);
    const permissions = new Permissions(this, options.permissions);
    this.requests.serve(
      'session/request_permission',
      (params, context) => permissions.answer(params, context),
      CANCELLED,
    );
    new Discovery(this);
    const { terminal, ...others } = options;
    /** The ready-made ones. */
    this.terminals = terminal === true ? terminalsOf(this) : undefined;
    const handlers = typeof terminal === 'object' ? terminal : this.terminals?.handlers;
    serve(this.requests, { ...others, terminal: handlers });
    const parts = { connection: this.#connection, calls: this.#calls, life };
    this.deliveries = new Deliveries(this, parts);
    this.lane = new Lane(this.native, this.deliveries, this.progress);
  }

  /**
   * Starts the agent; gives its process id.
   * @param {import('./types').NativeProgram} program
   */
  start(program) {
    const pid = callNative(() => this.native.start(JSON.stringify(program)));
    running.add(this);
    this.terminals?.started(program.env);
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
    this.terminals?.end();
    this.lending.end();
  }

  // ---- what the parts need

  hold() {
    this.#connection.hold();
  }

  release() {
    this.#connection.release();
  }

  isAnnounced() {
    return this.hasOneList() && this.#life.isAnnounced();
  }

  /** Whether one list of tools, sent once, holds for all sessions. */
  hasOneList() {
    return this.options.discovery === 'meta' && !this.lending.isMcp;
  }

  /** What the agent has said of itself. */
  agent() {
    return this.#life.agent;
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
  conversationOf(id) {
    return typeof id === 'string' ? this.sessions.byId.get(id) : undefined;
  }

  /**
   * The same, as users hold it.
   * @param {unknown} id
   */
  sessionOf(id) {
    return this.conversationOf(id)?.session;
  }

  /**
   * A session's turn has shown a sign of life.
   * @param {unknown} id
   */
  sign(id) {
    this.conversationOf(id)?.sign();
  }

  /**
   * The lent tool that a permission is asked for.
   * @param {import('./types').RawToolCall} told of its tool call
   * @param {import('./types').RawToolCall | undefined} known before
   * @param {string} sessionId
   */
  toolOf(told, known, sessionId) {
    if (this.lending.isMcp) {
      // A request may say less than the updates before it, and in other words.
      return this.lending.toolOf(told, sessionId) ?? this.lending.toolOf(known ?? {}, sessionId);
    }
    return told.kind === 'other' ? this.tools.titled(told.title, sessionId) : undefined;
  }

  /**
   * @template {keyof MiniMeEvents} K
   * @param {K} event
   * @param {MiniMeEvents[K]} values
   */
  emit(event, ...values) {
    return this.#events.emit(event, ...values);
  }

  /** @param {import('../index').Diagnostic} diagnostic */
  tell(diagnostic) {
    this.#events.diagnose(diagnostic);
  }

  /**
   * @param {import('../index').DiagnosticCode} code
   * @param {string} message
   * @param {Record<string, unknown>} details
   */
  diagnose(code, message, details = {}) {
    this.tell({ code, message, details });
  }

  /**
   * Gives handlers' answers to the native side; gives the keys of those that were too large.
   * @param {string} answers joined as src/client/calls.rs reads them
   */
  answerCalls(answers) {
    return this.#answer(() => this.native.answerCalls(answers)) ?? [];
  }

  /**
   * The same for one large answer, which is not joined; gives whether it was too large.
   * @param {number} key
   * @param {boolean} isError
   * @param {string} json
   */
  answerLarge(key, isError, json) {
    return this.#answer(() => this.native.answerLarge(key, isError, json)) ?? false;
  }

  /**
   * @template T
   * @param {() => T} write
   */
  #answer(write) {
    try {
      return callNative(write);
    } catch (error) {
      // The agent does not read; or a fault of ours, and nobody knows which answers went out.
      this.#life.fail(/** @type {import('./errors').MiniMeError} */ (error));
      return undefined;
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
   * A turn was cancelled: everything of its session that is open is told.
   * @param {string} sessionId
   * @param {unknown} reason
   */
  abortSession(sessionId, reason) {
    this.requests.abortSession(sessionId, reason);
    this.#calls.abortSession(sessionId, reason);
  }

  /**
   * The agent has ended: so has all that waits for it.
   * @param {() => import('./errors').MiniMeError} reason
   */
  end(reason) {
    running.delete(this);
    this.abandonHandlers(reason());
    this.#connection.end(reason);
    this.sessions.end(reason());
  }
}

/**
 * Loaded for the programs that offer it: a start waits for all that is loaded before it.
 * @param {Client} client
 */
function terminalsOf(client) {
  const { Terminals } = require('./terminal');
  return new Terminals(client);
}

/**
 * Weak: a client that does not run is garbage as soon as nobody holds it. A function of its own, since
 * closures of one scope keep all that any of them names, and the native side keeps this one.
 * @param {WeakRef<Client>} client
 */
function wakeOf(client) {
  return () => client.deref()?.lane.wake();
}

module.exports = { Client };
