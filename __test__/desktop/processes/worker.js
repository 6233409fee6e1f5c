const { parentPort } = require('node:worker_threads');

require('./lend')
  .lend()
  .then(
    (text) => parentPort.postMessage(text),
    (error) => parentPort.postMessage(error.message),
  );
