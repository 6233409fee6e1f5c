'use strict';
// Which program is the agent: the one of the settings, else mm, else the stand-in of the package. The
// library itself never takes the stand-in.

/**
 * The programs to try, in this order, until one can be started.
 * @param {{ command: string, args: readonly string[], standIn: string, agentFile: string, env?: Record<string, string | undefined> }} setting
 *   an empty command is none; `standIn` and `agentFile` are paths; `env` is added to the environment of the agent
 */
function programs({ command, args, standIn, agentFile, env = {} }) {
  const chosen = { ...(args.length > 0 && { args }), env };
  if (command !== '') return [{ words: command, options: { ...chosen, command } }];
  return [
    // MM_BIN, else mm on PATH: the library's own rule.
    { words: 'mm', options: chosen },
    {
      words: 'the stand-in (mm is not on PATH)',
      options: {
        command: process.execPath,
        args: [standIn, '-acp', '-agent', agentFile],
        // Electron is not Node until it is told to be.
        env: process.versions.electron ? { ...env, ELECTRON_RUN_AS_NODE: '1' } : env,
      },
    },
  ];
}

module.exports = { programs };
