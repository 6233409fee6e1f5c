// Builds and installs what the benchmarks need: the addon as it is shipped, the agent, the SDK.

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ensureNative } from '../../scripts/lib/native-build.mjs';
import { capture, npmCommand, run } from '../../scripts/lib/run.mjs';
import { ScriptError, say } from '../../scripts/lib/say.mjs';
import { AGENT_TARGET, BENCH } from './files.mjs';

const SDK = '@agentclientprotocol/sdk';

export async function setUp() {
  await ensureSdk();
  await ensureAgent();
  await ensureNative('release');
}

/** The SDK's version, as it is installed here; undefined when it is not. */
export async function installedSdk() {
  try {
    const manifest = path.join(BENCH, 'node_modules', SDK, 'package.json');
    return JSON.parse(await readFile(manifest, 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** The commit that is measured, with a mark when files differ from it. */
export async function commit() {
  const { status, stdout } = await capture('git', ['describe', '--always', '--dirty'], {
    quiet: true,
  });
  return status === 0 ? stdout.trim() : 'not in a clone';
}

async function ensureSdk() {
  const { dependencies } = JSON.parse(await readFile(path.join(BENCH, 'package.json'), 'utf8'));
  if ((await installedSdk()) === dependencies[SDK]) return;
  say(`installing ${SDK} ${dependencies[SDK]} into bench/ with \`npm ci\` ...`);
  const { command, args } = npmCommand(['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  await mustRun(command, args, { cwd: BENCH });
}

async function ensureAgent() {
  const args = ['build', '--release', '--locked', '--quiet', '--target-dir', AGENT_TARGET];
  await mustRun('cargo', [...args, '--manifest-path', path.join(BENCH, 'agent', 'Cargo.toml')]);
}

async function mustRun(command, args, options) {
  const status = await run(command, args, options);
  if (status !== 0) {
    const line = `${command} ${args.join(' ')}`;
    throw new ScriptError(`expected \`${line}\` to succeed, it ended with status ${status}`);
  }
}

/** Size of the native file, bytes. */
export async function nativeBytes() {
  return (await stat(await ensureNative('release'))).size;
}
