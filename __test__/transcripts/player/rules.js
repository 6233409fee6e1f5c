'use strict';
// Where this client does something else than the recorded one: each rule turns the lines of a
// dialogue into those that are to be heard instead. A rule is applied only where the catalogue names it.
// Sections are those of docs/protocol.md.

const { expect } = require('@jest/globals');
const { toLine } = require('./dialogue');

const CANCELLED = { code: -32800, message: 'Request cancelled' };

/** What the program does that no line tells of. */
function act(text, run) {
  return { from: 'program', text, message: undefined, id: undefined, isPartial: false, run };
}

/** What this client does by itself: no handler gives it. */
const ITSELF = {};

/** A line of this client; `gives` is what the program's handler does to bring it about. */
function ours(message, gives = undefined) {
  const line = toLine('client', JSON.stringify({ jsonrpc: '2.0', ...message }));
  return { ...line, ...(gives !== undefined && { gives }) };
}

const isAnswer = ({ from, message }) => from === 'client' && message?.method === undefined;
const isRequest = ({ from, message, id }, method) =>
  from === 'agent' && id !== undefined && (method ? message?.method === method : message?.method);
const failure = (text) => ({ content: [{ type: 'text', text }], isError: true });

/** "Results": a handler has no way to a JSON-RPC error; the model reads what it threw. */
function thrownErrors(lines) {
  return lines.map((line) => {
    const error = isAnswer(line) && line.message.error;
    if (!error || (error.code === CANCELLED.code && isWithdrawn(lines, line))) return line;
    const text = error.message ?? JSON.stringify(error);
    return ours({ id: line.message.id, result: failure(text) }, { throws: error });
  });
}

function isWithdrawn(lines, { id }) {
  return lines.some((line) => withdrawnId(line) === id);
}

function withdrawnId({ from, message }) {
  if (from !== 'agent' || message?.method !== '$/cancel_request') return undefined;
  return JSON.stringify(message.params.requestId);
}

/** "Results": a request the agent withdrew is answered at once, and not a second time. */
function withdrawnRequests(lines) {
  const answered = new Set();
  return lines.flatMap((line) => {
    if (isAnswer(line)) {
      if (answered.has(line.id)) return [];
      answered.add(line.id);
    }
    const id = withdrawnId(line);
    if (id === undefined || answered.has(id)) return [line];
    answered.add(id);
    return [line, ours({ id: JSON.parse(id), error: CANCELLED }, ITSELF)];
  });
}

/** "Results": the error for an unknown method is the bare one. */
function bareErrors(lines) {
  return lines.map((line) => {
    if (!isAnswer(line) || line.message.error === undefined) return line;
    const { code, message } = line.message.error;
    return ours({ id: line.message.id, error: { code, message } });
  });
}

/** "Results": half a surrogate pair is no text; it goes out as U+FFFD. */
function mendedText(lines) {
  return lines.map((line) => {
    if (!isAnswer(line) || !/\\u[dD][89a-fA-F]/.test(line.text)) return line;
    const mended = JSON.stringify(line.message).replace(/\\ud[89a-f]../g, '\ufffd');
    return ours(JSON.parse(mended), { value: line.message.result });
  });
}

/** "Limits": an answer over the agent's limit would end the connection; an error goes out instead. */
function limitedLines(lines) {
  const tooLong = lines.find((line) => line.from === 'client' && line.isPartial);
  // The limit counts the line feed.
  const bytes = Buffer.byteLength(tooLong.text) + 1;
  const text = `the result is too large: expected a line of 10485760 bytes at most, got ${bytes}`;
  const { id, result } = tooLong.message;
  const instead = ours({ id, result: failure(text) }, { value: result, outcome: 'too-large' });
  return lines.flatMap((line) => {
    if (line === tooLong) return [];
    return isRequest(line) && line.id === tooLong.id ? [line, instead] : [line];
  });
}

/** One well-formed line answers a call, whatever stood in its place: the value that was meant. */
function wellFormedAnswers(lines) {
  const calls = new Map();
  for (const line of lines) if (isRequest(line)) calls.set(line.message.id, []);
  let open;
  for (const line of lines) {
    if (isRequest(line)) open = line.message.id;
    else if (line.from === 'client' && open !== undefined) calls.get(open).push(line);
  }
  return lines.flatMap((line) => {
    if (isRequest(line)) return [line, meant(line.message.id, calls.get(line.message.id))];
    return [...calls.values()].some((answers) => answers.includes(line)) ? [] : [line];
  });
}

/** The first answer with this id that says anything; `"x"` is what the unreadable ones were to say. */
function meant(id, answers) {
  const answer = answers.map(({ message }) => message).find((message) => message?.id === id);
  if (answer?.error) {
    const { error } = answer;
    const text = typeof error === 'string' ? error : error.message;
    const said = typeof text === 'string' ? text : JSON.stringify(error);
    return ours({ id, result: failure(said) }, { throws: error });
  }
  if (answer !== undefined && !('result' in answer)) {
    return ours({ id, result: { content: [] } }, { value: undefined });
  }
  return ours({ id, result: answer?.result ?? 'x' });
}

