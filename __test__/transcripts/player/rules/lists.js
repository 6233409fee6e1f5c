'use strict';
// Rules about lists of tools and the openings they are asked for in.

const { toLine } = require('../dialogue');
const { ITSELF, act, isAnswer, isMethod, isRequest, ours } = require('./lines');

const TOOLS = 'org.mini-me/tools';
const TOOLS_LIST = '_org.mini-me/tools/list';
const SKIPPED = /^\[acp\] client tools: entry (\d+) skipped: (.*)$/;

/**
 * "Validation of a list": a tool that mm would skip throws in the program and never goes out. So does
 * one that is likely a mistake; one without a method is given one.
 */
function validLists(lines) {
  const reasons = skippedEntries(lines);
  const introduction = lines.find((line) => isMethod(line, 'initialize'));
  const { id, method, params } = structuredClone(introduction.message);
  const { _meta: meta } = params.clientCapabilities;
  const tools = meta[TOOLS];
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
  meta[TOOLS] = lent.map((tool) => ({
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
    if (!isMethod(line, 'initialize')) return [line];
    const { id, method, params } = line.message;
    return [ours({ id, method, params: { ...params, clientCapabilities: {} } })];
  });
}

/** "Discovery": the list is always answered, with the client's own tools when the program gives none. */
function answeredLists(lines) {
  const asked = lines.find((line) => isRequest(line) && isMethod(line, TOOLS_LIST));
  const { params } = lines.find((line) => isMethod(line, 'initialize')).message;
  const own = params.clientCapabilities._meta[TOOLS];
  const tools = own === true ? [] : own;
  return lines.flatMap((line) => {
    // What it says of the recorded answer it would not say of ours.
    if (line.from === 'stderr' && line.text.includes(`${TOOLS_LIST}: `)) return [];
    if (!isAnswer(line) || line.id !== asked.id) return [line];
    const { error, result } = line.message;
    const gives = error === undefined ? { value: result.tools } : { throws: error };
    return [ours({ id: line.message.id, result: { tools } }, own === true ? gives : undefined)];
  });
}

/** "Discovery": with `request` one session is opened after the other. */
function openingsInTurn(lines) {
  const second = lines.filter((line) => isMethod(line, 'session/new'))[1];
  const answer = lines.findIndex(
    ({ from, message }) => from === 'agent' && message?.result?.sessionId,
  );
  const list = lines.filter((line) => isRequest(line) && isMethod(line, TOOLS_LIST))[1];
  const early = act('the second session is asked for', (program) => program.openSession(second));
  const before = lines.slice(0, answer + 1).filter((line) => line !== list);
  return [
    ...before.map((line) => (line === second ? early : line)),
    { ...second, gives: ITSELF },
    list,
    ...lines.slice(answer + 1),
  ];
}

module.exports = { answeredLists, noEmptyLists, openingsInTurn, validLists };
