'use strict';
// The servers of lent tools, and a process of another user of this machine.

const { describe, expect, test } = require('@jest/globals');
const { execFile } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { agent, received, useClients } = require('./harness');

const open = useClients();
const run = promisify(execFile);

const OTHER_USER = path.join(__dirname, 'hosts/other-user.js');
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** What the agent was given of the server of a session, whose only tool writes into `ran`. */
async function lend(ran, mcpCapabilities) {
  const answer = { result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities } } };
  const client = open({
    ...agent('initializes', JSON.stringify(answer)),
    carrier: 'mcp',
    tools: [{ name: 'echo', handle: () => ran.push(1) }],
  });
  await client.newSession();
  const opening = (await received(client)).find(({ method }) => method === 'session/new');
  return opening.params.mcpServers[0];
}

/** A bridge that is at work, as the agent would start it, and what it was given. */
async function bridged(ran) {
  const entry = await lend(ran, {});
  const env = Object.fromEntries(entry.env.map(({ name, value }) => [name, value]));
  const ended = run(entry.command, entry.args, { env: { ...process.env, ...env } });
  const { child } = ended;
  child.stdin.write(`${PING}\n`);
  await once(child.stdout, 'data');
  const { MINI_ME_CLIENT_SOCKET: socket, MINI_ME_CLIENT_TOKEN: token } = env;
  const folder = path.dirname(socket);
  return {
    pid: child.pid,
    socket,
    folder,
    token,
    greeting: `${env.MINI_ME_CLIENT_SERVER} ${token}`,
  };
}

/** What a process of `nobody` sees of it all. */
async function tryAsOther({ socket = 'none', greeting = '', pid = process.pid, url }) {
  const args = [OTHER_USER, socket, greeting, String(pid), ...(url === undefined ? [] : [url])];
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout);
}

const onUnix = process.platform === 'win32' ? describe.skip : describe;
// Only root can start a process of somebody else. Without root the modes have to do.
const asRoot = process.getuid?.() === 0 ? test : test.skip;

onUnix('a process of another user (only tried when the tests run as root)', () => {
  test('has no right to the folder of the socket', async () => {
    const { folder, socket } = await bridged([]);
    const { uid, mode } = fs.statSync(folder);
    expect([uid, mode & 0o777]).toEqual([process.getuid(), 0o700]);
    expect(fs.statSync(socket).uid).toBe(process.getuid());
  });

  asRoot('gets neither into the folder nor at the token, and reaches no socket', async () => {
    const ran = [];
    const { token, ...bridge } = await bridged(ran);
    const doors = await tryAsOther(bridge);
    expect(doors).toMatchObject({
      user: 65_534,
      folder: 'EACCES',
      replaced: 'EACCES',
      socket: { code: 'EACCES', text: '' },
    });
    if (process.platform === 'linux') {
      expect(doors.arguments).toContain(process.execPath);
      expect(doors.arguments.join(' ')).not.toContain(token);
      expect(doors.environment).toBe('EACCES');
    }
    expect(ran).toEqual([]);
  });

  asRoot('is not let in with the right token, were the folder open', async () => {
    const ran = [];
    const bridge = await bridged(ran);
    fs.chmodSync(bridge.folder, 0o755);
    fs.chmodSync(bridge.socket, 0o666);
    const { folder, socket } = await tryAsOther(bridge);
    expect(folder).toEqual(['mcp']);
    expect(socket.text).toBe('');
    expect(ran).toEqual([]);
  });

  asRoot('reaches the port of HTTP, and is refused there without the token', async () => {
    const ran = [];
    const { url } = await lend(ran, { http: true });
    expect((await tryAsOther({ url })).status).toBe(401);
    expect(ran).toEqual([]);
  });
});
