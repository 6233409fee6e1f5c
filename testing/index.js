'use strict';
// A folder of its own, for resolvers that do not read `exports`.

module.exports = require('../js/testing');
