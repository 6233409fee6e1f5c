'use strict';
// What the native side keeps of updates (src/client/kept/), as it comes back: JSON of entries, each the
// text of a plain chunk, or the params of an update.

const { isObject } = require('./json');
const { textUpdate } = require('./turn');

/**
 * @typedef {import('./types').RawUpdate} RawUpdate
 * @typedef {{ update: RawUpdate, size: number }} Kept with its size in bytes, an estimate
 */

/** How far the lane was delivered. */
class Progress {
  /** How many updates were delivered whole: the number of the one that is being delivered, or comes next. */
  updates = 0;
}

/**
 * @param {readonly unknown[]} entries
 * @param {number} bytes of all of them
 * @param {string} sessionId
 * @returns {Kept[]}
 */
function keptUpdates(entries, bytes, sessionId) {
  const size = bytes / entries.length;
  /** @type {Kept[]} */
  const kept = [];
  for (const entry of entries) {
    if (typeof entry === 'string') kept.push({ update: textUpdate(entry), size });
    // As it was delivered: what is no update of this session was told, and is none here either.
    else if (isNotification(entry) && entry.sessionId === sessionId)
      kept.push({ update: entry.update, size });
  }
  return kept;
}

/**
 * @param {unknown} params
 * @returns {params is { sessionId: string, update: RawUpdate }}
 */
function isNotification(params) {
  return isObject(params) && typeof params.sessionId === 'string' && isObject(params.update);
}

module.exports = { Progress, isNotification, keptUpdates };
