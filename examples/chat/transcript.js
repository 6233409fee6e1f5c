'use strict';
// What was said and done in a session, as items that a page draws. It lives where the agent lives: a page
// may be hidden, closed or loaded anew, and is sent all of it when it is ready.

/** The most of one tool's input or output that is kept to be shown. */
const MAX_SHOWN = 20_000;

class Transcript {
  #post;
  /** @type {{ id: string, kind: string, [member: string]: unknown }[]} */
  #items = [];
  #nextId = 1;

  /** @param {(message: object) => void} post */
  constructor(post) {
    this.#post = post;
  }

  get items() {
    return this.#items;
  }

  clear() {
    this.#items = [];
  }

  /** @returns {string} the id of the new item */
  add(item) {
    const id = `item-${this.#nextId++}`;
    this.#items.push({ id, ...item });
    this.#post({ type: 'put', item: this.#items.at(-1) });
    return id;
  }

  /** Changes an item; one that is gone with its session stays so. */
  change(id, members) {
    const item = this.#items.find((candidate) => candidate.id === id);
    if (item === undefined) return;
    Object.assign(item, members);
    this.#post({ type: 'put', item });
  }

  /** Takes an update of the session, as the agent sent it. */
  update(update) {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#say('answer', update.content);
      case 'agent_thought_chunk':
        return this.#say('thought', update.content);
      case 'tool_call':
      case 'tool_call_update':
        return this.#tool(update);
      case 'plan':
        return this.#plan(update.entries);
    }
  }

  /** Text joins the item before it when that is of the same kind. */
  #say(kind, content) {
    const text = content.type === 'text' ? content.text : `[${content.type}]`;
    const last = this.#items.at(-1);
    if (last?.kind !== kind) {
      this.add({ kind, text });
      return;
    }
    last.text += text;
    this.#post({ type: 'append', id: last.id, text });
  }

  #tool(update) {
    const { toolCallId, title, status, rawInput, content } = update;
    const told = {
      ...(title != null && { title }),
      ...(status != null && { status }),
      ...(rawInput != null && { input: inputText(rawInput) }),
      ...(content != null && { output: shown(content.map(contentText).join('\n')) }),
    };
    const known = this.#items.findLast((item) => item.toolCallId === toolCallId);
    if (known === undefined) this.add({ kind: 'tool', toolCallId, title: 'a tool', ...told });
    else this.change(known.id, told);
  }

  #plan(entries) {
    const last = this.#items.findLast(({ kind }) => kind === 'plan' || kind === 'question');
    if (last?.kind === 'plan') this.change(last.id, { entries });
    else this.add({ kind: 'plan', entries });
  }
}

function inputText(rawInput) {
  const isEmpty = typeof rawInput === 'object' && Object.keys(rawInput).length === 0;
  return isEmpty ? '' : shown(JSON.stringify(rawInput, undefined, 2));
}

function contentText(part) {
  if (part.type === 'diff') return `${part.path}\n${part.newText}`;
  if (part.type !== 'content') return `[${part.type}]`;
  return part.content.type === 'text' ? part.content.text : `[${part.content.type}]`;
}

function shown(text) {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n[… cut here]` : text;
}

module.exports = { Transcript };
