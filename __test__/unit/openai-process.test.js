'use strict';
// A process that runs turns of the model `openai` ends when they have: no connection keeps it alive.

const { afterEach, describe, expect, test } = require('@jest/globals');
const llm = require('../fixtures/llm-server');
const { evaluate } = require('../package/evaluate');

let server;

afterEach(() => server.close());

/** Runs a turn in a process of its own, left or aborted at its first step, or aborted before. */
async function run(answer, { isLeft = false, isAborted = false, isEarly = false }) {
  server = await llm.startLlmServer(answer);
  const { steps, unhandled, endedAtMs } = await evaluate(`
    import model from './js/stand-in/openai.js';
    const unhandled = [];
    process.on('unhandledRejection', (reason) => unhandled.push(String(reason)));
    const { turn } = model.openai({ baseUrl: '${server.origin}', model: 'm', timeoutMs: 500 }, {});
    const controller = new AbortController();
    if (${isEarly}) setTimeout(() => controller.abort(), 100);
    const steps = [];
    const view = { sessionId: 's', cwd: '/', prompt: [], question: 'go', tools: [] };
    for await (const step of turn(view, controller.signal)) {
      steps.push(Object.keys(step)[0]);
      if (${isLeft}) break;
      if (${isAborted}) controller.abort();
    }
    process.once('beforeExit', () => {
      console.log(JSON.stringify({ steps, unhandled, endedAtMs }));
    });
    const endedAtMs = Date.now();
  `);
  expect(unhandled).toEqual([]);
  return { steps, lingeredMs: Date.now() - endedAtMs };
}

const hello = llm.event(llm.delta({ content: 'hello' }));

describe('a process ends behind a turn', () => {
  test.each([
    ['that went well', ['say', 'stop'], llm.says('hello'), {}],
    ['that was refused', ['fail'], llm.status(401, { error: 'no' }), {}],
    ['that was cut', ['say', 'fail'], llm.cut(llm.delta({ content: 'hello' })), {}],
    ['whose server is silent', ['fail'], llm.silence(), {}],
    [
      'whose server stays after [DONE]',
      ['say', 'stop'],
      llm.pieces(hello, llm.event('[DONE]')),
      {},
    ],
    ['that was left', ['say'], llm.pieces(hello), { isLeft: true }],
    ['that was aborted', ['say'], llm.pieces(hello), { isAborted: true }],
    ['that was aborted early', [], llm.silence(), { isEarly: true }],
  ])('%s', async (_, expected, answer, options) => {
    const { steps, lingeredMs } = await run(answer, options);
    expect(steps).toEqual(expected);
    // Node keeps idle connections for four seconds.
    expect(lingeredMs).toBeLessThan(3000);
  });
});
