// The packages of a release, installed from a registry in an empty folder as a user would.
// `npm run test:registry`; Node's own test runner, since all of it is ES modules and child processes.

import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startRegistry } from '../../scripts/lib/registry.mjs';
import { capture, npmCommand, ROOT } from '../../scripts/lib/run.mjs';
import { publishDependencies, publishRelease } from './publish.mjs';

const require = createRequire(import.meta.url);
const nativeTarget = require('../../js/native-target.js');
const [target] = nativeTarget.targetNames(nativeTarget.currentHost());
const PLATFORM_PACKAGE = nativeTarget.packageName(target);

const dependency = (script) => (args) => ({
  command: process.execPath,
  args: [path.join(ROOT, 'node_modules', script), ...args],
});
const pnpm = dependency('pnpm/bin/pnpm.cjs');
const yarnClassic = dependency('yarn/bin/yarn.js');
const yarnBerry = dependency('@yarnpkg/cli-dist/bin/yarn.js');

/** yarn 1 does not know `libc`: on Linux it installs the package of the other C library as well. */
const bothLibcs = (name) => name.replace(/-(gnu|musl)$/, '');

const MANAGERS = {
  npm: { add: npmCommand(['install', '--no-audit', '--no-fund', 'mini-me-client']) },
  pnpm: { add: pnpm(['add', 'mini-me-client']) },
  'yarn 1': { add: yarnClassic(['add', 'mini-me-client']), like: bothLibcs },
  'yarn 4 with node_modules': { add: yarnBerry(['add', 'mini-me-client']) },
};

/** Prints what is loaded, by both ways in. */
const REPORT = `
import { createRequire } from 'node:module';
import { MiniMe } from 'mini-me-client';
import { callTool } from 'mini-me-client/testing';

const require = createRequire(import.meta.url);
const isOneClass = require('mini-me-client').MiniMe === MiniMe;
const { text } = await callTool({ name: 'ping', handle: () => 'pong' });
const natives = Object.keys(require.cache).filter((file) => file.endsWith('.node'));
console.log(JSON.stringify({ isOneClass, text, natives }));
`;

let scratch;
let registry;
let env;

before(async () => {
  scratch = mkdtempSync(path.join(realpathSync(tmpdir()), 'mini-me-client-registry-'));
  registry = await startRegistry();
  env = environment();
  await publishDependencies(scratch, registry.url);
  await publishRelease(scratch, env);
  // npm asks for a package before it publishes it.
  registry.missing.clear();
});

after(() => {
  registry?.close();
  if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
});

/** Nothing of the user's own settings, and a home of its own for every cache. */
function environment() {
  const home = path.join(scratch, 'home');
  mkdirSync(home);
  const { host } = new URL(registry.url);
  writeFileSync(path.join(home, '.npmrc'), `//${host}/:_authToken=nobody\n`);
  const own = Object.keys(process.env).filter((name) => /^(npm|pnpm|yarn)_/i.test(name));
  return {
    ...Object.fromEntries(own.map((name) => [name, undefined])),
    MM_BIN: undefined,
    HOME: home,
    USERPROFILE: home,
    XDG_CACHE_HOME: path.join(home, 'cache'),
    XDG_DATA_HOME: path.join(home, 'data'),
    NO_PROXY: '127.0.0.1',
    npm_config_registry: registry.url,
    npm_config_update_notifier: 'false',
    YARN_REGISTRY: registry.url,
    YARN_NPM_REGISTRY_SERVER: registry.url,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_NODE_LINKER: 'node-modules',
    YARN_ENABLE_GLOBAL_CACHE: 'false',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    YARN_ENABLE_TELEMETRY: 'false',
    // It waits a day before it takes what was just published.
    YARN_NPM_MINIMAL_AGE_GATE: '0',
  };
}

