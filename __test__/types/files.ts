// The ready-made handlers of files, and the environment of the login shell.

import type { MiniMeOptions, ReadTextFileHandler, WriteTextFileHandler } from 'mini-me-client';
import { loginShellEnv, MiniMe, workspaceFiles } from 'mini-me-client';
import { expectType } from './expect';

const files = workspaceFiles('/home/me/project');
expectType<ReadTextFileHandler>()(files.readTextFile);
expectType<WriteTextFileHandler>()(files.writeTextFile);
const roots: readonly string[] = ['/a', '/b'];
const options: MiniMeOptions = { fs: workspaceFiles(roots, { missing: 'empty' }) };
new MiniMe(options);
// one of them alone
new MiniMe({ fs: { readTextFile: workspaceFiles('/a', {}).readTextFile } });

// @ts-expect-error: roots are needed
workspaceFiles();
// @ts-expect-error: no such word
workspaceFiles('/a', { missing: 'throw' });
// @ts-expect-error: no such option
workspaceFiles('/a', { absent: 'empty' });

expectType<Promise<Record<string, string>>>()(loginShellEnv());
loginShellEnv({ timeoutMs: 1000 }).then((env) => new MiniMe({ env }));
// @ts-expect-error: a time
loginShellEnv({ timeoutMs: '1 s' });
