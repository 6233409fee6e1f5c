'use strict';
// Two sessions with one agent, each with a to-do list of its own: the agent asks for the tools of a
// session while it opens it, and gets two functions over that session's list.
//   node index.js

const path = require('node:path');
const { MiniMe } = require('mini-me-client');
const { chooseAgent } = require('../host-info/choose-agent');
const { todoTools } = require('./todo-list');

async function main() {
  const { choice, ...program } = chooseAgent(path.join(__dirname, 'agent.yaml'), process.env);
  console.error(`agent: ${choice}`);
  const mm = new MiniMe({
    ...program,
    discovery: 'request',
    permissions: 'client-tools',
    tools: () => todoTools(),
  });
  mm.on('diagnostic', ({ message }) => console.error(message));
  try {
    const [home, work] = await Promise.all([mm.newSession(), mm.newSession()]);
    await ask(home, 'home', 'Add "buy milk" to my to-do list.');
    await ask(work, 'work', 'Add "write the report" to my to-do list.');
    await ask(home, 'home', 'Show all items of my to-do list.');
    await ask(work, 'work', 'Show all items of my to-do list.');
  } finally {
    await mm.close();
  }
}

async function ask(session, name, question) {
  const { text } = await session.prompt(question);
  console.log(`[${name}] ${question}\n${text}\n`);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
