// Runs the examples in the real hosts: VS Code's server, and Electron. Screenshots go to build/desktop.
//   npm run test:desktop -- [jest's arguments]

import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { ensureHosts } from './desktop/hosts.mjs';
import { ensureNative } from './lib/native-build.mjs';
import { ensureNodeModules } from './lib/node-modules.mjs';
import { npmCommand, ROOT, run } from './lib/run.mjs';
import { runMain, ScriptError, say } from './lib/say.mjs';

const EXAMPLES = ['vscode-extension', 'electron-app'];
const JEST = path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const CONFIG = path.join(ROOT, '__test__', 'desktop', 'jest.config.js');

await runMain(async () => {
  await ensureNodeModules();
  await ensureNative();
  const hosts = await ensureHosts();
  mkdirSync(path.join(ROOT, 'build', 'desktop'), { recursive: true });
  for (const example of EXAMPLES) await prepare(path.join(ROOT, 'examples', example), hosts);
  const jest = [
    process.execPath,
    JEST,
    '--config',
    CONFIG,
    '--runInBand',
    ...process.argv.slice(2),
  ];
  // Electron needs a screen.
  const screen = ['--auto-servernum', '--server-args=-screen 0 1280x900x24'];
  return run('xvfb-run', [...screen, ...jest], { env: hosts });
});

/**
 * Installs what an example is built with, and builds it, as its README says.
 * @param {string} folder
 * @param {Record<string, string>} hosts
 */
async function prepare(folder, { DESKTOP_ELECTRON = '' }) {
  const isInstalled = existsSync(path.join(folder, 'node_modules', '.package-lock.json'));
  const steps = isInstalled
    ? []
    : [['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']];
  for (const step of [...steps, ['run', '--silent', 'package']]) {
    say(`${path.basename(folder)}: npm ${step.join(' ')}`);
    const { command, args } = npmCommand(step);
    const status = await run(command, args, {
      cwd: folder,
      env: { ELECTRON_DIST: DESKTOP_ELECTRON },
    });
    if (status !== 0)
      throw new ScriptError(`expected \`npm ${step[0]}\` in ${folder} to succeed, got ${status}`);
  }
}
