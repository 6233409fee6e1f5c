// No client: what the pipe itself allows a Node.js program. It reads the agent's stdout and counts bytes
// and line feeds.

import { spawn } from 'node:child_process';
import { agentFile } from '../lib/files.mjs';
import { Meter, peakRssMb } from '../lib/meter.mjs';
import { INITIALIZE, NEW_SESSION, promptOf } from '../lib/tools.mjs';

const WARM_UP = 4_000;
const LINE_FEED = 10;

export async function measure({ command }) {
  const child = spawn(agentFile(), [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = new Lines(child.stdout);
  const request = async (id, method, params, updates) => {
    const answered = lines.take(updates + 1);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { bytes, last } = await answered;
    const { result } = JSON.parse(last);
    return { result, bytes: bytes - last.length - 1 };
  };
  await request(0, 'initialize', INITIALIZE, 0);
  const { result } = await request(1, 'session/new', NEW_SESSION, 0);
  const prompt = async (id, what) => {
    const params = promptOf(result.sessionId, JSON.stringify(what));
    const answer = await request(id, 'session/prompt', params, what.updates);
    const { bench } = answer.result._meta;
    const expected = what.updates * bench.lineBytes;
    if (answer.bytes !== expected)
      throw new Error(`expected ${expected} bytes of updates, got ${answer.bytes}`);
  };
  await prompt(2, { ...command, updates: Math.min(command.updates, WARM_UP) });
  const meter = new Meter({ hasDelay: true });
  await prompt(3, command);
  const measured = meter.stop();
  child.stdin.end();
  const updatesPerSecond = command.updates / (measured.elapsedMs / 1e3);
  return { ...measured, peakRssMb: peakRssMb(), updatesPerSecond };
}

/** Counts lines; keeps the last one alone. */
class Lines {
  #left = 0;
  #bytes = 0;
  /** @type {Buffer[]} the line that has no end yet */
  #open = [];
  #onTaken;

  constructor(stdout) {
    stdout.on('data', (chunk) => this.#receive(chunk));
  }

  /** Resolves when so many lines have come, with all their bytes and the text of the last one. */
  take(count) {
    this.#left = count;
    this.#bytes = 0;
    return new Promise((resolve) => {
      this.#onTaken = resolve;
    });
  }

  #receive(chunk) {
    let from = 0;
    let lineFrom = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      this.#left -= 1;
      lineFrom = from;
      from = at + 1;
    }
    this.#bytes += chunk.length;
    // Nothing follows the last line: the agent waits for the next request.
    if (this.#left <= 0 && from > 0) {
      if (lineFrom > 0) this.#open = [];
      const last = Buffer.concat([...this.#open, chunk.subarray(lineFrom, from - 1)]);
      this.#open = [];
      this.#onTaken({ bytes: this.#bytes, last: last.toString() });
      return;
    }
    if (from > 0) this.#open = [];
    this.#open.push(chunk.subarray(from));
  }
}
