'use strict';

const { describe, expect, test } = require('@jest/globals');
const { evaluate } = require('./evaluate');
const manifest = require('../../package.json');

/** What the module under test prints: the sorted names, and those that differ between the two ways in. */
const COMPARE = `
  import { createRequire } from 'node:module';
  import * as imported from 'mini-me-client';
  const required = createRequire(process.cwd() + '/')('mini-me-client');
  const names = Object.keys(required).sort();
  const different = names.filter((name) => imported[name] !== required[name]);
  console.log(JSON.stringify({ names, different, isDefault: imported.default === required }));
`;

describe('the package', () => {
  test('gives the very same members to require and to named imports', async () => {
    const { names, different, isDefault } = await evaluate(COMPARE);
    expect(names).toContain('MiniMe');
    expect(different).toEqual([]);
    expect(isDefault).toBe(true);
  });

  test('loads without the native file, which is looked for when first needed', async () => {
    const source = `
      process.env.MINI_ME_CLIENT_NATIVE = 'absent.node';
      const { MiniMe } = await import('mini-me-client');
      console.log(JSON.stringify(typeof MiniMe));
    `;
    expect(await evaluate(source)).toBe('function');
  });

  test('keeps its inner files to itself', async () => {
    const source = `
      const attempt = import('mini-me-client/js/native.js');
      console.log(JSON.stringify(await attempt.catch(({ code }) => code)));
    `;
    expect(await evaluate(source)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  test('runs nothing when it is installed', () => {
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
  });

  test('depends on types, and on a parser of event streams for the stand-in', () => {
    const names = ['@standard-schema/spec', 'eventsource-parser', 'json-schema-to-ts'];
    expect(Object.keys(manifest.dependencies).sort()).toEqual(names);
  });

  test('loads no code of a dependency, nor the stand-in', async () => {
    const source = `
      import { createRequire } from 'node:module';
      const require = createRequire(process.cwd() + '/');
      const { MiniMe } = require('mini-me-client');
      new MiniMe({ command: 'mm' });
      console.log(JSON.stringify(Object.keys(require.cache)));
    `;
    const loaded = await evaluate(source);
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.filter((file) => /node_modules|stand-in/.test(file))).toEqual([]);
  });

  test('loads for a start no more than a start needs, and what a session needs with the first one', async () => {
    const source = `
      import { createRequire } from 'node:module';
      const require = createRequire(process.cwd() + '/');
      const { MiniMe } = require('mini-me-client');
      const ours = () => Object.keys(require.cache).map((file) => file.split(/[\\\\/]/).pop());
      const builtIn = () => process.moduleLoadList.map((name) => name.split(' ').pop());
      const client = new MiniMe({ command: process.execPath, args: ['js/stand-in.js', '-acp'] });
      await client.start();
      const started = { ours: ours(), builtIn: builtIn() };
      await client.newSession();
      console.log(JSON.stringify({ started, opened: ours() }));
      await client.close();
    `;
    const { started, opened } = await evaluate(source);
    const later = /^(?:conversation|login-shell|session|session-list|terminal|workspace.*)\.js$/;
    expect(started.ours.filter((file) => later.test(file))).toEqual([]);
    expect(started.builtIn.filter((name) => /^(?:child_process|crypto)$/.test(name))).toEqual([]);
    expect(opened).toEqual(expect.arrayContaining(['conversation.js', 'session.js']));
  });
});
