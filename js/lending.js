'use strict';
// Lends tools over MCP: each opening of a session gives the agent an MCP server of its own, which the
// native side runs. Source: docs/protocol.md, "Carriers".

const path = require('node:path');
const { callNative } = require('./errors');
const { isObject, member } = require('./json');
const { clearTimeout, setTimeout } = require('./schedule');

/** When nothing has come to a session's server for so long, the agent does not know of it; ms. */
const IGNORED_MS = 5_000;
/** Letters and digits alone: agents put a name of their own around it, and some split that at `_`. */
const NAME = 'client';
const NAME_DIGITS = 5;
/** What mm calls itself, and what takes its place. */
const MINI_ME = /^(?:mm|mini-?me(?:-.*)?)$/i;
const BRIDGE = path.join(__dirname, 'mcp-bridge.js');

/**
 * @typedef {import('./types').ReadTool} ReadTool
 * @typedef {import('./tool').RegisteredTool} RegisteredTool
 *
 * @typedef {object} Lease an MCP server for one session
 * @property {string} name of the server
 * @property {import('../index').McpServer} entry as it goes to the agent
 * @property {readonly RegisteredTool[]} tools
 * @property {string | undefined} sessionId once it is known
 * @property {NodeJS.Timeout | undefined} timer
 */

/** The MCP side of one client. */
class Lending {
  #client;
  /**
   * undefined: not decided yet.
   * @type {boolean | undefined}
   */
  #isMcp;
  /** @type {Map<string, Lease>} */
  #byName = new Map();
  /** @type {Map<string, Lease>} */
  #bySession = new Map();

  /** @param {import('./client').Client} client */
  constructor(client) {
    this.#client = client;
    const { carrier } = client.options;
    if (carrier !== 'auto') this.#isMcp = carrier === 'mcp';
  }

  /** Whether tools are lent over MCP; not before it is known. */
  get isMcp() {
    return this.#isMcp === true;
  }

