'use strict';
// Every Error of this package is built here. Codes, causes and remedies: docs/errors.md.

const { isObject, member } = require('./json');

/** What JSON-RPC calls an error that says nothing of itself. */
const INTERNAL_ERROR = -32603;

/** Of the reason an agent gives, this much is in the message; `rpcData` has all of it. */
const REASON_CHARACTERS = 500;

const BRAND = Symbol.for('mini-me-client.error');

/**
 * @typedef {import('../index').ErrorCode} ErrorCode
 * @typedef {import('./types').Details} Details
 */

/**
 * An error of any copy of this package: `instanceof` goes by brand, not by identity.
 * @template {ErrorCode} [Code=ErrorCode]
 */
class MiniMeError extends Error {
  /**
   * @param {Code} code
   * @param {string} message
   * @param {Details} [details] plain data
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, details = {}, options = undefined) {
    super(message, options);
    Object.defineProperty(this, 'name', { value: this.constructor.name, configurable: true });
    this.code = code;
    this.details = details;
  }

  /** @param {unknown} value */
  static [Symbol.hasInstance](value) {
    if (typeof value !== 'object' || value === null) return false;
    const names = /** @type {{ [BRAND]?: unknown }} */ (value)[BRAND];
    // biome-ignore lint/complexity/noThisInStatic: the class that stands right of `instanceof`
    return Array.isArray(names) && names.includes(this.name);
  }

  get [BRAND]() {
    /** @type {string[]} */
    const names = [];
    let type = this.constructor;
    while (type !== Error && typeof type === 'function') {
      names.push(type.name);
      type = Object.getPrototypeOf(type);
    }
    return names;
  }

  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }

  /** @returns {Record<string, unknown>} */
  toJSON() {
    const { name, message } = this;
    return Object.assign({ name }, /** @type {object} */ (this), { message });
  }
}

/** @extends {MiniMeError<import('../index').ToolDefinitionError['code']>} */
class ToolDefinitionError extends MiniMeError {}
/** @extends {MiniMeError<import('../index').OptionError['code']>} */
class OptionError extends MiniMeError {}
/** @extends {MiniMeError<import('../index').StateError['code']>} */
class StateError extends MiniMeError {}
/** @extends {MiniMeError<import('../index').ProtocolError['code']>} */
class ProtocolError extends MiniMeError {}

