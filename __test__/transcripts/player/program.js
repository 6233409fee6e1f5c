'use strict';
// The program side of a dialogue, through the public API: for each line, in order, it does what leads
// to it, or waits until the line has reached it and compares. So nothing is timed, and a line that
// gets lost is named.

const { expect } = require('@jest/globals');
const { MiniMe } = require('../../..');
const { Handlers } = require('./handlers');
const { Inbox } = require('./inbox');
const { Script, TOOLS_LIST } = require('./script');
const { Tally } = require('./tally');
const { Turns } = require('./turns');

/** One run of a program that behaves as `lines` want it. */
class Program {
  #script;
  #inbox = new Inbox();
  #tally = new Tally();
  #turns = new Turns();
  #handlers;
  /** Our requests without an answer, by recorded id: params, and what settles. */
  #open = new Map();
  #cancels = [];
  #closing;

  constructor(lines, options) {
    this.#script = new Script(lines);
    this.#handlers = new Handlers(this.#script, this.#inbox);
    const { discovery, ownTools } = this.#script;
    this.mm = new MiniMe({ ...options, discovery, ...this.#handlers.options });
    for (const tool of ownTools) this.mm.addTool(this.#handlers.lend(tool));
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
    const { lines, lastMessage } = this.#script;
    for (const [at, line] of lines.entries()) {
      if (at > lastMessage) this.#closing ??= this.mm.close();
      await this.#inbox.within(this.#follow(line), `line ${at + 1} of the script: ${line.text}`);
    }
    this.#closing ??= this.mm.close();
    const exit = await this.#closing;
    await Promise.all(this.#cancels);
    await this.#inbox.within(this.#handlers.ended(), 'the calls that ran at the end');
    this.#inbox.expectEmpty();
    return { exit, ...this.#tally };
  }

  /** The program tries to lend a tool that cannot be lent. */
  refuse(tool, reason) {
    const isObject = typeof tool === 'object' && tool !== null && !Array.isArray(tool);
    const lend = () => this.mm.addTool(isObject ? this.#handlers.lend(tool) : tool);
    expect(lend).toThrow(expect.objectContaining({ name: 'ToolDefinitionError' }));
    // What stands behind "not a tool description" are words of the agent's own.
    if (!reason.startsWith('not a tool description')) expect(lend).toThrow(reason);
  }

  openSession({ id, message }) {
    const { params } = message;
    const { cwd, mcpServers } = params;
    const tools = this.#script.lists.perFolder.get(cwd)?.map((tool) => this.#handlers.lend(tool));
    // None is the client's own default, which the agent insists on being told.
    const servers = mcpServers.length > 0 && { mcpServers };
    const answer = this.mm.newSession({ cwd, ...servers, ...(tools && { tools }) });
    this.#open.set(id, { params, answer });
  }

  #listen() {
    const { mm } = this;
    const { came } = this.#tally;
    mm.on('update', (params) => this.#inbox.push('update', params));
    mm.on('stderr', (line) => this.#inbox.push('stderr', line));
    mm.on('toolsRequested', (request) => this.#inbox.push(TOOLS_LIST, request));
    mm.on('toolCall', (report) => this.#inbox.push('toolCall', report));
    mm.on('tools', (report) => came.tools.push(report));
    mm.on('diagnostic', ({ code }) => came.diagnostics.push(code));
    for (const method of this.#script.notifications) {
      mm.onNotification(method, (params) => this.#inbox.push(method, params));
    }
  }

  // ---- line by line

  async #follow(line) {
    if (line.from === 'program') return await line.run(this);
    if (line.from === 'stderr') return await this.#heard(line);
    if (line.from === 'client') return await this.#act(line);
    if (line.message.method === undefined) return await this.#answered(line);
    return await (line.id === undefined ? this.#noticed(line) : this.#handlers.asked(line));
  }

  async #heard({ text }) {
    expect(await this.#inbox.next('stderr')).toBe(text);
    this.#tally.expectReport(text);
  }

  #act(line) {
    const { id, message, gives } = line;
    const isByItself = gives !== undefined && !('value' in gives) && !('throws' in gives);
    const { method, params } = message;
    if (isByItself) return undefined;
    if (method === undefined) return this.#handlers.give(line);
    if (method === 'session/new') return this.openSession(line);
    if (method === 'session/cancel') {
      return this.#cancels.push(this.mm.sessions.get(params.sessionId).cancel());
    }
    if (id === undefined) return this.mm.notify(method, params);
    return this.#open.set(id, { params, answer: this.#request(method, params) });
  }

  #request(method, params) {
    if (method === 'initialize') return this.mm.start();
    const session = this.mm.sessions.get(params.sessionId);
    if (method !== 'session/prompt' || session === undefined)
      return this.mm.request(method, params);
    return this.#turns.begin(session.id, session.prompt(params.prompt));
  }

  async #noticed({ message }) {
    const { method, params } = message;
    if (method === '$/cancel_request') {
      await this.#handlers.withdrawn(JSON.stringify(params.requestId));
    } else {
      const isUpdate = method === 'session/update';
      expect(await this.#inbox.next(isUpdate ? 'update' : method)).toEqual(params);
      if (isUpdate) this.#turns.updated(params);
    }
  }

  async #answered({ id, message }) {
    const request = this.#open.get(id);
    // Answers that nobody asked for are told by a diagnostic.
    if (request === undefined) return;
    this.#open.delete(id);
    const { sessionId, prompt } = request.params;
    const isTurn = prompt !== undefined && this.#turns.has(sessionId);
    const { error, result } = message;
    if (error !== undefined) {
      const failure = await request.answer.then(unexpected, (reason) => reason);
      const rpc = { rpcCode: error.code, ...('data' in error && { rpcData: error.data }) };
      expect(failure).toMatchObject({ name: 'AgentError', code: 'MM_ERR_AGENT', ...rpc });
      if (isTurn) await this.#turns.failed(sessionId, failure);
      return;
    }
    const value = await request.answer;
    expect(value.raw ?? value).toEqual(result);
    if (isTurn) await this.#turns.ended(sessionId, value, result);
  }
}

function unexpected(value) {
  throw new Error(`expected the request to be rejected, got ${JSON.stringify(value)}`);
}

module.exports = { Program };
