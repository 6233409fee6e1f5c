'use strict';
// Answers session/request_permission. Nothing is ever approved that nobody decided; a title that
// is not exactly that of a lent tool is never taken for one.

const { isObject, member } = require('./json');
const { show } = require('./show');
const { errorText } = require('./result');

/**
 * @typedef {import('../index').PermissionRequest} PermissionRequest
 * @typedef {import('../index').PermissionDecision} PermissionDecision
 * @typedef {import('../index').ToolCallUpdate} ToolCallUpdate
 */

/** @type {readonly unknown[]} */
const KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];
const CANCELLED = { outcome: { outcome: 'cancelled' } };

/**
 * @param {PermissionRequest} request
 * @returns {PermissionDecision}
 */
const reject = ({ options }) =>
  options.some(({ kind }) => kind === 'reject_once') ? 'reject_once' : 'cancelled';

/** @type {Record<import('../index').PermissionPolicy, (request: PermissionRequest) => PermissionDecision>} */
const POLICIES = {
  'client-tools': (request) => (request.tool === undefined ? reject(request) : 'allow_once'),
  'reject-all': reject,
  'allow-all': () => 'allow_once',
};

/** The permission side of one client. */
class Permissions {
  #client;
  #decide;
  #isUnhandled;

  /**
   * @param {Pick<
   *   import('./client').Client,
   *   'choosePermission' | 'conversationOf' | 'toolOf' | 'diagnose'
   * >} client
   * @param {import('../index').MiniMeOptions['permissions']} policy
   */
  constructor(client, policy) {
    this.#client = client;
    this.#isUnhandled = policy === undefined;
    this.#decide = typeof policy === 'function' ? policy : POLICIES[policy ?? 'reject-all'];
  }

  /**
   * The `result` of a request, with its params as they came.
   * @param {unknown} params
   * @param {{ readonly signal: AbortSignal }} context
   */
  async answer(params, context) {
    const request = this.#read(params);
    if (this.#isUnhandled) {
      const { title } = request.toolCall;
      const message = `a permission was refused since nobody decides: ${title ?? 'no title'}; give the option permissions`;
      this.#client.diagnose('permission-unhandled', message, { sessionId: request.sessionId });
    }
    /** @type {unknown} */
    let decision;
    try {
      decision = await this.#decide(request, context);
    } catch (error) {
      return this.#miss(`the permission handler failed: ${errorText(error)}`, request);
    }
    const native = toNativeDecision(decision);
    if (native === undefined) {
      const expected = `${KINDS.join(', ')}, cancelled or {optionId}`;
      const message = `expected the permission handler to give ${expected}; got ${show(decision)}`;
      return this.#miss(message, request);
    }
    const options = JSON.stringify(
      request.options.map(({ optionId, kind }) => ({ optionId, kind })),
    );
    /** @type {import('./types').NativeChoice} */
    const choice = JSON.parse(this.#client.choosePermission(JSON.stringify(native), options));
    if (choice.missing !== null) {
      return this.#miss(`${show(decision)} was not offered; offered: ${choice.missing}`, request);
    }
    return choice.result;
  }

  /**
   * @param {unknown} params
   * @returns {PermissionRequest}
   */
  #read(params) {
    const raw = isObject(params) ? params : {};
    const { sessionId, toolCall, options } = raw;
    const call = isObject(toolCall) ? toolCall : { toolCallId: '' };
    const known = this.#client.conversationOf(sessionId)?.known(call.toolCallId);
    // What the request leaves out, or has as null, is as it was told before.
    const given = Object.entries(call).filter(([, value]) => value !== null && value !== undefined);
    const told = { ...known, ...Object.fromEntries(given) };
    const offered = Array.isArray(options) ? options : [];
    return {
      sessionId: typeof sessionId === 'string' ? sessionId : '',
      toolCall: /** @type {ToolCallUpdate} */ (/** @type {unknown} */ (call)),
      known: /** @type {ToolCallUpdate | undefined} */ (/** @type {unknown} */ (known)),
      options: offered.map((/** @type {unknown} */ option) => ({
        ...(isObject(option) ? option : {}),
        optionId: String(member(option, 'optionId')),
        name: String(member(option, 'name') ?? ''),
        kind: String(member(option, 'kind') ?? ''),
      })),
      tool: this.#client.toolOf(told, known, String(sessionId)),
      raw,
    };
  }

  /**
   * @param {string} message
   * @param {PermissionRequest} request
   */
  #miss(message, request) {
    const { sessionId, options } = request;
    this.#client.diagnose('permission-option-missing', message, { sessionId, options });
    return CANCELLED;
  }
}

/**
 * @param {unknown} decision
 * @returns {{ kind?: unknown, optionId?: string } | undefined} undefined for no decision
 */
function toNativeDecision(decision) {
  if (decision === 'cancelled') return {};
  if (KINDS.includes(decision)) return { kind: decision };
  const id = member(decision, 'optionId');
  return typeof id === 'string' ? { optionId: id } : undefined;
}

module.exports = { Permissions, CANCELLED };
