'use strict';
// The package as a user has it: packed, and unpacked where npm would put it.

const { afterAll, beforeAll } = require('@jest/globals');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { evaluate } = require('./evaluate');
const manifest = require('../../package.json');

const ROOT = path.resolve(__dirname, '../..');

/**
 * Packs this package into a folder, and unpacks it there.
 * @param {string} folder
 * @returns {Promise<string>} where it is
 */
async function unpack(folder) {
  const { command, args } = await evaluate(`
    import { npmCommand } from './scripts/lib/run.mjs';
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', ${JSON.stringify(folder)}];
    console.log(JSON.stringify(npmCommand(args)));
  `);
  const { stdout } = await promisify(execFile)(command, args, { cwd: ROOT });
  const [{ filename }] = Object.values(JSON.parse(stdout));
  const target = path.join(folder, 'node_modules', manifest.name);
  fs.mkdirSync(target, { recursive: true });
  const unpacking = ['-xzf', path.join(folder, filename), '-C', target, '--strip-components=1'];
  await promisify(execFile)('tar', unpacking);
  return target;
}

/** Unpacks the package for the tests of a file; gives what runs Node.js beside it. */
function usePackedPackage() {
  const app = { folder: '', target: '' };
  beforeAll(async () => {
    app.folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'mini-me-client-packed-'));
    app.target = await unpack(app.folder);
  }, 60_000);
  afterAll(() => fs.rmSync(app.folder, { recursive: true, force: true }));
  const node = async (...args) => {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: app.folder });
    return stdout;
  };
  return { app, node };
}

module.exports = { unpack, usePackedPackage };
