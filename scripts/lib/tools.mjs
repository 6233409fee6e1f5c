// Checkers that neither npm nor rustup brings: found at their pinned versions, or installed for this user.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { npmCommand, probe, run } from './run.mjs';
import { elapsed, ScriptError, say } from './say.mjs';

/**
 * @typedef {object} Tool
 * @property {string} command
 * @property {string} version the only one that is used: another may judge otherwise
 * @property {string} [crate]
 * @property {string} [wheel] the same program as a ready-made binary among Python's packages
 */

/** @type {Tool} */
export const CARGO_DENY = { command: 'cargo-deny', version: '0.20.2', crate: 'cargo-deny' };

/** @type {Tool} */
export const CARGO_FUZZ = { command: 'cargo-fuzz', version: '0.13.2', crate: 'cargo-fuzz' };

/** @type {Tool} */
export const UV = { command: 'uv', version: '0.13.9', wheel: 'uv' };

/** @type {Tool} */
export const TYPOS = { command: 'typos', version: '1.52.0', crate: 'typos-cli', wheel: 'typos' };

/**
 * Finds a tool on PATH or among those installed before, else installs it.
 * @param {Tool} tool
 * @returns {Promise<string>} what to run
 */
export async function ensureTool(tool) {
  const folder = path.join(cacheFolder(), `${tool.command}-${tool.version}`);
  const extension = process.platform === 'win32' ? '.exe' : '';
  const installed = path.join(folder, 'bin', `${tool.command}${extension}`);
  for (const command of [tool.command, installed]) {
    if (await isVersion(command, tool.version)) return command;
  }

  await install(tool, folder);
  if (await isVersion(installed, tool.version)) return installed;
  throw new ScriptError(
    `expected ${tool.command} ${tool.version} at ${installed}, it is not there after its installation`,
  );
}

/**
 * Another Node.js than the one that runs this: npm has the programs of many versions as packages. Not of
 * Windows, whose names differ.
 * @param {string} version
 * @returns {Promise<string>} what to run
 */
export async function ensureNode(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(cacheFolder(), `node-${version}`);
  const program = path.join(folder, 'node_modules', name, 'bin', 'node');
  if (await isVersion(program, `v${version}`)) return program;

  say(`Node.js ${version} is not here: installing it into ${folder} ...`);
  const wish = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'];
  const { command, args } = npmCommand([...wish, '--no-save', `${name}@${version}`]);
  const status = await run(command, args);
  if (status === 0 && (await isVersion(program, `v${version}`))) return program;
  throw new ScriptError(`expected Node.js ${version} at ${program}, npm ended with ${status}`);
}

/**
 * @param {string} command
 * @param {string} version
 */
async function isVersion(command, version) {
  const printed = await probe(command, ['--version']);
  return printed?.split(/\s+/).includes(version) ?? false;
}

/**
 * Outside the clone: each tool is built once for all clones of a user.
 * @returns {string}
 */
function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const base = XDG_CACHE_HOME || LOCALAPPDATA || path.join(homedir(), '.cache');
  return path.join(base, 'mini-me-client', 'tools');
}

/**
 * @param {Tool} tool
 * @param {string} folder
 */
async function install(tool, folder) {
  const startMs = performance.now();
  say(`${tool.command} ${tool.version} is not here: installing it into ${folder} ...`);
  if (!(await installWheel(tool, folder))) await installCrate(tool, folder);
  say(`installed ${tool.command} in ${elapsed(startMs)}`);
}

/**
 * @param {Tool} tool
 * @param {string} folder
 * @returns {Promise<boolean>} false when it must be built instead
 */
async function installWheel({ wheel, version }, folder) {
  if (wheel === undefined) return false;
  const args = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--upgrade',
  ];
  for (const python of ['python3', 'python']) {
    if ((await probe(python, ['-m', 'pip', '--version'])) === undefined) continue;
    const env = { PIP_ROOT_USER_ACTION: 'ignore' };
    const status = await run(python, [...args, '--target', folder, `${wheel}==${version}`], {
      env,
    });
    if (status === 0 && existsSync(folder)) return true;
    say(`pip ended with status ${status}`);
  }
  return false;
}

/**
 * @param {Tool} tool
 * @param {string} folder
 */
async function installCrate({ command, crate, version }, folder) {
  if (crate === undefined) {
    throw new ScriptError(`expected pip, of a python3 on PATH, to install ${command}; it did not`);
  }
  say(`building ${crate} with cargo (a few minutes) ...`);
  // Unoptimized: its own build then takes a minute instead of ten, and the check a second instead of a tenth.
  const args = ['install', '--locked', '--debug', '--root', folder, `${crate}@${version}`];
  const status = await run('cargo', args);
  if (status !== 0)
    throw new ScriptError(
      `expected \`cargo install ${crate}\` to succeed, it ended with status ${status}`,
    );
}
