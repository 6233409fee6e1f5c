// What is sent and how it is verified: count, order and content. The agent numbers every text in its
// first eight characters.

import { wallClockNs } from './clock.mjs';
import { agentFile } from './files.mjs';

const NUMBER_DIGITS = 8;
/** With a space, then the time it was sent at: digits of nanoseconds since the epoch. */
const TIME_FROM = NUMBER_DIGITS + 1;
const TIME_TO = TIME_FROM + 19;

/** Text with what agents write: quotes and line feeds, which JSON escapes. */
const PHRASE =
  'The "quick" fix:\n  let total = items.iter().map(|item| item.price).sum(); // one pass, no copy\n';
const UNICODE_PHRASE =
  'Das Ü-Modul — „fertig“ ✓ 修复了解析器 🚀 naïve café:\n  let sum = items.map(x => x + 1);\n';

/** What the agent calls its sessions, by their number from 0. */
export function sessionId(number) {
  return `session-${String(number).padStart(5, '0')}`;
}

/** Starts an agent with one of the clients of `clients/`. */
export async function connectTo(client, host) {
  const { connect } = await import(`../clients/${client}.mjs`);
  return await connect({ agent: agentFile(), ...host });
}

/** A text that makes the line of an update about `lineBytes` long. */
export function textFor(lineBytes, isUnicode = false) {
  const message = {
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: sessionId(0),
      update: {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: `${'0'.repeat(NUMBER_DIGITS)} ` },
      },
    },
  };
  let room = lineBytes - JSON.stringify(message).length - 1;
  let text = '';
  const characters = [...(isUnicode ? UNICODE_PHRASE : PHRASE)];
  for (let at = 0; ; at += 1) {
    const character = characters[at % characters.length];
    room -= Buffer.byteLength(JSON.stringify(character)) - 2;
    if (room < 0) return text;
    text += character;
  }
}

/** A text for messages of megabytes, and how often it is repeated there. */
export function repeated(bytes) {
  const text = PHRASE;
  const encoded = JSON.stringify(text).length - 2;
  return { text, repeat: Math.floor(bytes / encoded) };
}

/** Reads the updates of one prompt. */
export class Updates {
  count = 0;
  /** Of an update with a time: how long it was under way, ns. */
  latenciesNs = [];
  #command;
  #length;
  #wrong = [];
  #last;

  /** Of a connection where none may come. */
  static none() {
    return new Updates({ mode: 'none', text: '' }, false);
  }

  /** The text of an update, when `text` follows its number. */
  static numbered(number, text) {
    return `${String(number).padStart(NUMBER_DIGITS, '0')} ${text}`;
  }

  /** `isThorough` compares every text whole; without it length, last digit and count must do. */
  constructor(command, isThorough) {
    this.#command = command;
    const { mode, text, repeat = 1, busyUs } = command;
    const timeLength = mode === 'paced' ? TIME_TO - NUMBER_DIGITS : 0;
    this.#length = NUMBER_DIGITS + timeLength + 1 + text.length * repeat;
    this.receive = mode === 'paced' ? this.#timed : isThorough ? this.#thorough : this.#quick;
    if (busyUs !== undefined) this.receive = slowed(this.receive, BigInt(busyUs) * 1_000n);
  }

  /** Cheap, since it is part of what is measured: about 1 % of a stream by the fastest client. */
  #quick = ({ content: { text } }) => {
    const digit = text.charCodeAt(NUMBER_DIGITS - 1) - 48;
    if (text.length !== this.#length || digit !== this.count % 10) this.#note(text);
    this.count += 1;
    this.#last = text;
  };

  #thorough = ({ content: { text } }) => {
    if (text !== this.#expected(this.count)) this.#note(text);
    this.count += 1;
  };

  #timed = ({ content: { text } }) => {
    const now = wallClockNs();
    this.latenciesNs.push(Number(now - BigInt(text.slice(TIME_FROM, TIME_TO))));
    const untimed = text.slice(0, NUMBER_DIGITS) + text.slice(TIME_TO);
    if (untimed !== this.#expected(this.count)) this.#note(text);
    this.count += 1;
  };

  #expected(number) {
    const { text, repeat = 1 } = this.#command;
    return Updates.numbered(number, text.repeat(repeat));
  }

  #note(text) {
    if (this.#wrong.length < 3) this.#wrong.push(`#${this.count}: ${text.slice(0, 80)}`);
  }

  /** Throws when anything but what the command asks for has come. */
  verify() {
    const { mode, updates = mode === 'huge' ? 1 : 0 } = this.#command;
    if (this.count !== updates) throw new Error(`expected ${updates} updates, got ${this.count}`);
    if (this.#wrong.length > 0) throw new Error(`unexpected updates: ${this.#wrong.join('; ')}`);
    if (this.#last !== undefined && this.#last !== this.#expected(this.count - 1)) {
      throw new Error(`expected another last update: ${this.#last.slice(0, 80)}`);
    }
  }
}

/** A listener that works so long on each update. */
function slowed(receive, busyNs) {
  return (update) => {
    const endNs = process.hrtime.bigint() + busyNs;
    receive(update);
    while (process.hrtime.bigint() < endNs);
  };
}

/** What the tools answer; the agent checks it. */
export function toolsFor({ mode, text, repeat }) {
  const big = mode === 'result' ? text.repeat(repeat) : '';
  return { add: ({ title }) => `added ${title.slice(0, NUMBER_DIGITS)}`, big: () => big };
}
