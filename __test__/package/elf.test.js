'use strict';

const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { describe, expect, test } = require('@jest/globals');
const { evaluate } = require('./evaluate');

const ROOT = path.resolve(__dirname, '../..');

/** A library that asks for two versions of libc.so.6 and one of libm.so.6, as small as such a file can be. */
function elfFile() {
  const strings = Buffer.from('\0GLIBC_2.17\0GLIBC_2.34\0GLIBC_2.29\0', 'latin1');
  const [header, need, table] = [Buffer.alloc(64), Buffer.alloc(80), Buffer.alloc(128)];
  header.write('\x7fELF\x02\x01', 'latin1');
  header.writeUInt16LE(62, 0x12);
  header.writeBigUInt64LE(BigInt(64 + 80 + strings.length), 0x28);
  header.writeUInt16LE(64, 0x3a);
  header.writeUInt16LE(2, 0x3c);
  // The first library: two versions, 16 bytes after it; the next library is 48 bytes further.
  need.writeUInt16LE(2, 2);
  need.writeUInt32LE(16, 8);
  need.writeUInt32LE(48, 12);
  need.writeUInt32LE(1, 16 + 8);
  need.writeUInt32LE(16, 16 + 12);
  need.writeUInt32LE(12, 32 + 8);
  need.writeUInt16LE(1, 48 + 2);
  need.writeUInt32LE(16, 48 + 8);
  need.writeUInt32LE(23, 64 + 8);
  // Section 0 names the versions, section 1 is the table of strings.
  table.writeUInt32LE(0x6ffffffe, 0x04);
  table.writeBigUInt64LE(64n, 0x18);
  table.writeUInt32LE(1, 0x28);
  table.writeUInt32LE(2, 0x2c);
  table.writeBigUInt64LE(BigInt(64 + 80), 64 + 0x18);
  return Buffer.concat([header, need, strings, table]);
}

function neededVersions(file) {
  return evaluate(`
    import { neededVersions } from './scripts/lib/elf.mjs';
    const file = Buffer.from('${file.toString('base64')}', 'base64');
    let answer;
    try {
      answer = neededVersions(file);
    } catch (error) {
      answer = error.message;
    }
    console.log(JSON.stringify(answer));
  `);
}

describe('the versions that a native file asks for', () => {
  test('are those of all its libraries', async () => {
    expect(await neededVersions(elfFile())).toEqual(['GLIBC_2.17', 'GLIBC_2.29', 'GLIBC_2.34']);
  });

  test('are asked of no file of another kind', async () => {
    const message = 'expected an ELF file of 64 bits, little-endian, got another';
    expect(await neededVersions(Buffer.from('MZ'))).toBe(message);
    const other = elfFile();
    other[4] = 1;
    expect(await neededVersions(other)).toBe(message);
  });
});

test.each([
  [['GLIBC_2.2.5', 'GLIBC_2.9', 'GLIBC_2.17', 'GCC_3.0'], []],
  [['GLIBC_2.18'], ['GLIBC_2.18']],
  [['GLIBC_2.17.1'], ['GLIBC_2.17.1']],
  [['GLIBC_3.0'], ['GLIBC_3.0']],
  [['GLIBC_PRIVATE'], ['GLIBC_PRIVATE']],
])('of %j above 2.17 are %j', async (versions, expected) => {
  const found = await evaluate(`
    import { aboveFloor } from './scripts/lib/elf.mjs';
    console.log(JSON.stringify(aboveFloor(${JSON.stringify(versions)}, '2.17')));
  `);
  expect(found).toEqual(expected);
});

describe('a native file', () => {
  const misfits = (target, floor, file = elfFile()) =>
    evaluate(`
      import { misfits } from './scripts/lib/elf.mjs';
      const file = Buffer.from('${file.toString('base64')}', 'base64');
      console.log(JSON.stringify(misfits(${JSON.stringify(target)}, file, '${floor}')));
    `);

  test('fits its processor, its C library and the floor', async () => {
    expect(await misfits({ cpu: 'x64', libc: 'glibc' }, '2.34')).toEqual([]);
  });

  test('does not fit another processor, nor an older glibc', async () => {
    expect(await misfits({ cpu: 'arm64', libc: 'glibc' }, '2.17')).toEqual([
      'expected machine 183 (arm64), got 62',
      'expected symbols of glibc up to 2.17, got GLIBC_2.29, GLIBC_2.34',
    ]);
  });

  test('for glibc does not fit musl, nor the other way round', async () => {
    const target = { cpu: 'x64', libc: 'musl' };
    expect(await misfits(target, '2.34')).toEqual(['expected a file for musl, got one for glibc']);
    const file = elfFile();
    file.writeUInt32LE(0, 64 + 80 + 33 + 0x04);
    file.writeUInt16LE(1, 0x3c);
    expect(await misfits(target, '2.34', file)).toEqual([]);
    expect(await misfits({ cpu: 'x64', libc: 'glibc' }, '2.34', file)).toEqual([
      'expected a file for glibc, got one without glibc',
    ]);
  });
});

test('the check refuses a file that is no native file', () => {
  const run = () =>
    execFileSync(process.execPath, ['scripts/check-native.mjs', 'linux-x64-gnu', 'package.json'], {
      cwd: ROOT,
      stdio: 'pipe',
      encoding: 'utf8',
    });
  expect(run).toThrow(/expected an ELF file/);
});
