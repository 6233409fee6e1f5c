'use strict';
// What the package exports; index.d.ts is the promise to users. A plain literal: Node finds the
// names in it for `import { MiniMe }`.

const {
  AgentError,
  ConnectionError,
  MiniMeError,
  OptionError,
  ProtocolError,
  StateError,
  ToolDefinitionError,
} = require('./errors');
const { loginShellEnv } = require('./login-shell');
const { MiniMe } = require('./mini-me');
const { defineTool, failure, text } = require('./tool');
const { workspaceFiles } = require('./workspace-files');

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
