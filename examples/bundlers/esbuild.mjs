import { build } from 'esbuild';

await build({
  entryPoints: ['src/main.mjs'],
  outfile: 'dist/main.js',
  bundle: true,
  platform: 'node',
  external: ['mini-me-client'],
});
