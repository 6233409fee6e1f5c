// The view of the chat: a page that may be hidden, moved or closed at any time. It holds nothing.

const { randomBytes } = require('node:crypto');
const vscode = require('vscode');

const SUGGESTIONS = [
  'Which files are open in my editor?',
  'What is my selection?',
  'Which problems do the diagnostics show?',
];

class ChatView {
  static id = 'miniMe.chat';
  #extensionUri;
  #receive;
  /** @type {vscode.WebviewView | undefined} */
  #view;

  /**
   * @param {vscode.Uri} extensionUri
   * @param {(message: any) => void} receive
   */
  constructor(extensionUri, receive) {
    this.#extensionUri = extensionUri;
    this.#receive = receive;
  }

  /** Called by VS Code each time the page is made anew. */
  resolveWebviewView(view) {
    const dist = vscode.Uri.joinPath(this.#extensionUri, 'dist');
    this.#view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage(this.#receive);
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    view.webview.html = page(view.webview, dist);
  }

  /** A page that is not there loses nothing: it gets all of it when it is. */
  post(message) {
    this.#view?.webview.postMessage(message);
  }

  get isVisible() {
    return this.#view?.visible ?? false;
  }

  /** A number on the icon, for what waits unseen. */
  setWaiting(count) {
    if (this.#view === undefined) return;
    this.#view.badge =
      count > 0 ? { value: count, tooltip: 'Mini-Me asks for permission' } : undefined;
  }
}

/** Nothing but our own script and style is loaded, and nothing is fetched. */
function page(webview, dist) {
  const nonce = randomBytes(16).toString('base64');
  const file = (name) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name));
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy"
    content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
  <meta name="viewport" content="width=device-width">
  <link rel="stylesheet" href="${file('chat.css')}">
  <title>Mini-Me</title>
</head>
<body>
  <div class="chat" data-title="Mini-Me" data-placeholder="Ask about your code"
    data-about="The agent sees the files you have open, your selection and your problems. It asks before it looks."
    data-suggestions="${SUGGESTIONS.join('|')}"></div>
  <script nonce="${nonce}" src="${file('chat.js')}"></script>
</body>
</html>`;
}

module.exports = { ChatView };
