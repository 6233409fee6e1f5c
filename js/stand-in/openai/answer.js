'use strict';
// One answer of the server, put together from its chunks. Knows nothing of HTTP.

const { randomUUID } = require('node:crypto');
const { isObject, member } = require('../../json');
const { ToolCalls } = require('./tool-calls');

/** ACP's word for why an answer is over; any other reason ends the turn as it should. */
const STOP_REASONS = new Map([
  ['length', 'max_tokens'],
  ['content_filter', 'refusal'],
]);

/** @typedef {import('../types').Step} Step */

class Answer {
  #text = '';
  #calls = new ToolCalls();
  /** @type {import('./tool-calls').Wish[] | undefined} */
  #wishes;
  /** @type {unknown} */
  #finishReason;

  /**
   * Takes in a chunk, or an answer that came whole; gives what it says.
   * @param {unknown} chunk
   * @returns {Step[]}
   */
  take(chunk) {
    const choice = choiceOf(chunk);
    const delta = member(choice, 'delta') ?? member(choice, 'message');
    this.#finishReason = member(choice, 'finish_reason') ?? this.#finishReason;
    const thought =
      textOf(member(delta, 'reasoning_content')) || textOf(member(delta, 'reasoning'));
    const text = textOf(member(delta, 'content')) + textOf(member(delta, 'refusal'));
    this.#text += text;
    const calls = member(delta, 'tool_calls');
    if (Array.isArray(calls)) for (const piece of calls) this.#calls.take(piece);
    return [
      ...(thought === '' ? [] : [thoughtStep(thought)]),
      ...(text === '' ? [] : [{ say: text }]),
    ];
  }

  /** The calls; the same list each time. */
  wishes() {
    this.#wishes ??= this.#calls.wishes(`call_${randomUUID()}_`);
    return this.#wishes;
  }

  /** Why the turn is over; undefined when it goes on with calls, whatever reason the server gives. */
  stopReason() {
    const stop = STOP_REASONS.get(String(this.#finishReason));
    // The calls of an answer that was cut may be cut as well.
    if (stop !== undefined) return stop;
    return this.wishes().length === 0 ? 'end_turn' : undefined;
  }

  /**
   * The answer as the next request repeats it.
   * @returns {import('./history').Message}
   */
  message() {
    const wishes = this.stopReason() === undefined ? this.wishes() : [];
    if (wishes.length === 0) return { role: 'assistant', content: this.#text };
    const calls = wishes.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }));
    return { role: 'assistant', content: this.#text || null, tool_calls: calls };
  }
}

/**
 * The one choice there is; chunks that only count tokens have none.
 * @param {unknown} chunk
 * @returns {unknown}
 */
function choiceOf(chunk) {
  const choices = member(chunk, 'choices');
  return Array.isArray(choices) ? choices[0] : undefined;
}

/**
 * Text of a delta; some servers send it as a list of parts.
 * @param {unknown} value
 * @returns {string}
 */
function textOf(value) {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('');
  return isObject(value) && typeof value.text === 'string' ? value.text : '';
}

/**
 * @param {string} text
 * @returns {Step}
 */
function thoughtStep(text) {
  const content = { type: 'text', text };
  return { update: { sessionUpdate: 'agent_thought_chunk', content } };
}

module.exports = { Answer, choiceOf };
