'use strict';
// Requests of either side are answered once, in the right order, whatever a handler gives.

const { describe, expect, jest, test } = require('@jest/globals');
const { AgentRequests, RpcError } = require('../../js/agent-requests');
const { Connection } = require('../../js/connection');

describe('a request of ours', () => {
  test('makes its value before it is told to be settled', () => {
    const connection = new Connection({ request: jest.fn() });
    const order = [];
    connection.call(
      '_x',
      {},
      {},
      { onAnswer: () => order.push('answer'), onSettled: () => order.push('settled') },
    );
    connection.result(1, {});
    expect(order).toEqual(['answer', 'settled']);
  });

  test('is settled also when its value cannot be made', async () => {
    const connection = new Connection({ request: jest.fn() });
    const onSettled = jest.fn();
    const onAnswer = () => {
      throw new Error('no value');
    };
    const call = connection.call('_x', {}, {}, { onAnswer, onSettled });
    connection.result(1, {});
    await expect(call).rejects.toThrow('no value');
    expect(onSettled).toHaveBeenCalledTimes(1);
  });
});

describe('a request of the agent', () => {
  /** What is answered when a handler does `handle`: [isError, answer]. */
  function answerOf(handle) {
    return new Promise((resolve) => {
      const requests = new AgentRequests({
        native: {
          answerRequest: (_key, isError, json) => resolve([isError, JSON.parse(json)]),
        },
        hold: jest.fn(),
        release: jest.fn(),
        sign: () => undefined,
        diagnose: () => undefined,
      });
      requests.set('_x', handle);
      requests.receive(1, '_x', {});
    });
  }

  test.each([
    ['undefined', undefined],
    ['what a toJSON makes undefined', { toJSON: () => undefined }],
  ])('is answered null for %s', async (_name, value) => {
    expect(await answerOf(() => value)).toEqual([false, null]);
  });

  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
  ])('gets -32603 for %s', async (_name, value) => {
    expect(await answerOf(() => value)).toEqual([true, expect.objectContaining({ code: -32603 })]);
  });

  test('gets the code of an RpcError', async () => {
    const handle = () => {
      throw new RpcError(-32002, 'no such file', { uri: 'file:///a' });
    };
    const error = { code: -32002, message: 'no such file', data: { uri: 'file:///a' } };
    expect(await answerOf(handle)).toEqual([true, error]);
  });

  test('gets -32603 for an error that only looks like one of ours', async () => {
    const foreign = Object.assign(new Error('not yours'), { rpc: 'anything' });
    const handle = () => Promise.reject(foreign);
    expect(await answerOf(handle)).toEqual([true, { code: -32603, message: 'not yours' }]);
  });
});
