// A permission handler decides by words, or by the id of an option; no other word compiles.

import type {
  PermissionDecision,
  PermissionHandler,
  RegisteredTool,
  ToolCallUpdate,
} from 'mini-me-client';
import { MiniMe } from 'mini-me-client';
import { expectType } from './expect';

new MiniMe({ permissions: 'allow-all' });
new MiniMe({ permissions: () => 'allow_once' });
new MiniMe({ permissions: async () => 'cancelled' as const });
new MiniMe({
  permissions: (request, { signal }) => {
    expectType<string>()(request.sessionId);
    expectType<ToolCallUpdate>()(request.toolCall);
    expectType<ToolCallUpdate | undefined>()(request.known);
    expectType<RegisteredTool | undefined>()(request.tool);
    expectType<Record<string, unknown>>()(request.raw);
    expectType<AbortSignal>()(signal);
    const always = request.options.find(({ kind }) => kind === 'allow_always');
    return always === undefined ? 'reject_once' : { optionId: always.optionId };
  },
});

const handler: PermissionHandler = async ({ tool }) => (tool ? 'allow_always' : 'reject_always');
new MiniMe({ permissions: handler });

// @ts-expect-error: no such word
new MiniMe({ permissions: () => 'allow' });
// @ts-expect-error: a decision is a word or an option's id
new MiniMe({ permissions: () => true });
// @ts-expect-error: the member is called optionId
new MiniMe({ permissions: () => ({ id: 'yes' }) });
// @ts-expect-error: a handler decides
new MiniMe({ permissions: () => undefined });
// @ts-expect-error: no such word
export const wrong: PermissionDecision = 'deny';
