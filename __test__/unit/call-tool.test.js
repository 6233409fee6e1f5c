'use strict';
// callTool() against the real native side: what it tells is what an agent and its model would meet.

const { describe, expect, test } = require('@jest/globals');
const { z } = require('zod');
const { defineTool, failure } = require('../..');
const { callTool } = require('../../testing');
const { failureOf } = require('../e2e/harness');

const SCHEMA = {
  type: 'object',
  properties: { topic: { type: 'string', enum: ['os', 'cpu'] }, depth: { type: 'integer' } },
  required: ['topic'],
};
const tool = (handle, more) => defineTool({ name: 'tell me', handle, ...more });
const never = () => new Promise(() => undefined);

describe('a result', () => {
  test.each([
    ['a string', () => 'plain', 'plain', 'plain'],
    ['an object', () => ({ b: 1, a: [null] }), '{"b":1,"a":[null]}', { b: 1, a: [null] }],
    ['null', async () => null, 'null', null],
    ['nothing', () => undefined, '', { content: [] }],
    [
      'blocks, one of them no text',
      () => ({ content: [{ type: 'text', text: 'a' }, { type: 'image' }] }),
      'a[client tool: non-text content of type image skipped]',
      { content: [{ type: 'text', text: 'a' }, { type: 'image' }] },
    ],
  ])('that is %s is read as the model reads it', async (_name, handle, text, result) => {
    expect(await callTool(tool(handle))).toEqual({
      text,
      isError: false,
      outcome: 'ok',
      result,
      durationMs: expect.any(Number),
    });
  });

  test('of failure() is an error that the model reads', async () => {
    const told = await callTool(tool(() => failure('no such topic')));
    expect(told).toMatchObject({
      text: '[client tool error: no such topic]',
      isError: true,
      outcome: 'error',
    });
    expect('error' in told).toBe(false);
  });

  test('that JSON cannot hold is an error that names the place', async () => {
    const { text, outcome } = await callTool(tool(() => ({ sizes: [1n] })));
    expect(text).toBe('[client tool error: result.sizes[0]: expected JSON, got a BigInt]');
    expect(outcome).toBe('error');
  });

  test('over the limit of a line is too large', async () => {
    const { text, isError, outcome } = await callTool(tool(() => 'x'.repeat(11 * 1024 * 1024)));
    expect(text).toContain('the result is too large: expected a line of 10485760 bytes at most');
    expect({ isError, outcome }).toEqual({ isError: true, outcome: 'too-large' });
  });

  test('is cut for the model, and whole on the wire', async () => {
    const long = 'x'.repeat(40_000);
    const cut = await callTool(tool(() => long));
    expect(cut.text).toContain('[… 10000 characters cut …]');
    expect(cut.result).toBe(long);
    const short = await callTool(
      tool(() => 'abcdef'),
      {},
      { maxOutput: 4 },
    );
    expect(short.text).toBe('ab\n[… 2 characters cut …]\nef');
  });
});

describe('a handler', () => {
  test('that throws or rejects is read by its message, and the very value is given', async () => {
    const error = new Error('disk full');
    for (const handle of [
      () => {
        throw error;
      },
      () => Promise.reject(error),
    ]) {
      const told = await callTool(tool(handle));
      expect(told).toMatchObject({ text: '[client tool error: disk full]', outcome: 'error' });
      expect(told.error).toBe(error);
    }
  });

  test('gets its arguments, and a context as in a call of the agent', async () => {
    let seen;
    const session = { id: 's7', cwd: '/project' };
    await callTool(
      tool((args, context) => {
        seen = {
          args,
          sessionId: context.sessionId,
          session: context.session,
          meta: context.meta,
          names: [context.tool.name, context.tool.modelName, context.tool.method],
          isAborted: context.signal.aborted,
        };
        context.tool.remove();
      }),
      { path: 'a', gone: undefined, at: new Date(0), _meta: { x: 1 } },
      { session, meta: { trace: 'on' } },
    );
    expect(seen).toEqual({
      args: { path: 'a', at: '1970-01-01T00:00:00.000Z' },
      sessionId: 's7',
      session,
      meta: { trace: 'on', 'org.mini-me/sessionId': 's7' },
      names: ['tell me', 'client_tell_me', '_mini-me-client/tell_me'],
      isAborted: false,
    });
    expect(seen.session).toBe(session);
  });

  test('is called from a session of some name, or of the given one', async () => {
    const told = tool((_args, { sessionId, session }) => ({ sessionId, isOpen: Boolean(session) }));
    expect((await callTool(told)).result).toEqual({ sessionId: 'test-session', isOpen: false });
    const { result } = await callTool(told, {}, { sessionId: 'mine', session: { id: 'other' } });
    expect(result).toEqual({ sessionId: 'mine', isOpen: true });
  });

  test('that runs longer than timeoutMs is timed out, and its signal aborts', async () => {
    let reason;
    const handle = (_args, { signal }) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      return never();
    };
    const told = await callTool(tool(handle, { timeoutMs: 20 }));
    expect(told).toMatchObject({
      text: '[client tool error: the tool ran longer than its limit of 20 ms]',
      outcome: 'timeout',
      isError: true,
    });
    expect(told.durationMs).toBeGreaterThanOrEqual(15);
    expect(reason).toMatchObject({ code: 'MM_ERR_TIMEOUT' });
  });
});

