// Installs an agent at its version into a cache folder outside of the package, once for all clones.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { capture } from '../../scripts/lib/run.mjs';
import { say } from '../../scripts/lib/say.mjs';

/** Pythons that fast-agent runs on, and where pyenv keeps one. */
const PYTHONS = ['python3.13', 'python3.12'];

/** Gives the folder; throws with the reason when it cannot be installed. */
export async function install(name, { npm, pip, version }) {
  const base = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  const root = path.join(base, 'mini-me-client', 'agents', `${name}-${version}`);
  const done = path.join(root, '.installed');
  if (existsSync(done)) return root;
  say(`installing ${npm ?? pip} ${version} into ${root} ...`);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  if (npm === undefined) await installWheel(root, `${pip}==${version}`);
  else
    await checked('npm', [
      'install',
      '--prefix',
      root,
      '--no-audit',
      '--no-fund',
      `${npm}@${version}`,
    ]);
  writeFileSync(done, '');
  return root;
}

async function installWheel(root, requirement) {
  await checked(await python(), ['-m', 'venv', root]);
  await checked(path.join(root, 'bin', 'pip'), ['install', '--quiet', requirement]);
}

async function python() {
  for (const command of PYTHONS) {
    const version = await works(command, ['--version']);
    if (version) return command;
    const found = await captured('pyenv', ['prefix', command.replace('python', '')]);
    if (found?.status === 0) return path.join(found.stdout.trim(), 'bin', 'python3');
  }
  throw new Error(`expected one of ${PYTHONS.join(', ')} on PATH or among pyenv's, found none`);
}

async function works(command, args) {
  return (await captured(command, args))?.status === 0;
}

/** undefined for a program that is not there. */
async function captured(command, args) {
  try {
    return await capture(command, args, { quiet: true });
  } catch {
    return undefined;
  }
}

async function checked(command, args) {
  const { status, stderr } = await capture(command, args, { quiet: true });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.slice(-500)}`);
}
