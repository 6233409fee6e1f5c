'use strict';
// What the benchmarks make of their figures.

const { describe, expect, test } = require('@jest/globals');
const { evaluate } = require('../package/evaluate');

/** What `expression` gives, of all that bench/lib/statistics.mjs and report.mjs export. */
function calculated(expression) {
  return evaluate(`
    import * as statistics from './bench/lib/statistics.mjs';
    import * as report from './bench/lib/report.mjs';
    const result = ${expression};
    console.log(JSON.stringify(result));
  `);
}

describe('statistics', () => {
  test.each([
    ['the median of an odd number', 'median([9, 1, 5])', 5],
    ['the median of an even number', 'median([4, 1, 2, 9])', 3],
    ['the middle half', 'band([5, 1, 3, 2, 4])', [2, 4]],
    ['the width of the middle half', 'spread([5, 1, 4, 2, 4])', 0.5],
    ['ratios of each round', 'ratios([6, 8], [3, 2])', [2, 4]],
  ])('tell %s', async (_, expression, expected) => {
    expect(await calculated(`statistics.${expression}`)).toEqual(expected);
  });

  test('leave out the rounds that one of two lacks', async () => {
    expect(await calculated('statistics.ratios([6, NaN, 8, 9], [NaN, 2, 2, 0])')).toEqual([4]);
  });

  test.each([
    ['linear', 1, (x) => 7 * x],
    ['square', 2, (x) => x * x],
    ['constant', 0, () => 3],
    ['falling', -0.5, (x) => 1 / Math.sqrt(x)],
  ])('know the power of what is %s', async (_, expected, at) => {
    const points = [1, 10, 100, 1000].map((x) => ({ x, y: at(x) }));
    const power = await calculated(`statistics.power(${JSON.stringify(points)})`);
    expect(power).toBeCloseTo(expected, 9);
  });
});

describe('growth', () => {
  const growthOf = (figure, points) =>
    calculated(`report.growthOf(${JSON.stringify(figure)}, ${JSON.stringify(points)})`);
  const points = (at) => [1, 10, 100, 1000, 10_000].map((x) => ({ x, y: at(x) }));

  test('of a unit that always costs the same is linear', async () => {
    const { all, isLinear } = await growthOf(
      {},
      points(() => 5),
    );
    expect(all).toBeCloseTo(1, 9);
    expect(isLinear).toBe(true);
  });

  test('of the whole is not taken for that of a unit', async () => {
    const whole = await growthOf(
      { isWhole: true },
      points((x) => x),
    );
    const unit = await growthOf(
      {},
      points((x) => x),
    );
    expect([whole.isLinear, unit.isLinear]).toEqual([true, false]);
  });

  test('that shows at the end alone is found, whatever it cost to set up', async () => {
    const { all, end, isLinear } = await growthOf(
      {},
      points((x) => 1000 / x + x / 100),
    );
    expect(all).toBeLessThan(1);
    expect(end).toBeGreaterThan(1.1);
    expect(isLinear).toBe(false);
  });
});

describe('where this package is behind', () => {
  const TRIP = { name: 'trip', from: 'tripUs', targets: { sdk: 0.9 } };
  const behind = (metric, runs) => {
    const scenarios = { calls: { title: 'Calls', metrics: [metric] } };
    return calculated(
      `report.behindRows(${JSON.stringify(scenarios)}, ${JSON.stringify({ calls: runs })})`,
    );
  };
  const rounds = (...values) => values.map((tripUs) => ({ tripUs }));

  test('is told with the ratio and its band', async () => {
    const runs = { 'mini-me': rounds(20, 22, 24), readline: rounds(10, 10, 10) };
    expect(await behind(TRIP, runs)).toEqual([
      ['Calls', 'trip', 'mini-me', '2.2 (2.1–2.3) of readline', ''],
    ]);
  });

  test('is told where it is ahead and misses its aim', async () => {
    const runs = { 'mini-me': rounds(19, 19, 19), sdk: rounds(20, 20, 20) };
    expect(await behind(TRIP, runs)).toEqual([
      ['Calls', 'trip', 'mini-me', '0.95 (0.95–0.95) of sdk', '✗ ≤ 0.9'],
    ]);
  });

  test('is told where a limit is missed, and where less is worse', async () => {
    const limited = { name: 'trip', from: 'tripUs', limit: 10 };
    expect(await behind(limited, { 'mini-me': rounds(11) })).toEqual([
      ['Calls', 'trip', 'mini-me', '11', '✗ ≤ 10'],
    ]);
    const rate = { name: 'calls/s', from: 'tripUs', isMoreBetter: true };
    const runs = { 'mini-me': rounds(5), sdk: rounds(10) };
    expect(await behind(rate, runs)).toEqual([
      ['Calls', 'calls/s', 'mini-me', '0.5 (0.5–0.5) of sdk', ''],
    ]);
  });

  test('is told of as noise where the band holds both', async () => {
    const runs = { 'mini-me': rounds(9, 11, 12), readline: rounds(10, 10, 10) };
    expect(await behind(TRIP, runs)).toEqual([
      ['Calls', 'trip', 'mini-me', '1.1 (1–1.15) of readline, within noise', ''],
    ]);
  });

  test('is not told where it is ahead, and nothing is told of a run that failed', async () => {
    const runs = { 'mini-me': [{ tripUs: 8 }, null], sdk: [null, { tripUs: 1 }] };
    expect(await behind(TRIP, { ...runs, readline: rounds(9, 9) })).toEqual([]);
  });
});
