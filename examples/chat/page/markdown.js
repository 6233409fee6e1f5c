'use strict';
// The part of Markdown that agents write, as elements. Text only ever becomes text: nothing an agent says
// can be markup, an image that is fetched, or a link that is followed.

const BLOCKS = [
  { start: /^`{3,}/, build: fence },
  { start: /^(#{1,6})\s+(.*)$/, build: heading },
  { start: /^\s*[-*+]\s+/, build: (lines) => list('ul', lines, /^\s*[-*+]\s+/) },
  { start: /^\s*\d+[.)]\s+/, build: (lines) => list('ol', lines, /^\s*\d+[.)]\s+/) },
];
const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)\s]*\)/g;

/** @param {string} text */
function markdown(text) {
  const fragment = document.createDocumentFragment();
  const lines = text.split('\n');
  while (lines.length > 0) {
    const block = BLOCKS.find(({ start }) => start.test(lines[0]));
    if (block !== undefined) fragment.append(block.build(lines));
    else if (lines[0].trim() === '') lines.shift();
    else fragment.append(paragraph(lines));
  }
  return fragment;
}

function fence(lines) {
  const [marks] = /^`+/.exec(lines.shift());
  const end = lines.findIndex((line) => line.startsWith(marks));
  // Not yet closed while it streams.
  const code = lines.splice(0, end === -1 ? lines.length : end);
  lines.shift();
  return element('pre', {}, element('code', {}, code.join('\n')));
}

function heading(lines) {
  const [, marks, text] = /^(#{1,6})\s+(.*)$/.exec(lines.shift());
  return element(`h${Math.min(marks.length + 2, 6)}`, {}, ...inline(text));
}

function list(tag, lines, mark) {
  const items = [];
  while (lines.length > 0 && mark.test(lines[0])) {
    items.push(element('li', {}, ...inline(lines.shift().replace(mark, ''))));
  }
  return element(tag, {}, ...items);
}

function paragraph(lines) {
  const own = [lines.shift()];
  const isNext = (line) => line.trim() !== '' && !BLOCKS.some(({ start }) => start.test(line));
  while (lines.length > 0 && isNext(lines[0])) own.push(lines.shift());
  return element('p', {}, ...inline(own.join('\n')));
}

function inline(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, link] = match;
    parts.push(text.slice(end, match.index));
    parts.push(
      code !== undefined ? element('code', {}, code) : element('strong', {}, strong ?? link),
    );
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
function element(tag, attributes, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

module.exports = { element, markdown };
