const { MiniMe } = require('mini-me-client');

async function main() {
  const mm = new MiniMe({ args: ['-acp'], discovery: 'meta', permissions: 'client-tools' });
  mm.addTool({
    name: 'free_memory',
    description: 'How much memory of this machine is free, in GiB.',
    handle: () => `${(require('node:os').freemem() / 2 ** 30).toFixed(1)} GiB`,
  });
  const session = await mm.newSession();
  for await (const update of session.prompt('How much memory is free on my machine?')) {
    if (update.sessionUpdate === 'tool_call') console.log(`the agent calls ${update.title}`);
    if (update.sessionUpdate === 'agent_message_chunk') process.stdout.write(update.content.text);
  }
  await mm.close();
}

main();
