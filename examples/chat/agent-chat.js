'use strict';
// One agent, one session, one turn at a time, for one page. It knows neither VS Code nor Electron: it is
// given a way to post to the page, and told what the page says.

const { MiniMe } = require('mini-me-client');
const { Transcript } = require('./transcript');

/** How a click is told afterwards, by the kind of the option. */
const DECISIONS = {
  allow_once: 'allowed',
  allow_always: 'allowed, from now on',
  reject_once: 'refused',
  reject_always: 'refused, from now on',
};

/** A turn that was stopped before it began. */
const STOPPED = { stopReason: 'cancelled' };

/**
 * @typedef {object} ChatOptions
 * @property {readonly import('mini-me-client').AnyTool[]} tools lent to the agent
 * @property {() => { words: string, options: object }[] | Promise<{ words: string, options: object }[]>} programs
 *   asked at each start: settings may have changed
 * @property {() => string} cwd of the session
 * @property {(message: object) => void} post to the page; no page is no error
 * @property {{ info(line: string): void, trace(line: string): void, warn(line: string): void }} log
 * @property {(title: string) => void} onAsked a permission waits for a click
 */

class AgentChat {
  #options;
  #transcript;
  /** The decisions that a click is waited for, by the item. */
  #asked = new Map();
  /** @type {Promise<{ client: MiniMe, session: import('mini-me-client').Session }> | undefined} */
  #opening;
  #state = { agent: '', status: 'idle' };
  /** Of the question that is asked, also while the agent for it is being started. @type {AbortController | undefined} */
  #stopping;
  /** Ends what is open or being opened. */
  #closing = new AbortController();
  #isDisposed = false;

  /** @param {ChatOptions} options */
  constructor(options) {
    this.#options = options;
    this.#transcript = new Transcript(options.post);
  }

  /** What the page says. */
  async receive(message) {
    switch (message.type) {
      case 'ready':
        this.#reset();
        await this.#open().catch(() => undefined);
        return;
      case 'prompt':
        await this.prompt(message.text);
        return;
      case 'cancel':
        await this.cancel();
        return;
      case 'decide':
        this.#asked.get(message.id)?.(message.optionId);
        return;
      case 'new':
        await this.restart();
    }
  }

