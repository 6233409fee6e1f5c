'use strict';
// Plays a script between the client and an agent of its own, and compares what the client wrote with
// the client's lines of the script.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { expect } = require('@jest/globals');
const { Program } = require('./program');

const AGENT = path.join(__dirname, 'agent.js');
const TOOLS = 'org.mini-me/tools';

/**
 * Plays `script`; `diagnostics` are the codes that are to be told, in order.
 * @param {import('./dialogue').Line[]} script
 * @param {string[]} diagnostics
 */
async function play(script, diagnostics = []) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-transcript-'));
  const scriptFile = path.join(folder, 'script.json');
  const reportFile = path.join(folder, 'report.json');
  try {
    const spoken = script.filter(({ from }) => from !== 'program');
    fs.writeFileSync(scriptFile, JSON.stringify(spoken));
    const args = [AGENT, scriptFile, reportFile];
    const program = new Program(script, { command: process.execPath, args });
    const { exit, expected, came } = await program.play();
    expect(exit).toMatchObject({ exitCode: 0, signal: null, expected: true });
    expect(came).toEqual({ ...expected, diagnostics });
    const report = JSON.parse(fs.readFileSync(reportFile, 'utf8'));
    expect(report).toMatchObject({ rest: '' });
    expect(report.missing).toBeUndefined();
    compare(report.received, script);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function compare(received, script) {
  const wanted = script.filter(({ from }) => from === 'client').map(({ message }) => message);
  const written = received.map((line) => JSON.parse(line));
  for (const message of written) expect(message).toHaveProperty('jsonrpc', '2.0');
  const ids = written.filter(({ method, id }) => method && id !== undefined).map(({ id }) => id);
  expect(ids).toEqual(ids.map((_, at) => at + 1));
  expect(comparable(withoutRepeats(written, wanted))).toEqual(comparable(wanted));
}

/** A cancel that a slow machine made the client say again is no other behavior. */
function withoutRepeats(written, wanted) {
  const count = (lines) => lines.filter(({ method }) => method === 'session/cancel').length;
  if (count(written) <= count(wanted)) return written;
  const first = written.findIndex(({ method }) => method === 'session/cancel');
  const isRepeat = ({ method }, at) =>
    at > first && (method === 'session/cancel' || method === '$/cancel_request');
  return written.filter((message, at) => !isRepeat(message, at));
}

/** What is the same in two clients that number their requests and present themselves each in its way. */
function comparable(messages) {
  const places = new Map();
  return messages.map(({ jsonrpc: _, ...message }) => {
    const { id, method, params } = message;
    if (method === undefined) return message;
    if (id === undefined) return { method, params: withPlace(params, places) };
    places.set(JSON.stringify(id), places.size);
    if (method === 'initialize') {
      const { protocolVersion, clientCapabilities } = params;
      return { method, protocolVersion, tools: clientCapabilities._meta?.[TOOLS] };
    }
    // A folder is absolute in the manner of the system.
    const cwd = typeof params.cwd === 'string' && { cwd: path.resolve(params.cwd) };
    return { method, params: { ...params, ...cwd } };
  });
}

function withPlace(params, places) {
  const place = places.get(JSON.stringify(params?.requestId));
  return place === undefined ? params : { requestOfOurs: place };
}

module.exports = { play };
