// Makes the .vsix of one platform: an extension with an addon is published once for each of them.
//   node package.mjs [--target linux-x64] [--out FILE]

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { target: { type: 'string' }, out: { type: 'string' } } });
const target = values.target ?? `${process.platform}-${process.arch}`;
const out = values.out ?? `mini-me-chat-${target}.vsix`;

const manifest = createRequire(import.meta.url).resolve('@vscode/vsce/package.json');
const vsce = path.join(path.dirname(manifest), 'vsce');
// All that is needed of the dependencies is in dist/.
const args = [
  'package',
  '--no-dependencies',
  '--allow-missing-repository',
  '--no-rewrite-relative-links',
  '--target',
  target,
  '--out',
  out,
];
execFileSync(process.execPath, [vsce, ...args], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
  env: { ...process.env, EXTENSION_TARGET: target },
});
