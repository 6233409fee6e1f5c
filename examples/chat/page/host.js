'use strict';
// The other side of the page: the extension host by VS Code's own function, or the main process by what
// the preload script of the window put there.

function connect() {
  const bridge = globalThis.chatHost;
  if (bridge !== undefined) return bridge;
  const vscode = globalThis.acquireVsCodeApi();
  return {
    post: (message) => vscode.postMessage(message),
    listen: (listener) => window.addEventListener('message', ({ data }) => listener(data)),
  };
}

module.exports = { connect };
