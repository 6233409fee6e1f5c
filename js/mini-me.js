'use strict';
// The client as users see it. What it does is in client.js and lifecycle.js.

const { onAbort } = require('./abort');
const { Client } = require('./client');
const { asyncDispose, dispose } = require('./dispose');
const { createError } = require('./errors');
const { Events } = require('./events');
const { Lifecycle } = require('./lifecycle');
const { fromNow, within } = require('./limit');
const { loadBinding } = require('./binding');
const { unsupported } = require('./openings');
const {
  absolute,
  callOptions,
  checkId,
  checkWord,
  clientOptions,
  listOptions,
  loadOptions,
  sessionOptions,
} = require('./options');
const { show } = require('./show');

/**
 * @typedef {import('../index').Diagnostic} Diagnostic
 * @typedef {(params: unknown, context: { readonly signal: AbortSignal }) => unknown} RequestHandler
 */

/**
 * Notifications that no handler would ever get, and what becomes of them.
 * @type {ReadonlyMap<string, string>}
 */
const HEARD_ELSEWHERE = new Map([
  ['session/update', 'goes to the event update'],
  ['$/cancel_request', 'aborts the signal of a handler'],
]);

/**
 * What a client lends, without starting it; undefined for what is no client, or one of another copy of
 * this package.
 * @type {(value: object) => { namespace: string, definitions: import('../index').AnyTool[] } | undefined}
 */
let lentBy;

/** See `MiniMe` in index.d.ts. */
class MiniMe extends Events {
  #client;

