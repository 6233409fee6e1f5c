'use strict';
// The tools a client lends, to all sessions or to one, and how the native side names them.

const { ToolDefinitionError, callNative, createError } = require('./errors');
const { RegisteredTool, called, readTool } = require('./tool');

/** Model servers cap names here. */
const LONG_NAME = 64;
/** What stands before a name with mm. */
const CLIENT_PREFIX = 'client_';
/** The longest that agents were seen to put before the name of a tool lent over MCP: `mcp__`, the server's, `__`. */
const AGENT_PREFIX = 18;

/**
 * @typedef {import('../index').AnyTool} AnyTool
 * @typedef {import('./types').LentTool} LentTool
 * @typedef {import('./types').NativeTool} NativeTool
 * @typedef {import('./types').ReadTool} ReadTool
 */

/** The tools of one client. */
class Tools {
  #client;
  /**
   * All that may be called, by the native side's index.
   * @type {Map<number, LentTool>}
   */
  #byIndex = new Map();
  /**
   * The client's own, in the order they were added.
   * @type {Map<number, RegisteredTool>}
   */
  #own = new Map();
  /**
   * What each session was given besides.
   * @type {Map<string, Map<number, RegisteredTool>>}
   */
  #ofSession = new Map();
  /**
   * All that each session was given when mm asked for its list.
   * @type {Map<string, readonly RegisteredTool[]>}
   */
  #given = new Map();

  /** @param {Pick<import('./client').Client, 'native' | 'options' | 'lending' | 'isAnnounced' | 'hasOneList' | 'problem' | 'diagnose'>} client */
  constructor(client) {
    this.#client = client;
  }

  /**
   * Lends a tool to all sessions.
   * @param {AnyTool} definition
   */
  add(definition) {
    const tool = readTool(definition);
    const { name } = tool.definition;
    this.#checkOpen('lend it', name);
    const { native } = this.#client;
    /** @type {NativeTool} */
    const added = JSON.parse(callNamed(name, () => native.addTool(tool.json)));
    const registered = this.#register(tool, added);
    this.#own.set(added.index, registered);
    return registered;
  }

  /**
   * Reads and checks tools that a session is going to be given.
   * @param {readonly AnyTool[]} definitions
   */
  check(definitions) {
    const { native } = this.#client;
    const tools = definitions.map(readTool);
    const check = (/** @type {number} */ count) =>
      native.checkList(toNativeList(tools.slice(0, count)));
    try {
      callNative(() => check(tools.length));
    } catch (error) {
      // One more each time: the last one is the one that is refused.
      tools.forEach(({ definition }, place) => {
        callNamed(definition.name, () => check(place + 1));
      });
      throw error;
    }
    return tools;
  }

