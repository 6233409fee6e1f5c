'use strict';
// Rules about turns and about requests of ours.

const { expect } = require('@jest/globals');
const { ITSELF, act, isMethod, ours } = require('./lines');

/** "Cancel": a cancelled turn's permissions are answered at once, before the agent asks for it. */
function permissionsAtOnce(lines) {
  const at = lines.findIndex(({ message }) => message?.result?.outcome?.outcome === 'cancelled');
  const rest = lines.toSpliced(at, 1);
  const cancel = rest.findIndex((line) => isMethod(line, 'session/cancel'));
  return rest.toSpliced(cancel + 1, 0, { ...lines[at], gives: ITSELF });
}

/** "Cancel": a turn is ended by session/cancel; a quarter of a second later it is said again, with the id. */
function cancelsTwice(lines) {
  const at = lines.findIndex(
    (line) => line.from === 'client' && isMethod(line, '$/cancel_request'),
  );
  const { sessionId } = lines.find((line) => isMethod(line, 'session/prompt')).message.params;
  const cancel = ours({ method: 'session/cancel', params: { sessionId } });
  return lines.toSpliced(
    at,
    1,
    cancel,
    { ...cancel, gives: ITSELF },
    { ...lines[at], gives: ITSELF },
  );
}

/** "Cancel": one turn at a time; a second prompt waits until the first, cancelled, has ended. */
function turnsInTurn(lines) {
  const find = (wanted) => lines.findIndex(({ message }) => message && wanted(message));
  const promptAt = find(({ params }) => params?.prompt?.[0]?.text === 'second');
  const endAt = find(({ result }) => result?.stopReason === 'cancelled');
  const cancelAt = find(({ method }) => method === 'session/cancel');
  const [prompt, ...secondTurn] = lines.slice(promptAt, endAt);
  const { sessionId } = prompt.message.params;
  const refused = act('a second prompt is refused', async ({ mm }) => {
    const turn = mm.sessions.get(sessionId).prompt('second');
    await expect(turn.result).rejects.toMatchObject({ code: 'MM_ERR_PROMPT_RUNNING' });
  });
  return [
    ...lines.slice(0, promptAt),
    refused,
    lines[cancelAt],
    ...lines.slice(endAt, cancelAt),
    prompt,
    ...secondTurn,
    ...lines.slice(cancelAt + 1),
  ];
}

/** "Ids": ours are whole numbers, and every request of ours has one. */
function numberedRequests(lines) {
  return lines.filter(({ from, id }) => !(from === 'client' && id === 'null'));
}

module.exports = { cancelsTwice, numberedRequests, permissionsAtOnce, turnsInTurn };
