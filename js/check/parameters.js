'use strict';
// Walks the parameters that a schema describes, as a table shows them.

const { isObject } = require('../json');

/**
 * @typedef {object} Parameter
 * @property {string} name with those around it: `from.line`, `tags[].label`
 * @property {Readonly<Record<string, unknown>> | boolean} schema
 * @property {boolean} isRequired
 */

/**
 * The parameters of a schema, those of objects and lists of objects included.
 * @param {unknown} schema
 * @param {string} [around]
 * @returns {Generator<Parameter, void>}
 */
function* parametersOf(schema, around = '') {
  if (!isObject(schema) || !isObject(schema.properties)) return;
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [key, property] of Object.entries(schema.properties)) {
    const name = `${around}${key}`;
    const isRequired = required.includes(key);
    yield { name, schema: isObject(property) ? property : property === true, isRequired };
    yield* inner(property, name);
  }
}

/**
 * @param {unknown} schema
 * @param {string} name
 * @returns {Generator<Parameter, void>}
 */
function* inner(schema, name) {
  if (!isObject(schema)) return;
  yield* parametersOf(schema, `${name}.`);
  yield* inner(schema.items, `${name}[]`);
}

/** With one of these, parameters may be told elsewhere than under `properties`. */
const ELSEWHERE = [
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
  'if',
  'patternProperties',
  'dependentSchemas',
];

/**
 * The names that the root of a schema requires, and that are no parameters of it.
 * @param {unknown} schema
 * @returns {string[]}
 */
function unknownRequired(schema) {
  if (!isObject(schema) || !Array.isArray(schema.required)) return [];
  if (ELSEWHERE.some((keyword) => Object.hasOwn(schema, keyword))) return [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  return schema.required.filter((name) => !Object.hasOwn(properties, name));
}

/**
 * The value that a JSON pointer points to.
 * @param {unknown} json
 * @param {string} pointer
 */
function valueAt(json, pointer) {
  /** @type {any} */
  let value = json;
  for (const part of pointer.split('/').slice(1))
    value = value?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  return value;
}

/**
 * The type of a parameter in a few words: `string`, `integer[]`, `string | null`.
 * @param {unknown} schema
 * @returns {string}
 */
function typeOf(schema) {
  if (!isObject(schema)) return 'any';
  const { type, items, $ref: reference } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(type)) return type.join(' | ');
  if (type === 'array') return isObject(items) ? listOf(typeOf(items)) : 'any[]';
  if (typeof type === 'string') return type;
  if (typeof reference === 'string') return reference.split('/').at(-1) || 'any';
  for (const keyword of ['anyOf', 'oneOf']) {
    const schemas = schema[keyword];
    if (Array.isArray(schemas)) return [...new Set(schemas.map(typeOf))].join(' | ') || 'any';
  }
  return isObject(schema.properties) ? 'object' : 'any';
}

/** @param {string} type */
function listOf(type) {
  return type.includes(' ') ? `(${type})[]` : `${type}[]`;
}

module.exports = { parametersOf, typeOf, unknownRequired, valueAt };
