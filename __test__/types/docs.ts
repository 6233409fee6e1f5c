// What docs/tools.md shows of types.

// #region typed
import type { JsonToolSchema, ToolArguments } from 'mini-me-client';

const moveSchema = {
  type: 'object',
  properties: { direction: { enum: ['up', 'down'] }, steps: { type: 'integer' } },
  required: ['direction'],
  additionalProperties: false,
} as const satisfies JsonToolSchema;

type Move = ToolArguments<typeof moveSchema>; // { direction: 'up' | 'down'; steps?: number }
const steps = ({ direction, steps = 1 }: Move) => (direction === 'up' ? steps : -steps);

// #endregion typed

import { MiniMe, type ToolResult } from 'mini-me-client';
import { expectType } from './expect';

declare const move: Move;
expectType<'up' | 'down'>()(move.direction);
expectType<number | undefined>()(move.steps);
new MiniMe().addTool({ name: 'move', inputSchema: moveSchema, handle: steps });

// What docs/tools.md says of blocks that are made apart.
const block = { data: '', mimeType: 'image/png' };
export const shown: ToolResult = { content: [{ ...block, type: 'image' as const }] };
const wide = { ...block, type: 'image' };
// @ts-expect-error: any text is no type of a block
export const unknown: ToolResult = { content: [wide] };
