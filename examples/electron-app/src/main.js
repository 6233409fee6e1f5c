// The main process owns the notes and the agent. Both outlive the window: it may be loaded anew, or closed
// and opened again on a Mac.

const fs = require('node:fs');
const path = require('node:path');
const { app, BrowserWindow, dialog } = require('electron');
const { loginShellEnv } = require('mini-me-client');
const { AgentChat } = require('../../chat/agent-chat');
const { programs } = require('../../chat/programs');
const { Notes } = require('./notes');
const { appTools } = require('./tools');
const { openWindow, post } = require('./window');

/** @type {BrowserWindow | undefined} */
let window;
/** @type {AgentChat} */
let chat;
/** @type {Notes} */
let notes;

function start() {
  notes = new Notes(path.join(app.getPath('userData'), 'notes.json'));
  notes.on('change', postNotes);
  chat = new AgentChat({
    tools: appTools(notes, () => window),
    programs: async () => programs({ ...settings(), env: await environment() }),
    cwd: () => app.getPath('userData'),
    post: (message) => post(window, message),
    log: openLog(),
    onAsked: drawAttention,
  });
  open();
}

function open() {
  window = openWindow(receive);
  window.on('closed', () => {
    window = undefined;
  });
}

/** In the taskbar or the dock, when another window is looked at. */
function drawAttention() {
  if (window === undefined || window.isFocused()) return;
  app.dock?.bounce();
  window.flashFrame(true);
}

function receive(message) {
  if (message.type === 'save') notes.save(message.note);
  else if (message.type === 'remove') remove(message.id);
  else chat.receive(message);
  if (message.type === 'ready') postNotes();
}

async function remove(id) {
  const note = notes.all.find((one) => one.id === id);
  if (note === undefined) return;
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: `Delete the note "${note.title}"?`,
    buttons: ['Delete', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
  });
  if (response === 0) notes.remove(id);
}

function postNotes() {
  post(window, { type: 'notes', notes: notes.all });
}

/** `settings.json` beside the notes: `command` and `args` of the agent. */
function settings() {
  const file = path.join(app.getPath('userData'), 'settings.json');
  const { command = '', args = [] } = fs.existsSync(file)
    ? JSON.parse(fs.readFileSync(file, 'utf8'))
    : {};
  return { command, args, standIn: unpacked('stand-in.js'), agentFile: unpacked('agent.yaml') };
}

// #region environment
/** From a dock or a menu the PATH of the person's terminal is missing, and `mm` with it. */
async function environment() {
  if (!app.isPackaged) return {};
  return { ...(await loginShellEnv()), ELECTRON_RUN_AS_NODE: undefined, NODE_OPTIONS: undefined };
}
// #endregion environment

// #region unpacked
/** A file that another program opens: only Electron can look into app.asar. */
function unpacked(name) {
  const inside = `app.asar${path.sep}`;
  return path.join(__dirname, name).replace(inside, `app.asar.unpacked${path.sep}`);
}
// #endregion unpacked

function openLog() {
  const stream = fs.createWriteStream(path.join(app.getPath('userData'), 'agent.log'));
  const write = (level, line) => stream.write(`${new Date().toISOString()} ${level} ${line}\n`);
  return {
    info: (line) => write('info', line),
    warn: (line) => write('warn', line),
    // Each message, with what notes hold: only for who asks for it.
    trace: process.env.MINI_ME_TRACE ? (line) => write('trace', line) : () => undefined,
  };
}

// #region quit
/** Quits when the agent has ended: it gets the time to. */
function quitAfterAgent() {
  let hasEnded = false;
  app.on('before-quit', (event) => {
    if (hasEnded || chat === undefined) return;
    event.preventDefault();
    chat.dispose().finally(() => {
      hasEnded = true;
      app.quit();
    });
  });
}
// #endregion quit

if (app.requestSingleInstanceLock()) {
  quitAfterAgent();
  app.whenReady().then(start);
  app.on('second-instance', () => window?.focus());
  app.on('window-all-closed', () => process.platform !== 'darwin' && app.quit());
  app.on('activate', () => BrowserWindow.getAllWindows().length === 0 && open());
} else {
  app.quit();
}
