'use strict';
// Turns what a handler gives into JSON for the wire. Rules: docs/protocol.md, "Results".

const { isObject, member } = require('./json');

const LARGE_CHARACTERS = 16 * 1024;
const EMPTY = '{"content":[]}';

/** A value that JSON cannot hold; the message names its path. */
class NotJson extends Error {}

/**
 * The JSON of a failed call that the model can read.
 * @param {string} message
 */
function failureJson(message) {
  return `{"content":[{"type":"text","text":${JSON.stringify(message)}}],"isError":true}`;
}

/**
 * The JSON of a result, and whether the model reads it as a failure.
 * @param {unknown} value
 * @returns {{ json: string, isError: boolean }}
 */
function encodeResult(value) {
  if (value === undefined) return { json: EMPTY, isError: false };
  if (typeof value === 'string') return { json: JSON.stringify(value), isError: false };
  try {
    const text = onlyText(value);
    if (text !== undefined) return { json: textJson(text), isError: false };
    const json = stringify(value, 'result');
    // A toJSON may give undefined, as undefined itself does.
    if (json === undefined) return { json: EMPTY, isError: false };
    return { json, isError: isFailure(value, json) };
  } catch (error) {
    const reason = error instanceof NotJson ? error.message : `result: ${errorText(error)}`;
    return { json: failureJson(reason), isError: true };
  }
}

