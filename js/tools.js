'use strict';
// The tools a client lends: what users hold of them, and how the native side names them.

const { callNative, createError } = require('./errors');
const { RegisteredTool, checkTool, toNativeTool } = require('./tool');

/** Model servers cap names here. */
const LONG_NAME = 64;

/**
 * @typedef {import('../index').AnyTool} AnyTool
 * @typedef {import('./types').LentTool} LentTool
 */

/** The tools of one client. */
class Tools {
  #client;
  /**
   * By the native side's index, in the order they were added.
   * @type {Map<number, LentTool>}
   */
  #byIndex = new Map();

  /** @param {Pick<import('./client').Client, 'native' | 'isAnnounced' | 'diagnose'>} client */
  constructor(client) {
    this.#client = client;
  }

  /** @param {AnyTool} definition */
  add(definition) {
    checkTool(definition);
    if (this.#client.isAnnounced()) throw announced(`lend ${definition.name}`);
    const { native } = this.#client;
    const json = toNativeTool(definition);
    /** @type {import('./types').NativeTool} */
    const added = JSON.parse(callNative(() => native.addTool(json)));
    const { index, modelName, method, lossy } = added;
    const { name } = definition;
    const registered = new RegisteredTool(name, modelName, method, () => this.#remove(index, name));
    // A copy: what is changed in the definition later has no effect.
    this.#byIndex.set(index, { registered, definition: { ...definition } });
    this.#warn(registered, lossy);
    return registered;
  }

  get list() {
    return [...this.#byIndex.values()].map((tool) => tool.registered);
  }

  /** @param {number} index */
  at(index) {
    return this.#byIndex.get(index);
  }

  /**
   * The tool whose permission has this very title.
   * @param {unknown} title
   */
  titled(title) {
    return this.list.find((tool) => title === `client: ${tool.name}`);
  }

  /**
   * @param {number} index
   * @param {string} name
   */
  #remove(index, name) {
    if (!this.#byIndex.has(index)) return;
    if (this.#client.isAnnounced()) throw announced(`take ${name} back`);
    this.#client.native.removeTool(index);
    this.#byIndex.delete(index);
  }

  /**
   * @param {RegisteredTool} tool
   * @param {string[]} lossy
   */
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

/** @param {string} wish */
function announced(wish) {
  const message = `expected to ${wish} before start(): with discovery "meta" the list is sent once`;
  return createError('MM_ERR_TOOLS_ANNOUNCED', message);
}

module.exports = { Tools };
