'use strict';
// Ends a running turn so that the agent notices. Agents lose a cancel that comes right behind its
// prompt, so it waits for the first sign of the turn. Source: docs/protocol.md, "Cancel".

const { clearTimeout, now, setLimit } = require('./schedule');

/** How long the cancel waits for a sign of the turn, after the prompt, ms. */
const SIGN_MS = 100;
/** When the turn still runs this long after the cancel, it is said again, more firmly; ms. */
const AGAIN_MS = 250;

/**
 * What is cancelled.
 * @typedef {Pick<
 *   import('./prompts').Run,
 *   'sentAt' | 'hasSign' | 'sendCancel' | 'withdrawPrompt' | 'endHere'
 * >} Cancelled
 */

/** The cancelling of one turn. */
class Cancellation {
  #run;
  /** @type {(NodeJS.Timeout | undefined)[]} */
  #timers = [];
  #isSent = false;

  /** @param {Cancelled} run */
  constructor(run) {
    this.#run = run;
    const wait = run.hasSign ? 0 : run.sentAt + SIGN_MS - now();
    if (wait <= 0) this.#send();
    else this.#after(wait, () => this.#send());
  }

  get isSent() {
    return this.#isSent;
  }

  /** The agent has shown that it knows of the turn. */
  sign() {
    if (!this.#isSent) this.#send();
  }

  /**
   * After `timeoutMs` the turn is ended here, whatever the agent does.
   * @param {number} timeoutMs
   */
  limit(timeoutMs) {
    this.#after(timeoutMs, () => this.#run.endHere());
  }

  /** The turn has ended. */
  stop() {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #send() {
    if (this.#isSent) return;
    this.#isSent = true;
    this.#run.sendCancel();
    this.#after(AGAIN_MS, () => {
      this.#run.sendCancel();
      this.#run.withdrawPrompt();
    });
  }

  /**
   * @param {number} ms
   * @param {() => void} action
   */
  #after(ms, action) {
    this.#timers.push(setLimit(action, ms));
  }
}

module.exports = { Cancellation };
