'use strict';
// Restricted mode: what a folder that is not trusted says of the agent is not done.

const fs = require('node:fs');
const path = require('node:path');
const { afterAll, beforeAll, expect, test } = require('@jest/globals');
const { agentFor } = require('./agents');
const { agentsWith, ROOT, until } = require('./host');
const { chatOf, VsCodeServer } = require('./vscode-server');

const VSIX = path.join(ROOT, 'examples/vscode-extension/mini-me-chat-linux-x64.vsix');

let server;
let page;

beforeAll(async () => {
  server = new VsCodeServer({ files: { 'notes.md': '# Notes\n' }, isTrusted: false });
  const { command, args } = agentFor('idle', server.home, 'open_buffers');
  const settings = {
    'miniMe.command': command,
    'miniMe.args': args,
    'workbench.startupEditor': 'none',
  };
  fs.writeFileSync(path.join(server.workspace, '.vscode/settings.json'), JSON.stringify(settings));
  await server.start(VSIX);
  page = await server.open();
});

afterAll(() => server?.close());

const isOfTheFolder = ({ command }) => command.includes('-script');

test('an untrusted folder does not choose the agent, a trusted one does', async () => {
  await page.getByRole('button', { name: "No, I don't trust the authors" }).click();
  await page.getByRole('tab', { name: 'Mini-Me' }).click();
  await chatOf(page).getByText('the stand-in (mm is not on PATH)').waitFor();
  expect(agentsWith(server.mark).filter(isOfTheFolder)).toEqual([]);

  await page
    .getByRole('button', { name: /Restricted Mode/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Trust', exact: true }).first().click();
  await until(
    () => agentsWith(server.mark),
    (agents) => agents.length === 1 && agents.every(isOfTheFolder),
    'the agent of the folder alone',
  );
});
