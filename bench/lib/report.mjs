// The results as Markdown: one table a scenario, this package's ratios to the others, and whether they
// reach what is aimed at.

import { band, median, ratios, spread } from './statistics.mjs';

const OTHERS = ['sdk', 'readline'];
/** A figure whose middle half is wider than this part of its median is marked. */
const NOISY = 0.15;

/** @param {Record<string, string>} machine */
export function machineLines(machine) {
  return Object.entries(machine).map(([name, value]) => `- ${name}: ${value}`);
}

/** `runs` holds the figures of every client, round by round; null for a run that failed. */
export function scenarioLines(scenario, runs) {
  const clients = Object.keys(runs);
  const others = OTHERS.filter((other) => clients.includes(other));
  const head = ['', 'client', 'median', ...others.map((other) => `/ ${other}`)];
  const rows = scenario.metrics.flatMap((metric) =>
    clients.map((client) => row(metric, client, others, (of) => valuesOf(metric, runs[of]))),
  );
  return [
    `### ${scenario.title}`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => ' --- |').join('')}`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ];
}

function valuesOf({ from }, figures) {
  return figures.map((run) => run?.[from] ?? Number.NaN);
}

function row(metric, client, others, values) {
  const isOurs = client.startsWith('mini-me');
  const ratioCells = others.map((other) => {
    if (!isOurs) return '';
    return ratioCell(metric, aimOf(metric, client, other), ratios(values(client), values(other)));
  });
  const known = values(client).filter((value) => !Number.isNaN(value));
  return [metric.name, client, valueCell(isOurs ? metric.limit : undefined, known), ...ratioCells];
}

function aimOf({ targets, targetsOf }, client, other) {
  return (targetsOf?.[client] ?? targets)?.[other];
}

function valueCell(limit, values) {
  if (values.length === 0) return 'failed';
  const value = median(values);
  const mark = spread(values) > NOISY ? ` ~${Math.round(spread(values) * 100)} %` : '';
  return `${format(value)}${mark}${limit === undefined ? '' : verdict(value <= limit, '≤', limit)}`;
}

function ratioCell({ isMoreBetter = false }, aim, values) {
  if (values.length === 0) return 'failed';
  const value = median(values);
  const cell = `${format(value)} (${band(values).map(format).join('–')})`;
  if (aim === undefined) return cell;
  const isMet = isMoreBetter ? value >= aim : value <= aim;
  return `${cell}${verdict(isMet, isMoreBetter ? '≥' : '≤', aim)}`;
}

function verdict(isMet, sign, aim) {
  return ` ${isMet ? '✓' : '✗'} ${sign} ${format(aim)}`;
}

function format(value) {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
