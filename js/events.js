'use strict';
// Events whose listeners cannot harm: one that throws or rejects costs nothing but a diagnostic.

const { EventEmitter } = require('node:events');
const { errorText } = require('./result');

/** The events of a client. */
class Events extends EventEmitter {
  /** Calls every listener; gives whether there were any. */
  emit(event, ...values) {
    if (this.listenerCount(event) === 0) return false;
    for (const listener of this.rawListeners(event)) {
      try {
        const result = listener.apply(this, values);
        if (typeof result?.then === 'function') {
          result.then(undefined, (error) => this.#failed(event, error));
        }
      } catch (error) {
        this.#failed(event, error);
      }
    }
    return true;
  }

  #failed(event, error) {
    const message = `a listener of "${String(event)}" failed: ${errorText(error)}`;
    const isOwn = event === 'diagnostic';
    // A diagnostic listener that fails is not told of its own failure: it would fail again.
    if (isOwn || this.listenerCount('diagnostic') === 0) process.emitWarning(message);
    else this.emit('diagnostic', { code: 'listener-failed', message, details: { event } });
  }
}

module.exports = { Events };
