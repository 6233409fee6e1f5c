// Turns are awaited and iterated; updates narrow on their kind.

import type {
  AvailableCommand,
  ContentBlock,
  Session,
  SessionUpdate,
  ToolCallContent,
  Turn,
  TurnResult,
  UnknownUpdate,
  Usage,
} from 'mini-me-client';
import { expectType } from './expect';

declare const session: Session;

// a turn is awaitable, and iterable
const turn = session.prompt('hello', { timeoutMs: 1000 });
expectType<Turn>()(turn);

export async function awaited() {
  const result = await turn;
  expectType<TurnResult>()(result);
  expectType<TurnResult>()(await turn.result);
  expectType<string>()(result.text);
  expectType<Record<string, unknown>>()(result.raw);
  expectType<number | undefined>()(result.usage?.totalTokens);
  // @ts-expect-error: text is what the agent said
  result.text = '';
  expectType<[TurnResult, TurnResult]>()(await Promise.all([turn, turn]));
  expectType<TurnResult | string>()(await turn.catch(() => 'failed'));
  expectType<number>()(await turn.then(() => 1));
  return result.stopReason === 'end_turn' || result.stopReason === 'some_later_reason';
}

export async function iterated() {
  for await (const update of turn) expectType<SessionUpdate>()(update);
  for await (const chunk of turn.textStream()) expectType<string>()(chunk);
  // @ts-expect-error: updates come over time
  return [...turn];
}

expectType<Promise<void>>()(turn.cancel({ timeoutMs: 0 }));
expectType<Promise<void>>()(session.cancel());

// updates narrow on `sessionUpdate`
export function narrowed(update: SessionUpdate) {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      expectType<ContentBlock>()(update.content);
      if (update.content.type === 'text') expectType<string>()(update.content.text);
      // @ts-expect-error: not every block is text
      return update.content.text;
    case 'tool_call':
      expectType<string>()(update.title);
      expectType<string>()(update.toolCallId);
      return update.content?.map((content) => expectType<ToolCallContent>()(content));
    case 'tool_call_update':
      expectType<string | null | undefined>()(update.title);
      return expectType<unknown>()(update.rawOutput);
    case 'plan':
      return update.entries.map(({ status }) => expectType<string>()(status));
    case 'available_commands_update':
      return expectType<readonly AvailableCommand[]>()(update.availableCommands);
    case 'current_mode_update':
      return expectType<string>()(update.currentModeId);
    case 'config_option_update':
      return update.configOptions.map(({ currentValue }) =>
        expectType<string | boolean>()(currentValue),
      );
    case 'session_info_update':
      return expectType<string | null | undefined>()(update.title);
    case 'usage_update':
      return expectType<number>()(update.used);
    case 'notice':
      return expectType<string>()(update.severity);
    default:
      // whatever is left is of a kind this version does not know
      expectType<UnknownUpdate>()(update);
      return expectType<unknown>()(update.anything);
  }
}

export function guarded(update: SessionUpdate) {
  if (update.sessionUpdate !== 'plan') return;
  expectType<'plan'>()(update.sessionUpdate);
  // @ts-expect-error: a plan has no tool call
  update.toolCallId;
}

// prompts
session.prompt({ type: 'image', data: '', mimeType: 'image/png' });
session.prompt([
  { type: 'text', text: 'Look:' },
  { type: 'resource_link', uri: 'file:///a', name: 'a' },
  { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
]);
// @ts-expect-error: an image has a type
session.prompt({ type: 'image', data: '' });
// @ts-expect-error: no such kind of block
session.prompt({ type: 'video', data: '' });
// @ts-expect-error: a prompt says something
session.prompt();

// state
expectType<string | undefined>()(session.modes?.currentModeId);
expectType<string | boolean | undefined>()(session.configOptions?.[0]?.currentValue);
expectType<AvailableCommand[] | undefined>()(session.commands);
expectType<string | undefined>()(session.title);
expectType<Usage | undefined>()(session.usage);
// @ts-expect-error: the agent names sessions
session.id = 'mine';
