'use strict';
// Every Error of this package is built here. Codes, causes and remedies: docs/errors.md.

const BRAND = Symbol.for('mini-me-client.error');

/** An error of any copy of this package: `instanceof` goes by brand, not by identity. */
class MiniMeError extends Error {
  constructor(code, message, details = {}, options = undefined) {
    super(message, options);
    Object.defineProperty(this, 'name', { value: this.constructor.name, configurable: true });
    this.code = code;
    this.details = details;
  }

  static [Symbol.hasInstance](value) {
    if (typeof value !== 'object' || value === null) return false;
    const names = value[BRAND];
    return Array.isArray(names) && names.includes(this.name);
  }

  get [BRAND]() {
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

  toJSON() {
    return { name: this.name, ...this, message: this.message };
  }
}

class ToolDefinitionError extends MiniMeError {}
class OptionError extends MiniMeError {}
class StateError extends MiniMeError {}
class ProtocolError extends MiniMeError {}

class ConnectionError extends MiniMeError {
  constructor(code, message, details = {}, options = undefined) {
    super(code, message, details, options);
    this.exitCode = details.exitCode ?? null;
    this.signal = details.signal ?? null;
    this.stderr = details.stderr ?? '';
  }
}

class AgentError extends MiniMeError {
  constructor(code, message, details = {}, options = undefined) {
    super(code, message, details, options);
    this.rpcCode = details.rpcCode;
    this.rpcData = details.rpcData;
  }
}

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
  MM_ERR_START_TIMEOUT: ConnectionError,
  MM_ERR_EXITED: ConnectionError,
  MM_ERR_NATIVE: ConnectionError,
  MM_ERR_PROTOCOL_VERSION: ProtocolError,
  MM_ERR_MESSAGE_INVALID: ProtocolError,
  MM_ERR_MESSAGE_TOO_LARGE: ProtocolError,
  MM_ERR_NOT_ACP: ProtocolError,
  MM_ERR_AGENT: AgentError,
};

/** An error of the class its code belongs to. */
function createError(code, message, details = undefined, options = undefined) {
  const Class = Object.hasOwn(CLASSES, code) ? CLASSES[code] : MiniMeError;
  return new Class(code, message, details, options);
}

/** What the native side threw: its message is JSON; anything else is a fault of ours (a panic). */
function fromNative(error) {
  const text = typeof error?.message === 'string' ? error.message : String(error);
  try {
    const { code, message, details } = JSON.parse(text);
    if (typeof code === 'string' && typeof message === 'string') {
      return createError(code, message, details);
    }
  } catch {
    // Not JSON: it is shown as it is.
  }
  return createError('MM_ERR_INTERNAL', `a fault of mini-me-client: ${text}`, {}, { cause: error });
}

/** Calls into the native side; its failures come out as ours. */
function callNative(call) {
  try {
    return call();
  } catch (error) {
    throw fromNative(error);
  }
}

/** A JSON-RPC error the agent answered with. */
function fromAgent(error, method) {
  const isObject = typeof error === 'object' && error !== null;
  const message = isObject && typeof error.message === 'string' ? error.message : '';
  const rpcCode = isObject && Number.isInteger(error.code) ? error.code : -32603;
  const details = { method, rpcCode, ...(isObject && 'data' in error && { rpcData: error.data }) };
  return createError('MM_ERR_AGENT', `${method}: ${message || `error ${rpcCode}`}`, details);
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
