'use strict';

const path = require('node:path');
const { describe, expect, test } = require('@jest/globals');
const { binding, loadNative } = require('../../js/native');
const manifest = require('../../package.json');

const DIRECTORY = path.resolve('/package/js');
const LOCAL_FILE = path.join(DIRECTORY, 'mini-me-client.linux-x64-gnu.node');
const PACKAGE = 'mini-me-client-linux-x64-gnu';
const NAMED_FILE = path.resolve('/elsewhere/addon.node');
const VERSION = '1.2.3';

/** The exports of a native file of this release, or of another. */
function addon(version = VERSION) {
  return { version: () => version };
}

const [named, local, installed] = [addon(), addon(), addon()];

/** A search on a host where `modules` maps what can be required to its exports, or to what it throws. */
function searchOn({ env = {}, platform = 'linux', arch = 'x64', libc = 'gnu', modules = {} } = {}) {
  return {
    env,
    platform,
    arch,
    libc,
    version: VERSION,
    directory: DIRECTORY,
    exists: (file) => file in modules,
    requireFn: (request) => {
      if (!(request in modules)) throw moduleNotFound(request);
      if (modules[request] instanceof Error) throw modules[request];
      return modules[request];
    },
  };
}

function moduleNotFound(request) {
  const message = `Cannot find module '${request}'\nRequire stack:\n- /package/js/native.js`;
  return Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' });
}

function failureOf(search) {
  try {
    loadNative(search);
  } catch (error) {
    return error;
  }
  throw new Error('expected the search to fail, it found a file');
}

describe('the native file is looked for', () => {
  test('where MINI_ME_CLIENT_NATIVE says, before all else', () => {
    const modules = { [NAMED_FILE]: named, [LOCAL_FILE]: local, [PACKAGE]: installed };
    const env = { MINI_ME_CLIENT_NATIVE: NAMED_FILE };
    expect(loadNative(searchOn({ env, modules }))).toBe(named);
  });

  test('from the current folder when MINI_ME_CLIENT_NATIVE is a relative path', () => {
    const modules = { [path.resolve('build/addon.node')]: named };
    const env = { MINI_ME_CLIENT_NATIVE: 'build/addon.node' };
    expect(loadNative(searchOn({ env, modules }))).toBe(named);
  });

  test('as if MINI_ME_CLIENT_NATIVE were not set when it is empty', () => {
    const env = { MINI_ME_CLIENT_NATIVE: '' };
    expect(loadNative(searchOn({ env, modules: { [LOCAL_FILE]: local } }))).toBe(local);
  });

  test('beside the JavaScript before the platform package', () => {
    const modules = { [LOCAL_FILE]: local, [PACKAGE]: installed };
    expect(loadNative(searchOn({ modules }))).toBe(local);
  });

  test.each([
    ['linux', 'x64', 'gnu', 'mini-me-client-linux-x64-gnu'],
    ['linux', 'arm64', 'musl', 'mini-me-client-linux-arm64-musl'],
    ['darwin', 'arm64', undefined, 'mini-me-client-darwin-arm64'],
    ['win32', 'x64', undefined, 'mini-me-client-win32-x64-msvc'],
  ])('on %s %s %s in the package %s', (platform, arch, libc, name) => {
    const modules = { [name]: installed };
    expect(loadNative({ ...searchOn({ modules }), platform, arch, libc })).toBe(installed);
  });

  test('under both names of the C library where that could not be told', () => {
    const modules = { 'mini-me-client-linux-x64-musl': installed };
    expect(loadNative({ ...searchOn({ modules }), libc: undefined })).toBe(installed);
  });
});

describe('a search that finds nothing', () => {
  test('tells every file it tried, each with its reason, and what can be done', () => {
    const error = failureOf(searchOn());
    expect(error).toBeInstanceOf(Error);
    expect(error.code).toBe('MM_ERR_NATIVE');
    expect(error.details).toEqual({
      platform: 'linux',
      arch: 'x64',
      libc: 'gnu',
      nodeVersion: process.version,
      tried: [
        { file: LOCAL_FILE, reason: 'no such file' },
        { file: PACKAGE, reason: 'not installed' },
      ],
      remedy: expect.stringContaining('npm run build'),
    });
    expect(error.message.split('\n')).toEqual([
      `expected a native file that loads on linux-x64-gnu with Node.js ${process.version}, found none:`,
      `  ${LOCAL_FILE}: no such file`,
      `  ${PACKAGE}: not installed`,
      `remedy: ${error.details.remedy}`,
    ]);
  });

  test('names no C library where the platform has but one', () => {
    const error = failureOf({ ...searchOn({ platform: 'darwin' }), libc: undefined });
    expect(error.message).toContain('loads on darwin-x64 with');
    expect(error.details.libc).toBeNull();
  });

  test('has details that survive structuredClone', () => {
    const { details } = failureOf(searchOn());
    expect(structuredClone(details)).toEqual(details);
  });
});

