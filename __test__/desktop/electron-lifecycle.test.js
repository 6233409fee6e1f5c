'use strict';
// What is left when the app ends, by what the agent is doing: the table of docs/electron.md.

const fs = require('node:fs');
const { afterEach, describe, expect, test } = require('@jest/globals');
const { agentFor, bring } = require('./agents');
const { ElectronApp } = require('./electron-app');
const { agentsWith, processesWith, until } = require('./host');

let app;

afterEach(() => app?.close());

/** An app whose agent does this. */
async function startWith(what) {
  app = new ElectronApp();
  const settings = agentFor(what, app.data, 'list_notes');
  fs.writeFileSync(`${app.data}/settings.json`, JSON.stringify(settings));
  await app.start();
  await bring(app.page, what);
  expect(agentsWith(app.mark)).toHaveLength(1);
}

async function untilNothingIsLeft() {
  await until(
    () => processesWith(app.mark),
    (left) => left.length === 0,
    'no process of the app to be left',
    3_000,
  );
}

const quit = () => app.leaveMain(({ app: electron }) => electron.quit());
const exit = () => app.leaveMain(({ app: electron }) => electron.exit(0));

describe.each(['idle', 'prompting', 'asking'])('with an agent that is %s', (what) => {
  test('app.quit() ends it, and the app with status 0', async () => {
    await startWith(what);
    const { ended } = app;
    await quit();
    expect(await ended).toBe(0);
    await untilNothingIsLeft();
  });

  test('the last window closed ends it, as app.quit() does', async () => {
    await startWith(what);
    const { ended } = app;
    await app.leaveMain();
    await app.page.close();
    expect(await ended).toBe(0);
    await untilNothingIsLeft();
  });

  test('SIGTERM to the app ends it, and the app with status 0', async () => {
    await startWith(what);
    const { ended } = app;
    await app.leaveMain();
    app.process.kill('SIGTERM');
    expect(await ended).toBe(0);
    await untilNothingIsLeft();
  });

  test('the app killed leaves none: the agent sees the end of its stdin', async () => {
    await startWith(what);
    app.process.kill('SIGKILL');
    await untilNothingIsLeft();
  });

  test('app.exit(), which nothing holds back, leaves none', async () => {
    await startWith(what);
    const { ended } = app;
    await exit();
    expect(await ended).toBe(0);
    await untilNothingIsLeft();
  });

  test('a crash of the main process leaves none', async () => {
    await startWith(what);
    const { ended } = app;
    await app.leaveMain(() => process.crash());
    expect(await ended).not.toBe(0);
    await untilNothingIsLeft();
  });

  test('the window loaded anew 5 times has the same agent, and shows what was said', async () => {
    await startWith(what);
    const [{ pid }] = agentsWith(app.mark);
    for (let times = 0; times < 5; times++) await app.page.reload();
    await app.page.locator('.question', { hasText: 'Go on.' }).waitFor();
    expect(agentsWith(app.mark)).toEqual([expect.objectContaining({ pid })]);
    const status = what === 'idle' ? 'ready' : 'running';
    await app.page.locator(`.chat[data-status=${status}]`).waitFor();
  });

  test('the page crashed and loaded anew has the same agent', async () => {
    await startWith(what);
    const [{ pid }] = agentsWith(app.mark);
    await app.electron.evaluate(async ({ BrowserWindow }) => {
      const [{ webContents }] = BrowserWindow.getAllWindows();
      const gone = new Promise((resolve) => webContents.once('render-process-gone', resolve));
      webContents.forcefullyCrashRenderer();
      await gone;
      const loaded = new Promise((resolve) => webContents.once('did-finish-load', resolve));
      webContents.reload();
      await loaded;
    });
    expect(agentsWith(app.mark)).toEqual([expect.objectContaining({ pid })]);
    const shown = await app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0].webContents.executeJavaScript(
        'document.querySelector(".question").textContent',
      ),
    );
    expect(shown).toBe('Go on.');
  });
});

describe('with an agent that takes no notice of its end', () => {
  test('app.quit() ends it by a signal, after closeTimeoutMs', async () => {
    await startWith('stubborn');
    const { ended } = app;
    const startMs = Date.now();
    await quit();
    expect(await ended).toBe(0);
    const lastedMs = Date.now() - startMs;
    expect(lastedMs).toBeGreaterThanOrEqual(2_000);
    expect(lastedMs).toBeLessThan(6_000);
    await untilNothingIsLeft();
  });

  test('app.exit() ends it by a signal at once', async () => {
    await startWith('stubborn');
    const { ended } = app;
    await exit();
    expect(await ended).toBe(0);
    await untilNothingIsLeft();
  });

  // And the helpers of Electron with it: Electron hands their sockets on to every child.
  test('the app killed leaves it', async () => {
    await startWith('stubborn');
    const { ended } = app;
    app.process.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    // Long after one that takes notice has ended.
    const endedMs = Date.now();
    await until(
      () => Date.now() - endedMs,
      (ms) => ms > 1_000,
      'a second to pass',
    );
    expect(agentsWith(app.mark)).toHaveLength(1);
  });
});
