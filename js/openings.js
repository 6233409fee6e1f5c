'use strict';
// Opens sessions: new, loaded or resumed. Openings take turns where answers could be mixed up: a list
// request of mm names an id that nobody knows yet, so with request discovery `session/new` goes out one
// at a time; and openings of one id always follow each other.

const { createError } = require('./errors');
const { isObject } = require('./json');
const { within } = require('./limit');
const { absolute } = require('./options');
const { errorText, isThenable } = require('./result');

/**
 * @typedef {import('./conversation').Conversation} Conversation
 * @typedef {import('./types').ReadTool} ReadTool
 * @typedef {import('./types').CheckedSessionOptions} Options
 * @typedef {import('./types').RawUpdate} RawUpdate
 * @typedef {{ conversation: Conversation, tools: readonly ReadTool[], onReplay?: ReplayListener | undefined }} Reopening
 * @typedef {(update: any) => unknown} ReplayListener
 */

/** What each way of opening an id needs of the agent. */
const WAYS = /** @type {const} */ ({
  'session/load': ['loadSession'],
  'session/resume': ['sessionCapabilities', 'resume'],
});

/** The openings of one client. */
class Openings {
  #client;
  #sessions;
  #count = 0;
  /** The end of the last opening that others wait for: of `session/new`, and of each id. */
  #gates = new Map();
  /** @type {readonly ReadTool[]} */
  #toolsOfNew = [];
  /** @type {Map<string, Reopening>} */
  #reopenings = new Map();
  /**
   * The folders of what is being opened, by id, or by a symbol where the id is not known yet.
   * @type {Map<string | symbol, string>}
   */
  #folders = new Map();

  /**
   * @param {import('./client').Client} client
   * @param {import('./sessions').Sessions} sessions
   */
  constructor(client, sessions) {
    this.#client = client;
    this.#sessions = sessions;
  }

  get isOpening() {
    return this.#count > 0;
  }

  get isReplaying() {
    return this.#reopenings.size > 0;
  }

