// node esbuild-whole.mjs TARGET, such as linux-x64-gnu: the machine that the bundle is for
import { copyFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'esbuild';

await build({
  entryPoints: ['src/main.mjs'],
  outfile: 'dist/main.js',
  bundle: true,
  platform: 'node',
});

const target = process.argv[2];
const file = `mini-me-client.${target}.node`;
const main = import.meta.resolve('mini-me-client');
const packed = new URL(file, main); // there after `npm pack` in a clone
const { resolve } = createRequire(main);
copyFileSync(existsSync(packed) ? packed : resolve(`mini-me-client-${target}`), `dist/${file}`);
