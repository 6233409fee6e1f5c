// The window: a page of our own, isolated, that can load nothing else and go nowhere.

const path = require('node:path');
const { BrowserWindow, ipcMain } = require('electron');

const CHANNEL = 'app';

/**
 * @param {(message: any) => void} receive what the page says
 * @returns {BrowserWindow}
 */
function openWindow(receive) {
  const window = new BrowserWindow({
    width: 1100,
    height: 720,
    minWidth: 560,
    minHeight: 400,
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload: path.join(__dirname, 'preload.js'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
    },
  });
  const { webContents } = window;
  const onMessage = (event, message) => {
    // Of our page alone: a frame in it, if ever there is one, is not asked.
    if (event.senderFrame === webContents.mainFrame) receive(message);
  };
  ipcMain.on(CHANNEL, onMessage);
  window.on('closed', () => ipcMain.off(CHANNEL, onMessage));
  webContents.on('will-navigate', (event) => event.preventDefault());
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  window.once('ready-to-show', () => window.show());
  window.loadFile(path.join(__dirname, 'window.html'));
  return window;
}

/**
 * @param {BrowserWindow | undefined} window
 * @param {object} message
 */
function post(window, message) {
  if (window === undefined || window.isDestroyed()) return;
  window.webContents.send(CHANNEL, message);
}

module.exports = { openWindow, post };
