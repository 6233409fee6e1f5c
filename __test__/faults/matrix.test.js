'use strict';
// 1, 2, 4, 8: each way in which a host ends, times each kind of agent, with a command of the terminal
// running: what is left. The table of docs/faults.md, "What a host leaves behind", says the same.

const { expect, test } = require('@jest/globals');
const path = require('node:path');
const { agent, gone, isAlive, run, sleep, wrapped } = require('./harness');

const HOST = path.join(__dirname, 'hosts/ends.js');
/** Long enough for a signal or the end of a pipe to have had its effect. */
const SETTLED_MS = 300;

/** An agent with a command of the terminal, and with a child if told so; answers `family` with all pids. */
function familyAgent(traits) {
  return agent((agent, { stays, ignoresTerm, child }) => {
    const { spawn } = require('node:child_process');
    const lasts = 'trap "" TERM; echo $$; exec sleep 1000';
    if (stays) agent.stay();
    if (ignoresTerm) process.on('SIGTERM', () => undefined);
    agent.on('never', () => agent.silence);
    agent.on('family', async ({ sessionId }) => {
      const family = { agent: process.pid, shim: process.ppid };
      if (child !== undefined) {
        const one = spawn('/bin/sh', ['-c', lasts.replace('echo $$; ', '')], child);
        one.unref();
        family.child = one.pid;
      }
      const terminal = { sessionId, command: '/bin/sh', args: ['-c', lasts] };
      const { result } = await agent.ask('terminal/create', terminal);
      while (!family.command) {
        const shown = await agent.ask('terminal/output', { sessionId, ...result });
        family.command = Number.parseInt(shown.result.output, 10);
      }
      return family;
    });
  }, traits);
}

const INHERITS = ['ignore', 'inherit', 'inherit'];

/** `outlives` is who stays when nothing of ours runs at the end; `stays` who does in any case. */
const AGENTS = {
  'reads its stdin': {},
  'ignores the end of its stdin': { traits: { stays: true }, outlives: ['agent'] },
  'ignores SIGTERM too': { traits: { stays: true, ignoresTerm: true }, outlives: ['agent'] },
  'has a child': { traits: { child: { stdio: 'ignore' } }, outlives: ['child'] },
  'has a child that holds its pipes': {
    traits: { child: { stdio: INHERITS } },
    outlives: ['child'],
  },
  'is behind a shim that passes no signal on': { isWrapped: true },
  'has moved a child into a session of its own, with its pipes': {
    traits: { child: { stdio: INHERITS, detached: true } },
    stays: ['child'],
  },
};

const WAYS = {
  close: { code: 0 },
  'empty-loop': { code: 0 },
  exit: { code: 3 },
  throw: { code: 1 },
  reject: { code: 1 },
  'handled-signal': { code: 4 },
  terminate: { code: 0 },
  SIGTERM: { signal: 'SIGTERM', isSudden: true },
  SIGKILL: { signal: 'SIGKILL', isSudden: true },
  abort: { signal: 'SIGABRT', isSudden: true },
  interrupt: { signal: 'SIGINT', isSudden: true },
};

const CELLS = Object.keys(WAYS).flatMap((way) => Object.keys(AGENTS).map((kind) => [way, kind]));

test.concurrent.each(CELLS)(
  '1, 2, 4, 8: a host that ends by %s leaves of an agent that %s what is said',
  async (way, kind) => {
    const { traits = {}, outlives = [], stays = [], isWrapped } = AGENTS[kind];
    const { code = null, signal = null, isSudden } = WAYS[way];
    const bare = familyAgent(traits);
    const options = isWrapped ? wrapped(bare, { forwards: false }) : bare;

    const host = await runHost(way, options);
    expect(host).toMatchObject({ code, signal });
    const [{ shim, ...family }] = host.told;
    const pids = new Map(Object.entries(isWrapped ? { ...family, shim } : family));
    try {
      const left = isSudden ? ['command', ...outlives, ...stays] : stays;
      for (const [name, pid] of pids) if (!left.includes(name)) await gone(pid);
      await sleep(SETTLED_MS);
      const found = [...pids].filter(([, pid]) => isAlive(pid)).map(([name]) => name);
      expect(found.sort()).toEqual(left.sort());
    } finally {
      for (const pid of pids.values()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  },
  60_000,
);

/** The host as a program, or as the child of a shim in a group of its own. */
function runHost(way, options) {
  const host = [process.execPath, HOST, way, JSON.stringify(options)];
  if (way !== 'interrupt') return run(host[0], host.slice(1));
  return run('/bin/sh', ['-c', '"$@"; exit', 'shim', ...host], { detached: true });
}
