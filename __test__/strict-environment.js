'use strict';
// The environment of every test: Node's, in which a warning fails the test that it came in.

const { TestEnvironment } = require('jest-environment-node');

class StrictEnvironment extends TestEnvironment {
  /** @type {Error[]} */
  #warnings = [];
  #collect = (warning) => this.#warnings.push(warning);

  async setup() {
    await super.setup();
    // Jest gives tests a copy of `process`; Node tells of warnings on its own.
    process.on('warning', this.#collect);
  }

  async teardown() {
    process.off('warning', this.#collect);
    await super.teardown();
  }

  /** Called by jest-circus; only `test_done` and `run_finish` can still change a result. */
  async handleTestEvent(event, state) {
    if (event.name !== 'test_done' && event.name !== 'run_finish') return;
    // A warning is told of only after the code that gave it has returned.
    await new Promise(setImmediate);
    const errors = event.name === 'test_done' ? event.test.errors : state.unhandledErrors;
    for (const warning of this.#warnings.splice(0)) {
      errors.push(new Error(`expected no warning, got ${warning.stack ?? warning}`));
    }
  }
}

module.exports = StrictEnvironment;
