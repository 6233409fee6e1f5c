'use strict';
// A report as text: a block for each tool, then warnings and errors, then a line that counts them.

/** Narrower than this no text is wrapped to. */
const LEAST_COLUMNS = 24;
const HEADINGS = ['parameter', 'type', 'required', 'description'];
const STYLES = { bold: 1, dim: 2, red: 31, yellow: 33 };

/**
 * @typedef {import('./review').Report} Report
 * @typedef {import('./review').Problem} Problem
 * @typedef {(style: keyof typeof STYLES, text: string) => string} Paint
 */

/**
 * @param {Report} report
 * @param {{ columns: number, isColored: boolean }} options
 */
function printed({ tools, warnings, errors }, { columns, isColored }) {
  /** @type {Paint} */
  const paint = (style, text) => (isColored ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text);
  const blocks = tools.map((tool) => toolLines(tool, columns, paint));
  const found = [
    ...warnings.flatMap(({ tool, message }) =>
      findingLines(paint('yellow', 'warning'), `${tool}: ${message}`, columns),
    ),
    ...errors.flatMap((error) => findingLines(paint('red', 'error'), problemText(error), columns)),
  ];
  const counts = [
    count(tools.length, 'tool'),
    count(warnings.length, 'warning'),
    count(errors.length, 'error'),
  ];
  const parts = [...blocks, found, [counts.join(', ')]].filter((lines) => lines.length > 0);
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/**
 * @param {import('./review').ReviewedTool} tool
 * @param {number} columns
 * @param {Paint} paint
 */
function toolLines({ view, method, parameters }, columns, paint) {
  const lines = [paint('bold', view.name), `  ${paint('dim', method)}`];
  lines.push(...indented(wrapped(view.description, columns - 2), 2));
  if (parameters.length === 0) return [...lines, '', `  ${paint('dim', 'no parameters')}`];
  const rows = parameters.map(({ name, type, isRequired, description }) => [
    name,
    type,
    isRequired ? 'yes' : '',
    description,
  ]);
  const [headings, ...rest] = tableLines([HEADINGS, ...rows], columns - 2);
  return [...lines, '', `  ${paint('dim', headings ?? '')}`, ...indented(rest, 2)];
}

/**
 * Cells in columns; the last is wrapped to what is left.
 * @param {readonly (readonly string[])[]} rows
 * @param {number} columns
 */
function tableLines(rows, columns) {
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((row) => lengthOf(row[at] ?? ''))));
  const indent = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  return rows.flatMap((row) => {
    const cells = row.slice(0, -1).map((cell, at) => padded(cell, (widths[at] ?? 0) + 2));
    const [first = '', ...rest] = wrapped(row.at(-1) ?? '', columns - indent);
    return [`${cells.join('')}${first}`.trimEnd(), ...indented(rest, indent)];
  });
}

/**
 * @param {string} kind
 * @param {string} text
 * @param {number} columns
 */
function findingLines(kind, text, columns) {
  const [first, ...rest] = wrapped(text, columns - 'warning: '.length);
  return [`${kind}: ${first}`, ...indented(rest, 2)];
}

/** @param {Problem} problem */
function problemText({ code, where, message }) {
  return `${where === undefined ? '' : `${where}: `}${message}${code === undefined ? '' : ` (${code})`}`;
}

/**
 * Lines of at most so many characters, where words allow it; line feeds of the text are kept.
 * @param {string} text
 * @param {number} columns
 */
function wrapped(text, columns) {
  const most = Math.max(columns, LEAST_COLUMNS);
  return text.split('\n').flatMap((paragraph) => {
    const lines = [''];
    for (const word of paragraph.split(/\s+/u)) {
      const line = lines.at(-1) ?? '';
      if (line === '') lines[lines.length - 1] = word;
      else if (lengthOf(line) + 1 + lengthOf(word) <= most)
        lines[lines.length - 1] = `${line} ${word}`;
      else lines.push(word);
    }
    return lines;
  });
}

/**
 * @param {readonly string[]} lines
 * @param {number} width
 */
function indented(lines, width) {
  return lines.map((line) => `${' '.repeat(width)}${line}`.trimEnd());
}

/** @param {string} text */
function lengthOf(text) {
  return [...text].length;
}

/**
 * @param {string} text
 * @param {number} width
 */
function padded(text, width) {
  return text + ' '.repeat(Math.max(width - lengthOf(text), 0));
}

/**
 * @param {number} number
 * @param {string} noun
 */
function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

module.exports = { printed };
