#!/usr/bin/env node
'use strict';
// An ACP client of `mm -acp` that lends the agent one of its own functions, asks one question and
// prints what happens. The agent has no shell: the function is its only way to know the machine.
//   node client.js [--request] [--model openai] [question]

const path = require('node:path');
const { parseArgs } = require('node:util');
const { MiniMe, MiniMeError } = require('mini-me-client');
const { chooseAgent } = require('./choose-agent');
const { hostInfo } = require('./host-info');

const QUESTION = 'What operating system does my machine run, and how much memory does it have?';
const USAGE = 'usage: node client.js [--request] [--model openai] [question]';
const REMEDY =
  'set MM_BIN to the mm program, or put mm on PATH; with neither the demo uses its stand-in';

async function main() {
  const { isRequest, model, question } = readCommandLine();
  const discovery = isRequest ? 'request' : 'meta';
  const agentFile = path.join(__dirname, isRequest ? 'agent-request.yaml' : 'agent.yaml');
  const { choice, ...program } = chooseAgent(agentFile, process.env, model);
  console.error(`[client] agent: ${choice}`);

  const mm = new MiniMe({ ...program, discovery, permissions: decide });
  mm.addTool(hostInfo);
  mm.on('stderr', showLog);
  mm.on('diagnostic', ({ message }) => console.error(`[client] ${message}`));
  // As they come. (`for await (const update of session.prompt(…))` would see them a moment later, when
  // the call they announce may already run.)
  mm.on('update', ({ update }) => show(update));
  mm.on('toolsRequested', ({ sessionId }) => {
    console.log(`[client] list requested for session ${sessionId}`);
  });
  try {
    const session = await mm.newSession();
    console.log(`[client] discovery: ${discovery}, session ${session.id}`);
    console.log(`❓ ${question}\n`);
    const { stopReason } = await session.prompt(question);
    console.log(`\n\n[${stopReason}]`);
  } finally {
    await mm.close();
  }
}

function readCommandLine() {
  try {
    const { values, positionals } = parseArgs({
      options: { request: { type: 'boolean', default: false }, model: { type: 'string' } },
      allowPositionals: true,
    });
    const { request: isRequest, model } = values;
    return { isRequest, model, question: positionals.join(' ') || QUESTION };
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

/** Allows calls of our own tool, and nothing else. */
function decide({ tool, toolCall }) {
  const isOurs = tool !== undefined;
  console.log(`[client] permission for "${toolCall.title}": ${isOurs ? 'allowed' : 'refused'}`);
  return isOurs ? 'allow_once' : 'reject_once';
}

/** What the agent says of client tools, and that the stand-in is one. */
function showLog(line) {
  if (line.startsWith('[acp] ') || line.startsWith('[stand-in] ')) console.error(line);
}

/** Prints an update as an editor would show it. */
function show(update) {
  switch (update.sessionUpdate) {
    case 'tool_call':
      console.log(`🛠️  ${update.title}`);
      break;
    case 'tool_call_update':
      for (const line of linesOf(update.content ?? [])) console.log(`   │ ${line}`);
      break;
    case 'agent_message_chunk':
      if (update.content.type === 'text') process.stdout.write(update.content.text);
      break;
  }
}

function linesOf(content) {
  const blocks = content.flatMap((part) => (part.type === 'content' ? [part.content] : []));
  return blocks.flatMap((block) => (block.type === 'text' ? block.text.split('\n') : []));
}

main().catch((error) => {
  if (!(error instanceof MiniMeError)) throw error;
  console.error(`[client] ${error.message}`);
  if (error.code === 'MM_ERR_SPAWN') {
    // A name was looked for on PATH, and the message says which; a path was not.
    const PATH = error.details.path === undefined ? ` (PATH is ${process.env.PATH})` : '';
    console.error(`[client] ${REMEDY}${PATH}`);
  }
  process.exitCode = 1;
});
