// What the dialects share: server-sent events, and texts in whatever shape they come.

import { setTimeout as sleep } from 'node:timers/promises';

/** Begins a stream; gives what writes one event. */
export function begin(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (data, name) => {
    const head = name === undefined ? '' : `event: ${name}\n`;
    response.write(`${head}data: ${JSON.stringify(data)}\n\n`);
  };
}

/** The chunks in their time; ends early when nobody reads them any more. */
export async function* timed({ chunks, waitMs }, response) {
  for (const chunk of chunks) {
    if (response.destroyed) return;
    yield chunk;
    if (waitMs > 0) await sleep(waitMs);
  }
}

export function sendJson(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

export function textOf(content) {
  if (typeof content === 'string') return content;
  if (Array.isArray(content))
    return content.map((part) => textOf(part?.text ?? part?.content ?? '')).join('\n');
  return content === undefined || content === null ? '' : JSON.stringify(content);
}
