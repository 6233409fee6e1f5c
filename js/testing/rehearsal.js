'use strict';
// Tools that are lent to nobody: read and checked as addTool() does, and named by the native side.

const { loadBinding } = require('../binding');
const { callNative } = require('../errors');
const { clientOptions } = require('../options');
const { RegisteredTool, readTool } = require('../tool');
const { callNamed } = require('../tools');

/**
 * @typedef {import('../../index').AnyTool} AnyTool
 * @typedef {import('../types').LentTool} LentTool
 * @typedef {import('../types').NativeTool} NativeTool
 *
 * A tool, and what is known of it.
 * @typedef {object} Rehearsed
 * @property {NativeTool} native
 * @property {LentTool} lent
 * @property {Readonly<Record<string, unknown>>} json the definition as the native side took it, its
 * schema printed
 */

/** See the head. */
class Rehearsal {
  /** @param {{ namespace?: string | undefined, maxOutput?: number | undefined }} [options] */
  constructor({ namespace = clientOptions({}).namespace, maxOutput } = {}) {
    const { NativeRehearsal } = loadBinding();
    this.native = new NativeRehearsal(namespace, maxOutput);
  }

  /**
   * Throws ToolDefinitionError, as addTool() does.
   * @param {AnyTool} definition
   * @returns {Rehearsed}
   */
  lend(definition) {
    const { definition: read, json, check } = readTool(definition);
    /** @type {NativeTool} */
    const native = JSON.parse(callNamed(read.name, () => this.native.addTool(json)));
    // There is no list that it could be taken out of.
    const registered = new RegisteredTool(read.name, native.modelName, native.method, nothing);
    return { native, lent: { registered, definition: read, check }, json: JSON.parse(json) };
  }

  /** @returns {import('../../index').ModelTool[]} */
  modelTools() {
    return JSON.parse(callNative(() => this.native.modelTools()));
  }
}

function nothing() {
  // A tool that is lent to nobody is taken back without a trace.
}

module.exports = { Rehearsal };
