'use strict';
// Types and developer experience: what whoever uses the package sees of it.

const { describe, expect, test } = require('@jest/globals');
const { execFile } = require('node:child_process');
const path = require('node:path');
const { agent, failureOf, useClients } = require('./harness');

const open = useClients();

test('161: the agent gets its arguments exactly as they are given', async () => {
  const tells = agent((agent) => {
    agent.on('argv', () => process.argv.slice(1));
  });
  const args = ['', ' ', 'a b', '"', "'", '\\', '$HOME', '*', 'é😀', '-x', 'a\nb', '%PATH%', '^&|'];
  const client = open({ ...tells, args: [...tells.args, '--', ...args] });
  expect(await client.request('argv')).toEqual(args);
});

describe('errors and data', () => {
  test('160: can be read however they are printed', async () => {
    const errors = [
      await failureOf(open({ command: '/no/such' }).start()),
      await failureOf(
        open(
          agent((agent) => agent.on('x', () => agent.refuse(-5, 'five', { why: 'because' }))),
        ).request('x'),
      ),
    ];
    const forms = [
      String,
      (e) => JSON.stringify(e),
      (e) => e.toString(),
      require('node:util').inspect,
    ];
    for (const error of errors) {
      for (const form of forms) {
        const text = form(error);
        expect(text).toContain(error.code);
        expect(text).not.toContain('[object Object]');
      }
      expect(JSON.stringify(error)).toContain(JSON.stringify(error.message).slice(1, -1));
    }
  });

  test('162: the package is had by require and by import', async () => {
    const source =
      "import { MiniMe } from 'mini-me-client'; import all from 'mini-me-client'; process.stdout.write(String(MiniMe === all.MiniMe));";
    const cwd = path.join(__dirname, '../..');
    const out = await new Promise((resolve, reject) => {
      execFile(process.execPath, ['--input-type=module', '-e', source], { cwd }, (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      );
    });
    expect(out).toBe('true');
  });
});