  /** The agent is known: whether its tools are lent over MCP. */
  decide() {
    this.#isMcp ??= !isMiniMe(this.#client.agent());
    if (this.#isMcp && this.#client.options.carrier === 'auto') this.#client.native.chooseMcp();
    return this.#isMcp;
  }

  /** mm has told what it took. */
  heard() {
    this.#isMcp ??= false;
  }

  /**
   * Lends the client's own tools and more to a session that is going to be opened; undefined when
   * there are none. Throws MM_ERR_LISTEN.
   * @param {string | undefined} sessionId
   * @param {readonly ReadTool[]} more
   */
  lend(sessionId, more) {
    const { tools } = this.#client;
    const known = sessionId === undefined ? undefined : this.#bySession.get(sessionId);
    const name = known?.name ?? this.#freeName();
    const list = sessionId ?? name;
    const isEmpty = tools.give(list, more).length === 0;
    const lent = tools.lentTo(list);
    if (known !== undefined) {
      known.tools = lent;
      return known;
    }
    if (isEmpty) {
      this.#drop(list);
      return undefined;
    }
    try {
      const entry = this.#open(name, list, sessionId);
      /** @type {Lease} */
      const lease = { name, entry, tools: lent, sessionId: undefined, timer: undefined };
      this.#byName.set(name, lease);
      return lease;
    } catch (error) {
      this.#drop(list);
      throw error;
    }
  }

  /**
   * The session is open: from now on it is watched whether the agent comes.
   * @param {Lease} lease
   * @param {string} sessionId
   */
  opened(lease, sessionId) {
    const { native, tools } = this.#client;
    if (lease.sessionId === undefined) {
      lease.sessionId = sessionId;
      this.#bySession.set(sessionId, lease);
      tools.rename(lease.name, sessionId);
      native.bindLease(lease.name, sessionId);
    }
    clearTimeout(lease.timer);
    lease.timer = setTimeout(() => this.#tellIgnored(lease, sessionId), IGNORED_MS);
    lease.timer.unref?.();
  }

  /**
   * The opening is over; a lease whose session was not opened is taken back.
   * @param {Lease} lease
   * @param {string} [sessionId] that was named
   */
  settled(lease, sessionId) {
    if (lease.sessionId !== undefined) return;
    this.#byName.delete(lease.name);
    this.#client.native.dropLease(lease.name);
    this.#drop(sessionId ?? lease.name);
  }

  /** @param {string} sessionId */
  forget(sessionId) {
    const lease = this.#bySession.get(sessionId);
    if (lease === undefined) return;
    clearTimeout(lease.timer);
    this.#bySession.delete(sessionId);
    this.#byName.delete(lease.name);
  }

  /** Nothing is lent any more. */
  end() {
    if (this.#client.options.carrier === 'mini-me') return;
    for (const { timer } of this.#byName.values()) clearTimeout(timer);
    this.#client.native.endLending();
  }

  /**
   * The lent tool that a tool call of the session is told to be. Agents have no common word for it: the
   * server and the tool have to be named exactly, and nothing else beside them.
   * @param {import('./types').RawToolCall} told
   * @param {string} sessionId
   */
  toolOf({ kind, title, rawInput }, sessionId) {
    const lease = this.#bySession.get(sessionId);
    if (lease === undefined) return undefined;
    const { name: server, tools } = lease;
    const isNamed = (/** @type {string} */ tool) =>
      (member(rawInput, 'server') === server && member(rawInput, 'tool') === tool) ||
      (kind === 'other' && titlesOf(server, tool).some((known) => known === title));
    return tools.find(({ modelName }) => isNamed(modelName));
  }

  /**
   * @param {string} name
   * @param {string} list
   * @param {string | undefined} session
   * @returns {Lease['entry']}
   */
  #open(name, list, session) {
    // Not at the head: it takes a third of what a start may take, and few programs need it.
    const { randomBytes } = require('node:crypto');
    const os = require('node:os');
    const token = randomBytes(32).toString('hex');
    const by = this.#client.can('mcpCapabilities', 'http') ? 'http' : 'stdio';
    const temporaryFolder = os.tmpdir();
    const lease = JSON.stringify({ name, token, list, session, by, temporaryFolder });
    /** @type {import('./types').NativeAddress} */
    const address = JSON.parse(callNative(() => this.#client.native.openLease(lease)));
    if ('url' in address) {
      const headers = [{ name: 'Authorization', value: `Bearer ${token}` }];
      return { type: 'http', name, url: address.url, headers };
    }
    const variables = {
      MINI_ME_CLIENT_SOCKET: address.socket,
      MINI_ME_CLIENT_SERVER: name,
      MINI_ME_CLIENT_TOKEN: token,
      ...(process.versions.electron !== undefined && { ELECTRON_RUN_AS_NODE: '1' }),
    };
    const env = Object.entries(variables).map(([variable, value]) => ({ name: variable, value }));
    return { name, command: process.execPath, args: [BRIDGE], env };
  }

  #freeName() {
    const { randomInt } = require('node:crypto');
    let name = '';
    do {
      const number = randomInt(36 ** NAME_DIGITS);
      name = NAME + number.toString(36).padStart(NAME_DIGITS, '0');
    } while (this.#byName.has(name));
    return name;
  }

  /** @param {string} list */
  #drop(list) {
    this.#client.tools.forget(list);
    this.#client.native.forgetList(list);
  }

  /**
   * @param {Lease} lease
   * @param {string} sessionId
   */
  #tellIgnored({ name, tools }, sessionId) {
    if (this.#client.native.isLeaseUsed(name)) return;
    const names = tools.map((tool) => tool.name);
    const message = `the agent has not come to the MCP server ${name} for ${IGNORED_MS} ms after it opened the session; it seems to ignore mcpServers, and the model has none of the lent tools: ${names.join(', ')}`;
    const details = { sessionId, server: name, tools: names, waitedMs: IGNORED_MS };
    this.#client.diagnose('lent-tools-ignored', message, details);
  }
}

/**
 * Whether the agent takes tools by mm's own protocol.
 * @param {import('../index').AgentInfo | undefined} agent
 */
function isMiniMe(agent) {
  const meta = member(agent?.capabilities, '_meta');
  const says = isObject(meta) && Object.keys(meta).some((key) => key.startsWith('org.mini-me/'));
  return says || MINI_ME.test(agent?.name ?? '');
}

/**
 * What agents were seen to call a tool of a server.
 * @param {string} server
 * @param {string} tool
 */
function titlesOf(server, tool) {
  return [
    `mcp__${server}__${tool}`,
    `mcp_${server}_${tool}`,
    `mcp_${server}.${tool}`,
    `mcp.${server}.${tool}`,
    `${server}-${tool}`,
    `${server}_${tool}`,
    `${server}__${tool}`,
    `${server}/${tool}`,
    `${tool} (${server} MCP Server)`,
  ];
}

module.exports = { Lending };
