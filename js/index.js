'use strict';
// What the package exports; index.d.ts is the promise to users. A plain literal: Node finds the
// names in it for `import { MiniMe }`, and reads them all: a getter would load at once what it is to load
// when it is called.

const {
  AgentError,
  ConnectionError,
  MiniMeError,
  OptionError,
  ProtocolError,
  StateError,
  ToolDefinitionError,
} = require('./errors');
const { MiniMe } = require('./mini-me');
const { defineTool, failure, text } = require('./tool');

/** @type {typeof import('../index').loginShellEnv} */
function loginShellEnv(options) {
  return require('./login-shell').loginShellEnv(options);
}

/** @type {typeof import('../index').workspaceFiles} */
function workspaceFiles(roots, options) {
  return require('./workspace-files').workspaceFiles(roots, options);
}

module.exports = {
  AgentError,
  ConnectionError,
  MiniMe,
  MiniMeError,
  OptionError,
  ProtocolError,
  StateError,
  ToolDefinitionError,
  defineTool,
  failure,
  loginShellEnv,
  text,
  workspaceFiles,
};
