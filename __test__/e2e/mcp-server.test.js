'use strict';
// The server of lent tools as anybody on this machine can reach it: who is let in, what is bounded, and
// when nothing listens. The agent here is told of the server, and never goes there: the test does.

const { describe, expect, jest, test } = require('@jest/globals');
const { execFile } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const {
  agent,
  codesOf,
  diagnostic,
  failureOf,
  loadWithFakeTimers,
  received,
  record,
  useClients,
} = require('./harness');

const open = useClients();

const echo = { name: 'echo', handle: (args) => args };
const says = (mcpCapabilities, more = {}) =>
  JSON.stringify({
    result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities }, ...more },
  });
const ofHttp = (more) => agent('initializes', says({ http: true }, more));
const ofStdio = (more) => agent('initializes', says({}, more));

/** The params of the sessions that the agent was asked to open. */
async function openings(client) {
  const messages = await received(client);
  return messages
    .filter(({ method }) => method?.startsWith('session/'))
    .map(({ params }) => params);
}

/** A client, an open session, and the entry of its server. */
async function lend(tools = [echo], options = {}) {
  const client = open({ ...ofHttp(), carrier: 'mcp', tools, ...options });
  const session = await client.newSession();
  const [{ mcpServers }] = await openings(client);
  return { client, session, entry: mcpServers.at(-1) };
}

/** Sends a request; gives status, headers and text of the answer. */
function send({ url, headers }, body, { method = 'POST', path: to, drop = [], ...more } = {}) {
  const target = new URL(url);
  const all = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    ...more,
  };
  for (const name of drop) delete all[name];
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port: target.port,
        path: to ?? target.pathname,
        method,
        headers: all,
        agent: false,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('error', reject);
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, text }),
        );
      },
    );
    request.on('error', reject);
    request.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  });
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const callOf = (name, more) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name, arguments: {}, ...more },
});

describe('who is let in', () => {
  test('the agent, which was given the token in session/new', async () => {
    const { entry } = await lend();
    expect(entry).toEqual({
      type: 'http',
      name: expect.stringMatching(/^client[a-z0-9]{5}$/),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/client[a-z0-9]{5}\/mcp$/),
      headers: [{ name: 'Authorization', value: expect.stringMatching(/^Bearer [0-9a-f]{64}$/) }],
    });
    const { status, headers, text } = await send(entry, ping);
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    const { port } = new URL(entry.url);
    const own = { Host: `localhost:${port}`, Origin: `http://localhost:${port}` };
    expect((await send(entry, ping, own)).status).toBe(200);
  });

  const wrong = '0'.repeat(64);
  test.each([
    ['no token', 401, { drop: ['Authorization'] }],
    ['a wrong token', 401, { Authorization: `Bearer ${wrong}` }],
    ['a token too short', 401, { Authorization: 'Bearer ' }],
    ['another scheme', 401, { Authorization: `Basic ${wrong}` }],
    ['another Host', 403, { Host: 'attacker.example' }],
    ['the Host of another port', 403, { Host: '127.0.0.1:1' }],
    ['a foreign Origin', 403, { Origin: 'https://attacker.example' }],
    ['the Origin null', 403, { Origin: 'null' }],
    ['another server', 404, { path: '/client/mcp' }],
    ['the root', 404, { path: '/' }],
    ['another path', 404, { path: '/.well-known/oauth-protected-resource' }],
    ['a path that ends alike', 404, { path: '/mcp' }],
    ['GET', 405, { method: 'GET' }],
    ['DELETE', 405, { method: 'DELETE' }],
    ['another type', 415, { 'Content-Type': 'text/plain' }],
    ['an unknown revision', 400, { 'MCP-Protocol-Version': '2099-01-01' }],
    ['another method in the head', 400, { 'Mcp-Method': 'tools/list' }],
  ])('%s is refused with %i, and no handler runs', async (_, status, more) => {
    const ran = [];
    const { entry } = await lend([{ name: 'echo', handle: () => ran.push(1) }]);
    const answer = await send(entry, callOf('echo'), more);
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(ran).toEqual([]);
  });

  test('the token of one session does not open another', async () => {
    const { client, entry } = await lend();
    await client.newSession();
    const [, { mcpServers }] = await openings(client);
    const other = { ...entry, url: mcpServers[0].url };
    expect((await send(other, ping)).status).toBe(401);
    expect((await send(mcpServers[0], ping)).status).toBe(200);
  });

  test('what is no message is refused with 400', async () => {
    const { entry } = await lend();
    for (const body of ['', 'x', '[]', '{}', JSON.stringify([ping])]) {
      const { status, text } = await send(entry, body);
      expect([status, JSON.parse(text).id]).toEqual([400, null]);
    }
    const method = { ...ping, method: 'resources/list' };
    expect(JSON.parse((await send(entry, method)).text).error.code).toBe(-32601);
    const notified = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await send(entry, notified)).toMatchObject({ status: 202, text: '' });
  });
});

