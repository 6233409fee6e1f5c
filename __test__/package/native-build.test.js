'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { afterEach, beforeEach, describe, expect, test } = require('@jest/globals');
const { evaluate } = require('./evaluate');

function isFresh(found, wanted) {
  const stamps = [found, wanted].map((stamp) => JSON.stringify(stamp)).join(', ');
  return evaluate(`
    import { isFresh } from './scripts/lib/native-build.mjs';
    console.log(isFresh(${stamps}));
  `);
}

describe('a native file', () => {
  const stamp = { sources: 'abc', compiler: 'rustc 1.95.0', profile: 'dev-fast' };

  test.each([
    ['is kept when nothing has changed', {}, {}, true],
    ['is built anew when the sources have changed', {}, { sources: 'def' }, false],
    ['is built anew when the compiler has changed', {}, { compiler: 'rustc 1.96.0' }, false],
    ['is kept where there is no compiler', {}, { compiler: undefined }, true],
    ['of profile release will do for dev-fast', { profile: 'release' }, {}, true],
    ['of profile dev-fast will not do for release', {}, { profile: 'release' }, false],
  ])('%s', async (_title, found, wanted, expected) => {
    expect(await isFresh({ ...stamp, ...found }, { ...stamp, ...wanted })).toBe(expected);
  });
});

describe('the hash of the sources', () => {
  let folder;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'native-build-'));
    for (const file of ['Cargo.toml', 'Cargo.lock', 'build.rs', 'src/lib.rs', 'src/wire/mod.rs']) {
      write(file, `content of ${file}`);
    }
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  function write(file, content) {
    const target = path.join(folder, file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, content);
  }

  function hash() {
    return evaluate(`
      import { hashSources } from './scripts/lib/native-build.mjs';
      console.log(JSON.stringify(await hashSources(${JSON.stringify(folder)})));
    `);
  }

  test('stays while only other files change', async () => {
    const before = await hash();
    write('README.md', 'new');
    write('src/lib.rs', 'content of src/lib.rs');
    expect(await hash()).toBe(before);
  });

  test.each([
    ['a file in a folder changes', () => write('src/wire/mod.rs', 'new')],
    ['the lock file changes', () => write('Cargo.lock', 'new')],
    ['a file is added', () => write('src/wire/lane.rs', '')],
    ['a file is renamed', () => fs.renameSync(`${folder}/src/lib.rs`, `${folder}/src/bib.rs`)],
    ['a file goes', () => fs.rmSync(path.join(folder, 'src/wire/mod.rs'))],
  ])('changes when %s', async (_title, change) => {
    const before = await hash();
    change();
    expect(await hash()).not.toBe(before);
  });
});
