// What a model of the stand-in is, and what crosses between it and the agent side in src/stand_in/.
// For tsc alone; it is not packed.

import type { ContentBlock, ModelTool } from '../../index';

/** What a model knows when a turn begins. */
export interface View {
  sessionId: string;
  cwd: string;
  /** The prompt as it came. */
  prompt: readonly ContentBlock[];
  /** Its text. */
  question: string;
  /** The tools of the session as the model is to see them, sorted by name. */
  tools: readonly ModelTool[];
}

/** A call as a model asks for it. */
export interface ModelCall {
  /** `client_<name>` */
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
}

/** What a model reads of a call. */
export interface CallResult {
  text: string;
  isFailed: boolean;
}

/** One step of a turn. */
export type Step =
  /** Says a piece of the agent's message. */
  | { say: string }
  /** Tells any update: a thought, a plan. */
  | { update: Readonly<Record<string, unknown>> }
  /** Calls tools, all at once; `yield` gives a result for each, in the same order. */
  | { calls: readonly ModelCall[] }
  /** Writes these bytes to stdout as they are, as a fault of an agent. */
  | { write: Uint8Array }
  /** Writes the next answer twice. */
  | { repeat: true }
  /** Takes no notice of a cancellation from now on. */
  | { deafen: true }
  /** Ends the agent with this status, after all that was written. */
  | { exit: number }
  /** Ends the turn with this stop reason; without such a step it is `end_turn`. */
  | { stop: string }
  /** Ends the turn with an error, which the prompt is answered with. */
  | { fail: { code: number; message: string; data?: unknown } };

/** A turn that runs: `yield` of calls gives their results, of anything else undefined. */
export type Steps = AsyncGenerator<Step, void, readonly CallResult[] | undefined>;

/** Decides turns. `signal` aborts when the turn is cancelled; the generator is then returned. */
export interface Model {
  turn(view: View, signal: AbortSignal): Steps;
  /** What is done before a request is handled, by its method: writes, an exit, an error. */
  before?: Readonly<Record<string, (signal: AbortSignal) => Steps>>;
  /** The process stays when its input has ended. */
  ignoresEnd?: boolean;
}

/** What of the command line and the agent file concerns the model. */
export interface ModelSettings {
  model: 'rules' | 'script' | 'openai';
  /** Absolute. */
  script: string | null;
  baseUrl: string | null;
  modelName: string | null;
  apiKey: string | null;
  temperature: number | null;
}

/** The part of the native file that is the agent. */
export interface StandInBinding {
  /** Gives `{model: ModelSettings}`, or `{status}` when all there was to do is done, as JSON. */
  planStandIn(args: string[]): string;
  NativeStandIn: new (
    args: string[],
    intercepted: string[],
    onEvent: (event: string) => void,
  ) => NativeStandIn;
}

export interface NativeStandIn {
  step(key: number, step: string): void;
}
