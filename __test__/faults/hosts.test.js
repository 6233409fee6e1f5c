'use strict';
// Native addon, hosts, platform, types and security: what crosses borders.

const { describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { agent, failureOf, program, received, record, runHost, useClients } = require('./harness');

const open = useClients();
const PACKAGE = path.join(__dirname, '../..');

test('135: a throw in each kind of callback leaves the host alive, and is told', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const fail = () => {
        throw new Error('boom');
      };
      const client = new MiniMe({
        ...options,
        tools: [{ name: 't', method: '_t', handle: fail }],
        permissions: fail,
        trace: fail,
        fs: { readTextFile: fail },
      });
      for (const event of ['update', 'stderr', 'toolCall', 'exit']) client.on(event, fail);
      client.onNotification('_n', fail);
      client.onRequest('_r', fail);
      const diagnostics = new Set();
      client.on('diagnostic', ({ code }) => diagnostics.add(code));
      const session = await client.newSession();
      const { raw } = await session.prompt('x');
      await client.close();
      await new Promise((resolve) => setTimeout(resolve, 20));
      tell({ answers: raw.answers, diagnostics: [...diagnostics].sort() });
    },
    agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        process.stderr.write('x\n');
        agent.say(sessionId, 'x');
        agent.send({ method: '_n', params: {} });
        const params = { sessionId, path: '/', toolCall: { toolCallId: 't' }, options: [] };
        const answers = [];
        for (const method of ['_t', '_r', 'session/request_permission', 'fs/read_text_file']) {
          answers.push(await agent.ask(method, params));
        }
        return { stopReason: 'end_turn', answers };
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, signal: null, err: '' });
  expect(host.told[0].answers).toMatchObject([
    { result: { isError: true } },
    { error: { code: -32603 } },
    { result: { outcome: { outcome: 'cancelled' } } },
    { error: { code: -32603 } },
  ]);
  expect(host.told[0].diagnostics).toEqual(['listener-failed', 'permission-option-missing']);
});

test('135: callbacks that reject are told as well, and no rejection is left unhandled', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const reject = () => Promise.reject(new Error('boom'));
      const client = new MiniMe({ ...options, trace: reject });
      const messages = new Set();
      client.on('diagnostic', ({ message }) => messages.add(message));
      await client.loadSession('x', { onReplay: reject });
      await client.close();
      tell([...messages].sort());
    },
    agent((agent) => {
      agent.on('session/load', ({ sessionId }) => {
        agent.say(sessionId, 'x');
        return {};
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, signal: null, err: '' });
  expect(host.told).toEqual([['delivering a message failed: boom', 'onReplay failed: boom']]);
});

test('a host without the globals that came after Node 16, as Electron 22, cancels and is cancelled', async () => {
  const host = await runHost(
    async ({ tell }, entry, options) => {
      // Loaded before the globals were gone: load it again.
      for (const file of Object.keys(require.cache)) {
        if (!file.endsWith('.node')) delete require.cache[file];
      }
      for (const name of ['DOMException', 'structuredClone', 'fetch', 'CustomEvent', 'File']) {
        delete globalThis[name];
      }
      const { MiniMe } = require(entry);
      const reasons = [];
      let bothRun;
      const running = new Promise((resolve) => {
        bothRun = resolve;
      });
      let count = 0;
      const wait = (_, { signal }) => {
        count += 1;
        if (count === 2) bothRun();
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(reasons.push(signal.reason)));
        });
      };
      const client = new MiniMe({ ...options, tools: [{ name: 't', method: '_t', handle: wait }] });
      client.onRequest('_r', wait);
      const session = await client.newSession();
      const turn = session.prompt('x');
      await running;
      await turn.cancel().catch(() => client.close());
      const { stopReason } = await turn;
      await client.close();
      tell([stopReason, ...reasons.map(({ name, code, message }) => ({ name, code, message }))]);
    },
    PACKAGE,
    agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        agent.ask('_t', { _meta: { 'org.mini-me/sessionId': sessionId } });
        await agent.ask('_r', {}, 'request');
        return { stopReason: 'cancelled' };
      });
      agent.on('session/cancel', () => {
        agent.send({ method: '$/cancel_request', params: { requestId: 'request' } });
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, signal: null, err: '' });
  const reason = (message) => ({ name: 'AbortError', code: 20, message });
  expect(host.told).toEqual([
    ['cancelled', reason('The turn was cancelled'), reason('The agent withdrew the request')],
  ]);
});

test('a host stays alive while an opening waits for one that was given up', async () => {
  const host = await runHost(
    async ({ MiniMe, tell }, options) => {
      const client = new MiniMe({ ...options, discovery: 'request' });
      await client.newSession({ timeoutMs: 50 }).catch(({ code }) => tell(code));
      const { id } = await client.newSession();
      tell(id);
      await client.close();
    },
    agent((agent) => {
      agent.on('session/new', async () => {
        await agent.sleep(300);
        return { sessionId: agent.newSessionId() };
      });
    }),
  );
  expect(host).toMatchObject({ code: 0, err: '', told: ['MM_ERR_TIMEOUT', 's2'] });
});

