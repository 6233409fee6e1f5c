// What a run costs this process.

import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

const SCHEDULER = `/proc/self/task/${process.pid}/schedstat`;

/** Starts when it is made. */
export class Meter {
  #delay;
  #mainCpuMs = mainThreadCpuMs();
  #cpu = process.cpuUsage();
  #loop = performance.eventLoopUtilization();
  #startedMs = performance.now();

  /** `hasDelay`: the loop's delay as well; the timer that takes it would disturb short round trips. */
  constructor({ hasDelay }) {
    if (!hasDelay) return;
    this.#delay = monitorEventLoopDelay({ resolution: 1 });
    this.#delay.enable();
  }

  stop() {
    const elapsedMs = performance.now() - this.#startedMs;
    const { active } = performance.eventLoopUtilization(this.#loop);
    const { user, system } = process.cpuUsage(this.#cpu);
    const mainCpuMs = mainThreadCpuMs() - this.#mainCpuMs;
    this.#delay?.disable();
    return {
      elapsedMs,
      busyMs: active,
      mainCpuMs,
      cpuMs: (user + system) / 1e3,
      ...(this.#delay && {
        delayP99Ms: this.#delay.percentile(99) / 1e6,
        delayMaxMs: this.#delay.max / 1e6,
      }),
    };
  }
}

/** Time the main thread has had a processor; NaN where the system does not tell. */
function mainThreadCpuMs() {
  if (process.platform !== 'linux') return Number.NaN;
  const [runNs] = readFileSync(SCHEDULER, 'utf8').split(' ');
  return Number(runNs) / 1e6;
}

export function peakRssMb() {
  return process.resourceUsage().maxRSS / 1024;
}

/** Of numbers in ascending order. */
export function percentile(sorted, share) {
  return sorted[Math.floor((sorted.length - 1) * share)];
}
