'use strict';
// What the handlers of files, terminals and questions give, made into the answers of the protocol. What
// it requires is checked; what else is in an answer goes out with it.

const { isObject } = require('./json');
const { show } = require('./show');

const ACTIONS = ['accept', 'decline', 'cancel'];

/** @param {unknown} text */
function content(text) {
  if (typeof text === 'string') return { content: text };
  throw unfit('the text of the file', text);
}

/** @param {unknown} terminalId */
function created(terminalId) {
  if (typeof terminalId === 'string') return { terminalId };
  throw unfit('the id of the terminal, text', terminalId);
}

/** @param {unknown} result */
function output(result) {
  if (!isObject(result) || typeof result.output !== 'string') {
    throw unfit('an object with output, text', result);
  }
  if (typeof result.truncated !== 'boolean') {
    throw unfit('truncated as true or false', result.truncated);
  }
  if (isGiven(result.exitStatus)) exit(result.exitStatus);
  return result;
}

/** @param {unknown} result */
function exit(result) {
  if (!isObject(result)) throw unfit('an object with exitCode or signal', result);
  const { exitCode, signal } = result;
  if (isGiven(exitCode) && !(Number.isInteger(exitCode) && Number(exitCode) >= 0)) {
    throw unfit('exitCode as a whole number, 0 or more, or null', exitCode);
  }
  if (isGiven(signal) && typeof signal !== 'string') {
    throw unfit('signal as text or null', signal);
  }
  return result;
}

/** @param {unknown} result */
function elicited(result) {
  const action = isObject(result) ? result.action : undefined;
  if (!isObject(result) || typeof action !== 'string' || !ACTIONS.includes(action)) {
    throw unfit(`an object with action, one of ${ACTIONS.join(', ')}`, result);
  }
  if (isGiven(result.content) && !isObject(result.content)) {
    throw unfit('content as an object', result.content);
  }
  return result;
}

function empty() {
  return {};
}

/** @param {unknown} member */
function isGiven(member) {
  return member !== undefined && member !== null;
}

/**
 * @param {string} expected
 * @param {unknown} came
 */
function unfit(expected, came) {
  return new TypeError(`expected the handler to give ${expected}, got ${show(came)}`);
}

module.exports = { content, created, elicited, empty, exit, output };
