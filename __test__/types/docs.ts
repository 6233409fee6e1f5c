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

import { MiniMe } from 'mini-me-client';
import { expectType } from './expect';

declare const move: Move;
expectType<'up' | 'down'>()(move.direction);
expectType<number | undefined>()(move.steps);
new MiniMe().addTool({ name: 'move', inputSchema: moveSchema, handle: steps });
