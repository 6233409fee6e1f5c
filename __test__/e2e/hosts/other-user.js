'use strict';
// A process of another user of this machine, who wants in: becomes `nobody`, tries the doors in its
// arguments, and prints what came of each.
//   node other-user.js SOCKET GREETING PID URL

const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const path = require('node:path');

const NOBODY = 65_534;
const [socketPath, greeting, pid, url] = process.argv.slice(2);

process.setgroups([]);
process.setgid(NOBODY);
process.setuid(NOBODY);

const call = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: {} },
});

/** What `look` gives, or the code of its error. */
function seen(look) {
  try {
    return look();
  } catch (error) {
    return error.code;
  }
}

/** What the socket says to the greeting and a call, or the code of its error. */
function said() {
  return new Promise((resolve) => {
    let text = '';
    let code;
    const socket = net.connect(socketPath);
    socket.on('error', (error) => {
      code = error.code;
    });
    socket.on('data', (chunk) => {
      text += chunk;
      socket.end();
    });
    socket.on('close', () => resolve({ code, text }));
    socket.write(`${greeting}\n${call}\n`);
  });
}

/** The status that the port gives to who has no token. */
function status() {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const request = http.request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.end(call);
  });
}

async function main() {
  const doors = {
    user: process.getuid(),
    folder: seen(() => fs.readdirSync(path.dirname(socketPath))),
    replaced: seen(() => fs.unlinkSync(socketPath)),
    socket: await said(),
  };
  if (process.platform === 'linux') {
    doors.arguments = seen(() => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'));
    doors.environment = seen(() => fs.readFileSync(`/proc/${pid}/environ`, 'utf8'));
  }
  if (url !== undefined) doors.status = await status();
  process.stdout.write(JSON.stringify(doors));
}

main();
