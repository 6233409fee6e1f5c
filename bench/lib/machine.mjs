// The machine the figures are of, and how quiet it is.

import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { probe } from '../../scripts/lib/run.mjs';
import { commit, installedSdk, nativeBytes } from './setup.mjs';

const SPINS = 20_000_000;

/** Words for the head of a table. */
export async function describeMachine() {
  const manifest = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const [cpu] = os.cpus();
  const bytes = await nativeBytes();
  return {
    machine: `${os.cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${(os.totalmem() / 2 ** 30).toFixed(1)} GiB`,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    rust: (await probe('rustc', ['--version'])) ?? 'none',
    package: `${manifest.name} ${manifest.version} (${await commit()}), native file ${(bytes / 1e6).toFixed(2)} MB`,
    sdk: `@agentclientprotocol/sdk ${await installedSdk()}`,
  };
}

/** How long the same work takes at the moment, ms: more than usual when others use the machine. */
export function spinMs() {
  const startedMs = performance.now();
  let state = 1;
  for (let spin = 0; spin < SPINS; spin += 1) state = (Math.imul(state, 1_103_515_245) + spin) | 0;
  return performance.now() - startedMs + (state === 0 ? 1 : 0);
}
