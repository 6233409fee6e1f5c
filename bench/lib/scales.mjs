// What a unit costs against how many there are. Of this package alone.

import { stream } from './scenarios.mjs';
import { repeated, textFor } from './traffic.mjs';

const MEGABYTE = 1_000_000;
/** What is sent of each size of message, unless that is less than one. */
const BYTES_OF_A_SIZE = 50 * MEGABYTE;
const MOST_OF_A_SIZE = 100_000;
const CALL = { mode: 'calls', calls: 500, inFlight: 1, text: textFor(330) };

/**
 * `figures` have one unit a scale. With `isWhole` a figure is all that it costs; else it is what one of
 * `counts` costs, and all of it grows with one power more.
 */
export const SCALES = {
  updates: {
    title: 'Number of updates',
    x: 'updates of 200 bytes in one turn',
    y: 'ns per update',
    counts: [1e3, 1e4, 1e5, 1e6],
    at: (count) => ({ command: stream(count, 200) }),
    figures: [{ name: 'an update', from: 'nsPerUpdate' }],
  },
  sessions: {
    title: 'Number of sessions',
    x: 'sessions of one client',
    y: 'µs',
    counts: [1, 10, 100, 1_000],
    at: (count) => ({ measure: 'sessions', command: stream(100_000, 200, { sessions: count }) }),
    figures: [
      { name: 'to open a session', from: 'usPerSession' },
      { name: 'an update, of all sessions in turn', from: 'usPerUpdate', isWhole: true },
    ],
  },
  clients: {
    title: 'Number of clients',
    x: 'clients in one process, each with an agent of its own, all at once',
    y: 'µs',
    counts: [1, 5, 20],
    at: (count) => ({ measure: 'clients', count, command: stream(50_000, 200) }),
    figures: [
      { name: 'to start a client', from: 'usPerClient' },
      { name: 'an update, of any client', from: 'usPerUpdate' },
    ],
  },
  tools: {
    title: 'Number of tools',
    x: 'tools lent',
    y: 'µs',
    counts: [1, 10, 100, 1_000],
    at: (count) => ({ measure: 'tools', count, command: CALL }),
    figures: [
      { name: 'from import to the answer of `initialize`', from: 'startUs', isWhole: true },
      { name: 'a call, one after another', from: 'tripUs', isWhole: true },
    ],
  },
  size: {
    title: 'Size of a message',
    x: 'bytes of text in one update',
    y: 'ns per byte of the line',
    counts: [100, 1e3, 1e4, 1e5, 1e6, 1e7, 5e7],
    at: (bytes) => ({
      measure: 'size',
      command: { mode: 'stream', updates: countOf(bytes), ...textOf(bytes) },
    }),
    figures: [
      { name: 'process CPU in a stream of such messages', from: 'cpuNsPerByte' },
      { name: 'time of such a message alone', from: 'aloneNsPerByte' },
    ],
  },
};

function countOf(bytes) {
  const fitting = Math.floor(BYTES_OF_A_SIZE / bytes);
  return Math.min(MOST_OF_A_SIZE, Math.max(1, fitting));
}

/** A long text travels in the prompt as a phrase and a number. */
function textOf(bytes) {
  const whole = repeated(bytes);
  return whole.repeat > 0 ? whole : { text: whole.text.slice(0, bytes) };
}
