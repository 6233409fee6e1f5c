// An agent that is lent the editor: activates with its view, ends with the window.

const path = require('node:path');
const vscode = require('vscode');
const { AgentChat } = require('../../chat/agent-chat');
const { programs } = require('../../chat/programs');
const { ChatView } = require('./chat-view');
const { editorTools } = require('./editor-tools');

/** @type {AgentChat | undefined} */
let chat;

/** @param {vscode.ExtensionContext} context */
function activate(context) {
  const log = vscode.window.createOutputChannel('Mini-Me', { log: true });
  const view = new ChatView(context.extensionUri, (message) => chat.receive(message));
  chat = new AgentChat({
    tools: editorTools,
    programs: () => programs(settings(context)),
    cwd: workspaceFolder,
    post: (message) => {
      view.post(message);
      view.setWaiting(view.isVisible ? 0 : chat.waiting);
    },
    log,
    onAsked: (title) => askToLook(view, title),
  });
  context.subscriptions.push(
    log,
    // VS Code waits for no promise here; `deactivate` is where it does.
    { dispose: () => chat.dispose() },
    vscode.window.registerWebviewViewProvider(ChatView.id, view),
    vscode.commands.registerCommand('miniMe.newChat', () => chat.restart()),
    vscode.commands.registerCommand('miniMe.showLog', () => log.show()),
    vscode.commands.registerCommand('miniMe.ask', ask),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('miniMe')) chat.restart();
    }),
    // Restricted settings count from now on.
    vscode.workspace.onDidGrantWorkspaceTrust(() => chat.restart()),
  );
  return { chat, editorTools };
}

// #region deactivate
/** Resolves when the agent has ended: VS Code waits, for some seconds at most. */
function deactivate() {
  return chat?.dispose();
}
// #endregion deactivate

/** @param {vscode.ExtensionContext} context */
function settings({ extensionPath }) {
  const configuration = vscode.workspace.getConfiguration('miniMe');
  return {
    command: configuration.get('command', ''),
    args: configuration.get('args', []),
    standIn: path.join(extensionPath, 'dist/stand-in.js'),
    agentFile: path.join(extensionPath, 'dist/agent.yaml'),
  };
}

function workspaceFolder() {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? require('node:os').homedir();
}

/** For keys and menus: with a question, or by a box that asks for one. */
async function ask(question) {
  const text = question ?? (await vscode.window.showInputBox({ prompt: 'Ask Mini-Me' }));
  if (!text) return;
  await vscode.commands.executeCommand(`${ChatView.id}.focus`);
  await chat.prompt(text);
}

/** The question is in the chat; who does not see it is told, and led there. */
async function askToLook(view, title) {
  if (view.isVisible) return;
  const show = 'Show';
  const picked = await vscode.window.showInformationMessage(`Mini-Me asks to run ${title}.`, show);
  if (picked === show) await vscode.commands.executeCommand(`${ChatView.id}.focus`);
}

module.exports = { activate, deactivate };
