'use strict';

const { describe, expect, jest, test } = require('@jest/globals');
const { Events } = require('../../js/events');

const fails = () => {
  throw new Error('oh');
};

describe('a listener that fails', () => {
  test('is told as a diagnostic, and the next ones are called', () => {
    const events = new Events();
    const told = [];
    const calls = [];
    events.on('diagnostic', (diagnostic) => told.push(diagnostic));
    events.on('update', fails);
    events.on('update', (value) => calls.push(value));
    expect(events.emit('update', 7)).toBe(true);
    expect(calls).toEqual([7]);
    expect(told).toEqual([
      {
        code: 'listener-failed',
        message: 'a listener of "update" failed: oh',
        details: { event: 'update' },
      },
    ]);
  });

  test('is a warning of the process when nobody listens for diagnostics', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const events = new Events();
    events.on('update', fails);
    events.emit('update', 7);
    expect(warn).toHaveBeenCalledWith('a listener of "update" failed: oh');
  });

  test('of diagnostics is a warning of the process, once', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const events = new Events();
    events.on('diagnostic', fails);
    events.emit('diagnostic', {});
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test('later, by rejecting, is told as well', async () => {
    const events = new Events();
    const told = new Promise((resolve) => events.on('diagnostic', resolve));
    events.on('update', () => Promise.reject(new Error('later')));
    events.emit('update');
    expect((await told).message).toContain('later');
  });

  test('though the event is called error', () => {
    const events = new Events();
    expect(events.emit('error', new Error('x'))).toBe(false);
  });
});

test('listeners may come and go while an event is told', () => {
  const events = new Events();
  const calls = [];
  const second = () => calls.push('second');
  events.once('x', () => {
    calls.push('first');
    events.off('x', second);
    events.on('x', () => calls.push('third'));
  });
  events.on('x', second);
  events.emit('x');
  expect(calls).toEqual(['first', 'second']);
  events.emit('x');
  expect(calls).toEqual(['first', 'second', 'third']);
});
