'use strict';
// The extension in a real VS Code server, seen as a person sees it: through the window.

const path = require('node:path');
const { afterAll, beforeAll, expect, test } = require('@jest/globals');
const { agentsWith, ROOT, SCREENSHOTS, until } = require('./host');
const { chatOf, openFile, VsCodeServer } = require('./vscode-server');

const VSIX = path.join(ROOT, 'examples/vscode-extension/mini-me-chat-linux-x64.vsix');
const FILES = {
  'garden.ts':
    'const bed: number = "tomatoes";\n\nexport function water(liters: number) {\n  return bed * liters;\n}\n',
  'notes.md': '# Notes\n\nWater the tomatoes.\n',
};

let server;
let page;
let chat;

beforeAll(async () => {
  server = new VsCodeServer({ files: FILES });
  await server.start(VSIX);
  page = await server.open();
  await openFile(page, 'garden.ts');
  await openFile(page, 'notes.md');
  await page.getByRole('tab', { name: 'Mini-Me' }).click();
  chat = chatOf(page);
});

afterAll(() => server?.close());

async function shot(name) {
  // What the mouse points at has a tooltip, which covers the chat.
  await page.mouse.move(900, 600);
  await page.locator('.monaco-hover:not(.hidden)').waitFor({ state: 'hidden' });
  await page.screenshot({ path: path.join(SCREENSHOTS, `vscode-${name}.png`) });
}

test('the chat says which agent answers', async () => {
  await chat.getByText('the stand-in (mm is not on PATH)').waitFor();
  await shot('welcome');
});

test('a question is answered with what the editor has open, after a click allowed it', async () => {
  await ask('Which files are open in my editor?');
  await chat.getByRole('button', { name: 'Allow' }).waitFor();
  expect(await chat.locator('.permission .about').textContent()).toContain('open in the editor');
  await shot('permission');
  await allow();
  const answer = await answerWith('garden.ts');
  expect(answer).toContain('notes.md (markdown, 4 lines, shown)');
  expect(await chat.locator('.decided').last().textContent()).toBe('open_buffers: allowed');
});

test('what is selected and not yet saved is answered', async () => {
  await page.locator('.monaco-editor .view-line', { hasText: 'Water the tomatoes.' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' Twice a day.');
  await page.keyboard.press('Shift+Home');
  await ask('What is my selection?');
  await allow();
  await answerWith('Water the tomatoes. Twice a day.');
});

test('the problems that the editor shows are answered', async () => {
  await page.locator('.tabs-container .tab', { hasText: 'garden.ts' }).click();
  // The compiler of the editor takes its time.
  await page.locator('.tabs-container .tab .monaco-icon-label', { hasText: 'garden.ts' }).waitFor();
  await page.locator('.squiggly-error').first().waitFor({ timeout: 60_000 });
  await ask('Which problems do the diagnostics show?');
  await allow();
  await answerWith("Type 'string' is not assignable to type 'number'");
  await shot('answer');
  await chat.locator('details.tool summary').last().click();
  await chat.locator('details.tool pre').last().scrollIntoViewIfNeeded();
  await shot('tool');
});

test('a refusal reaches the agent, which says so', async () => {
  await ask('Which files are open in my editor?');
  await chat.getByRole('button', { name: 'Reject' }).click();
  await answerWith('rejected by user');
  expect(await chat.locator('.decided').last().textContent()).toBe('open_buffers: refused');
  const icon = await chat.locator('.tool.failed .icon').boundingBox();
  expect(icon).toMatchObject({ width: 16, height: 16 });
  await shot('refusal');
});

test('a view that was hidden shows all of it again, with the same agent', async () => {
  const [{ pid }] = agentsWith(server.mark);
  const answers = await chat.locator('.answer').allTextContents();
  await page.getByRole('tab', { name: /^Explorer/ }).click();
  await page.locator('.explorer-folders-view').waitFor();
  await page.getByRole('tab', { name: 'Mini-Me' }).click();
  await chat
    .locator('.answer')
    .nth(answers.length - 1)
    .waitFor();
  expect(await chat.locator('.answer').allTextContents()).toEqual(answers);
  expect(agentsWith(server.mark)).toEqual([expect.objectContaining({ pid })]);
});

test('a new chat is empty, and has another agent', async () => {
  const [{ pid }] = agentsWith(server.mark);
  await page.getByRole('button', { name: 'New Chat' }).click();
  await chat.getByRole('heading', { name: 'Mini-Me' }).waitFor();
  await until(
    () => agentsWith(server.mark),
    (agents) => agents.length === 1 && agents[0].pid !== pid,
    'one agent, another',
  );
});

async function ask(question) {
  await chat.getByLabel('Your question').fill(question);
  await chat.getByLabel('Your question').press('Enter');
}

const allow = () => chat.getByRole('button', { name: 'Allow' }).click();

async function answerWith(text) {
  const answer = chat.locator('.answer').last();
  await answer.getByText(text).first().waitFor();
  return await answer.textContent();
}
