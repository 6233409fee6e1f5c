// The Rust toolchain: is it here, and is it young enough.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { capture, probe, ROOT } from './run.mjs';
import { ScriptError } from './say.mjs';

const HOW_TO_GET_RUST =
  'install Rust from https://rustup.rs or, when you have it, run `rustup update stable`';

/** The oldest Rust that builds the crate, as its own manifest says: `1.88`. */
export async function minimumRust() {
  const manifest = await readFile(path.join(ROOT, 'Cargo.toml'), 'utf8');
  const minimum = /^rust-version = "([\d.]+)"/m.exec(manifest)?.[1];
  if (minimum === undefined)
    throw new ScriptError('expected a rust-version in Cargo.toml, found none');
  return minimum;
}

/** Throws unless cargo is here and no older than the crate's minimum. */
export async function requireCargo() {
  const [minimum, printed] = await Promise.all([minimumRust(), probe('cargo', ['--version'])]);
  if (printed === undefined) {
    throw new ScriptError(
      `expected cargo ${minimum} or later on PATH, found none: ${HOW_TO_GET_RUST}`,
    );
  }
  const version = /(\d+\.\d+\.\d+)/.exec(printed)?.[1];
  if (version === undefined || isOlder(version, minimum)) {
    throw new ScriptError(
      `expected cargo ${minimum} or later, found \`${printed}\`: ${HOW_TO_GET_RUST}`,
    );
  }
}

/** The compiler's full description; undefined where there is none. */
export function describeCompiler() {
  return probe('rustc', ['--version', '--verbose']);
}

/**
 * Runs cargo, or a command that takes its place, and gives what it built.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<{ target: { name: string, crate_types: string[] }, filenames: string[], executable: string | null }[]>}
 */
export async function buildArtifacts(command, args, env = {}) {
  const told = [...args, '--message-format', 'json-render-diagnostics'];
  const { status, stdout } = await capture(command, told, { env });
  if (status !== 0)
    throw new ScriptError(
      `expected \`${command} ${args[0]}\` to succeed, it ended with status ${status}`,
    );
  const messages = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return messages.filter(({ reason }) => reason === 'compiler-artifact');
}

/**
 * @param {string} version
 * @param {string} minimum
 */
export function isOlder(version, minimum) {
  const [left, right] = [version, minimum].map((text) => text.split('.').map(Number));
  for (const [index, wanted] of (right ?? []).entries()) {
    const part = left?.[index] ?? 0;
    if (part !== wanted) return part < wanted;
  }
  return false;
}
