'use strict';
// Each kind of process that Electron has can lend tools.

const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');
const { expect, test } = require('@jest/globals');
const { fromEnvironment } = require('./host');

test('the main process, a utility process, a worker and a page with Node.js lend tools', async () => {
  const program = path.join(fromEnvironment('DESKTOP_ELECTRON'), 'electron');
  const args = ['--no-sandbox', '--disable-gpu', path.join(__dirname, 'processes')];
  const { stdout } = await promisify(execFile)(program, args);
  const seen = JSON.parse(stdout.split('\n').find((line) => line.startsWith('{')));
  const answered = expect.stringContaining('here');
  expect(seen).toEqual({
    main: answered,
    utility: answered,
    worker: answered,
    page: [answered, answered, answered],
  });
});
