'use strict';
// The code that documents show is that of files, and the files do what the documents say.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { beforeAll, describe, expect, test } = require('@jest/globals');
const { evaluate } = require('../package/evaluate');
const { ROOT, runProgram } = require('./programs');

const FOLDER = 'examples/docs';
const CODE = ['js', 'mjs', 'cjs', 'javascript', 'ts', 'typescript'];

/** What each program prints, in this order. */
const PROGRAMS = {
  'tools.mjs': [
    'client_line_count: Counts the lines of a file.',
    'search_notes: ok',
    'travel: {"topic":"travel","notes":["all about travel"]}',
    'line_count: ok',
    'agent-ask.yaml: 4',
    'price: error',
    'no price for pear; known: apple',
    'water_plants: timeout in',
    'longer than its limit of 200 ms',
    'photograph_garden: ok',
    '3 roses, 1 cat.[client tool: non-text content of type image skipped]',
  ],
  'discovery.mjs': [
    'mm took client_look_around_garden,client_roll_dice for session',
    'mm took client_look_around_kitchen,client_roll_dice for session',
    'client_look_around_garden: a spade',
    'client_look_around_kitchen: a kettle',
    'tools of session',
    'discovery-mismatch:',
    'set discovery to "request"',
  ],
  'permissions.mjs': [
    'client_roll_dice: 4',
    'May the agent run "client: read_diary"?',
    'client_read_diary: Sunny.',
    'May the agent run "client: delete_diary"?',
    'client_delete_diary failed',
  ],
  'sessions.mjs': [
    'client_roll_dice: 4 (end_turn)',
    'calls client: roll_dice',
    'end_turn',
    'client_roll_dice: 4',
    'Nothing in the question matches a tool.',
    "cwd: '",
    '- tool_call',
    '- agent_message_chunk',
    '3 sessions',
    'known: ',
    ' updates of old true',
  ],
  'cancel.mjs': [
    'the valve is open',
    'cancelled',
    'the valve is open',
    'the window was closed',
    'no answer within its limit of 200 ms',
  ],
  'errors.mjs': ['Is mm installed?'],
  'stand-in.js': ['talking to mini-me-stand-in'],
  'testing.js': [],
  'standard-schema.mjs': [
    '36 cm',
    'label: Invalid option',
    '36 cm',
    '36 cm',
    '\n2\n',
    'day: Invalid ISO date',
  ],
  'files.mjs': [
    '{}',
    'Water the plants.',
    '"code":-32002',
    '"code":-32602',
    '{"content":""}',
    '{"content":"Not saved yet."}',
  ],
  'terminal.mjs': [
    'the agent runs {"jsonrpc"',
    '"args":["--eval","console.log(6 * 7)"],"env":[{"name":"TOKEN","value":"***"}]',
    '42 false { exitCode: 0, signal: null }',
    '42 false { exitCode: 0, signal: null }',
    'rm may not be run here',
  ],
  'agent-requests.mjs': [
    "the agent was told of [ 'notes', 'tickets' ]",
    "Which color? [ 'color' ]",
    '{"action":"accept","content":{"color":"green"}}',
    'opened https://login.example/',
    '{"action":"accept"}',
    '{"action":"decline"}',
    '{"part":"panel","theme":"dark"}',
    '"code":-32601',
    '42 files',
    "log in by one of [ { id: 'account'",
    '-32000 session/new: Authentication required',
  ],
};

/** Files that something else runs: tests of their own, the compiler, the programs above. */
const ELSEWHERE = [
  'examples/any-agent/index.js',
  'examples/chat/build.mjs',
  'examples/electron-app/src/main.js',
  'examples/vscode-extension/src/extension.js',
  'examples/testing/size-of.test.js',
  'examples/first/index.js',
  '__test__/types/docs.ts',
  'examples/docs/agent-ask.yaml',
  'examples/docs/agent-request.yaml',
  'examples/docs/debug.mjs',
  'examples/bundlers/esbuild.mjs',
  'examples/bundlers/esbuild-whole.mjs',
  'examples/bundlers/rollup.config.mjs',
  'examples/bundlers/vite.config.mjs',
  'examples/bundlers/webpack.config.js',
];

const READ = `
  import { readdir, readFile } from 'node:fs/promises';
  import * as snippets from './scripts/lib/snippets.mjs';
  const documents = [];
  for (const document of await snippets.listDocuments()) {
    const text = await readFile(document, 'utf8');
    const isFilled = (await snippets.fill(text, document)) === text;
    documents.push({ document, isFilled, blocks: snippets.blocksOf(text) });
  }
  const regions = [];
  for (const name of await readdir('${FOLDER}')) {
    const file = '${FOLDER}/' + name;
    const names = snippets.regionNames(await readFile(file, 'utf8'));
    regions.push(...names.map((region) => file + '#' + region));
  }
  console.log(JSON.stringify({ documents, regions }));
`;

