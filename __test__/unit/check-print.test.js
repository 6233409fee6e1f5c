'use strict';
// The report of `mini-me-client check`, on terminals of any width and with colors.

const { expect, test } = require('@jest/globals');
const { stripVTControlCharacters } = require('node:util');
const { printed } = require('../../js/check/print');

const REPORT = {
  tools: [
    {
      view: { name: 'client_a', description: 'One.\n\nTwo words.', inputSchema: {} },
      method: '_m/a',
      parameters: [
        {
          name: 'é',
          type: 'string',
          isRequired: true,
          description: 'A somewhat longer description.',
        },
      ],
    },
  ],
  warnings: [{ code: 'no-description', tool: 'client_a', message: 'expected more' }],
  errors: [{ code: 'MM_ERR_TOOL', where: 'b', message: 'no tool' }],
};

test('what goes to no terminal has no colors', () => {
  expect(printed(REPORT, { columns: 100, isColored: false })).toBe(`client_a
  _m/a
  One.

  Two words.

  parameter  type    required  description
  é          string  yes       A somewhat longer description.

warning: client_a: expected more
error: b: no tool (MM_ERR_TOOL)

1 tool, 1 warning, 1 error
`);
});

test('a terminal has names, headings and kinds in colors, and the same words', () => {
  const text = printed(REPORT, { columns: 100, isColored: true });
  expect(text).toContain('\u001B[1mclient_a\u001B[0m\n');
  expect(text).toContain('\u001B[33mwarning\u001B[0m: client_a');
  expect(text).toContain('\u001B[31merror\u001B[0m: b');
  const plain = stripVTControlCharacters(text);
  expect(plain).toBe(printed(REPORT, { columns: 100, isColored: false }));
});

test('the last column is wrapped under itself, down to a width that can be read', () => {
  const lines = printed(REPORT, { columns: 10, isColored: false }).split('\n');
  const at = lines.findIndex((line) => line.includes('é'));
  expect(lines.slice(at, at + 2)).toEqual([
    '  é          string  yes       A somewhat longer',
    '                               description.',
  ]);
});
