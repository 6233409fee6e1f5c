'use strict';

const { describe, expect, test } = require('@jest/globals');
const { toStandardJsonSchema } = require('@valibot/to-json-schema');
const { type } = require('arktype');
const v = require('valibot');
const { z } = require('zod');
const { MiniMe, defineTool } = require('../..');
const { agent, received, record, useClients } = require('./harness');

const open = useClients();

/** A schema of no library: `validate` and what it prints are the test's. */
function schemaOf(validate, input = () => ({ type: 'object' })) {
  return { '~standard': { version: 1, vendor: 'test', validate, jsonSchema: { input } } };
}

/** Lends one tool of that schema and calls it; gives what the handler got, the answer and the report. */
async function call(inputSchema, params, more = {}) {
  const client = open(agent('calls-tools'));
  const told = record(client);
  const got = [];
  const handle = (args) => {
    got.push(args);
    return 'done';
  };
  client.addTool({ name: 'lent', method: '_lent', inputSchema, handle, ...more });
  const session = await client.newSession();
  const { raw } = await session.prompt(JSON.stringify([{ method: '_lent', params, id: '1' }]));
  const [{ result }] = raw.answers.map((line) => JSON.parse(line));
  expect(told.toolCall).toHaveLength(1);
  return { got, result, report: told.toolCall[0] };
}

const failed = (text) => ({ content: [{ type: 'text', text }], isError: true });

const LIBRARIES = [
  [
    'zod',
    z.object({ topic: z.enum(['cpu', 'os']), at: z.string().transform(Number).optional() }),
    [/^topic: Invalid option/, /^at: Invalid input/],
  ],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({
        topic: v.picklist(['cpu', 'os']),
        at: v.optional(v.pipe(v.string(), v.transform(Number))),
      }),
      { ignoreActions: ['transform'] },
    ),
    [/^topic: Invalid type/, /^at: Invalid type/],
  ],
  [
    'ArkType',
    type({ topic: "'cpu' | 'os'", 'at?': type('string').pipe((text) => Number(text)) }),
    [/^topic: .*must be "cpu" or "os"/, /^at: .*must be a string/],
  ],
];

describe.each(LIBRARIES)('a schema of %s', (_, inputSchema, complaints) => {
  test('is what the model sees', () => {
    const client = new MiniMe();
    client.addTool({ name: 'lent', description: 'Tells.', inputSchema, handle: () => 1 });
    const [tool] = client.modelTools();
    expect(tool.description).toBe('Tells. Required parameters: topic');
    expect(tool.inputSchema).toMatchObject({
      type: 'object',
      properties: { topic: { description: 'One of: cpu, os.' }, at: { type: 'string' } },
    });
  });

  test('travels as JSON Schema', async () => {
    const client = open(agent('echo'));
    client.addTool({ name: 'lent', inputSchema, handle: () => 1 });
    await client.start();
    const [{ params }] = await received(client);
    const [{ inputSchema: sent }] = params.clientCapabilities._meta['org.mini-me/tools'];
    expect(sent).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      required: ['topic'],
    });
  });

  test('gives the handler its output', async () => {
    const params = { topic: 'os', at: '17', _meta: {} };
    const { got, result, report } = await call(inputSchema, params);
    expect(got).toEqual([{ topic: 'os', at: 17 }]);
    expect(result).toBe('done');
    expect(report.outcome).toBe('ok');
  });

  test('tells the model each flaw with its path, and runs no handler', async () => {
    const { got, result, report } = await call(inputSchema, { topic: 'x', at: 5 });
    expect(got).toEqual([]);
    expect(result.isError).toBe(true);
    const lines = result.content[0].text.split('\n');
    expect(lines).toEqual(complaints.map((complaint) => expect.stringMatching(complaint)));
    expect(report.outcome).toBe('invalid-arguments');
  });

  test('is passed over with validate: false', async () => {
    const { got } = await call(inputSchema, { topic: 'x', at: 5 }, { validate: false });
    expect(got).toEqual([{ topic: 'x', at: 5 }]);
  });
});

