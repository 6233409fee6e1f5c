// What js/ exports is what index.d.ts promises: no less, no more, of the same types.

import type * as promised from 'mini-me-client';
import type * as promisedTesting from 'mini-me-client/testing';
import * as implemented from '../../js/index';
import type { Session } from '../../js/session';
import * as implementedTesting from '../../js/testing';
import type { RegisteredTool } from '../../js/tool';
import type { Turn } from '../../js/turn';
import { expectType } from './expect';

// all that is promised is there, with the promised type
export const kept: typeof promised = implemented;

declare const session: Session;
declare const tool: RegisteredTool;
declare const turn: Turn;
export const keptSession: promised.Session = session;
export const keptTool: promised.RegisteredTool = tool;
export const keptTurn: promised.Turn = turn;

// nothing is there that is not promised
declare const exported: Exclude<keyof typeof implemented, keyof typeof promised>;
expectType<never>()(exported);
declare const ofClient: Exclude<keyof implemented.MiniMe, keyof promised.MiniMe>;
expectType<never>()(ofClient);

// the same for `mini-me-client/testing`
export const keptTesting: typeof promisedTesting = implementedTesting;
declare const exportedTesting: Exclude<
  keyof typeof implementedTesting,
  keyof typeof promisedTesting
>;
expectType<never>()(exportedTesting);
