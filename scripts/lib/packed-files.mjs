// What the npm package holds: the rules, and how a list of its files is held against them.

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { nativeFile } from './native-build.mjs';
import { capture, npmCommand, ROOT } from './run.mjs';
import { ScriptError } from './say.mjs';

/** Besides js/: all of these, and nothing else. */
export const TOP_FILES = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'index.d.ts',
  'package.json',
  'testing/index.d.ts',
  'testing/index.js',
];

/**
 * Asks npm what it would pack, without building anything.
 * @returns {Promise<string[]>}
 */
export async function listPackedFiles() {
  const { command, args } = npmCommand(['pack', '--dry-run', '--json', '--ignore-scripts']);
  const { status, stdout, stderr } = await capture(command, args, { quiet: true });
  if (status !== 0)
    throw new ScriptError(
      `expected \`npm pack\` to succeed, it ended with status ${status}: ${stderr}`,
    );
  const [pack] = Object.values(JSON.parse(stdout));
  return pack.files.map((/** @type {{ path: string }} */ file) => file.path);
}

/**
 * What the package must hold on this machine: the documents, every source file of js/, one native file.
 * @returns {Promise<string[]>}
 */
export async function expectedFiles() {
  const sources = await readdir(path.join(ROOT, 'js'), { recursive: true });
  const scripts = sources.filter((file) => file.endsWith('.js'));
  const documents = await readdir(path.join(ROOT, 'docs'), { recursive: true });
  const native = path.basename(nativeFile());
  return [
    ...TOP_FILES,
    ...documents.filter((file) => path.extname(file) !== '').map((file) => `docs/${posix(file)}`),
    ...[...scripts, native].map((file) => `js/${posix(file)}`),
  ].sort();
}

/** @param {string} file */
function posix(file) {
  return file.split(path.sep).join('/');
}

/**
 * @param {readonly string[]} packed
 * @param {readonly string[]} expected
 * @returns {string[]} one line a difference; none when the two agree
 */
export function differences(packed, expected) {
  return [
    ...expected
      .filter((file) => !packed.includes(file))
      .map((file) => `expected ${file} in the package, it is not`),
    ...packed
      .filter((file) => !expected.includes(file))
      .map((file) => `expected no ${file} in the package, it is there`),
  ];
}
