#!/usr/bin/env node
'use strict';
// The command that stands in for mm: `node stand-in.js -acp [-agent FILE]`. The agent is in the native
// file; here it gets its command line and this process its exit status.

const { binding } = require('./native');

async function main() {
  try {
    process.exitCode = await binding().runStandIn(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}

void main();
