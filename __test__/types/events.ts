// Listeners get what their event brings; names of events are known.

import type {
  Diagnostic,
  ExitInfo,
  SessionUpdate,
  ToolCallReport,
  ToolsReport,
  ToolsRequest,
} from 'mini-me-client';
import { MiniMe } from 'mini-me-client';
import { expectType } from './expect';

const client = new MiniMe();

client.on('update', ({ sessionId, update }) => {
  expectType<string>()(sessionId);
  expectType<SessionUpdate>()(update);
});
client.on('stderr', (line) => expectType<string>()(line));
client.on('toolsRequested', (request) => expectType<ToolsRequest>()(request));
client.once('tools', (report) => expectType<ToolsReport>()(report));
client.on('toolCall', (call) => {
  expectType<ToolCallReport>()(call);
  expectType<unknown>()(call.error);
});
client.prependListener('diagnostic', (diagnostic) => expectType<Diagnostic>()(diagnostic));
client.addListener('exit', (exit) => {
  expectType<ExitInfo>()(exit);
  expectType<NodeJS.Signals | null>()(exit.signal);
});
client.off('exit', () => undefined);

// @ts-expect-error: a line is a string
client.on('stderr', (line: number) => line);

// known codes are offered, others may come
client.on('diagnostic', ({ code, details }) => {
  expectType<Record<string, unknown> | undefined>()(details);
  return code === 'discovery-mismatch' || code === 'some-later-code';
});
