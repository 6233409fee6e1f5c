// What js/ passes around, and what crosses to the native side: the exports of src/node/. For tsc alone;
// it is not packed.

import type {
  AnyTool,
  CallOptions,
  ErrorCode,
  MiniMeEvents,
  MiniMeOptions,
  SessionOptions,
  SessionUpdate,
} from '../index';
import type { CallToolOptions, ToolCallResult } from '../testing';
import type { MiniMeError } from './errors';
import type { ArgumentsCheck } from './standard-schema';
import type { RegisteredTool } from './tool';

/** The exports of the native file. */
export interface NativeBinding {
  NativeClient: new (options: string, wake: () => void) => NativeClient;
  NativeRehearsal: new (namespace: string, maxOutput?: number) => NativeRehearsal;
  /** Both texts are JSON, and so is what is given: a {@link NativeChoice}. */
  choosePermission(decision: string, options: string): string;
  /** That of the package the native file was built for. */
  version(): string;
}

/** See src/node/client.rs. Texts are JSON, method names apart. */
export interface NativeClient {
  /** Gives a {@link NativeTool}. */
  addTool(definition: string): string;
  removeTool(index: number): boolean;
  modelTools(): string;
  chooseMcp(): void;
  /** Takes a {@link NativeLease}; gives a {@link NativeAddress}. */
  openLease(lease: string): string;
  bindLease(name: string, session: string): void;
  dropLease(name: string): void;
  isLeaseUsed(name: string): boolean;
  endLending(): void;
  checkList(more: string): void;
  /** Gives a {@link NativeList}. */
  giveList(session: string, more: string): string;
  forgetList(session: string): void;
  /** Gives the process id. */
  start(program: string): number;
  initialize(id: number, introduction: string): void;
  request(id: number, method: string, params: string): void;
  notify(method: string, params: string): void;
  cancelRequest(id: number): void;
  answerRequest(key: number, isError: boolean, json: string): void;
  /** Gives the keys of the calls whose answer was too large. */
  answerCalls(answers: string): number[];
  /** Gives whether the answer was too large. */
  answerLarge(key: number, isError: boolean, json: string): boolean;
  /** Takes a {@link NativeTerminalCommand}; gives the number of the terminal. */
  terminalStart(command: string): number;
  /** Gives a {@link NativeTerminalOutput}. */
  terminalOutput(terminal: number): string;
  terminalKill(terminal: number, graceMs: number): void;
  terminalRelease(terminal: number): void;
  terminalsEnd(): void;
  take(): string | null;
  keepHistory(session: string): NativeHistory;
  keepTurn(session: string): NativeTurn;
  stop(graceMs: number): void;
}

/** See src/node/kept.rs. Numbers are those of updates, counted from 0 over the whole connection. */
export interface NativeHistory {
  readonly from: number;
  /** Gives `[dropped, entries]` as JSON. */
  take(before: number): string;
  stop(): void;
}

export interface NativeTurn {
  readonly from: number;
  /** Gives entries as JSON. */
  first(before: number): string | null;
  end(count: number): NativeText;
}

export interface NativeText {
  /** Gives strings as JSON, one more than there are cuts. */
  read(cuts: readonly number[]): string;
}

/** See src/node/rehearsal.rs. Texts are JSON. */
export interface NativeRehearsal {
  /** Gives a {@link NativeTool}. */
  addTool(definition: string): string;
  modelTools(): string;
  /** Gives a {@link NativeBegun}. */
  begin(index: number, params: string): string;
  /** Gives a {@link NativeAnswer}. */
  answer(answer: string): string;
}

/** What becomes of a call before its handler: it is the handler's turn, or the answer is there. */
export type NativeBegun =
  | { key: number }
  | { key?: undefined; outcome: ToolCallResult['outcome']; answer: NativeAnswer };

/** An answer, and what the model reads of it. */
export interface NativeAnswer {
  /** JSON text; null for a call that was not sent, or was withdrawn. */
  result: string | null;
  text: string;
  isError: boolean;
  isTooLarge: boolean;
}

/** What is started. */
export interface NativeProgram {
  command: string;
  args: readonly string[];
  cwd: string;
  /** All variables. */
  env: [name: string, value: string][];
}

