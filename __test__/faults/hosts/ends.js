'use strict';
// A program that tells who runs for it (its agent, what that has started, a command of the terminal),
// and then ends in one of the ways below. Arguments: the way, and the options of the client as JSON.

const { writeSync } = require('node:fs');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { MiniMe } = require('../../..');

/** What ends the program, once it has told. */
const WAYS = {
  close: (client) => client.close(),
  'empty-loop': () => undefined,
  exit: () => process.exit(3),
  throw: () => setImmediate(() => JSON.parse('{')),
  reject: () => setImmediate(() => Promise.reject(new Error('nobody listens'))),
  // What a program does that wants to leave nobody behind: see docs/faults.md.
  'handled-signal': () => {
    process.once('SIGTERM', () => process.exit(4));
    process.kill(process.pid, 'SIGTERM');
    setInterval(() => undefined, 1000);
  },
  SIGTERM: () => process.kill(process.pid, 'SIGTERM'),
  SIGKILL: () => process.kill(process.pid, 'SIGKILL'),
  // As a crash of native code does.
  abort: () => process.abort(),
  // Ctrl+C goes to the whole group of the terminal: to the shim that has started this, and to this.
  interrupt: () => process.kill(-process.ppid, 'SIGINT'),
};

async function begin(options) {
  const client = new MiniMe({ ...options, terminal: true, closeTimeoutMs: 200 });
  const { id } = await client.newSession();
  return { client, family: await client.request('family', { sessionId: id }) };
}

async function main(way, options) {
  if (way === 'terminate') {
    const worker = new Worker(__filename, { workerData: options });
    worker.on('message', (family) => {
      tell(family);
      worker.terminate();
    });
    return;
  }
  const { client, family } = await begin(options);
  tell(family);
  await WAYS[way](client);
}

async function inWorker(options) {
  const { client, family } = await begin(options);
  parentPort.postMessage(family);
  await client.request('never');
}

/** On its way when this returns. */
function tell(value) {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

if (isMainThread) main(process.argv[2], JSON.parse(process.argv[3]));
else inWorker(workerData);
