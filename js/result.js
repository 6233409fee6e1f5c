'use strict';
// Turns what a handler gives into JSON for the wire. Rules: docs/protocol.md, "Results".

const EMPTY = '{"content":[]}';

/** A value that JSON cannot hold; the message names its path. */
class NotJson extends Error {}

/** The JSON of a failed call that the model can read. */
function failureJson(message) {
  return `{"content":[{"type":"text","text":${JSON.stringify(message)}}],"isError":true}`;
}

/** The JSON of a result, and whether the model reads it as a failure. */
function encodeResult(value) {
  if (value === undefined) return { json: EMPTY, isError: false };
  if (typeof value === 'string') return { json: JSON.stringify(value), isError: false };
  try {
    const json = stringify(value);
    // A toJSON may give undefined, as undefined itself does.
    if (json === undefined) return { json: EMPTY, isError: false };
    return { json, isError: isFailure(value) };
  } catch (error) {
    const reason = error instanceof NotJson ? error.message : `result: ${errorText(error)}`;
    return { json: failureJson(reason), isError: true };
  }
}

function isFailure(value) {
  return typeof value === 'object' && value?.isError === true && Array.isArray(value.content);
}

/** JSON.stringify that refuses what it would drop or change without a word. */
function stringify(value) {
  // The objects from the root to the one being written, each with its path.
  const ancestors = [];
  let path = 'result';
  function check(key, member) {
    if (ancestors.length > 0) {
      while (ancestors[ancestors.length - 1].value !== this) ancestors.pop();
      const parent = ancestors[ancestors.length - 1].path;
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
    throw new NotJson(`${path}: expected JSON, reading it threw: ${errorText(error)}`);
  }
}

function refuseUnfit(value, path) {
  const type = typeof value;
  let came;
  if (type === 'bigint') came = 'a BigInt';
  else if (type === 'function' || type === 'symbol') came = `a ${type}`;
  else if (type === 'number' && !Number.isFinite(value)) came = String(value);
  else if (type === 'object' && value !== null) {
    const tag = Object.prototype.toString.call(value);
    if (tag === '[object Map]' || tag === '[object Set]') came = `a ${tag.slice(8, -1)}`;
  }
  if (came !== undefined) throw new NotJson(`${path}: expected JSON, got ${came}`);
}

/** What the model reads of a thrown value: its message, never its stack, never nothing. */
function errorText(thrown) {
  let message;
  try {
    if (typeof thrown === 'string') message = thrown;
    else if (typeof thrown?.message === 'string') message = thrown.message;
    else message = JSON.stringify(thrown) ?? String(thrown);
  } catch {
    message = safeString(thrown);
  }
  return message || 'the tool failed without a message';
}

function safeString(value) {
  try {
    return String(value);
  } catch {
    return 'the tool failed with a value that cannot be shown';
  }
}

module.exports = { encodeResult, failureJson, errorText };
