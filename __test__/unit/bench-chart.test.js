'use strict';
// The charts of the benchmarks: what is drawn lies where it belongs.

const { describe, expect, test } = require('@jest/globals');
const { evaluate } = require('../package/evaluate');

function drawn(kind, chart) {
  return evaluate(`
    import { barChart, lineChart } from './bench/lib/chart.mjs';
    console.log(JSON.stringify(${kind}(${JSON.stringify(chart)})));
  `);
}

function ticks(call) {
  return evaluate(`
    import { linearTicks, logTicks } from './bench/lib/ticks.mjs';
    console.log(JSON.stringify(${call}));
  `);
}

/** The attributes of all elements of this name and class, numbers as numbers. */
function elements(svg, name, kind) {
  return [...svg.matchAll(new RegExp(`<${name} class="${kind}[^>]*>`, 'g'))].map(([element]) =>
    Object.fromEntries(
      [...element.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [
        key,
        value === '' || Number.isNaN(Number(value)) ? value : Number(value),
      ]),
    ),
  );
}

const bar = (name, value, band = [value, value], kind = 'a') => ({ name, value, band, kind });

describe('ticks', () => {
  test.each([
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 20, 40, 60, 80, 100]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [1_600_000, [0, 500_000, 1_000_000, 1_500_000, 2_000_000]],
    [0, [0, 1]],
  ])('of a linear axis to %p are round, and hold it', async (most, expected) => {
    expect(await ticks(`linearTicks(${most})`)).toEqual(expected);
  });

  test.each([
    [3, 40, [2, 5, 10, 20, 50]],
    [100, 5e7, [100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]],
    [1, 1000, [1, 10, 100, 1000]],
    [0.4, 0.45, [0.2, 0.5]],
    [5, 5, [5, 10]],
  ])(
    'of a logarithmic axis from %p to %p are round, and hold both',
    async (low, high, expected) => {
      expect(await ticks(`logTicks(${low}, ${high})`)).toEqual(expected);
    },
  );
});

describe('a chart of bars', () => {
  const panels = [
    { title: 'updates/s', bars: [bar('this', 1_700_000, [1.5e6, 2.3e6]), bar('SDK', 64_000)] },
    { title: 'ms', bars: [bar('this', 0.02), bar('the pipe', 0.5, [0.4, 0.6], 'limit')] },
  ];

  test('has each bar inside its plot, as long as its value', async () => {
    const svg = await drawn('barChart', { title: 'Updates', panels });
    const bars = elements(svg, 'rect', 'bar');
    const plots = elements(svg, 'rect', 'plot');
    expect([bars.length, plots.length]).toEqual([4, 2]);
    bars.forEach((one, at) => {
      const plot = plots[Math.floor(at / 2)];
      expect(one.x).toBe(plot.x);
      expect(one.x + one.width).toBeLessThanOrEqual(plot.x + plot.width);
      expect(one.y).toBeGreaterThan(plot.y);
      expect(one.y + one.height).toBeLessThan(plot.y + plot.height);
    });
    expect(bars[0].width / bars[1].width).toBeCloseTo(1_700_000 / 64_000, 0);
    expect(bars[3].class).toBe('bar limit');
  });

  test('has the ends of each band inside its plot, around the end of its bar', async () => {
    const svg = await drawn('barChart', { title: 'Updates', panels });
    const [plot] = elements(svg, 'rect', 'plot');
    const [first] = elements(svg, 'rect', 'bar');
    const [band] = elements(svg, 'line', 'band');
    expect(band.x1).toBeLessThan(first.x + first.width);
    expect(band.x2).toBeGreaterThan(first.x + first.width);
    expect(band.x2).toBeLessThanOrEqual(plot.x + plot.width);
  });

  test('says what it shows, and nothing of it is markup', async () => {
    const one = { title: 'a & b', bars: [bar('<this>', 1)] };
    const svg = await drawn('barChart', { title: 'Time, ms', panels: [one] });
    expect(svg).toContain('<title>Time, ms</title>');
    expect(svg).toContain('>a &amp; b</text>');
    expect(svg).toContain('>&lt;this&gt;</text>');
  });

  test('is high enough for all that it holds', async () => {
    const svg = await drawn('barChart', { title: 'Updates', panels });
    const [, height] = svg.match(/height="([\d.]+)"/);
    for (const { y } of elements(svg, 'text', '')) expect(y).toBeLessThan(Number(height));
  });
});

describe('a chart of lines', () => {
  const series = [
    { name: 'a session', points: [10, 100, 1000].map((x) => ({ x, y: 4000 / x })) },
    { name: 'an update', points: [1, 10, 100, 1000].map((x) => ({ x, y: 0.7 })) },
  ];
  const chart = { title: 'Sessions', x: 'sessions', y: 'µs', series };

  test('has each value inside its plot, and where its axes say', async () => {
    const svg = await drawn('lineChart', chart);
    const [plot] = elements(svg, 'rect', 'plot');
    const points = elements(svg, 'circle', '');
    expect(points.length).toBe(7);
    for (const { cx, cy } of points) {
      expect(cx).toBeGreaterThanOrEqual(plot.x);
      expect(cx).toBeLessThanOrEqual(plot.x + plot.width);
      expect(cy).toBeGreaterThanOrEqual(plot.y);
      expect(cy).toBeLessThanOrEqual(plot.y + plot.height);
    }
    // A decade is of one width, and a power of -1 goes straight down.
    const [first, second, third] = points;
    expect(second.cx - first.cx).toBeCloseTo(plot.width / 3, 0);
    expect(third.cy - second.cy).toBeCloseTo(second.cy - first.cy, 0);
  });

  test('names its axes, its lines and its ticks', async () => {
    const svg = await drawn('lineChart', chart);
    for (const words of ['sessions', 'µs', 'a session', 'an update', '1 k', '0.1'])
      expect(svg).toContain(`>${words}</text>`);
  });

  test('is readable on a dark page and on a light one', async () => {
    const svg = await drawn('lineChart', chart);
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg.indexOf('class="ground"')).toBeLessThan(svg.indexOf('<text'));
  });
});
