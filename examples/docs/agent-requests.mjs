// What docs/agent-requests.md shows, as one program.

import { MiniMe, MiniMeError } from 'mini-me-client';

const command = process.execPath;
const args = ['asking-agent.mjs'];

/** Stand for dialogs of the program. */
const showForm = (message, schema, { signal }) => {
  console.log(message, Object.keys(schema.properties), signal.aborted ? 'too late' : '');
  return Promise.resolve({ color: 'green' });
};
const confirm = (question) => Promise.resolve(!question.includes('evil.example'));
const openPage = (url) => console.log('opened', url);
const token = 'secret';

// #region elicitation
const client = new MiniMe({
  command,
  args,
  elicitation: {
    form: async ({ message, requestedSchema }, { signal }) => {
      const content = await showForm(message, requestedSchema, { signal }); // undefined: closed
      return content === undefined ? { action: 'cancel' } : { action: 'accept', content };
    },
    url: async ({ message, url }) => {
      if (!(await confirm(`${message}\nOpen ${new URL(url).host}?`))) return { action: 'decline' };
      openPage(url);
      return { action: 'accept' };
    },
  },
});
// #endregion elicitation

// #region hear
client.onRequest('_example.com/theme', ({ part }) => ({ part, theme: 'dark' }));
client.onNotification('_example.com/servers', ({ names }) => {
  console.log('the agent was told of', names);
});
// #endregion hear

// #region servers
const session = await client.newSession({
  mcpServers: [
    { name: 'notes', command: '/usr/bin/notes-mcp', args: ['--stdio'], env: [] },
    {
      type: 'http',
      name: 'tickets',
      url: 'https://tickets.example.com/mcp',
      headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
    },
  ],
});
// #endregion servers
const ask = async (method, params) =>
  console.log((await session.prompt(`${method} ${JSON.stringify(params)}`)).text);
const requestedSchema = { type: 'object', properties: { color: { type: 'string' } } };
await ask('elicitation/create', { mode: 'form', message: 'Which color?', requestedSchema });
for (const host of ['login.example', 'evil.example']) {
  await ask('elicitation/create', { mode: 'url', message: 'Log in.', url: `https://${host}/` });
}
await ask('_example.com/theme', { part: 'panel' });
await ask('_example.com/other', {});

// #region send
const { files } = await client.request('_example.com/index', {}, { timeoutMs: 5_000 });
client.notify('_example.com/saved', { path: '/projects/site/index.html' });
// #endregion send
console.log(`${files} files`);

await client.close();

args.push('--locked');
// #region login
const locked = new MiniMe({ command, args });
const { authMethods } = await locked.start();
console.log('log in by one of', authMethods);
try {
  await locked.newSession();
} catch (error) {
  if (!(error instanceof MiniMeError) || error.code !== 'MM_ERR_AGENT') throw error;
  console.log(error.rpcCode, error.message); // -32000: the agent wants a log-in first
}
await locked.authenticate(authMethods[0].id);
await locked.newSession();
// #endregion login
await locked.close();
