'use strict';
// A program that ends in the way of its first argument while an agent runs, given by the others.

const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { clientOf, tell } = require('./shared');

const ENDS = {
  exit: () => process.exit(3),
  throw: () => {
    throw new Error('uncaught');
  },
  reject: () => Promise.reject(new Error('unhandled')),
  'empty-loop': () => undefined,
  'exit-in-listener': () => process.exit(4),
};

async function main([way, ...program]) {
  if (way === 'terminate') {
    const worker = new Worker(__filename, { workerData: ['stay', ...program], stdout: false });
    worker.on('message', async (pid) => {
      const exitCode = await worker.terminate();
      tell({ pid, exitCode });
    });
    return;
  }
  const client = clientOf(program);
  const session = await client.newSession();
  if (way === 'stay') {
    require('node:worker_threads').parentPort.postMessage(client.pid);
    await session.prompt('never answered');
    return;
  }
  tell({ pid: client.pid });
  if (way === 'exit-in-listener') {
    client.on('update', ENDS[way]);
    session.prompt('say something');
  } else setImmediate(ENDS[way]);
}

main(isMainThread ? process.argv.slice(2) : workerData);
