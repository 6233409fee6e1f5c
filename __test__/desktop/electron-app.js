'use strict';
// The example app in a real Electron, with data of its own and nothing of the person's.

const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { electronLauncher, fromEnvironment, kill, processesWith, ROOT, until } = require('./host');

const EXAMPLE = path.join(ROOT, 'examples/electron-app');

/** What is started: the folder of the example by Electron itself, or the packed app. */
const PROGRAMS = {
  folder: () => ({
    program: path.join(fromEnvironment('DESKTOP_ELECTRON'), 'electron'),
    app: [EXAMPLE],
  }),
  packed: () => ({ program: path.join(EXAMPLE, 'out/linux-unpacked/mini-me-notes'), app: [] }),
};

class ElectronApp {
  /** In the environment, or among the arguments, of every process that comes of this app. */
  mark = randomUUID();
  data = path.join(os.tmpdir(), `mini-me-electron-${this.mark}`);

  /** @param {{ notes?: object[], settings?: object }} [options] */
  constructor({ notes = [], settings = {} } = {}) {
    fs.mkdirSync(this.data);
    fs.writeFileSync(path.join(this.data, 'notes.json'), JSON.stringify(notes));
    fs.writeFileSync(path.join(this.data, 'settings.json'), JSON.stringify(settings));
  }

  /** @param {keyof typeof PROGRAMS} [which] */
  async start(which = 'folder') {
    const { program, app } = PROGRAMS[which]();
    // As for a person without mm, whatever this machine has.
    const { MM_BIN: _, ...inherited } = process.env;
    this.electron = await electronLauncher().launch({
      executablePath: program,
      args: ['--no-sandbox', '--disable-gpu', `--user-data-dir=${this.data}`, ...app],
      env: { ...inherited, DESKTOP_MARK: this.mark },
    });
    this.process = this.electron.process();
    this.page = await this.electron.firstWindow();
    await this.page.getByLabel('Your question').waitFor();
  }

  /**
   * Closes the debugger that speaks with the main process, then calls `what` there: nothing but the page
   * can be spoken with after. An Electron that ends with a debugger connected dies of SIGSEGV now and
   * then, whatever runs in it: its inspector writes to a socket that is closed (nodejs/node#34833).
   * @param {(electron: typeof import('electron')) => void} [what]
   */
  async leaveMain(what = () => undefined) {
    const sign = path.join(this.data, 'debugger-closed');
    // Later: the debugger has to bring back that this was done.
    const schedule = (electron, given) => {
      setTimeout(() => {
        process.mainModule.require('node:inspector').close();
        process.mainModule.require('node:fs').writeFileSync(given.sign, '');
        // biome-ignore lint/security/noGlobalEval: a function is sent as its text.
        globalThis.eval(`(${given.what})`)(electron);
      });
    };
    await this.electron.evaluate(schedule, { sign, what: String(what) });
    await until(
      () => fs.existsSync(sign),
      (closed) => closed,
      'the debugger to be closed',
    );
  }

  /** Resolves when the main process has ended, to its status or signal. */
  get ended() {
    const { process: child } = this;
    return new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null)
        resolve(child.signalCode ?? child.exitCode);
      else child.once('exit', (status, signal) => resolve(signal ?? status));
    });
  }

  read(name) {
    return fs.readFileSync(path.join(this.data, name), 'utf8');
  }

  async close() {
    for (const { pid } of processesWith(this.mark)) kill(pid);
    await until(
      () => processesWith(this.mark),
      (left) => left.length === 0,
      'no process of the app',
    );
    fs.rmSync(this.data, { recursive: true, force: true });
  }
}

module.exports = { ElectronApp };
