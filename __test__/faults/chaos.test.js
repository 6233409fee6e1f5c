'use strict';
// Beyond the rows: an agent that misbehaves at random against fifty tasks that do everything.
// `CHAOS_SEED=7` runs that seed alone. The same at the core, without processes: tests/chaos.

const { expect, test } = require('@jest/globals');
const path = require('node:path');
const { isLong, run } = require('./harness');

const HOST = path.join(__dirname, 'hosts/chaos.js');
const MB = 1024 * 1024;
const { CHAOS_SEED } = process.env;
const [FIRST, SEEDS, WARMING] = CHAOS_SEED
  ? [CHAOS_SEED, 1, 0]
  : isLong
    ? [0, 300, 60]
    : [0, 12, 6];
/** What happens in hundreds of seeds, and most of it in a dozen: else less was tested than it seems. */
const USUAL = [
  'new ok',
  'prompt ok',
  'request ok',
  'update',
  'toolCall',
  'diagnostic message-invalid',
];

test(
  'whatever the agent does, every promise settles, nothing is unhandled, and nothing grows',
  async () => {
    const args = ['--expose-gc', HOST, FIRST, SEEDS, WARMING].map(String);
    const { told, ms, ...end } = await run(process.execPath, args);
    expect(end).toEqual({ code: 0, signal: null, err: '' });
    const [{ faults, outcomes, growth }] = told;
    if (process.env.MM_FIGURES) {
      process.stderr.write(`chaos: ${JSON.stringify({ SEEDS, growth, ms, outcomes })}\n`);
    }
    expect(faults).toEqual([]);
    if (CHAOS_SEED) return;
    expect(outcomes.exit).toBe(SEEDS);
    const absent = USUAL.filter((outcome) => outcomes[outcome] === undefined);
    // Which tasks come through a dozen of bad agents is a matter of milliseconds.
    expect(absent.length).toBeLessThanOrEqual(isLong ? 0 : 2);
    expect(growth).toBeLessThan(3 * MB);
  },
  isLong ? 600_000 : 60_000,
);