describe('what is bounded', () => {
  test('the length of a message', async () => {
    const { entry } = await lend([echo], { maxIncomingBytes: 4096 });
    const long = callOf('echo', { arguments: { a: 'x'.repeat(5000) } });
    expect((await send(entry, long)).status).toBe(413);
    const fits = callOf('echo', { arguments: { a: 'x'.repeat(3000) } });
    expect((await send(entry, fits)).status).toBe(200);
  });

  test('a connection too many waits for a place', async () => {
    const { entry } = await lend();
    const { port } = new URL(entry.url);
    const idle = Array.from({ length: 128 }, () => net.connect(port, '127.0.0.1'));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    let isAnswered = false;
    const answer = send(entry, ping).then((got) => {
      isAnswered = true;
      return got;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isAnswered).toBe(false);
    idle[0].destroy();
    expect((await answer).status).toBe(200);
    for (const socket of idle) socket.destroy();
  });
});

describe('a call', () => {
  test('whose client goes away is aborted', async () => {
    let begun;
    const signalOf = new Promise((resolve) => {
      begun = resolve;
    });
    const waits = {
      name: 'waits',
      handle: (_, { signal }) => {
        begun(signal);
        return new Promise(() => undefined);
      },
    };
    for (const accept of ['application/json, text/event-stream', 'application/json']) {
      const { entry } = await lend([waits]);
      const target = new URL(entry.url);
      const socket = net.connect(target.port, '127.0.0.1');
      const body = JSON.stringify(callOf('waits'));
      socket.write(
        [
          `POST ${target.pathname} HTTP/1.1`,
          `Host: ${target.host}`,
          `Authorization: ${entry.headers[0].value}`,
          'Content-Type: application/json',
          `Accept: ${accept}`,
          `Content-Length: ${body.length}`,
          '',
          body,
        ].join('\r\n'),
      );
      const signal = await signalOf;
      const aborted = signal.aborted || once(signal, 'abort');
      socket.destroy();
      await aborted;
      expect(signal.reason.name).toBe('AbortError');
    }
  });

  test('of a client that takes no events is answered as JSON', async () => {
    const { entry } = await lend();
    const events = await send(entry, callOf('echo'));
    expect(events.headers['content-type']).toBe('text/event-stream');
    expect(events.text).toMatch(/^event: message\ndata: \{.*\}\n\n$/);
    const plain = await send(entry, callOf('echo'), { Accept: 'application/json' });
    expect(plain.headers['content-type']).toBe('application/json');
    expect(JSON.parse(plain.text).result.structuredContent).toEqual({});
  });

  test('is withdrawn by its own client alone', async () => {
    const signals = [];
    let bothBegun;
    const isBegun = new Promise((resolve) => {
      bothBegun = resolve;
    });
    const waits = {
      name: 'waits',
      handle: (_, { signal }) => {
        if (signals.push(signal) === 2) bothBegun();
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve('x')));
      },
    };
    const { client, entry } = await lend([waits]);
    const told = record(client);
    const initialize = { ...ping, method: 'initialize', params: {} };
    const ids = [];
    for (let count = 0; count < 2; count += 1) {
      ids.push((await send(entry, initialize)).headers['mcp-session-id']);
    }
    const calls = ids.map((id) => send(entry, callOf('waits'), { 'Mcp-Session-Id': id }));
    await isBegun;
    const cancelled = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 2 },
    };
    await send(entry, cancelled, { 'Mcp-Session-Id': ids[1] });
    const { text } = await calls[1];
    expect(text).toContain('-32800');
    expect(signals.map(({ aborted }) => aborted).sort()).toEqual([false, true]);
    const unanswered = failureOf(calls[0]);
    await client.close();
    expect((await unanswered).code).toBe('ECONNRESET');
    expect(told.toolCall.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
  });
});

