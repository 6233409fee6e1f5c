'use strict';
// What the host programs share: a client of an agent that does not end by itself, told as JSON.

const path = require('node:path');
const { MiniMe } = require('../../..');

const AGENTS = path.join(__dirname, '../../fixtures/agents');

/** A client of a fake agent, given as its name and its arguments. */
function clientOf([name, ...args], options = {}) {
  const script = path.join(AGENTS, `${name}.js`);
  return new MiniMe({ command: process.execPath, args: [script, ...args], ...options });
}

/** Tells the test something, on a line of its own; on its way when this returns. */
function tell(value) {
  require('node:fs').writeSync(1, `${JSON.stringify(value)}\n`);
}

module.exports = { clientOf, tell };
