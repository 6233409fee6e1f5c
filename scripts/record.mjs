// Records what a client and an agent say to each other, for a test that plays it again. It stands
// between them as the client's `command` and changes nothing: every byte goes on as it came.
//   node scripts/record.mjs OUT.jsonl -- mm -acp [the agent's arguments]
// The format: __test__/transcripts/recorded/README.md.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Recording } from './lib/recording.mjs';
import { runMain, ScriptError } from './lib/say.mjs';

const USAGE = 'node scripts/record.mjs OUT.jsonl -- COMMAND [ARGUMENTS]';
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

await runMain(async () => {
  const [file, dashes, command, ...args] = process.argv.slice(2);
  if (file === undefined || dashes !== '--' || command === undefined)
    throw new ScriptError(`expected ${USAGE}, got ${process.argv.slice(2).join(' ') || 'nothing'}`);

  const recording = new Recording(file);
  const child = spawn(command, args, { stdio: 'pipe' });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));

  pass(process.stdin, child.stdin, recording.listener('client->agent'));
  pass(child.stdout, process.stdout, recording.listener('agent->client'));
  pass(child.stderr, process.stderr, recording.listener('agent-stderr'));
  // A client that is gone reads nothing: the agent learns of it by the end of its stdin.
  process.stdout.on('error', () => child.stdin.end());

  try {
    return await exitStatus(child, command);
  } finally {
    recording.close();
    process.stdin.destroy();
  }
});

/**
 * Passes a stream on, at the pace of its reader.
 * @param {NodeJS.ReadableStream} source
 * @param {NodeJS.WritableStream} target
 * @param {import('./lib/recording.mjs').Listener} listener
 */
function pass(source, target, listener) {
  source.on('data', listener.onData);
  source.on('end', listener.onEnd);
  // A reader that has ended is no failure of the recorder; its exit status tells.
  target.on('error', () => source.resume());
  source.pipe(target);
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} command
 * @returns {Promise<number>}
 */
function exitStatus(child, command) {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(new ScriptError(`expected to run \`${command}\`, could not: ${error.message}`));
    });
    child.once('close', (status, signal) => {
      resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
