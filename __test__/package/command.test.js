'use strict';
// The command of the package, out of the packed package.

const { afterAll, beforeAll, describe, expect, test } = require('@jest/globals');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { unpack } = require('./unpack');

let folder;
let target;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'mini-me-client-command-'));
  target = await unpack(folder);
}, 60_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function node(...args) {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return stdout;
}

describe('the packed package', () => {
  test('has the command check, which loads a module beside it', async () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(target, 'package.json'), 'utf8'));
    const source = `
      const { MiniMe } = require('mini-me-client');
      exports.client = new MiniMe({ tools: [{ name: 'ping', description: 'Pongs.', handle: () => 1 }] });
    `;
    fs.writeFileSync(path.join(folder, 'tools.js'), source);
    const command = path.join(target, manifest.bin['mini-me-client']);
    expect(await node(command, 'check', 'tools.js')).toMatch(/^client_ping\n.*\n\n1 tool, 0/su);
    // npm links to it, and the link is run.
    if (process.platform !== 'win32') fs.accessSync(command, fs.constants.X_OK);
  });
});
