// What docs/cancel.md shows, as one program.

import { setTimeout as wait } from 'node:timers/promises';
import { MiniMe, MiniMeError } from 'mini-me-client';

const client = new MiniMe({ permissions: 'client-tools' });

/** Stands for a button of the program: the user clicks it while the plants are being watered. */
let click = () => undefined;
const onCancelClicked = (listener) => {
  click = listener;
};

const valve = {
  open: () => {
    console.log('the valve is open');
    setTimeout(click, 50);
  },
  close: async () => {
    await wait(50);
    console.log('the valve is closed');
  },
};
// #region tool
client.addTool({
  name: 'water_plants',
  description: 'Waters the plants.',
  handle: async (_args, { signal }) => {
    valve.open();
    try {
      await wait(60_000, undefined, { signal }); // or fetch(url, { signal }), spawn(…, { signal })
    } finally {
      await valve.close();
    }
  },
});
// #endregion tool
const session = await client.newSession();
const question = 'Water the plants.';

// #region turn
const turn = session.prompt(question);
onCancelClicked(() => turn.cancel());
const { stopReason, text } = await turn;
console.log(stopReason, text); // cancelled, and what the agent had said
// #endregion turn

// #region signal
const controller = new AbortController();
onCancelClicked(() => controller.abort(new Error('the window was closed')));
try {
  await session.prompt(question, { signal: controller.signal });
} catch (error) {
  console.log(error.message); // the window was closed
}
// #endregion signal

// #region timeout
try {
  await session.prompt(question, { timeoutMs: 200 });
} catch (error) {
  if (!(error instanceof MiniMeError) || error.code !== 'MM_ERR_TIMEOUT') throw error;
  console.log(error.message);
}
// #endregion timeout

await client.close();
