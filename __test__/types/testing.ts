// callTool() takes any tool, suggests the arguments its schema describes, and takes wrong ones as well.

import type { AnyTool, ToolCallReport } from 'mini-me-client';
import { defineTool, MiniMe } from 'mini-me-client';
import type {
  CallToolOptions,
  RecordedCall,
  Script,
  ToolCallResult,
  ToolInput,
} from 'mini-me-client/testing';
import { callTool, standIn } from 'mini-me-client/testing';
import { z } from 'zod';
import { expectType } from './expect';

const inputSchema = {
  type: 'object',
  properties: { topic: { type: 'string', enum: ['os', 'cpu'] } },
  required: ['topic'],
  additionalProperties: false,
} as const;
const told = defineTool({ name: 'told', inputSchema, handle: ({ topic }) => topic });
const bare = defineTool({ name: 'bare', handle: () => 1 });
const converted = defineTool({
  name: 'converted',
  inputSchema: z.object({ at: z.string().transform((text) => text.length) }),
  handle: ({ at }) => expectType<number>()(at),
});

expectType<Promise<ToolCallResult>>()(callTool(told, { topic: 'os' }));
callTool(bare);
callTool(bare, {});
callTool(converted, { at: 'now' });

// wrong arguments are what a test is about
callTool(told, { topic: 'disk', more: 1 });
callTool(told, {});
// @ts-expect-error: arguments are an object
callTool(told, 'os');

// what a model may give is the input of the schema
expectType<{ topic: 'os' | 'cpu' }>()({ ...({} as ToolInput<typeof inputSchema>) });
expectType<{ at: string }>()({} as ToolInput<typeof converted.inputSchema & object>);
expectType<Record<string, never>>()({} as ToolInput<undefined>);

// defined inline, the handler is typed by the schema
callTool({ name: 'inline', inputSchema, handle: ({ topic }) => expectType<'os' | 'cpu'>()(topic) });
// @ts-expect-error: a tool has a handler
callTool({ name: 'idle' });

// tools of a list
declare const tools: AnyTool[];
for (const tool of tools) callTool(tool, { any: 1 });

// options
const options: CallToolOptions = {
  sessionId: 's',
  session: { id: 's', cwd: '/', prompt: () => Promise.reject() as never },
  meta: { trace: 'on' },
  signal: AbortSignal.timeout(10),
  maxOutput: 100,
};
callTool(told, { topic: 'os' }, options);
// @ts-expect-error: no such option
callTool(told, { topic: 'os' }, { timeoutMs: 1 });

declare const result: ToolCallResult;
expectType<string>()(result.text);
expectType<boolean>()(result.isError);
expectType<ToolCallReport['outcome'] | 'missing-parameters'>()(result.outcome);
expectType<unknown>()(result.result);
expectType<number>()(result.durationMs);

// a stand-in gives the options of a client, and tells what it saw
const script: Script = {
  prompts: [
    ['text', { call: 'told', arguments: { topic: 'os' } }, { results: true }],
    [{ fault: 'dies-mid-line', status: 3 }],
  ],
  before: { 'session/new': [{ sleep: 10 }, { error: { message: 'no' } }] },
};
const agent = standIn({ script, discovery: 'request', permissions: 'ask', yolo: false });
new MiniMe({ ...agent.options, tools: [told, bare] });
expectType<readonly RecordedCall[]>()(agent.recorder.calls);
expectType<'in' | 'out'>()(({} as (typeof agent.recorder.lines)[number]).direction);
agent[Symbol.dispose]();
standIn({ script: [['text']] });
standIn({ script: './script.json' });
// @ts-expect-error: no such step
standIn({ script: [[{ sing: 'a' }]] });
// @ts-expect-error: no such fault
standIn({ script: [[{ fault: 'sneezes' }]] });
// @ts-expect-error: no such option
standIn({ color: 'red' });
