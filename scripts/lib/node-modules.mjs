// The development dependencies in node_modules: installed when they are missing or older than the lock file.

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { npmCommand, ROOT, run } from './run.mjs';
import { elapsed, ScriptError, say } from './say.mjs';

/** npm writes this file last of all, so it dates the whole installation. */
const INSTALLED = path.join('node_modules', '.package-lock.json');

/** Makes sure that node_modules is what package-lock.json says. */
export async function ensureNodeModules() {
  const [installedMs, lockedMs] = await Promise.all([
    modifiedMs(INSTALLED),
    modifiedMs('package-lock.json'),
  ]);
  if (installedMs !== undefined && lockedMs !== undefined && installedMs >= lockedMs) return;

  const startMs = performance.now();
  say('installing the development dependencies with `npm ci` (about half a minute) ...');
  // None of them needs its install script, and what is not run cannot harm.
  const { command, args } = npmCommand(['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  const status = await run(command, args);
  if (status !== 0)
    throw new ScriptError(`expected \`npm ci\` to succeed, it ended with status ${status}`);
  say(`installed in ${elapsed(startMs)}`);
}

/**
 * @param {string} file
 * @returns {Promise<number | undefined>} undefined when there is no such file
 */
async function modifiedMs(file) {
  try {
    return (await stat(path.join(ROOT, file))).mtimeMs;
  } catch {
    return undefined;
  }
}
