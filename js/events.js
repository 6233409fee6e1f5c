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
   * The listeners by event: asking the emitter copies them, for each of a million updates.
   * @type {Map<keyof MiniMeEvents, readonly ((...values: unknown[]) => unknown)[]>}
   */
  #known = new Map();

  /**
   * Calls every listener; gives whether there were any.
   * @template {keyof MiniMeEvents} K
   * @param {K} event
   * @param {MiniMeEvents[K]} values
   */
  emit(event, ...values) {
    const listeners = this.#known.get(event) ?? this.#learn(event);
    for (const listener of listeners) {
      try {
        const result = listener.apply(this, values);
        if (isThenable(result)) result.then(undefined, (error) => this.#failed(event, error));
      } catch (error) {
        this.#failed(event, error);
      }
    }
    return listeners.length > 0;
  }

  /** @param {keyof MiniMeEvents} event */
  #learn(event) {
    const listeners = /** @type {((...values: unknown[]) => unknown)[]} */ (
      this.rawListeners(event)
    );
    this.#known.set(event, listeners);
    return listeners;
  }

  static {
    // All that changes the listeners; `once` and its kind go through these.
    for (const name of /** @type {const} */ ([
      'on',
      'addListener',
      'prependListener',
      'off',
      'removeListener',
      'removeAllListeners',
    ])) {
      const change = /** @type {(...args: unknown[]) => unknown} */ (EventEmitter.prototype[name]);
      /**
       * @this {Events}
       * @param {unknown[]} args
       */
      const value = function changeListeners(...args) {
        this.#known.clear();
        return change.apply(this, args);
      };
      Object.defineProperty(Events.prototype, name, { value, writable: true, configurable: true });
    }
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