/** What a terminal is made with. */
export interface NativeTerminalCommand extends NativeProgram {
  /** null: the native side's default. */
  limitBytes: number | null;
}

export interface NativeTerminalOutput {
  output: string;
  truncated: boolean;
  /** null while the command runs. */
  exit: NativeExit | null;
}

export interface NativeExit {
  code: number | null;
  signal: number | null;
}

/** What `initialize` says of the program that uses this package. */
export interface NativeIntroduction {
  clientInfo: NonNullable<MiniMeOptions['clientInfo']>;
  /** What handlers were given for. */
  offers: Record<string, boolean>;
  capabilities?: NonNullable<MiniMeOptions['capabilities']>;
}

export interface NativeTool {
  index: number;
  modelName: string;
  method: string;
  /** Keywords of the schema that the model is not shown. */
  lossy: string[];
  /** Members of the schema that look like parameters. */
  stray: string[];
}

/** The list of a session. */
export interface NativeList {
  /** Its own tools, in the order they were given. */
  tools: NativeTool[];
  /** All of it, in wire form. */
  list: unknown[];
}

/** An MCP server for one session. */
export interface NativeLease {
  name: string;
  token: string;
  list: string;
  session?: string;
  by: 'http' | 'stdio';
  temporaryFolder: string;
}

export type NativeAddress = { url: string } | { socket: string };

export interface NativeChoice {
  result: unknown;
  /** What was offered instead, when the decision names nothing that was. */
  missing: string | null;
}

/** The last entry of the lane. */
export interface NativeEnd {
  exitCode: number | null;
  signal: number | null;
  stderr: string;
  /** Why the client ended the agent; null when the agent ended. */
  failure: NativeFailure | null;
}

export interface NativeFailure {
  code: ErrorCode;
  message: string;
  details: Details;
}

/** Plain data of an error. */
export type Details = Readonly<Record<string, unknown>>;

/** An update as it came: nothing is known of its members but that they are JSON. */
export type RawUpdate = Readonly<Record<string, unknown>>;

/** What is told of a tool call, as it came. */
export type RawToolCall = Readonly<Record<string, unknown>>;

/** A tool's definition as it was when it was read. */
export interface ReadTool {
  definition: AnyTool;
  /** The definition for the native side. */
  json: string;
  /** The schema's own check of arguments; undefined when the native side checks them, or nobody does. */
  check: ArgumentsCheck | undefined;
}

export interface LentTool {
  registered: RegisteredTool;
  definition: AnyTool;
  check: ArgumentsCheck | undefined;
}

/** The options of a client, whole. */
export type CheckedOptions = MiniMeOptions &
  Required<
    Pick<
      MiniMeOptions,
      | 'args'
      | 'env'
      | 'inheritEnv'
      | 'carrier'
      | 'discovery'
      | 'namespace'
      | 'startTimeoutMs'
      | 'closeTimeoutMs'
      | 'maxIncomingBytes'
      | 'maxOutgoingBytes'
    >
  >;
export type CheckedCallOptions = Unset<CallOptions> & {
  /** Since when `timeoutMs` runs, as `now()`; undefined: since the request is sent. */
  since?: number | undefined;
};
export type CheckedCallToolOptions = Unset<CallToolOptions>;
export type CheckedSessionOptions = Unset<SessionOptions> & CheckedCallOptions;
export type CheckedLoadOptions = CheckedSessionOptions & {
  onReplay?: ((update: SessionUpdate) => void) | undefined;
};

/** The same members, where absent and undefined are one. */
type Unset<T> = { [K in keyof T]?: T[K] | undefined };

/** Who is told of the answer to a request of ours, while its entry is delivered. */
export interface AnswerListener {
  onResult(result: unknown): void;
  /** `rpcCode` is undefined when no answer came. */
  onError(error: MiniMeError, rpcCode: number | undefined): void;
}

/** The events of a client, as its inner half sees them. */
export interface ClientEvents {
  emit<K extends keyof MiniMeEvents>(event: K, ...values: MiniMeEvents[K]): boolean;
  listenerCount(event: keyof MiniMeEvents): number;
  diagnose(diagnostic: MiniMeEvents['diagnostic'][0]): void;
}
