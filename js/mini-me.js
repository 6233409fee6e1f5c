'use strict';
// The client as users see it. What it does is in client.js and lifecycle.js.

const { onAbort } = require('./abort');
const { Client } = require('./client');
const { createError } = require('./errors');
const { Events } = require('./events');
const { Lifecycle } = require('./lifecycle');
const { loadBinding } = require('./binding');
const { callOptions, clientOptions, sessionOptions } = require('./options');

/** See `MiniMe` in index.d.ts. */
class MiniMe extends Events {
  #client;
  #life;
  /** Diagnostics found before start(): given when it is called, when somebody listens. */
  #early = [];

  constructor(options = {}) {
    super();
    const checked = clientOptions(options);
    const events = {
      emit: (event, value) => this.emit(event, value),
      listenerCount: (event) => this.listenerCount(event),
      diagnose: (diagnostic) => this.#diagnose(diagnostic),
    };
    this.#life = new Lifecycle(checked, events);
    this.#client = new Client(loadBinding(), checked, events, this.#life);
    this.#life.attach(this.#client);
    if (Array.isArray(checked.tools)) for (const tool of checked.tools) this.addTool(tool);
    onAbort(checked.signal, () => this.close());
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
    return this.#client.sessions.byId;
  }

  addTool(tool) {
    return this.#client.tools.add(tool);
  }

  modelTools() {
    return JSON.parse(this.#client.native.modelTools());
  }

  async start() {
    const early = this.#early.splice(0);
    const starting = this.#life.start();
    for (const diagnostic of early) this.#diagnose(diagnostic);
    return await starting;
  }

  async newSession(options = {}) {
    const checked = sessionOptions(options);
    await this.start();
    return await this.#client.sessions.open(checked);
  }

  async request(method, params, options = {}) {
    const checked = callOptions(options);
    await this.start();
    return await this.#client.call(method, params, checked);
  }

  notify(method, params) {
    const problem = this.#life.problem();
    if (problem !== undefined) throw problem;
    this.#client.notifyAgent(method, params);
  }

  onRequest(method, handler) {
    checkHandler('onRequest', method, handler);
    return disposable(this.#client.requests.set(method, handler));
  }

  onNotification(method, handler) {
    checkHandler('onNotification', method, handler);
    return disposable(this.#client.setNotificationHandler(method, handler));
  }

  async close() {
    return await this.#life.close();
  }

  #diagnose(diagnostic) {
    if (this.#life.state === 'idle') this.#early.push(diagnostic);
    else this.emit('diagnostic', diagnostic);
  }
}

if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(MiniMe.prototype, Symbol.asyncDispose, {
    async value() {
      await this.close();
    },
  });
}

function checkHandler(where, method, handler) {
  if (typeof method === 'string' && method !== '' && typeof handler === 'function') return;
  const message = `${where}: expected the name of a method and a function`;
  throw createError('MM_ERR_OPTION', message);
}

/** Hosts without Symbol.dispose get the method under the key that polyfills use. */
function disposable(dispose) {
  return { [Symbol.dispose ?? Symbol.for('Symbol.dispose')]: dispose };
}

module.exports = { MiniMe };
