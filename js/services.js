'use strict';
// What a program offers the agent besides tools: files, terminals, questions to its user.
// Each is advertised only when it is given.

const { INVALID_PARAMS, RpcError } = require('./agent-requests');
const { isObject, member } = require('./json');
const answers = require('./service-answers');
const { show } = require('./show');

/**
 * @typedef {import('../index').MiniMeOptions} MiniMeOptions
 * @typedef {import('../index').HandlerContext} HandlerContext
 * @typedef {Pick<MiniMeOptions, 'fs' | 'elicitation'> & { terminal?: import('../index').TerminalHandlers | undefined }} Services
 * @typedef {(params: any, context: HandlerContext) => unknown} Handler
 * @typedef {{ method: string, needs: readonly string[], handler: Handler, answer: (result: any) => unknown }} Service
 */

/** The terminal's methods by the names of their handlers: what each needs, and how it is answered. */
const TERMINAL = /** @type {const} */ ({
  create: ['terminal/create', ['command'], answers.created],
  output: ['terminal/output', ['terminalId'], answers.output],
  waitForExit: ['terminal/wait_for_exit', ['terminalId'], answers.exit],
  kill: ['terminal/kill', ['terminalId'], answers.empty],
  release: ['terminal/release', ['terminalId'], answers.empty],
});

/**
 * What `initialize` says of them.
 * @param {Pick<MiniMeOptions, 'fs' | 'terminal' | 'elicitation'>} options
 */
function offersOf({ fs, terminal, elicitation }) {
  return {
    readTextFile: fs?.readTextFile !== undefined,
    writeTextFile: fs?.writeTextFile !== undefined,
    terminal: terminal !== undefined && terminal !== false,
    elicitationForm: elicitation?.form !== undefined,
    elicitationUrl: elicitation?.url !== undefined,
  };
}

/**
 * Lets the given handlers answer the agent.
 * @param {import('./agent-requests').AgentRequests} requests
 * @param {Services} given
 */
function serve(requests, given) {
  for (const { method, needs, handler, answer } of servicesOf(given)) {
    requests.serve(method, async (params, context) => {
      check(method, params, needs);
      return answer(await handler(params, context));
    });
  }
}

/**
 * @param {Services} given
 * @returns {Service[]}
 */
function servicesOf({ fs, terminal, elicitation }) {
  /** @type {Service[]} */
  const services = [];
  const add = (
    /** @type {string} */ method,
    /** @type {readonly string[]} */ needs,
    /** @type {Handler | undefined} */ handler,
    /** @type {(result: any) => unknown} */ answer,
  ) => {
    if (handler !== undefined) services.push({ method, needs, handler, answer });
  };
  add('fs/read_text_file', ['sessionId', 'path'], fs?.readTextFile, answers.content);
  add('fs/write_text_file', ['sessionId', 'path', 'content'], fs?.writeTextFile, answers.empty);
  if (terminal !== undefined) {
    for (const [name, [method, needs, answer]] of Object.entries(TERMINAL)) {
      const handler = terminal[/** @type {keyof typeof TERMINAL} */ (name)];
      add(method, ['sessionId', ...needs], handler, answer);
    }
  }
  if (elicitation !== undefined) {
    add(
      'elicitation/create',
      ['message'],
      (params, context) => elicit(elicitation, params, context),
      answers.elicited,
    );
  }
  return services;
}

/**
 * @param {NonNullable<MiniMeOptions['elicitation']>} elicitation
 * @param {any} params
 * @param {HandlerContext} context
 */
function elicit(elicitation, params, context) {
  const mode = member(params, 'mode') ?? 'form';
  const handler = mode === 'url' ? elicitation.url : elicitation.form;
  if (handler === undefined || (mode !== 'url' && mode !== 'form')) {
    throw new RpcError(INVALID_PARAMS, `expected a mode that was advertised, got ${show(mode)}`);
  }
  return handler(params, context);
}

/**
 * @param {string} method
 * @param {unknown} params
 * @param {readonly string[]} needs names of members that are strings
 */
function check(method, params, needs) {
  if (!isObject(params)) throw new RpcError(INVALID_PARAMS, `${method}: expected params`);
  const missing = needs.find((name) => typeof params[name] !== 'string');
  if (missing === undefined) return;
  const message = `${method}: expected ${missing} to be a string, got ${show(params[missing])}`;
  throw new RpcError(INVALID_PARAMS, message);
}

module.exports = { offersOf, serve };
