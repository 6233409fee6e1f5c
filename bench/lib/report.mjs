// The results as Markdown: one table a scenario, ratios of this package to the others, and whether
// they reach what is aimed at.

import { band, median, ratios, spread } from './statistics.mjs';

const OTHERS = ['sdk', 'readline'];
/** A figure whose middle half is wider than this part of its median is marked. */
const NOISY = 0.15;

/** @param {Record<string, string>} machine */
export function machineLines(machine) {
  return Object.entries(machine).map(([name, value]) => `- ${name}: ${value}`);
}

/** `runs` holds the figures of every client, round by round. */
export function scenarioLines(scenario, runs) {
  const clients = Object.keys(runs);
  const head = ['', ...clients, ...ourClients(clients).flatMap(ratioHeads(clients))];
  const rows = scenario.metrics.map((metric) => metricRow(metric, clients, runs));
  return [
    `### ${scenario.title}`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => ' --- |').join('')}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  ];
}

function ourClients(clients) {
  return clients.filter((client) => client.startsWith('mini-me'));
}

function ratioHeads(clients) {
  return (ours) => others(clients).map((other) => `${ours} / ${other}`);
}

function others(clients) {
  return OTHERS.filter((other) => clients.includes(other));
}

function metricRow(metric, clients, runs) {
  const values = (client) => runs[client].map((figures) => figures?.[metric.from] ?? Number.NaN);
  const cells = clients.map((client) => valueCell(metric, client, known(values(client))));
  const ratioCells = ourClients(clients).flatMap((ours) =>
    others(clients).map((other) =>
      ratioCell(metric, targetOf(metric, ours, other), ratios(values(ours), values(other))),
    ),
  );
  return [metric.name, ...cells, ...ratioCells];
}

function known(values) {
  return values.filter((value) => !Number.isNaN(value));
}

function valueCell({ limit }, client, values) {
  if (values.length === 0) return 'failed';
  const value = median(values);
  const mark = spread(values) > NOISY ? ` ~${Math.round(spread(values) * 100)} %` : '';
  const isBound = limit !== undefined && client.startsWith('mini-me');
  return `${format(value)}${mark}${isBound ? verdict(value <= limit, `≤ ${limit}`) : ''}`;
}

function targetOf({ targets, targetsOf }, ours, other) {
  return (targetsOf?.[ours] ?? targets)?.[other];
}

function ratioCell({ isMoreBetter = false }, target, values) {
  if (values.length === 0) return 'failed';
  const value = median(values);
  const [low, high] = band(values);
  const cell = `${format(value)} (${format(low)}–${format(high)})`;
  if (target === undefined) return cell;
  const isMet = isMoreBetter ? value >= target : value <= target;
  return `${cell}${verdict(isMet, `${isMoreBetter ? '≥' : '≤'} ${format(target)}`)}`;
}

function verdict(isMet, aim) {
  return isMet ? ` ✓ ${aim}` : ` ✗ ${aim}`;
}

function format(value) {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
