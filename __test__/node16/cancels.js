'use strict';
// Run by Node.js 16: calls that are aborted by their agent and by the turn's end, files, and the login shell.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { MiniMe, loginShellEnv, workspaceFiles } = require('mini-me-client');
const { callTool, standIn } = require('mini-me-client/testing');

/** A tool that never answers, and the reason that its signal aborts with. */
function neverAnswers() {
  const tool = { name: 'never_answers' };
  const started = new Promise((resolve) => {
    tool.handle = (_args, { signal }) => {
      tool.reason = new Promise((tell) => {
        signal.addEventListener('abort', () => tell(signal.reason));
      });
      resolve();
      return new Promise(() => undefined);
    };
  });
  return { tool, started };
}

async function withAgent(settings, tool, use) {
  const agent = standIn({ script: [[{ call: 'never_answers' }]], ...settings });
  const client = new MiniMe({ ...agent.options, tools: [tool] });
  try {
    await use(await client.newSession());
  } finally {
    await client.close();
  }
}

async function main() {
  const turn = neverAnswers();
  await withAgent({}, turn.tool, async (session) => {
    const running = session.prompt('go');
    await turn.started;
    await running.cancel();
    assert.equal((await turn.tool.reason).name, 'AbortError');
    assert.equal((await running).stopReason, 'cancelled');
  });

  const call = neverAnswers();
  await withAgent({ timeoutMs: 50 }, call.tool, async (session) => {
    await session.prompt('go');
    const { name, message } = await call.tool.reason;
    assert.deepEqual(
      { name, message },
      { name: 'AbortError', message: 'The agent cancelled the call' },
    );
  });

  const { tool } = neverAnswers();
  const { outcome } = await callTool(tool, {}, { signal: AbortSignal.timeout(50) });
  assert.equal(outcome, 'cancelled');

  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'mini-me-node16-'));
  const file = path.join(folder, 'a.txt');
  const { writeTextFile, readTextFile } = workspaceFiles(folder);
  await writeTextFile({ path: file, content: 'a\nb\n' });
  assert.equal(await readTextFile({ path: file, line: 2 }), 'b\n');
  fs.rmSync(folder, { recursive: true });

  assert.ok((await loginShellEnv()).PATH);
  process.stdout.write(`passed on ${process.version}\n`);
}

main();
