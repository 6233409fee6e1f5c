// Programs that run on an old Node.js, whose path OLD_NODE gives: `npm run test:node16`.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { capture, ROOT } from '../../scripts/lib/run.mjs';

const { OLD_NODE } = process.env;

/** Files that are programs, or that only a bundle for a browser loads. */
const NO_MODULES = [
  'mcp-bridge.js',
  'browser.js',
  'stand-in.js',
  path.join('bin', 'mini-me-client.js'),
];

async function output(...args) {
  const options = { quiet: true, env: { MM_BIN: '' } };
  const { status, stdout, stderr } = await capture(OLD_NODE, args, options);
  assert.equal(status, 0, `${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

test('it is Node.js 16.17', async () => {
  assert.match(await output('--version'), /^v16\.17\./);
});

test('every file of js/ loads', async () => {
  const files = readdirSync(path.join(ROOT, 'js'), { recursive: true });
  const modules = files.filter((file) => file.endsWith('.js') && !NO_MODULES.includes(file));
  assert.ok(modules.length > 50);
  const lines = modules.map((file) => `require(${JSON.stringify(path.join(ROOT, 'js', file))});`);
  await output('--eval', lines.join('\n'));
});

for (const args of [[], ['--request']]) {
  test(`the demo runs ${args}`, async () => {
    assert.match(await output('examples/host-info/client.js', ...args), /\[end_turn\]/);
  });
}

test('the example tests of a tool pass', async () => {
  assert.match(await output('examples/testing/size-of.test.js'), /^# pass 3$/m);
});

test('calls are aborted by the agent and by the end of a turn; files; the login shell', async () => {
  assert.match(await output('__test__/node16/cancels.js'), /^passed on v16/);
});

test('the command check shows tools', async () => {
  const printed = await output(
    'js/bin/mini-me-client.js',
    'check',
    'examples/host-info/host-info.js',
  );
  assert.match(printed, /^client_host_info$/m);
});
