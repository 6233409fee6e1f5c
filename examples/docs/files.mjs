// What docs/files.md shows, as one program.

import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MiniMe, workspaceFiles } from 'mini-me-client';

const command = process.execPath;
const args = ['asking-agent.mjs'];
const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'mini-me-files-'));

// #region folder
const client = new MiniMe({ command, args, fs: workspaceFiles(folder) });
const session = await client.newSession({ cwd: folder });
// #endregion folder

/** Has the agent ask for a method of the client; tells the answer. */
const ask = async (by, method, params) =>
  console.log((await by.prompt(`${method} ${JSON.stringify(params)}`)).text);
const notes = path.join(folder, 'notes.txt');
await ask(session, 'fs/write_text_file', { path: notes, content: 'Water the plants.' });
console.log(readFileSync(notes, 'utf8'));
await ask(session, 'fs/read_text_file', { path: path.join(folder, 'missing.txt') });
await ask(session, 'fs/read_text_file', { path: process.execPath });
await client.close();

// #region empty
const lenient = new MiniMe({ command, args, fs: workspaceFiles(folder, { missing: 'empty' }) });
// #endregion empty
const other = await lenient.newSession({ cwd: folder });
await ask(other, 'fs/read_text_file', { path: path.join(folder, 'missing.txt') });
await lenient.close();

// #region own
const { readTextFile } = workspaceFiles(folder);
const buffers = new Map([[notes, 'Not saved yet.']]);
const editor = new MiniMe({
  command,
  args,
  fs: {
    readTextFile: (request, context) => buffers.get(request.path) ?? readTextFile(request, context),
  },
});
// #endregion own
await ask(await editor.newSession({ cwd: folder }), 'fs/read_text_file', { path: notes });
await editor.close();
rmSync(folder, { recursive: true });
