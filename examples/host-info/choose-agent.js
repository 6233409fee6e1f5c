'use strict';
// Which agent the demo talks to: MM_BIN, else `mm` on PATH, else the stand-in that comes with the
// package. The library itself never falls back to the stand-in.

const fs = require('node:fs');
const path = require('node:path');

/** How mm is told its agent file, unless MM_ARGS says otherwise. */
const DEFAULT_ARGS = '-acp -agent {agent}';

/**
 * What to start, and in words what was chosen. A model is the stand-in's: with one it is taken, since mm
 * has its own in the agent file.
 * @param {string} agentFile
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [model]
 * @returns {{ command: string, args: string[], env: Record<string, string>, choice: string }}
 */
function chooseAgent(agentFile, env, model) {
  if (model !== undefined) return standIn(agentFile, ['-model', model], `model ${model}`);
  const args = (env.MM_ARGS || DEFAULT_ARGS)
    .split(/\s+/)
    .filter(Boolean)
    .map((arg) => arg.replaceAll('{agent}', agentFile));
  if (env.MM_BIN) {
    return { command: env.MM_BIN, args, env: {}, choice: `${env.MM_BIN} (MM_BIN)` };
  }
  const found = findOnPath('mm', env);
  if (found !== undefined)
    return { command: found, args, env: {}, choice: `${found} (mm on PATH)` };
  return standIn(agentFile, [], 'MM_BIN is not set, and mm is not on PATH');
}

/**
 * @param {string} agentFile
 * @param {string[]} more arguments
 * @param {string} reason
 */
function standIn(agentFile, more, reason) {
  return {
    command: process.execPath,
    args: [require.resolve('mini-me-client/stand-in'), '-acp', '-agent', agentFile, ...more],
    // In Electron the program is not Node until it is told to be.
    env: process.versions.electron ? { ELECTRON_RUN_AS_NODE: '1' } : {},
    choice: `the stand-in for mm (${reason})`,
  };
}

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
function findOnPath(name, env) {
  const isWindows = process.platform === 'win32';
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter).filter(Boolean);
  const endings = isWindows ? ['.exe', '.cmd'] : [''];
  const files = folders.flatMap((folder) => endings.map((end) => path.join(folder, name + end)));
  return files.find(isProgram);
}

/** @param {string} file */
function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

module.exports = { chooseAgent };
