'use strict';
// Events whose listeners cannot harm: one that throws or rejects costs nothing but a diagnostic.

const { EventEmitter } = require('node:events');
const { errorText, isThenable } = require('./result');

/** @typedef {import('../index').MiniMeEvents} MiniMeEvents */

/**
 * The events of a client.
 * @extends {EventEmitter<MiniMeEvents>}
 */
class Events extends EventEmitter {
  /**
   * Calls every listener; gives whether there were any.
   * @template {keyof MiniMeEvents} K
   * @param {K} event
   * @param {MiniMeEvents[K]} values
   */
  emit(event, ...values) {
    if (this.listenerCount(event) === 0) return false;
    const listeners = /** @type {((...values: unknown[]) => unknown)[]} */ (
      this.rawListeners(event)
    );
    for (const listener of listeners) {
      try {
        const result = listener.apply(this, values);
        if (isThenable(result)) result.then(undefined, (error) => this.#failed(event, error));
      } catch (error) {
        this.#failed(event, error);
      }
    }
    return true;
  }

  /**
   * @param {keyof MiniMeEvents} event
   * @param {unknown} error
   */
  #failed(event, error) {
    const message = `a listener of "${event}" failed: ${errorText(error)}`;
    const isOwn = event === 'diagnostic';
    // A diagnostic listener that fails is not told of its own failure: it would fail again.
    if (isOwn || this.listenerCount('diagnostic') === 0) process.emitWarning(message);
    else this.emit('diagnostic', { code: 'listener-failed', message, details: { event } });
  }
}

module.exports = { Events };
