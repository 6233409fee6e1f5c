// What the agent can learn of the editor: buffers as they are, with what is not saved yet.

const vscode = require('vscode');
const { defineTool, failure } = require('mini-me-client');

const MAX_LINES = 400;
const MAX_PROBLEMS = 200;
const SEVERITIES = ['error', 'warning', 'information', 'hint'];

const openBuffers = defineTool({
  name: 'open_buffers',
  description:
    'Lists the files that are open in the editor, and which of them have unsaved changes.',
  handle: () => {
    const uris = openUris();
    return [`${uris.length} open:`, ...uris.map((uri) => `- ${bufferLine(uri)}`)].join('\n');
  },
});

const readBuffer = defineTool({
  name: 'read_buffer',
  description: `Reads a file that is open in the editor, as it is there: unsaved changes included. ${MAX_LINES} lines at most.`,
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'As open_buffers gives it.' },
      startLine: { type: 'integer', minimum: 1, description: 'From 1.' },
    },
    required: ['path'],
    additionalProperties: false,
  },
  handle: async ({ path, startLine = 1 }) => {
    // Only what the person has opened: the editor can read the whole disk.
    const uri = openUris().find((candidate) => pathOf(candidate) === path);
    if (uri === undefined) {
      return failure(`"${path}" is not open; open are: ${openUris().map(pathOf).join(', ')}`);
    }
    const document = await vscode.workspace.openTextDocument(uri);
    const end = Math.min(startLine - 1 + MAX_LINES, document.lineCount);
    const text = document.getText(new vscode.Range(startLine - 1, 0, end, 0));
    const last = Math.min(end, document.lineCount);
    return `${path}, lines ${startLine} to ${last} of ${document.lineCount}:\n\n${fenced(document, text)}`;
  },
});

const selection = defineTool({
  name: 'selection',
  description: 'The text that is selected in the editor, or the line of the cursor when none is.',
  handle: () => {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return failure('no file is shown in the editor');
    const { document, selection: selected } = editor;
    const range = selected.isEmpty ? document.lineAt(selected.active.line).range : selected;
    const where = `${pathOf(document.uri)}:${range.start.line + 1}-${range.end.line + 1}`;
    const what = selected.isEmpty ? 'nothing is selected; the line of the cursor' : 'selected';
    return `${where}, ${what}:\n\n${fenced(document, document.getText(range))}`;
  },
});

const problems = defineTool({
  name: 'diagnostics',
  description: 'The problems that the editor shows: errors and warnings of compilers and linters.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Of this file only.' } },
    additionalProperties: false,
  },
  handle: ({ path }) => {
    const found = vscode.languages
      .getDiagnostics()
      .filter(([uri]) => path === undefined || pathOf(uri) === path)
      .flatMap(([uri, diagnostics]) => diagnostics.map((one) => problemLine(uri, one)));
    if (found.length === 0) return 'no problems';
    return [`${found.length} found:`, ...found.slice(0, MAX_PROBLEMS)].join('\n');
  },
});

function bufferLine(uri) {
  const document = loaded(uri);
  const isActive = vscode.window.activeTextEditor?.document === document;
  const facts = [
    ...(document === undefined ? [] : [document.languageId, `${document.lineCount} lines`]),
    ...(document !== undefined && isActive ? ['shown'] : []),
    ...(document?.isDirty ? ['unsaved changes'] : []),
  ];
  return facts.length === 0 ? pathOf(uri) : `${pathOf(uri)} (${facts.join(', ')})`;
}

function problemLine(uri, { severity, range, message, source }) {
  const place = `${pathOf(uri)}:${range.start.line + 1}`;
  return `- ${place} ${SEVERITIES[severity]}: ${message}${source ? ` (${source})` : ''}`;
}

/** With more marks than the text has itself. */
function fenced(document, text) {
  const marks = '`'.repeat(
    Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)),
  );
  return `${marks}${document.languageId}\n${text.replace(/\n$/, '')}\n${marks}`;
}

/** Of the tabs: `workspace.textDocuments` has only what was looked at. */
function openUris() {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = tabs.flatMap(({ input }) =>
    input instanceof vscode.TabInputText ? [input.uri] : [],
  );
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}

function loaded(uri) {
  return vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
}

/** Relative to its folder; in a workspace of several the folder's name comes first. */
function pathOf(uri) {
  return vscode.workspace.asRelativePath(uri);
}

module.exports = { editorTools: [openBuffers, readBuffer, selection, problems] };
