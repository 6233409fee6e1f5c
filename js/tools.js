'use strict';
// The tools a client lends, to all sessions or to one, and how the native side names them.

const { callNative, createError } = require('./errors');
const { RegisteredTool, checkTool, toNativeTool } = require('./tool');

/** Model servers cap names here. */
const LONG_NAME = 64;

/** The tools of one client. `client` has: native, options, isAnnounced(), diagnose(). */
class Tools {
  #client;
  /** By the native side's index: all that may be called. */
  #byIndex = new Map();
  /** Indices of the client's own tools, in the order they were added. */
  #own = new Set();
  /** Indices of the tools that a session was given besides. */
  #ofSession = new Map();

  constructor(client) {
    this.#client = client;
  }

  /** Lends a tool to all sessions. */
  add(definition) {
    checkTool(definition);
    if (this.#client.isAnnounced()) throw announced(`lend ${definition.name}`);
    const { native } = this.#client;
    const json = toNativeTool(definition);
    const described = JSON.parse(callNative(() => native.addTool(json)));
    this.#own.add(described.index);
    return this.#register(definition, described);
  }

  /** Checks tools that a session is going to be given. */
  check(definitions) {
    const { native } = this.#client;
    const json = toNativeList(definitions);
    callNative(() => native.checkList(json));
  }

  /** Gives a session its list, in place of the one before; gives the list in wire form. */
  give(sessionId, definitions) {
    const { native } = this.#client;
    const json = toNativeList(definitions);
    const { tools, list } = JSON.parse(callNative(() => native.giveList(sessionId, json)));
    this.forget(sessionId);
    definitions.forEach((definition, place) => {
      this.#register(definition, tools[place]);
    });
    this.#ofSession.set(
      sessionId,
      tools.map((tool) => tool.index),
    );
    return list;
  }

  /** Drops what a session was given. */
  forget(sessionId) {
    for (const index of this.#ofSession.get(sessionId) ?? []) this.#byIndex.delete(index);
    this.#ofSession.delete(sessionId);
  }

  get own() {
    return [...this.#own].map((index) => this.#byIndex.get(index).registered);
  }

  at(index) {
    return this.#byIndex.get(index);
  }

  /** The tool lent to a session whose permission has this very title. */
  titled(title, sessionId) {
    const more = (this.#ofSession.get(sessionId) ?? []).map(
      (index) => this.#byIndex.get(index).registered,
    );
    return [...this.own, ...more].find((tool) => title === `client: ${tool.name}`);
  }

  #register(definition, { index, modelName, method, lossy }) {
    const { name } = definition;
    const registered = new RegisteredTool(name, modelName, method, () => this.#remove(index, name));
    // A copy: what is changed in the definition later has no effect.
    this.#byIndex.set(index, { registered, definition: { ...definition } });
    this.#warn(registered, lossy);
    return registered;
  }

  /** Takes a tool of the client back; sessions that were given it keep it. */
  #remove(index, name) {
    if (!this.#own.has(index)) return;
    if (this.#client.isAnnounced()) throw announced(`take ${name} back`);
    this.#client.native.removeTool(index);
    this.#own.delete(index);
    if (this.#client.options.discovery === 'meta') this.#byIndex.delete(index);
  }

  #warn(tool, lossy) {
    const { name, modelName } = tool;
    if (modelName.length > LONG_NAME) {
      const message = `expected a name of at most ${LONG_NAME} characters for the model, got ${modelName.length}: ${modelName}`;
      this.#client.diagnose('tool-name-long', message, { name, modelName });
    }
    if (lossy.length > 0) {
      const message = `tool "${name}": the model does not see ${lossy.join(', ')} of its schema`;
      this.#client.diagnose('tool-schema-lossy', message, { name, lossy });
    }
  }
}

function toNativeList(definitions) {
  for (const definition of definitions) checkTool(definition);
  return `[${definitions.map(toNativeTool).join(',')}]`;
}

function announced(wish) {
  const message = `expected to ${wish} before start(): with discovery "meta" the list is sent once`;
  return createError('MM_ERR_TOOLS_ANNOUNCED', message);
}

module.exports = { Tools };
