'use strict';
// Reading a recorded dialogue: what was shortened or left out is put back.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { expect, test } = require('@jest/globals');
const { readDialogue } = require('./player/dialogue');

function read(...entries) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-dialogue-'));
  const file = path.join(folder, 'dialogue.jsonl');
  fs.writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  try {
    return readDialogue(file);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const ofClient = (line, more = {}) => ({ dir: 'client->agent', line, ...more });

test('each line has its speaker, its text and its message', () => {
  const lines = read(ofClient('{"id":1}'), { dir: 'agent-stderr', line: '{}', partial: true });
  expect(lines).toEqual([
    { from: 'client', text: '{"id":1}', message: { id: 1 }, id: '1', isPartial: false },
    { from: 'stderr', text: '{}', message: undefined, id: undefined, isPartial: true },
  ]);
});

test.each([
  ['{"jsonrpc":"2.0","id":1.50,"method":"m"}', '1.50'],
  ['{"id":12345678901234567890}', '12345678901234567890'],
  ['{"id":{"a":1},"method":"m"}', '{"a":1}'],
  ['{"id": "a b"}', '"a b"'],
  ['{"method":"m","id":7}', '7'],
  ['{"params":{"id":7},"method":"m"}', undefined],
  ['no JSON', undefined],
])('an id keeps its text: %s', (line, id) => {
  expect(read(ofClient(line))[0].id).toBe(id);
});

test('a note of lines left out stands for as many as the one before', () => {
  const note = { dir: 'note', line: '… 3 lines left out …' };
  const lines = read(ofClient('{"method":"m"}'), note, ofClient('{"method":"n"}'));
  expect(lines.map(({ message }) => message.method)).toEqual(['m', 'm', 'm', 'm', 'n']);
});

test.each([
  ['{"a":"x…x"}', `{"a":"${'x'.repeat(12)}"}`],
  ['["\\u00…c"]', '["xxxxc"]'],
  ['["é…é"]', '["éxxxxé"]'],
  ['[{"text":"yy…]', '[{"text":"yyyyy","type":"text"}]'],
])('a line that was cut gets its length back: %s', (line, text) => {
  expect(read(ofClient(line, { cutFrom: Buffer.byteLength(text) }))[0].text).toBe(text);
});

test.each([
  ['a cut outside of strings', ofClient('{"a":[true…false]}', { cutFrom: 100 })],
  ['a length shorter than what is left', ofClient('{"a":"x…x"}', { cutFrom: 5 })],
  ['a note of anything else', { dir: 'note', line: 'hello' }],
  ['a note in front of all lines', { dir: 'note', line: '… 3 lines left out …' }],
  ['an unknown speaker', { dir: 'agent->model', line: '{}' }],
])('%s is refused', (_, entry) => {
  expect(() => read(entry)).toThrow('expected');
});
