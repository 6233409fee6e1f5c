'use strict';
// The folders an agent's files are kept to: where a path leads, and whether that is inside.

const { promises: fs } = require('node:fs');
const path = require('node:path');
const { isInside, refusal, stepsOf } = require('./workspace-paths');

/**
 * @typedef {object} Place what a path leads to
 * @property {string} real what is there of it: a real path inside a root
 * @property {string[]} missing names below that are not there
 */

/** The roots as they are for one request: what their paths lead to now. */
class Roots {
  #places;

  /** @param {readonly string[]} places real paths */
  constructor(places) {
    this.#places = places;
  }

  /** @param {readonly string[]} folders one that is gone has nothing inside */
  static async of(folders) {
    const places = await Promise.all(folders.map((folder) => fs.realpath(folder).catch(() => '')));
    return new Roots(places.filter((place) => place !== ''));
  }

  /** @param {string} place */
  includes(place) {
    return this.#places.includes(place);
  }

  /**
   * @param {string} given
   * @param {string} place a real path
   */
  requireInside(given, place) {
    if (!this.#places.some((root) => isInside(root, place, path))) throw outside(given);
  }

  /**
   * Walks a path as the system does. It answers the same of all that is outside, whether it is there or
   * not; so each folder that `..` leaves has to be inside too.
   * @param {string} given
   * @returns {Promise<Place>}
   */
  async find(given) {
    const { base, names } = stepsOf(given, path);
    for (const [index, name] of names.entries()) {
      if (name !== '..') continue;
      const { missing } = await this.#walk(given, base, names.slice(0, index));
      if (missing.length > 0) throw refusal('no `..` behind a folder that is missing', given);
    }
    return this.#walk(given, base, names);
  }

  /**
   * @param {string} given
   * @param {string} base
   * @param {readonly string[]} names
   * @returns {Promise<Place>}
   */
  async #walk(given, base, names) {
    const { real, missing, error } = await longestReal(base, names);
    this.requireInside(given, real);
    const [first] = missing;
    if (first === undefined) return { real, missing };
    // A link that leads nowhere: writing through it would make its target, wherever that is.
    const isLink = await fs.lstat(path.join(real, first)).then(
      (stats) => stats.isSymbolicLink(),
      () => false,
    );
    if (isLink || missing.includes('..')) throw outside(given);
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    return { real, missing };
  }
}

/**
 * The longest beginning of a path that is there, and why no more of it is.
 * @param {string} base
 * @param {readonly string[]} names
 */
async function longestReal(base, names) {
  /** @type {NodeJS.ErrnoException} */
  let error = new Error();
  for (let count = names.length; count >= 0; count -= 1) {
    try {
      // Not path.join(), which takes `..` away before the system sees it.
      const real = await fs.realpath(base + names.slice(0, count).join(path.sep));
      return { real, missing: names.slice(count), error };
    } catch (caught) {
      if (count === names.length) error = /** @type {NodeJS.ErrnoException} */ (caught);
    }
  }
  return { real: base, missing: [...names], error };
}

/** @param {string} given */
function outside(given) {
  return refusal('a path inside the workspace, and no link out of it or to nowhere', given);
}

module.exports = { Roots, outside };
