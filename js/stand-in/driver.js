'use strict';
// Lets a model decide the turns of the agent side, which asks for one step at a time.

const { errorText } = require('../result');

/** JSON-RPC: something failed that is nobody's request. */
const INTERNAL_ERROR = -32603;

/**
 * @typedef {import('./types').Model} Model
 * @typedef {import('./types').Step} Step
 * @typedef {import('./types').Steps} Steps
 * @typedef {{ steps: Steps, abort: AbortController }} Turn
 */

/**
 * Runs the agent of a command line until its input ends; gives its exit status.
 * @param {import('./types').StandInBinding} native
 * @param {string[]} args
 * @param {Model} model
 * @returns {Promise<number>}
 */
function drive(native, args, model) {
  return new Promise((resolve) => {
    const driver = new Driver(model, resolve);
    const intercepted = Object.keys(model.before ?? {});
    const agent = new native.NativeStandIn(args, intercepted, (event) => driver.take(event));
    driver.answer = (key, step) => agent.step(key, step);
  });
}

class Driver {
  #model;
  #onExit;
  /** @type {Map<number, Turn>} */
  #turns = new Map();
  /** @type {(key: number, step: string) => void} */
  answer = () => undefined;

  /**
   * @param {Model} model
   * @param {(status: number) => void} onExit
   */
  constructor(model, onExit) {
    this.#model = model;
    this.#onExit = onExit;
  }

  /** @param {string} event as src/stand_in/model/remote.rs tells it */
  take(event) {
    const [kind, key, about] = JSON.parse(event);
    if (kind === 'exit') this.#onExit(key);
    else if (kind === 'next') void this.#next(key, about);
    else if (kind === 'end') this.#end(key);
    else this.#begin(kind, key, about);
  }

  /**
   * @param {'turn' | 'before'} kind
   * @param {number} key
   * @param {any} about
   */
  #begin(kind, key, about) {
    const abort = new AbortController();
    const { signal } = abort;
    const { before = {} } = this.#model;
    const steps =
      kind === 'turn' ? this.#model.turn(about, signal) : before[about.method]?.(signal);
    if (steps === undefined) throw new Error(`expected an intercepted method, got ${about.method}`);
    this.#turns.set(key, { steps, abort });
  }

  /**
   * @param {number} key
   * @param {any} results
   */
  async #next(key, results) {
    const turn = this.#turns.get(key);
    if (turn === undefined) return;
    const step = await nextStep(turn.steps, results ?? undefined);
    // The turn may have ended meanwhile.
    if (this.#turns.has(key)) this.answer(key, step);
  }

  /** @param {number} key */
  #end(key) {
    const turn = this.#turns.get(key);
    this.#turns.delete(key);
    if (turn === undefined) return;
    turn.abort.abort();
    // A model that still waits for something returns when that is over: nobody waits for it.
    turn.steps.return().catch(() => undefined);
  }
}

/**
 * The next step as the agent side reads it; a model that throws fails its turn.
 * @param {Steps} steps
 * @param {any} results
 */
async function nextStep(steps, results) {
  try {
    const { done, value } = await steps.next(results);
    return encode(done ? { stop: 'end_turn' } : value);
  } catch (error) {
    return encode({ fail: { code: INTERNAL_ERROR, message: errorText(error) } });
  }
}

/** @param {Step} step */
function encode(step) {
  // Bytes cross as characters of the same numbers.
  if ('write' in step) return JSON.stringify({ write: Buffer.from(step.write).toString('latin1') });
  return JSON.stringify(step);
}

module.exports = { drive };
