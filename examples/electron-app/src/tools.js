// What the agent can do in the app: read and write notes, and ask for a file by the system's own dialog.

const fs = require('node:fs/promises');
const { dialog } = require('electron');
const { defineTool, failure } = require('mini-me-client');

const MAX_BYTES = 100_000;

/**
 * @param {import('./notes').Notes} notes
 * @param {() => import('electron').BrowserWindow | undefined} window that dialogs belong to
 */
function appTools(notes, window) {
  const list = defineTool({
    name: 'list_notes',
    description: 'Lists the titles of all notes of the person.',
    handle: () => notes.all.map(({ title }) => `- ${title}`).join('\n') || 'no notes yet',
  });
  const read = defineTool({
    name: 'read_note',
    description: 'Reads one note.',
    inputSchema: titled({}),
    handle: ({ title }) => notes.find(title)?.text ?? failure(`no note is called "${title}"`),
  });
  const write = defineTool({
    name: 'write_note',
    description: 'Writes a note. One of the same title is replaced.',
    inputSchema: titled({ text: { type: 'string', description: 'All of its text.' } }),
    handle: ({ title, text }) => {
      notes.save({ id: notes.find(title)?.id, title, text });
      return `wrote "${title}"`;
    },
  });
  const choose = defineTool({
    name: 'choose_file',
    description: 'Shows a dialog in which the person chooses a text file, and gives its content.',
    handle: async (_args, { signal }) => {
      const { filePaths } = await dialog.showOpenDialog(window(), {
        title: 'Choose a text file for the agent',
        properties: ['openFile'],
      });
      const [file] = filePaths;
      // No dialog can be closed from outside: what is chosen too late is not read.
      if (signal.aborted) return failure('too late: nobody waits for the file any more');
      if (file === undefined) return failure('the person chose no file');
      const { size } = await fs.stat(file);
      if (size > MAX_BYTES) return failure(`the file has ${size} bytes, over ${MAX_BYTES}`);
      return await fs.readFile(file, 'utf8');
    },
  });
  return [list, read, write, choose];
}

/** @template {Record<string, object>} More @param {More} more */
function titled(more) {
  const properties = { title: { type: 'string', description: 'The title of the note.' }, ...more };
  return { type: 'object', properties, required: Object.keys(properties) };
}

module.exports = { appTools };
