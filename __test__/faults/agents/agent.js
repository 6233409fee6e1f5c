'use strict';
// What the agents of the fault tests are made of: the fake agent, able to do more, and with words for
// what such agents do. Nothing here keeps an agent from breaking the rules.

const { Agent, SILENCE } = require('../../fixtures/agents/agent');

/** An agent on this process's stdin and stdout. */
class FaultyAgent extends Agent {
  /** Given by a handler: no answer. */
  silence = SILENCE;
  /** What is answered to `initialize`. */
  initialized = {
    protocolVersion: 1,
    agentInfo: { name: 'faulty', version: '1' },
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: { close: {}, resume: {} },
    },
  };

  constructor() {
    super();
    this.on('initialize', () => this.initialized);
    for (const method of ['session/load', 'session/resume', 'session/close']) {
      this.on(method, () => ({}));
    }
  }

  chunk(text) {
    return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  }

  /** Sends a request; resolves with the answer. */
  async ask(method, params, id) {
    return JSON.parse(await super.ask(method, params, id === undefined ? id : JSON.stringify(id)));
  }

  /** Answers a request with an error, thrown in its handler. */
  refuse(code, message, data) {
    const error = { code, message, data };
    throw error;
  }

  sleep(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Stays whatever happens. */
  stay() {
    setInterval(() => this, 1 << 30);
  }
}

module.exports = { Agent: FaultyAgent };
