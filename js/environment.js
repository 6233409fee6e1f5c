'use strict';
// The environment of the agent. It is read in JavaScript: process.env of a worker is its own, and
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
 * @returns {[name: string, value: string][]}
 */
function agentEnvironment({ env = {}, inheritEnv = true }, inherited, platform) {
  /** @type {Map<string, [string, string]>} */
  const variables = new Map();
  // Windows does not tell case apart: PATH given must replace Path inherited.
  const keyOf = (/** @type {string} */ name) => (platform === 'win32' ? name.toUpperCase() : name);
  const all = inheritEnv
    ? Object.entries(inherited).filter(([name]) => !isKeptBack(keyOf(name)))
    : [];
  for (const [name, value] of [...all, ...Object.entries(env)]) {
    if (value === undefined) variables.delete(keyOf(name));
    else variables.set(keyOf(name), [name, value]);
  }
  return [...variables.values()];
}

module.exports = { agentEnvironment };
