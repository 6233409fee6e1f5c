'use strict';
// One turn: a prompt, the updates it brings, its result. What is sent and cancelled, and when, is
// the session's affair (session.js, cancel.js).

const { createError } = require('./errors');
const { Picked, Stream } = require('./stream');

/** How much of its updates a turn keeps while nobody has taken an iterator, in bytes. */
const KEPT_BYTES = 256 * 1024;

function ignore() {
  // Somebody reads the turn by iterator, and gets its error there.
}

/** See `Turn` in index.d.ts. */
class Turn {
  #kept = [];
  #keptBytes = 0;
  /** Updates came that no iterator can be given any more. */
  #isMissed = false;
  #streams = new Set();
  #parts = [];
  #resolve;
  #reject;
  #outcome;
  #unread;
  #cancel;

  /** `cancel(turn, options)` ends the turn; `unread` is shared by the client's streams. */
  constructor(unread, cancel) {
    this.#unread = unread;
    this.#cancel = cancel;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    Object.defineProperty(this, 'result', { enumerable: false, writable: false });
  }

  get [Symbol.toStringTag]() {
    return 'Turn';
  }

  // biome-ignore lint/suspicious/noThenProperty: a turn is awaited, as index.d.ts says
  then(onResult, onError) {
    return this.result.then(onResult, onError);
  }

  catch(onError) {
    return this.result.catch(onError);
  }

  finally(onEnd) {
    return this.result.finally(onEnd);
  }

  cancel(options) {
    return this.#cancel(this, options);
  }

  [Symbol.asyncIterator]() {
    return this.#openStream();
  }

  textStream() {
    return new Picked(this.#openStream(), textOf);
  }

  get isSettled() {
    return this.#outcome !== undefined;
  }

  /** An update of this turn. */
  deliver(update, text, size) {
    if (text !== undefined) this.#parts.push(text);
    for (const stream of this.#streams) stream.push(update, size);
    if (this.#streams.size === 0 && !this.#isMissed) this.#keep(update, size);
  }

  /** The agent's answer, or what stands for it. */
  succeed(stopReason, raw) {
    if (this.isSettled) return;
    const usage = typeof raw.usage === 'object' && raw.usage !== null ? raw.usage : undefined;
    this.#settle({});
    this.#resolve(turnResult(stopReason, this.#parts, usage, raw));
  }

  fail(error) {
    if (this.isSettled) return;
    this.#settle({ failure: { error } });
    this.#reject(error);
  }

  #settle(outcome) {
    this.#outcome = outcome;
    for (const stream of this.#streams) stream.end(outcome.failure);
  }

  #keep(update, size) {
    this.#keptBytes += size;
    if (this.#keptBytes > KEPT_BYTES) {
      this.#isMissed = true;
      this.#kept = [];
      return;
    }
    this.#kept.push({ update, size });
  }

  #openStream() {
    this.result.catch(ignore);
    const stream = new Stream(this.#unread, (left) => this.#leave(left));
    if (this.#isMissed) {
      const message =
        'expected the iterator to be taken before 256 KiB of updates had come; take it right after prompt()';
      stream.end({ error: createError('MM_ERR_UNREAD', message, { keptBytes: KEPT_BYTES }) });
      return stream;
    }
    for (const { update, size } of this.#kept) stream.push(update, size);
    this.#kept = [];
    this.#keptBytes = 0;
    // Whoever comes later would miss what this one was given.
    this.#isMissed = true;
    if (this.#outcome !== undefined) stream.end(this.#outcome.failure);
    else this.#streams.add(stream);
    return stream;
  }

  #leave(stream) {
    this.#streams.delete(stream);
  }
}

function textOf(update) {
  if (update.sessionUpdate !== 'agent_message_chunk') return undefined;
  return update.content?.type === 'text' ? update.content.text : undefined;
}

/** A result whose text is joined when it is first read: joining costs as much as the whole stream. */
function turnResult(stopReason, parts, usage, raw) {
  const result = { stopReason, text: '', usage, raw };
  Object.defineProperty(result, 'text', {
    enumerable: true,
    configurable: true,
    get() {
      const value = parts.join('');
      Object.defineProperty(result, 'text', { value, enumerable: true, configurable: true });
      return value;
    },
  });
  return result;
}

module.exports = { Turn, textOf };
