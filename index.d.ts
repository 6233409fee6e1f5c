/**
 * Lends the functions of a Node.js program to a coding agent as tools, over ACP.
 *
 * Shapes marked (raw) are JSON as the agent sent it: typed by the protocol, never checked or re-shaped.
 * Error codes with causes and remedies: docs/errors.md. Rules of the protocol: docs/protocol.md.
 *
 * @module mini-me-client
 */

import type { EventEmitter } from 'node:events';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

// biome-ignore lint/complexity/noUselessEmptyExport: without it all declarations of this file are exported
export {};

// ---------------------------------------------------------------- tools

/**
 * Describes the arguments of a tool by a schema of a validation library that follows Standard Schema and
 * prints itself as JSON Schema: zod 4.2 and ArkType 2.1.28 or later do; a valibot schema does when wrapped
 * in `toStandardJsonSchema()` of @valibot/to-json-schema. The model sees what is printed for the input;
 * the library checks arguments, and the handler gets its output.
 *
 * @example
 * inputSchema: z.object({ topic: z.enum(['os', 'cpu']), at: z.iso.datetime().optional() })
 */
export interface StandardToolSchema<Input = unknown, Output = Input> {
  /** Checks, and prints the schema; the library's. */
  readonly '~standard': StandardSchemaV1.Props<Input, Output> &
    StandardJSONSchemaV1.Props<Input, Output>;
}

/**
 * Describes the arguments of a tool as plain JSON Schema, draft 2020-12 unless `$schema` names another.
 *
 * The first form gives typed arguments. The second is for schemas whose type is wide, such as one
 * imported from a .json file: its arguments are `Record<string, unknown>`.
 */
export type JsonToolSchema =
  | (JSONSchema & object & { readonly '~standard'?: never })
  | (Readonly<Record<string, unknown>> & { readonly '~standard'?: never });

/** Describes the arguments of a tool. */
// biome-ignore lint/suspicious/noExplicitAny: a schema of whatever input and output
export type ToolSchema = StandardToolSchema<any, any> | JsonToolSchema;

/**
 * Tells the type of the arguments that a handler gets: by the schema; none without a schema;
 * `Record<string, unknown>` where the schema's type is wide.
 */
export type ToolArguments<S> = [S] extends [undefined]
  ? Record<string, never>
  : // biome-ignore lint/suspicious/noExplicitAny: a schema of whatever input
    S extends StandardToolSchema<any, infer Output>
    ? Output
    : S extends JSONSchema
      ? unknown extends FromSchema<S>
        ? Record<string, unknown>
        : FromSchema<S>
      : Record<string, unknown>;

/**
 * Describes a tool and says what it does.
 *
 * Names, methods and schemas follow docs/protocol.md, "Names" and "Validation of a list".
 */
// biome-ignore lint/suspicious/noExplicitAny: a tool of whatever schema
export interface ToolDefinition<in out S extends ToolSchema | undefined = any> {
  /** Names the tool: unique among the tools. The model sees `client_<name>`, munged. */
  name: string;
  /** Tells the model what the tool is for. Default: one sentence that names the method. */
  description?: string;
  /** Names the extension method the agent calls; starts with `_`. Default: `_<namespace>/<munged name>`. */
  method?: string;
  /** Describes the arguments, in at most 120 levels of JSON. Default: no arguments. */
  inputSchema?: S;
  /**
   * Has arguments checked against `inputSchema` before `handle` is called. With false the handler gets
   * them as they came, not converted either. Arguments over 127 levels deep are refused; for a schema that
   * refers to itself within alternatives over 16, or fewer. Default: true.
   */
  validate?: boolean;
  /**
   * Limits one call, in ms, over 0. Default: no limit here; mm has its own, 30 s unless the agent file
   * says otherwise.
   */
  timeoutMs?: number;
  /**
   * Runs one call; called with `this` undefined. What may be returned, and what the model reads of it:
   * docs/protocol.md, "Results". What is thrown becomes a failed call whose message the model reads.
   *
   * A property, not a method: a handler that asks for what the schema does not promise must not compile.
   */
  handle: (args: ToolArguments<S>, context: ToolContext) => unknown;
}

/** Describes any tool, for lists of several; {@link defineTool} keeps the types of each. */
// biome-ignore lint/suspicious/noExplicitAny: a tool of whatever schema
export type AnyTool = Omit<ToolDefinition<any>, 'handle'> & {
  /** Runs one call, as {@link ToolDefinition.handle} does. */
  // biome-ignore lint/suspicious/noExplicitAny: arguments of whatever schema
  handle: (args: any, context: ToolContext) => unknown;
};

/** Tells a handler of the call it runs for. */
export interface ToolContext {
  /**
   * Aborts when the agent withdraws the call, when its session's turn is cancelled here, after
   * `timeoutMs`, at the agent's end and at `close()`.
   */
  readonly signal: AbortSignal;
  /**
   * Names the session the agent called from; undefined when the agent did not tell. With carrier `"mcp"`
   * it is the session the tool was lent to: some agents let other sessions of the same folder call it too.
   */
  readonly sessionId: string | undefined;
  /** Is the open session of that id; undefined while it is still being opened. */
  readonly session: Session | undefined;
  /** Is the tool that was called. */
  readonly tool: RegisteredTool;
  /** Holds the call's `_meta` (raw); empty when the agent sent none. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Is a tool that a client lends. */
export interface RegisteredTool extends Disposable {
  /** Is the name as it was defined. */
  readonly name: string;
  /**
   * Is what the model calls the tool: `client_open_buffers`. With carrier `"mcp"` it is the name in
   * `tools/list`, `open_buffers`, before which the agent puts a prefix of its own; with `"auto"` it is that
   * from the first opening of a session on, if the agent is not mm.
   */
  readonly modelName: string;
  /** Names the extension method the agent calls. */
  readonly method: string;
  /**
   * Takes the tool out of the client's list; a second time does nothing. Disposing does the same and
   * never throws.
   *
   * @throws {StateError} MM_ERR_TOOLS_ANNOUNCED after `start()` with `discovery: "meta"`, where the list
   * is sent once
   */
  remove(): void;
}

/** Is a tool as the model is shown it. Rewriting: docs/protocol.md, "The schema as the model sees it". */
export interface ModelTool {
  /** Is the name: `client_<name>`, munged. */
  readonly name: string;
  /** Is the description, with what the rewritten schema lost. */
  readonly description: string;
  /** Is the schema as rewritten. */
  readonly inputSchema: Record<string, unknown>;
}

/**
 * Gives a tool back as it is, and keeps the types of its arguments where it is defined apart from the
 * client. Checks nothing: {@link MiniMe.addTool} does.
 *
 * @example
 * const add = defineTool({
 *   name: 'add',
 *   inputSchema: {
 *     type: 'object',
 *     properties: { a: { type: 'number' }, b: { type: 'number' } },
 *     required: ['a', 'b'],
 *   },
 *   handle: ({ a, b }) => a + b,
 * });
 */
export function defineTool<const S extends ToolSchema | undefined = undefined>(
  tool: ToolDefinition<S>,
): ToolDefinition<S>;

/** Makes a text result. */
export function text(value: string): ToolResult;

/**
 * Makes a failed result, whose text the model reads as an error.
 *
 * @example
 * handle: ({ topic }) => known[topic] ?? failure(`unknown topic ${topic}; known: os, cpu`)
 */
export function failure(value: string): ToolResult;

/** Is a result in the protocol's own form. `isError` counts only beside `content`. */
export interface ToolResult {
  /** Holds the blocks; the model reads the text of text blocks. */
  readonly content: readonly ContentBlock[];
  /** Says that the call failed. Default: false. */
  readonly isError?: boolean;
}

// ---------------------------------------------------------------- client

/** Says how mm learns of the tools: in `initialize`, or when it asks. See docs/protocol.md, "Discovery". */
export type Discovery = 'meta' | 'request';

/** Configures a {@link MiniMe}. A member that is undefined counts as absent; an unknown one is refused. */
export interface MiniMeOptions {
  /**
   * Names the program to start; never run through a shell. Inside `app.asar` of an Electron app: what is
   * unpacked beside it. Default: `MM_BIN` of the environment, else `mm` on PATH.
   */
  command?: string;
  /** Gives its arguments. Default: `["-acp"]`. */
  args?: readonly string[];
  /** Sets the working directory of the agent process; inside `app.asar` as `command`. Default: `process.cwd()`. */
  cwd?: string;
  /** Adds variables to the agent's environment; `undefined` removes one. Names are not empty and have no `=`. */
  env?: Readonly<Record<string, string | undefined>>;
  /**
   * Lets the agent inherit this program's environment, less ELECTRON_RUN_AS_NODE, NODE_OPTIONS and
   * their kind; false: the agent gets `env` only. Default: true.
   */
  inheritEnv?: boolean;

