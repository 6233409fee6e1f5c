// Installs the packages of a release in an empty folder, offline but for what they depend on, and runs the demo.
//   node scripts/try-packages.mjs TARGET
// The tarballs are those in build/packages; TARGET is that of this machine.

import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { capture, npmCommand, ROOT, run } from './lib/run.mjs';
import { runMain, ScriptError, say } from './lib/say.mjs';
import { platformManifest, readManifest, targetNamed } from './lib/targets.mjs';

await runMain(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const main = await readManifest();
  const platform = platformManifest(targetNamed(positionals[0]), main);
  const tarballs = [main, platform].map(({ name, version }) =>
    path.join(ROOT, 'build', 'packages', `${name}-${version}.tgz`),
  );

  const folder = await mkdtemp(path.join(tmpdir(), 'mini-me-client-try-'));
  try {
    await writeFile(path.join(folder, 'package.json'), '{ "private": true }');
    // The platform package by its tarball: it is not in the registry yet, and the others stay absent.
    const wish = ['install', '--no-audit', '--no-fund', '--omit=optional', ...tarballs];
    const { command, args } = npmCommand(wish);
    const status = await run(command, args, { cwd: folder });
    if (status !== 0)
      throw new ScriptError(`expected npm to install the packages, it ended with ${status}`);
    await runDemo(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  say(`${platform.name} runs the demo`);
  return 0;
});

/** @param {string} folder */
async function runDemo(folder) {
  await cp(path.join(ROOT, 'examples', 'host-info'), path.join(folder, 'host-info'), {
    recursive: true,
  });
  const { status, stdout } = await capture(process.execPath, ['host-info/client.js'], {
    cwd: folder,
  });
  if (status !== 0 || !stdout.includes('[end_turn]'))
    throw new ScriptError(`expected the demo to end its turn, status ${status}: ${stdout}`);
}
