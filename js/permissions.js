'use strict';
// Answers session/request_permission. Nothing is ever approved that nobody decided; a title that
// is not exactly that of a lent tool is never taken for one.

const { show } = require('./options');

const KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];
const CANCELLED = { outcome: { outcome: 'cancelled' } };

const has = (request, kind) => request.options.some((option) => option.kind === kind);
const reject = (request) => (has(request, 'reject_once') ? 'reject_once' : 'cancelled');

const POLICIES = {
  'client-tools': (request) => (request.tool === undefined ? reject(request) : 'allow_once'),
  'reject-all': reject,
  'allow-all': () => 'allow_once',
};

/** The permission side of one client; `client` has: choosePermission, sessionOf(id), toolOf(title, sessionId), diagnose(). */
class Permissions {
  #client;
  #decide;
  #isUnhandled;

  constructor(client, policy) {
    this.#client = client;
    this.#isUnhandled = policy === undefined;
    this.#decide = typeof policy === 'function' ? policy : POLICIES[policy ?? 'reject-all'];
  }

  /** The `result` of a request, with its params as they came. */
  async answer(params, context) {
    const request = this.#read(params);
    if (this.#isUnhandled) {
      const { title } = request.toolCall;
      const message = `a permission was refused since nobody decides: ${title ?? 'no title'}; give the option permissions`;
      this.#client.diagnose('permission-unhandled', message, { sessionId: request.sessionId });
    }
    let decision;
    try {
      decision = await this.#decide(request, context);
    } catch (error) {
      return this.#miss(`the permission handler failed: ${error?.message ?? show(error)}`, request);
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
    const choice = JSON.parse(this.#client.choosePermission(JSON.stringify(native), options));
    if (choice.missing !== null) {
      return this.#miss(`${show(decision)} was not offered; offered: ${choice.missing}`, request);
    }
    return choice.result;
  }

  #read(params) {
    const { sessionId, toolCall, options } = params;
    const offered = Array.isArray(options) ? options : [];
    const isCall = typeof toolCall === 'object' && toolCall !== null;
    const call = isCall ? toolCall : { toolCallId: '' };
    const known = this.#client.sessionOf(sessionId)?.known(call.toolCallId);
    const told = { ...known, ...call };
    return {
      sessionId,
      toolCall: call,
      known,
      options: offered.map((option) => ({
        ...option,
        optionId: String(option?.optionId),
        name: String(option?.name ?? ''),
        kind: String(option?.kind ?? ''),
      })),
      tool: told.kind === 'other' ? this.#client.toolOf(told.title, sessionId) : undefined,
      raw: params,
    };
  }

  #miss(message, request) {
    const { sessionId, options } = request;
    this.#client.diagnose('permission-option-missing', message, { sessionId, options });
    return CANCELLED;
  }
}

function toNativeDecision(decision) {
  if (decision === 'cancelled') return {};
  if (KINDS.includes(decision)) return { kind: decision };
  const id = decision?.optionId;
  return typeof id === 'string' ? { optionId: id } : undefined;
}

module.exports = { Permissions, CANCELLED };
