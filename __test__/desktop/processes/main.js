// Lends a tool in each kind of process that Electron has, and prints what came of it as one line of JSON.

const path = require('node:path');
const { app, BrowserWindow, utilityProcess } = require('electron');
const { Worker } = require('node:worker_threads');
const { lend } = require('./lend');

const inUtility = () => firstMessage(utilityProcess.fork(path.join(__dirname, 'utility.js')));
const inWorker = () => firstMessage(new Worker(path.join(__dirname, 'worker.js')));

/** @param {import('node:events').EventEmitter} other */
function firstMessage(other) {
  return new Promise((resolve) => {
    other.once('message', resolve);
    other.once('exit', (status) => resolve(`ended with status ${status}`));
  });
}

/** A page with Node.js, loaded three times: not what one should do. */
async function inPage() {
  const window = new BrowserWindow({
    show: false,
    webPreferences: { nodeIntegration: true, contextIsolation: false, sandbox: false },
  });
  await window.loadURL('about:blank');
  const texts = [];
  for (let times = 0; times < 3; times++) {
    const script = `require(${JSON.stringify(path.join(__dirname, 'lend.js'))}).lend()`;
    texts.push(await window.webContents.executeJavaScript(script));
    await window.loadURL('about:blank');
  }
  return texts;
}

app.whenReady().then(async () => {
  const seen = { main: await lend(), utility: await inUtility(), worker: await inWorker() };
  seen.page = await inPage().catch((error) => error.message);
  process.stdout.write(`${JSON.stringify(seen)}\n`, () => app.exit(0));
});
