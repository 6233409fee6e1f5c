'use strict';
// The type tests once more, as the program of a user: against the packed package, with its own dependencies.

const { afterAll, beforeAll, expect, test } = require('@jest/globals');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { unpack } = require('./unpack');
const manifest = require('../../package.json');

const ROOT = path.resolve(__dirname, '../..');
const TYPE_TESTS = path.join(ROOT, '__test__/types');
const TSC = require.resolve('typescript/bin/tsc');

/** What a program of a user has besides this package and what that depends on. */
const LIBRARIES = ['@types/node', '@valibot/to-json-schema', 'arktype', 'valibot', 'zod'];

const RESOLUTIONS = {
  node16: { module: 'node16', moduleResolution: 'node16' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
};

const WRONG = `import { MiniMe } from 'mini-me-client';
new MiniMe({ discovery: 'none' });
`;

let folder;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'mini-me-client-types-'));
  const modules = path.join(folder, 'node_modules');
  await unpack(folder);
  for (const name of [...Object.keys(manifest.dependencies), ...LIBRARIES]) link(modules, name);
  // agreement.ts holds js/ against index.d.ts; js/ is not for users.
  const files = fs.readdirSync(TYPE_TESTS).filter((file) => !/^agreement\.|\.test\.js$/.test(file));
  for (const file of files) fs.copyFileSync(path.join(TYPE_TESTS, file), path.join(folder, file));
  fs.writeFileSync(path.join(folder, 'wrong.ts'), WRONG);
}, 60_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function link(modules, name) {
  const target = path.join(modules, name);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.symlinkSync(path.join(ROOT, 'node_modules', name), target, 'junction');
}

/** What tsc has to say of the files; empty when they are right. */
async function check(options, files) {
  const config = {
    compilerOptions: {
      ...options,
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      resolveJsonModule: true,
    },
    ...files,
  };
  const file = path.join(folder, `tsconfig.${options.moduleResolution}.json`);
  fs.writeFileSync(file, JSON.stringify(config));
  try {
    await promisify(execFile)(process.execPath, [TSC, '--project', file], { cwd: folder });
    return '';
  } catch (error) {
    return error.stdout;
  }
}

test.each(Object.keys(RESOLUTIONS))(
  'with moduleResolution %s every type test passes against the packed package, and a wrong type is found',
  async (name) => {
    // One run for both: each reads the types of all libraries.
    const found = await check(RESOLUTIONS[name], { include: ['*.ts', '*.mts'] });
    expect(found).toMatch(
      /^wrong\.ts\(2,14\): .*Type '"none"' is not assignable to type 'Discovery[^\n]*\n$/,
    );
  },
  60_000,
);

test('the testing kit is found by a resolver that does not read exports', async () => {
  // zod's own types want esModuleInterop there.
  const options = { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true };
  expect(await check(options, { files: ['testing.ts'] })).toBe('');
}, 60_000);
