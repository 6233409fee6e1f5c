// Schemas of validation libraries: the handler gets the library's output.

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import type { AnyTool, StandardToolSchema, ToolArguments, ToolSchema } from 'mini-me-client';
import { defineTool, MiniMe } from 'mini-me-client';
import * as v from 'valibot';
import { z } from 'zod';
import { expectType } from './expect.js';

const client = new MiniMe();

// zod
client.addTool({
  name: 'zod',
  inputSchema: z.object({
    topic: z.enum(['os', 'cpu']),
    at: z.string().transform((text) => new Date(text)),
    limit: z.number().default(3),
    tag: z.string().optional(),
  }),
  handle: (args) => {
    expectType<'os' | 'cpu'>()(args.topic);
    expectType<Date>()(args.at);
    expectType<number>()(args.limit);
    expectType<string | undefined>()(args.tag);
    // @ts-expect-error: the schema has no such member
    args.speed;
  },
});
client.addTool({
  name: 'zod_wrong',
  inputSchema: z.object({ n: z.number() }),
  // @ts-expect-error: `n` is a number
  handle: ({ n }: { n: string }) => n,
});

// valibot, wrapped
const wrapped = toStandardJsonSchema(
  v.object({ topic: v.picklist(['os', 'cpu']), limit: v.optional(v.number(), 3) }),
);
client.addTool({
  name: 'valibot',
  inputSchema: wrapped,
  handle: (args) => {
    expectType<'os' | 'cpu'>()(args.topic);
    expectType<number>()(args.limit);
    // @ts-expect-error: the schema has no such member
    args.speed;
  },
});
client.addTool({
  name: 'valibot_bare',
  // @ts-expect-error: a bare valibot schema does not print itself
  inputSchema: v.object({ topic: v.string() }),
  handle: () => 1,
});

// ArkType
client.addTool({
  name: 'arktype',
  inputSchema: type({ topic: "'os' | 'cpu'", 'limit?': 'number', at: 'string.date.parse' }),
  handle: (args) => {
    expectType<'os' | 'cpu'>()(args.topic);
    expectType<number | undefined>()(args.limit);
    expectType<Date>()(args.at);
    // @ts-expect-error: the schema has no such member
    args.speed;
  },
});

// defined apart, and in lists
const schema = z.object({ path: z.string() });
const apart = defineTool({
  name: 'apart',
  inputSchema: schema,
  handle: (args) => {
    expectType<{ path: string }>()(args);
    return args.path;
  },
});
defineTool({
  name: 'apart_wrong',
  inputSchema: schema,
  // @ts-expect-error: `path` is a string
  handle: ({ path }: { path: number }) => path,
});
client.addTool(apart);
const arkApart = defineTool({
  name: 'ark_apart',
  inputSchema: type({ path: 'string' }),
  handle: (args) => expectType<{ path: string }>()(args),
});
const valibotApart = defineTool({
  name: 'valibot_apart',
  inputSchema: wrapped,
  handle: (args) => expectType<{ topic: 'os' | 'cpu'; limit: number }>()(args),
});
const tools: AnyTool[] = [apart, arkApart, valibotApart];
new MiniMe({ tools: [...tools, apart, arkApart, valibotApart] });

expectType<{ path: string }>()({} as ToolArguments<typeof schema>);
expectType<number>()({} as ToolArguments<StandardToolSchema<string, number>>);
const schemas: ToolSchema[] = [schema, wrapped, type({ path: 'string' }), { type: 'object' }];
expectType<number>()(schemas.length);