  /** Must match `acp.clientTools.discovery` of the agent file. Default: `"meta"`. */
  discovery?: Discovery;
  /**
   * Chooses how tools reach the agent. `"mini-me"`: by mm's own protocol. `"mcp"`: by an MCP server on
   * this machine, named in `mcpServers` of each session, for agents that are not mm. `"auto"`: by mm's
   * protocol if the agent is mm, else by MCP. Default: `"mini-me"`.
   *
   * With `"mcp"` each session has its own list, so that `discovery` has no meaning: tools may be added and
   * removed at any time, for sessions opened later. See docs/agents.md, and docs/protocol.md, "Carriers".
   */
  carrier?: 'mini-me' | 'mcp' | 'auto';
  /**
   * Lends these tools, as {@link MiniMe.addTool} does; {@link defineTool} keeps the types of inline ones.
   *
   * A function (with discovery `"request"` and carrier `"mini-me"` only, else MM_ERR_OPTION) is asked at each opening of a
   * session, for tools of that session besides the client's own. It must not wait for the session it is
   * asked about. When it throws or gives a bad tool, the client's own are lent, the diagnostic
   * `tools-function-failed` says so, and the session opens. See docs/protocol.md, "Discovery".
   */
  tools?:
    | readonly AnyTool[]
    | ((
        request: ToolsRequest & { signal: AbortSignal },
      ) => readonly AnyTool[] | Promise<readonly AnyTool[]>);
  /** Sets the reverse-DNS prefix of derived methods. Default: `"mini-me-client"`. */
  namespace?: string;

  /** Answers permission requests. Default: each is rejected, and the diagnostic `permission-unhandled` says so. */
  permissions?: PermissionPolicy | PermissionHandler;
  /**
   * Answers the agent's wishes for files. Each is advertised only when its handler is given.
   * {@link workspaceFiles} makes handlers that keep to some folders.
   */
  fs?: {
    /** Answers `fs/read_text_file`. */
    readTextFile?: ReadTextFileHandler;
    /** Answers `fs/write_text_file`. */
    writeTextFile?: WriteTextFileHandler;
  };
  /**
   * Runs the agent's commands: `true` in the ready-made terminal, an object by handlers of your own. Absent or
   * false: not advertised, and the agent asks for none.
   *
   * `true` lets the agent run any program with the rights of this process; nobody is asked first. Each command
   * is a process group of its own, ended with its terminal, its session or the client. See docs/protocol.md,
   * "The terminal".
   */
  terminal?: boolean | TerminalHandlers;
  /** Answers the agent's questions to the user (`elicitation/create`). Each mode is advertised only when given. */
  elicitation?: {
    /** Answers questions with a form. */
    form?: ElicitationHandler;
    /** Answers wishes to have a page opened. */
    url?: ElicitationHandler;
  };
  /** Names this program to the agent. Default: this package's name and version. */
  clientInfo?: {
    /** Is the name for programs. */
    name: string;
    /** Is the program's version. */
    version: string;
    /** Is the name for people. */
    title?: string;
  };
  /**
   * Adds members to `clientCapabilities`, deep-merged (raw), for what this package has no name for; at most
   * 64 levels of JSON.
   */
  capabilities?: Readonly<Record<string, unknown>>;

  /**
   * Limits the wait for the answer to `initialize`, in ms; 0 or Infinity: no limit. The agent's exit ends
   * it at once; after 10 000 the diagnostic `slow-start` tells. Default: 120 000.
   */
  startTimeoutMs?: number;
  /**
   * Sets how long `close()` waits after the end of stdin, and again after SIGTERM, in ms; 0: not at all, SIGKILL
   * comes at once. Default: 2 000.
   */
  closeTimeoutMs?: number;
  /** Limits a line of the agent, in bytes. Default: 67 108 864 (64 MiB). */
  maxIncomingBytes?: number;
  /** Limits a line that is sent, in bytes with its line feed. Default: 10 485 760, the most mm reads. */
  maxOutgoingBytes?: number;
  /** Ends the client as `close()` does. */
  signal?: AbortSignal;
  /**
   * Is called with every line, both ways; values of variables and headers (of MCP servers, of commands) are `***`.
   * Off by default: it costs a string a message.
   */
  trace?: (message: TraceMessage) => void;
}

/**
 * Is one agent process, the tools lent to it, and its sessions.
 *
 * An open request, turn or tool call keeps Node.js alive; a client without one, started or not, does not.
 *
 * @example
 * const client = new MiniMe({ permissions: 'client-tools' });
 * client.addTool({ name: 'uptime', handle: () => `${process.uptime()} s` });
 * const session = await client.newSession();
 * const { text } = await session.prompt('How long has the program been up?');
 * await client.close();
 */
export class MiniMe extends EventEmitter<MiniMeEvents> implements AsyncDisposable {
  /**
   * Makes a client and starts nothing. Diagnostics found before `start()` are given when it is called.
   *
   * @throws {OptionError} MM_ERR_OPTION
   * @throws {ToolDefinitionError} see {@link addTool}
   * @throws {ConnectionError} MM_ERR_NATIVE when the native part of this package does not load
   */
  constructor(options?: MiniMeOptions);

