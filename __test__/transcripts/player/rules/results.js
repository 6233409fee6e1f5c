'use strict';
// Rules about answers to the agent's requests.

const { CANCELLED, ITSELF, failure, isAnswer, isMethod, isRequest, ours } = require('./lines');

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

function withdrawnId(line) {
  if (line.from !== 'agent' || !isMethod(line, '$/cancel_request')) return undefined;
  return JSON.stringify(line.message.params.requestId);
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

module.exports = {
  bareErrors,
  limitedLines,
  mendedText,
  thrownErrors,
  wellFormedAnswers,
  withdrawnRequests,
};