describe('a schema by Standard Schema', () => {
  test('may take its time', async () => {
    const inputSchema = schemaOf(async (args) => ({ value: { ...args, seen: true } }));
    const { got } = await call(inputSchema, { a: 1 });
    expect(got).toEqual([{ a: 1, seen: true }]);
  });

  test('that has not decided within timeoutMs leaves the handler alone, then and later', async () => {
    let decide;
    const inputSchema = schemaOf(
      () =>
        new Promise((resolve) => {
          decide = resolve;
        }),
    );
    const { got, result, report } = await call(inputSchema, {}, { timeoutMs: 20 });
    expect(result).toEqual(failed('the tool ran longer than its limit of 20 ms'));
    expect(report.outcome).toBe('timeout');
    decide({ value: {} });
    await new Promise(setImmediate);
    expect(got).toEqual([]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      'broken',
    ],
    ['rejects', () => Promise.reject(new Error('broken')), 'broken'],
    ['gives nothing', () => undefined, 'expected the schema to give a result, it gave none'],
  ])('whose validator %s fails the call: outcome error', async (_, validate, message) => {
    const { got, result, report } = await call(schemaOf(validate), {});
    expect(got).toEqual([]);
    expect(result).toEqual(failed(message));
    expect(report).toMatchObject({ outcome: 'error', error: { message } });
  });

  test('has paths written as JavaScript writes them, and lines the model can bear', async () => {
    const issues = [
      { message: 'of all' },
      { message: 'two\n  lines', path: ['items', 2, { key: 'name' }] },
      { message: '', path: ['odd name', 'été'] },
      { message: 'x'.repeat(1000), path: [Symbol('s')] },
      ...Array.from({ length: 8 }, (_, at) => ({ message: `m${at}`, path: [at] })),
    ];
    const { result } = await call(
      schemaOf(() => ({ issues })),
      {},
    );
    const lines = result.content[0].text.split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'arguments: of all',
      'items[2].name: two lines',
      '["odd name"].été: refused by the schema',
    ]);
    expect(lines[3]).toHaveLength(400);
    expect(lines[3]).toMatch(/^Symbol\(s\): x+…$/);
    expect(lines.at(-2)).toBe('[5]: m5');
    expect(lines.at(-1)).toBe('... and 2 more');
    expect(lines).toHaveLength(11);
  });

  test.each([
    ['no more', []],
    ['true', true],
    ['nothing of an issue', [null]],
    ['no text', [{ message: { a: 1 }, path: 'a.b' }]],
    ['a path without a key', [{ message: '', path: 7 }]],
  ])('refuses also when it says %s', async (_, issues) => {
    const { result, report } = await call(
      schemaOf(() => ({ issues })),
      {},
    );
    expect(result).toEqual(failed('arguments: refused by the schema'));
    expect(report.outcome).toBe('invalid-arguments');
  });

  test('of zod tells what each alternative of a union asks for', async () => {
    const either = z.union([z.string(), z.object({ k: z.number() })]);
    const { result } = await call(z.object({ v: either }), { v: { k: 'x' } });
    expect(result).toEqual(
      failed(
        'v: Invalid input (Invalid input: expected string, received object; or k: Invalid input: expected number, received string)',
      ),
    );
  });

  test('may have a step of a path that is nothing', async () => {
    const issues = [{ message: 'm', path: [null, 'a'] }];
    const { result } = await call(
      schemaOf(() => ({ issues })),
      {},
    );
    expect(result).toEqual(failed('null.a: m'));
  });

  test.each([
    ['inputSchema.n', (part) => ({ n: part })],
    ['inputSchema.properties.n', (part) => ({ type: 'object', properties: { n: part } })],
    ['inputSchema.properties.list.items', (part) => ({ properties: { list: { items: part } } })],
  ])('as a part of a plain one, %s, is refused: printed it would lose its rules', (path, make) => {
    const add = () =>
      new MiniMe().addTool({
        name: 'lent',
        inputSchema: make(schemaOf(() => ({}))),
        handle: () => 1,
      });
    expect(add).toThrow(expect.objectContaining({ code: 'MM_ERR_TOOL_SCHEMA' }));
    expect(add).toThrow(`got a Standard Schema as ${path}`);
  });

  test('prints draft-07 when it cannot print 2020-12', () => {
    const targets = [];
    const input = ({ target }) => {
      targets.push(target);
      if (target !== 'draft-07') throw new Error('not that');
      return { type: 'object', properties: { a: { type: 'number' } } };
    };
    const client = new MiniMe();
    client.addTool({ name: 'lent', inputSchema: schemaOf(() => ({}), input), handle: () => 1 });
    expect(client.modelTools()[0].inputSchema.properties).toEqual({ a: { type: 'number' } });
    expect(targets).toEqual(['draft-2020-12', 'draft-07']);
  });

  test('is read once: what is changed later has no effect', async () => {
    const inputSchema = schemaOf((value) => ({ value }));
    const tool = defineTool({ name: 'lent', method: '_lent', inputSchema, handle: () => 'first' });
    const client = open(agent('calls-tools'));
    client.addTool(tool);
    tool.handle = () => 'second';
    inputSchema['~standard'] = undefined;
    const session = await client.newSession();
    const { raw } = await session.prompt(JSON.stringify([{ method: '_lent', id: '1' }]));
    expect(JSON.parse(raw.answers[0]).result).toBe('first');
  });

  test('is lent to one session as to all', async () => {
    const client = open({ ...agent('asks-for-tools'), discovery: 'request' });
    const inputSchema = z.object({ topic: z.string() });
    const tool = { name: 'lent', inputSchema, handle: () => 1 };
    const session = await client.newSession({ tools: [tool] });
    const [sent] = JSON.parse(session.raw.answer).result.tools;
    expect(sent.inputSchema.properties).toEqual({ topic: { type: 'string' } });
  });
});

