// One client with many sessions: what it costs to open them, and what an update costs then. The updates
// are of all sessions in turn.

import { Meter } from '../lib/meter.mjs';
import { connectTo, sessionId, toolsFor, Updates } from '../lib/traffic.mjs';

export async function measure({ client, command }) {
  const { sessions } = command;
  let updates = Updates.none();
  let streaming = 1;
  let wrong = 0;
  const onUpdate = (update, id) => {
    if (id !== sessionId(updates.count % streaming)) wrong += 1;
    updates.receive(update);
  };
  const connection = await connectTo(client, { onUpdate, tools: toolsFor({}) });
  // The first one is part of the warm-up.
  const prompt = await connection.open();
  const warmUp = { ...command, sessions: 1, updates: 4_000 };
  updates = new Updates(warmUp, true);
  await prompt(JSON.stringify(warmUp));
  updates.verify();

  const startedMs = performance.now();
  for (let opened = 1; opened < sessions; opened += 1) await connection.open();
  const openMs = performance.now() - startedMs;

  updates = new Updates(command, false);
  streaming = sessions;
  const meter = new Meter({ hasDelay: false });
  await prompt(JSON.stringify(command));
  const { elapsedMs } = meter.stop();
  updates.verify();
  if (wrong > 0) throw new Error(`expected updates of the sessions in turn, ${wrong} were not`);
  await connection.close();
  return {
    ...(sessions > 1 && { usPerSession: (openMs * 1e3) / (sessions - 1) }),
    usPerUpdate: (elapsedMs * 1e3) / command.updates,
  };
}
