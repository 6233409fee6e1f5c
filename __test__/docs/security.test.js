'use strict';
// SECURITY.md: the bounds it tells are those of the code.

const fs = require('node:fs');
const path = require('node:path');
const { expect, test } = require('@jest/globals');

const ROOT = path.join(__dirname, '../..');
const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** What is bounded, as the table has it: the bound in its words, and where it is said in the code. */
const BOUNDS = [
  ['a line of the agent', '64 MiB', 'js/options.js', 'maxIncomingBytes: 64 * MIB'],
  ['a line that is sent', '10 MiB', 'js/options.js', 'maxOutgoingBytes: 10_485_760'],
  [
    'depth of arguments that are checked',
    '127 levels',
    'src/tools/limits.rs',
    'MAX_ARGUMENT_DEPTH: usize = 127',
  ],
  [
    'a compiled `pattern`',
    '1 MiB',
    'src/tools/limits.rs',
    'MAX_PATTERN_BYTES: usize = 1024 * 1024',
  ],
  [
    'open calls, and other open requests of the agent',
    '10 000 each',
    'src/client/inbound.rs',
    'MAX_OPEN_REQUESTS: usize = 10_000',
  ],
  [
    'what waits for JavaScript',
    '8 MiB',
    'src/wire/lane.rs',
    'HIGH_WATER_BYTES: usize = 8 * 1024 * 1024',
  ],
  [
    'updates unread by an iterator',
    '8 MiB slow the agent down',
    'js/deliveries.js',
    'SLOW_BYTES = 8 * 1024 * 1024;\nconst FULL_BYTES = 256 * 1024 * 1024',
  ],
  ['updates of a turn that nobody iterates', '256 KiB', 'js/course.js', 'KEPT_BYTES = 256 * 1024'],
  [
    'updates outside of turns, before `updates()`',
    '1 MiB',
    'js/session-updates.js',
    'KEPT_BYTES = 1024 * 1024',
  ],
  [
    'updates of sessions that are being opened',
    '1 MiB',
    'js/sessions.js',
    'EARLY_BYTES = 1024 * 1024',
  ],
  [
    'commands of the ready-made terminal',
    '256, 4 MiB',
    'js/terminal.js',
    'MOST_TERMINALS = 256',
    'src/process/terminal/output.rs',
    'MAX_LIMIT_BYTES: usize = 4 * 1024 * 1024',
  ],
  [
    'a file that `workspaceFiles()` reads',
    '10 MiB',
    'js/workspace-text.js',
    'MAX_TEXT_BYTES = 10_485_760',
  ],
  [
    'what waits for the agent to read',
    '256 MiB',
    'src/client/writer.rs',
    'FULL_BYTES: usize = 256 * 1024 * 1024',
  ],
  ['stderr kept for errors', '64 KiB', 'src/process/stderr.rs', 'TAIL_BYTES: usize = 64 * 1024'],
  [
    'a message to the server of lent tools (MCP)',
    '64 MiB',
    'js/options.js',
    'maxIncomingBytes: 64 * MIB',
  ],
  [
    'connections to it, and bridges',
    '128 each',
    'src/client/lending/mod.rs',
    'MAX_CONNECTIONS: usize = 128',
  ],
  [
    "the time for a request's head, and for its body",
    '30 s each',
    'src/client/lending/http.rs',
    'REQUEST_TIMEOUT: Duration = Duration::from_secs(30)',
  ],
  [
    'text that is no message, before the first one',
    '1 MiB or 1 000 lines',
    'src/client/inbound.rs',
    'FOREIGN_LINES: usize = 1_000;\nconst FOREIGN_BYTES: usize = 1024 * 1024',
  ],
];

const [, table] = /\n## Bounds\n(.*?)\n## /s.exec(read('SECURITY.md')) ?? [];
const rows = [...table.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\| [^|]+ \|$/gm)].slice(2);

test('each bound is told', () => {
  expect(rows.map(([, what]) => what)).toEqual(BOUNDS.map(([what]) => what));
});

test.each(BOUNDS)('%s: %s', (what, bound, ...places) => {
  const [, , told] = rows.find((row) => row[1] === what) ?? [];
  expect(told).toContain(bound);
  for (let at = 0; at < places.length; at += 2) {
    expect(read(places[at])).toContain(`${places[at + 1]}`);
  }
});
