require('./lend')
  .lend()
  .then(
    (text) => process.parentPort.postMessage(text),
    (error) => process.parentPort.postMessage(error.message),
  );
