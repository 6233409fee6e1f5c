// The work of a soak: clients of the stand-in that are prompted, cancelled, closed, and whose agents go
// wrong, at a bounded rate.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MiniMe } from 'mini-me-client';
import { standIn } from 'mini-me-client/testing';

const SCRIPT = fileURLToPath(new URL('soak-script.cjs', import.meta.url));
/** Between two prompts of one client. */
const PAUSE_MS = 20;
/** Then a client makes room for another: its agent's record grows with each. */
const SESSIONS_OF_CLIENT = 200;
/** No agent of a soak takes longer for anything. */
const LIMIT_MS = 20_000;

/** What a turn may be; the agent goes on after each. */
const TURNS = [
  ['Hello ', { text: 'é😀 world', chunks: 5 }],
  [{ thought: 'so' }, { plan: ['one', 'two'] }, { text: 'x'.repeat(20_000), chunks: 50 }],
  [{ call: 'echo', arguments: { value: 'é'.repeat(500) } }, { results: true }],
  [{ calls: [{ call: 'echo', arguments: { value: 1 } }, { call: 'fails' }, { call: 'slow' }] }],
  [{ call: 'echo', arguments: {} }],
  [{ update: { sessionUpdate: 'usage_update', used: 1, size: 2 } }, { stop: 'max_tokens' }],
  [{ line: 'no message' }, { line: '{"jsonrpc":"2.0","id":99999,"result":{}}' }, { stderr: 'oh' }],
  [{ write: '{"jsonrpc":"2.0","method":"_x","params":' }, { line: '{"y":1}}' }],
  [{ fault: 'splits-utf8', text: 'é😀' }],
  [{ fault: 'floods', updates: 2000, text: 'é' }],
  [{ fault: 'answers-twice' }],
  [{ error: { code: -32000, message: 'not today' } }],
  [{ text: 'on and on' }, { sleep: 5000 }],
];
/** What ends an agent, or leaves it of no more use. */
const ENDS = [
  [{ fault: 'dies-mid-line', status: 3 }],
  [{ fault: 'exits', status: 0 }],
  [{ fault: 'never-answers' }],
  [{ fault: 'ignores-end' }, 'I stay.'],
  [{ write: 'half a line' }, { fault: 'exits', status: 1 }],
];

/** @type {import('mini-me-client').AnyTool[]} */
const TOOLS = [
  {
    name: 'echo',
    inputSchema: { type: 'object', properties: { value: {} }, required: ['value'] },
    handle: ({ value }) => value,
  },
  { name: 'fails', handle: () => Promise.reject(new Error('no')) },
  { name: 'slow', timeoutMs: 30, handle: (_, { signal }) => sleep(100, 'late', { signal }) },
];

/** Counts what was done, and keeps what should not have been. */
export class Tally {
  /** @type {Record<string, number>} */
  counts = {};
  /** @type {string[]} */
  faults = [];

  /** @param {string} what */
  count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /**
   * Waits for a promise that may be rejected, as all of a client's may, with an error that has a code.
   * @template T
   * @param {string} what
   * @param {PromiseLike<T>} promise
   * @returns {Promise<T | undefined>}
   */
  async settle(what, promise) {
    try {
      const value = await promise;
      this.count(what);
      return value;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      this.count(`${what}: ${code}`);
      if (!code.startsWith('MM_ERR_') || code === 'MM_ERR_INTERNAL')
        this.faults.push(`${what}: ${code}`);
      return undefined;
    }
  }
}

/**
 * Does everything until the signal aborts.
 * @param {Tally} tally
 * @param {AbortSignal} signal
 */
export async function load(tally, signal) {
  const repeat = async (/** @type {(round: number) => Promise<void>} */ work) => {
    for (let round = 0; !signal.aborted; round += 1) await work(round);
  };
  await Promise.all([
    repeat((round) => longLived(tally, signal, round % 2 === 0 ? 'meta' : 'request')),
    repeat((round) => shortLived(tally, round)),
    repeat((round) => shortLived(tally, round + 2)),
  ]);
}

/**
 * One client with session after session.
 * @param {Tally} tally
 * @param {AbortSignal} signal
 * @param {import('mini-me-client').Discovery} discovery
 */
async function longLived(tally, signal, discovery) {
  await withClient(tally, { discovery }, async (client) => {
    for (let count = 0; count < SESSIONS_OF_CLIENT && !signal.aborted; count += 1) {
      const session = await tally.settle('session', client.newSession({ timeoutMs: LIMIT_MS }));
      if (session === undefined) return;
      for (let turn = 0; turn < 3; turn += 1) {
        await prompt(tally, session, pick(TURNS));
        await sleep(PAUSE_MS);
      }
      await tally.settle('close session', session.close());
    }
  });
}

/**
 * A client whose agent goes wrong.
 * @param {Tally} tally
 * @param {number} round
 */
async function shortLived(tally, round) {
  await withClient(tally, { discovery: 'meta' }, async (client) => {
    const session = await tally.settle('session', client.newSession({ timeoutMs: LIMIT_MS }));
    if (session === undefined) return;
    await prompt(tally, session, pick(TURNS));
    const steps = ENDS[round % ENDS.length] ?? [];
    const turn = session.prompt(JSON.stringify(steps));
    // One that never answers is closed on.
    await Promise.race([tally.settle('last prompt', turn), sleep(300)]);
  });
  await sleep(10 * PAUSE_MS);
}

/**
 * @param {Tally} tally
 * @param {{ discovery: import('mini-me-client').Discovery }} options
 * @param {(client: MiniMe) => Promise<void>} work
 */
async function withClient(tally, { discovery }, work) {
  const agent = standIn({ script: SCRIPT, discovery });
  const client = new MiniMe({
    ...agent.options,
    tools: TOOLS,
    permissions: 'allow-all',
    closeTimeoutMs: 200,
  });
  client.on('diagnostic', ({ code }) => {
    tally.count(`diagnostic ${code}`);
    if (code === 'listener-failed') tally.faults.push(code);
  });
  try {
    await work(client);
  } finally {
    await tally.settle('close', client.close());
    agent[Symbol.dispose]();
  }
}

/**
 * A turn in one of the ways there are to take it.
 * @param {Tally} tally
 * @param {import('mini-me-client').Session} session
 * @param {readonly unknown[]} steps
 */
async function prompt(tally, session, steps) {
  const isEndless = steps === TURNS.at(-1);
  const text = JSON.stringify(steps);
  if (isEndless && Math.random() < 0.5) {
    const turn = session.prompt(text);
    const settled = tally.settle('prompt', turn);
    await sleep(30);
    await tally.settle('cancel', turn.cancel());
    await settled;
    return;
  }
  if (isEndless) {
    await tally.settle('prompt', session.prompt(text, { timeoutMs: 50 }));
    await tally.settle('cancel', session.cancel());
    return;
  }
  const turn = session.prompt(text, { timeoutMs: LIMIT_MS });
  if (Math.random() < 0.3) await tally.settle('read', readAll(turn));
  else await tally.settle('prompt', turn);
}

/** @param {import('mini-me-client').Turn} turn */
async function readAll(turn) {
  for await (const update of turn) if (update === undefined) return;
}

/**
 * @template T
 * @param {readonly T[]} from
 * @returns {T}
 */
function pick(from) {
  return /** @type {T} */ (from[Math.floor(Math.random() * from.length)]);
}
