// Options: what is there compiles, what js/ does not do must not.

import type {
  AgentInfo,
  ExitInfo,
  McpServer,
  MiniMeOptions,
  TerminalHandlers,
} from 'mini-me-client';
import { MiniMe } from 'mini-me-client';
import { expectType } from './expect';

const options: MiniMeOptions = {
  command: '/usr/bin/mm',
  args: ['-acp', '-agent', 'agent.yaml'],
  cwd: '/',
  env: { LANG: 'C', NODE_OPTIONS: undefined },
  inheritEnv: false,
  discovery: 'request',
  carrier: 'mcp',
  namespace: 'com.example',
  permissions: 'client-tools',
  clientInfo: { name: 'example', version: '1.0.0' },
  capabilities: { _meta: { example: true } },
  startTimeoutMs: 0,
  closeTimeoutMs: Number.POSITIVE_INFINITY,
  maxIncomingBytes: 1024,
  maxOutgoingBytes: 1024,
  signal: new AbortController().signal,
  trace: ({ direction, line, timestampMs }) => {
    expectType<'in' | 'out'>()(direction);
    expectType<string>()(line);
    expectType<number>()(timestampMs);
  },
};
const client = new MiniMe(options);

// @ts-expect-error: no such mode
new MiniMe({ discovery: 'both' });
// @ts-expect-error: no such carrier
new MiniMe({ carrier: 'http' });
// @ts-expect-error: no such policy
new MiniMe({ permissions: 'always' });
// @ts-expect-error: no such option
new MiniMe({ program: 'mm' });

expectType<Promise<AgentInfo>>()(client.start());
expectType<AgentInfo | undefined>()(client.agent);
expectType<number | undefined>()(client.pid);
expectType<'idle' | 'starting' | 'ready' | 'closing' | 'closed'>()(client.state);
expectType<Promise<ExitInfo | undefined>>()(client.close());
expectType<Promise<void>>()(client[Symbol.asyncDispose]());

// a terminal is ready-made, or all of one
const terminal: TerminalHandlers = {
  create: async ({ command, args }) => [command, ...(args ?? [])].join(' '),
  output: () => ({ output: '', truncated: false }),
  waitForExit: () => ({ exitCode: 0 }),
  kill: () => undefined,
  release: () => undefined,
};
for (const given of [true, false, terminal]) new MiniMe({ terminal: given });
// @ts-expect-error: a terminal has five handlers
new MiniMe({ terminal: { create: () => 'id' } });
// @ts-expect-error: no such terminal
new MiniMe({ terminal: 'pty' });

// a function of tools is asked for each session
new MiniMe({
  discovery: 'request',
  tools: ({ sessionId, cwd, signal }) => {
    expectType<string>()(sessionId);
    expectType<string>()(cwd);
    expectType<AbortSignal>()(signal);
    return Promise.resolve([{ name: 'ping', handle: () => 'pong' }]);
  },
});
// @ts-expect-error: a list of tools is asked for
new MiniMe({ tools: () => ({ name: 'ping', handle: () => 'pong' }) });

const local: McpServer = { name: 'files', command: 'mcp-files', args: [], env: [] };
const remote: McpServer = { type: 'http', name: 'search', url: 'https://x.test', headers: [] };
client.newSession({ cwd: '.', mcpServers: [local, remote], additionalDirectories: ['/tmp'] });
client.newSession({ params: { _meta: { a: 1 } }, timeoutMs: 1000 });
client.newSession({ tools: [{ name: 'ping', handle: () => 'pong' }] });
// @ts-expect-error: the tools of one session are a list
client.newSession({ tools: () => [] });

expectType<Promise<unknown>>()(client.request('_example/x'));
expectType<Promise<{ n: number }>>()(client.request<{ n: number }>('_example/x', { a: 1 }));
client.notify('_example/y', { a: 1 });
// @ts-expect-error: a method has a name
client.request(1);

expectType<Disposable>()(client.onRequest('_example/z', async (_params, { signal }) => signal));
client.onRequest('_example/z', (params) => expectType<unknown>()(params));
expectType<Disposable>()(client.onNotification('_example/z', (params) => void params));