/** The ports on which this process listens. */
function listening() {
  const inodes = new Set();
  for (const file of fs.readdirSync('/proc/self/fd')) {
    try {
      inodes.add(/^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/self/fd/${file}`))?.[1]);
    } catch {
      // Closed meanwhile.
    }
  }
  const lines = ['tcp', 'tcp6'].flatMap((file) =>
    fs.readFileSync(`/proc/self/net/${file}`, 'utf8').trim().split('\n').slice(1),
  );
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode))
    .map(([, address]) => Number.parseInt(address.split(':')[1], 16));
}

describe('nothing listens', () => {
  // /proc tells of one's own sockets; elsewhere there is nothing as handy.
  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux('with the default carrier, or without a tool', async () => {
    const before = listening();
    for (const options of [{ tools: [echo] }, { carrier: 'mcp' }]) {
      const client = open({ ...ofHttp(), ...options });
      await client.newSession();
      expect((await openings(client))[0].mcpServers).toEqual([]);
    }
    expect(listening()).toEqual(before);
  });

  onLinux('beyond one port, and only on the loopback interface', async () => {
    const before = listening();
    const { client, entry } = await lend();
    await client.newSession();
    const port = Number(new URL(entry.url).port);
    expect(listening().filter((one) => !before.includes(one))).toEqual([port]);
    const outside = Object.values(os.networkInterfaces())
      .flat()
      .find(({ family, internal }) => family === 'IPv4' && !internal);
    if (outside !== undefined) {
      const socket = net.connect(port, outside.address);
      expect((await once(socket, 'error'))[0].code).toBe('ECONNREFUSED');
    }
  });

  test('for a session that is closed, or was not opened', async () => {
    const { client, session, entry } = await lend();
    await session.close();
    expect((await send(entry, ping)).status).toBe(404);
    const refused = await failureOf(client.resumeSession('of old'));
    expect(refused.code).toBe('MM_ERR_UNSUPPORTED');
    await client.close();
    const failure = await failureOf(send(entry, ping));
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain(failure.code);
  });

  test('when the agent has ended', async () => {
    const { client, entry } = await lend();
    process.kill(client.pid, 'SIGKILL');
    await once(client, 'exit');
    const failure = await failureOf(send(entry, ping));
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain(failure.code);
  });

  test('for an opening that the agent refused', async () => {
    const client = open({
      ...agent('refuses', '{"code":-32000,"message":"no"}'),
      carrier: 'mcp',
      tools: [echo],
    });
    const failure = await failureOf(client.newSession());
    expect(failure.code).toBe('MM_ERR_AGENT');
  });
});

describe('session/new', () => {
  test('names the servers that the program gave, and then ours', async () => {
    const given = { name: 'mine', command: 'x', args: [], env: [] };
    const client = open({ ...ofHttp(), carrier: 'mcp', tools: [echo] });
    await client.newSession({ mcpServers: [given] });
    await client.newSession({ mcpServers: [given], params: { mcpServers: [] } });
    const [one, two] = await openings(client);
    expect(one.mcpServers).toEqual([given, expect.objectContaining({ type: 'http' })]);
    expect(two.mcpServers).toEqual([expect.objectContaining({ type: 'http' })]);
  });

  test('and initialize say nothing in mm’s way', async () => {
    for (const discovery of ['meta', 'request']) {
      const client = open({ ...ofHttp(), carrier: 'mcp', discovery, tools: [echo] });
      await client.newSession();
      const [initialize] = await received(client);
      expect(initialize.params.clientCapabilities._meta).toBeUndefined();
    }
  });
});

describe('lent-tools-ignored', () => {
  test('tells that the agent has not come for five seconds', async () => {
    const { MiniMe } = loadWithFakeTimers();
    const client = open({ ...ofHttp(), carrier: 'mcp', tools: [echo] }, MiniMe);
    const told = record(client);
    const session = await client.newSession();
    jest.advanceTimersByTime(4_999);
    expect(told.diagnostic).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(codesOf(told.diagnostic)).toEqual(['lent-tools-ignored']);
    expect(told.diagnostic[0].details).toMatchObject({
      sessionId: session.id,
      tools: ['echo'],
      waitedMs: 5000,
    });
    expect(told.diagnostic[0].message).toContain('mcpServers');
  });

  test('is not told of a session that the agent came for, nor of one that was closed', async () => {
    const { MiniMe } = loadWithFakeTimers();
    const client = open({ ...ofHttp(), carrier: 'mcp', tools: [echo] }, MiniMe);
    const told = record(client);
    await client.newSession();
    const [{ mcpServers }] = await openings(client);
    await send(mcpServers[0], { ...ping, method: 'initialize', params: {} });
    const closed = await client.newSession();
    await closed.close();
    jest.advanceTimersByTime(60_000);
    expect(told.diagnostic).toEqual([]);
  });
});

describe('carrier', () => {
  test('auto is mm’s protocol for an agent that calls itself so', async () => {
    for (const name of ['mm', 'Mini-Me', 'mini-me-stand-in']) {
      const client = open({
        ...ofHttp({ agentInfo: { name, version: '1' } }),
        carrier: 'auto',
        tools: [echo],
      });
      await client.newSession();
      const [initialize] = await received(client);
      expect(initialize.params.clientCapabilities._meta['org.mini-me/tools']).toHaveLength(1);
      expect((await openings(client))[0].mcpServers).toEqual([]);
      expect(client.tools[0].modelName).toBe('client_echo');
      expect(() => client.addTool({ ...echo, name: 'late' })).toThrow(
        expect.objectContaining({ code: 'MM_ERR_TOOLS_ANNOUNCED' }),
      );
    }
  });

  test('auto is MCP for any other, which gets nothing by mm’s protocol', async () => {
    const client = open({
      ...agent('asks-for-tools'),
      carrier: 'auto',
      tools: [{ ...echo, method: '_echo' }],
    });
    const mismatch = diagnostic(client, 'discovery-mismatch');
    const session = await client.newSession();
    expect(JSON.parse(session.raw.answer).result).toEqual({ tools: [] });
    expect((await mismatch).message).toContain('carrier');
    expect((await openings(client))[0].mcpServers).toHaveLength(1);
    expect(client.tools[0].modelName).toBe('echo');
    expect(Object.keys(client.tools[0])).toEqual(['name', 'modelName', 'method']);
    client.addTool({ name: 'late', handle: () => 1 });
  });

  test('auto calls by mm’s protocol are not ours once it is MCP', async () => {
    const client = open({
      ...agent('calls-tools'),
      carrier: 'auto',
      tools: [{ ...echo, method: '_echo' }],
    });
    const session = await client.newSession();
    const script = JSON.stringify([{ method: '_echo', params: {} }]);
    const { raw } = await session.prompt(script);
    expect(JSON.parse(raw.answers[0]).error.code).toBe(-32601);
  });

  test('other than mini-me takes no function of tools', () => {
    for (const carrier of ['mcp', 'auto']) {
      expect(() => open({ carrier, discovery: 'request', tools: () => [] })).toThrow(
        expect.objectContaining({ code: 'MM_ERR_OPTION' }),
      );
    }
    expect(() => open({ carrier: 'http' })).toThrow(/"mini-me", "mcp" or "auto"; got "http"/);
  });
});

describe('over stdio', () => {
  const onUnix = process.platform === 'win32' ? test.skip : test;

  async function bridged() {
    const client = open({ ...ofStdio(), carrier: 'mcp', tools: [echo] });
    const session = await client.newSession();
    const [{ mcpServers }] = await openings(client);
    const [entry] = mcpServers;
    const env = Object.fromEntries(entry.env.map(({ name, value }) => [name, value]));
    return { client, session, entry, env };
  }

  /** What comes from a socket until it ends. */
  async function read(socket) {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    // Closed with something unread, the other end is told so.
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.on('close', resolve));
    return text;
  }

  test('the token is in the environment, never in the arguments', async () => {
    const { entry, env } = await bridged();
    expect(entry.command).toBe(process.execPath);
    expect(entry.args).toEqual([path.resolve(__dirname, '../../js/mcp-bridge.js')]);
    expect(env.MINI_ME_CLIENT_TOKEN).toMatch(/^[0-9a-f]{64}$/);
    expect(env.ELECTRON_RUN_AS_NODE).toBeUndefined();
  });

  onUnix(
    'the socket is in a folder that nobody else can enter, and goes with the client',
    async () => {
      const { client, env } = await bridged();
      const { dir } = path.parse(env.MINI_ME_CLIENT_SOCKET);
      expect(fs.statSync(dir).mode & 0o777).toBe(0o700);
      await client.close();
      expect(fs.existsSync(dir)).toBe(false);
    },
  );

  test('a bridge without the token is let in to nothing', async () => {
    const { env } = await bridged();
    const name = env.MINI_ME_CLIENT_SERVER;
    for (const greeting of [`${name} wrong\n`, 'x\n', `none ${env.MINI_ME_CLIENT_TOKEN}\n`]) {
      const socket = net.connect(env.MINI_ME_CLIENT_SOCKET);
      socket.write(`${greeting}${JSON.stringify(ping)}\n`);
      expect(await read(socket)).toBe('');
    }
    const long = net.connect(env.MINI_ME_CLIENT_SOCKET);
    long.write('x'.repeat(2000));
    expect(await read(long)).toBe('');
  });

  test('a bridge ends with the session, and says nothing to stdout but messages', async () => {
    const { client, session, entry, env } = await bridged();
    const run = promisify(execFile);
    const bridge = run(entry.command, entry.args, { env: { ...process.env, ...env } });
    bridge.child.stdin.write(`${JSON.stringify(ping)}\n`);
    const [line] = await once(bridge.child.stdout, 'data');
    expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    await session.close();
    bridge.child.stdin.write(`${JSON.stringify(ping)}\n`);
    await bridge;
    await client.close();
    const late = await failureOf(
      run(entry.command, entry.args, { env: { ...process.env, ...env } }),
    );
    expect([late.code, late.stdout]).toEqual([1, '']);
    expect(late.stderr).toContain('mini-me-client: no tools');
    const alone = await failureOf(run(entry.command, entry.args, { env: {} }));
    expect(alone.stderr).toContain('expected to be started by an agent');
  });

  test('MM_ERR_LISTEN tells that there is no place for a socket', async () => {
    jest.spyOn(os, 'tmpdir').mockReturnValue(path.join(os.tmpdir(), 'no-such-folder'));
    const client = open({ ...ofStdio(), carrier: 'mcp', tools: [echo] });
    const failure = await failureOf(client.newSession());
    expect([failure.code, failure.name]).toEqual(['MM_ERR_LISTEN', 'ConnectionError']);
    expect(failure.message).toContain('for the MCP server of the lent tools');
    jest.restoreAllMocks();
    expect((await client.newSession()).id).toBe('s1');
  });
});
