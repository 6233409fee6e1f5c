'use strict';
// What `mini-me-client/testing` gives. Names and types: testing/index.d.ts.

const { callTool } = require('./call-tool');
const { standIn } = require('./stand-in');

module.exports = { callTool, standIn };
