'use strict';
// Opens files inside the roots, and only there, though links, `..` and other programs move what a path
// leads to while it is looked at. What is kept and what is not: docs/files.md.

const { constants, promises: fs } = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { RpcError } = require('./agent-requests');
const { refusal } = require('./workspace-paths');
const { Roots, outside } = require('./workspace-roots');

const RESOURCE_NOT_FOUND = -32002;

/** How often a path is looked at anew when it changed between the look and the opening. */
const TRIES = 5;
/** What an opening says then. */
const CHANGED = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EEXIST']);

// Windows has none of these. A FIFO must not hold up the opening, a terminal not become ours.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0, O_DIRECTORY = 0 } = constants;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
/** macOS 11: no link anywhere in the path. It excludes O_NOFOLLOW, and Node.js has no name for it. */
const O_NOFOLLOW_ANY = 0x2000_0000;
const NO_LINK = process.platform === 'darwin' ? O_NOFOLLOW_ANY : O_NOFOLLOW;
const CAREFULLY = NO_LINK | O_NONBLOCK | O_NOCTTY;

/**
 * @typedef {import('node:fs/promises').FileHandle} FileHandle
 *
 * @typedef {object} Folder a folder inside a root
 * @property {string} at names it as long as it is held
 * @property {() => Promise<void>} leave
 */

/** The error of a file that is not there. */
class Missing extends RpcError {
  /** @param {string} given */
  constructor(given) {
    const uri = pathToFileURL(given).href;
    super(RESOURCE_NOT_FOUND, `Resource not found: ${uri}`, { uri });
  }
}

/**
 * One request's view of the roots.
 *
 * Linux names what is below an open folder (`/proc/self/fd/7/name`) and says where that folder is. So a
 * folder is opened, found to be inside, and used by its handle: what its path leads to meanwhile is no
 * matter. Elsewhere what was opened is compared with what the path leads to afterwards.
 */
class Workspace {
  #roots;
  #hasHandleNames;

  /**
   * @param {Roots} roots
   * @param {boolean} hasHandleNames whether `/proc/self/fd` is there
   */
  constructor(roots, hasHandleNames) {
    this.#roots = roots;
    this.#hasHandleNames = hasHandleNames;
  }

  /**
   * @param {readonly string[]} folders
   * @param {{ hasHandleNames?: boolean }} [options]
   */
  static async of(folders, { hasHandleNames } = {}) {
    return new Workspace(await Roots.of(folders), hasHandleNames ?? (await canNameHandles()));
  }

  /**
   * Opens a file that is there, to read it.
   * @param {string} given
   */
  openToRead(given) {
    return persist(async () => {
      const { real, missing } = await this.#roots.find(given);
      if (missing.length > 0) throw new Missing(given);
      return this.#openThere(given, real, O_RDONLY);
    });
  }

  /**
   * Opens a file to write it, content untouched; makes it, and folders on the way, where they are missing.
   * @param {string} given
   */
  openToWrite(given) {
    return persist(async () => {
      const { real, missing } = await this.#roots.find(given);
      return missing.length === 0
        ? this.#openThere(given, real, O_WRONLY)
        : this.#create(given, real, missing);
    });
  }

  /**
   * @param {string} given
   * @param {string} real
   * @param {number} access
   */
  async #openThere(given, real, access) {
    if (this.#roots.includes(real)) throw refusal('the path of a file', given);
    const folder = await this.#enter(given, path.dirname(real));
    try {
      const file = path.join(folder.at, path.basename(real));
      // Opening a FIFO or a device can do something already.
      requireFile(given, await fs.lstat(file));
      return await this.#openIn(given, file, access | CAREFULLY);
    } finally {
      await folder.leave();
    }
  }

  /**
   * @param {string} given
   * @param {string} real
   * @param {readonly string[]} missing
   */
  async #create(given, real, missing) {
    const file = missing[missing.length - 1] ?? '';
    let folder = await this.#enter(given, real);
    try {
      for (const name of missing.slice(0, -1)) {
        const below = path.join(folder.at, name);
        await fs.mkdir(below).catch(unlessThere);
        const next = await this.#enter(given, below);
        await folder.leave();
        folder = next;
      }
      const flags = O_WRONLY | O_CREAT | O_EXCL | CAREFULLY;
      return await this.#openIn(given, path.join(folder.at, file), flags);
    } finally {
      await folder.leave();
    }
  }

  /**
   * @param {string} given
   * @param {string} file
   * @param {number} flags
   */
  async #openIn(given, file, flags) {
    const handle = await fs.open(file, flags, 0o666);
    try {
      requireFile(given, await handle.stat());
      if (!this.#hasHandleNames) await this.#recheck(given, file, handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * @param {string} given
   * @param {string} real
   * @returns {Promise<Folder>}
   */
  async #enter(given, real) {
    if (!this.#hasHandleNames) {
      this.#roots.requireInside(given, await fs.realpath(real));
      return { at: real, leave: () => Promise.resolve() };
    }
    const handle = await fs.open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const at = `/proc/self/fd/${handle.fd}`;
      this.#roots.requireInside(given, await fs.readlink(at));
      return { at, leave: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Whether what was opened is what the path leads to, inside.
   * @param {string} given
   * @param {string} file
   * @param {FileHandle} handle
   */
  async #recheck(given, file, handle) {
    const real = await fs.realpath(file);
    this.#roots.requireInside(given, real);
    const [opened, there] = await Promise.all([
      handle.stat({ bigint: true }),
      fs.lstat(real, { bigint: true }),
    ]);
    if (opened.dev !== there.dev || opened.ino !== there.ino) throw outside(given);
  }
}

/**
 * Looks again when what was looked at had changed before it was opened.
 * @template T
 * @param {() => Promise<T>} open
 * @returns {Promise<T>}
 */
async function persist(open) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (tries === TRIES || !CHANGED.has(String(code))) throw error;
    }
  }
}

/** @param {NodeJS.ErrnoException} error */
function unlessThere(error) {
  if (error.code !== 'EEXIST') throw error;
}

/**
 * @param {string} given
 * @param {import('node:fs').Stats} stats
 */
function requireFile(given, stats) {
  if (!stats.isFile()) throw refusal('the path of a file', given);
}

/** Whether the system names what is below an open folder: Linux, where /proc is mounted. */
function canNameHandles() {
  if (process.platform !== 'linux') return false;
  return fs.access('/proc/self/fd').then(
    () => true,
    () => false,
  );
}

module.exports = { Missing, Workspace };