describe('a call that its signal withdraws', () => {
  const CANCELLED = { text: '', isError: true, outcome: 'cancelled', result: undefined };

  test('aborts the handler, and the model reads nothing', async () => {
    const controller = new AbortController();
    let seen;
    const handle = (_args, { signal }) => {
      seen = signal;
      controller.abort();
      return never();
    };
    const told = await callTool(tool(handle), {}, { signal: controller.signal });
    expect(told).toEqual({ ...CANCELLED, durationMs: expect.any(Number) });
    expect(seen.reason).toMatchObject({
      name: 'AbortError',
      message: 'The agent cancelled the call',
    });
  });

  test('may have been withdrawn before', async () => {
    const told = await callTool(tool(never), {}, { signal: AbortSignal.abort() });
    expect(told).toMatchObject(CANCELLED);
  });

  test('after its answer, is no harm, and no listener is left', async () => {
    const controller = new AbortController();
    const told = await callTool(
      tool(() => 1),
      {},
      { signal: controller.signal },
    );
    controller.abort();
    expect(told.outcome).toBe('ok');
  });
});

describe('arguments', () => {
  const neverCalled = () => {
    throw new Error('expected the handler not to run');
  };

  test('of which a required one is missing are not sent', async () => {
    for (const validate of [true, false]) {
      const told = await callTool(tool(neverCalled, { inputSchema: SCHEMA, validate }), {
        depth: 1,
      });
      expect(told).toEqual({
        text: '[client tool error: missing required parameters: topic]',
        isError: true,
        outcome: 'missing-parameters',
        result: undefined,
        durationMs: 0,
      });
    }
  });

  test('that do not fit are refused as the client refuses them', async () => {
    const told = await callTool(tool(neverCalled, { inputSchema: SCHEMA }), { topic: 'disk' });
    expect(told).toMatchObject({ outcome: 'invalid-arguments', isError: true, durationMs: 0 });
    expect(told.text).toBe('[client tool error: topic: expected one of "os", "cpu", got "disk"]');
    expect(told.result).toEqual(failure('topic: expected one of "os", "cpu", got "disk"'));
  });

  test('are not checked with validate: false', async () => {
    const open = tool((args) => args, { inputSchema: SCHEMA, validate: false });
    expect((await callTool(open, { topic: 'disk' })).result).toEqual({ topic: 'disk' });
  });

  test('of a Standard Schema are checked and converted by the library', async () => {
    const inputSchema = z.object({ at: z.string().transform((text) => text.length) });
    const told = tool(({ at }) => ({ at }), { inputSchema });
    expect((await callTool(told, { at: 'four' })).result).toEqual({ at: 4 });
    const refused = await callTool(told, { at: 4 });
    expect(refused).toMatchObject({ outcome: 'invalid-arguments', isError: true });
    expect(refused.text).toMatch(/^\[client tool error: at: /u);
    expect((await callTool(told, {})).outcome).toBe('missing-parameters');
  });

  test.each([
    ['an array', [1], 'expected args to be an object, got [1]'],
    ['a string', 'x', 'expected args to be an object, got "x"'],
    ['a date', new Date(0), 'expected args to be an object, got "1970'],
    ['a Map', new Map(), 'args: expected JSON, got a Map'],
    ['a BigInt within', { a: [1n] }, 'args.a[0]: expected JSON, got a BigInt'],
  ])('that are %s are MM_ERR_OPTION', async (_name, args, message) => {
    const error = await failureOf(callTool(tool(neverCalled), args));
    expect(error).toMatchObject({ code: 'MM_ERR_OPTION', details: { option: 'args' } });
    expect(error.message).toContain(message);
  });
});

describe('what cannot be called', () => {
  test.each([
    ['MM_ERR_TOOL', undefined],
    ['MM_ERR_TOOL_NAME', { name: '日本', handle: never }],
    ['MM_ERR_TOOL_HANDLE', { name: 'a' }],
    ['MM_ERR_TOOL_SCHEMA', { name: 'a', inputSchema: { path: { type: 'string' } }, handle: never }],
  ])('is %s, as of addTool()', async (code, definition) => {
    expect(await failureOf(callTool(definition))).toMatchObject({
      code,
      name: 'ToolDefinitionError',
    });
  });

  test.each([
    ['an unknown option', { session_id: 's' }, 'session_id'],
    ['a sessionId that is no string', { sessionId: 1 }, 'sessionId'],
    ['a signal that is none', { signal: {} }, 'signal'],
    ['no output at all', { maxOutput: 0 }, 'maxOutput'],
    ['_meta that is no JSON', { meta: { at: 1n } }, 'meta'],
  ])('%s is MM_ERR_OPTION', async (_name, options, option) => {
    const error = await failureOf(callTool(tool(never), {}, options));
    expect(error).toMatchObject({ code: 'MM_ERR_OPTION', details: { option } });
  });
});
