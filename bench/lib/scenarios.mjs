// What is measured, on what traffic, and what is aimed at: `targets` bound the ratio of this
// package to the other client, `limit` the value itself. `limits` are measured beside the clients, and are
// none. What `measure` names is in measures/, by default the traffic of one client.

import { repeated, textFor } from './traffic.mjs';

const MEGABYTE = 1_000_000;
const ALL = ['mini-me', 'mini-me-iterator', 'sdk', 'readline'];
const LIMITS = ['pipe', 'parse'];
const NO_ITERATOR = ['mini-me', 'sdk', 'readline'];

const THROUGHPUT = { name: 'updates/s', from: 'updatesPerSecond', isMoreBetter: true };
const BUSY = { name: 'main thread busy, ms', from: 'busyMs' };
const MAIN_CPU = { name: 'main thread CPU, ms', from: 'mainCpuMs' };
const CPU = { name: 'process CPU, ms', from: 'cpuMs' };
const DELAY = { name: 'loop delay p99, ms', from: 'delayP99Ms' };
const MEMORY = { name: 'peak RSS, MB', from: 'peakRssMb' };
const TIME = { name: 'time, ms', from: 'elapsedMs' };
const TRIP = { name: 'round trip p50, µs', from: 'roundTripP50Us' };
/** Of one huge message, either way. */
const HUGE = [
  { ...TIME, targets: { sdk: 1.1, readline: 1.1 } },
  BUSY,
  MAIN_CPU,
  { ...MEMORY, targets: { readline: 1.15 } },
];

export function stream(updates, lineBytes, { isUnicode, ...more } = {}) {
  return { mode: 'stream', updates, text: textFor(lineBytes, isUnicode), ...more };
}

/** Each by its name on the command line; those with `isExtra` run when named, `mostRounds` are enough. */
export const SCENARIOS = {
  'stream-200': {
    title: '200 000 updates of 200 bytes',
    command: stream(200_000, 200),
    clients: ALL,
    limits: LIMITS,
    metrics: [
      { ...THROUGHPUT, targets: { sdk: 22, readline: 2.4 } },
      {
        ...BUSY,
        targets: { sdk: 1 / 50, readline: 1 / 5 },
        targetsOf: { 'mini-me-iterator': { sdk: 1 / 33, readline: 1 / 3.4 } },
      },
      MAIN_CPU,
      { ...CPU, targets: { sdk: 0.06, readline: 0.55 } },
      { ...DELAY, limit: 3 },
      MEMORY,
    ],
  },
  'stream-2k': {
    title: '40 000 updates of 2 KB',
    command: stream(40_000, 2_000),
    clients: ALL,
    limits: LIMITS,
    metrics: [
      { ...THROUGHPUT, targets: { sdk: 5.5, readline: 1.5 } },
      BUSY,
      MAIN_CPU,
      CPU,
      DELAY,
      MEMORY,
    ],
  },
  'calls-sequential': {
    title: '5 000 tool calls, one after another',
    command: { mode: 'calls', calls: 5_000, inFlight: 1, text: textFor(330) },
    clients: NO_ITERATOR,
    metrics: [
      { ...TRIP, targets: { sdk: 0.95, readline: 1.05 } },
      { name: 'round trip p99, µs', from: 'roundTripP99Us' },
      BUSY,
      MAIN_CPU,
      CPU,
    ],
  },
  'calls-concurrent': {
    title: '30 000 tool calls, 1 000 in flight',
    command: { mode: 'calls', calls: 30_000, inFlight: 1_000, text: textFor(330) },
    clients: NO_ITERATOR,
    metrics: [
      {
        name: 'calls/s',
        from: 'callsPerSecond',
        isMoreBetter: true,
        targets: { sdk: 9, readline: 2.4 },
      },
      BUSY,
      MAIN_CPU,
      CPU,
    ],
  },
  paced: {
    title: '2 000 updates a second of 200 bytes, for two seconds',
    command: { mode: 'paced', updates: 4_000, perSecond: 2_000, text: textFor(180) },
    clients: ALL,
    metrics: [
      { name: 'latency p50, µs', from: 'latencyP50Us', targets: { sdk: 0.85, readline: 1.5 } },
      { name: 'latency p99, µs', from: 'latencyP99Us' },
      BUSY,
      MAIN_CPU,
      CPU,
    ],
  },
  start: {
    title: 'From import to the answer of `initialize`',
    clients: NO_ITERATOR,
    metrics: [{ name: 'time, ms', from: 'startMs', targets: { sdk: 0.1, readline: 1 } }, MEMORY],
  },
  'huge-in': {
    title: 'One update of 50 MB',
    command: { mode: 'huge', ...repeated(50 * MEGABYTE) },
    clients: NO_ITERATOR,
    metrics: HUGE,
  },
  'huge-out': {
    title: 'One tool result of 9 MB',
    command: { mode: 'result', ...repeated(9 * MEGABYTE) },
    clients: NO_ITERATOR,
    metrics: HUGE,
  },
  'slow-listener': {
    title: '100 000 thoughts of 2 KB, 200 MB in all, each worked on for 30 µs',
    command: stream(100_000, 2_000, { kind: 'agent_thought_chunk', busyUs: 30 }),
    clients: NO_ITERATOR,
    mostRounds: 3,
    metrics: [{ ...MEMORY, limit: 100 }, TIME],
  },
  idle: {
    title: 'Ten idle clients, each with an agent and a session',
    measure: 'idle',
    clients: NO_ITERATOR,
    mostRounds: 3,
    metrics: [
      { name: 'RSS with one, MB', from: 'rssMb' },
      { name: 'RSS of nine more, MB', from: 'moreRssMb', limit: 30 },
      { name: 'threads of nine more', from: 'moreThreads' },
    ],
  },
  cycles: {
    title: '1 000 starts and closes, four at once',
    measure: 'cycles',
    clients: ['mini-me'],
    mostRounds: 1,
    metrics: [
      { name: 'a cycle, ms', from: 'cycleMs' },
      { name: 'more descriptors', from: 'descriptorGrowth', limit: 0 },
      { name: 'more threads', from: 'threadGrowth', limit: 0 },
      { name: 'more RSS, MB', from: 'rssGrowthMb', limit: 3 },
      { name: 'more JavaScript heap, MB', from: 'heapGrowthMb', limit: 1 },
    ],
  },
  'stream-200-lines': {
    title: '100 000 updates of 200 bytes, the agent writes each by itself',
    command: stream(100_000, 200, { isByLine: true }),
    clients: ALL,
    metrics: [THROUGHPUT, BUSY, MAIN_CPU, CPU, DELAY],
    isExtra: true,
  },
  'stream-200-unicode': {
    title: '200 000 updates of 200 bytes with text beyond ASCII',
    command: stream(200_000, 200, { isUnicode: true }),
    clients: ALL,
    metrics: [THROUGHPUT, BUSY, MAIN_CPU, CPU, DELAY, MEMORY],
    isExtra: true,
  },
  'stream-2k-unicode': {
    title: '40 000 updates of 2 KB with text beyond ASCII',
    command: stream(40_000, 2_000, { isUnicode: true }),
    clients: ALL,
    metrics: [THROUGHPUT, BUSY, MAIN_CPU, CPU, DELAY, MEMORY],
    isExtra: true,
  },
};
