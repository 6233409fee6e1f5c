'use strict';
// What the rules are made of. A rule turns the lines of a recorded dialogue into those that are to be
// heard where this client does something else than the recorded one. It is applied only where the
// catalogue names it; the sections it names are those of docs/protocol.md.

const { toLine } = require('../dialogue');

const CANCELLED = { code: -32800, message: 'Request cancelled' };

/** What this client does by itself: no handler gives it. */
const ITSELF = {};

/** What the program does that no line tells of. */
function act(text, run) {
  return { from: 'program', text, message: undefined, id: undefined, isPartial: false, run };
}

/** A line of this client; `gives` is what the program's handler does to bring it about. */
function ours(message, gives = undefined) {
  const line = toLine('client', JSON.stringify({ jsonrpc: '2.0', ...message }));
  return { ...line, ...(gives !== undefined && { gives }) };
}

/** The result by which a model learns of a failure. */
function failure(text) {
  return { content: [{ type: 'text', text }], isError: true };
}

const isMethod = ({ message }, method) => message?.method === method;
const isAnswer = (line) => line.from === 'client' && isMethod(line, undefined);
const isRequest = ({ from, message, id }) =>
  from === 'agent' && id !== undefined && message.method !== undefined;

module.exports = { CANCELLED, ITSELF, act, ours, failure, isMethod, isAnswer, isRequest };
