// A model for real agents: an HTTP server on loopback that speaks what they speak, and does what the
// prompt says. Directives, read from the last text of the user that has any:
//   @@CALL <regex of a tool's name> <JSON arguments>@@   several: one a turn of the model, in order
//   @@SAY <text>@@
//   @@SLOW <chunks> <ms>@@                               says so many chunks, one in so many ms
// When the results of the calls are there it answers `RESULTS <count> <<last result>>`.

import { once } from 'node:events';
import http from 'node:http';
import { chat } from './dialects/chat.mjs';
import { gemini } from './dialects/gemini.mjs';
import { responses } from './dialects/responses.mjs';

const DIALECTS = [
  [/\/chat\/completions$/, chat],
  [/\/responses$/, responses],
  [/:(?:stream)?generateContent$/i, gemini],
];
const MODEL = { id: 'fake-model', object: 'model', created: 1, owned_by: 'fake' };
const DIRECTIVE = /@@(CALL|SAY|SLOW)\s+(.*?)@@/gs;

/** Starts one; `asked` gets what the model was offered, by request. */
export async function startModelServer() {
  const asked = [];
  const server = http.createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const [path] = request.url.split('?');
    const [, dialect] = DIALECTS.find(([pattern]) => pattern.test(path)) ?? [];
    if (request.method !== 'POST' || dialect === undefined) {
      answerOther(path, response);
      return;
    }
    const question = dialect.read(JSON.parse(Buffer.concat(pieces).toString()), request.url);
    asked.push(question);
    await dialect.write(question, decide(question), response, asked.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answerOther(path, response) {
  const isKnown = /\/models$|:countTokens$/.test(path);
  response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ object: 'list', data: [MODEL], models: [], totalTokens: 10 }));
}

/** What the model does next: `{call: {name, args}}`, or the chunks of `{chunks, waitMs}`. */
function decide({ tools, items }) {
  const at = items.findLastIndex(({ kind, text }) => kind === 'user' && text.match(DIRECTIVE));
  if (at === -1) return say('NO DIRECTIVE');
  const directives = [...items[at].text.matchAll(DIRECTIVE)].map(([, verb, rest]) => ({
    verb,
    rest: rest.trim(),
  }));
  const results = items.slice(at + 1).filter(({ kind }) => kind === 'result');
  const next = directives.filter(({ verb }) => verb === 'CALL')[results.length];
  if (next !== undefined) {
    const [, pattern, args] = /^(\S+)\s*(.*)$/s.exec(next.rest);
    const name = tools.find((tool) => new RegExp(pattern).test(tool));
    // Without any tool it is asked for a title of the session.
    if (tools.length === 0) return say('TITLE');
    return name === undefined
      ? say(`NO TOOL ${pattern}`)
      : { call: { name, args: JSON.parse(args || '{}') } };
  }
  if (results.length > 0) return say(`RESULTS ${results.length} <<${results.at(-1).text}>>`);
  const [{ verb, rest }] = directives;
  if (verb === 'SAY' || tools.length === 0) return say(rest);
  const [count, waitMs] = rest.split(/\s+/).map(Number);
  return { chunks: Array.from({ length: count }, (_, place) => `slow${place} `), waitMs };
}

/** In two chunks, so that it is seen to be streamed. */
function say(text) {
  const half = Math.ceil(text.length / 2);
  return { chunks: [text.slice(0, half), text.slice(half)], waitMs: 0 };
}
