// What an ELF file needs: which processor, and which versions of a C library's symbols, which decide how
// old a Linux may be. Read out of the file itself: objdump is not everywhere, nor for every processor.

import { ScriptError } from './say.mjs';

const MAGIC = Buffer.from('\x7fELF', 'latin1');
/** `e_ident`: 64 bits, little-endian; all targets with a glibc are. */
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;

/** `e_machine`, by npm's name of the processor. */
const MACHINES = /** @type {Record<string, number>} */ ({ x64: 62, arm64: 183 });

/** Offsets and sizes: elf(5). */
const MACHINE = 0x12;
const SECTION_TABLE = 0x28;
const SECTION_SIZE = 0x3a;
const SECTION_COUNT = 0x3c;
const SHT_GNU_VERNEED = 0x6ffffffe;

/**
 * What is wrong with a native file for a Linux; empty when it fits.
 * @param {Pick<import('./targets.mjs').Target, 'cpu' | 'libc'>} target
 * @param {Buffer} file
 * @param {string} floor the youngest glibc whose symbols it may ask for
 */
export function misfits({ cpu, libc }, file, floor) {
  const versions = neededVersions(file);
  const machine = file.readUInt16LE(MACHINE);
  const isGlibc = versions.some((version) => version.startsWith('GLIBC_'));
  const found = [];
  if (machine !== MACHINES[cpu])
    found.push(`expected machine ${MACHINES[cpu]} (${cpu}), got ${machine}`);
  if (isGlibc !== (libc === 'glibc'))
    found.push(`expected a file for ${libc}, got one ${isGlibc ? 'for' : 'without'} glibc`);
  const tooYoung = aboveFloor(versions, floor);
  if (isGlibc && tooYoung.length > 0)
    found.push(`expected symbols of glibc up to ${floor}, got ${tooYoung.join(', ')}`);
  return found;
}

/**
 * @param {Buffer} file
 * @returns {string[]} such as `GLIBC_2.17`, each once
 */
export function neededVersions(file) {
  const isElf = MAGIC.equals(file.subarray(0, 4));
  if (!isElf || file[4] !== CLASS_64 || file[5] !== LITTLE_ENDIAN)
    throw new ScriptError('expected an ELF file of 64 bits, little-endian, got another');
  const sections = readSections(file);
  const found = new Set();
  for (const { type, link, offset, entries } of sections) {
    const strings = sections[link];
    if (type !== SHT_GNU_VERNEED || strings === undefined) continue;
    for (const at of namesOf(file, offset, entries)) found.add(textAt(file, strings.offset + at));
  }
  return [...found].sort();
}

/** @param {Buffer} file */
function readSections(file) {
  const table = Number(file.readBigUInt64LE(SECTION_TABLE));
  const size = file.readUInt16LE(SECTION_SIZE);
  return Array.from({ length: file.readUInt16LE(SECTION_COUNT) }, (_, index) => {
    const at = table + index * size;
    return {
      type: file.readUInt32LE(at + 0x04),
      offset: Number(file.readBigUInt64LE(at + 0x18)),
      link: file.readUInt32LE(at + 0x28),
      /** Of this kind of section: how many libraries it names. */
      entries: file.readUInt32LE(at + 0x2c),
    };
  });
}

/**
 * Where in the table of strings the names of the versions are: each library has a chain of them.
 * @param {Buffer} file
 * @param {number} offset of the section
 * @param {number} libraries
 */
function* namesOf(file, offset, libraries) {
  let library = offset;
  for (let left = libraries; left > 0; left -= 1) {
    let version = library + file.readUInt32LE(library + 0x08);
    for (let more = file.readUInt16LE(library + 0x02); more > 0; more -= 1) {
      yield file.readUInt32LE(version + 0x08);
      version += file.readUInt32LE(version + 0x0c);
    }
    library += file.readUInt32LE(library + 0x0c);
  }
}

/**
 * @param {Buffer} file
 * @param {number} at
 */
function textAt(file, at) {
  return file.toString('latin1', at, file.indexOf(0, at));
}

/**
 * Those of glibc that are younger than a floor.
 * @param {readonly string[]} versions
 * @param {string} floor such as `2.17`
 */
export function aboveFloor(versions, floor) {
  return versions.filter((version) => {
    const number = /^GLIBC_([\d.]+)$/.exec(version)?.[1];
    // GLIBC_PRIVATE, GLIBC_ABI_DT_RELR: no number, and no release of ours may ask for one.
    if (number === undefined) return version.startsWith('GLIBC_');
    return isYounger(number, floor);
  });
}

/**
 * @param {string} version
 * @param {string} floor
 */
function isYounger(version, floor) {
  const wanted = floor.split('.').map(Number);
  for (const [index, part] of version.split('.').map(Number).entries()) {
    const other = wanted[index] ?? 0;
    if (part !== other) return part > other;
  }
  return false;
}
