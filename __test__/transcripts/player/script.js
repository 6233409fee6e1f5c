'use strict';
// What a program has to know of a dialogue before it begins. Knows nothing of the client.

const TOOLS = 'org.mini-me/tools';
const TOOLS_LIST = '_org.mini-me/tools/list';
/** Notifications that a program sees otherwise than by a handler of its own. */
const BUILT_IN = ['session/update', '$/cancel_request'];

const isOfClient = ({ from }) => from === 'client';
const isMethod = ({ message }, method) => message?.method === method;

/** The lines of a dialogue, as they are to be played. */
class Script {
  /** @param {import('./dialogue').Line[]} lines */
  constructor(lines) {
    this.lines = lines;
    const { params } = lines.find((line) => isMethod(line, 'initialize')).message;
    this.announced = params.clientCapabilities._meta?.[TOOLS];
    this.discovery = this.announced === true ? 'request' : 'meta';
    this.lists = new Lists(lines);
  }

  /** The tools that are lent to all sessions. */
  get ownTools() {
    const own = this.discovery === 'meta' ? this.announced : this.lists.shared;
    return own ?? [];
  }

  /** The place of the last line that is a message; what stands behind it belongs to the end. */
  get lastMessage() {
    return this.lines.findLastIndex(({ from }) => from !== 'stderr');
  }

  /** Methods of the agent's notifications that need a handler. */
  get notifications() {
    const methods = this.lines
      .filter(({ from, message, id }) => from === 'agent' && message.method && id === undefined)
      .map(({ message }) => message.method);
    return new Set(methods.filter((method) => !BUILT_IN.includes(method)));
  }

  isLent(method) {
    const lists = [this.announced, ...this.lists.all].filter(Array.isArray);
    return lists.flat().some((tool) => tool.method === method);
  }
}

/** How the lists are answered: by tools of the client, by those of each session, or by a function. */
class Lists {
  /** Of each list request, what is answered. */
  all;
  /** The program gives a function, which does what the lines say. */
  isByFunction;
  /** The tools of the client, when all lists are the same. */
  shared;
  /** Else those of each session, by its folder. */
  perFolder = new Map();

  constructor(lines) {
    const requests = lines.filter((line) => line.from === 'agent' && isMethod(line, TOOLS_LIST));
    const answers = requests.map(({ id }) =>
      lines.find((line) => isOfClient(line) && isMethod(line, undefined) && line.id === id),
    );
    this.all = answers.map(({ message }) => message.result?.tools);
    this.isByFunction = answers.some(({ gives }) => gives !== undefined);
    if (this.isByFunction) return;
    const texts = new Set(this.all.map((list) => JSON.stringify(list)));
    if (texts.size === 1) this.shared = this.all[0];
    if (texts.size < 2) return;
    for (const [at, { message }] of requests.entries()) {
      this.perFolder.set(message.params.cwd, this.all[at]);
    }
  }
}

module.exports = { Script, TOOLS, TOOLS_LIST };
