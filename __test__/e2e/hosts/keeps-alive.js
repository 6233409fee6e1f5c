'use strict';
// A program that does what its argument says and then lets Node.js decide how long it lives.

const { clientOf, tell } = require('./shared');

const WAYS = {
  'never-started': () => clientOf(['echo']),
  idle: async () => {
    const client = clientOf(['echo']);
    const session = await client.newSession();
    const { text } = await session.prompt('hi');
    tell({ pid: client.pid, text });
  },
  closed: async () => {
    const client = clientOf(['echo']);
    await client.start();
    tell({ pid: client.pid });
    await client.close();
  },
  'prompt-running': async () => {
    const client = clientOf(['answers-late']);
    const session = await client.newSession();
    session.prompt('hi').then(({ text }) => tell({ pid: client.pid, text }));
  },
  'tool-running': async () => {
    const client = clientOf(['calls-tools']);
    const handle = () =>
      new Promise((resolve) => {
        setTimeout(resolve, 300, 'done').unref();
      });
    client.addTool({ name: 'slow', method: '_slow', handle });
    const session = await client.newSession();
    const { raw } = await session.prompt('[{"method":"_slow"}]');
    tell({ pid: client.pid, text: JSON.parse(raw.answers[0]).result });
  },
  starting: () => {
    const client = clientOf(['echo']);
    client.start().then(() => tell({ pid: client.pid }));
  },
  'ended-while-waiting': async () => {
    const client = clientOf(['runs-until-cancelled']);
    const session = await client.newSession();
    const first = session.prompt('{"needs":"_test/end"}').catch(({ code }) => code);
    session.cancel();
    const second = session.prompt('waits').catch(({ code }) => code);
    process.kill(client.pid, 'SIGKILL');
    tell({ pid: client.pid, codes: await Promise.all([first, second]) });
  },
  dropped: async () => {
    const clients = Array.from({ length: 3 }, () => clientOf(['echo']));
    await Promise.all(clients.map((client) => client.start()));
    tell({ pid: clients[0].pid, pids: clients.map(({ pid }) => pid) });
  },
};

WAYS[process.argv[2]]();
