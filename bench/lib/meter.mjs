// What a run costs this process.

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** Starts when it is made. */
export class Meter {
  #delay;
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
    this.#delay?.disable();
    return {
      elapsedMs,
      busyMs: active,
      cpuMs: (user + system) / 1e3,
      ...(this.#delay && {
        delayP99Ms: this.#delay.percentile(99) / 1e6,
        delayMaxMs: this.#delay.max / 1e6,
      }),
    };
  }
}

/** Of numbers in ascending order. */
export function percentile(sorted, share) {
  return sorted[Math.floor((sorted.length - 1) * share)];
}