/** @extends {MiniMeError<import('../index').ConnectionError['code']>} */
class ConnectionError extends MiniMeError {
  /**
   * @param {import('../index').ConnectionError['code']} code
   * @param {string} message
   * @param {Details & Partial<import('../index').ExitInfo>} [details]
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, details = {}, options = undefined) {
    super(code, message, details, options);
    this.exitCode = details.exitCode ?? null;
    this.signal = details.signal ?? null;
    this.stderr = details.stderr ?? '';
  }
}

/** @extends {MiniMeError<import('../index').AgentError['code']>} */
class AgentError extends MiniMeError {
  /**
   * @param {import('../index').AgentError['code']} code
   * @param {string} message
   * @param {Details & { rpcCode: number, rpcData?: unknown }} details
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, details, options = undefined) {
    super(code, message, details, options);
    this.rpcCode = details.rpcCode;
    this.rpcData = details.rpcData;
  }
}

/** The class of each code; MM_ERR_TIMEOUT and the others that are not here have none of their own. */
const CLASSES = {
  MM_ERR_TOOL: ToolDefinitionError,
  MM_ERR_TOOL_NAME: ToolDefinitionError,
  MM_ERR_TOOL_METHOD: ToolDefinitionError,
  MM_ERR_TOOL_SCHEMA: ToolDefinitionError,
  MM_ERR_TOOL_DUPLICATE: ToolDefinitionError,
  MM_ERR_TOOL_HANDLE: ToolDefinitionError,
  MM_ERR_OPTION: OptionError,
  MM_ERR_TOOLS_ANNOUNCED: StateError,
  MM_ERR_PROMPT_RUNNING: StateError,
  MM_ERR_CLOSED: StateError,
  MM_ERR_UNSUPPORTED: StateError,
  MM_ERR_NOT_STARTED: StateError,
  MM_ERR_SPAWN: ConnectionError,
  MM_ERR_LISTEN: ConnectionError,
  MM_ERR_START_TIMEOUT: ConnectionError,
  MM_ERR_EXITED: ConnectionError,
  MM_ERR_NATIVE: ConnectionError,
  MM_ERR_PROTOCOL_VERSION: ProtocolError,
  MM_ERR_MESSAGE_INVALID: ProtocolError,
  MM_ERR_MESSAGE_TOO_LARGE: ProtocolError,
  MM_ERR_NOT_ACP: ProtocolError,
  MM_ERR_AGENT: AgentError,
};

/**
 * An error of the class its code belongs to.
 * @param {ErrorCode} code
 * @param {string} message
 * @param {Details} [details] plain data
 * @param {{ cause?: unknown }} [options]
 * @returns {MiniMeError}
 */
function createError(code, message, details = undefined, options = undefined) {
  const isListed = Object.hasOwn(CLASSES, code);
  const Class = isListed ? CLASSES[/** @type {keyof typeof CLASSES} */ (code)] : MiniMeError;
  return new /** @type {typeof MiniMeError} */ (Class)(code, message, details, options);
}

/**
 * What the native side threw: its message is JSON; anything else is a fault of ours (a panic).
 * @param {unknown} error
 */
function fromNative(error) {
  const given = member(error, 'message');
  const text = typeof given === 'string' ? given : String(error);
  try {
    const { code, message, details } = JSON.parse(text);
    if (typeof code === 'string' && typeof message === 'string') {
      // One Rust enum knows every code of the native side: src/client/failure.rs.
      return createError(/** @type {ErrorCode} */ (code), message, details);
    }
  } catch {
    // Not JSON: it is shown as it is.
  }
  return createError('MM_ERR_INTERNAL', `a fault of mini-me-client: ${text}`, {}, { cause: error });
}

/**
 * Calls into the native side; its failures come out as ours.
 * @template T
 * @param {() => T} call
 * @returns {T}
 */
function callNative(call) {
  try {
    return call();
  } catch (error) {
    throw fromNative(error);
  }
}

/**
 * A JSON-RPC error the agent answered with; null for an answer with neither result nor error.
 * @param {unknown} error
 * @param {string} method of the request
 */
function fromAgent(error, method) {
  if (error === null) {
    const message = `${method}: expected an answer with a result or an error, got neither`;
    return createError('MM_ERR_MESSAGE_INVALID', message);
  }
  const { message, code, ...rest } = isObject(error) ? error : {};
  const rpcCode = typeof code === 'number' && Number.isInteger(code) ? code : INTERNAL_ERROR;
  const details = { method, rpcCode, ...('data' in rest && { rpcData: rest.data }) };
  const what = typeof message === 'string' && message !== '' ? message : `error ${rpcCode}`;
  const reason = reasonIn(details.rpcData);
  const why = reason === undefined || what.includes(reason) ? '' : ` (${reason})`;
  return new AgentError('MM_ERR_AGENT', `${method}: ${what}${why}`, details);
}

/**
 * The reason in the data of an agent's error. mm has it there: its message is the name of the code.
 * @param {unknown} data
 * @returns {string | undefined}
 */
function reasonIn(data) {
  const told = isObject(data) ? data.error : data;
  return typeof told === 'string' && told !== '' ? told.slice(0, REASON_CHARACTERS) : undefined;
}

module.exports = {
  MiniMeError,
  ToolDefinitionError,
  OptionError,
  StateError,
  ConnectionError,
  ProtocolError,
  AgentError,
  CLASSES,
  createError,
  fromNative,
  callNative,
  fromAgent,
};
