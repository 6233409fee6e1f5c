'use strict';
// The demo with a language model, which is a server on loopback that answers what the test scripts.

const { execFile } = require('node:child_process');
const path = require('node:path');
const { afterEach, describe, expect, test } = require('@jest/globals');
const { standIn } = require('mini-me-client/testing');
const llm = require('../fixtures/llm-server');
const { failureOf, useClients } = require('./harness');

const open = useClients();
const CLIENT = path.join(__dirname, '../../examples/host-info/client.js');
const STAND_IN = path.join(__dirname, '../../js/stand-in.js');

let server;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const environment = () => ({
  OPENAI_BASE_URL: server.origin,
  OPENAI_MODEL: 'test',
  OPENAI_API_KEY: 'sk-secret',
});

/** Runs the demo; gives what it printed and its exit status. */
function demo(...args) {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment() };
    const done = (error, stdout, stderr) => resolve({ stdout, stderr, status: error?.code ?? 0 });
    execFile(process.execPath, [CLIENT, '--model', 'openai', ...args], { env }, done);
  });
}

/** A call of host_info, in pieces as servers stream it. */
const call = (index, topic) => {
  const args = JSON.stringify({ topic });
  const piece = (more) => llm.delta({ tool_calls: [{ index, ...more }] });
  return [
    piece({
      id: `c${index}`,
      type: 'function',
      function: { name: 'client_host_info', arguments: '' },
    }),
    piece({ function: { arguments: args.slice(0, 5) } }),
    piece({ function: { arguments: args.slice(5) } }),
  ];
};
const end = (reason) => [llm.delta({}, reason), '[DONE]'];
const said = (...texts) => texts.map((content) => llm.delta({ content }));

describe('host_info with a language model', () => {
  test.each([
    ['meta', []],
    ['request', ['--request']],
  ])('is called twice at once and answered from both, by discovery %s', async (_, args) => {
    server = await llm.startLlmServer(
      llm.events(
        ...said('Let me ', 'look.'),
        ...call(0, 'os'),
        ...call(1, 'memory'),
        ...end('tool_calls'),
      ),
      llm.events(...said('You have ', 'a machine.'), ...end('stop')),
    );
    const { stdout, stderr, status } = await demo(...args);
    expect(stderr).toContain('[client] agent: the stand-in for mm (model openai)');
    expect(stdout).toContain('Let me look.');
    for (const topic of ['os', 'memory'])
      expect(stdout).toContain(`host_info {"topic":"${topic}"}`);
    expect(stdout).toContain('You have a machine.\n\n[end_turn]');
    expect(status).toBe(0);
    const [first, second] = server.requests.map(({ body }) => body);
    expect(first).toMatchObject({ stream: true, model: 'test' });
    expect(first.tools.map((tool) => tool.function.name)).toEqual(['client_host_info']);
    const results = second.messages.filter(({ role }) => role === 'tool');
    expect(results.map(({ tool_call_id: id }) => id)).toEqual(['c0', 'c1']);
    const shown = [...stdout.matchAll(/^ {3}│ (.+)$/gm)].map(([, line]) => line);
    expect(results.map(({ content }) => content).sort()).toEqual(shown.sort());
  });

  test.each([
    [
      'answers 401',
      llm.status(401, { error: { message: 'no key' } }),
      /answered 401: no key; check OPENAI_API_KEY/,
    ],
    ['answers 500', llm.status(500, 'down'), /answered 500: down/],
    ['cuts the stream', llm.cut(...said('half a')), /cut its answer short/],
  ])('a server that %s is told in a message, never its key', async (_, answer, message) => {
    server = await llm.startLlmServer(answer);
    const { stdout, stderr, status } = await demo();
    expect(stderr).toMatch(message);
    expect(stdout + stderr).not.toContain('sk-secret');
    expect(status).toBe(1);
  });

  test('a server that never answers can be given up', async () => {
    server = await llm.startLlmServer(llm.silence(), llm.events(...said('back'), ...end('stop')));
    const agent = standIn();
    const args = [...agent.options.args, '-model', 'openai'];
    const client = open({
      ...agent.options,
      args,
      env: { ...agent.options.env, ...environment() },
    });
    const session = await client.newSession();
    const turn = session.prompt('hi', { timeoutMs: 300 });
    expect(await failureOf(turn)).toMatchObject({ code: 'MM_ERR_TIMEOUT' });
    await server.requests[0].closed;
    expect((await session.prompt('still there?')).text).toBe('back');
    agent[Symbol.dispose]();
  });

  test('without a server it is said at once what to set', async () => {
    const { OPENAI_BASE_URL: _url, OPENAI_MODEL: _model, ...env } = process.env;
    const client = open({
      command: process.execPath,
      args: [STAND_IN, '-acp', '-model', 'openai'],
      inheritEnv: false,
      env,
    });
    const failure = await failureOf(client.start());
    expect(failure.stderr).toContain('set OPENAI_BASE_URL');
  });
});
