'use strict';
// Content of a prompt: what may be given, and what this agent takes.

const { createError } = require('./errors');
const { isObject, member } = require('./json');
const { show } = require('./show');

/** @typedef {import('../index').ContentBlock} ContentBlock */

/**
 * Kinds of blocks that need a prompt capability of the agent; the others every agent takes.
 * @type {Readonly<Record<string, string>>}
 */
const NEEDS = { image: 'image', audio: 'audio', resource: 'embeddedContext' };
/**
 * The members each kind of block must have; text, but for `resource`, which is an object.
 * @type {Readonly<Record<ContentBlock['type'], readonly string[]>>}
 */
const MEMBERS = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: ['resource'],
};

/**
 * What a member has to be that is not just any string.
 * @type {Readonly<Record<string, string>>}
 */
const KINDS = { data: 'a string in base64', resource: 'an object' };

/**
 * The blocks of a prompt; throws what is wrong with it.
 * @param {unknown} input
 * @param {(need: string) => boolean} can whether the agent has this prompt capability
 * @returns {readonly ContentBlock[]}
 */
function promptContent(input, can) {
  if (typeof input === 'string') return [{ type: 'text', text: input }];
  const blocks = Array.isArray(input) ? input : [input];
  if (blocks.length === 0) {
    throw createError('MM_ERR_OPTION', 'prompt: expected at least one content block, got none');
  }
  for (const block of blocks) checkBlock(block, can);
  return blocks;
}

/**
 * @param {unknown} block
 * @param {(need: string) => boolean} can
 */
function checkBlock(block, can) {
  const type = member(block, 'type');
  if (!isKind(type)) {
    const kinds = Object.keys(MEMBERS).join(', ');
    const message = `prompt: expected text, or content blocks of type ${kinds}; got ${show(block)}`;
    throw createError('MM_ERR_OPTION', message);
  }
  for (const name of MEMBERS[type]) {
    const value = member(block, name);
    if (name === 'resource' ? isObject(value) : typeof value === 'string') continue;
    const kind = KINDS[name] ?? 'a string';
    const message = `prompt: expected the member ${name} of a block of type ${type} to be ${kind}, got ${show(value)}`;
    throw createError('MM_ERR_OPTION', message);
  }
  const need = NEEDS[type];
  if (need !== undefined && !can(need)) {
    const message = `prompt: expected an agent that takes ${type} blocks (promptCapabilities.${need}); this one does not`;
    throw createError('MM_ERR_UNSUPPORTED', message, { type, capability: need });
  }
}

/**
 * @param {unknown} type
 * @returns {type is ContentBlock['type']}
 */
function isKind(type) {
  return typeof type === 'string' && Object.hasOwn(MEMBERS, type);
}

module.exports = { promptContent };
