const os = require('node:os');
const { MiniMe } = require('mini-me-client');

async function main() {
  const mm = new MiniMe({ permissions: 'client-tools' }); // starts `mm -acp` when it is needed
  mm.on('diagnostic', ({ message }) => console.error(message));
  mm.addTool({
    name: 'free_memory',
    description: 'How much memory of this machine is free.',
    inputSchema: { type: 'object', properties: { unit: { enum: ['MiB', 'GiB'] } } },
    handle: ({ unit = 'GiB' }) =>
      `${Math.round(os.freemem() / 2 ** (unit === 'GiB' ? 30 : 20))} ${unit}`,
  });
  try {
    const session = await mm.newSession();
    for await (const update of session.prompt('How much memory is free on my machine?')) {
      if (update.sessionUpdate === 'tool_call') console.log(`the agent calls ${update.title}`);
      if (update.sessionUpdate !== 'agent_message_chunk') continue;
      if (update.content.type === 'text') process.stdout.write(update.content.text);
    }
  } finally {
    await mm.close();
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
