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
  | { write: string | Uint8Array }
  /** Ends the turn with this stop reason; without such a step it is `end_turn`. */
  | { stop: string }
  /** Ends the turn with an error, which the prompt is answered with. */
  | { fail: { code: number; message: string; data?: unknown } };

/** A turn that runs: `yield` of calls gives their results, of anything else undefined. */
export type Steps = AsyncGenerator<Step, void, readonly CallResult[] | undefined>;

/** Decides turns. `signal` aborts when the turn is cancelled; the generator is then returned. */
export interface Model {
  turn(view: View, signal: AbortSignal): Steps;
}
