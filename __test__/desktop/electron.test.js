'use strict';
// The Electron app as a person sees it: from its folder, and packed with asar.

const path = require('node:path');
const { afterAll, beforeAll, describe, expect, test } = require('@jest/globals');
const { SCREENSHOTS, until } = require('./host');
const { ElectronApp } = require('./electron-app');

const NOTES = [
  { id: 'garden', title: 'Garden', text: 'Water the tomatoes.\n\nThe beans want a taller frame.' },
  { id: 'trip', title: 'Trip to Brest', text: 'Train at 8:12 from platform 3.\nSeats 41 and 42.' },
];

describe.each(['folder', 'packed'])('the app (%s)', (which) => {
  let app;
  let page;

  beforeAll(async () => {
    app = new ElectronApp({ notes: NOTES });
    await app.start(which);
    page = app.page;
  });

  afterAll(() => app?.close());

  const shot = (name) =>
    page.screenshot({ path: path.join(SCREENSHOTS, `electron-${which}-${name}.png`) });

  test('runs from where it says', async () => {
    const isPackaged = await app.electron.evaluate(({ app: electron }) => electron.isPackaged);
    expect(isPackaged).toBe(which === 'packed');
  });

  test('shows the notes, and which agent answers', async () => {
    await page.getByText('the stand-in (mm is not on PATH)').waitFor();
    expect(await page.locator('#list strong').allTextContents()).toEqual([
      'Garden',
      'Trip to Brest',
    ]);
    await shot('welcome');
  });

  test('a note is answered with, after a click allowed it', async () => {
    await ask('Read the note "Trip to Brest"');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    expect(await page.locator('.permission .about').textContent()).toBe('Reads one note.');
    await shot('permission');
    await allow();
    await answerWith('Train at 8:12 from platform 3.');
    await shot('answer');
    await page.emulateMedia({ colorScheme: 'dark' });
    await shot('answer-dark');
    await page.emulateMedia({ colorScheme: null });
  });

  test('a note that the agent writes is in the list, and on the disk', async () => {
    await ask('Write the note "Shopping" with the text "Milk and bread"');
    await allow();
    await answerWith('wrote');
    await until(
      () => page.locator('#list strong').allTextContents(),
      (all) => all.length === 3,
      'three notes',
    );
    expect(JSON.parse(app.read('notes.json'))).toHaveLength(3);
  });

  test('a note that is typed is on the disk', async () => {
    await page.getByRole('button', { name: 'New note' }).click();
    await page.getByLabel('Title').fill('Books');
    await page.getByLabel('Text').fill('The Mezzanine');
    await until(
      () => app.read('notes.json'),
      (text) => text.includes('The Mezzanine'),
      'the note on the disk',
    );
  });

  test('a note is deleted after a question of the system, unless that is refused; a new chat is empty', async () => {
    const answer = (response) =>
      app.electron.evaluate(({ dialog }, given) => {
        // Nobody can click the real one here.
        dialog.showMessageBox = () => Promise.resolve({ response: given });
      }, response);
    const titles = () => JSON.parse(app.read('notes.json')).map(({ title }) => title);
    const before = titles();
    await page.locator('#list button', { hasText: 'Books' }).click();
    await answer(1);
    await page.getByRole('button', { name: 'Delete' }).click();
    // Comes after the click has been received.
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('heading', { name: 'Ask about your notes' }).waitFor();
    expect(await page.locator('.transcript > *').count()).toBe(0);
    expect(titles()).toEqual(before);
    await answer(0);
    await page.getByRole('button', { name: 'Delete' }).click();
    await until(titles, (left) => left.length < before.length, 'a note less on the disk');
    expect(titles()).toEqual(before.filter((title) => title !== 'Books'));
    await page.locator('#list button', { hasText: 'Books' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Title').inputValue()).toBe(titles()[0]);
  });

  test('a file that was chosen in the dialog of the system is answered with', async () => {
    await app.electron.evaluate(({ dialog }, file) => {
      // Nobody can click the real one here.
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [file] });
    }, __filename);
    await ask('Let me choose a file');
    await allow();
    await answerWith('The Electron app as a person sees it');
  });

  test('the page has no Node.js, and can go nowhere', async () => {
    const seen = await page.evaluate(() => {
      location.href = 'https://example.com/';
      return [
        typeof globalThis.require,
        typeof globalThis.process,
        Object.keys(globalThis.chatHost),
      ];
    });
    expect(seen).toEqual(['undefined', 'undefined', ['post', 'listen']]);
    expect(page.url()).toMatch(/^file:.*window\.html$/);
  });

  async function ask(question) {
    await page.getByLabel('Your question').fill(question);
    await page.getByLabel('Your question').press('Enter');
  }

  const allow = () => page.getByRole('button', { name: 'Allow' }).click();

  async function answerWith(text) {
    await page.locator('.answer').last().getByText(text).first().waitFor();
  }
});