  /**
   * Gives a session its list, in place of the one before.
   * @param {string} sessionId
   * @param {readonly ReadTool[]} more its own tools
   * @returns {unknown[]} the whole list in wire form
   */
  give(sessionId, more) {
    const { native } = this.#client;
    const json = toNativeList(more);
    /** @type {import('./types').NativeList} */
    const { tools, list } = JSON.parse(callNative(() => native.giveList(sessionId, json)));
    this.forget(sessionId);
    const given = new Map();
    tools.forEach((tool, place) => {
      const read = more[place];
      if (read !== undefined) given.set(tool.index, this.#register(read, tool));
    });
    this.#ofSession.set(sessionId, given);
    this.#given.set(sessionId, [...this.#own.values(), ...given.values()]);
    return list;
  }

  /**
   * Drops what a session was given.
   * @param {string} sessionId
   */
  forget(sessionId) {
    for (const index of this.#ofSession.get(sessionId)?.keys() ?? []) this.#byIndex.delete(index);
    this.#ofSession.delete(sessionId);
    this.#given.delete(sessionId);
  }

  /**
   * What was given to `from` is `to`'s.
   * @param {string} from
   * @param {string} to
   */
  rename(from, to) {
    const given = this.#ofSession.get(from);
    if (given === undefined || from === to) return;
    this.#ofSession.delete(from);
    this.forget(to);
    this.#ofSession.set(to, given);
    this.#given.set(to, this.#given.get(from) ?? []);
    this.#given.delete(from);
  }

  /**
   * All that is on the list a session was given.
   * @param {string} sessionId
   */
  lentTo(sessionId) {
    return this.#given.get(sessionId) ?? [];
  }

  get own() {
    return [...this.#own.values()];
  }

  /** The client's own as they were defined, in the same order. */
  get definitions() {
    return [...this.#own.keys()].flatMap((index) => this.#byIndex.get(index)?.definition ?? []);
  }

  /** @param {number} index */
  at(index) {
    return this.#byIndex.get(index);
  }

  /**
   * The tool lent to a session whose permission has this very title.
   * @param {unknown} title
   * @param {string} sessionId
   */
  titled(title, sessionId) {
    const lent = this.#client.hasOneList() ? this.own : this.lentTo(sessionId);
    return lent.find((tool) => title === `client: ${tool.name}`);
  }

  /**
   * @param {ReadTool} tool
   * @param {NativeTool} native
   */
  #register({ definition, check }, { index, modelName, method, lossy, stray }) {
    const { name } = definition;
    const ofAgent = this.#nameOf(modelName);
    const registered = new RegisteredTool(name, ofAgent, method, () => this.#remove(index, name));
    this.#byIndex.set(index, { registered, definition, check });
    this.#warn(registered, lossy, stray);
    return registered;
  }

  /**
   * What the model calls a tool; a function where it is not known before the agent is.
   * @param {string} modelName with mm
   */
  #nameOf(modelName) {
    const { carrier } = this.#client.options;
    if (carrier === 'mini-me') return modelName;
    const bare = modelName.slice(CLIENT_PREFIX.length);
    return carrier === 'mcp' ? bare : () => (this.#client.lending.isMcp ? bare : modelName);
  }

  /**
   * Takes a tool of the client back; sessions that were given it keep it.
   * @param {number} index
   * @param {string} name
   */
  #remove(index, name) {
    if (!this.#own.has(index)) return;
    this.#checkOpen('take it back', name);
    this.#client.native.removeTool(index);
    this.#own.delete(index);
    if (this.#client.hasOneList()) this.#byIndex.delete(index);
  }

  /**
   * The list can still be changed.
   * @param {string} wish
   * @param {string} name
   */
  #checkOpen(wish, name) {
    if (!this.#client.isAnnounced()) return;
    const closed = this.#client.problem();
    if (closed !== undefined) throw closed;
    const message = `tool "${name}": expected to ${wish} before start(); with discovery "meta" the list is sent once (with "request" it may change)`;
    throw createError('MM_ERR_TOOLS_ANNOUNCED', message, { name });
  }

  /**
   * @param {RegisteredTool} tool
   * @param {string[]} lossy
   * @param {string[]} stray
   */
  #warn(tool, lossy, stray) {
    const { name, modelName } = tool;
    if (stray.length > 0) {
      const names = stray.map((one) => JSON.stringify(one)).join(', ');
      const message = `tool "${name}": parameters belong under "properties" of its schema; ${names} beside it, which JSON Schema does not know, is passed over`;
      this.#client.diagnose('tool-schema-stray', message, { name, stray });
    }
    const isMcp = this.#client.options.carrier === 'mcp';
    const most = isMcp ? LONG_NAME - AGENT_PREFIX : LONG_NAME;
    if (modelName.length > most) {
      const message = `expected a name of at most ${most} characters for the model, got ${modelName.length}: ${modelName}`;
      this.#client.diagnose('tool-name-long', message, { name, modelName });
    }
    // Over MCP the schema travels as it is.
    if (isMcp) return;
    if (lossy.length > 0) {
      const message = `tool "${name}": the model does not see ${lossy.join(', ')} of its schema`;
      this.#client.diagnose('tool-schema-lossy', message, { name, lossy });
    }
  }
}

/** @param {readonly ReadTool[]} tools */
function toNativeList(tools) {
  return `[${tools.map(({ json }) => json).join(',')}]`;
}

/**
 * Calls into the native side; a flaw it finds is told with the tool's name.
 * @template T
 * @param {unknown} name
 * @param {() => T} call
 */
function callNamed(name, call) {
  try {
    return callNative(call);
  } catch (error) {
    if (!(error instanceof ToolDefinitionError)) throw error;
    const details = { ...error.details, name };
    throw createError(error.code, `${called(name)}: ${error.message}`, details, { cause: error });
  }
}

module.exports = { LONG_NAME, Tools, callNamed };
