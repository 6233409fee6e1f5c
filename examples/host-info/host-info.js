'use strict';
// The tool that is lent: what the agent can learn of the machine this program runs on.

const os = require('node:os');
const { defineTool, text } = require('mini-me-client');

const GIB = 1024 ** 3;

const reports = {
  os: () =>
    `${os.type()} ${os.release()} (${os.platform()}/${os.arch()}), host name ${os.hostname()}`,
  cpu: () => {
    const cores = os.cpus();
    return `${cores.length} × ${cores[0]?.model.trim() || 'a CPU that does not tell its model'}`;
  },
  memory: () => `${gib(os.freemem())} GiB free of ${gib(os.totalmem())} GiB`,
  uptime: () => {
    const minutes = Math.floor(os.uptime() / 60);
    const since = new Date(Date.now() - os.uptime() * 1000);
    return `up since ${since.toISOString()}, for ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  },
};

/** @param {number} bytes */
function gib(bytes) {
  return (bytes / GIB).toFixed(1);
}

const hostInfo = defineTool({
  name: 'host_info',
  description:
    'Facts about the computer the user sits at: operating system, CPU, memory or uptime.',
  method: '_demo.minime/host_info',
  inputSchema: {
    type: 'object',
    properties: {
      topic: {
        type: 'string',
        description: 'What to report.',
        enum: ['os', 'cpu', 'memory', 'uptime'],
      },
    },
    required: ['topic'],
  },
  // Arguments that do not fit the schema never come here: the model is told which topics there are.
  handle: (args, { sessionId }) => {
    console.log(`[client] host_info ${JSON.stringify(args)} (session ${sessionId})`);
    return text(reports[args.topic]());
  },
});

module.exports = { hostInfo };