/** The lines of `expected` that are not in `output` behind those before them. */
function missing(output, expected) {
  let at = 0;
  return expected.filter((part) => {
    const found = output.indexOf(part, at);
    if (found !== -1) at = found + part.length;
    return found === -1;
  });
}

describe('the code that documents show', () => {
  let documents;
  let regions;
  let blocks;
  beforeAll(async () => {
    ({ documents, regions } = await evaluate(READ));
    blocks = documents.flatMap((one) =>
      one.blocks.map((block) => ({ document: one.document, ...block })),
    );
  });

  test('is what the files have; else `npm run snippets` writes it anew', () => {
    const stale = documents.filter(({ isFilled }) => !isFilled);
    expect(stale.map(({ document }) => document)).toEqual([]);
    expect(blocks.length).toBeGreaterThan(25);
  });

  test('is always that of a file', () => {
    const code = blocks.filter(({ language }) => CODE.includes(language));
    expect(code.filter(({ file }) => file === undefined)).toEqual([]);
  });

  test('leaves out no region', () => {
    const shown = blocks.map(({ file, region }) => `${file}#${region}`);
    expect(regions.filter((region) => !shown.includes(region))).toEqual([]);
  });

  test('is run', () => {
    const run = [...Object.keys(PROGRAMS).map((name) => `${FOLDER}/${name}`), ...ELSEWHERE];
    const files = blocks.flatMap(({ file }) => (file === undefined ? [] : [file]));
    expect(files.filter((file) => !run.includes(file))).toEqual([]);
  });
});

test.each(Object.entries(PROGRAMS))('%s does what its document says', async (name, expected) => {
  const { stdout, stderr } = await runProgram(`${FOLDER}/${name}`);
  expect(missing(stdout, expected)).toEqual([]);
  expect(stderr).toBe('');
});

test('debug.mjs tells of everything, and writes every line down', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-docs-'));
  const file = path.join(folder, 'trace.txt');
  const { stderr } = await runProgram(`${FOLDER}/debug.mjs`, [file]);
  const told = [
    'mm: [acp] client tools (meta): client_roll_dice',
    "accepted: [ 'client_roll_dice' ]",
    'roll_dice error Error: the dice are lost',
    'mm ended { exitCode: 0, signal: null }',
  ];
  expect(missing(stderr, told)).toEqual([]);
  const trace = fs.readFileSync(file, 'utf8');
  fs.rmSync(folder, { recursive: true });
  expect(trace).toMatch(/^> \{"jsonrpc":"2\.0","id":1,"method":"initialize"/);
  expect(trace).toMatch(/^< .*"stopReason":"end_turn"/m);
});

describe('a region', () => {
  const SOURCE = [
    'a',
    '  // #region x',
    '  b',
    '    // #region y',
    '',
    '    c',
    '  // #endregion x',
  ];
  const regionOf = (lines, name) =>
    evaluate(`
      import { regionOf } from './scripts/lib/snippets.mjs';
      const region = regionOf(${JSON.stringify(lines.join('\n'))}, '${name}');
      console.log(JSON.stringify(region ?? null));
    `);

  test('is shown without its indent, and without marks of others', async () => {
    expect(await regionOf(SOURCE, 'x')).toBe('b\n\n  c\n');
  });

  test('that has no end, or is not there, is none', async () => {
    expect(await Promise.all(['y', 'z'].map((name) => regionOf(SOURCE, name)))).toEqual([
      null,
      null,
    ]);
  });
});

test('a document that names a file or a region that is not there is told of', async () => {
  const fill = (snippet) =>
    evaluate(`
      import { fill } from './scripts/lib/snippets.mjs';
      const text = '<!-- snippet: ${snippet} -->\\n\`\`\`js\\n\`\`\`\\n';
      console.log(JSON.stringify(await fill(text, 'a.md').catch(({ message }) => message)));
    `);
  expect(await fill('no/file.js')).toContain('a.md: expected a snippet from no/file.js');
  expect(await fill('examples/docs/tools.mjs#none')).toContain('"#region none"');
  const whole = fs.readFileSync(path.join(ROOT, 'examples/first/index.js'), 'utf8');
  expect(await fill('examples/first/index.js')).toContain(whole);
});
