'use strict';
// The model `openai`: any server with OpenAI's chat completions, streamed, with tools. It decides turns;
// how the server is talked to is in openai/. Needs Node.js 18 or later for its fetch.

const { createError } = require('../errors');
const { Answer } = require('./openai/answer');
const { ServerFault } = require('./openai/fault');
const { Histories } = require('./openai/history');
const { readOptions } = require('./openai/options');
const { chunksOf } = require('./openai/server');

/** The most requests to the server in a turn: a model that calls tools for ever is ended. */
const MOST_ROUNDS = 50;
/** JSON-RPC: internal error, which mm answers a prompt with when its model fails. */
const INTERNAL_ERROR = -32603;

/**
 * @typedef {import('./types').View} View
 * @typedef {import('./types').Step} Step
 * @typedef {import('./types').CallResult} CallResult
 * @typedef {import('./openai/options').Settings} Settings
 * @typedef {import('./openai/history').Message} Message
 */

/**
 * A model on a server. What `options` leave out comes from the environment: OPENAI_BASE_URL, OPENAI_MODEL,
 * OPENAI_API_KEY.
 * @param {import('./openai/options').OpenAiOptions} options
 * @param {Readonly<Record<string, string | undefined>>} [environment]
 * @returns {import('./types').Model}
 */
function openai(options, environment = process.env) {
  if (typeof globalThis.fetch !== 'function') {
    const message = `model openai: expected Node.js 18 or later, which has fetch; this is ${process.version}`;
    throw createError('MM_ERR_OPTION', message, { option: 'model' });
  }
  const settings = readOptions(options, environment);
  const histories = new Histories();
  return { turn: (view, signal) => turn(settings, histories, view, signal) };
}

/**
 * A turn that fails or is cancelled leaves the history as it was: no server takes calls without results.
 * @param {Settings} settings
 * @param {Histories} histories
 * @param {View} view
 * @param {AbortSignal} signal
 * @returns {import('./types').Steps}
 */
async function* turn(settings, histories, view, signal) {
  const history = histories.of(view.sessionId);
  /** @type {Message[]} */
  const messages = [{ role: 'user', content: promptText(view) }];
  try {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const answer = new Answer();
      const body = requestBody(settings, view, [...history.messages(), ...messages]);
      for await (const chunk of chunksOf(settings, body, signal)) {
        for (const step of answer.take(chunk)) yield step;
      }
      messages.push(answer.message());
      const stop = answer.stopReason();
      if (stop !== undefined) {
        // ACP: what was refused is not part of the next prompt.
        if (stop !== 'refusal') history.keep(messages);
        yield { stop };
        return;
      }
      messages.push(...(yield* makeCalls(answer)));
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ServerFault)) throw error;
    const { message, status } = error;
    const data = { error: message, ...(status !== undefined && { status }) };
    yield { fail: { code: INTERNAL_ERROR, message, data } };
    return;
  }
  history.keep(messages);
  yield { stop: 'max_turn_requests' };
}

/**
 * Makes all calls of an answer at once; gives what the model reads of them.
 * @param {Answer} answer
 * @returns {Generator<Step, Message[], readonly CallResult[] | undefined>}
 */
function* makeCalls(answer) {
  const wishes = answer.wishes();
  const calls = wishes.flatMap(({ call }) => (call === undefined ? [] : [call]));
  const results = calls.length === 0 ? [] : ((yield { calls }) ?? []);
  let next = 0;
  return wishes.map(({ id, call, problem }) => {
    const content = call === undefined ? problem : (results[next++]?.text ?? '');
    return { role: 'tool', tool_call_id: id, content };
  });
}

/**
 * @param {Settings} settings
 * @param {View} view
 * @param {readonly Message[]} messages
 */
function requestBody({ model, temperature, systemPrompt }, { tools }, messages) {
  const system = systemPrompt === undefined ? [] : [{ role: 'system', content: systemPrompt }];
  const functions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  return {
    model,
    stream: true,
    messages: [...system, ...messages],
    ...(temperature !== undefined && { temperature }),
    // An empty list is refused by OpenAI; llama.cpp makes one call at a time unless it is told.
    ...(functions.length > 0 && { tools: functions, parallel_tool_calls: true }),
  };
}

/**
 * The text of a prompt, links written out: every agent takes text and links, this one nothing else.
 * @param {View} view
 */
function promptText({ prompt, question }) {
  const texts = prompt.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return block.type === 'resource_link' ? [`[${block.name}](${block.uri})`] : [];
  });
  return texts.length === 0 ? question : texts.join('\n');
}

module.exports = { openai };