/** @param {string} text */
function textJson(text) {
  return `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
}

/**
 * The text of a result that is one block of text and nothing else, as `text()` makes it. Most are: to
 * write these by hand takes a fifth of the time.
 * @param {unknown} value
 */
function onlyText(value) {
  if (!isPlainObject(value) || !hasKeys(value, 'content')) return undefined;
  const { content } = value;
  if (!Array.isArray(content) || content.length !== 1 || 'toJSON' in content) return undefined;
  /** @type {unknown} */
  const block = content[0];
  if (!isPlainObject(block) || !hasKeys(block, 'type', 'text')) return undefined;
  const { type, text } = block;
  if (type !== 'text' || typeof text !== 'string') return undefined;
  // JSON.stringify writes a large one at once, where this would join it.
  return text.length > LARGE_CHARACTERS ? undefined : text;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isPlainObject(value) {
  return (
    isObject(value) && Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)
  );
}

/**
 * Whether these are the members, in this order.
 * @param {object} value
 * @param {string[]} names
 */
function hasKeys(value, ...names) {
  const keys = Object.keys(value);
  return keys.length === names.length && names.every((name, at) => keys[at] === name);
}

/**
 * Whether what goes out, not what the handler gave, is a failure.
 * @param {unknown} value
 * @param {string} json of it
 */
function isFailure(value, json) {
  if (!isObject(value)) return false;
  const out = 'toJSON' in value ? JSON.parse(json) : value;
  const hasOwn = (/** @type {string} */ name) => isObject(out) && Object.hasOwn(out, name);
  return (
    hasOwn('isError') && out.isError === true && hasOwn('content') && Array.isArray(out.content)
  );
}

/** How deep and how many values are looked at before the slow way is taken, which finds cycles. */
const PLAIN_DEPTH = 16;
const PLAIN_VALUES = 1_000;

/** @param {unknown} value */
function isSurelyPlain(value) {
  try {
    return isPlain(value, PLAIN_DEPTH, { left: PLAIN_VALUES });
  } catch {
    // A member that throws when it is read: the slow way names it.
    return false;
  }
}

/**
 * Whether JSON.stringify is known to write all of `value`: it holds nothing but finite numbers, text,
 * true, false, null, and plain arrays and objects of them. A replacer makes JSON.stringify five times as slow.
 * @param {unknown} value
 * @param {number} depth
 * @param {{ left: number }} budget how many values may still be looked at
 * @returns {boolean}
 */
function isPlain(value, depth, budget) {
  budget.left -= 1;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      break;
    default:
      return false;
  }
  if (depth === 0 || budget.left < 0) return false;
  if ('toJSON' in value) return false;
  if (Array.isArray(value)) return value.every((member) => isPlain(member, depth - 1, budget));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((member) => isPlain(member, depth - 1, budget));
}

/**
 * JSON.stringify that refuses what it would drop or change without a word; undefined for what a
 * `toJSON` makes undefined.
 * @param {unknown} value
 * @param {string} root what the value is called
 * @returns {string | undefined}
 */
function stringify(value, root) {
  if (isSurelyPlain(value)) return JSON.stringify(value);
  /**
   * The objects from the root to the one being written, each with its path.
   * @type {{ value: unknown, path: string }[]}
   */
  const ancestors = [];
  let path = root;
  /**
   * @this {unknown}
   * @param {string} key
   * @param {unknown} member
   */
  function check(key, member) {
    while (ancestors.length > 0 && ancestors.at(-1)?.value !== this) ancestors.pop();
    const parent = ancestors.at(-1)?.path;
    if (parent !== undefined) {
      path = Array.isArray(this) ? `${parent}[${key}]` : `${parent}.${key}`;
    }
    refuseUnfit(member, path);
    if (typeof member === 'object' && member !== null) {
      if (ancestors.some((ancestor) => ancestor.value === member)) {
        throw new NotJson(`${path}: expected JSON, got a cycle`);
      }
      ancestors.push({ value: member, path });
    }
    return member;
  }
  try {
    return JSON.stringify(value, check);
  } catch (error) {
    if (error instanceof NotJson) throw error;
    const place = throwingPath(value, root, []) ?? path;
    throw new NotJson(`${place}: expected JSON, reading it threw: ${errorText(error)}`);
  }
}

/**
 * Where reading a value throws; JSON.stringify does not tell.
 * @param {unknown} value
 * @param {string} path of it
 * @param {readonly unknown[]} ancestors
 * @returns {string | undefined}
 */
function throwingPath(value, path, ancestors) {
  if (!isAnyObject(value) || ancestors.includes(value) || ancestors.length > PLAIN_DEPTH)
    return undefined;
  try {
    const { toJSON } = /** @type {{ toJSON?: unknown }} */ (value);
    if (typeof toJSON === 'function') toJSON.call(value, '');
    for (const key of Object.keys(value)) {
      const place = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
      const found = memberThrowing(value, key, place, [...ancestors, value]);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch {
    return path;
  }
}

/**
 * @param {object} value
 * @param {string} key
 * @param {string} path
 * @param {readonly unknown[]} ancestors
 */
function memberThrowing(value, key, path, ancestors) {
  let found;
  try {
    found = /** @type {Record<string, unknown>} */ (value)[key];
  } catch {
    return path;
  }
  return throwingPath(found, path, ancestors);
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
function isAnyObject(value) {
  return typeof value === 'object' && value !== null;
}

/**
 * @param {unknown} value
 * @param {string} path
 */
function refuseUnfit(value, path) {
  const type = typeof value;
  let came;
  if (type === 'bigint') came = 'a BigInt';
  else if (type === 'function' || type === 'symbol') came = `a ${type}`;
  else if (type === 'number' && !Number.isFinite(value)) came = String(value);
  else if (isAnyObject(value)) came = unfitObject(value);
  if (came !== undefined) throw new NotJson(`${path}: expected JSON, got ${came}`);
}

/** Objects of these classes JSON writes as what they hold. */
const BOXED = ['Boolean', 'Number', 'String'];

/**
 * What an object is of which JSON would write nothing, `{}`, though it is no empty object.
 * @param {object} value
 * @returns {string | undefined}
 */
function unfitObject(value) {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind === 'Map' || kind === 'Set') return `a ${kind}`;
  if (kind === 'Promise') {
    // Nobody else is going to hear of its rejection, which would end the process.
    Promise.prototype.catch.call(value, () => undefined);
    return 'a Promise: await it, several by Promise.all()';
  }
  if (Array.isArray(value) || ArrayBuffer.isView(value) || BOXED.includes(kind)) return undefined;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  if (Object.keys(value).length > 0) return undefined;
  const name = kind === 'Object' ? value.constructor?.name : kind;
  return `an object of the class ${name || 'without a name'}, of which JSON holds nothing`;
}

/**
 * What the model reads of a thrown value: its message, never its stack, never nothing.
 * @param {unknown} thrown
 * @returns {string}
 */
function errorText(thrown) {
  let message;
  try {
    const told = typeof thrown === 'string' ? thrown : member(thrown, 'message');
    if (typeof told === 'string') message = told;
    else message = JSON.stringify(thrown) ?? String(thrown);
  } catch {
    message = safeString(thrown);
  }
  return message || mutedText(thrown) || 'the tool failed without a message';
}

/**
 * What tells of an error that has no message, as a connection refused by two addresses: the first of its
 * errors, or its code.
 * @param {unknown} thrown
 * @returns {string | undefined}
 */
function mutedText(thrown) {
  try {
    const errors = member(thrown, 'errors');
    const [first] = Array.isArray(errors) ? errors : [];
    const told = [member(first, 'message'), member(thrown, 'code'), member(first, 'code')];
    return told.filter((one) => typeof one === 'string').find(Boolean);
  } catch {
    return undefined;
  }
}

/** @param {unknown} value */
function safeString(value) {
  try {
    return String(value);
  } catch {
    return 'the tool failed with a value that cannot be shown';
  }
}

/**
 * Whether a value is awaited; throws what looking at it throws.
 * @param {unknown} value
 * @returns {value is PromiseLike<unknown>}
 */
function isThenable(value) {
  const { then } = /** @type {{ then?: unknown }} */ (value ?? {});
  return typeof then === 'function';
}

module.exports = { encodeResult, stringify, failureJson, errorText, isThenable };
