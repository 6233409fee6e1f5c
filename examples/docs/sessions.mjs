// What docs/sessions.md shows, as one program.

import { MiniMe } from 'mini-me-client';

const client = new MiniMe({ permissions: 'client-tools' });
client.addTool({ name: 'roll_dice', description: 'Rolls the dice.', handle: () => 4 });

// #region open
const session = await client.newSession({ cwd: '/projects/site' });
// #endregion open

// #region await
const { text, stopReason } = await session.prompt('Roll the dice, please.');
console.log(text, `(${stopReason})`);
// #endregion await

// #region iterate
const turn = session.prompt('Roll the dice again.');
for await (const update of turn) {
  if (update.sessionUpdate === 'tool_call') console.log(`calls ${update.title}`);
}
const result = await turn;
// #endregion iterate
console.log(result.stopReason);

// #region stream
for await (const piece of session.prompt('Roll the dice once more.').textStream()) {
  process.stdout.write(piece);
}
// #endregion stream

// #region content
const answer = await session.prompt([
  { type: 'text', text: 'What is in this file?' },
  { type: 'resource_link', uri: import.meta.url, name: 'sessions.mjs' },
]);
// #endregion content
console.log(answer.text);

// #region updates
const follow = async () => {
  for await (const update of session.updates()) console.log(`- ${update.sessionUpdate}`);
};
const following = follow();
// #endregion updates

// #region state
const { cwd, modes, configOptions, commands, title, usage } = session;
// #endregion state
console.log({ cwd, modes, configOptions, commands, title, usage });

// #region several
const [one, other] = await Promise.all([client.newSession(), client.newSession()]);
await Promise.all([one.prompt('Roll the dice.'), other.prompt('Roll the dice.')]);
// #endregion several
console.log(`${client.sessions.size} sessions`);

// #region list
for await (const { sessionId, title, updatedAt } of client.listSessions()) {
  console.log('known:', sessionId, title, updatedAt);
}
// #endregion list

// #region reopen
const replayed = [];
const reopened = await client.loadSession(session.id, {
  onReplay: (update) => replayed.push(update),
});
// #endregion reopen
console.log(`${replayed.length} updates of old`, reopened === session);

// #region close
await session.close();
// #endregion close
await following;
await client.close();
