'use strict';
// The extension's own tests, run inside the extension host of a real VS Code server.

const path = require('node:path');
const { afterAll, beforeAll, expect, test } = require('@jest/globals');
const { ROOT } = require('./host');
const { VsCodeServer } = require('./vscode-server');

const EXTENSION = path.join(ROOT, 'examples/vscode-extension');

let server;

beforeAll(async () => {
  server = new VsCodeServer({ files: { 'notes.md': '# Notes\n' } });
  await server.start();
});

afterAll(() => server?.close());

test('the tests of the extension pass inside the extension host', async () => {
  const page = await server.browser.newPage();
  const lines = [];
  // What the workbench calls when it was opened to run tests.
  await page.exposeFunction('codeAutomationLog', (_type, args) => lines.push(args.join(' ')));
  const exited = new Promise((resolve) => page.exposeFunction('codeAutomationExit', resolve));
  await page.goto(
    server.address([
      ['extensionDevelopmentPath', server.remote(EXTENSION)],
      ['extensionTestsPath', server.remote(path.join(EXTENSION, 'test/index.js'))],
      ['skipWelcome', 'true'],
    ]),
  );
  const status = await exited;
  const results = lines.filter((line) => /^(not )?ok - /.test(line));
  expect({ status, failed: results.filter((line) => !line.startsWith('ok')), lines }).toMatchObject(
    {
      status: 0,
      failed: [],
    },
  );
  expect(results).toHaveLength(8);
});
