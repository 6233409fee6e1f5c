// Rounds of measurements, each in a process of its own, and how quiet the machine was meanwhile.

import os from 'node:os';
import path from 'node:path';
import { capture } from '../../scripts/lib/run.mjs';
import { say } from '../../scripts/lib/say.mjs';
import { BENCH } from './files.mjs';
import { probeMs } from './machine.mjs';
import { SCALES } from './scales.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { median } from './statistics.mjs';

/** A machine this much slower than at its best is used by others. */
const DISTURBED = 1.15;
/** What a scale takes at most: its points are many. */
const SCALE_ROUNDS = 3;

/** Measures, and notes what the machine was like. */
export class Rounds {
  #rounds;
  #only;
  #cpus;
  #probes = [];
  #loads = [];

  /** @param {{ rounds: number, only?: string[], cpus?: string }} how */
  constructor({ rounds, only, cpus }) {
    this.#rounds = rounds;
    this.#only = only;
    this.#cpus = cpus;
  }

  /** The figures of each client and limit, round by round; null for a run that failed. */
  async ofScenario(name) {
    const { clients, limits = [], mostRounds = this.#rounds } = SCENARIOS[name];
    const kept = [...clients, ...limits].filter((one) => this.#only?.includes(one) ?? true);
    const rounds = Math.min(this.#rounds, mostRounds);
    return await this.#interleaved(kept, rounds, (client) => [client, name]);
  }

  /** The figures of each count, round by round. */
  async ofScale(name) {
    const rounds = Math.min(this.#rounds, SCALE_ROUNDS);
    const counts = SCALES[name].counts.map(String);
    return await this.#interleaved(counts, rounds, (count) => ['mini-me', name, count]);
  }

  /** All in each round, in turning order: what disturbs one round disturbs all of them. */
  async #interleaved(names, rounds, argsOf) {
    const runs = Object.fromEntries(names.map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const name of round % 2 === 0 ? names : [...names].reverse()) {
        this.#probes.push(probeMs());
        runs[name].push(await this.#measureOnce(argsOf(name)));
      }
      this.#loads.push(os.loadavg()[0]);
    }
    return runs;
  }

  /** The figures of one run; null when it failed, which is told and never measured. */
  async #measureOnce(args) {
    const run = [process.execPath, path.join(BENCH, 'one.mjs'), ...args];
    // A short round trip depends on whether the scheduler gives each process a core: this settles it.
    const [command, ...rest] =
      this.#cpus === undefined ? run : ['taskset', '-c', this.#cpus, ...run];
    const { status, stdout } = await capture(command, rest);
    if (status === 0) return JSON.parse(stdout);
    say(`${args.join(' ')}: ended with status ${status}; this run does not count`);
    return null;
  }

  /** What the machine was like, as data. */
  quiet() {
    const best = Math.min(...this.#probes);
    return {
      runs: this.#probes.length,
      disturbed: this.#probes.filter((ms) => ms > best * DISTURBED).length,
      bestMs: best,
      medianMs: median(this.#probes),
      loads: [Math.min(...this.#loads), Math.max(...this.#loads)],
      cores: os.cpus().length,
    };
  }
}

/** In words. */
export function noiseLines({ runs, disturbed, bestMs, medianMs, loads, cores }) {
  const [least, most] = loads.map((load) => load.toFixed(1));
  return [
    `The same work took ${bestMs.toFixed(1)} ms at best, ${medianMs.toFixed(1)} ms in the median; before ${disturbed} of`,
    `${runs} runs the machine was more than ${Math.round((DISTURBED - 1) * 100)} % slower than at its best. Load: ${least} to ${most} on ${cores} cores.`,
  ];
}
