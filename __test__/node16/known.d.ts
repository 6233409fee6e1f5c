// What js/ uses beyond the types of Node.js 16, and why it may; for tsconfig.node16.json alone.

declare module 'util' {
  /** Node.js 16.17 has it; these types do not know it yet. */
  export const parseArgs: (config: object) => {
    values: { json?: boolean; help?: boolean; version?: boolean };
    positionals: string[];
  };
}

// js/stand-in/openai.js looks for `fetch` first, and says what it needs.
declare function fetch(url: URL, options: object): Promise<Response>;
declare interface Response {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): ReadableStreamDefaultReader<Uint8Array> } | null;
  text(): Promise<string>;
}
declare interface ReadableStreamDefaultReader<Chunk> {
  read(): Promise<{ done: false; value: Chunk } | { done: true; value: undefined }>;
  cancel(reason?: unknown): Promise<void>;
}
