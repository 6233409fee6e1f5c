'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { beforeAll, describe, expect, test } = require('@jest/globals');
const { evaluate } = require('./evaluate');
const nativeTarget = require('../../js/native-target');
const manifest = require('../../package.json');

const ROOT = path.resolve(__dirname, '../..');

let targets;
let derived;
let published;

beforeAll(async () => {
  ({ targets, derived, published } = await evaluate(`
    import { derivedFiles, readManifest, TARGETS as targets } from './scripts/lib/targets.mjs';
    import { publishedManifest } from './scripts/lib/stage.mjs';
    const derived = Object.fromEntries(await derivedFiles());
    const published = publishedManifest(await readManifest());
    console.log(JSON.stringify({ targets, derived, published }));
  `));
});

describe('the packages of the platforms', () => {
  test('are what `npm run targets` writes, of the version of package.json', () => {
    const committed = Object.keys(derived).map((file) => [
      file,
      fs.readFileSync(path.join(ROOT, file), 'utf8'),
    ]);
    expect(Object.fromEntries(committed)).toEqual(derived);
  });

  test('are there for each target, and for nothing else', () => {
    const names = targets.map(({ name }) => name).sort();
    expect(fs.readdirSync(path.join(ROOT, 'npm')).sort()).toEqual(names);
    expect(names).toHaveLength(8);
  });

  test('are found by the loader under the name that it asks for', () => {
    for (const { name, os: platform, cpu: arch, libc } of targets) {
      const host = { platform, arch, libc: libc === 'glibc' ? 'gnu' : libc };
      expect(nativeTarget.targetNames(host)).toEqual([name]);
      const { name: found, main, files } = JSON.parse(derived[`npm/${name}/package.json`]);
      expect(found).toBe(nativeTarget.packageName(name));
      expect([main, ...files]).toEqual([nativeTarget.fileName(name), nativeTarget.fileName(name)]);
    }
  });

  test('are the targets that the licenses and the release are for', () => {
    const triples = targets.map(({ triple }) => triple);
    for (const file of ['deny.toml', '.github/workflows/release.yml']) {
      const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
      const named = text.match(/\b(?:x86_64|aarch64)-[a-z]+-[a-z]+(?:-[a-z]+)?\b/g);
      expect([...new Set(named)].sort()).toEqual([...triples].sort());
    }
  });
});

describe('the main package as it is published', () => {
  test('asks for every platform package of its very version', () => {
    const names = targets.map(({ name }) => nativeTarget.packageName(name));
    expect(published.optionalDependencies).toEqual(
      Object.fromEntries(names.map((name) => [name, manifest.version])),
    );
  });

  test('holds no native file, no scripts, and nothing of the clone', () => {
    expect(published.files.filter((pattern) => pattern.includes('.node'))).toEqual([]);
    expect(published).not.toHaveProperty('scripts');
    expect(published).not.toHaveProperty('devDependencies');
  });

  test('is package.json otherwise, where no platform package is committed', () => {
    const { scripts: _, devDependencies: __, files: ___, ...rest } = manifest;
    const { optionalDependencies: ____, files: _____, ...same } = published;
    expect(same).toEqual(rest);
    expect(manifest).not.toHaveProperty('optionalDependencies');
  });
});

test('a release is not packed while the native file of a platform is missing', async () => {
  const message = await evaluate(`
    import { packRelease } from './scripts/lib/stage.mjs';
    const attempt = packRelease('absent', 'build/absent').then(() => 'packed');
    console.log(JSON.stringify(await attempt.catch((error) => error.message)));
  `);
  expect(message).toMatch(/expected a native file of each platform in absent, missing: /);
  expect(message).toContain('mini-me-client.win32-arm64-msvc.node');
});