test('half of a surrogate pair in a command of the agent is refused as what it is', async () => {
  const client = open({
    ...agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        const params = { sessionId, command: 'echo', args: ['\ud800'] };
        const { error } = await agent.ask('terminal/create', params);
        return { stopReason: 'end_turn', error };
      });
    }),
    terminal: true,
  });
  const { raw } = await (await client.newSession()).prompt('x');
  expect(raw.error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('expected args to be an array of strings'),
  });
});

test('144: numbers are what JSON.parse makes of them, in updates, arguments and answers', async () => {
  const text =
    '[0,5,2147483648,4294967296,9007199254740991,9007199254740993,-1,-0,1e308,1e400,0.1]';
  const seen = [];
  const client = open({
    ...agent((agent, text) => {
      agent.on('session/prompt', ({ sessionId }, { id }) => {
        const raw = (line) => agent.write(line.replace('"RAW"', text));
        raw(
          agent.line({
            method: 'session/update',
            params: { sessionId, update: { sessionUpdate: 'x', n: 'RAW' } },
          }),
        );
        raw(agent.line({ id: 900, method: '_t', params: { n: 'RAW' } }));
        raw(agent.line({ id, result: { stopReason: 'end_turn', n: 'RAW' } }));
        return agent.silence;
      });
    }, text),
    tools: [{ name: 't', method: '_t', handle: ({ n }) => seen.push(n) }],
  });
  client.on('update', ({ update }) => seen.push(update.n));
  const session = await client.newSession();
  const { raw } = await session.prompt('x');
  const expected = JSON.parse(text);
  expect([...seen, raw.n]).toEqual([expected, expected, expected]);
});

describe('the environment of the agent', () => {
  const tells = agent((agent) => {
    agent.on('env', () => process.env);
    agent.on('argv', () => process.argv.slice(1));
  });

  test('127, 150, 170: is inherited without what is the host’s own; env on top; or env alone', async () => {
    const own = {
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_PID: '7',
      NODE_OPTIONS: '--no-warnings',
      KEEP: 'k',
    };
    Object.assign(process.env, own);
    try {
      const client = open({ ...tells, env: { FOO: '1', HOME: undefined, VSCODE_PID: '8' } });
      const env = await client.request('env');
      expect(env).toMatchObject({ FOO: '1', KEEP: 'k', PATH: process.env.PATH, VSCODE_PID: '8' });
      for (const name of ['HOME', 'ELECTRON_RUN_AS_NODE', 'NODE_OPTIONS']) {
        expect(env).not.toHaveProperty(name);
      }
      const alone = open({ ...tells, inheritEnv: false, env: { ONLY: 'this' } });
      expect(await alone.request('env')).toEqual({ ONLY: 'this' });
    } finally {
      for (const name of Object.keys(own)) delete process.env[name];
    }
  });

  test('161: comes with arguments exactly as they are given', async () => {
    const args = [
      '',
      ' ',
      'a b',
      '"',
      "'",
      '\\',
      '$HOME',
      '*',
      'é😀',
      '-x',
      'a\nb',
      '%PATH%',
      '^&|',
    ];
    const client = open({ ...tells, args: [...tells.args, '--', ...args] });
    expect(await client.request('argv')).toEqual(args);
  });
});

