'use strict';
// Finds the keyword of JSON Schema that a misspelled one was meant to be.

/** The long ones that hold schemas by name; a short one is too near to names of parameters. */
const KEYWORDS = ['properties', 'patternProperties', 'additionalProperties', 'definitions'];

/** `property` is three changes from `properties`. */
const MOST_CHANGES = 3;

/**
 * @param {string} name
 * @returns {string | undefined}
 */
function keywordNear(name) {
  const lower = name.toLowerCase();
  return KEYWORDS.find((keyword) => {
    const wanted = keyword.toLowerCase();
    if (Math.abs(wanted.length - lower.length) > MOST_CHANGES) return false;
    return changesBetween(lower, wanted) <= MOST_CHANGES;
  });
}

/**
 * How many characters have to be added, left out or replaced to make one text of the other.
 * @param {string} one
 * @param {string} other
 */
function changesBetween(one, other) {
  /** Of what was read of `one`, to each start of `other`. */
  let changes = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, character] of [...one].entries()) {
    const next = [row + 1];
    for (const [at, wanted] of [...other].entries()) {
      const replaced = (changes[at] ?? 0) + (character === wanted ? 0 : 1);
      next.push(Math.min(replaced, (changes[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    changes = next;
  }
  return changes[other.length] ?? 0;
}

module.exports = { keywordNear };
