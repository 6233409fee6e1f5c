// Writes the results into the documents: what stands between `<!-- bench: name -->` and
// `<!-- bench end -->`, and the charts beside them.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT, run } from '../../scripts/lib/run.mjs';
import { ScriptError, say } from '../../scripts/lib/say.mjs';
import { chartsOf } from './charts.mjs';
import { format } from './format.mjs';
import {
  behindLines,
  figureOf,
  LEGEND,
  machineLines,
  ratioOf,
  scaleLines,
  scenarioLines,
} from './report.mjs';
import { noiseLines } from './rounds.mjs';
import { SCALES } from './scales.mjs';
import { SCENARIOS } from './scenarios.mjs';

const PAGE = 'docs/benchmarks.md';
const CHARTS = 'docs/charts';
const README = 'README.md';
const BLOCK = /(<!-- bench: (\S+) -->\n).*?(<!-- bench end -->)/gs;

/** What README quotes: what it is, a scenario, one of its metrics. */
const QUOTED = [
  ['Updates of 200 bytes, a second', 'stream-200', 'updates/s'],
  ['Main thread busy in 200 000 of them, ms', 'stream-200', 'main thread busy, ms'],
  ['Tool calls a second, 1 000 in flight', 'calls-concurrent', 'calls/s'],
  ['From `import` to the answer of `initialize`, ms', 'start', 'time, ms'],
];

/** @param {object} found what a whole run has kept: machine, how, quiet, results, scales */
export async function writePages(found) {
  refuseHoles(found);
  const charts = chartsOf(found);
  await rm(path.join(ROOT, CHARTS), { recursive: true, force: true });
  await mkdir(path.join(ROOT, CHARTS), { recursive: true });
  for (const [file, { svg }] of Object.entries(charts))
    await writeFile(path.join(ROOT, CHARTS, file), svg);
  await fillFile(PAGE, pageBlocks(found, charts));
  await fillFile(README, { figures: quotedLines(found) });
  const biome = path.join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const status = await run(process.execPath, [biome, 'format', '--write', PAGE, README]);
  if (status !== 0) throw new ScriptError(`expected biome to format ${PAGE} and ${README}`);
  say(
    `written: ${PAGE}, ${Object.keys(charts).length} charts in ${CHARTS}, the figures in ${README}`,
  );
}

/** The documents show every client and count; a single run that failed is only one round less. */
function refuseHoles({ results, scales }) {
  for (const [name, runs] of Object.entries({ ...results, ...scales })) {
    for (const [one, figures] of Object.entries(runs)) {
      if (figures.some((run) => run !== null)) continue;
      throw new ScriptError(`expected a run of ${name}, ${one} that succeeded, all have failed`);
    }
  }
}

/**
 * A document with other contents in its blocks.
 * @param {string} text
 * @param {Record<string, string[]>} blocks the lines of each; every one must be there
 * @param {string} document for messages
 */
export function fillBlocks(text, blocks, document) {
  const left = new Set(Object.keys(blocks));
  const filled = text.replaceAll(BLOCK, (_, start, name, end) => {
    if (!Object.hasOwn(blocks, name))
      throw new ScriptError(`${document}: expected a block that is known, got "bench: ${name}"`);
    left.delete(name);
    return `${start}\n${blocks[name].join('\n').trim()}\n\n${end}`;
  });
  if (left.size === 0) return filled;
  throw new ScriptError(`${document}: expected blocks for ${[...left].join(', ')}, there are none`);
}

async function fillFile(name, blocks) {
  const file = path.join(ROOT, name);
  await writeFile(file, fillBlocks(await readFile(file, 'utf8'), blocks, name));
}

function pageBlocks({ machine, how, quiet, results, scales }, charts) {
  const images = (isWanted) =>
    Object.entries(charts)
      .filter(([file]) => isWanted(file))
      .flatMap(([file, { alt }]) => [`![${alt}](charts/${file})`, '']);
  return {
    machine: [
      ...machineLines(machine),
      `- rounds: ${how.rounds}; of scales and of memory at most 3`,
      '',
      ...noiseLines(quiet),
    ],
    charts: images((file) => !file.startsWith('scale-')),
    tables: [
      ...LEGEND,
      '',
      ...Object.entries(results).flatMap(([name, runs]) => scenarioLines(SCENARIOS[name], runs)),
    ],
    behind: behindLines(SCENARIOS, results),
    scaling: Object.entries(scales).flatMap(([name, runs]) => [
      ...scaleLines(SCALES[name], runs),
      ...images((file) => file === `scale-${name}.svg`),
    ]),
  };
}

/** A ratio as people say it: 22 ×, 1/50. */
export function times(ratio) {
  return ratio > 0.5 ? `${format(ratio)} ×` : `1/${format(1 / ratio)}`;
}

function quotedLines({ machine, results }) {
  const rows = QUOTED.map(([what, name, metricName]) => {
    const metric = SCENARIOS[name].metrics.find((one) => one.name === metricName);
    const runs = results[name];
    const ratio = (other) => times(ratioOf(metric, runs['mini-me'], runs[other]));
    const { value } = figureOf(metric, runs['mini-me']);
    return `| ${what} | ${format(value)} | ${ratio('sdk')} | ${ratio('readline')} |`;
  });
  return [
    '| | this package | of the ACP SDK | of readline |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `Medians on ${machine.machine}, ${machine.system}, Node.js ${machine.node}.`,
  ];
}
