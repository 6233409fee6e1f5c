// What docs/permissions.md shows, as one program.

import { MiniMe } from 'mini-me-client';

// #region policy
const client = new MiniMe({ permissions: 'client-tools' });
// #endregion policy
await client.close();

/** Stands for a dialog of the program. */
const confirm = (question, { signal }) => {
  console.log(question, signal.aborted ? 'too late' : '');
  return Promise.resolve(!question.includes('delete'));
};

// #region handler
const careful = new MiniMe({
  args: ['-acp', '-agent', 'agent-ask.yaml'],
  permissions: async ({ tool, toolCall, options }, { signal }) => {
    if (tool?.name === 'roll_dice') return 'allow_once';
    const isFine = await confirm(`May the agent run "${toolCall.title}"?`, { signal });
    if (!isFine) return 'reject_once';
    const always = options.find(({ kind }) => kind === 'allow_always');
    return always === undefined ? 'allow_once' : { optionId: always.optionId };
  },
});
// #endregion handler
careful.addTool({ name: 'roll_dice', description: 'Rolls the dice.', handle: () => 4 });
careful.addTool({ name: 'read_diary', description: 'Reads the diary.', handle: () => 'Sunny.' });
careful.addTool({ name: 'delete_diary', description: 'Deletes the diary.', handle: () => 'gone' });
const session = await careful.newSession();
for (const question of ['Roll the dice.', 'Read the diary.', 'Delete the diary.']) {
  console.log((await session.prompt(question)).text);
}
await careful.close();
