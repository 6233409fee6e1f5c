'use strict';
// A VS Code server with a folder, an extension and a browser window of its own, and nothing of the person's.

const { execFile, spawn } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { browserType, freePort, fromEnvironment, kill, processesWith, until } = require('./host');

const BROWSER_ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run'];
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'chat.commandCenter.enabled': false,
  'remote.autoForwardPorts': false,
  'workbench.colorTheme': 'Default Dark Modern',
};

class VsCodeServer {
  /** In the environment of every process that comes of this server. */
  mark = randomUUID();
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-vscode-'));
  workspace = path.join(this.home, 'workspace');
  #data = path.join(this.home, 'data');
  #extensions = path.join(this.home, 'extensions');
  #main = path.join(
    fromEnvironment('DESKTOP_CODE_SERVER'),
    'node_modules/code-server/lib/vscode/out/server-main.js',
  );

  /**
   * @param {{ files: Record<string, string>, settings?: object, isTrusted?: boolean }} options
   *   `files` of the workspace by name; `settings` of the machine
   */
  constructor({ files, settings = {}, isTrusted = true }) {
    this.isTrusted = isTrusted;
    for (const [name, text] of Object.entries(files)) write(path.join(this.workspace, name), text);
    this.set(settings);
    if (!('.vscode/settings.json' in files)) {
      write(path.join(this.workspace, '.vscode/settings.json'), JSON.stringify(SETTINGS));
    }
  }

  /** The settings of the machine. @param {object} settings */
  set(settings) {
    write(path.join(this.#data, 'data/Machine/settings.json'), JSON.stringify(settings));
  }

  /** @param {string} [vsix] */
  async start(vsix) {
    // As for a person without mm, whatever this machine has.
    const { MM_BIN: _, ...inherited } = process.env;
    const env = { ...inherited, HOME: this.home, DESKTOP_MARK: this.mark };
    const folders = ['--server-data-dir', this.#data, '--extensions-dir', this.#extensions];
    const common = ['--accept-server-license-terms', ...folders];
    if (vsix !== undefined) {
      const args = [this.#main, ...common, '--install-extension', vsix];
      await promisify(execFile)(process.execPath, args, { env });
    }
    this.port = await freePort();
    const trust = this.isTrusted ? ['--disable-workspace-trust'] : [];
    const listen = [
      '--host',
      '127.0.0.1',
      '--port',
      String(this.port),
      '--without-connection-token',
    ];
    const log = fs.openSync(path.join(this.home, 'server.log'), 'w');
    this.server = spawn(process.execPath, [this.#main, ...listen, ...common, ...trust], {
      env,
      stdio: ['ignore', log, log],
      detached: true,
    });
    fs.closeSync(log);
    await until(() => this.#answers(), Boolean, 'the VS Code server to answer');
    this.browser = await browserType().launch({
      executablePath: '/usr/bin/chromium',
      args: BROWSER_ARGS,
    });
  }

  /** @param {[string, string][]} [payload] */
  address(payload) {
    const query = new URLSearchParams({ folder: this.workspace });
    if (payload !== undefined) query.set('payload', JSON.stringify(payload));
    return `http://127.0.0.1:${this.port}/?${query}`;
  }

  /** A file or folder as the window names it. @param {string} file */
  remote(file) {
    return `vscode-remote://127.0.0.1:${this.port}${file}`;
  }

  /** Opens a window and waits until it can be used. */
  async open() {
    const page = await this.browser.newPage({ viewport: { width: 1400, height: 860 } });
    await page.goto(this.address());
    await page.waitForSelector('.monaco-workbench .activitybar', { timeout: 60_000 });
    return page;
  }

  async close() {
    await this.browser?.close();
    for (const { pid } of processesWith(this.mark)) kill(pid);
    await until(
      () => processesWith(this.mark),
      (left) => left.length === 0,
      'no process of the server',
    );
    fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async #answers() {
    try {
      return (await fetch(`http://127.0.0.1:${this.port}/`, { redirect: 'manual' })).status < 500;
    } catch {
      return false;
    }
  }
}

/** The page of a webview lies two frames deep. @param {import('playwright-core').Page} page */
function chatOf(page) {
  const webview = 'iframe.webview[src*="extensionId=mini-me-client.mini-me-chat"]';
  return page.frameLocator(webview).frameLocator('#active-frame');
}

async function openFile(page, name) {
  await page
    .locator('.explorer-folders-view .monaco-list-row', { hasText: name })
    .first()
    .dblclick();
  await page.locator('.tabs-container .tab', { hasText: name }).waitFor();
}

function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

module.exports = { VsCodeServer, chatOf, openFile };
