// What a process holds, sampled over a long run, and whether it grows.

import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
/** @type {() => void} */
const collectGarbage = vm.runInNewContext('gc');

/**
 * @typedef {object} Sample
 * @property {number | undefined} descriptors undefined where there is no /proc
 * @property {number | undefined} threads
 * @property {number} rss in bytes
 * @property {number} heap in bytes
 *
 * @typedef {{ what: keyof Sample, before: number, after: number, most: number }} Growth
 */

/**
 * How much more may be held at the end than at the start. A line would cost more in an hour of work
 * than all of these together.
 * @type {Readonly<Record<keyof Sample, number>>}
 */
const MOST = { descriptors: 0, threads: 0, rss: 24 * 2 ** 20, heap: 2 * 2 ** 20 };

/** Takes a sample, with the garbage out. */
export async function sample() {
  for (let round = 0; round < 4; round += 1) {
    collectGarbage();
    await sleep(20);
  }
  const { rss, heapUsed } = process.memoryUsage();
  const [descriptors, threads] = [count('/proc/self/fd'), count('/proc/self/task')];
  return { descriptors, threads, rss, heap: heapUsed };
}

/** @param {string} folder */
function count(folder) {
  return fs.existsSync(folder) ? fs.readdirSync(folder).length : undefined;
}

/**
 * Compares the least of the second quarter with that of the last: the first is warming up, and what is
 * under way at a sample comes on top.
 * @param {readonly Sample[]} samples
 * @returns {Growth[]} what both have, with the growth that is allowed
 */
export function growths(samples) {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const early = samples.slice(quarter, 2 * quarter);
  const late = samples.slice(-quarter);
  const found = [];
  for (const what of /** @type {(keyof Sample)[]} */ (Object.keys(MOST))) {
    const [before, after] = [least(early, what), least(late, what)];
    if (before !== undefined && after !== undefined)
      found.push({ what, before, after, most: MOST[what] });
  }
  return found;
}

/** @param {Growth} growth */
export function isTooMuch({ before, after, most }) {
  return after - before > most;
}

/**
 * @param {readonly Sample[]} samples
 * @param {keyof Sample} what
 */
function least(samples, what) {
  const values = samples.map((one) => one[what]).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : Math.min(...values);
}
