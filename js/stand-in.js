#!/usr/bin/env node
'use strict';
// The command that stands in for mm: `mm-stand-in -acp [-agent FILE] ...`. The agent is in the native
// file; here it gets its command line and its model, and this process its exit status.

const { binding } = require('./native');
const { drive } = require('./stand-in/driver');

async function main() {
  const native = binding();
  const args = process.argv.slice(2);
  /** @type {{ status?: number, model: import('./stand-in/types').ModelSettings }} */
  const { status, model: settings } = JSON.parse(native.planStandIn(args));
  if (status !== undefined) return status;
  const model = await modelOf(settings);
  const ended = await drive(native, args, model);
  if (model.ignoresEnd) await new Promise(() => setInterval(() => undefined, 2 ** 30));
  return ended;
}

/**
 * @param {import('./stand-in/types').ModelSettings} settings
 * @returns {Promise<import('./stand-in/types').Model>}
 */
async function modelOf(settings) {
  switch (settings.model) {
    case 'script':
      return await require('./stand-in/script').loadScript(String(settings.script));
    case 'openai': {
      const { openai } = require('./stand-in/openai');
      const { baseUrl, modelName: model, apiKey, temperature } = settings;
      return openai(given({ baseUrl, model, apiKey, temperature }));
    }
    default:
      // The rules decide on the native side, and ask nobody.
      return {
        turn: () => {
          throw new Error('expected the rules to decide');
        },
      };
  }
}

/**
 * The members that are not null.
 * @param {Record<string, unknown>} members
 */
function given(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

main().then(
  (status) => process.exit(status),
  (error) => {
    process.stderr.write(`[stand-in] ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);
