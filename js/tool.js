'use strict';
// What a program says to lend a tool, and what a handler gives back.

const { dispose } = require('./dispose');
const { createError } = require('./errors');
const { isObject } = require('./json');
const { errorText, stringify } = require('./result');
const { isStandard, readStandard } = require('./standard-schema');

/**
 * @typedef {import('../index').AnyTool} AnyTool
 * @typedef {import('./types').ReadTool} ReadTool
 * @typedef {import('../index').ToolResult} ToolResult
 */

/**
 * Keeps inference when a tool is defined apart from the client.
 * @template T
 * @param {T} tool
 * @returns {T}
 */
function defineTool(tool) {
  return tool;
}

/**
 * A text result.
 * @param {string} value
 * @returns {ToolResult}
 */
function text(value) {
  return { content: [{ type: 'text', text: String(value) }] };
}

/**
 * A failed call the model can read.
 * @param {string} value
 * @returns {ToolResult}
 */
function failure(value) {
  return { content: [{ type: 'text', text: String(value) }], isError: true };
}

const MEMBERS = ['name', 'description', 'method', 'inputSchema', 'validate', 'timeoutMs', 'handle'];
const TYPES = { description: 'string', method: 'string', validate: 'boolean' };

/**
 * @param {import('../index').ToolDefinitionError['code']} code
 * @param {unknown} name
 * @param {string} expected
 * @param {unknown} came
 */
function refuse(code, name, expected, came) {
  const message = `${called(name)}: expected ${expected}, got ${describe(came)}`;
  return createError(code, message, { name });
}

/**
 * In the words that an agent has for it. (docs/protocol.md, "Validation of a list")
 * @param {import('../index').ToolDefinitionError['code']} code
 * @param {unknown} name
 * @param {string} flaw
 */
function refuseShape(code, name, flaw) {
  return createError(code, `${called(name)}: not a tool description: ${flaw}`, { name });
}

/**
 * A tool in a message.
 * @param {unknown} name as it was given
 */
function called(name) {
  return typeof name === 'string' && name !== '' ? `tool "${name}"` : 'a tool';
}

/** @param {unknown} value */
function describe(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'object' ? 'an object' : String(value);
}

/** @param {unknown} value */
function isLimit(value) {
  return typeof value === 'number' && value > 0;
}

/**
 * Checks what only JavaScript can; the rules of names and schemas are the native side's.
 * @param {unknown} tool
 */
function checkTool(tool) {
  if (!isObject(tool)) {
    const flaw = `${describe(tool)} is not an object with name and handle`;
    throw refuseShape('MM_ERR_TOOL', undefined, flaw);
  }
  const { name, handle, timeoutMs, inputSchema } = tool;
  // That there is one at all is told in mm's words, by the native side.
  if (name !== undefined && typeof name !== 'string') {
    const flaw = `name must be a string, got ${describe(name)}`;
    throw refuseShape('MM_ERR_TOOL_NAME', name, flaw);
  }
  if (typeof handle !== 'function') {
    throw refuse('MM_ERR_TOOL_HANDLE', name, 'handle to be a function', handle);
  }
  for (const [member, type] of Object.entries(TYPES)) {
    if (tool[member] !== undefined && typeof tool[member] !== type) {
      const flaw = `${member} must be a ${type}, got ${describe(tool[member])}`;
      throw refuseShape('MM_ERR_TOOL', name, flaw);
    }
  }
  if (timeoutMs !== undefined && !isLimit(timeoutMs)) {
    const expected = 'timeoutMs to be a number over 0';
    throw refuse('MM_ERR_TOOL', name, expected, timeoutMs);
  }
  if (inputSchema !== undefined && !isObject(inputSchema) && !isStandard(inputSchema)) {
    const flaw = `inputSchema must be an object, got ${describe(inputSchema)}`;
    throw refuseShape('MM_ERR_TOOL_SCHEMA', name, flaw);
  }
  const unknown = Object.keys(tool).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) {
    const message = `${called(name)}: expected no member "${unknown}", only ${MEMBERS.join(', ')}`;
    throw createError('MM_ERR_TOOL', message, { name });
  }
}

/**
 * Reads a definition, once: later changes of it have no effect.
 * @param {AnyTool} tool
 * @returns {ReadTool}
 */
