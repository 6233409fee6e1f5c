// Which charts the document has, and how they come of the results.

import { barChart, lineChart } from './chart.mjs';
import { figureOf, pointsOf } from './report.mjs';
import { SCALES } from './scales.mjs';
import { SCENARIOS } from './scenarios.mjs';

/** How bars are named and colored, in this order. */
const BARS = {
  'mini-me': { name: 'this, by event', kind: 'a' },
  'mini-me-iterator': { name: 'this, by iterator', kind: 'b' },
  sdk: { name: 'ACP SDK', kind: 'c' },
  readline: { name: 'readline', kind: 'd' },
  pipe: { name: 'no client: the pipe', kind: 'limit' },
  parse: { name: 'no client: the parse', kind: 'limit' },
};

/** Charts of bars, by file: a scenario and a metric each panel. */
const PANELS = {
  throughput: {
    title: 'Updates a second: more is better',
    panels: [
      ['stream-200', 'updates/s'],
      ['stream-2k', 'updates/s'],
    ],
  },
  'main-thread': {
    title: 'Main thread busy, ms: less is better',
    panels: [
      ['stream-200', 'main thread busy, ms'],
      ['stream-2k', 'main thread busy, ms'],
      ['calls-concurrent', 'main thread busy, ms'],
    ],
  },
  latency: {
    title: 'Latency, µs: less is better',
    panels: [
      ['calls-sequential', 'round trip p50, µs'],
      ['calls-sequential', 'round trip p99, µs'],
      ['paced', 'latency p50, µs'],
      ['paced', 'latency p99, µs'],
    ],
  },
  calls: {
    title: 'Tool calls a second: more is better',
    panels: [['calls-concurrent', 'calls/s']],
  },
  start: { title: 'Start, ms: less is better', panels: [['start', 'time, ms']] },
  memory: {
    title: 'Memory, MB: less is better',
    panels: [
      ['slow-listener', 'peak RSS, MB'],
      ['stream-2k', 'peak RSS, MB'],
      ['huge-in', 'peak RSS, MB'],
      ['idle', 'RSS of nine more, MB'],
    ],
  },
};

/**
 * @param {{ results: object, scales: object }} found
 * @returns {Record<string, { alt: string, svg: string }>} by the name of the file
 */
export function chartsOf({ results, scales }) {
  const bars = Object.entries(PANELS).map(([name, { title, panels }]) => {
    const filled = panels.map(([scenario, metric]) => panelOf(scenario, metric, results[scenario]));
    return [`${name}.svg`, { alt: title, svg: barChart({ title, panels: filled }) }];
  });
  const lines = Object.entries(scales).map(([name, runs]) => {
    const { title, x, y, figures } = SCALES[name];
    const series = figures.map((figure) => ({
      name: figure.name.replaceAll('`', ''),
      points: pointsOf(SCALES[name], figure, runs),
    }));
    return [
      `scale-${name}.svg`,
      { alt: `${title}: ${y}`, svg: lineChart({ title, x, y, series }) },
    ];
  });
  return Object.fromEntries([...bars, ...lines]);
}

function panelOf(scenario, metricName, runs) {
  const { title, metrics } = SCENARIOS[scenario];
  const metric = metrics.find(({ name }) => name === metricName);
  const bars = Object.entries(BARS).flatMap(([client, bar]) => {
    const figure = figureOf(metric, runs[client]);
    return figure === undefined ? [] : [{ ...bar, ...figure }];
  });
  return { title: `${title}: ${metricName}`, bars };
}
