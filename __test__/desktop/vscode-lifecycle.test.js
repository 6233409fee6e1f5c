'use strict';
// What is left when a window of VS Code ends, by what the agent is doing: the table of docs/vscode.md.

const path = require('node:path');
const { afterAll, afterEach, beforeAll, describe, expect, test } = require('@jest/globals');
const { agentFor, bring } = require('./agents');
const { agentsWith, kill, processesWith, ROOT, until } = require('./host');
const { chatOf, VsCodeServer } = require('./vscode-server');

const VSIX = path.join(ROOT, 'examples/vscode-extension/mini-me-chat-linux-x64.vsix');

let server;
let page;
/** The agent of the window. */
let pid;

const pids = (processes) => processes.map((one) => one.pid);
const agents = () => pids(agentsWith(server.mark));
const extensionHosts = () =>
  pids(processesWith(server.mark).filter(({ command }) => command.includes('=extensionHost')));

afterAll(() => server?.close());

afterEach(async () => {
  await page.close();
  const left = () => [...agents(), ...extensionHosts()];
  for (const one of left()) kill(one);
  await until(left, (all) => all.length === 0, 'no process of the window');
});

/** A server whose agents do this. */
async function startWith(what) {
  await server?.close();
  server = new VsCodeServer({ files: { 'notes.md': '# Notes\n' } });
  const { command, args } = agentFor(what, server.home, 'open_buffers');
  server.set({ 'miniMe.command': command, 'miniMe.args': args });
  await server.start(VSIX);
}

/** Opens a window, and brings its agent there. */
async function open(what) {
  page = await server.open();
  await page.getByRole('tab', { name: 'Mini-Me' }).click();
  await bring(chatOf(page), what);
  expect(agents()).toHaveLength(1);
  [pid] = agents();
}

const untilItHasEnded = (limitMs) =>
  until(agents, (all) => !all.includes(pid), `agent ${pid} to have ended`, limitMs);

describe.each(['idle', 'prompting', 'asking'])('with an agent that is %s', (what) => {
  beforeAll(() => startWith(what));

  test('the tab closed ends it', async () => {
    await open(what);
    await page.close({ runBeforeUnload: true });
    await untilItHasEnded(5_000);
    expect(agents()).toEqual([]);
  });

  test('the extension host killed leaves none: the agent sees the end of its stdin', async () => {
    await open(what);
    for (const host of extensionHosts()) kill(host);
    await untilItHasEnded(5_000);
  });
});

test('the window loaded anew 5 times has one agent in the end, another', async () => {
  await startWith('prompting');
  await open('prompting');
  for (let times = 0; times < 5; times++) {
    await page.reload();
    await chatOf(page).getByLabel('Your question').waitFor({ timeout: 60_000 });
  }
  await untilItHasEnded(5_000);
  await until(agents, (all) => all.length === 1, 'one agent');
  await until(extensionHosts, (all) => all.length === 1, 'one extension host');
});

describe('with an agent that takes no notice of its end', () => {
  beforeAll(() => startWith('stubborn'));

  test('the tab closed ends it by a signal, after closeTimeoutMs', async () => {
    await open('stubborn');
    const startMs = Date.now();
    await page.close({ runBeforeUnload: true });
    await untilItHasEnded(5_000);
    expect(Date.now() - startMs).toBeGreaterThanOrEqual(1_900);
  });

  test('the extension host killed leaves it', async () => {
    await open('stubborn');
    for (const host of extensionHosts()) kill(host);
    // VS Code starts another in its place, and that its own agent.
    await until(agents, (all) => all.length === 2, 'a second agent');
    expect(agents()).toContain(pid);
  });

  test('the server ended by SIGTERM ends it', async () => {
    await open('stubborn');
    server.server.kill('SIGTERM');
    await untilItHasEnded(8_000);
    expect(agents()).toEqual([]);
  });
});
