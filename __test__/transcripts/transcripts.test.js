'use strict';
// Every recorded dialogue, played against the client through the addon. Where this client does
// something else than the recorded one, player/catalogue.js names the rule.

const fs = require('node:fs');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
const { describe, expect, test } = require('@jest/globals');
const { CATALOGUE } = require('./player/catalogue');
const { readDialogue } = require('./player/dialogue');
const { play } = require('./player/play');

const RECORDED = path.join(__dirname, 'recorded');

test('the catalogue has every dialogue there is', () => {
  const files = fs.readdirSync(RECORDED).filter((file) => file.endsWith('.jsonl'));
  expect(files).toEqual(Object.keys(CATALOGUE).map((name) => `${name}.jsonl`));
});

describe.each(Object.entries(CATALOGUE))('%s', (name, { shows, instead = [], diagnostics }) => {
  test(shows, async () => {
    let script = readDialogue(path.join(RECORDED, `${name}.jsonl`));
    for (const [rule, because] of instead) {
      const before = script;
      script = rule(before);
      // A rule that changes nothing would hide that this client has become like the recorded one.
      if (isDeepStrictEqual(script, before)) {
        throw new Error(`expected ${rule.name} to change the dialogue, since ${because}`);
      }
    }
    await play(script, diagnostics);
  }, 30_000);
});
