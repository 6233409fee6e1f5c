// Errors are told apart by class, and by code.

import type { ErrorCode } from 'mini-me-client';
import {
  AgentError,
  ConnectionError,
  MiniMeError,
  OptionError,
  ProtocolError,
  StateError,
  ToolDefinitionError,
} from 'mini-me-client';
import { expectType } from './expect';

export function byClass(error: unknown) {
  if (error instanceof AgentError) {
    expectType<number>()(error.rpcCode);
    expectType<unknown>()(error.rpcData);
    return expectType<'MM_ERR_AGENT'>()(error.code);
  }
  if (error instanceof ConnectionError) {
    expectType<number | null>()(error.exitCode);
    expectType<NodeJS.Signals | null>()(error.signal);
    return expectType<string>()(error.stderr);
  }
  if (error instanceof MiniMeError) {
    expectType<ErrorCode>()(error.code);
    expectType<Readonly<Record<string, unknown>>>()(error.details);
    expectType<Record<string, unknown>>()(error.toJSON());
    // @ts-expect-error: no such code
    return error.code === 'MM_ERR_NO_SUCH';
  }
  return expectType<unknown>()(error);
}

// what one class is not, the others still may be
export function byElimination(error: MiniMeError) {
  if (error instanceof OptionError) return expectType<'MM_ERR_OPTION'>()(error.code);
  if (error instanceof StateError) return error.code === 'MM_ERR_CLOSED';
  if (error instanceof ToolDefinitionError) return error.code === 'MM_ERR_TOOL_NAME';
  if (error instanceof ProtocolError) return error.code === 'MM_ERR_NOT_ACP';
  return error.code === 'MM_ERR_TIMEOUT';
}

export function byCode(error: StateError) {
  // @ts-expect-error: a code of another class
  return error.code === 'MM_ERR_SPAWN';
}

export const base: Error = {} as AgentError;
// @ts-expect-error: the package makes them
new MiniMeError('MM_ERR_OPTION', 'text');
// @ts-expect-error: the package makes them
new AgentError('text');
