// What the benchmarks ask of every client they measure. Types alone.

/**
 * Starts the agent and resolves when it has answered `initialize`.
 * @callback Connect
 * @param {Host} host
 * @returns {Promise<Connection>}
 */

/**
 * @typedef {object} Host
 * @property {string} agent the program to start, without arguments
 * @property {(update: { content: { text: string } }, sessionId: string) => void} onUpdate
 * @property {number} [moreTools] how many tools to lend that are never called; only this package's client does
 * @property {{ add(args: { title: string }): string, big?(): string }} tools what the handlers of `_bench/add` and
 *   `_bench/big` answer, as the text of one block
 *
 * @typedef {object} Connection
 * @property {() => Promise<(text: string) => Promise<{ _meta: object }>>} open opens a session; gives what sends it a
 *   prompt and resolves with the agent's answer, once every update before it was handed on
 * @property {() => unknown} close
 */

export {};
