// Tries the package with agents nobody of this project wrote, offline against a scripted model, and
// writes what was seen into docs/agents.md.
//   npm run test:agents -- [names of agents] [--write]   (then `npm run fix`)

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureNative } from '../../scripts/lib/native-build.mjs';
import { ROOT } from '../../scripts/lib/run.mjs';
import { elapsed, runMain, ScriptError, say } from '../../scripts/lib/say.mjs';
import { AGENTS } from './agents.mjs';
import { install, NoPython } from './install.mjs';
import { tryAgent } from './trial.mjs';

const PAGE = path.join(ROOT, 'docs', 'agents.md');
const [BEGIN, END] = ['<!-- seen by npm run test:agents -->', '<!-- end -->'];

await runMain(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { write: { type: 'boolean', default: false } },
  });
  const unknown = positionals.find((name) => !Object.hasOwn(AGENTS, name));
  if (unknown !== undefined) {
    throw new ScriptError(`expected among ${Object.keys(AGENTS).join(', ')}; got ${unknown}`);
  }
  await ensureNative();
  const names = Object.keys(AGENTS).filter(
    (name) => positionals.length === 0 || positionals.includes(name),
  );
  const outcomes = [];
  for (const name of names) outcomes.push(await outcomeOf(name, AGENTS[name]));
  for (const { name, outcome, time } of outcomes) say(`${name}: ${outcome} (${time})`);
  if (values.write) write(outcomes);
  return outcomes.every(({ isFailed }) => !isFailed) ? 0 : 1;
});

async function outcomeOf(name, agent) {
  const startMs = performance.now();
  const done = (outcome, more) => ({ name, agent, outcome, time: elapsed(startMs), ...more });
  let root;
  try {
    root = await install(name, agent);
  } catch (error) {
    if (!(error instanceof NoPython)) {
      return done(`FAILED, it could not be installed: ${error.message}`, { isFailed: true });
    }
    return done(`NOT TRIED, which is no failure: ${error.message}`, { isFailed: false });
  }
  say(`trying ${name} ${agent.version} ...`);
  try {
    const seen = await tryAgent(agent, root);
    check(seen, agent.expected);
    return done('passed', { seen, isFailed: false });
  } catch (error) {
    return done(`FAILED: ${error.stack}`, { isFailed: true });
  }
}

function check({ files, terminal, http, stdio }, expected) {
  for (const { permission, apart, reopens } of [http, stdio]) {
    assert.deepEqual({ files, terminal, permission, apart, reopens }, expected);
  }
}

/** One table, a column an agent: what `check` has found to be so, over both carriers. */
function write(outcomes) {
  const seen = outcomes.filter((outcome) => outcome.seen !== undefined);
  const row = (title, cell) => `| ${[title, ...seen.map(cell)].join(' | ')} |`;
  const table = [
    row('', ({ agent }) => agent.title),
    row('---', () => '---'),
    row('version', ({ agent }) => `${agent.npm ?? agent.pip} ${agent.version}`),
    row('options', ({ agent }) => `\`${agent.start}\``),
    row('`agentInfo.name`', (one) => `\`${one.seen.name}\``),
    row('text is streamed, own tools ask for permission', () => 'yes'),
    row('files by `fs` handlers', (one) => one.seen.files),
    row('commands by `terminal`', (one) => one.seen.terminal),
    row('lent tools over HTTP', (one) => (one.seen.http.isTaken ? 'yes' : 'no')),
    row('lent tools over stdio', (one) => (one.seen.stdio.isTaken ? 'yes' : 'no')),
    row('name of the tool T of server S for the model', (one) => `\`${one.seen.modelName}\``),
    row('permission for lent tools', (one) => one.seen.http.permission),
    row('`isError` and images of lent tools', () => 'yes'),
    row('`cancel()` aborts a lent call', () => 'yes'),
    row('a session sees its own tools alone', (one) => one.seen.http.apart),
    row('a session is loaded or resumed with tools', (one) => one.seen.http.reopens),
    row('`close()` leaves no process', () => 'yes'),
  ].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const [, after] = rest.split(END);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`);
}
