'use strict';
// README.md's first program runs, and all documents lead somewhere.

const fs = require('node:fs');
const path = require('node:path');
const { describe, expect, test } = require('@jest/globals');
const { ROOT, runProgram } = require('./programs');

const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  ...fs
    .readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** The names of a document's headings in links. */
function anchors(file) {
  const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function leadsSomewhere(document, link) {
  const [name, anchor] = link.split('#');
  const file = name === '' ? document : path.posix.join(path.posix.dirname(document), name);
  if (!fs.existsSync(path.join(ROOT, file))) return false;
  return anchor === undefined || anchors(file).includes(anchor);
}

test('the first program of README.md lends a tool and prints the answer', async () => {
  const { stdout } = await runProgram('examples/first/index.js');
  expect(stdout).toContain('the agent calls client: free_memory');
  expect(stdout).toMatch(/\d+ GiB/);
});

test('it ends with a status of failure when there is no mm', async () => {
  const failed = runProgram('examples/first/index.js', [], { MM_BIN: 'mm-of-another-name' });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('mm-of-another-name'),
  });
});

describe('links lead to files and headings that are there:', () => {
  test.each(DOCUMENTS)('%s', (document) => {
    const links = [...read(document).matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
    const own = links.filter((link) => !/^https?:/.test(link));
    expect(own.filter((link) => !leadsSomewhere(document, link))).toEqual([]);
  });

  test('one that leads nowhere is found', () => {
    expect(leadsSomewhere('docs/tools.md', 'discovery.md#tools-of-one-session')).toBe(true);
    expect(leadsSomewhere('docs/tools.md', 'discovery.md#tools-of-two-sessions')).toBe(false);
    expect(leadsSomewhere('docs/tools.md', 'docs/discovery.md')).toBe(false);
  });
});

test('each document of docs/ is in its index', () => {
  const index = read('docs/README.md');
  const pages = DOCUMENTS.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md');
  expect(pages.filter((file) => !index.includes(`(${path.basename(file)})`))).toEqual([]);
});
