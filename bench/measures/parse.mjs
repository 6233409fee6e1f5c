// No client, and no I/O: what JavaScript spends at least on the same texts. They lie in memory in the
// compact form in which this package's native side hands them over (src/client/entries.rs), and are
// parsed and walked chunk by chunk.

import { Meter } from '../lib/meter.mjs';
import { Updates } from '../lib/traffic.mjs';

const WARM_UP = 4_000;
const CHUNK_BYTES = 64 * 1024;
const TEXT = 5;
const MORE_TEXT = 15;

export function measure({ command }) {
  const warmUp = { ...command, updates: Math.min(command.updates, WARM_UP) };
  walk(chunksOf(warmUp), new Updates(warmUp, true));
  const chunks = chunksOf(command);
  const updates = new Updates(command, false);
  const meter = new Meter({ hasDelay: false });
  walk(chunks, updates);
  const measured = meter.stop();
  updates.verify();
  return {
    ...measured,
    // The loop did not turn meanwhile.
    busyMs: measured.elapsedMs,
    updatesPerSecond: updates.count / (measured.elapsedMs / 1e3),
  };
}

function chunksOf({ text, updates }) {
  const quoted = JSON.stringify(text).slice(1);
  // As the native side does: a byte a character while that is enough.
  const encoding = Buffer.byteLength(text) === text.length ? 'latin1' : 'utf16le';
  const chunks = [];
  let entries = [];
  let size = 0;
  for (let number = 0; number < updates; number += 1) {
    const head = entries.length === 0 ? `${TEXT},"session-00000"` : `${MORE_TEXT}`;
    const entry = `${head},"${Updates.numbered(number, quoted)}`;
    entries.push(entry);
    size += entry.length;
    if (size < CHUNK_BYTES && number < updates - 1) continue;
    // Through a buffer, for a string that is in one piece.
    chunks.push(Buffer.from(`[${entries.join(',')}]`, encoding).toString(encoding));
    entries = [];
    size = 0;
  }
  return chunks;
}

function walk(chunks, updates) {
  const update = { content: { type: 'text', text: '' } };
  for (const chunk of chunks) {
    const members = JSON.parse(chunk);
    for (let at = 0; at < members.length; ) {
      at += members[at] === MORE_TEXT ? 2 : 3;
      update.content.text = members[at - 1];
      updates.receive(update);
    }
  }
}
