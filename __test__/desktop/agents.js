'use strict';
// The agents of the lifecycle tests, as settings: one for each thing an agent may be doing when its host ends.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./host');

/** That of the examples is not taken: a test of the life of processes needs Node.js and nothing else. */
const STAND_IN = path.join(ROOT, 'js/stand-in.js');

const SCRIPTS = {
  idle: { prompts: [['Nothing to do.']], repeat: true },
  prompting: { prompts: [['Thinking.', { sleep: 600_000 }]], repeat: true },
  asking: { prompts: [[{ call: 'TOOL' }]], repeat: true },
  // Takes no notice of the end of its stdin while it works: only a signal ends it.
  stubborn: { prompts: [['Thinking.', { fault: 'never-answers' }]], ignoreEnd: true },
};

/** What is seen when an agent has got there. */
const SIGNS = {
  idle: { locator: '.answer', text: 'Nothing to do.' },
  prompting: { locator: '.answer', text: 'Thinking.' },
  asking: { locator: '.permission button', text: 'Allow' },
  stubborn: { locator: '.answer', text: 'Thinking.' },
};

/**
 * @param {keyof typeof SCRIPTS} what
 * @param {string} folder for its files
 * @param {string} tool that an asking one wants to call
 */
function agentFor(what, folder, tool) {
  const script = path.join(folder, 'script.json');
  const agentFile = path.join(folder, 'agent.yaml');
  fs.writeFileSync(script, JSON.stringify(SCRIPTS[what]).replace('TOOL', tool));
  fs.writeFileSync(agentFile, 'yolo: false\n');
  const args = [STAND_IN, '-acp', '-agent', agentFile, '-model', 'script', '-script', script];
  return { command: process.execPath, args };
}

/**
 * Brings the agent of a page there.
 * @param {import('playwright-core').Page | import('playwright-core').FrameLocator} chat
 * @param {keyof typeof SIGNS} what
 */
async function bring(chat, what) {
  await chat.getByLabel('Your question').fill('Go on.');
  await chat.getByLabel('Your question').press('Enter');
  const { locator, text } = SIGNS[what];
  await chat.locator(locator, { hasText: text }).first().waitFor();
}

module.exports = { agentFor, bring };