  static {
    lentBy = (value) => {
      if (!(#client in value)) return undefined;
      const { options, tools } = value.#client;
      return { namespace: options.namespace, definitions: tools.definitions };
    };
  }

  #life;
  /**
   * Diagnostics found before start(): given when it is called, when somebody listens.
   * @type {Diagnostic[]}
   */
  #early = [];
  #undoSignal;

  /** @param {import('../index').MiniMeOptions} options */
  constructor(options = {}) {
    super();
    const checked = clientOptions(options);
    /** @type {import('./types').ClientEvents} */
    const events = {
      emit: (event, ...values) => this.emit(event, ...values),
      listenerCount: (event) => this.listenerCount(event),
      diagnose: (diagnostic) => this.#diagnose(diagnostic),
    };
    this.#life = new Lifecycle(checked, events);
    this.#client = new Client(loadBinding(), checked, events, this.#life);
    this.#life.attach(this.#client);
    if (Array.isArray(checked.tools)) for (const tool of checked.tools) this.addTool(tool);
    this.#undoSignal = onAbort(checked.signal, closeOf(new WeakRef(this)));
  }

  get tools() {
    return this.#client.tools.own;
  }

  get agent() {
    return this.#life.agent;
  }

  get pid() {
    return this.#life.pid;
  }

  get state() {
    return this.#life.state;
  }

  get sessions() {
    return this.#client.sessions.open;
  }

  /** @param {import('../index').AnyTool} tool */
  addTool(tool) {
    return this.#client.tools.add(tool);
  }

  /** @returns {import('../index').ModelTool[]} */
  modelTools() {
    return JSON.parse(this.#client.native.modelTools());
  }

  async start() {
    const early = this.#early.splice(0);
    const starting = this.#life.start();
    for (const diagnostic of early) this.#diagnose(diagnostic);
    return await starting;
  }

  /** @param {import('../index').SessionOptions} options */
  async newSession(options = {}) {
    const checked = fromNow(sessionOptions(options));
    if (this.state !== 'ready') await this.#ready('session/new', checked);
    return await this.#client.sessions.openings.open(checked);
  }

  /**
   * @param {string} id
   * @param {import('../index').SessionOptions & { onReplay?: (update: import('../index').SessionUpdate) => void }} options
   */
  async loadSession(id, options = {}) {
    return await this.#reopen('session/load', id, loadOptions(options));
  }

  /**
   * @param {string} id
   * @param {import('../index').SessionOptions} options
   */
  async resumeSession(id, options = {}) {
    return await this.#reopen('session/resume', id, sessionOptions(options));
  }

  /**
   * @param {'session/load' | 'session/resume'} method
   * @param {string} id
   * @param {import('./types').CheckedLoadOptions} options
   */
  async #reopen(method, id, options) {
    checkId(id);
    const limited = fromNow(options);
    if (this.state !== 'ready') await this.#ready(method, limited);
    return await this.#client.sessions.openings.reopen(method, id, limited);
  }

  /** @param {{ cwd?: string }} options */
  listSessions(options = {}) {
    const { cwd } = listOptions(options);
    const params = cwd === undefined ? {} : { cwd: absolute(cwd) };
    const { SessionList } = require('./session-list');
    return new SessionList(this.#client, () => this.start(), params);
  }

  /** @param {string} id */
  async deleteSession(id) {
    checkId(id);
    if (this.state !== 'ready') await this.start();
    if (!this.#client.can('sessionCapabilities', 'delete')) {
      throw unsupported('session/delete', 'sessionCapabilities.delete');
    }
    await this.#client.call('session/delete', { sessionId: id }, {});
    this.#client.sessions.byId.get(id)?.deleted();
    this.#client.terminals?.forget(id);
  }

  /** @param {string} methodId */
  async authenticate(methodId) {
    checkWord('methodId', 'the id of a way to log in', methodId);
    if (this.state !== 'ready') await this.start();
    await this.#client.call('authenticate', { methodId }, {});
  }

  async logout() {
    if (this.state !== 'ready') await this.start();
    if (!this.#client.can('auth', 'logout')) throw unsupported('logout', 'auth.logout');
    await this.#client.call('logout', {}, {});
  }

  /**
   * @template [Result=unknown]
   * @param {string} method
   * @param {unknown} [params]
   * @param {import('../index').CallOptions} options
   * @returns {Promise<Result>}
   */
  async request(method, params, options = {}) {
    checkMethod('request', method);
    const checked = fromNow(callOptions(options));
    if (this.state !== 'ready') await this.#ready(method, checked);
    return /** @type {Result} */ (await this.#client.call(method, params, checked));
  }

  /**
   * @param {string} method
   * @param {unknown} [params]
   */
  notify(method, params) {
    checkMethod('notify', method);
    const problem = this.#life.problem();
    if (problem !== undefined) throw problem;
    this.#client.notifyAgent(method, params);
  }

  /**
   * @param {string} method
   * @param {RequestHandler} handler
   */
  onRequest(method, handler) {
    checkHandler('onRequest', method, handler);
    return disposable(this.#client.requests.set(method, handler));
  }

  /**
   * @param {string} method
   * @param {(params: unknown) => void} handler
   */
  onNotification(method, handler) {
    checkHandler('onNotification', method, handler);
    const instead = HEARD_ELSEWHERE.get(method);
    if (instead !== undefined) {
      const message = `onNotification: expected another method than ${method}, which ${instead}`;
      throw createError('MM_ERR_OPTION', message, { option: 'method' });
    }
    return disposable(this.#client.deliveries.setNotificationHandler(method, handler));
  }

  async close() {
    this.#undoSignal?.();
    return await this.#life.close();
  }

  async [asyncDispose]() {
    await this.close();
  }

  /**
   * Starts the agent. A caller that does not wait so long gives up its call, not the start. Not called
   * when it is ready: what is sent then goes out before the caller's next line runs.
   * @param {string} method
   * @param {import('./types').CheckedCallOptions} options
   */
  #ready(method, options) {
    return within(method, options, () => this.start());
  }

  /** @param {Diagnostic} diagnostic */
  #diagnose(diagnostic) {
    if (this.#life.state === 'idle') this.#early.push(diagnostic);
    else this.emit('diagnostic', diagnostic);
  }
}

/**
 * Weak: a signal may live as long as the program, and must not keep every client that was given it.
 * @param {WeakRef<MiniMe>} client
 */
function closeOf(client) {
  return () => {
    client.deref()?.close();
  };
}

/**
 * @param {string} where
 * @param {unknown} method
 */
function checkMethod(where, method) {
  if (typeof method === 'string' && method !== '') return;
  const message = `${where}: expected the name of a method, got ${show(method)}`;
  throw createError('MM_ERR_OPTION', message, { option: 'method' });
}

/**
 * @param {string} where
 * @param {unknown} method
 * @param {unknown} handler
 */
function checkHandler(where, method, handler) {
  if (typeof method === 'string' && method !== '' && typeof handler === 'function') return;
  const message = `${where}: expected the name of a method and a function`;
  throw createError('MM_ERR_OPTION', message);
}

/**
 * @param {() => void} undo
 * @returns {Disposable}
 */
function disposable(undo) {
  return { [dispose]: undo };
}

module.exports = { MiniMe, lentBy };
