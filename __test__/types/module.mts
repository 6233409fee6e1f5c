// An ECMAScript module sees the same names.

import { defineTool, MiniMe, type Session, StateError } from 'mini-me-client';
import { expectType } from './expect.js';

const client = new MiniMe({ tools: [defineTool({ name: 'ping', handle: () => 'pong' })] });
const session = await client.newSession();
expectType<Session>()(session);
const { text } = await session.prompt('ping');
expectType<string>()(text);
export const isClosed = (error: unknown) =>
  error instanceof StateError && error.code === 'MM_ERR_CLOSED';
