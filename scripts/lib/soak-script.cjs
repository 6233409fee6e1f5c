'use strict';
// The script of the soak's agents: a prompt is the list of its steps, as JSON.

/** @type {import('mini-me-client/testing').Script} */
module.exports = ({ question }) => JSON.parse(question);
