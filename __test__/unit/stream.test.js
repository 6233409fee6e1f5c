'use strict';

const { describe, expect, test } = require('@jest/globals');
const { Picked, Reader, Stream, Unread } = require('../../js/stream');

const DONE = { done: true, value: undefined };
const value = (item) => ({ done: false, value: item });

function create() {
  const unread = new Unread();
  const left = [];
  const stream = new Stream(unread, (one) => left.push(one));
  return { stream, unread, left };
}

describe('a stream', () => {
  test('gives what was pushed, in order, then ends', async () => {
    const { stream } = create();
    stream.push('a', 1);
    stream.push('b', 1);
    stream.end();
    stream.push('too late', 1);
    expect([
      await stream.next(),
      await stream.next(),
      await stream.next(),
      await stream.next(),
    ]).toEqual([value('a'), value('b'), DONE, DONE]);
  });

  test('lets readers wait, and serves them in order', async () => {
    const { stream } = create();
    const readers = [stream.next(), stream.next(), stream.next()];
    stream.push('a', 1);
    stream.push('b', 1);
    stream.end();
    expect(await Promise.all(readers)).toEqual([value('a'), value('b'), DONE]);
  });

  test('throws its failure once, behind what waits', async () => {
    const { stream } = create();
    const error = new Error('x');
    stream.push('a', 1);
    stream.end({ error });
    expect(await stream.next()).toEqual(value('a'));
    await expect(stream.next()).rejects.toBe(error);
    expect(await stream.next()).toEqual(DONE);
  });

  test('throws its failure to the first of the readers that wait', async () => {
    const { stream } = create();
    const readers = [stream.next(), stream.next()];
    const error = new Error('x');
    stream.end({ error });
    await expect(readers[0]).rejects.toBe(error);
    expect(await readers[1]).toEqual(DONE);
    expect(await stream.next()).toEqual(DONE);
  });

  test('throws a failure that is undefined as well', async () => {
    const { stream } = create();
    stream.end({ error: undefined });
    await expect(stream.next()).rejects.toBeUndefined();
  });

  test('ends once', async () => {
    const { stream } = create();
    stream.end();
    stream.end({ error: new Error('late') });
    expect(await stream.next()).toEqual(DONE);
  });

  test('counts what is unread in it, and nothing else', async () => {
    const { stream, unread } = create();
    const reader = stream.next();
    stream.push('a', 10);
    await reader;
    expect(unread.bytes).toBe(0);
    stream.push('b', 20);
    stream.push('c', 30);
    expect(unread.bytes).toBe(50);
    await stream.next();
    expect(unread.bytes).toBe(30);
    await stream.return();
    expect(unread.bytes).toBe(0);
  });

  test('that is left is forgotten: what comes later is not kept', async () => {
    const { stream, unread, left } = create();
    stream.push('a', 10);
    for await (const item of new Reader(stream)) {
      expect(item).toBe('a');
      break;
    }
    stream.push('b', 10);
    expect(left).toEqual([stream]);
    expect(unread.bytes).toBe(0);
    expect(await stream.next()).toEqual(DONE);
  });

  test('that is left does not throw its failure any more', async () => {
    const { stream } = create();
    stream.end({ error: new Error('x') });
    expect(await stream.return('given')).toEqual({ done: true, value: 'given' });
    expect(await stream.next()).toEqual(DONE);
  });

  test('can be read while it is written', async () => {
    const { stream } = create();
    const items = [];
    stream.push(0, 1);
    for await (const item of new Reader(stream)) {
      items.push(item);
      if (item < 1000) stream.push(item + 1, 1);
      else stream.end();
    }
    expect(items).toEqual(Array.from({ length: 1001 }, (_, number) => number));
  });
});

describe('a picked stream', () => {
  test('leaves out what its pick gives as undefined', async () => {
    const { stream } = create();
    const picked = new Picked(stream, (item) => (item % 2 === 0 ? `${item}` : undefined));
    for (let item = 0; item < 5; item += 1) stream.push(item, 1);
    stream.end();
    const items = [];
    for await (const item of picked) items.push(item);
    expect(items).toEqual(['0', '2', '4']);
  });

  test('leaves the stream behind it when it is left', async () => {
    const { stream, left } = create();
    stream.push('a', 1);
    for await (const _ of new Picked(stream, (item) => item)) break;
    expect(left).toEqual([stream]);
  });

  test('passes failures on', async () => {
    const { stream } = create();
    stream.end({ error: new Error('x') });
    await expect(new Picked(stream, (item) => item).next()).rejects.toThrow('x');
  });
});