describe('a file that does not load', () => {
  const unloadable = new Error('invalid ELF header\nmore that nobody needs');

  test('ends the search, so that no other build takes its place unseen', () => {
    const modules = { [LOCAL_FILE]: unloadable, [PACKAGE]: installed };
    const error = failureOf(searchOn({ modules }));
    expect(error.details.tried).toEqual([{ file: LOCAL_FILE, reason: 'invalid ELF header' }]);
    expect(error.cause).toBe(unloadable);
  });

  test('is not replaced by another when MINI_ME_CLIENT_NATIVE named it', () => {
    const env = { MINI_ME_CLIENT_NATIVE: NAMED_FILE };
    const error = failureOf(searchOn({ env, modules: { [LOCAL_FILE]: local } }));
    expect(error.details.tried).toEqual([{ file: NAMED_FILE, reason: 'no such file' }]);
    expect(error.details.remedy).toContain('MINI_ME_CLIENT_NATIVE');
  });

  test('is told apart from a package that is not installed when it lacks a file of its own', () => {
    const inner = moduleNotFound('/node_modules/mini-me-client-linux-x64-gnu/addon.node');
    const error = failureOf(searchOn({ modules: { [PACKAGE]: inner } }));
    expect(error.details.tried.at(-1)).toEqual({
      file: PACKAGE,
      reason: "Cannot find module '/node_modules/mini-me-client-linux-x64-gnu/addon.node'",
    });
    expect(error.cause).toBe(inner);
  });

  test('may throw what is no error at all', () => {
    const search = searchOn();
    const error = failureOf({
      ...search,
      exists: () => true,
      requireFn: () => {
        // biome-ignore lint/style/useThrowOnlyError: that a module may do so is the point
        throw 'a string';
      },
    });
    expect(error.details.tried).toEqual([{ file: LOCAL_FILE, reason: 'a string' }]);
  });
});

describe('a native file of another release', () => {
  test('is refused with both versions, and no other takes its place unseen', () => {
    const modules = { [LOCAL_FILE]: addon('1.2.2'), [PACKAGE]: installed };
    const error = failureOf(searchOn({ modules }));
    expect(error.code).toBe('MM_ERR_NATIVE');
    expect(error.details.tried).toEqual([
      { file: LOCAL_FILE, reason: 'is of version 1.2.2, expected 1.2.3' },
    ]);
    expect(error.details.remedy).toContain('reinstall mini-me-client');
  });

  test('is refused as a platform package too', () => {
    const error = failureOf(searchOn({ modules: { [PACKAGE]: addon('1.2.4') } }));
    expect(error.details.tried).toEqual([
      { file: LOCAL_FILE, reason: 'no such file' },
      { file: PACKAGE, reason: 'is of version 1.2.4, expected 1.2.3' },
    ]);
  });

  test('is refused where MINI_ME_CLIENT_NATIVE names it, with that remedy', () => {
    const env = { MINI_ME_CLIENT_NATIVE: NAMED_FILE };
    const error = failureOf(searchOn({ env, modules: { [NAMED_FILE]: addon('0.9.0') } }));
    expect(error.message).toContain(`${NAMED_FILE}: is of version 0.9.0, expected 1.2.3`);
    expect(error.details.remedy).toContain('MINI_ME_CLIENT_NATIVE');
  });

  test.each([
    ['no exports', undefined],
    ['other exports', { version: '1.2.3' }],
  ])('may be another addon, with %s', (_title, exported) => {
    const error = failureOf(searchOn({ modules: { [PACKAGE]: exported } }));
    expect(error.details.tried.at(-1).reason).toBe('tells no version, expected 1.2.3');
  });
});

test('the native file of this clone is of the version of the package', () => {
  expect(binding().version()).toBe(manifest.version);
});
