// What docs/terminal.md shows, as one program.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { MiniMe } from 'mini-me-client';

const command = process.execPath;
const args = ['asking-agent.mjs'];

/** Has the agent ask for a method of the client; gives the answer. */
const askBy = (session) => async (method, params) =>
  JSON.parse((await session.prompt(`${method} ${JSON.stringify(params)}`)).text);

/** As an agent does: it makes a terminal, waits for the end of its command, reads what that wrote. */
async function runBy(client) {
  const ask = askBy(await client.newSession());
  const program = {
    command: process.execPath,
    args: ['--eval', 'console.log(6 * 7)'],
    env: [{ name: 'TOKEN', value: 'secret' }],
  };
  const { terminalId } = await ask('terminal/create', program);
  const exit = await ask('terminal/wait_for_exit', { terminalId });
  const { output, truncated } = await ask('terminal/output', { terminalId });
  await ask('terminal/release', { terminalId });
  console.log(output.trim(), truncated, exit);
}

// #region ready
const client = new MiniMe({
  command,
  args,
  terminal: true,
  permissions: 'client-tools', // a command that the agent asks for is refused; it need not ask
  trace: ({ direction, line }) => {
    const isCommand = direction === 'in' && line.includes('"terminal/create"');
    if (isCommand) console.log('the agent runs', line);
  },
});
// #endregion ready
await runBy(client);
await client.close();

/** Stands for where the program runs commands: in a container, on another machine. */
function startJob(program, programArgs = []) {
  const child = spawn(program, programArgs, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return {
    exit: once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal })),
    soFar: () => ({ output, truncated: false }),
    stop: () => void child.kill(),
  };
}
const allowed = [process.execPath];

// #region own
const jobs = new Map();
const jobOf = ({ terminalId }) => {
  const job = jobs.get(terminalId);
  if (job === undefined) throw new Error(`there is no terminal ${terminalId}`);
  return job;
};
const terminal = {
  create: ({ command, args }) => {
    if (!allowed.includes(command)) throw new Error(`${command} may not be run here`);
    const terminalId = randomUUID();
    jobs.set(terminalId, startJob(command, args));
    return terminalId;
  },
  output: (request) => jobOf(request).soFar(), // { output, truncated }, and exitStatus at the end
  waitForExit: (request) => jobOf(request).exit, // a promise of { exitCode, signal }
  kill: (request) => jobOf(request).stop(),
  release: (request) => {
    jobOf(request).stop();
    jobs.delete(request.terminalId);
  },
};
const careful = new MiniMe({ command, args, terminal });
careful.on('exit', () => {
  for (const job of jobs.values()) job.stop();
});
// #endregion own
await runBy(careful);
const ask = askBy(await careful.newSession());
console.log((await ask('terminal/create', { command: 'rm' })).message);
await careful.close();