  /**
   * Lends a tool. Later changes of the definition have no effect.
   *
   * @throws {ToolDefinitionError} MM_ERR_TOOL, MM_ERR_TOOL_NAME, MM_ERR_TOOL_METHOD, MM_ERR_TOOL_SCHEMA,
   * MM_ERR_TOOL_DUPLICATE, MM_ERR_TOOL_HANDLE
   * @throws {StateError} MM_ERR_TOOLS_ANNOUNCED after `start()` with `discovery: "meta"`
   * @example
   * client.addTool({
   *   name: 'line_count',
   *   description: 'Counts the lines of a file.',
   *   inputSchema: {
   *     type: 'object',
   *     properties: { path: { type: 'string' } },
   *     required: ['path'],
   *   },
   *   handle: async ({ path }) => (await readFile(path, 'utf8')).split('\n').length,
   * });
   */
  addTool<const S extends ToolSchema | undefined = undefined>(
    tool: ToolDefinition<S>,
  ): RegisteredTool;
  /** Lists the lent tools in the order they were added. */
  readonly tools: readonly RegisteredTool[];
  /** Tells what the model is going to see, sorted by name. See docs/protocol.md, "The schema as the model sees it". */
  modelTools(): ModelTool[];

  /**
   * Starts the program and initializes. Calling it again gives the same outcome; `newSession()` and
   * `request()` imply it. A closed client is not started again: make a new one.
   *
   * Rejects with {@link ConnectionError} (MM_ERR_SPAWN, MM_ERR_START_TIMEOUT, MM_ERR_EXITED),
   * {@link ProtocolError} (MM_ERR_PROTOCOL_VERSION, MM_ERR_NOT_ACP, MM_ERR_MESSAGE_TOO_LARGE),
   * {@link AgentError} (MM_ERR_AGENT) or {@link StateError} (MM_ERR_CLOSED).
   */
  start(): Promise<AgentInfo>;
  /** Tells what the agent said of itself; undefined until `start()` has resolved. */
  readonly agent: AgentInfo | undefined;
  /** Is the agent's process id; undefined until it was started. */
  readonly pid: number | undefined;
  /** Tells where in its life the client is. */
  readonly state: ClientState;

  /**
   * Opens a session, and starts the agent when it is not.
   *
   * Rejects as {@link start} and {@link request} do; with MM_ERR_MESSAGE_INVALID when the agent answers
   * without a session id.
   *
   * @example
   * const session = await client.newSession({ cwd: '/projects/site' });
   */
  newSession(options?: SessionOptions): Promise<Session>;
  /**
   * Opens a session of old. The history that the agent replays goes to `onReplay` and to the `update`
   * event before the promise settles, and to no turn. A session that is open already stays the same
   * object; two openings of one id follow each other. A failure is never replaced by a new session.
   *
   * Rejects as {@link newSession} does; with MM_ERR_UNSUPPORTED, before anything is sent, when the agent
   * does not say `loadSession`.
   */
  loadSession(
    id: string,
    options?: SessionOptions & { onReplay?: (update: SessionUpdate) => void },
  ): Promise<Session>;
  /**
   * Opens a session of old without its history.
   *
   * Rejects as {@link newSession} does; with MM_ERR_UNSUPPORTED, before anything is sent, when the agent
   * does not say `sessionCapabilities.resume`.
   */
  resumeSession(id: string, options?: SessionOptions): Promise<Session>;
  /**
   * Lists the sessions the agent knows, of one folder or of all; pages are asked for as they are read.
   *
   * Throws as {@link request} rejects; MM_ERR_UNSUPPORTED when the agent does not say
   * `sessionCapabilities.list`.
   *
   * @example
   * for await (const { sessionId, title } of client.listSessions()) console.log(sessionId, title);
   */
  listSessions(options?: { cwd?: string }): AsyncIterableIterator<SessionInfo>;
  /**
   * Deletes a session at the agent.
   *
   * Rejects as {@link request} does; with MM_ERR_UNSUPPORTED when the agent does not say
   * `sessionCapabilities.delete`.
   */
  deleteSession(id: string): Promise<void>;
  /** Holds the open sessions by id. */
  readonly sessions: ReadonlyMap<string, Session>;

  /**
   * Authenticates by one of the agent's `authMethods`.
   *
   * Rejects as {@link request} does.
   */
  authenticate(methodId: string): Promise<void>;
  /**
   * Ends the authentication.
   *
   * Rejects as {@link request} does; with MM_ERR_UNSUPPORTED when the agent does not say `auth.logout`.
   */
  logout(): Promise<void>;

  /**
   * Sends a request and gives its result (raw); starts the agent when it is not.
   *
   * Rejects with {@link AgentError} (MM_ERR_AGENT) when the agent answers with an error, with
   * MM_ERR_TIMEOUT after `timeoutMs`, with `signal.reason` on abort, with {@link OptionError}
   * (MM_ERR_OPTION), with {@link ProtocolError} (MM_ERR_MESSAGE_TOO_LARGE; nothing was sent), with
   * {@link ConnectionError} (MM_ERR_EXITED) or {@link StateError} (MM_ERR_CLOSED), and as
   * {@link start} does.
   *
   * @example
   * const { sessions } = await client.request<{ sessions: unknown[] }>('session/list', {});
   */
  request<Result = unknown>(
    method: string,
    params?: unknown,
    options?: CallOptions,
  ): Promise<Result>;
  /**
   * Sends a notification (raw).
   *
   * @throws {StateError} MM_ERR_NOT_STARTED, MM_ERR_CLOSED
   * @throws {ConnectionError} MM_ERR_EXITED, or what ended the client
   * @throws {ProtocolError} MM_ERR_MESSAGE_TOO_LARGE; nothing was sent
   */
  notify(method: string, params?: unknown): void;
  /**
   * Answers requests of the agent for `method` until disposed; a later handler of the same method
   * replaces an earlier one, and goes before what this package answers itself. `undefined` is answered as
   * null; what the handler throws as error -32603 with its message. A method without a handler is answered
   * with -32601. Calls of lent tools do not come here.
   *
   * @throws {OptionError} MM_ERR_OPTION
   * @example
   * client.onRequest('_example.com/theme', () => ({ theme: 'dark' }));
   */
  onRequest(
    method: string,
    handler: (params: unknown, context: { signal: AbortSignal }) => unknown,
  ): Disposable;
  /**
   * Hears notifications of the agent for `method` until disposed; a later handler of the same method
   * replaces an earlier one. `session/update` goes to the `update` event instead, `$/cancel_request` to the
   * signals of handlers: both are refused here.
   *
   * @throws {OptionError} MM_ERR_OPTION
   */
  onNotification(method: string, handler: (params: unknown) => void): Disposable;

