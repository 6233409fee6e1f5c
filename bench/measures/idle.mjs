// What clients cost that do nothing: each started, initialized, with one session.

import { sample } from '../../scripts/lib/growth.mjs';
import { connectTo, toolsFor, Updates } from '../lib/traffic.mjs';

const CLIENTS = 10;

export async function measure({ client }) {
  const connections = [];
  const startOne = async () => {
    const updates = Updates.none();
    const host = { onUpdate: (update) => updates.receive(update), tools: toolsFor({}) };
    const connection = await connectTo(client, host);
    await connection.open();
    connections.push(connection);
  };
  await startOne();
  const one = await sample();
  while (connections.length < CLIENTS) await startOne();
  const all = await sample();
  for (const connection of connections) await connection.close();
  const megabytes = (bytes) => bytes / 2 ** 20;
  return {
    rssMb: megabytes(one.rss),
    moreRssMb: megabytes(all.rss - one.rss),
    ...(one.threads !== undefined && { moreThreads: all.threads - one.threads }),
  };
}
