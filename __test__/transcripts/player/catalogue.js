'use strict';
// Each recorded dialogue: what it shows, where this client does something else than the recorded one
// (rules/ says what instead, each with its reason), and which diagnostics the program gets.

const rules = {
  ...require('./rules/lists'),
  ...require('./rules/results'),
  ...require('./rules/turns'),
};

const VALUE = 'a handler gives a value, and one well-formed line is made of it';
const THROWN = 'what a handler throws is text for the model, never a JSON-RPC error';
const WITHDRAWN = 'a request that the agent withdraws is answered at once, as cancelled';

/**
 * @typedef {object} Entry
 * @property {string} shows
 * @property {[((lines: object[]) => object[]), string][]} [instead] rules, each with its reason
 * @property {string[]} [diagnostics] codes
 */

/** @type {Record<string, Entry>} */
const CATALOGUE = {
  'answers-on-the-wire': {
    shows:
      'answers are well-formed whatever a handler gives, and an answer nobody asked for is told',
    instead: [[rules.wellFormedAnswers, VALUE]],
    diagnostics: ['message-invalid'],
  },
  arguments: { shows: 'a handler gets the arguments as JSON has them, without _meta' },
  'bad-entries-meta': {
    shows: 'tools that mm would skip are refused when they are lent, the others are lent',
    instead: [[rules.validLists, 'a bad tool throws where it is defined']],
  },
  'cancel-during-call': {
    shows: 'a cancelled turn ends its call, and the next turn runs as usual',
  },
  'cancel-during-permission': {
    shows: 'a cancelled turn cancels the permission that is being asked for',
    instead: [[rules.permissionsAtOnce, 'open permissions are answered with the cancel itself']],
  },
  'cancel-group': {
    shows: 'a cancelled turn ends those of its calls that still run',
    instead: [[rules.withdrawnRequests, WITHDRAWN]],
  },
  'cancel-prompt-by-cancel_request': {
    shows: 'a turn that session/cancel does not end is withdrawn by its id',
    instead: [
      [rules.cancelsTwice, 'a turn is cancelled by session/cancel before it is withdrawn'],
      [rules.withdrawnRequests, WITHDRAWN],
    ],
  },
  'concurrent-requests': { shows: 'twenty sessions open and run their turns at the same time' },
  'empty-list-meta': {
    shows: 'a client that lends no tool announces none',
    instead: [[rules.noEmptyLists, 'without tools the key is left out']],
  },
  'enabled-false-request': {
    shows: 'an agent that never asks for the list is talked to all the same',
  },
  'eof-during-call': { shows: 'a call that runs when the client is closed gets no answer' },
  'error-forms': {
    shows: 'whatever a handler throws reaches the model as text',
    instead: [[rules.thrownErrors, THROWN]],
  },
  'gosdk-client-meta': {
    shows: 'what another client of the SDK does in two turns works the same',
    instead: [
      [rules.thrownErrors, THROWN],
      [rules.withdrawnRequests, WITHDRAWN],
    ],
  },
  'invalid-utf8': { shows: 'a replacement character in a result goes through' },
  'large-integers': { shows: 'numbers in arguments are what JSON.parse makes of them' },
  'limit-agent-sends-a-long-line': {
    shows: 'lines of 10 MB to the agent and 15 MB from it go through',
  },
  'limit-line-10485759-bytes': { shows: 'an answer of exactly the limit goes out' },
  'limit-line-10485760-bytes': {
    shows: 'an answer one byte over the limit becomes an error that says so',
    instead: [[rules.limitedLines, 'a longer line would end the connection']],
  },
  'load-and-resume-request': {
    shows: 'the list is answered while a session is loaded and while it is resumed',
    // Opened by plain requests: the client knows no such session.
    diagnostics: ['update-unknown-session'],
  },
  'loop-detector': { shows: 'the same call is answered as often as it comes' },
  'meta-default': { shows: 'two calls of one turn are answered, and the turn gives the text' },
  'missing-required': { shows: 'a call goes through once its required parameters are there' },
  'mode-mismatch-list-in-request': {
    shows: 'a list that was announced is given again when mm asks for it, and the mismatch is told',
    instead: [[rules.answeredLists, 'the answer heals the mismatch']],
    diagnostics: ['discovery-mismatch'],
  },
  'mode-mismatch-true-in-meta': {
    shows: 'what mm says of a list it cannot read is told as a mismatch',
    diagnostics: ['discovery-mismatch'],
  },
  'not-announced': { shows: 'a client without tools talks to an agent that wants some' },
  'notifications-1000-unknown-extension': {
    shows: 'a thousand notifications go out before a prompt',
  },
  'other-requests-32601': {
    shows: 'requests without a handler get the bare error, whatever their id',
    instead: [[rules.bareErrors, 'the error for an unknown method carries no data']],
  },
  'parallel-out-of-order': { shows: 'calls are answered in the order in which handlers end' },
  'permission-ask-allowed': { shows: 'a permission that is given lets the call come' },
  'permission-auto-yolo-false-allowed': {
    shows: 'a permission asked for without yolo is the same',
  },
  'permission-outcome-cancelled': { shows: 'a permission can be left undecided' },
  'permission-rejected': { shows: 'a permission can be rejected' },
  'prompt-error': { shows: 'an error of the agent rejects the turn' },
  'prompt-twice-same-session': {
    shows: 'a second prompt is refused while a turn runs, and sent when the turn has ended',
    instead: [
      [rules.turnsInTurn, 'one turn at a time in a session'],
      [rules.withdrawnRequests, WITHDRAWN],
    ],
  },
  'request-default': { shows: 'the list is answered while the session is being opened' },
  'request-ids': {
    shows: 'requests are numbered, and each gets its answer',
    instead: [[rules.numberedRequests, 'a request without a number would get no answer']],
  },
  'request-list-error': {
    shows: 'a tools function that throws leaves the session with the tools of the client',
    instead: [[rules.answeredLists, 'the session opens all the same']],
    diagnostics: ['tools-function-failed'],
  },
  'request-list-no-answer': {
    shows: 'a tools function that never answers is given up when mm does, and the session opens',
    instead: [[rules.withdrawnRequests, WITHDRAWN]],
    diagnostics: ['tools-missing'],
  },
  'request-list-no-tools': {
    shows: 'a tools function that gives nothing leaves the session with the tools of the client',
    instead: [[rules.answeredLists, 'what goes out is always a list']],
    diagnostics: ['tools-function-failed'],
  },
  'request-list-tools-object': {
    shows: 'a tools function that gives no array leaves the session with the tools of the client',
    instead: [[rules.answeredLists, 'what goes out is always a list']],
    diagnostics: ['tools-function-failed'],
  },
  'result-forms': {
    shows: 'every value that is JSON goes out as it is',
    instead: [[rules.mendedText, 'half a surrogate pair is no text']],
  },
  'schema-as-the-model-sees-it': { shows: 'schemas go out as they were given' },
  'session-list-close': { shows: 'a prompt to a session that the agent has closed is rejected' },
  streaming: {
    shows: 'updates of every kind come in their order, and a foreign notification among them',
  },
  'timeout-group': {
    shows: 'two of three calls time out and are answered as cancelled',
    instead: [[rules.withdrawnRequests, WITHDRAWN]],
  },
  'timeout-no-answer': {
    shows: 'a call may be withdrawn after its turn has ended',
    instead: [[rules.withdrawnRequests, WITHDRAWN]],
  },
  'timeout-then-late-result': {
    shows: 'the result of a call that was withdrawn is dropped, and the next call is answered',
    instead: [[rules.withdrawnRequests, WITHDRAWN]],
  },
  truncation: { shows: 'long results go out whole' },
  'two-sessions-request': {
    shows: 'two sessions are lent different tools, each by its own list',
    instead: [[rules.openingsInTurn, 'a list request names an id that nobody knows yet']],
  },
  'unknown-tool': { shows: 'a call of a lent tool is answered' },
  'update-shapes-full': { shows: 'a permission is given by the id of an option' },
};

module.exports = { CATALOGUE };