  /** Asks the agent; what comes of it is in the transcript, an error too. */
  async prompt(text) {
    if (this.#stopping !== undefined) return;
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.#transcript.add({ kind: 'question', text });
    this.#postState();
    try {
      const { session } = await this.#open();
      const { stopReason } = stopping.signal.aborted ? STOPPED : await session.prompt(text);
      if (stopReason !== 'end_turn')
        this.#transcript.add({ kind: 'note', text: words(stopReason) });
    } catch (error) {
      // An opening that failed and an agent that ended are told where they are noticed.
      const isTold = error instanceof OpeningError || error.code === 'MM_ERR_EXITED';
      if (!isTold && error.code !== 'MM_ERR_CLOSED')
        this.#transcript.add({ kind: 'error', text: error.message });
    } finally {
      this.#stopping = undefined;
      this.#postState();
    }
  }

  async cancel() {
    this.#stopping?.abort();
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.session.cancel();
  }

  /** Ends the agent and begins anew, with the settings as they are now. */
  async restart() {
    await this.#close();
    if (this.#isDisposed) return;
    this.#transcript.clear();
    this.#setState({ status: 'idle', agent: '' });
    this.#reset();
    await this.#open().catch(() => undefined);
  }

  /** Resolves when the agent's process has ended. */
  async dispose() {
    this.#isDisposed = true;
    await this.#close();
  }

  get items() {
    return this.#transcript.items;
  }

  /** How many permissions wait for a click. */
  get waiting() {
    return this.#asked.size;
  }

  get state() {
    return this.#stopping === undefined ? this.#state : { ...this.#state, status: 'running' };
  }

  #open() {
    this.#opening ??= this.#start().catch((cause) => {
      // Closed meanwhile: nobody waits for this one any more.
      if (cause.code !== 'MM_ERR_CLOSED') {
        this.#opening = undefined;
        this.#setState({ status: 'failed', agent: 'no agent' });
        this.#transcript.add({ kind: 'error', text: cause.message });
      }
      throw new OpeningError(cause.message, { cause });
    });
    return this.#opening;
  }

  async #start() {
    this.#setState({ status: 'starting', agent: 'starting the agent …' });
    const candidates = await this.#options.programs();
    for (const [index, { words: agent, options }] of candidates.entries()) {
      const client = this.#createClient(options);
      try {
        await client.start();
        const session = await client.newSession({ cwd: this.#options.cwd() });
        this.#options.log.info(`agent: ${agent}, process ${client.pid}, session ${session.id}`);
        this.#setState({ status: 'ready', agent });
        return { client, session };
      } catch (error) {
        await client.close();
        const isLast = index === candidates.length - 1;
        if (isLast || error.code !== 'MM_ERR_SPAWN') throw error;
        this.#options.log.info(`${agent} cannot be started: ${error.message}`);
      }
    }
    throw new Error('expected a program to start, got none');
  }

  #createClient(options) {
    const { log, tools } = this.#options;
    const client = new MiniMe({
      ...options,
      tools,
      // A start takes as long as the agent does: what is closed meanwhile ends with this.
      signal: this.#closing.signal,
      permissions: (request, { signal }) => this.#ask(request, signal),
      trace: ({ direction, line }) => log.trace(`${direction === 'in' ? '←' : '→'} ${line}`),
    });
    // As they come: a call is shown before its permission is asked for.
    client.on('update', ({ update }) => this.#transcript.update(update));
    client.on('stderr', (line) => log.info(`agent: ${line}`));
    client.on('diagnostic', ({ code, message }) => log.warn(`${code}: ${message}`));
    client.on('exit', ({ exitCode, signal, expected }) => {
      log.info(`the agent ended: ${signal ?? `status ${exitCode}`}`);
      if (!expected) this.#lose(`The agent ended by itself (${signal ?? `status ${exitCode}`}).`);
    });
    return client;
  }

  /** The next prompt starts an agent anew; what was said stays. */
  #lose(text) {
    if (this.#state.status === 'starting') return;
    this.#opening = undefined;
    this.#setState({ status: 'idle', agent: 'the agent has ended' });
    this.#transcript.add({ kind: 'note', text });
  }

  /** Shows what the agent wants to do, until it is clicked or nobody waits for it any more. */
  #ask({ toolCall, known, options, tool }, signal) {
    const title = toolCall.title ?? known?.title ?? 'a tool';
    // What the program says of its own tool: the words of the agent may be anything.
    const about = this.#options.tools.find(({ name }) => name === tool?.name)?.description ?? '';
    return new Promise((resolve) => {
      const id = this.#transcript.add({
        kind: 'permission',
        title,
        about,
        input: toolCall.rawInput ?? known?.rawInput ?? {},
        options,
      });
      const settle = (optionId) => {
        if (!this.#asked.delete(id)) return;
        const chosen = options.find((option) => option.optionId === optionId);
        this.#transcript.change(id, {
          decision: DECISIONS[chosen?.kind] ?? chosen?.name ?? 'no longer asked',
        });
        resolve(chosen === undefined ? 'cancelled' : { optionId });
      };
      this.#asked.set(id, settle);
      signal.addEventListener('abort', () => settle(undefined), { once: true });
      this.#options.onAsked(title);
    });
  }

  async #close() {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#closing.abort();
    if (!this.#isDisposed) this.#closing = new AbortController();
    const opened = await opening?.catch(() => undefined);
    await opened?.client.close();
  }

  #setState(members) {
    this.#state = { ...this.#state, ...members };
    this.#postState();
  }

  #postState() {
    this.#options.post({ type: 'state', state: this.state });
  }

  #reset() {
    this.#options.post({ type: 'reset', items: this.items, state: this.state });
  }
}

class OpeningError extends Error {}

function words(stopReason) {
  return stopReason === 'cancelled' ? 'Stopped.' : `The turn ended: ${stopReason}.`;
}

module.exports = { AgentChat };
