'use strict';
// `terminal: true`, over a real pipe: what the agent is answered, and what is left of its commands.

const { afterAll, describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { agent, codesOf, gone, isAlive, received, record, useClients } = require('./harness');

const open = useClients();

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const NOT_FOUND = -32002;
const UNKNOWN = 'term_00000000-0000-4000-8000-000000000000';

/** A client whose agent asks what it is told to. */
const start = (options = {}) => open({ ...agent('uses-terminals'), terminal: true, ...options });

/** The answer to a request of the agent. */
const ask = (client, method, params, id) =>
  client.request('_test/ask', { method: `terminal/${method}`, params, id });

/** A command of Node.js that runs `script`. */
const node = (script, ...args) => ({ command: process.execPath, args: ['-e', script, ...args] });
const LASTS = 'setInterval(() => undefined, 60_000);';
const IGNORES_SIGTERM = `process.on('SIGTERM', () => undefined); ${LASTS}`;
/** Tells its pid and that of a child in its group. */
const STARTS_CHILD = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', ${JSON.stringify(LASTS)}], { stdio: 'inherit' });
  console.log(process.pid, child.pid);`;
const HAS_CHILD = `${STARTS_CHILD} ${LASTS}`;

/** The five methods, for the terminals of one session; what is refused is thrown. */
function terminalsOf(client, sessionId) {
  const call = async (method, params) => {
    const { result, error } = await ask(client, method, { sessionId, ...params });
    if (error !== undefined) throw Object.assign(new Error(error.message), error);
    return result;
  };
  return {
    async create(command) {
      const { terminalId, ...rest } = await call('create', command);
      expect(rest).toEqual({});
      return terminalId;
    },
    output: (terminalId) => call('output', { terminalId }),
    wait: (terminalId) => call('wait_for_exit', { terminalId }),
    kill: (terminalId) => call('kill', { terminalId }),
    release: (terminalId) => call('release', { terminalId }),
    /** Runs a command to its end; gives all there is to know of it. */
    async run(command) {
      const id = await this.create(command);
      await this.wait(id);
      const output = await this.output(id);
      await this.release(id);
      return output;
    },
    /** The output as soon as it fits. */
    async shows(terminalId, pattern) {
      for (;;) {
        const { output } = await this.output(terminalId);
        if (pattern.test(output)) return output;
      }
    },
  };
}

/** A client with one session, and the terminals of that. */
async function session(options, ofSession) {
  const client = start(options);
  const opened = await client.newSession(ofSession);
  return { client, session: opened, ...terminals(client, opened) };
}

const terminals = (client, { id }) => ({ terminals: terminalsOf(client, id) });
const pidsOf = (output) => output.trim().split(/\s+/u).map(Number);
const allGone = (pids) => Promise.all(pids.map((pid) => gone(pid)));

const folders = [];
afterAll(() => folders.map((one) => fs.rmSync(one, { recursive: true })));

/** A folder of its own, without symbolic links on the way. */
function folder() {
  folders.push(fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-terminal-'))));
  return folders.at(-1);
}

describe('the option', () => {
  test.each([
    [true, true],
    [false, false],
    [undefined, false],
  ])('%p is told to the agent as %p', async (terminal, expected) => {
    const { raw } = await start({ terminal }).start();
    expect(raw._meta.params.clientCapabilities.terminal).toBe(expected);
  });

  test('false: no method is there', async () => {
    const client = start({ terminal: false });
    const { id: sessionId } = await client.newSession();
    const { error } = await ask(client, 'create', { sessionId, command: 'x' });
    expect(error).toEqual({ code: -32601, message: 'Method not found' });
  });

  test('an object answers in place of the ready-made', async () => {
    const asked = [];
    const handler = (name, answer) => (request) => {
      asked.push([name, request]);
      return answer;
    };
    const { client, terminals } = await session({
      terminal: {
        create: handler('create', 'mine'),
        output: handler('output', { output: 'o', truncated: false }),
        waitForExit: handler('waitForExit', { exitCode: 7 }),
        kill: handler('kill'),
        release: handler('release', 'ignored'),
      },
    });
    expect(client.agent.raw._meta.params.clientCapabilities.terminal).toBe(true);
    expect(await terminals.create({ command: 'c', args: ['a'] })).toBe('mine');
    expect(await terminals.output('mine')).toEqual({ output: 'o', truncated: false });
    expect(await terminals.wait('mine')).toEqual({ exitCode: 7 });
    expect(await terminals.kill('mine')).toEqual({});
    expect(await terminals.release('mine')).toEqual({});
    expect(asked[0]).toEqual(['create', { sessionId: 's1', command: 'c', args: ['a'] }]);
    expect(asked.map(([name]) => name)).toEqual([
      'create',
      'output',
      'waitForExit',
      'kill',
      'release',
    ]);
  });
});

describe('an answer of a handler of the program that is none', () => {
  test.each([
    ['create', 5, 'the id of the terminal, text, got 5'],
    ['output', undefined, 'an object with output, text, got undefined'],
    ['wait', null, 'an object with exitCode or signal, got null'],
  ])('%s: %p is -32603', async (method, given, expected) => {
    const give = () => given;
    const handlers = { create: give, output: give, waitForExit: give, kill: give, release: give };
    const { client, session: opened } = await session({ terminal: handlers });
    const asked = { sessionId: opened.id, command: 'x', terminalId: 't' };
    const name = method === 'wait' ? 'wait_for_exit' : method;
    const { error } = await ask(client, name, asked);
    const message = `expected the handler to give ${expected}`;
    expect(error).toEqual({ code: -32603, message });
  });
});

describe('a command', () => {
  test('is started, waited for, read and released', async () => {
    const { terminals } = await session();
    const id = await terminals.create(
      node('console.log(process.argv[1]); process.exitCode = 3;', 'é'),
    );
    expect(id).toMatch(/^term_[0-9a-f-]{36}$/u);
    const exit = { exitCode: 3, signal: null };
    expect(await terminals.wait(id)).toEqual(exit);
    expect(await terminals.output(id)).toEqual({
      output: 'é\n',
      truncated: false,
      exitStatus: exit,
    });
    expect(await terminals.release(id)).toEqual({});
  });

  test('shows what it has written so far, and no exit status before its end', async () => {
    const { terminals } = await session();
    const id = await terminals.create(node(`process.stdout.write('so far'); ${LASTS}`));
    await terminals.shows(id, /so far/u);
    expect(await terminals.output(id)).toEqual({ output: 'so far', truncated: false });
  });

  test('has both outputs in the order in which they were written, and no input', async () => {
    const { terminals } = await session();
    const script = `
      const fs = require('node:fs');
      for (let i = 0; i < 200; i += 1) fs.writeSync(1 + (i % 2), i + ';');
      fs.writeSync(1, JSON.stringify(fs.readFileSync(0, 'utf8')));`;
    const { output } = await terminals.run(node(script));
    const numbers = Array.from({ length: 200 }, (_, number) => `${number};`).join('');
    expect(output).toBe(`${numbers}""`);
  });

  test('that a signal has ended is told with its name', async () => {
    const { terminals } = await session();
    const { exitStatus } = await terminals.run(node("process.kill(process.pid, 'SIGKILL')"));
    expect(exitStatus).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  test('without cwd runs in the folder of its session, with cwd there', async () => {
    const [ofSession, given] = [folder(), folder()];
    const { terminals } = await session({}, { cwd: ofSession });
    const where = node('process.stdout.write(process.cwd())');
    for (const [cwd, expected] of [
      [undefined, ofSession],
      [null, ofSession],
      [given, given],
    ]) {
      expect((await terminals.run({ ...where, cwd })).output).toBe(expected);
    }
  });

  test.each([
    ['newSession', []],
    ['loadSession', ['old']],
    ['resumeSession', ['old']],
  ])('of a session that is being opened by %s runs in its folder', async (open, id) => {
    const client = start();
    const cwd = folder();
    const command = JSON.stringify(node('process.stdout.write(process.cwd())'));
    const opened = await client[open](...id, { cwd, params: { _meta: { command } } });
    const { terminalId } = opened.raw._meta.created.result;
    const terminals = terminalsOf(client, opened.id);
    await terminals.wait(terminalId);
    expect((await terminals.output(terminalId)).output).toBe(cwd);
  });

  test("has the agent's environment, and the request's on top of it", async () => {
    const env = { OF_AGENT: '1', BOTH: 'agent', NODE_CHANNEL_FD: undefined };
    process.env.NODE_UNIQUE_ID = 'of this very process';
    const client = start({ env });
    await client.start();
    delete process.env.NODE_UNIQUE_ID;
    process.env.MADE_LATER = 'x';
    const { terminals } = await inSession(client);
    const { output } = await terminals.run({
      ...node('process.stdout.write(JSON.stringify(process.env))'),
      env: [
        { name: 'BOTH', value: 'request' },
        { name: 'OF_REQUEST', value: 'é =' },
      ],
    });
    delete process.env.MADE_LATER;
    const seen = JSON.parse(output);
    expect(seen).toMatchObject({ OF_AGENT: '1', BOTH: 'request', OF_REQUEST: 'é =' });
    expect(seen).toHaveProperty('PATH');
    expect(seen).not.toHaveProperty('NODE_UNIQUE_ID');
    expect(seen).not.toHaveProperty('MADE_LATER');
  });

  test('is found in the PATH that the request gives it', async () => {
    const { terminals } = await session({}, {});
    const [name, value] = ['PATH', path.dirname(process.execPath)];
    const command = { command: 'node', args: ['-p', '1 + 1'], env: [{ name, value }] };
    expect((await terminals.run(command)).output).toBe('2\n');
  });

  test('that is a whole line is run by the shell', async () => {
    const { terminals } = await session();
    for (const args of [undefined, [], null]) {
      const { output, exitStatus } = await terminals.run({ command: 'echo a b && exit 4', args });
      expect(output.trim()).toBe('a b');
      expect(exitStatus.exitCode).toBe(4);
    }
  });

  test('with arguments is never run by the shell', async () => {
    const { terminals } = await session();
    const { output } = await terminals.run(node('console.log(process.argv[1])', '$HOME; echo b'));
    expect(output).toBe('$HOME; echo b\n');
    await expect(terminals.create({ command: 'echo a b', args: ['c'] })).rejects.toMatchObject({
      code: INTERNAL_ERROR,
    });
  });

  test('goes on when the turn is cancelled, and who waits for it is answered', async () => {
    const { client, session: opened, terminals } = await session();
    const turn = opened.prompt('runs until cancelled');
    const id = await terminals.create(node(LASTS));
    const waiting = terminals.wait(id);
    await opened.cancel();
    expect((await turn).stopReason).toBe('cancelled');
    expect(await terminals.output(id)).toEqual({ output: '', truncated: false });
    await terminals.kill(id);
    expect(await waiting).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(client.state).toBe('ready');
  });
});

/** A session of a client that was made before. */
async function inSession(client) {
  return terminals(client, await client.newSession());
}

describe('the output', () => {
  const prints = (text) => node(`process.stdout.write(${JSON.stringify(text)})`);

  test('over its limit is cut at the front, between characters', async () => {
    const { terminals } = await session();
    for (const [limit, expected] of [
      [8, 'aéé🙂'.slice(1)],
      [7, 'é🙂'],
      [3, ''],
      [0, ''],
    ]) {
      const shown = await terminals.run({ ...prints('aéé🙂'), outputByteLimit: limit });
      expect(shown).toMatchObject({ output: expected, truncated: true });
    }
    expect(await terminals.run({ ...prints('aéé🙂'), outputByteLimit: 9 })).toMatchObject({
      output: 'aéé🙂',
      truncated: false,
    });
  });

  test('is 1 MiB without a limit and 4 MiB with a greater one', async () => {
    const { terminals } = await session();
    const MIB = 1024 * 1024;
    for (const [limit, expected] of [
      [undefined, MIB],
      [null, MIB],
      [2 ** 40, 4 * MIB],
      [Number.MAX_VALUE, 4 * MIB],
    ]) {
      const script = "process.stdout.write('x'.repeat(5 * 1024 * 1024) + 'end')";
      const { output, truncated } = await terminals.run({
        ...node(script),
        outputByteLimit: limit,
      });
      expect({ length: output.length, truncated }).toEqual({ length: expected, truncated: true });
      expect(output.endsWith('xend')).toBe(true);
    }
  });

  test('is cut as well where the answer would be too large', async () => {
    const { client, terminals } = await session({ maxOutgoingBytes: 10_000 });
    const { output, truncated } = await terminals.run(
      node("console.log('\\0'.repeat(9000) + 'end')"),
    );
    expect(truncated).toBe(true);
    expect(output).toMatch(/^\0+end\n$/u);
    const lines = (await client.request('_test/received')).map((line) => line.length);
    expect(Math.max(...lines)).toBeLessThan(10_000);
    expect(Math.max(...lines)).toBeGreaterThan(8_000);
  });

  test('that is no UTF-8 has U+FFFD for what cannot be read', async () => {
    const { terminals } = await session();
    const script = 'process.stdout.write(Buffer.from([97, 255, 98, 0xf0, 0x9f]))';
    expect((await terminals.run(node(script))).output).toBe('a\ufffdb\ufffd');
  });

  test('has characters whole however they are written', async () => {
    const { terminals } = await session();
    const script = `
      const bytes = Buffer.from('é🙂');
      let at = 0;
      const timer = setInterval(() => {
        if (at === bytes.length) clearInterval(timer);
        else process.stdout.write(bytes.subarray(at, (at += 1)));
      }, 5);`;
    const id = await terminals.create(node(script));
    const seen = new Set();
    while (!seen.has('é🙂')) seen.add((await terminals.output(id)).output);
    for (const text of seen) expect('é🙂'.startsWith(text)).toBe(true);
  });

  test('of 200 MB is read to its end in bounded memory, while all else goes on', async () => {
    const { terminals } = await session();
    const script = `
      const piece = Buffer.alloc(1_000_000, 'é');
      let written = 0;
      while (written < 200_000_000) written += require('node:fs').writeSync(1, piece);
      console.log('é' + written);`;
    const before = process.memoryUsage.rss();
    const id = await terminals.create({ ...node(script), outputByteLimit: 100_000 });
    const waiting = terminals.wait(id);
    let slowest = 0;
    let isDone = false;
    waiting.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const from = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 1));
      slowest = Math.max(slowest, performance.now() - from);
    }
    expect(await waiting).toEqual({ exitCode: 0, signal: null });
    const { output, truncated } = await terminals.output(id);
    expect(Buffer.byteLength(output)).toBeGreaterThan(99_990);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(100_000);
    expect(truncated).toBe(true);
    expect(output).toMatch(/^é+200000000\n$/u);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64_000_000);
    expect(slowest).toBeLessThan(1000);
  });
});

describe('the end of a command', () => {
  test('is told to all who wait, before it and after it', async () => {
    const { terminals } = await session();
    const id = await terminals.create(
      node('process.stdin.on("end", () => process.exit(5)).resume()'),
    );
    const waits = await Promise.all([terminals.wait(id), terminals.wait(id)]);
    expect([...waits, await terminals.wait(id)]).toEqual(
      Array(3).fill({ exitCode: 5, signal: null }),
    );
  });

  test('is not waited for by a request that the agent has taken back', async () => {
    const { client, session: opened, terminals } = await session();
    const id = await terminals.create(node(LASTS));
    const params = { sessionId: opened.id, terminalId: id };
    const first = ask(client, 'wait_for_exit', params, '"w1"');
    const second = ask(client, 'wait_for_exit', params, '"w2"');
    await client.request('_test/withdraw', { id: '"w1"' });
    expect((await first).error.code).toBe(-32800);
    await terminals.kill(id);
    expect((await second).result).toEqual({ exitCode: null, signal: 'SIGTERM' });
    const answers = (await received(client)).filter(({ id }) => id === 'w1');
    expect(answers).toHaveLength(1);
  });

  test('by kill is that of the whole group, and its answer comes when it is over', async () => {
    const { terminals } = await session();
    const id = await terminals.create(node(HAS_CHILD));
    const output = await terminals.shows(id, /\n/u);
    expect(await terminals.kill(id)).toEqual({});
    const exit = { exitCode: null, signal: 'SIGTERM' };
    expect(await terminals.output(id)).toEqual({ output, truncated: false, exitStatus: exit });
    expect(await terminals.wait(id)).toEqual(exit);
    await allGone(pidsOf(output));
    expect(await terminals.kill(id)).toEqual({});
  });

  test('by kill is SIGKILL for one that ignores SIGTERM, after closeTimeoutMs', async () => {
    const { terminals } = await session({ closeTimeoutMs: 300 });
    const id = await terminals.create(node(`${IGNORES_SIGTERM} console.log('up');`));
    await terminals.shows(id, /up/u);
    const from = performance.now();
    await terminals.kill(id);
    expect(performance.now() - from).toBeGreaterThanOrEqual(300);
    expect(await terminals.wait(id)).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  test('by release is SIGKILL to the whole group, told to those who wait', async () => {
    const { terminals } = await session();
    const id = await terminals.create(node(`process.on('SIGTERM', () => undefined); ${HAS_CHILD}`));
    const pids = pidsOf(await terminals.shows(id, /\n/u));
    const waiting = terminals.wait(id);
    expect(await terminals.release(id)).toEqual({});
    expect(await waiting).toEqual({ exitCode: null, signal: 'SIGKILL' });
    await allGone(pids);
  });

  test('is not held up by a child that it leaves behind', async () => {
    const { terminals } = await session();
    const { output, exitStatus } = await terminals.run(node(`${STARTS_CHILD} process.exit(0);`));
    expect(exitStatus).toEqual({ exitCode: 0, signal: null });
    await allGone(pidsOf(output));
  });
});

describe('what is refused', () => {
  test('a terminal that was released, by every method', async () => {
    const { terminals } = await session();
    const id = await terminals.create(node(''));
    await terminals.release(id);
    for (const method of ['output', 'wait', 'kill', 'release']) {
      await expect(terminals[method](id)).rejects.toMatchObject({
        code: NOT_FOUND,
        data: { terminalId: id },
        message: expect.stringContaining('terminal of this session that was not released'),
      });
    }
  });

  test('a terminal of another session, which goes on', async () => {
    const { client, terminals } = await session();
    const other = terminalsOf(client, (await client.newSession()).id);
    const id = await terminals.create(node(LASTS));
    for (const method of ['output', 'wait', 'kill', 'release']) {
      for (const strange of [id, UNKNOWN]) {
        await expect(other[method](strange)).rejects.toMatchObject({ code: NOT_FOUND });
      }
    }
    expect(await terminals.output(id)).toEqual({ output: '', truncated: false });
  });

  test('a command for a session that is not open', async () => {
    const { client, session: opened } = await session();
    const loaded = await client.loadSession('old');
    await Promise.all([opened.close(), loaded.close()]);
    for (const sessionId of [opened.id, loaded.id, 'stranger']) {
      await expect(terminalsOf(client, sessionId).create(node(''))).rejects.toMatchObject({
        code: NOT_FOUND,
        data: { sessionId },
      });
    }
  });

  test.each([
    ['command', { command: '' }],
    ['command', { command: 7 }],
    ['args', { args: 'a b' }],
    ['args', { args: [1] }],
    ['env', { env: { A: '1' } }],
    ['env', { env: [{ name: 'A' }] }],
    ['env', { env: [{ name: '', value: '1' }] }],
    ['env', { env: [{ name: 'A=B', value: '1' }] }],
    ['cwd', { cwd: 'relative' }],
    ['cwd', { cwd: 7 }],
    ['outputByteLimit', { outputByteLimit: -1 }],
    ['outputByteLimit', { outputByteLimit: 1.5 }],
    ['outputByteLimit', { outputByteLimit: '9' }],
  ])('%s of %j', async (name, wrong) => {
    const { terminals } = await session();
    await expect(terminals.create({ ...node(''), ...wrong })).rejects.toMatchObject({
      code: INVALID_PARAMS,
      message: expect.stringContaining(`terminal/create: expected ${name} to be`),
    });
  });

  test('a program that is not there, one that is none, and a folder that is not there', async () => {
    const { client, terminals } = await session();
    const told = record(client);
    const refused = (errno, words) => ({
      code: INTERNAL_ERROR,
      message: expect.stringMatching(words),
      data: expect.objectContaining({ errno }),
    });
    const missing = { command: 'no-such-program' };
    await expect(terminals.create(missing)).rejects.toMatchObject(
      refused('ENOENT', /^terminal\/create: expected a program, .* no-such-program in PATH/u),
    );
    // What the program of this test could set is none of the agent's business.
    await expect(terminals.create(missing)).rejects.not.toThrow('MM_BIN');
    await expect(terminals.create({ command: os.tmpdir() })).rejects.toMatchObject(
      refused('EACCES', /a folder/u),
    );
    const nowhere = { ...node(''), cwd: path.resolve('/no/such/folder') };
    await expect(terminals.create(nowhere)).rejects.toMatchObject(refused('ENOENT', /cwd/u));
    expect(codesOf(told.diagnostic)).toEqual([]);
  });

  test('the 257th terminal, until one is released', async () => {
    const { terminals } = await session();
    const first = await terminals.create(node(''));
    for (let count = 1; count < 256; count += 16) {
      const more = Math.min(16, 256 - count);
      await Promise.all(Array.from({ length: more }, () => terminals.create({ command: TRUE })));
    }
    await expect(terminals.create(node(''))).rejects.toMatchObject({
      code: INTERNAL_ERROR,
      message: expect.stringContaining('256'),
    });
    await terminals.release(first);
    await terminals.create(node(''));
  });
});

/** A small program that ends at once. */
const TRUE = process.platform === 'win32' ? 'whoami' : 'true';

describe('many', () => {
  test('200 commands at once each have their own output and end', async () => {
    const { terminals } = await session();
    const runs = Array.from({ length: 200 }, (_, number) =>
      terminals.run({ command: `echo ${number} && exit ${number}` }),
    );
    const shown = await Promise.all(runs);
    expect(shown.map(({ output }) => Number(output))).toEqual([...Array(200).keys()]);
    expect(shown.map(({ exitStatus }) => exitStatus.exitCode)).toEqual([...Array(200).keys()]);
  });
});

describe('no command outlives', () => {
  const running = async (terminals) => {
    const id = await terminals.create(node(`process.on('SIGTERM', () => undefined); ${HAS_CHILD}`));
    return pidsOf(await terminals.shows(id, /\n/u));
  };

  test.each([
    ['its session that is closed', (_, opened) => opened.close()],
    ['its session that is deleted', (client, { id }) => client.deleteSession(id)],
  ])('%s; those of another go on', async (_, end) => {
    const { client, session: opened, terminals } = await session();
    const other = await inSession(client);
    const [ending, staying] = [await running(terminals), await running(other.terminals)];
    await end(client, opened);
    await allGone(ending);
    expect(staying.filter(isAlive)).toEqual(staying);
  });

  test('the client that is closed', async () => {
    const { client, terminals } = await session();
    const pids = await running(terminals);
    const waiting = terminals.wait(await terminals.create(node(LASTS)));
    const refused = expect(waiting).rejects.toMatchObject({ code: 'MM_ERR_CLOSED' });
    await client.close();
    await refused;
    await allGone(pids);
  });

  test('the agent', async () => {
    const { client, terminals } = await session();
    const pids = await running(terminals);
    process.kill(client.pid, 'SIGKILL');
    await allGone(pids);
  });
});
