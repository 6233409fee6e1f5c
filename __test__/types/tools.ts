// Handler arguments are typed by the schema, wherever the tool is defined.

import type { JSONSchema } from 'json-schema-to-ts';
import type {
  AnyTool,
  ModelTool,
  RegisteredTool,
  Session,
  ToolArguments,
  ToolDefinition,
} from 'mini-me-client';
import { defineTool, failure, MiniMe, text } from 'mini-me-client';
import { expectType } from './expect';
import imported from './schema.json';

const client = new MiniMe();

// required members are there, others may be absent, enums are their words, nesting is kept
client.addTool({
  name: 'move',
  inputSchema: {
    type: 'object',
    properties: {
      direction: { enum: ['up', 'down'] },
      steps: { type: 'integer' },
      from: {
        type: 'object',
        properties: { file: { type: 'string' }, line: { type: 'number' } },
        required: ['file'],
        additionalProperties: false,
      },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['direction', 'from'],
    additionalProperties: false,
  },
  handle: (args) => {
    expectType<'up' | 'down'>()(args.direction);
    expectType<number | undefined>()(args.steps);
    expectType<string>()(args.from.file);
    expectType<number | undefined>()(args.from.line);
    expectType<string[] | undefined>()(args.tags);
    // @ts-expect-error: the schema closes the object
    args.speed;
    // @ts-expect-error: `tags` may be absent
    args.tags.length;
    // @ts-expect-error: no word of the enum
    return args.direction === 'left';
  },
});

// without `additionalProperties: false` other members may come, and nothing is known of them
client.addTool({
  name: 'open',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  handle: (args) => {
    expectType<string>()(args.path);
    expectType<unknown>()(args.other);
  },
});

// a handler that asks for what the schema does not promise must not compile
client.addTool({
  name: 'asks_for_a_number',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  // @ts-expect-error: `path` is a string
  handle: (args: { path: number }) => args.path,
});
client.addTool({
  name: 'asks_for_an_optional',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  // @ts-expect-error: `path` may be absent
  handle: (args: { path: string }) => args.path,
});
client.addTool({
  name: 'asks_without_a_schema',
  // @ts-expect-error: no schema promises nothing
  handle: (args: { path: string }) => args.path,
});

// a handler may ask for less
client.addTool({
  name: 'asks_for_less',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  handle: (args: { path?: string }) => args.path,
});

// no schema: no arguments
client.addTool({
  name: 'ping',
  handle: (args) => {
    expectType<Record<string, never>>()(args);
    return 'pong';
  },
});
expectType<Record<string, never>>()({} as ToolArguments<undefined>);

// a wide schema leaves arguments untyped
declare const wide: Record<string, unknown>;
client.addTool({
  name: 'wide',
  inputSchema: wide,
  handle: (args) => expectType<Record<string, unknown>>()(args),
});
client.addTool({
  name: 'imported',
  inputSchema: imported,
  handle: (args) => expectType<Record<string, unknown>>()(args),
});
declare const anySchema: JSONSchema & object;
client.addTool({
  name: 'any_schema',
  inputSchema: anySchema,
  handle: (args) => expectType<Record<string, unknown>>()(args),
});

// @ts-expect-error: a schema is an object
client.addTool({ name: 'word', inputSchema: 'object', handle: () => 1 });
// @ts-expect-error: neither plain JSON Schema nor a whole Standard Schema
client.addTool({ name: 'standard', inputSchema: { '~standard': { version: 1 } }, handle: () => 1 });
// @ts-expect-error: a tool has a handler
client.addTool({ name: 'idle' });
// @ts-expect-error: the limit is a number of ms
client.addTool({ name: 'late', timeoutMs: '1s', handle: () => 1 });

// defined apart: the types are the same
const topic = defineTool({
  name: 'topic',
  inputSchema: {
    type: 'object',
    properties: { topic: { type: 'string', enum: ['os', 'cpu'] } },
    required: ['topic'],
    additionalProperties: false,
  },
  handle: (args) => {
    expectType<{ topic: 'os' | 'cpu' }>()({ ...args });
    return args.topic;
  },
});
const ping = defineTool({
  name: 'ping',
  handle: (args) => expectType<Record<string, never>>()(args),
});
defineTool({
  name: 'wrong',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  // @ts-expect-error: `n` is a number
  handle: ({ n }: { n: string }) => n,
});
expectType<RegisteredTool>()(client.addTool(topic));

// a definition with a type of its own
export const typed: ToolDefinition<{ type: 'object'; properties: { n: { type: 'number' } } }> = {
  name: 'typed',
  handle: (args) => expectType<number | undefined>()(args.n),
};
expectType<Parameters<ToolDefinition<undefined>['handle']>[0]>()({} as Record<string, never>);

// lists hold tools of any schema
const tools: AnyTool[] = [topic, ping];
tools.push({ name: 'inline', handle: () => text('done') });
new MiniMe({ tools });
new MiniMe({ tools: [topic, ping, { name: 'inline', handle: () => failure('no') }] });
for (const tool of tools) client.addTool(tool);
// @ts-expect-error: tools have names
new MiniMe({ tools: [{ handle: () => 1 }] });

// the context
client.addTool({
  name: 'context',
  handle: (_args, context) => {
    expectType<AbortSignal>()(context.signal);
    expectType<string | undefined>()(context.sessionId);
    expectType<Session | undefined>()(context.session);
    expectType<RegisteredTool>()(context.tool);
    expectType<Readonly<Record<string, unknown>>>()(context.meta);
    // @ts-expect-error: what is told is not to be changed
    context.sessionId = 'other';
  },
});

expectType<readonly RegisteredTool[]>()(client.tools);
expectType<ModelTool[]>()(client.modelTools());
client.tools[0]?.remove();
client.tools[0]?.[Symbol.dispose]();
