'use strict';
// What was said in each session, as the server is told again with every request. It is bounded: a
// session drops its oldest turns, and of the sessions those not used for longest are forgotten.

/** About 100 000 tokens, more than most models hold. */
const MOST_CHARACTERS = 400_000;
const MOST_SESSIONS = 64;

/** @typedef {Readonly<Record<string, unknown>>} Message as the API has it */

/** The turns of one session. */
class History {
  /** @type {{ messages: readonly Message[], characters: number }[]} */
  #turns = [];
  #characters = 0;

  messages() {
    return this.#turns.flatMap(({ messages }) => messages);
  }

  /**
   * Adds a turn. Whole turns are dropped, or results would be left without their calls; the newest
   * stays, however long it is.
   * @param {readonly Message[]} messages
   */
  keep(messages) {
    const characters = JSON.stringify(messages).length;
    this.#turns.push({ messages, characters });
    this.#characters += characters;
    while (this.#characters > MOST_CHARACTERS && this.#turns.length > 1) {
      this.#characters -= this.#turns.shift()?.characters ?? 0;
    }
  }
}

/** The histories of all sessions. */
class Histories {
  /** @type {Map<string, History>} the one used last comes last */
  #sessions = new Map();

  /** @param {string} sessionId */
  of(sessionId) {
    const history = this.#sessions.get(sessionId) ?? new History();
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, history);
    if (this.#sessions.size > MOST_SESSIONS) {
      const [oldest] = this.#sessions.keys();
      if (oldest !== undefined) this.#sessions.delete(oldest);
    }
    return history;
  }
}

module.exports = { Histories, MOST_CHARACTERS, MOST_SESSIONS };
