// node esbuild-whole.mjs TARGET, such as linux-x64-gnu: the machine that the bundle is for
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'esbuild';

await build({
  entryPoints: ['src/main.mjs'],
  outfile: 'dist/main.js',
  bundle: true,
  platform: 'node',
});

const target = process.argv[2];
const { resolve } = createRequire(import.meta.resolve('mini-me-client'));
copyFileSync(resolve(`mini-me-client-${target}`), `dist/mini-me-client.${target}.node`);
