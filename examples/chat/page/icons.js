'use strict';
// The few icons of the page, 16 × 16, in the color of the text around them.

const SVG = 'http://www.w3.org/2000/svg';

const PATHS = {
  check: 'M3.2 8.4 6.4 11.6 12.8 4.8',
  error: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 4.8v4M8 10.8v.6',
  running: 'M8 2.2a5.8 5.8 0 1 1-5.8 5.8',
  shield: 'M8 1.8 13 3.6v4c0 3.2-2.1 5.4-5 6.6-2.9-1.2-5-3.4-5-6.6v-4L8 1.8Z',
  send: 'M2.6 13.4 13.8 8 2.6 2.6 4.2 8l-1.6 5.4ZM4.2 8h5',
  stop: 'M4 4h8v8H4Z',
  spark: 'M8 1.8 9.6 6.4 14.2 8 9.6 9.6 8 14.2 6.4 9.6 1.8 8 6.4 6.4Z',
};

/** @param {keyof typeof PATHS} name */
function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}

module.exports = { icon };
