// Many clients in one process, each with an agent and a stream of its own, all at once.

import { connectTo, toolsFor, Updates } from '../lib/traffic.mjs';

export async function measure({ client, count, command }) {
  const startedMs = performance.now();
  const all = await Promise.all(Array.from({ length: count }, () => start(client)));
  const startMs = performance.now() - startedMs;
  await streamAll(all, { ...command, updates: 1_000 }, true);
  const elapsedMs = await streamAll(all, command, false);
  for (const { connection } of all) await connection.close();
  return {
    usPerClient: (startMs * 1e3) / count,
    usPerUpdate: (elapsedMs * 1e3) / (command.updates * count),
  };
}

async function start(client) {
  const one = { updates: Updates.none() };
  const onUpdate = (update) => one.updates.receive(update);
  one.connection = await connectTo(client, { onUpdate, tools: toolsFor({}) });
  one.prompt = await one.connection.open();
  return one;
}

async function streamAll(all, command, isThorough) {
  for (const one of all) one.updates = new Updates(command, isThorough);
  const startedMs = performance.now();
  await Promise.all(all.map(({ prompt }) => prompt(JSON.stringify(command))));
  const elapsedMs = performance.now() - startedMs;
  for (const { updates } of all) updates.verify();
  return elapsedMs;
}
