'use strict';
// A program whose agent runs a command, which tells its pid; then it ends in the way of its argument.

const { once } = require('node:events');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { clientOf, tell } = require('./shared');

const COMMAND = `
  const { spawn } = require('node:child_process');
  process.on('SIGTERM', () => undefined);
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'inherit' });
  console.log(process.pid, child.pid);
  setInterval(() => undefined, 60_000);
`;

/** The pids of a command that runs, and of its child. */
async function run(client) {
  const { id: sessionId } = await client.newSession();
  const ask = async (method, params) => {
    const request = { method: `terminal/${method}`, params: { sessionId, ...params } };
    return (await client.request('_test/ask', request)).result;
  };
  const { terminalId } = await ask('create', { command: process.execPath, args: ['-e', COMMAND] });
  for (;;) {
    const { output } = await ask('output', { terminalId });
    if (output.endsWith('\n')) return output.trim().split(' ').map(Number);
  }
}

async function main(way) {
  if (way === 'terminate') {
    const worker = new Worker(__filename, { workerData: 'stay' });
    const [pids] = await once(worker, 'message');
    await worker.terminate();
    tell({ pids });
    return;
  }
  const client = clientOf(['uses-terminals'], { terminal: true });
  const pids = await run(client);
  if (way === 'stay') {
    parentPort.postMessage(pids);
    client.request('_test/ask', { method: '_nothing' });
    setInterval(() => undefined, 60_000);
    return;
  }
  tell({ pids });
  if (way === 'exit') process.exit(3);
  if (way === 'throw') throw new Error('uncaught');
  // "idle": nothing is open, and Node.js decides.
}

main(isMainThread ? process.argv[2] : workerData);
