/**
 * A kit for tests of a program's tools, where neither mm nor a model is: {@link callTool} runs one tool as
 * the agent would, without any process; {@link standIn} is an agent that does what a test says.
 *
 * How to use it: docs/testing.md.
 *
 * @module mini-me-client/testing
 */

import type {
  AnyTool,
  Discovery,
  ModelTool,
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
 * `args` is an object with any members, to see how a wrong call is refused. Without `timeoutMs` and `signal` a
 * handler that never settles is waited for, and does not keep Node.js alive; mm would give up after 30 s.
 *
 * @throws {ToolDefinitionError} as `addTool()` does
 * @throws {OptionError} MM_ERR_OPTION, also for arguments that are no object or no JSON
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

/** Configures {@link standIn}. A member that is undefined counts as absent; an unknown one is refused. */
export interface StandInOptions {
  /**
   * Says what the agent does: a script of plain data, or the path of one (JSON or a module). Default: the
   * words of the prompt choose the tools. docs/stand-in.md, "A script".
   */
  script?: string | Script | readonly ScriptedPrompt[];
  /** Says how it learns of the tools: `acp.clientTools.discovery`. Default: `"meta"`. */
  discovery?: Discovery;
  /** Says when a call asks for permission, `"auto"` only with `yolo: false`. Default: `"auto"`. */
  permissions?: 'auto' | 'ask';
  /** Lets calls go without permission, unless `permissions` is `"ask"`. Default: true. */
  yolo?: boolean;
  /** Lets the agent take tools at all: `acp.clientTools.enabled`. Default: true. */
  enabled?: boolean;
  /** Limits a call and the wait for the list, in ms. Default: 30 000. */
  timeoutMs?: number;
  /** Limits what the model reads of a result, in characters. Default: 30 000. */
  maxOutput?: number;
}

/** Says what the stand-in does. docs/stand-in.md, "A script". */
export interface Script {
  /** Holds a list of steps for each prompt of a session. */
  prompts?: readonly ScriptedPrompt[];
  /** Holds steps by method, done before a request of that method is handled. */
  before?: Readonly<Record<string, readonly Step[]>>;
  /** Begins anew after the last prompt. Default: false, and one prompt more is answered with an error. */
  repeat?: boolean;
  /** Keeps the process when its input ends. Default: false. */
  ignoreEnd?: boolean;
}

/** Is what the stand-in does for one prompt. */
export type ScriptedPrompt = readonly Step[];

/** Is a call that a script makes; `call` names a tool, with or without `client_`. */
export interface ScriptedCall {
  /** Names the tool. */
  readonly call: string;
  /** Are its arguments. Default: none. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** Is one step of a script; a text is said. */
export type Step =
  | string
  | {
      /** Is said. */
      readonly text: string;
      /** Says in how many pieces. Default: 1. */
      readonly chunks?: number;
      /** Says how long after each other, in ms. Default: 0. */
      readonly everyMs?: number;
    }
  | ScriptedCall
  | {
      /** Are called at once. */
      readonly calls: readonly ScriptedCall[];
    }
  | {
      /** Says what the model read of the last calls. */
      readonly results: true;
    }
  | {
      /** Is told as a thought. */
      readonly thought: string;
    }
  | {
      /** Is told as a plan. */
      readonly plan: readonly (string | Readonly<Record<string, unknown>>)[];
    }
  | {
      /** Is told as it is. */
      readonly update: Readonly<Record<string, unknown>>;
    }
  | {
      /** Is waited, in ms. */
      readonly sleep: number;
    }
  | {
      /** Ends the turn with this reason. */
      readonly stop: string;
    }
  | {
      /** Ends the turn with an error; under `before` it is the answer of the request. */
      readonly error: {
        /** Is its code. */
        readonly code?: number;
        /** Is its message. */
        readonly message: string;
        /** Is its data. */
        readonly data?: unknown;
      };
    }
  | {
      /** Is put on stdout as a line. */
      readonly line: string | Readonly<Record<string, unknown>>;
    }
  | {
      /** Is put on stdout without a line feed. */
      readonly write: string;
    }
  | {
      /** Is put on stderr as a line. */
      readonly stderr: string;
    }
  | {
      /** Is done wrong. */
      readonly fault: Fault;
      /** Is the exit status, of faults that end the process. */
      readonly status?: number;
      /** Counts the updates of `floods`. Default: 100 000. */
      readonly updates?: number;
      /** Is what `floods` and `splits-utf8` say. */
      readonly text?: string;
    };

/** Names what an agent may do wrong. */
export type Fault =
  | 'never-answers'
  | 'dies-mid-line'
  | 'exits'
  | 'floods'
  | 'splits-utf8'
  | 'answers-twice'
  | 'ignores-end';

/** Is an agent for tests, that a client starts; the process is the client's. */
export interface StandIn extends Disposable {
  /** Holds the options for `new MiniMe()`. */
  readonly options: {
    /** Is the program: this Node.js. */
    readonly command: string;
    /** Are its arguments. */
    readonly args: readonly string[];
    /** Are variables it needs. */
    readonly env: Readonly<Record<string, string>>;
    /** Is the way of discovery that the agent has. */
    readonly discovery: Discovery;
  };
  /** Tells what it took, asked and read. */
  readonly recorder: Recorder;
}

/** Tells what a stand-in recorded so far; each member is read anew. Empty once it was disposed of. */
export interface Recorder {
  /** Lists the calls that ended, as the model reads them. */
  readonly calls: readonly RecordedCall[];
  /** Lists the tools it took last, as the model sees them. */
  readonly tools: readonly ModelTool[];
  /** Lists every list it took. */
  readonly lists: readonly RecordedList[];
  /** Lists the entries it skipped. */
  readonly skipped: readonly SkippedEntry[];
  /** Tells why it took no list: the modes of discovery are mixed up, or the list failed. */
  readonly refusals: readonly {
    /** Names the session the list was for; null where it was for all. */
    readonly sessionId: string | null;
    /** Says why. */
    readonly reason: string;
  }[];
  /** Lists the permissions it asked for. */
  readonly permissions: readonly {
    /** Names the session. */
    readonly sessionId: string;
    /** Names the tool that was to be called. */
    readonly tool: string;
    /** Is as it was answered; null for an error. */
    readonly outcome: Readonly<Record<string, unknown>> | null;
  }[];
  /** Lists the lines of both directions, as the client sees them. */
  readonly lines: readonly {
    /** Says whose it is: `"in"` the agent's, `"out"` the client's. */
    readonly direction: 'in' | 'out';
    /** Is the line. */
    readonly line: string;
  }[];
  /** Forgets all of it. */
  clear(): void;
}

/** Is a call that ended; also one that was not sent, because parameters or permission lacked. */
export interface RecordedCall {
  /** Names the session. */
  readonly sessionId: string;
  /** Is what the model calls the tool: `client_<name>`. */
  readonly tool: string;
  /** Are its arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Is what the model reads. */
  readonly text: string;
  /** Says that the model reads it as a failure. */
  readonly isError: boolean;
}

/** Is a list of tools as it was taken. */
export interface RecordedList {
  /** Says how it came. */
  readonly discovery: Discovery;
  /** Names the session it was asked for; null with `"meta"`. */
  readonly sessionId: string | null;
  /** Lists the tools that were taken. */
  readonly tools: readonly ModelTool[];
  /** Lists the entries that were not. */
  readonly skipped: readonly SkippedEntry[];
}

/** Is an entry of a list that was not taken. */
export interface SkippedEntry {
  /** Counts from 0. */
  readonly index: number;
  /** Is its name, null where it has none. */
  readonly name: string | null;
  /** Says why. */
  readonly reason: string;
}

/**
 * Makes ready an agent that does what a test says, in the place of mm; `options` of it are for
 * `new MiniMe()`, which starts it. What it needs is in a temporary folder until it is disposed of, or the
 * program ends.
 *
 * @throws {OptionError} MM_ERR_OPTION
 * @example
 * const agent = standIn({ script: [[{ call: 'line_count', arguments: { path: 'README.md' } }]] });
 * const client = new MiniMe({ ...agent.options, tools: [lineCount] });
 * await (await client.newSession()).prompt('go');
 * assert.equal(agent.recorder.calls[0].text, '120');
 */
export function standIn(options?: StandInOptions): StandIn;
