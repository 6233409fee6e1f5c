'use strict';
// Security: what the agent may reach, and what may not be told.

const { afterEach, beforeEach, describe, expect, test } = require('@jest/globals');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { workspaceFiles } = require('../..');
const { agent, failureOf, received, useClients } = require('./harness');

const open = useClients();

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

describe('a path of the agent', () => {
  let base;
  let root;
  beforeEach(() => {
    base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-paths-')));
    root = path.join(base, 'app');
    for (const folder of ['app/a/b', 'app-evil']) {
      fs.mkdirSync(path.join(base, folder), { recursive: true });
    }
    for (const file of ['app/target', 'app/a/target', 'app-evil/target']) {
      fs.writeFileSync(path.join(base, file), file);
    }
  });
  afterEach(() => fs.rmSync(base, { recursive: true }));

  const read = (file) =>
    workspaceFiles(root).readTextFile({ sessionId: 's', path: file }, { signal: undefined });

  test('166: beside the folder, of a name that begins like it, is refused', async () => {
    for (const file of [
      `${base}/app-evil/target`,
      `${base}/app-evil/`,
      `${root}/../app-evil/target`,
    ]) {
      expect(await failureOf(read(file))).toMatchObject({ code: -32602 });
    }
    expect(await read(`${root}/target`)).toBe('app/target');
  });

  test('167: with `..` behind a link leads where the system goes', async () => {
    fs.symlinkSync('a/b', path.join(root, 'alias'));
    fs.symlinkSync(path.join(base, 'app-evil'), path.join(root, 'out'));
    expect(await read(`${root}/alias/../target`)).toBe('app/a/target');
    expect(await failureOf(read(`${root}/out/../app/target`))).toMatchObject({ code: -32602 });
  });
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
  expect(() => open({ env: { [`API_KEY=${secret}`]: '' } })).toThrow(
    /has "=" or NUL: "API_KEY=…"$/u,
  );
  expect(texts.length).toBeGreaterThan(9);
  expect(texts.join('\n')).not.toContain(secret);
});

test('169: secrets of env and of headers stand in no line of trace, and not in the end of stderr', async () => {
  const secret = 's3cr3t-t0ken';
  const texts = [];
  const client = open({
    ...agent((agent) => {
      agent.on('session/new', ({ mcpServers }) => {
        const [{ headers }] = mcpServers;
        process.stderr.write(`key ${process.env.API_KEY}, header ${headers[0].value}\n`);
        process.exitCode = 3;
        process.stdin.destroy();
        return agent.silence;
      });
    }),
    env: { API_KEY: `${secret}-of-env` },
    trace: ({ line }) => texts.push(line),
  });
  const mcpServers = [
    {
      type: 'http',
      name: 'x',
      url: 'http://localhost',
      headers: [{ name: 'Authorization', value: `Bearer ${secret}` }],
    },
    { name: 'y', command: '/y', args: [], env: [{ name: 'KEY', value: `${secret}-of-server` }] },
  ];
  const error = await failureOf(client.newSession({ mcpServers }));
  expect(error).toMatchObject({ exitCode: 3, stderr: 'key ***, header Bearer ***\n' });
  expect(texts.find((line) => line.includes('session/new'))).toContain('"value":"***"');
  texts.push(JSON.stringify(error), error.message, JSON.stringify(await client.close()));
  expect(texts.join('\n')).not.toContain(secret);
});
