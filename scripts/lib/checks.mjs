// Every check of this project, in the order in which a failure is cheapest to learn of.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureNative } from './native-build.mjs';
import { differences, expectedFiles, listPackedFiles } from './packed-files.mjs';
import { ROOT, run } from './run.mjs';
import { packMain } from './stage.mjs';
import { CARGO_DENY, ensureTool, TYPOS } from './tools.mjs';

/** @typedef {{ name: string, run: () => Promise<number> }} Check `run` gives an exit status */

const CLIPPY = ['clippy', '--locked', '--all-targets'];
const DENY_WARNINGS = ['--', '-D', 'warnings'];
const ATTW = '@arethetypeswrong/cli/dist/index.js';
/** `./stand-in` is a program for `require.resolve`, and has no types. */
const ATTW_ARGS = [
  '--format',
  'ascii',
  '--no-emoji',
  '--no-definitely-typed',
  '--exclude-entrypoints',
  'stand-in',
];

/** @type {readonly Check[]} */
export const CHECKS = [
  { name: 'rustfmt', run: () => run('cargo', ['fmt', '--all', '--check']) },
  {
    name: 'biome',
    run: () => runModule('@biomejs/biome/bin/biome', ['ci', '--error-on-warnings']),
  },
  { name: 'tsc', run: () => runModule('typescript/bin/tsc', []) },
  {
    name: 'tsc-bundler',
    run: () => runModule('typescript/bin/tsc', ['--project', 'tsconfig.bundler.json']),
  },
  // What Node.js 16 has: that of Electron 22.
  {
    name: 'tsc-node16',
    run: () => runModule('typescript/bin/tsc', ['--project', 'tsconfig.node16.json']),
  },
  // Types are tsc's: typedoc.json leaves them unchecked.
  { name: 'docs', run: () => runModule('typedoc/bin/typedoc', []) },
  { name: 'typos', run: async () => run(await ensureTool(TYPOS), []) },
  {
    name: 'cargo-deny',
    run: async () =>
      run(await ensureTool(CARGO_DENY), ['--locked', 'check', 'bans', 'licenses', 'sources']),
  },
  { name: 'clippy', run: () => run('cargo', [...CLIPPY, ...DENY_WARNINGS]) },
  {
    name: 'clippy-core',
    run: () => run('cargo', [...CLIPPY, '--no-default-features', ...DENY_WARNINGS]),
  },
  { name: 'rustdoc', run: runRustdoc },
  { name: 'packed-files', run: checkPackedFiles },
  {
    name: 'publint',
    run: () =>
      withPacked((tarball) => runModule('publint/src/cli.js', ['run', tarball, '--strict'])),
  },
  { name: 'attw', run: () => withPacked((tarball) => runModule(ATTW, [tarball, ...ATTW_ARGS])) },
];

/**
 * @param {string} script of a development dependency
 * @param {string[]} args
 */
function runModule(script, args) {
  return run(process.execPath, [path.join(ROOT, 'node_modules', script), ...args]);
}

function runRustdoc() {
  const args = ['doc', '--locked', '--no-deps', '--document-private-items'];
  return run('cargo', args, { env: { RUSTDOCFLAGS: '-D warnings' } });
}

async function checkPackedFiles() {
  await ensureNative();
  const found = differences(await listPackedFiles(), await expectedFiles());
  for (const difference of found) console.error(difference);
  return found.length === 0 ? 0 : 1;
}

/**
 * Runs a check on the main package as it is published.
 * @param {(tarball: string) => Promise<number>} check
 */
async function withPacked(check) {
  const folder = await mkdtemp(path.join(tmpdir(), 'mini-me-client-packed-'));
  try {
    return await check(await packMain(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
