'use strict';
// An agent that plays one side of a dialogue: `node agent.js SCRIPT REPORT`. SCRIPT is the lines as
// JSON; each line of the client is waited for, each of the agent is written. REPORT is written at the
// end of stdin: what came, and what was still waited for.

const fs = require('node:fs');

const [script, reportFile] = process.argv.slice(2);
const lines = JSON.parse(fs.readFileSync(script, 'utf8'));
const lastMessage = lines.findLastIndex(({ from }) => from !== 'stderr');

/** All that came, in its order. */
const received = [];
/** Indices of `received` that no line of the script was waiting for yet. */
const waiting = [];
/** The client numbers its requests as it likes: recorded id to real id, as JSON text. */
const ids = new Map();
let next = 0;
let rest = '';
let hasEnded = false;
let isPausing = false;
/** How long a call runs that the recorded agent withdrew: there, until its limit had passed. */
const WITHDRAWN_AFTER_MS = 100;
/** Ids, as JSON text, of the requests that the agent withdraws. */
const withdrawn = new Set(
  lines
    .filter(({ from, message }) => from === 'agent' && message?.method === '$/cancel_request')
    .map(({ message }) => JSON.stringify(message.params.requestId)),
);

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const parts = (rest + chunk).split('\n');
  rest = parts.pop() ?? '';
  for (const part of parts) take(part);
  play();
});
process.stdin.on('end', () => {
  hasEnded = true;
  if (rest !== '') take(rest);
  play();
  const missing = next < lines.length ? lines[next].text : undefined;
  fs.writeFileSync(reportFile, JSON.stringify({ received, missing, rest }));
});

function take(text) {
  waiting.push(received.push(text) - 1);
}

/** Goes on until a line of the client is missing. What stands behind the last message is the end's. */
function play() {
  while (!isPausing && next < lines.length && (next <= lastMessage || hasEnded)) {
    const line = lines[next];
    if (line.from === 'client' && !hear(line)) return;
    if (line.from === 'agent') process.stdout.write(`${spoken(line)}${line.isPartial ? '' : '\n'}`);
    if (line.from === 'stderr') process.stderr.write(`${line.text}\n`);
    next += 1;
    if (line.from === 'agent' && isWithdrawn(line)) pause();
  }
}

function isWithdrawn({ id, message }) {
  return message?.method !== undefined && id !== undefined && withdrawn.has(id);
}

function pause() {
  isPausing = true;
  setTimeout(() => {
    isPausing = false;
    play();
  }, WITHDRAWN_AFTER_MS);
}

function hear(line) {
  const at = waiting.findIndex((index) => isSameKind(line, JSON.parse(received[index])));
  if (at === -1) return false;
  const [index] = waiting.splice(at, 1);
  if (line.message.method !== undefined && line.id !== undefined) {
    ids.set(line.id, JSON.stringify(JSON.parse(received[index]).id));
  }
  return true;
}

/** Enough to tell which line of the script came; whether it is right is the test's affair. */
function isSameKind({ id, message }, came) {
  if (message.method === undefined) {
    return came.method === undefined && JSON.stringify(came.id) === JSON.stringify(message.id);
  }
  return (
    came.method === message.method &&
    (came.id === undefined) === (id === undefined) &&
    came.params?.sessionId === message.params?.sessionId
  );
}

function spoken({ id, text, message }) {
  if (message?.method !== undefined || !ids.has(id)) return text;
  return text.replace(`"id":${id}`, () => `"id":${ids.get(id)}`);
}
