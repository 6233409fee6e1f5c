'use strict';
// The handlers of the program: each waits, once entered, until the dialogue says how it ends.

const { expect } = require('@jest/globals');
const { TOOLS_LIST } = require('./script');

const SESSION = 'org.mini-me/sessionId';
const PERMISSION = 'session/request_permission';

/** The handlers of one run, and what they are running. */
class Handlers {
  #script;
  #inbox;
  /** By the id that the agent gave: what is being run. */
  #running = new Map();

  constructor(script, inbox) {
    this.#script = script;
    this.#inbox = inbox;
  }

  /** Options of the client. */
  get options() {
    const { isByFunction } = this.#script.lists;
    return {
      permissions: (request, { signal }) => this.#arrive(PERMISSION, { request, signal }),
      ...(isByFunction && { tools: ({ signal }) => this.#arrive('tools', { signal }) }),
    };
  }

  /** A tool with a handler. */
  lend(tool) {
    return {
      ...tool,
      handle: (args, context) => {
        const { signal, sessionId, meta } = context;
        return this.#arrive(tool.method, { call: { args, sessionId, meta }, signal });
      },
    };
  }

  /** A handler was entered. */
  #arrive(kind, request) {
    return new Promise((resolve, reject) => {
      this.#inbox.push(kind, { ...request, kind, resolve, reject });
    });
  }

  /** The agent has asked: the handler it is for was entered, with what the line says. */
  async asked({ id, message }) {
    const { method, params } = message;
    if (method === TOOLS_LIST) {
      expect(await this.#inbox.next(TOOLS_LIST)).toEqual(params);
      if (this.#script.lists.isByFunction) this.#running.set(id, await this.#inbox.next('tools'));
    } else if (method === PERMISSION) {
      const { request, ...running } = await this.#inbox.next(PERMISSION);
      expect(request).toMatchObject({ ...params, raw: params });
      expect(`client: ${request.tool.name}`).toBe(params.toolCall.title);
      this.#running.set(id, running);
    } else if (this.#script.isLent(method)) {
      const running = await this.#inbox.next(method);
      const { _meta: meta, ...args } = params;
      expect(running.call).toEqual({ args, meta, sessionId: meta[SESSION] });
      this.#running.set(id, running);
    }
  }

  /** Lets a handler end as the line says; what no handler runs, the client answers by itself. */
  async give({ id, message, gives = { value: message.result } }) {
    const request = this.#running.get(id);
    if (request === undefined || (message.error && !('throws' in gives))) return;
    this.#running.delete(id);
    if ('throws' in gives) request.reject(gives.throws);
    else request.resolve(request.kind === PERMISSION ? decision(gives.value) : gives.value);
    const { content, isError } = message.result ?? {};
    const outcome = Array.isArray(content) && isError === true ? 'error' : 'ok';
    await this.#reported(request, gives.outcome ?? outcome, gives.throws);
  }

  /** The agent has withdrawn a request: its handler was told, unless it had ended before. */
  async withdrawn(id) {
    const request = this.#running.get(id);
    if (request === undefined) return;
    this.#running.delete(id);
    await aborted(request.signal);
    await this.#reported(request, 'cancelled');
  }

  /** The client has ended, and with it what was running. */
  async ended() {
    for (const request of this.#running.values()) {
      await aborted(request.signal);
      await this.#reported(request, 'cancelled');
    }
  }

  async #reported({ kind, call }, outcome, error = undefined) {
    if (call === undefined) return;
    const report = await this.#inbox.next('toolCall');
    expect(report).toMatchObject({ tool: { method: kind }, sessionId: call.sessionId, outcome });
    expect(report.error).toBe(error);
  }
}

function decision({ outcome: { outcome, optionId } }) {
  return outcome === 'cancelled' ? 'cancelled' : { optionId };
}

function aborted(signal) {
  if (signal.aborted) return undefined;
  return new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

module.exports = { Handlers };
