// The code that documents show: files that tests run, whole or a region of theirs. A region stands
// between `// #region name` and `// #endregion name`; `#` instead of `//` in YAML.

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './run.mjs';
import { ScriptError } from './say.mjs';

/** A fenced block, with the comment that says what it shows when it has one. */
const BLOCK =
  /(?:<!-- snippet: (?<file>[^\s#]+)(?:#(?<region>\S+))? -->\n+)?^```(?<language>\w*)\n(?<code>.*?)^```$/gms;
const MARK = /^\s*(?:\/\/|#) #(?<kind>region|endregion) (?<name>\S+)$/;

/** @typedef {{ file: string | undefined, region: string | undefined, language: string, code: string }} Block */

/** The documents whose blocks are filled, as paths from the project's folder. */
export async function listDocuments() {
  const names = await readdir(path.join(ROOT, 'docs'));
  const pages = names.filter((name) => name.endsWith('.md')).sort();
  return ['README.md', ...pages.map((name) => `docs/${name}`)];
}

/**
 * The fenced blocks of a document.
 * @param {string} text
 * @returns {Block[]}
 */
export function blocksOf(text) {
  return [...text.matchAll(BLOCK)].map(({ groups = {} }) => ({
    file: groups.file,
    region: groups.region,
    language: groups.language ?? '',
    code: groups.code ?? '',
  }));
}

/**
 * A document with what its blocks ought to show.
 * @param {string} text
 * @param {string} document for messages
 */
export async function fill(text, document) {
  let filled = '';
  let at = 0;
  for (const match of text.matchAll(BLOCK)) {
    const { file, region, code = '' } = match.groups ?? {};
    if (file === undefined) continue;
    const end = match.index + match[0].length - '```'.length;
    filled += text.slice(at, end - code.length) + (await read(file, region, document));
    at = end;
  }
  return filled + text.slice(at);
}

/**
 * @param {string} file
 * @param {string | undefined} region
 * @param {string} document
 */
async function read(file, region, document) {
  let source;
  try {
    source = await readFile(path.join(ROOT, file), 'utf8');
  } catch (error) {
    throw new ScriptError(`${document}: expected a snippet from ${file}, could not read it`, {
      cause: error,
    });
  }
  if (region === undefined) return source;
  const shown = regionOf(source, region);
  if (shown !== undefined) return shown;
  throw new ScriptError(
    `${document}: expected ${file} to have "#region ${region}" and "#endregion ${region}", it has not`,
  );
}

/**
 * The lines of a region without what they all are indented by, without marks of other regions, and
 * without empty lines around.
 * @param {string} source
 * @param {string} region
 * @returns {string | undefined} undefined when there is no such region
 */
export function regionOf(source, region) {
  const lines = source.split('\n');
  const [start, end] = ['region', 'endregion'].map((kind) =>
    lines.findIndex((line) => {
      const mark = MARK.exec(line)?.groups;
      return mark?.kind === kind && mark.name === region;
    }),
  );
  if (start === undefined || end === undefined || start === -1 || end < start) return undefined;
  const inner = lines.slice(start + 1, end).filter((line) => !MARK.test(line));
  const indents = inner.filter(Boolean).map((line) => line.search(/\S|$/));
  const indent = Math.min(...indents);
  return `${inner
    .map((line) => line.slice(indent))
    .join('\n')
    .trim()}\n`;
}

/**
 * The names of all regions of a file.
 * @param {string} source
 */
export function regionNames(source) {
  const marks = source.split('\n').map((line) => MARK.exec(line)?.groups);
  return marks.flatMap((mark) => (mark?.kind === 'region' ? [mark.name ?? ''] : []));
}
