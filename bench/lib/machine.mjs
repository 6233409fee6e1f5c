// The machine the figures are of, and how quiet it is.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { probe } from '../../scripts/lib/run.mjs';
import { commit, installedSdk, nativeBytes } from './setup.mjs';

const PROBE = Buffer.alloc(16 * 1024 * 1024);

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
export function probeMs() {
  // Native code: what V8 compiles takes a time of its own in each process.
  const startedMs = performance.now();
  createHash('sha256').update(PROBE).digest();
  return performance.now() - startedMs;
}
