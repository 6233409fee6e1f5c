'use strict';
// Talks to the server: one request, the chunks of its answer, and what can go wrong in between. Knows
// nothing of turns and little of what chunks mean.

const { isObject, member } = require('../../json');
const { choiceOf } = require('./answer');
const { Exchange } = require('./exchange');
const { ServerFault, failed, notAnApi, quote, refused, saidIn } = require('./fault');

/** How long a server may take to close an answer that it has finished, ms. */
const LAST_WORDS_MS = 2_000;
/** The most characters of an error that are read. */
const LONGEST_REFUSAL = 65_536;

/** @typedef {import('./options').Settings} Settings */

/**
 * The chunks of the answer to a request; just one from a server that does not stream. Leaving the loop
 * closes the connection, and so does `signal`.
 * @param {Settings} server
 * @param {unknown} body
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<unknown, void, undefined>}
 */
async function* chunksOf(server, body, signal) {
  const exchange = new Exchange(server, signal);
  try {
    const response = await exchange.post(body);
    if (!response.ok) {
      // The status is enough: what hinders reading the rest does not matter.
      exchange.endWithin(LAST_WORDS_MS);
      throw refused(server, response, await exchange.rest('', LONGEST_REFUSAL));
    }
    const start = await exchange.start();
    // What came says what it is: not every server names the type right.
    if (/^[{[<]/.test(start)) yield whole(server, await exchange.rest(start));
    else yield* streamed(server, exchange, start);
  } finally {
    exchange.close();
  }
}

/**
 * An answer that came whole.
 * @param {Settings} server
 * @param {string} text
 */
function whole(server, text) {
  if (text.startsWith('<')) throw notAnApi(server, text);
  const chunk = parse(server, text, 'answer');
  if (choiceOf(chunk) === undefined) throw withoutChoices(server, text);
  return chunk;
}

/**
 * @param {Settings} server
 * @param {Exchange} exchange
 * @param {string} start of the answer
 * @returns {AsyncGenerator<unknown, void, undefined>}
 */
async function* streamed(server, exchange, start) {
  const { feed, events } = createReader();
  let hasEvents = false;
  let hasChoice = false;
  let isFinished = false;
  for await (const text of exchange.texts(start)) {
    feed(text);
    for (const { event, data } of events.splice(0)) {
      hasEvents = true;
      if (data.trim() === '[DONE]') {
        if (!hasChoice) throw withoutChoices(server, data);
        return;
      }
      if (event === 'error') throw failed(server, data);
      const chunk = parse(server, data, 'event');
      yield chunk;
      const choice = choiceOf(chunk);
      hasChoice ||= choice !== undefined;
      // The reason comes last; `[DONE]` and a count of tokens may follow, or nothing, for ever.
      if (typeof member(choice, 'finish_reason') === 'string') {
        isFinished = true;
        exchange.endWithin(LAST_WORDS_MS);
      }
    }
  }
  if (isFinished) return;
  const what = hasEvents
    ? 'cut its answer short: it ended without a finish_reason and without [DONE]'
    : `answered with no event stream: ${quote(server, start) || 'it is empty'}`;
  throw new ServerFault(server, what);
}

/** Reads events; loaded here, so that a program that has no use for it does not load it. */
function createReader() {
  const { createParser } = require('eventsource-parser');
  /** @type {{ event?: string | undefined, data: string }[]} */
  const events = [];
  const parser = createParser({
    onEvent: (event) => events.push(event),
    // llama.cpp once wrote its errors as a field of that name, which events do not have.
    onError: ({ field, value = '' }) => {
      if (field === 'error') events.push({ event: 'error', data: value });
    },
  });
  return { feed: parser.feed, events };
}

/**
 * @param {Settings} server
 * @param {string} text
 * @param {string} what it is
 * @returns {unknown}
 */
function parse(server, text, what) {
  /** @type {unknown} */
  let chunk;
  /** @type {unknown} */
  let cause;
  try {
    chunk = JSON.parse(text);
  } catch (error) {
    cause = error;
  }
  if (!isObject(chunk)) {
    const message = `sent an ${what} that is not a JSON object: ${quote(server, text)}`;
    throw new ServerFault(server, message, { cause });
  }
  if (saidIn(chunk) !== undefined) throw failed(server, text);
  return chunk;
}

/**
 * @param {Settings} server
 * @param {string} text
 */
function withoutChoices(server, text) {
  return new ServerFault(server, `answered without choices: ${quote(server, text)}`);
}

module.exports = { chunksOf };
