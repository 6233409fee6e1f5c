// Tests that run inside the extension host, as `extensionTestsPath`: with @vscode/test-electron, or in the
// browser as this project does it. They see what a person does not: the tools, and the transcript.

const assert = require('node:assert/strict');
const vscode = require('vscode');
const { callTool } = require('mini-me-client/testing');

const TESTS = {
  'open_buffers lists what is open, and what is not saved'({ tool }) {
    return withDocument('one\ntwo\n', async (document) => {
      const { text } = await callTool(tool('open_buffers'));
      assert.match(text, new RegExp(`- ${document.fileName} \\(plaintext, 3 lines, shown`));
      assert.match(text, /unsaved changes/);
    });
  },

  'read_buffer reads what is not saved'({ tool }) {
    return withDocument('one\ntwo\n', async (document) => {
      const { text } = await callTool(tool('read_buffer'), {
        path: document.fileName,
        startLine: 2,
      });
      assert.equal(
        text,
        `${document.fileName}, lines 2 to 3 of 3:\n\n\`\`\`plaintext\ntwo\n\`\`\``,
      );
    });
  },

  async 'read_buffer reads nothing that the person has not opened'({ tool }) {
    const { text, isError } = await callTool(tool('read_buffer'), { path: '/etc/hosts' });
    assert.equal(isError, true);
    assert.match(text, /"\/etc\/hosts" is not open/);
  },

  'selection gives the selected text'({ tool }) {
    return withDocument('one\ntwo\n', async (_document, editor) => {
      editor.selection = new vscode.Selection(1, 0, 1, 2);
      const { text } = await callTool(tool('selection'));
      assert.match(text, /:2-2, selected:\n\n```plaintext\ntw\n```$/);
    });
  },

  async 'diagnostics gives the problems of one file'({ tool }) {
    const collection = vscode.languages.createDiagnosticCollection('test');
    const uri = vscode.Uri.file('/elsewhere/garden.txt');
    const range = new vscode.Range(4, 0, 4, 1);
    collection.set(uri, [
      new vscode.Diagnostic(range, 'a stone', vscode.DiagnosticSeverity.Warning),
    ]);
    try {
      const { text } = await callTool(tool('diagnostics'), { path: '/elsewhere/garden.txt' });
      assert.equal(text, '1 found:\n- /elsewhere/garden.txt:5 warning: a stone');
      const other = await callTool(tool('diagnostics'), { path: '/elsewhere/shed.txt' });
      assert.equal(other.text, 'no problems');
    } finally {
      collection.dispose();
    }
  },

  'a question goes to the agent, whose call waits for a decision'({ chat }) {
    return withDocument('one\n', async (document) => {
      const asked = vscode.commands.executeCommand('miniMe.ask', 'Which files are open?');
      const permission = await until(() => chat.items.find(({ kind }) => kind === 'permission'));
      await chat.receive({ type: 'decide', id: permission.id, optionId: 'allow' });
      await asked;
      assert.equal(permission.decision, 'allowed');
      const { text } = chat.items.findLast(({ kind }) => kind === 'answer');
      assert.ok(text.includes(document.fileName), text);
    });
  },

  async 'a turn is stopped while it waits for a decision'({ chat }) {
    const asked = vscode.commands.executeCommand('miniMe.ask', 'Which files are open?');
    const isOpen = (item) => item.kind === 'permission' && item.decision === undefined;
    const permission = await until(() => chat.items.find(isOpen));
    await chat.cancel();
    await asked;
    assert.equal(permission.decision, 'no longer asked');
    assert.equal(chat.items.at(-1).text, 'Stopped.');
  },

  async 'a new chat has a new agent, and the old one has ended'({ chat }) {
    await chat.restart();
    assert.deepEqual(chat.items, []);
    assert.equal(chat.state.status, 'ready');
  },
};

async function run() {
  const extension = vscode.extensions.getExtension('mini-me-client.mini-me-chat');
  const { chat, editorTools } = await extension.activate();
  const tool = (name) => editorTools.find((candidate) => candidate.name === name);
  const failures = [];
  for (const [name, test] of Object.entries(TESTS)) {
    try {
      await test({ chat, tool });
      console.log(`ok - ${name}`);
    } catch (error) {
      failures.push(name);
      console.error(`not ok - ${name}\n${error.stack}`);
    }
  }
  if (failures.length > 0) throw new Error(`${failures.length} tests failed`);
}

/** An editor with text that no disk has. */
async function withDocument(content, test) {
  const document = await vscode.workspace.openTextDocument({ content, language: 'plaintext' });
  try {
    await test(document, await vscode.window.showTextDocument(document));
  } finally {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

async function until(look) {
  for (const endMs = Date.now() + 10_000; Date.now() < endMs; ) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('expected it within 10 s');
}

module.exports = { run };
