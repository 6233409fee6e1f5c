// Installs an agent at its version into a cache folder outside of the package, once for all clones.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { capture, probe } from '../../scripts/lib/run.mjs';
import { say } from '../../scripts/lib/say.mjs';
import { ensureTool, UV } from '../../scripts/lib/tools.mjs';

/** Pythons that fast-agent runs on. */
const PYTHONS = ['3.13', '3.12'];

/** This machine has no Python that is young enough, and none can be had: the package is not to blame. */
export class NoPython extends Error {
  name = 'NoPython';
}

const cacheFolder = () =>
  path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'mini-me-client');

/** Gives the folder; throws with the reason when it cannot be installed: `NoPython`, or a failure. */
export async function install(name, { npm, pip, version }) {
  const root = path.join(cacheFolder(), 'agents', `${name}-${version}`);
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

/** One that is there; else one that uv fetches, where its releases can be reached. */
async function python() {
  for (const version of PYTHONS) {
    const command = `python${version}`;
    if ((await probe(command, ['--version'])) !== undefined) return command;
    const prefix = await probe('pyenv', ['prefix', version]);
    if (prefix !== undefined) return path.join(prefix, 'bin', 'python3');
  }
  try {
    return await fetchPython(PYTHONS[0]);
  } catch (cause) {
    const wanted = PYTHONS.join(' or ');
    throw new NoPython(
      `expected Python ${wanted} on PATH or among pyenv's, found none; ${cause.message}`,
      { cause },
    );
  }
}

async function fetchPython(version) {
  const uv = await ensureTool(UV);
  const env = { UV_PYTHON_INSTALL_DIR: path.join(cacheFolder(), 'python') };
  await checked(uv, ['python', 'install', '--no-config', '--no-bin', version], env);
  const find = ['python', 'find', '--no-config', '--managed-python', version];
  return (await checked(uv, find, env)).trim();
}

async function checked(command, args, env) {
  const { status, stdout, stderr } = await capture(command, args, { quiet: true, env });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.slice(-500)}`);
  return stdout;
}
