'use strict';
// Schemas of validation libraries (zod, ArkType, valibot...), by https://standardschema.dev: each prints
// itself as JSON Schema for the model, and checks arguments itself. No library is loaded here.

const { createError } = require('./errors');
const { isObject, member } = require('./json');
const { errorText, isThenable } = require('./result');

/** The drafts that are asked for, best first. */
const TARGETS = ['draft-2020-12', 'draft-07'];
/** As src/tools/limits.rs has them for plain JSON Schema. */
const MOST_COMPLAINTS = 10;
const LONGEST_COMPLAINT = 400;

const REMEDY =
  'use zod 4.2 or ArkType 2.1.28 or later, wrap a valibot schema in toStandardJsonSchema() of @valibot/to-json-schema, or give plain JSON Schema';

/**
 * @typedef {import('../index').StandardToolSchema['~standard']} Standard
 *
 * What a validator says: the arguments as the handler is to get them, or what is wrong with them.
 * @typedef {{ readonly args: any, readonly complaints?: undefined }
 *   | { readonly complaints: string }} Checked
 * @typedef {(args: unknown) => Checked | PromiseLike<Checked>} ArgumentsCheck
 */

/**
 * Whether a schema is one of a library; ArkType's are functions.
 * @param {unknown} schema
 */
function isStandard(schema) {
  return (isObject(schema) || typeof schema === 'function') && '~standard' in schema;
}

/**
 * Reads a library's schema.
 * @param {string} name of the tool
 * @param {unknown} schema
 * @returns {{ json: Record<string, unknown>, check: ArgumentsCheck }}
 */
function readStandard(name, schema) {
  const { '~standard': standard } = /** @type {{ '~standard': unknown }} */ (schema);
  checkStandard(name, standard);
  return { json: print(name, standard), check: (args) => validate(standard, args) };
}

/**
 * @param {string} name
 * @param {unknown} standard
 * @returns {asserts standard is Standard}
 */
function checkStandard(name, standard) {
  const vendor = member(standard, 'vendor');
  const of = typeof vendor === 'string' ? ` (of ${vendor})` : '';
  if (member(standard, 'version') !== 1 || typeof member(standard, 'validate') !== 'function') {
    const message = `inputSchema${of} to follow Standard Schema, version 1, with ~standard.validate`;
    throw refuse(name, `expected ${message}; ${REMEDY}`);
  }
  if (typeof member(member(standard, 'jsonSchema'), 'input') !== 'function') {
    const message = `inputSchema${of} to print itself as JSON Schema, with ~standard.jsonSchema`;
    throw refuse(name, `expected ${message}; ${REMEDY}`);
  }
}

/**
 * The schema as JSON Schema.
 * @param {string} name
 * @param {Standard} standard
 */
function print(name, standard) {
  /** @type {unknown} */
  let cause;
  for (const target of TARGETS) {
    try {
      const json = standard.jsonSchema.input({ target });
      if (isObject(json)) return json;
      cause = new TypeError('expected ~standard.jsonSchema.input() to give an object');
    } catch (error) {
      cause = error;
    }
  }
  const message = `expected inputSchema to be printable as JSON Schema: ${errorText(cause)}`;
  throw refuse(name, message, cause);
}

/**
 * @param {string} name
 * @param {string} message
 * @param {unknown} [cause]
 */
function refuse(name, message, cause) {
  return createError('MM_ERR_TOOL_SCHEMA', `tool "${name}": ${message}`, { name }, { cause });
}

/**
 * Throws what the validator throws.
 * @param {Standard} standard
 * @param {unknown} args
 * @returns {Checked | PromiseLike<Checked>}
 */
function validate(standard, args) {
  const result = standard.validate(args);
  return isThenable(result) ? result.then(read) : read(result);
}

/**
 * @param {unknown} result as the standard has it; nothing else is sure
 * @returns {Checked}
 */
function read(result) {
  if (typeof result !== 'object' || result === null) {
    throw new TypeError('expected the schema to give a result, it gave none');
  }
  const { issues, value } = /** @type {{ issues?: unknown, value?: unknown }} */ (result);
  // By the standard anything falsy is success; a list may be an array of the library's own kind.
  return issues ? { complaints: complaintsOf(listOf(issues)) } : { args: value };
}

/**
 * The members of a list that a library gives; none where it is no list.
 * @param {unknown} list
 * @returns {unknown[]}
 */
function listOf(list) {
  const isList = typeof list === 'object' && list !== null && Symbol.iterator in list;
  return isList ? [.../** @type {Iterable<unknown>} */ (list)] : [];
}

/**
 * The lines the model reads: `path: message`.
 * @param {readonly unknown[]} issues as the standard has them; nothing of it is sure
 */
function complaintsOf(issues) {
  const lines = issues.slice(0, MOST_COMPLAINTS).map((issue) => {
    const message = member(issue, 'message');
    return shortened(
      `${pathOf(listOf(member(issue, 'path')))}: ${wordsOf(message)}${unionOf(issue)}`,
    );
  });
  const more = issues.length - lines.length;
  if (more > 0) lines.push(`... and ${more} more`);
  return lines.join('\n') || 'arguments: refused by the schema';
}

/** @param {unknown} message */
function wordsOf(message) {
  const text = typeof message === 'string' ? message.replace(/\s+/g, ' ').trim() : '';
  return text || 'refused by the schema';
}

/**
 * What each alternative of a union says first. The standard has no place for it; zod has it in `errors`,
 * and nothing but "Invalid input" in the message.
 * @param {unknown} issue
 */
function unionOf(issue) {
  const alternatives = listOf(member(issue, 'errors')).slice(0, MOST_COMPLAINTS);
  const words = alternatives.flatMap((issues) => {
    const [first] = listOf(issues);
    if (first === undefined) return [];
    const path = listOf(member(first, 'path'));
    return [`${path.length > 0 ? `${pathOf(path)}: ` : ''}${wordsOf(member(first, 'message'))}`];
  });
  return words.length > 0 ? ` (${words.join('; or ')})` : '';
}

/**
 * A path as JavaScript writes it: `items[2].name`, `["odd name"]`; the root is `arguments`.
 * @param {readonly unknown[]} path
 */
function pathOf(path) {
  let text = '';
  for (const segment of path) {
    const key = isObject(segment) ? segment.key : segment;
    if (typeof key === 'number') text += `[${key}]`;
    else if (typeof key === 'string' && !/^[\p{L}\p{N}_$]+$/u.test(key)) {
      text += `[${JSON.stringify(key)}]`;
    } else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text || 'arguments';
}

/** @param {string} line */
function shortened(line) {
  if (line.length <= LONGEST_COMPLAINT) return line;
  return `${line.slice(0, LONGEST_COMPLAINT - 1)}…`;
}

module.exports = { isStandard, readStandard };