/** Runs a command, and gives what it printed. */
async function output({ command, args }, cwd) {
  const { status, stdout, stderr } = await capture(command, args, { cwd, env, quiet: true });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const node = (...args) => ({ command: process.execPath, args });

function emptyFolder(name) {
  const folder = path.join(scratch, name);
  mkdirSync(folder);
  // yarn 4 takes the nearest folder with a lock file for the project.
  writeFileSync(path.join(folder, 'package.json'), '{ "name": "app", "private": true }');
  writeFileSync(path.join(folder, 'yarn.lock'), '');
  return folder;
}

/** The platform packages that are anywhere in node_modules. */
function platformPackages(folder) {
  const files = readdirSync(path.join(folder, 'node_modules'), { recursive: true });
  const names = files.filter((file) => /(^|[\\/])mini-me-client-[a-z0-9-]+$/.test(file));
  return [...new Set(names.map((file) => path.basename(file)))];
}

for (const [name, { add, like = (value) => value }] of Object.entries(MANAGERS)) {
  describe(name, () => {
    let folder;
    before(async () => {
      folder = emptyFolder(name.replaceAll(' ', '-'));
      await output(add, folder);
    });

    test('installs the package of this platform, and no other', () => {
      const found = platformPackages(folder);
      assert.ok(found.includes(PLATFORM_PACKAGE), `found ${found}`);
      assert.deepEqual(new Set(found.map(like)), new Set([like(PLATFORM_PACKAGE)]));
    });

    test('has one class and one native file for require and import', async () => {
      const file = path.join(folder, 'report.mjs');
      writeFileSync(file, REPORT);
      const { isOneClass, text, natives } = JSON.parse(await output(node(file), folder));
      assert.equal(isOneClass, true);
      assert.equal(text, 'pong');
      assert.equal(natives.length, 1);
      assert.match(natives[0], new RegExp(`${PLATFORM_PACKAGE}[\\\\/][^\\\\/]+\\.node$`));
    });

    test('runs the demo', async () => {
      cpSync(path.join(ROOT, 'examples/host-info'), path.join(folder, 'host-info'), {
        recursive: true,
      });
      const printed = await output(node('host-info/client.js'), folder);
      assert.match(printed, /client: host_info/);
      assert.match(printed, /\[end_turn\]/);
    });
  });
}

describe('for another platform', () => {
  const yaml = 'supportedArchitectures:\n  os: [darwin, win32]\n  cpu: [arm64]\n';
  const both = ['mini-me-client-darwin-arm64', 'mini-me-client-win32-arm64-msvc'];

  test('npm takes --os, --cpu and --libc', async () => {
    const folder = emptyFolder('other-npm');
    const { add } = MANAGERS.npm;
    const wish = ['--os=linux', '--cpu=arm64', '--libc=musl'];
    await output({ ...add, args: [...add.args, ...wish] }, folder);
    assert.deepEqual(platformPackages(folder), ['mini-me-client-linux-arm64-musl']);
  });

  test('pnpm takes supportedArchitectures', async () => {
    const folder = emptyFolder('other-pnpm');
    writeFileSync(path.join(folder, 'pnpm-workspace.yaml'), yaml);
    await output(MANAGERS.pnpm.add, folder);
    assert.deepEqual(platformPackages(folder).sort(), both);
  });

  test('yarn 4 takes supportedArchitectures', async () => {
    const folder = emptyFolder('other-yarn');
    writeFileSync(path.join(folder, '.yarnrc.yml'), yaml);
    await output(MANAGERS['yarn 4 with node_modules'].add, folder);
    assert.deepEqual(platformPackages(folder).sort(), both);
  });
});

test('without optional dependencies the error names each file, and the remedy', async () => {
  const folder = emptyFolder('omitted');
  const { add } = MANAGERS.npm;
  await output({ ...add, args: [...add.args, '--omit=optional'] }, folder);
  const file = path.join(folder, 'main.js');
  writeFileSync(
    file,
    "const { MiniMe } = require('mini-me-client');\n" +
      'try { new MiniMe().modelTools(); } catch (error) { console.log(error.code, error.message); }\n',
  );
  const printed = await output(node(file), folder);
  assert.match(printed, /^MM_ERR_NATIVE /);
  assert.ok(printed.includes(`${nativeTarget.fileName(target)}: no such file`), printed);
  assert.ok(printed.includes(`${PLATFORM_PACKAGE}: not installed`), printed);
  assert.match(printed, /without omitting optional dependencies/);
});

test('a clone is not published by mistake', async () => {
  const { command, args } = npmCommand(['publish', ROOT, '--registry', registry.url]);
  const { status, stderr } = await capture(command, args, { cwd: scratch, env, quiet: true });
  assert.notEqual(status, 0);
  assert.match(stderr, /expected to publish what `npm run pack:release` makes/);
});

test('nothing was asked for that is not published', () => {
  assert.deepEqual([...registry.missing], []);
});
