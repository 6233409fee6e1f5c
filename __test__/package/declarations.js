'use strict';
// index.d.ts as the compiler reads it: what it exports, and the members of its classes and interfaces.

const path = require('node:path');
const ts = require('typescript');

const FILE = path.join(__dirname, '../../index.d.ts');
const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
  noEmit: true,
};

/**
 * @typedef {{ name: string, isOptional: boolean }} Member `name` is `[Symbol.x]` for a symbol
 *
 * @typedef {object} Shape of a class or an interface
 * @property {boolean} isClass
 * @property {Member[]} members of an instance, inherited ones too
 * @property {string[]} statics its own
 * @property {string[]} codes the words that its member `code` may be
 */

/**
 * @returns {{ values: string[], shapes: Map<string, Shape>, generics: string[] }} what is there at run
 * time; the types with members; the generics, those of methods as `Type.method`
 */
function readDeclarations() {
  const program = ts.createProgram([FILE], OPTIONS);
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(
    checker.getSymbolAtLocation(program.getSourceFile(FILE)),
  );
  const isA = (flags) => (symbol) => (symbol.flags & flags) !== 0;
  const shaped = symbols.filter(isA(ts.SymbolFlags.Class | ts.SymbolFlags.Interface));
  return {
    values: symbols.filter(isA(ts.SymbolFlags.Value)).map(({ name }) => name),
    shapes: new Map(shaped.map((symbol) => [symbol.name, shapeOf(checker, symbol)])),
    generics: symbols.flatMap(genericsOf),
  };
}

function shapeOf(checker, symbol) {
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return {
    isClass: (symbol.flags & ts.SymbolFlags.Class) !== 0,
    members: checker.getPropertiesOfType(type).map(memberOf),
    statics: [...(symbol.exports?.keys() ?? [])].filter((name) => name !== 'prototype'),
    codes: wordsOf(checker, type.getProperty('code')),
  };
}

function memberOf({ escapedName, flags }) {
  // The compiler calls the member of a symbol `__@asyncIterator@27`.
  const [, symbol] = /^__@(\w+)@\d+$/.exec(escapedName) ?? [];
  const name = symbol === undefined ? escapedName : `[Symbol.${symbol}]`;
  return { name, isOptional: (flags & ts.SymbolFlags.Optional) !== 0 };
}

function wordsOf(checker, symbol) {
  if (symbol === undefined) return [];
  const type = checker.getTypeOfSymbol(symbol);
  const types = type.isUnion() ? type.types : [type];
  return types.filter((one) => one.isStringLiteral()).map(({ value }) => value);
}

function genericsOf(symbol) {
  const isGeneric = ({ declarations }) =>
    declarations?.some(({ typeParameters }) => typeParameters !== undefined) ?? false;
  const methods = [...(symbol.members?.values() ?? [])].filter(
    (member) => (member.flags & ts.SymbolFlags.Method) !== 0 && isGeneric(member),
  );
  const names = methods.map(({ name }) => `${symbol.name}.${name}`);
  return isGeneric(symbol) ? [symbol.name, ...names] : names;
}

module.exports = { readDeclarations };
