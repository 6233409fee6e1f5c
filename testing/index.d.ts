/**
 * A kit for tests of a program's tools: runs them as the agent would, without any process.
 *
 * How to use it: docs/testing.md.
 */

import type {
  AnyTool,
  Session,
  StandardToolSchema,
  ToolArguments,
  ToolCallReport,
  ToolDefinition,
  ToolSchema,
} from '../index';

// biome-ignore lint/complexity/noUselessEmptyExport: without it all declarations of this file are exported
export {};

/** Tells the type of the arguments that a model may give: before a library's schema has converted them. */
export type ToolInput<S> =
  // biome-ignore lint/suspicious/noExplicitAny: a schema of whatever output
  S extends StandardToolSchema<infer Input, any> ? Input : ToolArguments<S>;

/** Configures {@link callTool}. A member that is undefined counts as absent; an unknown one is refused. */
export interface CallToolOptions {
  /** Names the session the call comes from. Default: the `id` of `session`, else `"test-session"`. */
  sessionId?: string;
  /** Is what the handler finds as `context.session`, as it is. Default: none, as while a session is being opened. */
  session?: Partial<Session>;
  /** Adds members to the call's `_meta`. */
  meta?: Readonly<Record<string, unknown>>;
  /** Withdraws the call when it aborts, as the agent does when its turn is cancelled. */
  signal?: AbortSignal;
  /** Limits what the model reads, in characters: `maxOutput` of the agent file. Default: 30 000. */
  maxOutput?: number;
}

/** Tells how a call ended. */
export interface ToolCallResult {
  /** Is what the model reads; empty for a withdrawn call. */
  readonly text: string;
  /** Tells whether the call counts as failed. */
  readonly isError: boolean;
  /**
   * Tells how it ended. `"missing-parameters"`: the agent found that required ones are missing, and sent
   * no call; `"invalid-arguments"`: they do not fit the schema. In both cases the handler did not run.
   */
  readonly outcome: ToolCallReport['outcome'] | 'missing-parameters';
  /** Is the result as it went over the wire, parsed; undefined for a call that was not sent, or was withdrawn. */
  readonly result: unknown;
  /** Is what the handler threw, the very value. */
  readonly error?: unknown;
  /** Is the time from the call's arrival to its answer, in ms; 0 when the handler did not run. */
  readonly durationMs: number;
}

/**
 * Runs a tool once, as the agent would: what mm checks, the check of the arguments, the handler with its
 * limit, its result on the wire, and what the model reads of it. A call that fails does not reject; its
 * text says why.
 *
 * `args` may be of any shape, to see how a wrong call is refused. Without `timeoutMs` and `signal` a
 * handler that never settles is waited for, and does not keep Node.js alive; mm would give up after 30 s.
 *
 * @throws {ToolDefinitionError} as `addTool()` does
 * @throws {OptionError} MM_ERR_OPTION, also for arguments that are no JSON
 * @throws {ConnectionError} MM_ERR_NATIVE when the native part of this package does not load
 * @example
 * const { text } = await callTool(lineCount, { path: 'README.md' });
 * assert.equal(text, '120');
 */
export function callTool<const S extends ToolSchema | undefined = undefined>(
  tool: ToolDefinition<S>,
  args?: ToolInput<S> | Readonly<Record<string, unknown>>,
  options?: CallToolOptions,
): Promise<ToolCallResult>;
export function callTool(
  tool: AnyTool,
  args?: Readonly<Record<string, unknown>>,
  options?: CallToolOptions,
): Promise<ToolCallResult>;
