'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { afterEach, beforeEach, describe, expect, test } = require('@jest/globals');
const nativeTarget = require('../../js/native-target');

describe('targetNames', () => {
  test.each([
    [{ platform: 'linux', arch: 'x64', libc: 'gnu' }, ['linux-x64-gnu']],
    [{ platform: 'linux', arch: 'arm64', libc: 'musl' }, ['linux-arm64-musl']],
    [{ platform: 'linux', arch: 'x64' }, ['linux-x64-gnu', 'linux-x64-musl']],
    [{ platform: 'darwin', arch: 'arm64' }, ['darwin-arm64']],
    [{ platform: 'darwin', arch: 'x64' }, ['darwin-x64']],
    [{ platform: 'win32', arch: 'x64' }, ['win32-x64-msvc']],
    [{ platform: 'win32', arch: 'arm64' }, ['win32-arm64-msvc']],
    [{ platform: 'freebsd', arch: 'x64' }, ['freebsd-x64']],
  ])('of %j are %j', (host, expected) => {
    expect(nativeTarget.targetNames(host)).toEqual(expected);
  });

  test('put a target into the names of the file and of the package', () => {
    expect(nativeTarget.fileName('linux-x64-gnu')).toBe('mini-me-client.linux-x64-gnu.node');
    expect(nativeTarget.packageName('linux-x64-gnu')).toBe('mini-me-client-linux-x64-gnu');
  });
});

describe('the C library', () => {
  let folder;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'native-target-'));
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  test.each([
    ['/lib64/ld-linux-x86-64.so.2', 'gnu'],
    ['/lib/ld-linux-aarch64.so.1', 'gnu'],
    ['/lib/ld-musl-x86_64.so.1', 'musl'],
    ['/lib/some-other-loader', undefined],
  ])('of an executable that asks for %s is %s', (loader, expected) => {
    const executable = path.join(folder, 'node');
    fs.writeFileSync(executable, `\x7fELF\0\0${loader}\0`);
    expect(nativeTarget.libcFromExecutable(executable)).toBe(expected);
  });

  test('of an executable that cannot be read is not told', () => {
    expect(nativeTarget.libcFromExecutable(path.join(folder, 'absent'))).toBeUndefined();
  });

  test.each([
    [{ header: { glibcVersionRuntime: '2.36' }, sharedObjects: ['/lib/libc.so.6'] }, 'gnu'],
    [{ header: {}, sharedObjects: ['/lib/ld-musl-aarch64.so.1'] }, 'musl'],
    [{ header: {}, sharedObjects: ['/lib/libc.musl-x86_64.so.1'] }, 'musl'],
    [{ header: {}, sharedObjects: ['/usr/lib/libc.so'] }, undefined],
    [{}, undefined],
  ])('of the report %j is %s', (report, expected) => {
    expect(nativeTarget.libcOfReport(report)).toBe(expected);
  });

  test('of this process is told on Linux, and only there', () => {
    const { platform, libc } = nativeTarget.currentHost();
    const possible = platform === 'linux' ? ['gnu', 'musl'] : [undefined];
    expect(possible).toContain(libc);
  });
});
