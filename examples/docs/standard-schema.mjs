// What docs/tools.md shows of schemas of libraries, as one program.

import { defineTool } from 'mini-me-client';
import { callTool } from 'mini-me-client/testing';

const sizes = { S: 36, M: 40 };
const sizeOf = ({ label, unit }) => `${sizes[label]} ${unit}`;

// #region libraries
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';

const byZod = defineTool({
  name: 'size_of',
  inputSchema: z.object({ label: z.enum(['S', 'M']), unit: z.string().default('cm') }),
  handle: ({ label, unit }) => `${sizes[label]} ${unit}`, // label is 'S' | 'M', unit a string
});

const inputSchema = v.object({ label: v.picklist(['S', 'M']), unit: v.optional(v.string(), 'cm') });
const byValibot = {
  name: 'size_of',
  inputSchema: toStandardJsonSchema(inputSchema),
  handle: sizeOf,
};

const byArkType = {
  name: 'size_of',
  inputSchema: type({ label: "'S' | 'M'", unit: "string = 'cm'" }),
  handle: sizeOf,
};

const weekday = defineTool({
  name: 'weekday',
  inputSchema: z.object({ day: z.iso.date().transform((day) => new Date(day)) }),
  handle: ({ day }) => day.getUTCDay(), // day is a Date
});
// #endregion libraries

console.log((await callTool(byZod, { label: 'S' })).text);
console.log((await callTool(byZod, { label: 'XL' })).text);
for (const tool of [byValibot, byArkType]) console.log((await callTool(tool, { label: 'S' })).text);
for (const day of ['2026-12-01', 'tomorrow']) console.log((await callTool(weekday, { day })).text);
