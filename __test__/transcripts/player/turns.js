'use strict';
// The turns of the program: what each is to bring, gathered line by line, and what it brought.

const { expect } = require('@jest/globals');

/** The turns of one run; a session has one at a time. */
class Turns {
  #bySession = new Map();

  /** A prompt goes out by `turn`, which is read as a stream beside its result. */
  begin(sessionId, turn) {
    this.#bySession.set(sessionId, { updates: [], read: readAll(turn) });
    return turn.result;
  }

  /** The session's turn, if one runs, is to bring this update. */
  updated({ sessionId, update }) {
    this.#bySession.get(sessionId)?.updates.push(update);
  }

  /** The turn has ended with what the agent answered. */
  async ended(sessionId, result, { stopReason }) {
    const { updates, read } = this.#take(sessionId);
    expect(await read).toEqual({ updates });
    const chunks = updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    expect(result).toMatchObject({
      stopReason,
      text: chunks.map(({ content }) => content.text).join(''),
    });
  }

  async failed(sessionId, error) {
    const { updates, read } = this.#take(sessionId);
    expect(await read).toEqual({ updates, error });
  }

  has(sessionId) {
    return this.#bySession.has(sessionId);
  }

  #take(sessionId) {
    const turn = this.#bySession.get(sessionId);
    this.#bySession.delete(sessionId);
    return turn;
  }
}

async function readAll(turn) {
  const updates = [];
  try {
    for await (const update of turn) updates.push(update);
    return { updates };
  } catch (error) {
    return { updates, error };
  }
}

module.exports = { Turns };
