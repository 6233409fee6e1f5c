// The results as Markdown: one table a scenario, this package's ratios to the others, and whether they
// reach what is aimed at.

import { format } from './format.mjs';
import { band, median, power, ratios, spread } from './statistics.mjs';

const OTHERS = ['sdk', 'readline'];
/** A figure whose middle half is wider than this part of its median is marked. */
const NOISY = 0.15;
/** Above it something grows faster than linear; as much as noise makes of 1. */
const LINEAR = 1.1;
/** Rows that are no clients: what no client can do better. */
const LIMITS = {
  pipe: '_no client: the pipe alone_',
  parse: '_no client: the parse alone_',
};

export const LEGEND = [
  'A ratio is the median of the ratios within each round, with the band of their middle half;',
  '`~n %` marks a figure whose middle half is that wide; ✓ and ✗ say whether the aim was reached.',
];

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
  return [`### ${scenario.title}`, '', ...table(head, rows.filter(Boolean)), ''];
}

/** One table a scale: its figures at each count, and how they grow. */
export function scaleLines(scale, runs) {
  const head = [`${scale.x}`, ...scale.counts.map(format), 'grows with the power of', 'at its end'];
  const rows = scale.figures.map((figure) => {
    const points = pointsOf(scale, figure, runs);
    const cells = scale.counts.map((count) => {
      const point = points.find(({ x }) => x === count);
      return point === undefined ? '–' : format(point.y);
    });
    return [`${figure.name}, ${unitOf(scale)}`, ...cells, ...growthCells(figure, points)];
  });
  return [`### ${scale.title}`, '', ...table(head, rows), ''];
}

/** The medians of a figure, by count; those that no run gave are left out. */
export function pointsOf({ counts }, { from }, runs) {
  return counts.flatMap((x) => {
    const values = known(valuesOf({ from }, runs[x] ?? []));
    return values.length === 0 ? [] : [{ x, y: median(values) }];
  });
}

/**
 * The power with which all of a figure's work grows with the count: over all points, and over the last
 * three, where what is set up once no longer hides it.
 */
export function growthOf({ isWhole = false }, points) {
  const more = isWhole ? 0 : 1;
  const [all, end] = [points, points.slice(-3)].map((some) => power(some) + more);
  return { all, end, isLinear: Math.max(all, end) <= LINEAR };
}

function growthCells(figure, points) {
  if (points.length < 3) return ['–', '–'];
  const { all, end, isLinear } = growthOf(figure, points);
  const verdict = isLinear ? '✓ linear or better' : '✗ worse than linear';
  return [all.toFixed(2), `${end.toFixed(2)} ${verdict}`];
}

function unitOf({ y }) {
  return y.split(' ')[0];
}

/** As a table; what it says when there is nothing to tell. */
export function behindLines(scenarios, results) {
  const rows = behindRows(scenarios, results);
  if (rows.length === 0) return ['Nothing in this run.'];
  return table(['', 'metric', 'client', 'median', 'aim'], rows);
}

/**
 * Where this package is behind another client, or misses its aim.
 * @param {Record<string, { title: string, metrics: object[] }>} scenarios
 * @param {Record<string, Record<string, (object | null)[]>>} results by scenario
 */
export function behindRows(scenarios, results) {
  return Object.entries(results).flatMap(([name, runs]) =>
    scenarios[name].metrics.flatMap((metric) =>
      Object.keys(runs)
        .filter(isOurs)
        .flatMap((client) => behindOf(scenarios[name], metric, client, runs)),
    ),
  );
}

function behindOf({ title }, metric, client, runs) {
  const subject = [title, metric.name, client];
  const rows = OTHERS.filter((other) => other in runs).flatMap((other) => {
    const found = known(ratios(valuesOf(metric, runs[client]), valuesOf(metric, runs[other])));
    if (found.length === 0) return [];
    const ratio = median(found);
    const aim = aimOf(metric, client, other);
    const isBehind = metric.isMoreBetter ? ratio < 1 : ratio > 1;
    if (!isBehind && (aim === undefined || isMet(metric, ratio, aim))) return [];
    const [low, high] = band(found);
    const noise = low <= 1 && high >= 1 ? ', within noise' : '';
    const told = `${format(ratio)} (${format(low)}–${format(high)}) of ${other}${noise}`;
    const missed = aim === undefined ? '' : verdict(isMet(metric, ratio, aim), metric, aim);
    return [[...subject, told, missed.trim()]];
  });
  const values = known(valuesOf(metric, runs[client]));
  if (metric.limit !== undefined && values.length > 0 && median(values) > metric.limit)
    rows.push([...subject, format(median(values)), verdict(false, {}, metric.limit).trim()]);
  return rows;
}

/** The median of a metric of one client, and its middle half; undefined when no run gave it. */
export function figureOf(metric, figures = []) {
  const values = known(valuesOf(metric, figures));
  return values.length === 0 ? undefined : { value: median(values), band: band(values) };
}

/** The median ratio of this package to another client; undefined when no round has both. */
export function ratioOf(metric, ours, theirs) {
  const found = known(ratios(valuesOf(metric, ours), valuesOf(metric, theirs)));
  return found.length === 0 ? undefined : median(found);
}

function valuesOf({ from }, figures) {
  return figures.map((run) => run?.[from] ?? Number.NaN);
}

function known(values) {
  return values.filter(Number.isFinite);
}

function isOurs(client) {
  return client.startsWith('mini-me');
}

/** Undefined for a limit that has no such figure. */
function row(metric, client, others, values) {
  const isLimit = client in LIMITS;
  const own = known(values(client));
  if (isLimit && own.length === 0) return undefined;
  const ratioCells = others.map((other) => {
    if (!isOurs(client)) return '';
    return ratioCell(metric, aimOf(metric, client, other), ratios(values(client), values(other)));
  });
  const limit = isOurs(client) ? metric.limit : undefined;
  return [metric.name, LIMITS[client] ?? client, valueCell(limit, own), ...ratioCells];
}

function aimOf({ targets, targetsOf }, client, other) {
  return (targetsOf?.[client] ?? targets)?.[other];
}

function valueCell(limit, values) {
  if (values.length === 0) return 'failed';
  const value = median(values);
  const width = spread(values);
  const mark = width > NOISY ? ` ~${Math.round(width * 100)} %` : '';
  const aim = limit === undefined ? '' : verdict(value <= limit, {}, limit);
  return `${format(value)}${mark}${aim}`;
}

function ratioCell(metric, aim, values) {
  if (values.length === 0) return '–';
  const value = median(values);
  const cell = `${format(value)} (${band(values).map(format).join('–')})`;
  return aim === undefined ? cell : `${cell}${verdict(isMet(metric, value, aim), metric, aim)}`;
}

function isMet({ isMoreBetter = false }, value, aim) {
  return isMoreBetter ? value >= aim : value <= aim;
}

function verdict(isReached, { isMoreBetter = false }, aim) {
  return ` ${isReached ? '✓' : '✗'} ${isMoreBetter ? '≥' : '≤'} ${format(aim)}`;
}

function table(head, rows) {
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => ' --- |').join('')}`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ];
}