describe('MM_ERR_TOOL_SCHEMA', () => {
  const jsonSchema = { input: () => ({ type: 'object' }) };
  const validate = () => ({ value: {} });
  const standard = { version: 1, vendor: 'test', validate, jsonSchema };
  const boom = () => {
    throw new Error('a bigint cannot be printed');
  };
  test.each([
    [
      'a bare valibot schema',
      v.object({ a: v.string() }),
      /of valibot.*~standard\.jsonSchema.*toStandardJsonSchema/,
    ],
    [
      'no ~standard of an object',
      { '~standard': true },
      /version 1.*~standard\.validate.*zod 4\.2/,
    ],
    ['another version', { '~standard': { ...standard, version: 2 } }, /version 1/],
    ['no validator', { '~standard': { ...standard, validate: 1 } }, /~standard\.validate/],
    ['what cannot be printed', z.object({ a: z.bigint() }), /printable as JSON Schema/],
    ['what throws when it is printed', schemaOf(validate, boom), /a bigint cannot be printed/],
    ['what prints no object', schemaOf(validate, () => 'x'), /give an object/],
    ['a schema of no object', z.string(), /inputSchema\.type must be "object", got "string"/],
  ])('is thrown for %s', (_, inputSchema, message) => {
    const client = new MiniMe();
    const add = () => client.addTool({ name: 'lent', inputSchema, handle: () => 1 });
    expect(add).toThrow(expect.objectContaining({ code: 'MM_ERR_TOOL_SCHEMA' }));
    expect(add).toThrow(message);
    expect(client.tools).toEqual([]);
  });

  test('keeps the cause', () => {
    const client = new MiniMe();
    const tool = { name: 'lent', inputSchema: schemaOf(validate, boom), handle: () => 1 };
    const cause = expect.objectContaining({ message: 'a bigint cannot be printed' });
    expect(() => client.addTool(tool)).toThrow(expect.objectContaining({ cause }));
  });
});
