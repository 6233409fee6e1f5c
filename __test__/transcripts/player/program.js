'use strict';
// The program side of a dialogue, through the public API: for each line, in order, it does what leads
// to it, or waits until the line has reached it and compares. So nothing is timed, and a line that
// gets lost is named.

const { expect } = require('@jest/globals');
const { MiniMe } = require('../../..');
const { Inbox } = require('./inbox');
const { Tally } = require('./tally');

const TOOLS = 'org.mini-me/tools';
const SESSION = 'org.mini-me/sessionId';
const TOOLS_LIST = '_org.mini-me/tools/list';
const PERMISSION = 'session/request_permission';

/** One run of a program that behaves as the lines of `script` want it. */
class Program {
  #script;
  #inbox = new Inbox();
  #tally = new Tally();
  /** Our requests without an answer, by recorded id: what settles. */
  #open = new Map();
  /** Requests of the agent that handlers of ours run, by id. */
  #running = new Map();
  /** By session: the text of its running turn. */
  #texts = new Map();
  #ends = [];
  #closing;

  constructor(script, options) {
    this.#script = script;
    const { message } = script.find((line) => line.message?.method === 'initialize');
    this.announced = message.params.clientCapabilities._meta?.[TOOLS];
    const isRequest = this.announced === true;
    this.mm = new MiniMe({
      ...options,
      discovery: isRequest ? 'request' : 'meta',
      permissions: (request, { signal }) => this.#arrive(PERMISSION, { request, signal }),
      ...(isRequest &&
        this.#lists().isAsked && { tools: ({ signal }) => this.#arrive('tools', { signal }) }),
    });
    const own = isRequest ? (this.#lists().shared ?? []) : (this.announced ?? []);
    for (const tool of own) this.mm.addTool(this.#lend(tool));
    this.#listen();
  }

  /** Plays all lines, closes the client, and gives what was to come of it and what came. */
  async play() {
    try {
      return await this.#play();
    } finally {
      await this.mm.close();
    }
  }

  async #play() {
    const lastMessage = this.#script.findLastIndex(({ from }) => from !== 'stderr');
    for (const [at, line] of this.#script.entries()) {
      if (at > lastMessage) this.#closing ??= this.mm.close();
      await this.#inbox.within(this.#follow(line), `line ${at + 1} of the script: ${line.text}`);
    }
    this.#closing ??= this.mm.close();
    const exit = await this.#closing;
    await Promise.all(this.#ends);
    for (const request of this.#running.values()) await this.#ended(request, 'cancelled');
    this.#inbox.expectEmpty();
    return { exit, ...this.#tally };
  }

  /** The program tries to lend a tool that cannot be lent. */
  refuse(tool, reason) {
    const isObject = typeof tool === 'object' && tool !== null && !Array.isArray(tool);
    const lend = () => this.mm.addTool(isObject ? this.#lend(tool) : tool);
    expect(lend).toThrow(expect.objectContaining({ name: 'ToolDefinitionError' }));
    // What stands behind "not a tool description" are words of the agent's own.
    const isFixed = !reason.startsWith('not a tool description') && tool.name !== undefined;
    if (isFixed) expect(lend).toThrow(reason);
  }

  openSession({ id, message }) {
    const { cwd, mcpServers } = message.params;
    const tools = this.#lists()
      .perSession?.get(cwd)
      ?.map((tool) => this.#lend(tool));
    this.#open.set(id, this.mm.newSession({ cwd, mcpServers, ...(tools && { tools }) }));
  }

  // ---- what is told

  #listen() {
    const { mm } = this;
    mm.on('update', (params) => this.#inbox.push('update', params));
    mm.on('stderr', (line) => this.#inbox.push('stderr', line));
    mm.on('toolsRequested', (request) => this.#inbox.push(TOOLS_LIST, request));
    mm.on('tools', (report) => this.#tally.came.tools.push(report));
    mm.on('toolCall', ({ tool, outcome }) => this.#inbox.push('toolCall', [tool.method, outcome]));
    mm.on('diagnostic', ({ code }) => this.#tally.came.diagnostics.push(code));
    for (const { from, message, id } of this.#script) {
      const isNotification = from === 'agent' && message.method !== undefined && id === undefined;
      if (isNotification && !['session/update', '$/cancel_request'].includes(message.method)) {
        mm.onNotification(message.method, (params) => this.#inbox.push(message.method, params));
      }
    }
  }

  /** A tool whose handler waits until the script gives its result. */
  #lend(tool) {
    return {
      ...tool,
      handle: (args, context) => {
        const { signal, sessionId, meta } = context;
        return this.#arrive(tool.method, { args, sessionId, meta, signal });
      },
    };
  }

  /** A handler was entered. */
  #arrive(kind, request) {
    return new Promise((resolve, reject) => {
      this.#inbox.push(kind, { ...request, kind, resolve, reject });
    });
  }

  // ---- line by line

  #follow(line) {
    if (line.from === 'program') return line.run(this);
    if (line.from === 'stderr') return this.#heard(line);
    if (line.from === 'client') return this.#act(line);
    const { method } = line.message;
    if (method === undefined) return this.#answered(line);
    return line.id === undefined ? this.#noticed(line) : this.#asked(line);
  }

  async #heard({ text }) {
    expect(await this.#inbox.next('stderr')).toBe(text);
    this.#tally.expectReport(text);
  }

  #act(line) {
    const { id, message, gives } = line;
    if (gives !== undefined && !('value' in gives) && !('throws' in gives)) return;
    const { method, params } = message;
    if (method === undefined) return this.#give(line);
    if (method === 'initialize') this.#open.set(id, this.mm.start());
    else if (method === 'session/new') this.openSession(line);
    else if (method === 'session/cancel') {
      this.#ends.push(this.mm.sessions.get(params.sessionId).cancel());
    } else if (id === undefined) this.mm.notify(method, params);
    else this.#open.set(id, this.#request(method, params));
  }

  #request(method, params) {
    const session = this.mm.sessions.get(params.sessionId);
    if (method !== 'session/prompt') return this.mm.request(method, params);
    this.#texts.set(params.sessionId, '');
    return session?.prompt(params.prompt).result ?? this.mm.request(method, params);
  }

  /** Lets a handler end as the line says; what no handler runs, the client answers by itself. */
  async #give({ id, message, gives = { value: message.result } }) {
    const request = this.#running.get(id);
    if (request === undefined || (message.error && !('throws' in gives))) return;
    this.#running.delete(id);
    if ('throws' in gives) request.reject(gives.throws);
    else request.resolve(request.kind === PERMISSION ? decision(gives.value) : gives.value);
    const { content, isError } = message.result ?? {};
    const outcome = Array.isArray(content) && isError === true ? 'error' : 'ok';
    await this.#ended(request, gives.outcome ?? outcome);
  }

  async #ended({ kind, args }, outcome) {
    if (args !== undefined) expect(await this.#inbox.next('toolCall')).toEqual([kind, outcome]);
  }

  async #noticed({ message }) {
    const { method, params } = message;
    if (method === '$/cancel_request')
      return await this.#withdrawn(JSON.stringify(params.requestId));
    const kind = method === 'session/update' ? 'update' : method;
    expect(await this.#inbox.next(kind)).toEqual(params);
    const { sessionId, update } = params;
    if (update?.sessionUpdate !== 'agent_message_chunk') return;
    this.#texts.set(sessionId, `${this.#texts.get(sessionId) ?? ''}${update.content.text}`);
  }

  async #withdrawn(id) {
    const request = this.#running.get(id);
    if (request === undefined) return;
    this.#running.delete(id);
    await aborted(request.signal);
    await this.#ended(request, 'cancelled');
  }

  async #asked({ id, message }) {
    const { method, params } = message;
    if (method === TOOLS_LIST) {
      expect(await this.#inbox.next(TOOLS_LIST)).toEqual(params);
      if (this.#lists().isAsked) this.#running.set(id, await this.#inbox.next('tools'));
    } else if (method === PERMISSION) {
      const request = await this.#inbox.next(PERMISSION);
      expect(request.request).toMatchObject(params);
      expect(`client: ${request.request.tool.name}`).toBe(params.toolCall.title);
      this.#running.set(id, request);
    } else if (this.#isLent(method)) {
      const call = await this.#inbox.next(method);
      const { _meta: meta, ...args } = params;
      expect(call).toMatchObject({ args, meta, sessionId: meta[SESSION] });
      this.#running.set(id, call);
    }
  }

  #isLent(method) {
    const lists = [this.announced, ...this.#lists().all].filter(Array.isArray);
    return lists.flat().some((tool) => tool.method === method);
  }

  async #answered({ id, message }) {
    const request = this.#open.get(id);
    // Answers that nobody asked for are told by a diagnostic.
    if (request === undefined) return;
    this.#open.delete(id);
    const { error, result } = message;
    if (error !== undefined) {
      const rpc = { rpcCode: error.code, ...('data' in error && { rpcData: error.data }) };
      await expect(request).rejects.toMatchObject({ code: 'MM_ERR_AGENT', details: rpc });
      return;
    }
    const value = await request;
    const raw = value?.raw ?? value;
    expect(raw).toEqual(result);
    if (result?.stopReason === undefined || value.raw === undefined) return;
    const { sessionId } = this.#promptOf(id).params;
    expect(value).toMatchObject({
      stopReason: result.stopReason,
      text: this.#texts.get(sessionId),
    });
  }

  #promptOf(id) {
    return this.#script.find(
      (line) => line.from === 'client' && line.message?.method && line.id === id,
    ).message;
  }

  /** How the lists are answered: by tools of the client, of each session, or by a function. */
  #lists() {
    const requests = this.#script.filter(
      ({ from, message }) => from === 'agent' && message?.method === TOOLS_LIST,
    );
    const answers = requests.map(({ id }) =>
      this.#script.find(
        (line) => line.from === 'client' && !line.message?.method && line.id === id,
      ),
    );
    const all = answers.map(({ message }) => message.result?.tools);
    const isAsked = answers.some(({ gives }) => gives !== undefined);
    if (isAsked || requests.length === 0) return { isAsked, all };
    const isShared = all.every((list) => JSON.stringify(list) === JSON.stringify(all[0]));
    if (isShared) return { isAsked, all, shared: all[0] };
    const perSession = new Map(requests.map(({ message }, at) => [message.params.cwd, all[at]]));
    return { isAsked, all, perSession };
  }
}

function decision({ outcome: { outcome, optionId } }) {
  return outcome === 'cancelled' ? 'cancelled' : { optionId };
}

function aborted(signal) {
  if (signal.aborted) return undefined;
  return new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

module.exports = { Program };
