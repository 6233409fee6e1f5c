'use strict';
// What one step of a script does. Which steps there are: script-check.js.

const { setTimeout: sleep } = require('node:timers/promises');
const { kindOf } = require('./script-check');

/**
 * @typedef {import('./types').CallResult} CallResult
 * @typedef {import('./types').Step} Step
 * @typedef {import('./types').Steps} Steps
 * @typedef {import('./types').View} View
 *
 * Where a step happens; `view` is undefined before a request is handled.
 * @typedef {{ view: View | undefined, signal: AbortSignal, results: readonly CallResult[] }} Scene
 * @typedef {Record<string, any>} Said
 * @typedef {Steps | Iterable<Step, void, readonly CallResult[] | undefined>} Performed
 * @typedef {(said: Said, scene: Scene) => Performed} Perform
 */

/** A fault's flood is written in pieces of about this many characters. */
const PIECE_CHARACTERS = 64 * 1024;

const isString = (/** @type {unknown} */ value) => typeof value === 'string';

/** What a text chunk is on the wire. @param {string} text @param {string} [kind] */
const chunk = (text, kind = 'agent_message_chunk') => ({
  sessionUpdate: kind,
  content: { type: 'text', text },
});

/** @type {Readonly<Record<import('./script-check').Fault, Perform>>} */
const FAULTS = {
  async *'never-answers'() {
    yield { deafen: true };
    await new Promise(() => undefined);
  },
  *'dies-mid-line'({ status = 1 }) {
    yield { write: Buffer.from('{"jsonrpc":"2.0","method":"session/upd') };
    yield { exit: status };
  },
  *exits({ status = 1 }) {
    yield { exit: status };
  },
  *floods({ updates = 100_000, text = 'x' }, { view }) {
    const line = updateLine(view, text);
    const lines = Math.max(1, Math.floor(PIECE_CHARACTERS / line.length));
    for (let left = updates; left > 0; left -= lines) {
      yield { write: Buffer.from(line.repeat(Math.min(lines, left))) };
    }
  },
  async *'splits-utf8'({ text = 'é 漢字 😀' }, { view }) {
    const line = Buffer.from(updateLine(view, text));
    let from = 0;
    for (let at = 1; at <= line.length; at += 1) {
      // Inside a character, so that each of its bytes comes alone; and at the end.
      const isInside = at === line.length || (Number(line[at]) & 0b1100_0000) === 0b1000_0000;
      if (!isInside) continue;
      yield { write: line.subarray(from, at) };
      from = at;
      await sleep(2);
    }
  },
  // Known from the whole script: the process stays when its input ends.
  'ignores-end': () => [],
  *'answers-twice'() {
    yield { repeat: true };
  },
};

/** @type {Readonly<Record<import('./script-check').Kind, Perform>>} */
const KINDS = {
  async *text({ text, chunks = 1, everyMs = 0 }, { signal }) {
    // By characters: half of one is none.
    const characters = [...text];
    const size = Math.ceil(characters.length / chunks) || 1;
    for (let at = 0; at < characters.length; at += size) {
      if (everyMs > 0 && at > 0) await sleep(everyMs, undefined, { signal }).catch(() => undefined);
      yield { say: characters.slice(at, at + size).join('') };
    }
  },
  *results(_, { results }) {
    yield { say: results.map(({ text }) => text).join('\n') };
  },
  *thought({ thought }) {
    yield { update: chunk(thought, 'agent_thought_chunk') };
  },
  *plan({ plan }) {
    const entries = plan.map((/** @type {any} */ entry) => ({
      priority: 'medium',
      status: 'pending',
      ...(isString(entry) ? { content: entry } : entry),
    }));
    yield { update: { sessionUpdate: 'plan', entries } };
  },
  *update({ update }) {
    yield { update };
  },
  call: ({ call, ...said }, scene) => callAll([{ call, ...said }], scene),
  calls: ({ calls }, scene) => callAll(calls, scene),
  async *sleep({ sleep: ms }, { signal }) {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  },
  *stop({ stop }) {
    yield { stop };
  },
  *error({ error }) {
    yield { fail: { code: -32603, ...error } };
  },
  *line({ line }) {
    yield { write: Buffer.from(`${isString(line) ? line : JSON.stringify(line)}\n`) };
  },
  *write({ write }) {
    yield { write: Buffer.from(write) };
  },
  stderr({ stderr }) {
    process.stderr.write(`${stderr}\n`);
    return [];
  },
  fault: (said, scene) =>
    FAULTS[/** @type {import('./script-check').Fault} */ (said.fault)](said, scene),
};

/**
 * Does what a step says.
 * @param {any} step that was checked
 * @param {Scene} scene
 * @returns {Performed}
 */
function perform(step, scene) {
  const said = typeof step === 'string' ? { text: step } : step;
  const kind = /** @type {import('./script-check').Kind} */ (kindOf(said));
  return KINDS[kind](said, scene);
}

/**
 * @param {readonly { call: string, arguments?: any }[]} calls
 * @param {Scene} scene
 * @returns {Generator<Step, void, readonly CallResult[] | undefined>}
 */
function* callAll(calls, scene) {
  const named = calls.map(({ call, arguments: args = {} }) => ({
    tool: toolCalled(call, scene.view),
    arguments: args,
  }));
  scene.results = (yield { calls: named }) ?? [];
}

/**
 * The model name of a tool, which may be given without `client_`.
 * @param {string} name
 * @param {View | undefined} view
 */
function toolCalled(name, view) {
  const isName = (/** @type {string} */ wanted) => view?.tools.some((tool) => tool.name === wanted);
  return !isName(name) && isName(`client_${name}`) ? `client_${name}` : name;
}

/**
 * @param {View | undefined} view
 * @param {string} text
 */
function updateLine(view, text) {
  const params = { sessionId: view?.sessionId ?? '', update: chunk(text) };
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params })}\n`;
}

module.exports = { perform };
