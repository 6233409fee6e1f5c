'use strict';
// Makes CommonJS of what is published as ECMAScript modules alone: jest's own `require` cannot load those.

const ts = require('typescript');

const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };

module.exports = {
  process: (source, fileName) => ({
    code: ts.transpileModule(source, { fileName, compilerOptions }).outputText,
  }),
};