function readTool(tool) {
  checkTool(tool);
  const definition = copyOf(tool);
  const { name, inputSchema, validate = true } = definition;
  if (inputSchema === undefined || !isStandard(inputSchema)) {
    return { definition, json: toNativeTool(definition), check: undefined };
  }
  // The library's own check, which may convert, stands in for the native side's.
  const { json: printed, check } = readStandard(name, inputSchema);
  const json = toNativeTool({ ...definition, inputSchema: printed, validate: false });
  return { definition, json, check: validate ? check : undefined };
}

/**
 * The members, inherited ones too: a tool may be an object of a class.
 * @param {AnyTool} tool
 */
function copyOf(tool) {
  const copy = MEMBERS.map((name) => [name, tool[/** @type {keyof AnyTool} */ (name)]]);
  return /** @type {AnyTool} */ (Object.fromEntries(copy));
}

/**
 * The definition as JSON for the native side.
 * @param {AnyTool} tool
 */
function toNativeTool({ name, description, method, inputSchema, validate }) {
  const json = JSON.stringify({ name, description, method, validate });
  checkText(name, json);
  if (inputSchema === undefined) return json;
  refuseParts(name, inputSchema);
  const schema = schemaJson(name, inputSchema);
  checkText(name, schema);
  return `${json.slice(0, -1)},"inputSchema":${schema}}`;
}

/** How deep a schema of a library is looked for in a plain one. */
const PARTS_DEPTH = 8;

/**
 * A schema of a library in the place of a part: printed as JSON it would lose its rules.
 * @param {string} name
 * @param {unknown} inputSchema
 */
function refuseParts(name, inputSchema) {
  let path;
  try {
    path = pathOfStandard(inputSchema, 'inputSchema', PARTS_DEPTH);
  } catch {
    // A member that throws when it is read: printing names it.
  }
  if (path === undefined) return;
  const message =
    `tool "${name}": expected JSON Schema in all of inputSchema, or a Standard Schema for the whole of it ` +
    `(with zod: z.object({ ... })), got a Standard Schema as ${path}`;
  throw createError('MM_ERR_TOOL_SCHEMA', message, { name });
}

/**
 * @param {unknown} value
 * @param {string} path
 * @param {number} depth
 * @returns {string | undefined}
 */
function pathOfStandard(value, path, depth) {
  if (depth === 0 || !isObject(value)) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const at = `${path}.${key}`;
    const found = isStandard(part) ? at : pathOfStandard(part, at, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * @param {string} name
 * @param {unknown} inputSchema
 */
function schemaJson(name, inputSchema) {
  try {
    return stringify(inputSchema, 'inputSchema') ?? 'null';
  } catch (error) {
    const message = `tool "${name}": expected an inputSchema that is JSON: ${errorText(error)}`;
    throw createError('MM_ERR_TOOL_SCHEMA', message, { name }, { cause: error });
  }
}

/** JSON.stringify escapes a surrogate that stands alone, and no other. */
const LONE_SURROGATE = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/u;

/**
 * @param {string} name
 * @param {string} json
 */
function checkText(name, json) {
  if (!LONE_SURROGATE.test(json)) return;
  const message = `tool "${name}": expected text that is Unicode, got half of a surrogate pair`;
  throw createError('MM_ERR_TOOL', message, { name });
}

/** A lent tool, as users hold it. */
class RegisteredTool {
  #remove;
  name = '';
  modelName = '';

  /**
   * @param {string} name
   * @param {string | (() => string)} modelName a function gives what may be decided later
   * @param {string} method
   * @param {() => void} remove
   */
  constructor(name, modelName, method, remove) {
    this.name = name;
    if (typeof modelName === 'string') this.modelName = modelName;
    else Object.defineProperty(this, 'modelName', { enumerable: true, get: modelName });
    this.method = method;
    this.#remove = remove;
    Object.freeze(this);
  }

  remove() {
    this.#remove();
  }

  [dispose]() {
    try {
      this.remove();
    } catch {
      // Disposing never throws: a tool that was announced stays lent until the client closes.
    }
  }
}

module.exports = { defineTool, text, failure, called, checkTool, readTool, RegisteredTool };