  /**
   * Opens a session by `session/new`.
   * @param {Options} options
   */
  async open(options) {
    const isMcp = this.#client.lending.decide();
    const tools = this.#readTools(options.tools);
    const isOneAtATime = this.#client.options.discovery === 'request' && !isMcp;
    const leave = await this.#enter('session/new', isOneAtATime ? NEW : Symbol('no gate'), options);
    this.#toolsOfNew = tools;
    const lease = isMcp ? this.#lend(undefined, tools, leave) : undefined;
    const { cwd, params } = requestOf(options, this.#client.secrets, lease);
    const opening = Symbol(cwd);
    this.#folders.set(opening, cwd);
    const onSettled = () => {
      if (lease !== undefined) this.#client.lending.settled(lease);
      this.#toolsOfNew = [];
      this.#folders.delete(opening);
      leave();
    };
    const onAnswer = (/** @type {unknown} */ raw) => {
      const session = this.#opened(cwd, raw);
      if (lease !== undefined) this.#client.lending.opened(lease, session.id);
      return session;
    };
    const opened = this.#client.call('session/new', params, options, { onAnswer, onSettled });
    loadConversation();
    return await opened;
  }

  /**
   * Opens a session of old.
   * @param {keyof typeof WAYS} method
   * @param {string} id
   * @param {Options & { onReplay?: ReplayListener | undefined }} options
   */
  async reopen(method, id, options) {
    const isMcp = this.#client.lending.decide();
    const tools = this.#readTools(options.tools);
    const way = WAYS[method];
    if (!this.#client.can(...way)) throw unsupported(method, way.join('.'));
    const leave = await this.#enter(method, id, options);
    const conversation = this.#sessions.byId.get(id) ?? this.#conversation(id);
    conversation.detach();
    this.#reopenings.set(id, { conversation, tools, onReplay: options.onReplay });
    const lease = isMcp ? this.#lend(id, tools, leave) : undefined;
    const { cwd, params } = requestOf(options, this.#client.secrets, lease);
    this.#folders.set(id, cwd);
    const onSettled = () => {
      if (lease !== undefined) this.#client.lending.settled(lease, id);
      this.#reopenings.delete(id);
      this.#folders.delete(id);
      if (this.#sessions.byId.get(id) === conversation) conversation.attach();
      leave();
    };
    const onAnswer = (/** @type {unknown} */ raw) => {
      conversation.opened(cwd, isObject(raw) ? raw : {});
      this.#sessions.add(conversation);
      if (lease !== undefined) this.#client.lending.opened(lease, id);
      return conversation.session;
    };
    const request = { ...params, sessionId: id };
    return await this.#client.call(method, request, options, { onAnswer, onSettled });
  }

  /**
   * The tools that whoever opens this session gave for it.
   * @param {string} sessionId
   */
  toolsOf(sessionId) {
    const reopening = this.#reopenings.get(sessionId);
    if (reopening !== undefined) return reopening.tools;
    return this.#sessions.byId.has(sessionId) ? [] : this.#toolsOfNew;
  }

  /**
   * The folder of a session that is being opened; undefined when it cannot be one. Of several new ones
   * nobody knows which it is: the first is taken.
   * @param {string} sessionId
   */
  folderOf(sessionId) {
    if (this.#folders.has(sessionId)) return this.#folders.get(sessionId);
    const ofNew = [...this.#folders].find(([key]) => typeof key === 'symbol');
    return ofNew?.[1];
  }

  /**
   * Whether an update is history of a session that is being opened.
   * @param {string} sessionId
   * @param {RawUpdate} update
   */
  replay(sessionId, update) {
    const reopening = this.#reopenings.get(sessionId);
    if (reopening === undefined) return false;
    reopening.conversation.replay(update);
    const onFailed = (/** @type {unknown} */ error) => {
      const message = `onReplay failed: ${errorText(error)}`;
      this.#client.diagnose('listener-failed', message, { event: 'onReplay' });
    };
    try {
      const result = reopening.onReplay?.(update);
      if (isThenable(result)) result.then(undefined, onFailed);
    } catch (error) {
      onFailed(error);
    }
    return true;
  }

  /** @param {string} id */
  #conversation(id) {
    const { Conversation } = loadConversation();
    return new Conversation(this.#client, id);
  }

  /**
   * @param {string} cwd
   * @param {unknown} raw
   */
  #opened(cwd, raw) {
    if (!isObject(raw) || typeof raw.sessionId !== 'string') {
      const message = 'session/new: expected an answer with sessionId';
      throw createError('MM_ERR_MESSAGE_INVALID', message, { result: raw });
    }
    const { sessionId } = raw;
    const conversation = this.#sessions.byId.get(sessionId) ?? this.#conversation(sessionId);
    conversation.opened(cwd, raw);
    this.#sessions.add(conversation);
    return conversation.session;
  }

  /**
   * Waits for the openings before; gives what lets the next one in.
   * @param {string} method
   * @param {unknown} gate
   * @param {Options} options whose limits hold while waiting, too
   */
  async #enter(method, gate, options) {
    const before = this.#gates.get(gate);
    /** @type {() => void} */
    let open = () => undefined;
    const mine = new Promise((resolve) => {
      open = () => {
        if (this.#gates.get(gate) === mine) this.#gates.delete(gate);
        resolve(undefined);
      };
    });
    this.#gates.set(gate, mine);
    try {
      if (before !== undefined) await this.#wait(method, before, options);
    } catch (error) {
      before.then(open);
      throw error;
    }
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count === 0) this.#sessions.dropEarly();
      open();
    };
  }

  /**
   * @param {string | undefined} id
   * @param {readonly ReadTool[]} tools
   * @param {() => void} leave
   */
  #lend(id, tools, leave) {
    try {
      return this.#client.lending.lend(id, tools);
    } catch (error) {
      if (id !== undefined) this.#reopenings.delete(id);
      leave();
      throw error;
    }
  }

  /**
   * Waits, and keeps Node.js alive: the opening before may have been given up.
   * @param {string} method
   * @param {Promise<unknown>} before
   * @param {Options} options
   */
  async #wait(method, before, options) {
    this.#client.hold();
    try {
      await within(method, options, () => before);
    } finally {
      this.#client.release();
    }
  }

  /** @param {Options['tools']} tools */
  #readTools(tools) {
    if (tools === undefined) return [];
    if (this.#client.hasOneList()) {
      const message =
        'session options: expected tools only with discovery "request" or carrier "mcp"; with "meta" one list holds for all sessions';
      throw createError('MM_ERR_OPTION', message, { option: 'tools' });
    }
    return this.#client.tools.check(tools);
  }
}

/** All that a session is made of: loaded while the agent opens the first one, no start waits for it. */
function loadConversation() {
  return require('./conversation');
}

/** The gate of `session/new`; ids are strings. */
const NEW = Symbol('session/new');

/**
 * @param {Options} options
 * @param {import('./secrets').Secrets} secrets learns those of the servers
 * @param {{ entry: import('../index').McpServer }} [lease] named to the agent besides its own servers
 */
function requestOf({ cwd: given, mcpServers = [], additionalDirectories, params }, secrets, lease) {
  const cwd = absolute(given);
  const more = additionalDirectories === undefined ? {} : { additionalDirectories };
  const request = { cwd, mcpServers, ...more, ...params };
  if (lease !== undefined) request.mcpServers = [...request.mcpServers, lease.entry];
  secrets.learnServers(request.mcpServers);
  return { cwd, params: request };
}

/**
 * @param {string} method
 * @param {string} capability
 */
function unsupported(method, capability) {
  const message = `${method}: expected an agent that can (${capability}); this one does not say so`;
  return createError('MM_ERR_UNSUPPORTED', message, { method, capability });
}

module.exports = { Openings, unsupported };
