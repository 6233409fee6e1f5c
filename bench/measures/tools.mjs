// A client that lends many tools: its start, and the calls of one of them.

import { connectTo, toolsFor, Updates } from '../lib/traffic.mjs';

export async function measure({ client, count, command }) {
  const updates = Updates.none();
  const onUpdate = (update) => updates.receive(update);
  const startedMs = performance.now();
  const { add } = toolsFor(command);
  const host = { onUpdate, tools: { add }, moreTools: count - 1 };
  const connection = await connectTo(client, host);
  const startMs = performance.now() - startedMs;
  const prompt = await connection.open();
  await prompt(JSON.stringify(command));
  const answer = await prompt(JSON.stringify(command));
  updates.verify();
  await connection.close();
  return { startUs: startMs * 1e3, tripUs: answer._meta.bench.roundTripP50Us };
}
