'use strict';

const path = require('node:path');
const { describe, expect, test } = require('@jest/globals');
const { isInside, stepsOf } = require('../../js/workspace-paths');

const INVALID = expect.objectContaining({ code: -32602 });

describe('a path on Unix', () => {
  test.each([
    ['/', []],
    ['/w/a', ['w', 'a']],
    ['//w/./a//b/', ['w', 'a', 'b']],
    ['/w/link/../a', ['w', 'link', '..', 'a']],
    ['/w/a\\b', ['w', 'a\\b']],
    ['/w/ C:', ['w', ' C:']],
  ])('%s has the steps %j, with each `..`', (given, names) => {
    expect(stepsOf(given, path.posix)).toEqual({ base: '/', names });
  });

  test.each(['', 'a', './a', '../a', '~/a', 'C:\\a', 'file:///w/a', '/w/a\0', 7, null, undefined])(
    '%j is refused',
    (given) => {
      expect(() => stepsOf(given, path.posix)).toThrow(INVALID);
    },
  );
});

test.each([
  ['Unix', path.posix, 4095],
  ['Windows', path.win32, 32_767],
])('a path longer than %s holds is refused, and not shown', (_, rules, longest) => {
  const given = `C:${'/a/..'.repeat(10_000)}`;
  const message = `expected a path of at most ${longest} characters, got ${given.length}`;
  expect(() => stepsOf(given, rules)).toThrow(message);
});

describe('a path on Windows', () => {
  test.each([
    ['C:\\w\\a', 'C:\\', ['w', 'a']],
    ['c:/w/./a', 'c:\\', ['w', 'a']],
    ['C:\\w\\link\\..\\a', 'C:\\', ['w', 'a']],
    ['C:\\..\\..\\a', 'C:\\', ['a']],
    ['\\\\server\\share\\a', '\\\\server\\share\\', ['a']],
    ['//server/share/a', '\\\\server\\share\\', ['a']],
    ['\\\\?\\C:\\w\\a', 'C:\\', ['w', 'a']],
    ['\\\\?\\UNC\\server\\share\\a', '\\\\server\\share\\', ['a']],
    ['C:\\console\\comma.txt', 'C:\\', ['console', 'comma.txt']],
  ])('%s has the base %s and the steps %j', (given, base, names) => {
    expect(stepsOf(given, path.win32)).toEqual({ base, names });
  });

  test.each([
    ['of no drive', '\\w\\a'],
    ['of no drive', '/w/a'],
    ['of the drive’s own folder', 'C:a'],
    ['of no place', 'a\\b'],
    ['of a device', '\\\\.\\PhysicalDrive0'],
    ['of a device', '\\\\?\\GLOBALROOT\\Device\\x'],
    ['of a volume', '\\\\?\\Volume{0}\\a'],
    ['of a device', 'C:\\w\\CON'],
    ['of a device', 'C:\\w\\nul.txt'],
    ['of a device', 'C:\\w\\COM1 .log'],
    ['of a device', 'C:\\aux\\a'],
    ['of a stream', 'C:\\w\\a.txt:hidden'],
    ['of a stream', 'C:\\w\\a.txt::$DATA'],
    ['that ends in what Windows cuts off', 'C:\\w\\a.'],
    ['that ends in what Windows cuts off', 'C:\\w\\a \\b'],
    ['with a wildcard', 'C:\\w\\*'],
    ['with a control character', 'C:\\w\\a\u0001'],
  ])('%s is refused: %j', (_, given) => {
    expect(() => stepsOf(given, path.win32)).toThrow(INVALID);
  });
});

describe('a place is inside a root', () => {
  test.each([
    ['/w', '/w', true],
    ['/w', '/w/a/b', true],
    ['/w', '/w-evil/a', false],
    ['/w/app', '/w/app.git', false],
    ['/w/app', '/w', false],
    ['/w', '/W/a', false],
    ['/', '/etc/passwd', true],
  ])('on Unix: %s, %s: %j', (root, place, expected) => {
    expect(isInside(root, place, path.posix)).toBe(expected);
  });

  test.each([
    ['C:\\w', 'c:\\w\\a', true],
    ['C:\\w', 'C:\\w-evil\\a', false],
    ['C:\\w', 'D:\\w\\a', false],
    ['C:\\w', 'C:\\W\\a', false],
    ['C:\\', 'c:\\a', true],
    ['\\\\Server\\share\\w', '\\\\server\\SHARE\\w\\a', true],
    ['\\\\server\\share\\w', '\\\\server\\share2\\w\\a', false],
    ['\\\\server\\share', '\\\\server\\share\\a', true],
  ])('on Windows: %s, %s: %j', (root, place, expected) => {
    expect(isInside(root, place, path.win32)).toBe(expected);
  });
});