  /**
   * Ends the agent: end of stdin, then SIGTERM, then SIGKILL to its whole process group, each
   * `closeTimeoutMs` after the one before. Pending calls reject with MM_ERR_CLOSED. Resolves when all
   * output was delivered, with what is known of the exit: undefined when no agent was started. Calling
   * it again gives the same outcome.
   */
  close(): Promise<ExitInfo | undefined>;
  /** Does what `close()` does, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Names the events of a {@link MiniMe}, and what their listeners get.
 *
 * A listener that throws or rejects costs nothing: the others are called, and the diagnostic
 * `listener-failed` tells of it.
 */
export interface MiniMeEvents {
  /** Tells of every `session/update`, also of sessions not opened here. */
  update: [
    notification: {
      /** Names the session. */
      sessionId: string;
      /** Is what the agent told (raw). */
      update: SessionUpdate;
    },
  ];
  /** Gives one line of the agent's stderr, without its line feed. */
  stderr: [line: string];
  /** Tells that mm asked for the list of tools, which it does while it opens a session (request discovery). */
  toolsRequested: [request: ToolsRequest];
  /**
   * Tells what mm says it took. Its log lines are hints: with tools switched off mm says nothing. With
   * carrier `"mcp"` it tells what the agent fetched, each time it fetches the list of a session.
   */
  tools: [report: ToolsReport];
  /** Tells of one finished call of a lent tool. */
  toolCall: [call: ToolCallReport];
  /** Tells what a developer should know and no call reports. */
  diagnostic: [diagnostic: Diagnostic];
  /** Comes once, after all output of the agent was delivered. */
  exit: [exit: ExitInfo];
}

/** Is mm's request for the list of tools. */
export interface ToolsRequest {
  /** Names the session the list is for, which is still being opened. */
  readonly sessionId: string;
  /** Is the session's folder, as mm says it. */
  readonly cwd: string;
}

/** Compares what mm says it took with what was lent. */
export interface ToolsReport {
  /** Says how mm learned of them; `"request"` for a list that was fetched over MCP. */
  discovery: Discovery;
  /** Is there for a list that was fetched over MCP. */
  carrier?: 'mcp';
  /** Names the session the list is for; absent in meta discovery, where it holds for all. */
  sessionId?: string;
  /** Lists the model names that mm took. */
  accepted: string[];
  /** Lists the model names that were lent and that mm did not name. */
  missing: string[];
  /** Lists what mm skipped. */
  skipped: {
    /** Is the place in the list, from 0. */
    index: number;
    /** Is the name as it was defined; undefined where the list has no such place. */
    name: string | undefined;
    /** Is mm's reason. */
    reason: string;
  }[];
}

/** Tells how one call of a lent tool went. */
export interface ToolCallReport {
  /** Is the tool that was called. */
  tool: RegisteredTool;
  /** Names the session the agent called from; undefined when the agent did not tell. */
  sessionId: string | undefined;
  /** Is the time from the call's arrival to its answer, in ms; 0 when its arguments were refused. */
  durationMs: number;
  /**
   * Says how it ended: `"error"` is a failed result or a throw, `"invalid-arguments"` reached no handler,
   * `"cancelled"` was withdrawn, or failed after its turn was cancelled here; `"timeout"` and `"too-large"`
   * broke a limit of this side.
   */
  outcome: 'ok' | 'error' | 'invalid-arguments' | 'cancelled' | 'timeout' | 'too-large';
  /** Is what the handler threw, the very value. */
  error?: unknown;
}

/** Tells what a developer should know. Match `code`, never the text. */
export interface Diagnostic {
  /** Says of what kind it is. */
  code: DiagnosticCode;
  /** Tells it to people. */
  message: string;
  /** Is plain data: it survives structuredClone. */
  details?: Record<string, unknown>;
}

/** Names the kinds of diagnostics. A later version may add some. */
export type DiagnosticCode =
  | 'discovery-mismatch'
  | 'tools-missing'
  | 'tool-skipped'
  | 'tool-name-long'
  | 'tool-schema-lossy'
  | 'tool-schema-stray'
  | 'tools-function-failed'
  | 'lent-tools-ignored'
  | 'permission-unhandled'
  | 'permission-option-missing'
  | 'stdout-noise'
  | 'stderr-dropped'
  | 'message-invalid'
  | 'message-refused'
  | 'listener-failed'
  | 'handler-failed'
  | 'slow-start'
  | 'unread-updates'
  | 'update-unknown-session'
  | (string & {});

/** Tells how the agent ended. */
export interface ExitInfo {
  /** Is null when a signal ended it. */
  exitCode: number | null;
  /** Is the signal that ended it; null when none did. */
  signal: NodeJS.Signals | null;
  /** Is true when `close()` asked for it. */
  expected: boolean;
  /** Is the end of its stderr, at most 64 KiB; secrets that it was given are `***`. */
  stderr: string;
}

/** Is one line of the dialogue, without its line feed. */
export interface TraceMessage {
  /** Says whose it is: `"in"` the agent's, `"out"` ours. */
  direction: 'in' | 'out';
  /** Is the message, JSON as it was on the wire, but for values in `env` and `headers`: they are `"***"`. */
  line: string;
  /** Is the time, in ms since the epoch. */
  timestampMs: number;
}

/** Bounds one call. */
export interface CallOptions {
  /** Gives the call up when it aborts: it rejects with `signal.reason`, and the agent is told. */
  signal?: AbortSignal;
  /** Gives the call up after this time, in ms, over 0: it rejects with MM_ERR_TIMEOUT. Default: no limit. */
  timeoutMs?: number;
}

/** Names the stations of a client's life, in their order. */
export type ClientState = 'idle' | 'starting' | 'ready' | 'closing' | 'closed';

/** Tells what the agent said of itself when it was started. */
export interface AgentInfo {
  /** Is the version of ACP that it speaks: 1. */
  protocolVersion: number;
  /** Is its name, where it told one. */
  name: string | undefined;
  /** Is its version, where it told one. */
  version: string | undefined;
  /** Holds what it can (raw); empty when it told nothing. */
  capabilities: AgentCapabilities;
  /** Lists its ways to log in (raw); empty when it needs none. */
  authMethods: AuthMethod[];
  /** Is the whole answer to `initialize` (raw). */
  raw: Record<string, unknown>;
}

// ---------------------------------------------------------------- sessions

/** Configures a session. */
export interface SessionOptions extends CallOptions {
  /**
   * Sets the session's folder: absolute, or resolved against `process.cwd()`. Default: `process.cwd()`.
   * Not checked here: the agent decides.
   */
  cwd?: string;
  /** Names MCP servers for the agent to use (raw). Default: none. */
  mcpServers?: McpServer[];
  /** Names more folders the session may work in (raw), where the agent knows of them. */
  additionalDirectories?: string[];
  /**
   * Lends these to this session, besides the client's own. With discovery `"request"` or carrier `"mcp"`
   * only, else MM_ERR_OPTION.
   */
  tools?: readonly AnyTool[];
  /** Adds members to the request's params (raw); they replace those of the other options. */
  params?: Record<string, unknown>;
}

/** Is a conversation with the agent. Its state is what the agent told last; undefined when it never told. */
export interface Session extends AsyncDisposable {
  /** Names it; the agent's word. */
  readonly id: string;
  /** Is the session's folder, absolute. */
  readonly cwd: string;
  /** Tells which modes there are, and which is on (raw). */
  readonly modes: SessionModes | undefined;
  /** Lists the settings and their values (raw). */
  readonly configOptions: ConfigOption[] | undefined;
  /** Lists the commands that a prompt may begin with (raw). */
  readonly commands: AvailableCommand[] | undefined;
  /** Is the title that the agent gave it. */
  readonly title: string | undefined;
  /** Tells how full its context is (raw). */
  readonly usage: Usage | undefined;
  /**
   * Starts a turn. One runs at a time: a second prompt rejects with MM_ERR_PROMPT_RUNNING and leaves the
   * first alone, except that one prompt given while a turn is being cancelled waits for its end.
   *
   * The turn rejects with {@link AgentError} (MM_ERR_AGENT), MM_ERR_TIMEOUT, `signal.reason`,
   * {@link ProtocolError} (MM_ERR_MESSAGE_TOO_LARGE, MM_ERR_MESSAGE_INVALID), {@link ConnectionError}
   * (MM_ERR_EXITED), {@link OptionError} (MM_ERR_OPTION) or {@link StateError} (MM_ERR_PROMPT_RUNNING,
   * MM_ERR_CLOSED, MM_ERR_UNSUPPORTED for a kind of block that the agent does not take). After a timeout
   * or an abort it rejects at once, while the session stays busy until the agent has answered.
   *
   * @example
   * for await (const chunk of session.prompt('What is new?').textStream()) process.stdout.write(chunk);
   */
  prompt(input: string | ContentBlock | readonly ContentBlock[], options?: CallOptions): Turn;
  /**
   * Ends the running turn, which resolves with stopReason `"cancelled"`. Resolves when it has ended:
   * after `timeoutMs` (default 10 000) it is ended here, whatever the agent does. When that turn was given
   * up before, it ends the prompt that waits for its end. Without a turn it does nothing. Rejects with MM_ERR_OPTION for a bad `timeoutMs` alone.
   */
  cancel(options?: { timeoutMs?: number }): Promise<void>;
  /**
   * Sets the mode. Once resolved, `modes` shows it: the answer is the agent's word.
   *
   * Rejects as {@link MiniMe.request} does, and with MM_ERR_CLOSED when the session is closed.
   */
  setMode(modeId: string): Promise<void>;
  /**
   * Sets a configuration option. Once resolved, `configOptions` is the answer's. A boolean goes out with
   * `type: "boolean"`.
   *
   * Rejects as {@link MiniMe.request} does, and with MM_ERR_CLOSED when the session is closed.
   */
  setConfigOption(configId: string, value: string | boolean): Promise<void>;
  /**
   * Gives every update of the session, outside turns too. What came before the first call is kept for it,
   * the last 1 MiB; the diagnostic `unread-updates` tells of older ones. Ends when the session is closed;
   * throws why the client ended.
   */
  updates(): AsyncIterableIterator<SessionUpdate>;
  /**
   * Closes the session: asks the agent when it can (`sessionCapabilities.close`), and waits for its answer for
   * `closeTimeoutMs` at most, with 0 not at all; else only forgets it here. A running turn resolves as the agent
   * ends it meanwhile, `"cancelled"` mostly; else it rejects with MM_ERR_CLOSED. Disposing does the same and never throws.
   *
   * Rejects as {@link MiniMe.request} does; the session is forgotten all the same. Calling it again gives the
   * same outcome.
   */
  close(): Promise<void>;
  /** Is the answer to the opening request (raw). */
  readonly raw: Record<string, unknown>;
}

/**
 * Is one turn: await it for the result, iterate it for the updates, or both. An error reaches whichever
 * is used, once.
 *
 * An iterator taken late gets what came before it, if that was at most 256 KiB; else it throws
 * MM_ERR_UNREAD, as it does when another iterator was given it. Over 8 MiB unread slow the agent down
 * (diagnostic `unread-updates`); over 256 MiB end the client with MM_ERR_UNREAD.
 *
 * @example
 * const turn = session.prompt('Tidy up');
 * for await (const update of turn) {
 *   if (update.sessionUpdate === 'tool_call') console.log(update.title);
 * }
 * const { stopReason } = await turn;
 */
export interface Turn extends AsyncIterable<SessionUpdate>, Promise<TurnResult> {
  /** Is the same outcome as a plain promise. */
  readonly result: Promise<TurnResult>;
  /** Gives the text of the agent's message, as it comes; takes the turn's iterator. */
  textStream(): AsyncIterable<string>;
  /** Ends this turn as {@link Session.cancel} does; one that has ended stays as it is. */
  cancel(options?: { timeoutMs?: number }): Promise<void>;
}

/** Tells how a turn ended. */
export interface TurnResult {
  /** Is the agent's word (raw); `"cancelled"` also when the turn was ended here. */
  stopReason:
    | 'end_turn'
    | 'max_tokens'
    | 'max_turn_requests'
    | 'refusal'
    | 'cancelled'
    | (string & {});
  /** Is the text of the agent's message chunks, joined. */
  readonly text: string;
  /** Counts the turn's tokens (raw), where the agent tells. */
  usage: TokenUsage | undefined;
  /** Is the agent's answer (raw). */
  raw: Record<string, unknown>;
}

/**
 * Is one update of a session (raw). Known kinds narrow on `sessionUpdate`; a kind this version does not
 * know arrives as it is. Each has more members than are typed here.
 */
export type SessionUpdate = KnownSessionUpdate | UnknownUpdate;

declare enum UnknownKind {
  Unknown = 'a kind this version does not know',
}

/** Is an update of a kind this version does not know (raw). Its kind compares equal to no known one. */
export interface UnknownUpdate {
  /** Is the kind: a word that this version does not know. */
  readonly sessionUpdate: UnknownKind;
  readonly [member: string]: unknown;
}

/** Is an update of a kind this version knows (raw). */
export type KnownSessionUpdate =
  | {
      /** Brings a piece of a message: of the user's (replayed), the agent's, or its thoughts. */
      readonly sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';
      /** Is the piece. */
      readonly content: ContentBlock;
      /** Names the message it belongs to, where the agent tells. */
      readonly messageId?: string | null;
    }
  | ({
      /** Begins a tool call of the agent's. */
      readonly sessionUpdate: 'tool_call';
      /** Says what is called; `client: <name>` for a lent tool. */
      readonly title: string;
    } & ToolCallUpdate)
  | ({
      /** Tells more of a tool call. */
      readonly sessionUpdate: 'tool_call_update';
    } & ToolCallUpdate)
  | {
      /** Brings the plan, whole. */
      readonly sessionUpdate: 'plan';
      /** Lists its steps. */
      readonly entries: readonly {
        /** Says what is to be done. */
        content: string;
        /** Is `high`, `medium` or `low`. */
        priority: string;
        /** Is `pending`, `in_progress` or `completed`. */
        status: string;
      }[];
    }
  | {
      /** Replaces the list of commands. */
      readonly sessionUpdate: 'available_commands_update';
      /** Is the list. */
      readonly availableCommands: readonly AvailableCommand[];
    }
  | {
      /** Tells that another mode is on. */
      readonly sessionUpdate: 'current_mode_update';
      /** Names the mode. */
      readonly currentModeId: string;
    }
  | {
      /** Replaces the settings. */
      readonly sessionUpdate: 'config_option_update';
      /** Are the settings, all of them. */
      readonly configOptions: readonly ConfigOption[];
    }
  | {
      /** Tells of the session itself. */
      readonly sessionUpdate: 'session_info_update';
      /** Is its title; null takes it away. */
      readonly title?: string | null;
      /** Is when it was last changed, ISO 8601. */
      readonly updatedAt?: string | null;
    }
  | ({
      /** Tells how full the context is. */
      readonly sessionUpdate: 'usage_update';
    } & Usage)
  | {
      /** Tells the user something that is no part of a message. */
      readonly sessionUpdate: 'notice';
      /** Says how grave it is, in the agent's words. */
      readonly severity: string;
      /** Is the notice. */
      readonly title: string;
      /** Is more of it. */
      readonly description?: string | null;
    };

/** Tells of a tool call of the agent's, whole or in part (raw). */
export interface ToolCallUpdate {
  /** Names the call within the session. */
  readonly toolCallId: string;
  /** Says what is called, for people. */
  readonly title?: string | null;
  /** Is `read`, `edit`, `execute`, `other`... */
  readonly kind?: string | null;
  /** Is `pending`, `in_progress`, `completed` or `failed`. */
  readonly status?: string | null;
  /** Holds what it shows. */
  readonly content?: readonly ToolCallContent[] | null;
  /** Lists the files it works on. */
  readonly locations?:
    | readonly {
        /** Is the file, absolute. */
        path: string;
        /** Is the line in it. */
        line?: number | null;
      }[]
    | null;
  /** Holds the arguments it was given. */
  readonly rawInput?: unknown;
  /** Holds what it gave. */
  readonly rawOutput?: unknown;
}

/** Is what a tool call of the agent's shows (raw). */
export type ToolCallContent =
  | {
      /** Shows a block. */
      readonly type: 'content';
      /** Is the block. */
      readonly content: ContentBlock;
    }
  | {
      /** Shows the change of a file. */
      readonly type: 'diff';
      /** Is the file, absolute. */
      readonly path: string;
      /** Is its text before; none for a new file. */
      readonly oldText?: string | null;
      /** Is its text after. */
      readonly newText: string;
    }
  | {
      /** Shows a terminal. */
      readonly type: 'terminal';
      /** Names the terminal, by the id that `create` gave. */
      readonly terminalId: string;
    };

/** Is a piece of a message, a prompt or a result (raw). */
export type ContentBlock =
  | {
      /** Is plain text, or Markdown. */
      type: 'text';
      /** Is the text. */
      text: string;
    }
  | {
      /** Is a picture. */
      type: 'image';
      /** Holds its bytes, in base64. */
      data: string;
      /** Says of what format they are. */
      mimeType: string;
      /** Says where it is from. */
      uri?: string | null;
    }
  | {
      /** Is a sound. */
      type: 'audio';
      /** Holds its bytes, in base64. */
      data: string;
      /** Says of what format they are. */
      mimeType: string;
    }
  | {
      /** Points to something that the agent may read itself. */
      type: 'resource_link';
      /** Says where it is. */
      uri: string;
      /** Is its name. */
      name: string;
      /** Says of what format it is. */
      mimeType?: string | null;
      /** Is its name for people. */
      title?: string | null;
      /** Says what it is. */
      description?: string | null;
      /** Is its size, in bytes. */
      size?: number | null;
    }
  | {
      /** Brings something along. */
      type: 'resource';
      /** Is what it brings: text, or bytes. */
      resource:
        | {
            /** Says where it is from. */
            uri: string;
            /** Is the text. */
            text: string;
            /** Says of what format it is. */
            mimeType?: string | null;
          }
        | {
            /** Says where it is from. */
            uri: string;
            /** Holds the bytes, in base64. */
            blob: string;
            /** Says of what format they are. */
            mimeType?: string | null;
          };
    };

/** Tells how full the session's context is, in tokens, and what it has cost (raw). */
export interface Usage {
  /** Is how much of the context is used. */
  readonly used: number;
  /** Is how much there is. */
  readonly size: number;
  /** Is what the session has cost, where the agent tells. */
  readonly cost?: {
    /** Is the sum, in units of the currency. */
    amount: number;
    /** Is the currency, ISO 4217. */
    currency: string;
  } | null;
}

/** Counts the tokens of one turn, where the agent tells (raw). */
export interface TokenUsage {
  /** Counts all of them. */
  readonly totalTokens?: number;
  /** Counts those that the model read. */
  readonly inputTokens?: number;
  /** Counts those that it wrote. */
  readonly outputTokens?: number;
  readonly [member: string]: unknown;
}

/** Is one session of the agent's list, as the agent sent it. */
export interface SessionInfo {
  /** Names it, for `loadSession()`, `resumeSession()` and `deleteSession()`. */
  readonly sessionId: string;
  /** Is its folder. */
  readonly cwd: string;
  /** Is its title, where it has one. */
  readonly title?: string | null;
  /** Is when it was last changed, ISO 8601. */
  readonly updatedAt?: string | null;
}

/** Lists the modes of a session (raw). */
export interface SessionModes {
  /** Names the mode that is on. */
  readonly currentModeId: string;
  /** Lists all there are. */
  readonly availableModes: readonly {
    /** Names it, for `setMode()`. */
    id: string;
    /** Is its name for people. */
    name: string;
    /** Says what it is for. */
    description?: string | null;
  }[];
}

/** Is a setting of a session (raw). */
export interface ConfigOption {
  /** Names it, for `setConfigOption()`. */
  readonly id: string;
  /** Is its name for people. */
  readonly name: string;
  /** Says what values it has: `select`, `boolean`... */
  readonly type: string;
  /** Says what it is about: `mode`, `model`... */
  readonly category?: string | null;
  /** Is its value. */
  readonly currentValue: string | boolean;
  readonly [member: string]: unknown;
}

/** Is a command that a prompt may begin with (raw). */
export interface AvailableCommand {
  /** Is its name, without the slash. */
  readonly name: string;
  /** Says what it does. */
  readonly description: string;
  /** Tells what may stand behind the name; absent when nothing may. */
  readonly input?: {
    /** Says it to people. */
    hint: string;
  } | null;
}

/** Names an MCP server for the agent to use (raw). */
export type McpServer =
  | {
      /** Is its name. */
      name: string;
      /** Is the program that the agent starts. */
      command: string;
      /** Are its arguments. */
      args: readonly string[];
      /** Are variables added to its environment. */
      env: readonly {
        /** Is the variable. */
        name: string;
        /** Is its value. */
        value: string;
      }[];
    }
  | {
      /** Says how the agent talks to it. */
      type: 'http' | 'sse';
      /** Is its name. */
      name: string;
      /** Is where it listens. */
      url: string;
      /** Are headers of each request. */
      headers: readonly {
        /** Is the header. */
        name: string;
        /** Is its value. */
        value: string;
      }[];
    };

/** Is a way to log in to the agent (raw). */
export interface AuthMethod {
  /** Names it, for `authenticate()`. */
  readonly id: string;
  /** Is its name for people. */
  readonly name: string;
  /** Says what it asks for. */
  readonly description?: string | null;
  readonly [member: string]: unknown;
}

/** Holds what the agent can (raw): `loadSession`, `promptCapabilities`, `sessionCapabilities`... */
export type AgentCapabilities = Readonly<Record<string, unknown>>;

// ---------------------------------------------------------------- what the agent asks

/** Is the agent's question whether it may do something. */
export interface PermissionRequest {
  /** Names the session. */
  readonly sessionId: string;
  /** Tells what it wants to do (raw). */
  readonly toolCall: ToolCallUpdate;
  /**
   * Tells what updates told before of this `toolCallId`, merged: some agents ask with the id alone. Kept
   * for the calls of the running turn.
   */
  readonly known: ToolCallUpdate | undefined;
  /** Lists the answers the agent offers, in its order. */
  readonly options: readonly {
    /** Names the answer, for a decision by `optionId`. */
    optionId: string;
    /** Is its name for people. */
    name: string;
    /** Is `allow_once`, `allow_always`, `reject_once` or `reject_always`. */
    kind: string;
  }[];
  /**
   * Is the lent tool the agent wants to call: set when the kind is `other` and the title exactly
   * `client: <name>` of a tool lent to that session. With carrier `"mcp"`: when the session's server and the
   * tool are named exactly, in one of the ways of docs/protocol.md, "Carriers".
   */
  readonly tool: RegisteredTool | undefined;
  /** Is the request's params (raw). */
  readonly raw: Record<string, unknown>;
}

/**
 * Decides a permission. A word picks the first offered option of that very kind, `optionId` that very
 * option; when it is not offered the answer is `cancelled`, and the diagnostic
 * `permission-option-missing` says so.
 *
 * An async handler written without parameters may need `as const` on its word.
 */
export type PermissionDecision =
  | 'allow_once'
  | 'allow_always'
  | 'reject_once'
  | 'reject_always'
  | 'cancelled'
  | {
      /** Is that of one of the request's `options`. */
      optionId: string;
    };

/**
 * Answers permission requests. When it throws, or gives anything else, the answer is `cancelled`, and the
 * diagnostic `permission-option-missing` says so. `signal` aborts when the agent withdraws the request or
 * its turn is cancelled; a late decision is dropped.
 *
 * @example
 * const permissions: PermissionHandler = async ({ toolCall }) =>
 *   (await confirm(toolCall.title ?? 'Go on?')) ? 'allow_once' : 'reject_once';
 */
export type PermissionHandler = (
  request: PermissionRequest,
  context: { signal: AbortSignal },
) => PermissionDecision | Promise<PermissionDecision>;

/** Is what a handler gets besides the request. */
export interface HandlerContext {
  /** Is aborted when the agent withdraws the request, its turn is cancelled, or the client ends. */
  readonly signal: AbortSignal;
}
/** Gives the text of a file. The path is the agent's, unchecked: the handler decides what may be read. */
export type ReadTextFileHandler = (
  request: { sessionId: string; path: string; line?: number | null; limit?: number | null },
  context: HandlerContext,
) => string | Promise<string>;
/** Writes a file. The path is the agent's, unchecked: the handler decides what may be written. */
export type WriteTextFileHandler = (
  request: { sessionId: string; path: string; content: string },
  context: HandlerContext,
) => void | Promise<void>;
/**
 * Makes handlers that read and write text files inside `roots` and nowhere else, whatever links, `..` and
 * case say. What is kept and what is not: docs/files.md.
 *
 * Reading gives the text as it is (UTF-8; a byte order mark and CRLF stay), of `line` and `limit` that
 * many lines from that one on, 10 485 760 bytes at most. Writing is done in place, and makes the file and
 * the folders to it where they are missing.
 *
 * Called by a program itself, the handlers reject with an error that has a `code` of JSON-RPC: -32002 with
 * `data: { uri }` for a file that is missing, -32602 for a path outside the roots or of no text file,
 * -32603 for what the system refused.
 *
 * @param roots absolute paths of folders that are there
 * @param options `missing: 'empty'` reads a missing file as `''`: some agents read what they are about to
 *   make, and take the error for a failure (gemini). Default: `'error'`.
 * @throws {@link OptionError} MM_ERR_OPTION: a root that is no folder, an option that is unknown
 *
 * @example
 * const client = new MiniMe({ fs: workspaceFiles('/home/me/project', { missing: 'empty' }) });
 */
export function workspaceFiles(
  roots: string | readonly string[],
  options?: { missing?: 'error' | 'empty' },
): {
  /** Reads text files inside the roots. */
  readTextFile: ReadTextFileHandler;
  /** Writes text files inside the roots. */
  writeTextFile: WriteTextFileHandler;
};

/**
 * Asks the user's login shell for its environment. An app that was started from a dock or a menu lacks
 * what the user's profile sets, so `mm` may not be on its PATH. See docs/platforms.md.
 *
 * Resolves with a copy of `process.env` when no answer came within `timeoutMs` (default 5 000), the shell
 * fails, or there is none (Windows). `process.env` is not changed.
 *
 * @throws {@link OptionError} MM_ERR_OPTION (as a rejection): an option that is unknown or no time
 *
 * @example
 * const { PATH } = await loginShellEnv();
 * const client = new MiniMe({ env: { PATH } });
 */
export function loginShellEnv(options?: { timeoutMs?: number }): Promise<Record<string, string>>;

/** Runs commands for the agent; all five are needed. The ready-made ones are `terminal: true`. */
export interface TerminalHandlers {
  /** Starts a command; gives the id of its terminal. */
  create: (
    request: {
      sessionId: string;
      command: string;
      args?: string[];
      env?: { name: string; value: string }[];
      cwd?: string | null;
      /** In bytes. */
      outputByteLimit?: number | null;
    },
    context: HandlerContext,
  ) => string | Promise<string>;
  /** Gives what the command has written so far. */
  output: (request: {
    sessionId: string;
    terminalId: string;
  }) => TerminalOutput | Promise<TerminalOutput>;
  /** Waits for the end of the command. */
  waitForExit: (
    request: { sessionId: string; terminalId: string },
    context: HandlerContext,
  ) => TerminalExit | Promise<TerminalExit>;
  /** Ends the command; its terminal stays. */
  kill: (request: { sessionId: string; terminalId: string }) => void | Promise<void>;
  /** Ends the command when it runs, and forgets the terminal. */
  release: (request: { sessionId: string; terminalId: string }) => void | Promise<void>;
}
/** Tells how a command ended. */
export interface TerminalExit {
  /** Is its exit status; null when a signal ended it. */
  exitCode?: number | null;
  /** Is the signal that ended it; null when none did. */
  signal?: string | null;
}
/** Is what a command has written so far. */
export interface TerminalOutput {
  /** Is the text, of both streams. */
  output: string;
  /** Says that the beginning was cut off. */
  truncated: boolean;
  /** Tells how the command ended; absent while it runs. */
  exitStatus?: TerminalExit | null;
}
/** Answers a question of the agent to the user (raw). */
export type ElicitationHandler = (
  request: Readonly<Record<string, unknown>> & { readonly message: string },
  context: HandlerContext,
) => ElicitationAnswer | Promise<ElicitationAnswer>;
/** Is the user's answer (raw). */
export type ElicitationAnswer =
  | {
      /** Says that the user has answered. */
      action: 'accept';
      /** Holds the values of the form. */
      content?: Record<string, unknown>;
    }
  | {
      /** Says that the user does not want to answer. */
      action: 'decline';
    }
  | {
      /** Says that the user went away without a word. */
      action: 'cancel';
    };

/**
 * Answers permission requests without a handler.
 *
 * `"client-tools"`: `allow_once` for lent tools, as `"reject-all"` for the rest. `"reject-all"`:
 * `reject_once` if offered, else `cancelled`. `"allow-all"`: `allow_once` if offered, else `cancelled`
 * and a diagnostic.
 */
export type PermissionPolicy = 'client-tools' | 'reject-all' | 'allow-all';

// ---------------------------------------------------------------- errors

/**
 * Is the base of all errors of this package. Match `code`, never the text. `instanceof` works across
 * copies of the package; `name` is the class's.
 *
 * @example
 * try {
 *   await client.start();
 * } catch (error) {
 *   if (!(error instanceof MiniMeError) || error.code !== 'MM_ERR_SPAWN') throw error;
 *   console.error(`mm is not installed: ${error.message}`);
 * }
 */
export class MiniMeError extends Error {
  /** Is for this package: only it makes errors of its own. */
  protected constructor(
    code: ErrorCode,
    message: string,
    details?: Readonly<Record<string, unknown>>,
    options?: { cause?: unknown },
  );
  /** Says what has failed. */
  readonly code: ErrorCode;
  /** Is plain data: it survives structuredClone. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Gives the members as plain data, `name` and `message` among them, for `JSON.stringify`. */
  toJSON(): Record<string, unknown>;
}

/** Tells that a tool cannot be lent. */
export class ToolDefinitionError extends MiniMeError {
  readonly code:
    | 'MM_ERR_TOOL'
    | 'MM_ERR_TOOL_NAME'
    | 'MM_ERR_TOOL_METHOD'
    | 'MM_ERR_TOOL_SCHEMA'
    | 'MM_ERR_TOOL_DUPLICATE'
    | 'MM_ERR_TOOL_HANDLE';
}

/** Tells that an option or an argument is wrong. */
export class OptionError extends MiniMeError {
  readonly code: 'MM_ERR_OPTION';
}

/** Tells that something cannot be done now, or not with this agent. */
export class StateError extends MiniMeError {
  readonly code:
    | 'MM_ERR_TOOLS_ANNOUNCED'
    | 'MM_ERR_PROMPT_RUNNING'
    | 'MM_ERR_CLOSED'
    | 'MM_ERR_UNSUPPORTED'
    | 'MM_ERR_NOT_STARTED';
}

/** Tells that the agent could not be started, or has ended. */
export class ConnectionError extends MiniMeError {
  readonly code:
    | 'MM_ERR_SPAWN'
    | 'MM_ERR_START_TIMEOUT'
    | 'MM_ERR_EXITED'
    | 'MM_ERR_LISTEN'
    | 'MM_ERR_NATIVE';
  /** Is null when there was no exit, or a signal ended the agent. */
  readonly exitCode: number | null;
  /** Is the signal that ended the agent; null when none did. */
  readonly signal: NodeJS.Signals | null;
  /** Is the end of the agent's stderr, at most 64 KiB; secrets that it was given are `***`. */
  readonly stderr: string;
}

/** Tells that the agent broke the protocol, or that a message of ours would have. */
export class ProtocolError extends MiniMeError {
  readonly code:
    | 'MM_ERR_PROTOCOL_VERSION'
    | 'MM_ERR_MESSAGE_INVALID'
    | 'MM_ERR_MESSAGE_TOO_LARGE'
    | 'MM_ERR_NOT_ACP';
}

/** Tells that the agent answered a request with a JSON-RPC error. */
export class AgentError extends MiniMeError {
  readonly code: 'MM_ERR_AGENT';
  /** Is the error's code; -32603 when the agent gave none. */
  readonly rpcCode: number;
  /** Is the error's `data` (raw); undefined when there was none. */
  readonly rpcData: unknown;
}

/** Names every failure. Causes and remedies: docs/errors.md. */
export type ErrorCode =
  | ToolDefinitionError['code']
  | OptionError['code']
  | StateError['code']
  | ConnectionError['code']
  | ProtocolError['code']
  | AgentError['code']
  | 'MM_ERR_TIMEOUT'
  | 'MM_ERR_UNREAD'
  | 'MM_ERR_INTERNAL';
