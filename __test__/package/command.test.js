'use strict';
// The command of the package, out of the packed package.

const { describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const path = require('node:path');
const { usePackedPackage } = require('./unpack');

const { app, node } = usePackedPackage();

describe('the packed package', () => {
  test('has the command check, which loads a module beside it', async () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(app.target, 'package.json'), 'utf8'));
    const source = `
      const { MiniMe } = require('mini-me-client');
      exports.client = new MiniMe({ tools: [{ name: 'ping', description: 'Pongs.', handle: () => 1 }] });
    `;
    fs.writeFileSync(path.join(app.folder, 'tools.js'), source);
    const command = path.join(app.target, manifest.bin['mini-me-client']);
    expect(await node(command, 'check', 'tools.js')).toMatch(/^client_ping\n.*\n\n1 tool, 0/su);
    // npm links to it, and the link is run.
    if (process.platform !== 'win32') fs.accessSync(command, fs.constants.X_OK);
  });
});
