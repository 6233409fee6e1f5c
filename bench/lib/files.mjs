// Where the benchmarks keep what they build, install and write.

import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const BENCH = fileURLToPath(new URL('../', import.meta.url));
/** Under the project's own target folder, which git ignores. */
export const AGENT_TARGET = path.join(BENCH, '..', 'target', 'bench');
export const RESULTS = path.join(BENCH, 'results');

export function agentFile() {
  const name = process.platform === 'win32' ? 'mini-me-bench-agent.exe' : 'mini-me-bench-agent';
  return path.join(AGENT_TARGET, 'release', name);
}
