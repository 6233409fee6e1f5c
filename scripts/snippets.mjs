// Writes the code blocks of the documents anew from the files that tests run. A block is told by the
// comment before it: <!-- snippet: examples/docs/tools.mjs#lend -->
//   npm run snippets

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './lib/run.mjs';
import { runMain, say } from './lib/say.mjs';
import { fill, listDocuments } from './lib/snippets.mjs';

await runMain(async () => {
  for (const document of await listDocuments()) {
    const file = path.join(ROOT, document);
    const text = await readFile(file, 'utf8');
    const filled = await fill(text, document);
    if (filled === text) continue;
    await writeFile(file, filled);
    say(`wrote ${document}`);
  }
  return 0;
});