/**
 * "Validation of a list": a tool that mm would skip throws in the program and never goes out. So does
 * one that is likely a mistake; one without a method is given one.
 */
function validLists(lines) {
  const reasons = skippedEntries(lines);
  const introduction = lines.find(({ message }) => message?.method === 'initialize');
  const { id, method, params } = structuredClone(introduction.message);
  const { _meta: meta } = params.clientCapabilities;
  const tools = meta['org.mini-me/tools'];
  const lent = tools.filter((tool, index) => {
    if (typeof tool?.name === 'string' && tool.name !== '' && tool.method === undefined)
      return true;
    return !reasons.has(index) && tool.inputSchema !== null && tool.extra === undefined;
  });
  const refusals = [...tools.entries()]
    .filter(([, tool]) => !lent.includes(tool))
    .map(([index, tool]) => {
      const reason = reasons.get(index) ?? '';
      return act(`entry ${index} is refused: ${reason}`, (program) => program.refuse(tool, reason));
    });
  meta['org.mini-me/tools'] = lent.map((tool) => ({
    method: `_mini-me-client/${tool.name}`,
    ...tool,
  }));
  const taken = `[acp] client tools (meta): ${lent.map(modelName).sort().join(', ')}`;
  return lines.flatMap((line) => {
    if (line === introduction) return [...refusals, ours({ id, method, params })];
    if (line.from !== 'stderr') return [line];
    if (SKIPPED.test(line.text)) return [];
    return [line.text.startsWith('[acp]') ? toLine('stderr', taken) : line];
  });
}

const SKIPPED = /^\[acp\] client tools: entry (\d+) skipped: (.*)$/;

function modelName({ name }) {
  return `client_${name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '')}`;
}

/** The entries the agent skipped: index and reason. */
function skippedEntries(lines) {
  const told = lines.map(({ from, text }) => from === 'stderr' && SKIPPED.exec(text));
  const entries = told.filter(Boolean).map(([, index, reason]) => [Number(index), reason]);
  return new Map(entries);
}

/** "Discovery": without tools the key is left out, and the agent has nothing to say of it. */
function noEmptyLists(lines) {
  return lines.flatMap((line) => {
    if (line.text.startsWith('[acp] client tools (meta)')) return [];
    if (line.message?.method !== 'initialize') return [line];
    const { id, method, params } = line.message;
    return [ours({ id, method, params: { ...params, clientCapabilities: {} } })];
  });
}

/** "Discovery": the list is always answered, with the client's own tools when the program gives none. */
function answeredLists(lines) {
  const asked = lines.find((line) => isRequest(line, '_org.mini-me/tools/list'));
  const { params } = lines.find(({ message }) => message?.method === 'initialize').message;
  const own = params.clientCapabilities._meta['org.mini-me/tools'];
  const tools = own === true ? [] : own;
  return lines.flatMap((line) => {
    // What it says of the recorded answer it would not say of ours.
    if (line.from === 'stderr' && line.text.includes('_org.mini-me/tools/list: ')) return [];
    if (!isAnswer(line) || line.id !== asked.id) return [line];
    const { error, result } = line.message;
    const gives = error === undefined ? { value: result.tools } : { throws: error };
    return [ours({ id: line.message.id, result: { tools } }, own === true ? gives : undefined)];
  });
}

/** "Discovery": with `request` one session is opened after the other. */
function openingsInTurn(lines) {
  const second = lines.filter(({ message }) => message?.method === 'session/new')[1];
  const answer = lines.findIndex(
    ({ from, message }) => from === 'agent' && message?.result?.sessionId,
  );
  const list = lines.filter((line) => isRequest(line, '_org.mini-me/tools/list'))[1];
  const early = act('the second session is asked for', (program) => program.openSession(second));
  const before = lines.slice(0, answer + 1).filter((line) => line !== list);
  return [
    ...before.map((line) => (line === second ? early : line)),
    { ...second, gives: ITSELF },
    list,
    ...lines.slice(answer + 1),
  ];
}

/** "Cancel": a cancelled turn's permissions are answered at once, before the agent asks for it. */
function permissionsAtOnce(lines) {
  const at = lines.findIndex(({ message }) => message?.result?.outcome?.outcome === 'cancelled');
  const rest = lines.toSpliced(at, 1);
  const cancel = rest.findIndex(({ message }) => message?.method === 'session/cancel');
  return rest.toSpliced(cancel + 1, 0, { ...lines[at], gives: ITSELF });
}

/** "Cancel": a turn is ended by session/cancel; a quarter of a second later it is said again, with the id. */
function cancelsTwice(lines) {
  const at = lines.findIndex(
    ({ from, message }) => from === 'client' && message?.method === '$/cancel_request',
  );
  const { sessionId } = lines.find(({ message }) => message?.method === 'session/prompt').message
    .params;
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

module.exports = {
  answeredLists,
  bareErrors,
  cancelsTwice,
  limitedLines,
  mendedText,
  noEmptyLists,
  numberedRequests,
  openingsInTurn,
  permissionsAtOnce,
  thrownErrors,
  turnsInTurn,
  validLists,
  wellFormedAnswers,
  withdrawnRequests,
};
