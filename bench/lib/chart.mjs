// Charts as SVG that stands alone: bars on linear axes from 0, lines on logarithmic ones. The background
// is drawn, so that a chart is readable also where the page is dark and the system is not.

import { format, short } from './format.mjs';
import { linearTicks, logTicks } from './ticks.mjs';

const WIDTH = 720;
const MARGIN = 16;
const TITLE_HEIGHT = 34;
const NAMES_WIDTH = 150;
const VALUES_WIDTH = 70;
const BAR_HEIGHT = 16;
const BAR_GAP = 6;
const AXIS_HEIGHT = 24;
const PANEL_TITLE_HEIGHT = 26;
const LINES_HEIGHT = 240;
const LEGEND_HEIGHT = 22;
const LABEL_HEIGHT = 24;

const STYLE = `
svg{font:12px system-ui,sans-serif;--ground:#fff;--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--a:#0969da;--b:#54a0f0;--c:#bc4c00;--d:#6e7781}
@media (prefers-color-scheme:dark){svg{--ground:#0d1117;--ink:#f0f6fc;--dim:#9198a1;--line:#3d444d;--a:#4493f8;--b:#1f5fbf;--c:#db6d28;--d:#8b949e}}
.ground{fill:var(--ground)}text{fill:var(--ink)}.title{font-size:15px;font-weight:600}.panel{font-weight:600}.tick,.label{fill:var(--dim)}
.plot{fill:none;stroke:var(--line)}.grid{stroke:var(--line)}.band{stroke:var(--ink);stroke-width:1.5}
.a{fill:var(--a);stroke:var(--a)}.b{fill:var(--b);stroke:var(--b)}.c{fill:var(--c);stroke:var(--c)}.d{fill:var(--d);stroke:var(--d)}
.limit{fill:none;stroke:var(--dim);stroke-dasharray:4 3}.curve{fill:none;stroke-width:2}`;

/**
 * One or more panels of horizontal bars, each with an axis of its own.
 * @param {{ title: string, panels: { title: string, bars: Bar[] }[] }} chart
 *
 * @typedef {object} Bar
 * @property {string} name
 * @property {'a' | 'b' | 'c' | 'd' | 'limit'} kind its color; `limit` is hollow
 * @property {number} value
 * @property {[low: number, high: number]} band the middle half of the values
 */
export function barChart({ title, panels }) {
  let y = TITLE_HEIGHT + MARGIN / 2;
  const parts = [];
  for (const panel of panels) {
    const { svg, height } = barPanel(panel, y);
    parts.push(svg);
    y += height + MARGIN;
  }
  return document(title, y, parts);
}

function barPanel({ title, bars }, top) {
  const ticks = linearTicks(Math.max(...bars.flatMap(({ value, band }) => [value, band[1]])));
  const plot = {
    x: MARGIN + NAMES_WIDTH,
    y: top + PANEL_TITLE_HEIGHT,
    width: WIDTH - 2 * MARGIN - NAMES_WIDTH - VALUES_WIDTH,
    height: bars.length * (BAR_HEIGHT + BAR_GAP) + BAR_GAP,
  };
  const end = ticks.at(-1);
  const across = (value) => plot.x + (value / end) * plot.width;
  const bottom = plot.y + plot.height;
  const svg = [
    text('panel', MARGIN, top + 16, title),
    ...ticks.map((tick) => line('grid', across(tick), plot.y, across(tick), bottom)),
    ...ticks.map((tick) => text('tick', across(tick), bottom + 16, short(tick), 'middle')),
    ...bars.map((bar, at) => {
      const y = plot.y + BAR_GAP + at * (BAR_HEIGHT + BAR_GAP);
      const [low, high] = bar.band.map(across);
      const middle = y + BAR_HEIGHT / 2;
      return [
        text('name', plot.x - 8, middle + 4, bar.name, 'end'),
        rect(`bar ${bar.kind}`, plot.x, y, across(bar.value) - plot.x, BAR_HEIGHT),
        line('band', low, middle, high, middle),
        text('value', WIDTH - MARGIN, middle + 4, format(bar.value), 'end'),
      ].join('\n');
    }),
    rect('plot', plot.x, plot.y, plot.width, plot.height),
  ].join('\n');
  return { svg, height: PANEL_TITLE_HEIGHT + plot.height + AXIS_HEIGHT };
}