describe('what cannot start', () => {
  test('128, 130: names the command, the PATH and what to set; or exit code and stderr', async () => {
    const env = { PATH: '/usr/bin:/bin' };
    const missing = await failureOf(open({ command: 'no-such-mm', env }).start());
    for (const word of ['no-such-mm', '/usr/bin:/bin', 'MM_BIN']) {
      expect(missing.message).toContain(word);
    }
    const dies = program(() => {
      process.stderr.write('bad key\n');
      process.exitCode = 127;
    });
    const error = await failureOf(open(dies).start());
    expect(error.message).toMatch(/127[\s\S]*bad key/u);
  });

  test('131: blames cwd when it is cwd that is not there, no folder, or not to be entered', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-cwd-'));
    try {
      const cwds = [path.join(folder, 'none'), __filename];
      for (const cwd of cwds) {
        const error = await failureOf(open({ command: process.execPath, cwd }).start());
        expect(error).toMatchObject({ code: 'MM_ERR_SPAWN', details: { cwd } });
        expect(error.message).toContain('cwd');
      }
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

describe('errors and data', () => {
  test('156: survive structuredClone', async () => {
    const client = open(
      agent((agent) => {
        agent.on('session/prompt', ({ sessionId }) => {
          agent.say(sessionId, 'x');
          agent.update(sessionId, { sessionUpdate: 'plan', entries: [] });
          return { stopReason: 'end_turn', usage: { totalTokens: 1 } };
        });
        agent.on('bad', () => agent.refuse(-1, 'no', { deep: [1] }));
      }),
    );
    const told = record(client);
    const info = await client.start();
    const session = await client.newSession();
    const result = await session.prompt('x');
    const error = await failureOf(client.request('bad'));
    const exit = await client.close();
    const plain = [info, result, told.update, exit, error.details, error.toJSON()];
    for (const value of plain) expect(structuredClone(value)).toEqual(value);
    expect(Object.keys(error)).toEqual(expect.arrayContaining(['code', 'details', 'rpcCode']));
    expect(structuredClone(error).message).toBe(error.message);
  });

  test('160: can be read however they are printed', async () => {
    const errors = [
      await failureOf(open({ command: '/no/such' }).start()),
      await failureOf(
        open(
          agent((agent) => agent.on('x', () => agent.refuse(-5, 'five', { why: 'because' }))),
        ).request('x'),
      ),
    ];
    const forms = [
      String,
      (e) => JSON.stringify(e),
      (e) => e.toString(),
      require('node:util').inspect,
    ];
    for (const error of errors) {
      for (const form of forms) {
        const text = form(error);
        expect(text).toContain(error.code);
        expect(text).not.toContain('[object Object]');
      }
      expect(JSON.stringify(error)).toContain(JSON.stringify(error.message).slice(1, -1));
    }
  });

  test('162: the package is had by require and by import', async () => {
    const source =
      "import { MiniMe } from 'mini-me-client'; import all from 'mini-me-client'; process.stdout.write(String(MiniMe === all.MiniMe));";
    const { execFile } = require('node:child_process');
    const cwd = path.join(__dirname, '../..');
    const out = await new Promise((resolve, reject) => {
      execFile(process.execPath, ['--input-type=module', '-e', source], { cwd }, (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      );
    });
    expect(out).toBe('true');
  });
});

describe('security', () => {
  test('164: files are not offered without handlers; with them the raw path goes to the program alone', async () => {
    const paths = ['../../etc/passwd', '/etc/passwd', '/dev/zero', 'a\0b', ''];
    const asks = agent((agent, paths) => {
      agent.on('ask', async () => {
        const answers = [];
        for (const path of paths) {
          answers.push(await agent.ask('fs/read_text_file', { sessionId: 's', path }));
        }
        return answers;
      });
    }, paths);
    const bare = open(asks);
    const refused = await bare.request('ask');
    expect(refused.map(({ error }) => error)).toEqual(
      Array(paths.length).fill({ code: -32601, message: 'Method not found' }),
    );
    const [{ params }] = await received(bare);
    expect(params.clientCapabilities.fs ?? { readTextFile: false }).toMatchObject({
      readTextFile: false,
    });

    const seen = [];
    const client = open({ ...asks, fs: { readTextFile: ({ path }) => seen.push(path) && 'text' } });
    await client.request('ask');
    expect(seen).toEqual(paths);
  });

  test('169: secrets of env and of headers stand in no error and no diagnostic', async () => {
    const secret = 's3cr3t-t0ken';
    const texts = [];
    const collect = (value) =>
      texts.push(require('node:util').inspect(value, { depth: 9 }), JSON.stringify(value));
    const env = { API_KEY: secret };
    collect(await failureOf(open({ command: 'no-such-mm', env }).start()));
    collect(await failureOf(open({ command: '/bin/sh', args: ['-c', 'exit 3'], env }).start()));
    const client = open({
      ...agent((agent) => {
        agent.on('session/new', () => agent.refuse(-32602, 'no'));
      }),
      env,
      maxOutgoingBytes: 2000,
    });
    client.on('diagnostic', collect);
    const headers = [{ name: 'Authorization', value: secret }];
    const mcpServers = [{ type: 'http', name: 'x', url: 'http://localhost', headers }];
    collect(await failureOf(client.newSession({ mcpServers })));
    const many = Array(50).fill(mcpServers[0]);
    collect(await failureOf(client.newSession({ mcpServers: many })));
    collect(await failureOf(client.newSession({ mcpServers: mcpServers[0] })));
    for (const wrong of [{ API_KEY: secret, PORT: 80 }, [secret], `API_KEY=${secret}`]) {
      expect(() => open({ env: wrong })).toThrow(
        expect.objectContaining({
          code: 'MM_ERR_OPTION',
          message: expect.not.stringContaining(secret),
        }),
      );
    }
    expect(() => open({ env: { PORT: 80 } })).toThrow('got a number for PORT');
    expect(texts.length).toBeGreaterThan(9);
    expect(texts.join('\n')).not.toContain(secret);
  });
});
