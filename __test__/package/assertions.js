'use strict';
// What the type tests assert of: the types they name and the functions they call, in an `expectType`
// or around it.

const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const FOLDER = path.join(__dirname, '../types');

/** @returns {Set<string>} names of types and of functions */
function readAssertions() {
  const names = new Set();
  for (const file of fs.readdirSync(FOLDER).filter((name) => /\.m?ts$/.test(name))) {
    const source = fs.readFileSync(path.join(FOLDER, file), 'utf8');
    collect(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true), names);
  }
  return names;
}

function collect(node, names) {
  if (isAssertion(node)) {
    within(node, names);
    for (let at = node.parent; at !== undefined; at = at.parent) around(at, names);
  }
  ts.forEachChild(node, (child) => collect(child, names));
}

/** `expectType<…>()(…)` */
function isAssertion(node) {
  return (
    ts.isCallExpression(node) &&
    ts.isCallExpression(node.expression) &&
    node.expression.expression.getText() === 'expectType'
  );
}

function within(node, names) {
  own(node, names);
  ts.forEachChild(node, (child) => within(child, names));
}

/** What an assertion stands in: an argument of a call, the value of a variable with a type. */
function around(node, names) {
  own(node, names);
  if (ts.isVariableDeclaration(node) && node.type !== undefined) within(node.type, names);
}

function own(node, names) {
  if (ts.isTypeReferenceNode(node)) names.add(node.typeName.getText());
  if (!ts.isCallExpression(node)) return;
  const { expression } = node;
  names.add((ts.isPropertyAccessExpression(expression) ? expression.name : expression).getText());
}

module.exports = { readAssertions };