/**
 * Lines on two logarithmic axes; values are above 0.
 * @param {{ title: string, x: string, y: string, series: { name: string, points: Point[] }[] }} chart
 *
 * @typedef {{ x: number, y: number }} Point
 */
export function lineChart({ title, x, y, series }) {
  const points = series.flatMap((one) => one.points);
  const plot = {
    x: MARGIN + 60,
    y: TITLE_HEIGHT + LEGEND_HEIGHT * series.length + LABEL_HEIGHT,
    width: WIDTH - 2 * MARGIN - 60 - 24,
    height: LINES_HEIGHT,
  };
  const bottom = plot.y + plot.height;
  const xTicks = logTicks(...ends(points.map((point) => point.x)));
  const yTicks = logTicks(...ends(points.map((point) => point.y)));
  const across = (value) => plot.x + share(xTicks, value) * plot.width;
  const down = (value) => bottom - share(yTicks, value) * plot.height;
  const parts = [
    ...series.flatMap(({ name }, at) => {
      const middle = TITLE_HEIGHT + 10 + LEGEND_HEIGHT * at;
      const right = plot.x + 24;
      return [
        line(`curve ${kindOf(at)}`, plot.x, middle, right, middle),
        text('name', right + 8, middle + 4, name),
      ];
    }),
    text('label', MARGIN, plot.y - 14, y),
    ...xTicks.map((tick) => line('grid', across(tick), plot.y, across(tick), bottom)),
    ...xTicks.map((tick) => text('tick', across(tick), bottom + 16, short(tick), 'middle')),
    ...yTicks.map((tick) => line('grid', plot.x, down(tick), plot.x + plot.width, down(tick))),
    ...yTicks.map((tick) => text('tick', plot.x - 8, down(tick) + 4, short(tick), 'end')),
    rect('plot', plot.x, plot.y, plot.width, plot.height),
    ...series.flatMap((one, at) => curve(one.points, kindOf(at), across, down)),
    text('label', plot.x + plot.width / 2, bottom + 36, x, 'middle'),
  ];
  return document(title, bottom + 36 + MARGIN, parts);
}

function curve(points, kind, across, down) {
  const corners = points.map(({ x, y }) => [round(across(x)), round(down(y))]);
  return [
    `<polyline class="curve ${kind}" points="${corners.map((one) => one.join(',')).join(' ')}"/>`,
    ...corners.map(([x, y]) => `<circle class="${kind}" cx="${x}" cy="${y}" r="3.5"/>`),
  ];
}

function kindOf(at) {
  return ['a', 'c', 'd', 'b'][at % 4];
}

/** How far along a logarithmic axis a value lies, 0 to 1. */
function share(ticks, value) {
  const [low, high] = [ticks[0], ticks.at(-1)].map(Math.log);
  return (Math.log(value) - low) / (high - low);
}

function ends(values) {
  return [Math.min(...values), Math.max(...values)];
}

function document(title, height, parts) {
  const size = `width="${WIDTH}" height="${round(height)}" viewBox="0 0 ${WIDTH} ${round(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" ${size}>`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="100%" height="100%" rx="6"/>`,
    text('title', MARGIN, 26, title),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function text(kind, x, y, words, anchor = 'start') {
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

function line(kind, x1, y1, x2, y2) {
  return `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
}

function rect(kind, x, y, width, height) {
  return `<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"/>`;
}

function round(value) {
  return Number(value.toFixed(1));
}

function escaped(words) {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
