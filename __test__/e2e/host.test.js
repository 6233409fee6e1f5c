'use strict';
// Programs that use the package, each in a process of its own: how they end, and what they leave.

const { afterEach, describe, expect, test } = require('@jest/globals');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { gone } = require('./harness');

/** A program that does not end is ended with its test. */
let host;
afterEach(() => host?.kill('SIGKILL'));

/** Runs a program of `hosts/` to its end. */
async function run(name, ...args) {
  host = spawn(process.execPath, [path.join(__dirname, 'hosts', `${name}.js`), ...args]);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) {
    host[stream].setEncoding('utf8').on('data', (text) => {
      output[stream] += text;
    });
  }
  const [code] = await once(host, 'close');
  const told = output.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { code, told, stderr: output.stderr };
}

const READS = ['never-answers', 'session/prompt'];
const STAYS = ['stays', 'firmly'];

describe.each([
  ['that reads its stdin', READS],
  ['that ignores the end of its stdin, and SIGTERM', STAYS],
])('no agent %s outlives', (_, program) => {
  test.each([
    ['process.exit()', 'exit', 3],
    ['an exception that nobody caught', 'throw', 1],
    ['a rejection that nobody handled', 'reject', 1],
    ['a program with nothing left to do', 'empty-loop', 0],
  ])('%s', async (_name, way, code) => {
    const { told, ...end } = await run('ends', way, ...program);
    expect(told).toHaveLength(1);
    expect(end.code).toBe(code);
    await gone(told[0].pid);
  });

  test('a worker that is terminated in a turn, while the program goes on', async () => {
    const { told, code } = await run('ends', 'terminate', ...program);
    expect(told).toEqual([{ pid: expect.any(Number), exitCode: 1 }]);
    expect(code).toBe(0);
    await gone(told[0].pid);
  });
});

describe('no command of an agent outlives', () => {
  test.each([
    ['process.exit()', 'exit', 3],
    ['a rejection that nobody handled', 'throw', 1],
    ['a program with nothing left to do: a command alone does not keep it', 'idle', 0],
    ['a worker that is terminated', 'terminate', 0],
  ])('%s', async (_, way, code) => {
    const { told, ...end } = await run('runs-commands', way);
    expect(end.code).toBe(code);
    expect(told).toEqual([{ pids: [expect.any(Number), expect.any(Number)] }]);
    await Promise.all(told[0].pids.map((pid) => gone(pid)));
  });
});

describe('a program', () => {
  test('may exit while a message is delivered to it', async () => {
    const { told, code, stderr } = await run('ends', 'exit-in-listener', 'echo');
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
    await gone(told[0].pid);
  });

  test('ends by itself with a client that was never started', async () => {
    expect(await run('keeps-alive', 'never-started')).toEqual({ code: 0, told: [], stderr: '' });
  });

  test.each(['idle', 'closed'])('ends by itself with a client that is %s', async (way) => {
    const { told, code, stderr } = await run('keeps-alive', way);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(told).toHaveLength(1);
    await gone(told[0].pid);
  });

  test.each(['prompt-running', 'tool-running', 'starting'])('lives while %s', async (way) => {
    const { told, code } = await run('keeps-alive', way);
    expect(code).toBe(0);
    expect(told).toHaveLength(1);
    await gone(told[0].pid);
  });

  test('ends by itself when its agent has ended, whatever was waiting then', async () => {
    const { told, code } = await run('keeps-alive', 'ended-while-waiting');
    expect(code).toBe(0);
    expect(told[0].codes).toEqual(['MM_ERR_EXITED', 'MM_ERR_EXITED']);
  });

  test('leaves none of several agents that it forgot about', async () => {
    const { told } = await run('keeps-alive', 'dropped');
    expect(told[0].pids).toHaveLength(3);
    await Promise.all(told[0].pids.map(gone));
  });

  test('is told once of an agent that dies mid-line, and of nothing unhandled', async () => {
    const { told, stderr } = await run('sees-an-end', 'dies-mid-line');
    expect(stderr).toBe('');
    expect(told).toEqual([
      {
        rejections: [
          {
            name: 'ConnectionError',
            code: 'MM_ERR_EXITED',
            exitCode: 3,
            stderr: 'cannot reach the model\ngiving up\n',
          },
        ],
        exits: 1,
        unhandled: 0,
        warnings: 0,
      },
    ]);
  });

  test('survives an agent that exits at once, with no listener for anything', async () => {
    const { told, code, stderr } = await run('sees-an-end', 'exits', '1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(told[0]).toMatchObject({ rejections: [{ code: 'MM_ERR_EXITED' }], unhandled: 0 });
  });
});
