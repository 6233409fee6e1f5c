'use strict';
// The environment of the agent, and of what it runs. It is read in JavaScript: process.env of a worker is its own, and
// the native side would see the process's.

/** Variables that are meant for this very process: they would break the agent, or tools it starts. */
const KEPT_BACK = new Set([
  'ELECTRON_RUN_AS_NODE',
  'ELECTRON_NO_ATTACH_CONSOLE',
  'ELECTRON_NO_ASAR',
  'NODE_OPTIONS',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
]);
const KEPT_BACK_PREFIXES = ['VSCODE_'];

/** @param {string} name */
function isKeptBack(name) {
  return KEPT_BACK.has(name) || KEPT_BACK_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * All variables of the agent, as pairs. `env` is added last; `undefined` removes a variable.
 * @param {Pick<import('../index').MiniMeOptions, 'env' | 'inheritEnv'>} options
 * @param {Readonly<Record<string, string | undefined>>} inherited
 * @param {string} platform as `process.platform`
 */
function agentEnvironment({ env = {}, inheritEnv = true }, inherited, platform) {
  const all = inheritEnv
    ? Object.entries(inherited).filter(([name]) => !isKeptBack(keyOf(name, platform)))
    : [];
  return withVariables(all, Object.entries(env), platform);
}

/**
 * @typedef {readonly (readonly [name: string, value: string | undefined])[]} Pairs
 *
 * Variables with more on top; `undefined` removes one.
 * @param {Pairs} variables
 * @param {Pairs} more
 * @param {string} platform as `process.platform`
 */
function withVariables(variables, more, platform) {
  /** @type {Map<string, [name: string, value: string]>} */
  const all = new Map();
  for (const [name, value] of [...variables, ...more]) {
    if (value === undefined) all.delete(keyOf(name, platform));
    else all.set(keyOf(name, platform), [name, value]);
  }
  return [...all.values()];
}

/**
 * Windows does not tell case apart: PATH given must replace Path inherited.
 * @param {string} name
 * @param {string} platform
 */
function keyOf(name, platform) {
  return platform === 'win32' ? name.toUpperCase() : name;
}

module.exports = { agentEnvironment, withVariables };
