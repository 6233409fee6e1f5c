// The only door between the page and the main process: messages, and nothing of Electron or Node.js.

const { contextBridge, ipcRenderer } = require('electron');

contextBridge.exposeInMainWorld('chatHost', {
  post: (message) => ipcRenderer.send('app', message),
  listen: (listener) => {
    ipcRenderer.on('app', (_event, message) => listener(message));
  },
});
