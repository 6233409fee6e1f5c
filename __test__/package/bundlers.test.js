'use strict';
// The lines for bundlers that docs/packaging.md shows: each makes a bundle, out of the package as it is
// published, and the bundle runs.

const { afterAll, beforeAll, beforeEach, describe, expect, test } = require('@jest/globals');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { evaluate } = require('./evaluate');
const nativeTarget = require('../../js/native-target');

const ROOT = path.resolve(__dirname, '../..');
const MODULES = path.join(ROOT, 'node_modules');
const [TARGET] = nativeTarget.targetNames(nativeTarget.currentHost());
const PRINTED = 'client_ping: Answers.\n';

/** webpack's command line is a package of its own. */
const runWebpack = (changes) => `
  const webpack = require('webpack');
  webpack({ ...require('./webpack.config.js'), ${changes} }, (error, stats) => {
    if (error !== null || stats.hasErrors() || stats.hasWarnings()) throw error ?? new Error(stats);
  });
`;

const BUNDLERS = {
  esbuild: ['esbuild.mjs'],
  rollup: [path.join(MODULES, 'rollup/dist/bin/rollup'), '--config', '--silent'],
  webpack: ['--eval', runWebpack('')],
  vite: [path.join(MODULES, 'vite/bin/vite.js'), 'build', '--logLevel', 'warn'],
};

let folder;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'mini-me-client-bundlers-'));
  fs.cpSync(path.join(ROOT, 'examples/bundlers'), folder, { recursive: true });
  const modules = JSON.stringify(path.join(folder, 'node_modules'));
  await evaluate(`
    import path from 'node:path';
    import { stageMain, stagePlatform } from './scripts/lib/stage.mjs';
    import { targetNamed } from './scripts/lib/targets.mjs';
    const target = targetNamed('${TARGET}');
    await stageMain(path.join(${modules}, 'mini-me-client'));
    const folder = path.join(${modules}, 'mini-me-client-${TARGET}');
    await stagePlatform(target, 'js', folder);
    console.log('null');
  `);
  for (const name of ['esbuild', 'webpack'])
    fs.symlinkSync(path.join(MODULES, name), path.join(folder, 'node_modules', name), 'junction');
}, 60_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
beforeEach(() => fs.rmSync(path.join(folder, 'dist'), { recursive: true, force: true }));

async function node(...args) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return stdout + stderr;
}

/** Without node_modules: what the bundle needs must be in its own folder. */
async function nodeElsewhere() {
  const elsewhere = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'mini-me-client-dist-'));
  try {
    fs.cpSync(path.join(folder, 'dist'), elsewhere, { recursive: true });
    return await node(path.join(elsewhere, 'main.js'));
  } finally {
    fs.rmSync(elsewhere, { recursive: true, force: true });
  }
}

describe('with the package left out, the bundle takes it from node_modules:', () => {
  test.each(Object.entries(BUNDLERS))(
    '%s',
    async (_name, command) => {
      expect(await node(...command)).toBe('');
      expect(await node('dist/main.js')).toBe(PRINTED);
      expect(fs.statSync(path.join(folder, 'dist/main.js')).size).toBeLessThan(10_000);
    },
    60_000,
  );
});

describe('with the package inside, and the native file beside the bundle', () => {
  test('esbuild', async () => {
    expect(await node('esbuild-whole.mjs', TARGET)).toBe('');
    expect(await nodeElsewhere()).toBe(PRINTED);
  }, 60_000);

  test('esbuild, of a package that npm pack made in a clone', async () => {
    const name = nativeTarget.fileName(TARGET);
    const modules = path.join(folder, 'node_modules');
    const [own, hidden] = ['', '-hidden'].map((end) =>
      path.join(modules, `mini-me-client-${TARGET}${end}`),
    );
    const packed = path.join(modules, 'mini-me-client/js', name);
    fs.copyFileSync(path.join(ROOT, 'js', name), packed);
    fs.renameSync(own, hidden);
    try {
      expect(await node('esbuild-whole.mjs', TARGET)).toBe('');
      expect(await nodeElsewhere()).toBe(PRINTED);
    } finally {
      fs.renameSync(hidden, own);
      fs.rmSync(packed);
    }
  }, 60_000);

  test('webpack', async () => {
    expect(await node('--eval', runWebpack('externals: {}'))).toBe('');
    const file = nativeTarget.fileName(TARGET);
    fs.copyFileSync(path.join(ROOT, 'js', file), path.join(folder, 'dist', file));
    expect(await nodeElsewhere()).toBe(PRINTED);
  }, 60_000);

  test('without that file the error says where it was looked for', async () => {
    await node('esbuild-whole.mjs', TARGET);
    fs.rmSync(path.join(folder, 'dist', nativeTarget.fileName(TARGET)));
    const failed = nodeElsewhere();
    await expect(failed).rejects.toThrow(`${nativeTarget.fileName(TARGET)}: no such file`);
    await expect(failed).rejects.toThrow('docs/packaging.md');
  }, 60_000);
});

test('a bundle for a browser says why it cannot run', () => {
  const { buildSync } = require('esbuild');
  const options = { entryPoints: ['src/main.mjs'], bundle: true, platform: 'browser' };
  const { outputFiles } = buildSync({
    ...options,
    absWorkingDir: folder,
    write: false,
    logLevel: 'silent',
  });
  const run = () => new Function(outputFiles[0].text)();
  expect(run).toThrow(
    /expected Node.js, got a bundle for a browser; .* use mini-me-client in the main process/,
  );
});
