// What the fuzz targets begin with: lines, schemas, arguments and files that are as they should be, out of
// the recorded dialogues.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './run.mjs';

const RECORDED = path.join(ROOT, '__test__', 'transcripts', 'recorded');
/** Longer inputs cost more than they find. */
const MOST_BYTES = 4096;
/** Says to the target `lines` where to cut, in four parts. */
const CUTS = Buffer.from([51, 102, 153, 204]);
/** Says to the target `connection` how the bytes come: in pieces of 32. */
const PIECES = Buffer.from([4 * 31]);

const AGENT_FILES = [
  'acp:\n  clientTools:\n    enabled: true\n    discovery: request\n    permissions: ask\n    timeout: 1m30s\n',
  'yolo: false\nbashTool: false\nmaxOutput: 1000\n',
  'standIn:\n  model: openai\n  baseUrl: http://127.0.0.1/v1\n  modelName: m\n  temperature: 0.5\n',
  '# nothing\n---\nacp: {clientTools: {timeout: "30s"}}\n...\n',
  'a: &x {discovery: meta}\nacp: {clientTools: *x}\n',
];
const SCHEMAS = [
  {
    type: 'object',
    properties: {
      a: { type: 'string', pattern: '^a+$', enum: ['aa'], description: 'x' },
      b: { type: 'array', items: { $ref: '#/$defs/b' }, minItems: 1, uniqueItems: true },
      c: { anyOf: [{ type: 'integer', multipleOf: 2 }, { const: null }] },
      'd/~': { not: { type: 'object', required: ['x'], additionalProperties: false } },
    },
    required: ['a'],
    $defs: { b: { type: 'object', properties: { b: { $ref: '#/$defs/b' } } } },
  },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    dependencies: { a: ['b'] },
  },
  {
    type: 'object',
    patternProperties: { '^x': { format: 'date' } },
    propertyNames: { maxLength: 3 },
  },
  {
    allOf: [{ if: { minProperties: 1 }, else: { required: ['a'] } }],
    unevaluatedProperties: false,
  },
];
const ARGUMENTS = [
  '{"a":"aa","b":[{"b":{}}],"c":2}',
  '{"a":7}',
  '{}',
  '[1]',
  '{"b":1e400}',
  '"\\ud83d"',
];

/**
 * Writes the seeds of all targets.
 * @param {string} folder of a folder for each target
 */
export async function writeCorpus(folder) {
  const lines = await recordedLines();
  const agents = lines.filter(({ isAgents }) => isAgents).map(({ line }) => line);
  const stream = [];
  for (let at = 0; at < agents.length; at += 6)
    stream.push(`${agents.slice(at, at + 6).join('\n')}\n`);
  const schemas = [...SCHEMAS.map((schema) => JSON.stringify(schema)), ...schemasIn(lines)];
  const calls = schemas.flatMap((schema) => ARGUMENTS.map((text) => `${schema}\n${text}`));
  await write(path.join(folder, 'lines'), stream, CUTS);
  await write(path.join(folder, 'connection'), stream, PIECES);
  await write(
    path.join(folder, 'envelope'),
    lines.map(({ line }) => line),
  );
  await write(path.join(folder, 'schema'), schemas);
  await write(path.join(folder, 'arguments'), calls);
  await write(path.join(folder, 'agent-file'), AGENT_FILES);
}

async function recordedLines() {
  const lines = [];
  for (const name of (await readdir(RECORDED)).sort()) {
    if (!name.endsWith('.jsonl')) continue;
    const text = await readFile(path.join(RECORDED, name), 'utf8');
    for (const entry of text.split('\n').filter(Boolean)) {
      const { dir, line } = JSON.parse(entry);
      if (dir === 'client->agent' || dir === 'agent->client')
        lines.push({ line: String(line), isAgents: dir === 'agent->client' });
    }
  }
  return lines;
}

/**
 * The schemas of tools that were lent, as JSON.
 * @param {readonly { line: string }[]} lines
 */
function schemasIn(lines) {
  /** @type {Set<string>} */
  const schemas = new Set();
  for (const { line } of lines) {
    // Lines that were cut, and lines that are wrong on purpose, are no JSON.
    if (!line.includes('"inputSchema"') || line.includes('…')) continue;
    JSON.parse(line, (key, value) => {
      if (key === 'inputSchema') schemas.add(JSON.stringify(value));
      return value;
    });
  }
  return [...schemas];
}

/**
 * @param {string} folder
 * @param {readonly string[]} seeds
 * @param {Buffer} [mark] what each begins with
 */
async function write(folder, seeds, mark = Buffer.alloc(0)) {
  await mkdir(folder, { recursive: true });
  for (const seed of seeds) {
    const bytes = Buffer.concat([mark, Buffer.from(seed)]).subarray(0, MOST_BYTES);
    await writeFile(path.join(folder, createHash('sha1').update(bytes).digest('hex')), bytes);
  }
}
