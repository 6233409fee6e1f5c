'use strict';
// What the agents of the fault tests are made of: lines in, lines out, and an answer for whatever a
// test does not care about. Nothing here keeps an agent from breaking the rules.

const SILENCE = Symbol('no answer');

/** An agent on this process's stdin and stdout. */
class Agent {
  /** Given by a handler: no answer. */
  silence = SILENCE;
  /** Every line that came, as it came; the request `_received` is answered with them. */
  received = [];
  /** What is answered to `initialize`. */
  initialized = {
    protocolVersion: 1,
    agentInfo: { name: 'faulty', version: '1' },
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: { close: {}, resume: {} },
    },
  };
  #handlers = new Map();
  #waiting = new Map();
  #rest = '';
  #nextId = 1;
  #sessions = 0;

  constructor() {
    this.on('initialize', () => this.initialized);
    this.on('session/new', () => {
      this.#sessions += 1;
      return { sessionId: `s${this.#sessions}` };
    });
    for (const method of ['session/load', 'session/resume', 'session/close']) {
      this.on(method, () => ({}));
    }
    this.on('session/prompt', () => ({ stopReason: 'end_turn' }));
    this.on('_received', () => this.received);
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (text) => this.#feed(text));
  }

  /** `handler(params, message)` answers `method`; what it throws is the answer's error. */
  on(method, handler) {
    this.#handlers.set(method, handler);
  }

  /** Writes text or bytes as they are. */
  write(text) {
    process.stdout.write(text);
  }

  send(message) {
    this.write(this.line(message));
  }

  line(message) {
    return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  }

  update(sessionId, update) {
    this.send({ method: 'session/update', params: { sessionId, update } });
  }

  say(sessionId, text) {
    this.update(sessionId, this.chunk(text));
  }

  chunk(text) {
    return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  }

  /** Sends a request; resolves with the answer. */
  ask(method, params, id = this.#nextId++) {
    this.send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /** Answers a request with an error, thrown in its handler. */
  refuse(code, message, data) {
    throw Object.assign(new Error(message), { rpc: { code, message, data } });
  }

  sleep(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Stays whatever happens. */
  stay() {
    setInterval(() => this, 1 << 30);
  }

  #feed(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) this.#line(line);
  }

  #line(line) {
    this.received.push(line);
    const message = JSON.parse(line);
    if (message.method !== undefined) {
      this.#run(message);
      return;
    }
    const resolve = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    resolve?.(message);
  }

  async #run(message) {
    const { id, method, params } = message;
    const handler = this.#handlers.get(method);
    let outcome = { error: { code: -32601, message: 'Method not found' } };
    try {
      if (handler !== undefined) outcome = { result: await handler(params, message) };
    } catch (error) {
      outcome = { error: error.rpc ?? { code: -32603, message: error.stack } };
    }
    if (id !== undefined && outcome.result !== SILENCE) this.send({ id, ...outcome });
  }
}

module.exports = { Agent };
