'use strict';
// `mini-me-client check`, as a command: what it prints of a module, and its exit status.

const { afterEach, beforeEach, describe, expect, test } = require('@jest/globals');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const manifest = require('../../package.json');

const ROOT = path.resolve(__dirname, '../..');
const COMMAND = path.join(ROOT, manifest.bin['mini-me-client']);

let folder;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'mini-me-check-'));
  // Modules find the package by its name, as those of a user do.
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.symlinkSync(ROOT, path.join(folder, 'node_modules/mini-me-client'), 'junction');
});

afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Runs the command in the folder, with these arguments. */
function run(...args) {
  return node(COMMAND, ...args);
}

/** Runs Node.js in the folder, with these arguments. */
function node(...args) {
  const env = { ...process.env, NO_COLOR: '' };
  const child = spawn(process.execPath, args, { cwd: folder, env });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ ...output, status }));
  });
}

/** Checks a module of this source. */
function check(name, source, ...args) {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, source);
  return run('check', name, ...args);
}

async function document(name, source) {
  const { stdout, stderr, status } = await check(name, source, '--json');
  return { ...JSON.parse(stdout), stderr, status };
}

const namesOf = ({ tools }) => tools.map(({ name }) => name);
const codesOf = (findings) => findings.map(({ code }) => code);

const TWO_TOOLS = `
  const handle = () => 1;
  exports.tell = {
    name: 'tell me',
    description: 'Tells about this machine, in a sentence that is a little longer than a line of a terminal has room for.',
    inputSchema: {
      type: 'object',
      properties: {
        topic: { enum: ['os', 'cpu'], description: 'What to tell.' },
        from: {
          type: 'object',
          description: 'Where to begin.',
          properties: { file: { type: 'string', description: 'A path.' }, lines: { type: 'array', items: { type: 'integer' } } },
        },
      },
      required: ['topic'],
      additionalProperties: false,
    },
    handle,
  };
  exports.ping = { name: 'ping', handle };
`;

const REPORT = `client_ping
  _mini-me-client/ping
  Tool provided by the editor (_mini-me-client/ping).

  no parameters

client_tell_me
  _mini-me-client/tell_me
  Tells about this machine, in a sentence that is a little longer than a line of a terminal has room
  for. Required parameters: topic

  parameter   type       required  description
  topic       any        yes       What to tell. One of: os, cpu.
  from        object               Where to begin.
  from.file   string               A path.
  from.lines  integer[]

warning: client_ping: expected a description, the model reads: Tool provided by the editor
  (_mini-me-client/ping).
warning: client_tell_me: expected a description of from.lines

2 tools, 2 warnings, 0 errors
`;

describe('of a module without errors', () => {
  test('it prints what the model will see, then warnings, and ends with status 0', async () => {
    expect(await check('tools.js', TWO_TOOLS)).toEqual({ stdout: REPORT, stderr: '', status: 0 });
  });

  test('--json prints one document, whatever the module prints', async () => {
    const found = await document('tools.js', `process.stdout.write('loading');${TWO_TOOLS}`);
    expect(namesOf(found)).toEqual(['client_ping', 'client_tell_me']);
    expect(found.tools[0].inputSchema).toEqual({ type: 'object', properties: {} });
    expect(found.warnings).toEqual([
      expect.objectContaining({ code: 'no-description', tool: 'client_ping' }),
      expect.objectContaining({ code: 'no-parameter-description', tool: 'client_tell_me' }),
    ]);
    expect(found).toMatchObject({ errors: [], stderr: 'loading', status: 0 });
  });

  test('it ends, though the module has opened something', async () => {
    const source = `setInterval(() => {}, 1000); exports.a = { name: 'a', handle: () => 1 };`;
    expect(await check('tools.js', source)).toMatchObject({ status: 0 });
  });
});

describe('tools are found', () => {
  const A = `{ name: 'a', handle: () => 1 }`;
  const B = `{ name: 'b', handle: () => 1 }`;

  test.each([
    ['an export of CommonJS', 'tools.js', `exports.a = ${A};`, ['a']],
    ['the whole of CommonJS', 'tools.cjs', `module.exports = ${A};`, ['a']],
    ['lists of CommonJS', 'tools.cjs', `module.exports = { all: [${A}], b: ${B} };`, ['a', 'b']],
    ['exports of an ES module', 'tools.mjs', `export const a = ${A}, more = [${B}];`, ['a', 'b']],
    ['a default export', 'tools.mjs', `export default [${A}, ${B}];`, ['a', 'b']],
    ['a default export by name', 'tools.mjs', `export default { a: ${A} };`, ['a']],
    [
      'one tool under two names',
      'tools.mjs',
      `export const a = ${A}; export const all = [a];`,
      ['a'],
    ],
    ['a folder', 'tools/index.js', `exports.a = ${A};`, ['a']],
  ])('in %s', async (_name, file, source, names) => {
    const found = await document(file, source);
    expect(namesOf(found)).toEqual(names.map((name) => `client_${name}`));
    expect(found.errors).toEqual([]);
  });

  test('by a path without its ending, and by the name of a package', async () => {
    await check('tools.js', `exports.a = ${A};`);
    await check('node_modules/my-tools/index.js', `exports.b = ${B};`);
    expect((await run('check', './tools')).stdout).toContain('client_a');
    expect((await run('check', path.join(folder, 'tools'))).stdout).toContain('client_a');
    expect((await run('check', 'my-tools')).stdout).toContain('client_b');
  });

  test('in a client, under its namespace, without starting it', async () => {
    const found = await check(
      'tools.js',
      `const { MiniMe } = require('mini-me-client');
       const a = ${A};
       exports.a = a;
       exports.client = new MiniMe({ command: '/no/such', namespace: 'com.example', tools: [a, ${B}] });
       exports.client.addTool({ name: 'gone', handle: () => 1 }).remove();`,
    );
    expect(found.stdout).toContain('client_a\n  _mini-me-client/a\n');
    expect(found.stdout).toContain('client_b\n  _com.example/b\n');
    expect(found.stdout).toContain('\n2 tools, ');
    expect(found.status).toBe(0);
  });

  test('of a library that prints its schema', async () => {
    const source = `
      const { z } = require(${JSON.stringify(require.resolve('zod'))});
      exports.a = { name: 'a', description: 'A.', handle: () => 1,
        inputSchema: z.object({ at: z.string().describe('When.'), n: z.number().nullable().optional().describe('N.') }) };
    `;
    const { stdout } = await check('tools.js', source);
    expect(stdout).toContain(`  at         string         yes       When.\n`);
    expect(stdout).toContain(`  n          number | null            N.\n`);
    expect(stdout).toContain('1 tool, 0 warnings, 0 errors');
  });

  test('in TypeScript where Node.js runs it, else the remedy is told', async () => {
    const { stdout, status } = await check('tools.mts', `export const a: object = ${A};`);
    if (process.features.typescript) expect(stdout).toContain('client_a');
    else {
      expect(stdout.replace(/\s+/gu, ' ')).toContain(
        'give the compiled file, or use Node.js 22.18',
      );
      expect(status).toBe(1);
    }
  });
});

describe('errors', () => {
  test('are told for each tool that cannot be lent, and end it with status 1', async () => {
    const source = `
      const handle = () => 1;
      exports.tools = [
        { name: 'good', handle },
        { name: 'bad', handle: 7 },
        { name: 'short', handle, inputSchema: { path: { type: 'string' } } },
        { name: '日本', handle },
        null,
      ];
      exports.again = { name: 'good!', handle };
      exports.odd = { name: 'odd', get handle() { throw new Error('no luck'); } };
    `;
    const found = await document('tools.js', source);
    expect(namesOf(found)).toEqual(['client_good']);
    expect(found.errors.map(({ where, code }) => [where, code])).toEqual([
      ['tools[1]', 'MM_ERR_TOOL_HANDLE'],
      ['tools[2]', 'MM_ERR_TOOL_SCHEMA'],
      ['tools[3]', 'MM_ERR_TOOL_NAME'],
      ['tools[4]', 'MM_ERR_TOOL'],
      ['again', 'MM_ERR_TOOL_DUPLICATE'],
      ['odd', undefined],
    ]);
    expect(found.errors.at(-1).message).toBe('no luck');
    expect(found.status).toBe(1);
    const { stdout, status } = await run('check', 'tools.js');
    expect(stdout).toContain(
      'error: tools[1]: tool "bad": expected handle to be a function, got 7',
    );
    expect(stdout).toContain('\n1 tool, 1 warning, 6 errors\n');
    expect(status).toBe(1);
  });

  test.each([
    [
      'throws',
      'tools.js',
      `\nthrow new TypeError('no luck')`,
      /TypeError: no luck\n.*tools\.js:2:/u,
    ],
    ['cannot be parsed', 'tools.js', 'exports.a = {\n', /SyntaxError: .*\n.*tools\.js:2/u],
    ['needs what is not there', 'tools.mjs', `import 'no-such-thing'`, /no-such-thing/u],
    [
      'exports no tool',
      'tools.js',
      'exports.a = 1; exports.tools = () => []',
      /got the exports a, tools; .*functions of tools .* need a session/u,
    ],
    [
      'exports a function',
      'tools.mjs',
      'export default (session) => []',
      /got a function; .*functions of tools .* need a session/u,
    ],
    [
      'exports much',
      'tools.js',
      Array.from({ length: 13 }, (_, at) => `exports.e${at} = 1;`).join(''),
      /got the exports e0, e1, .*, e6 and 3 more$/u,
    ],
    ['is JSON', 'tools.json', '[]', /got a JSON file; give a module \(\.js, \.mjs, \.cjs\)/u],
    ['exports nothing', 'tools.mjs', '', /got no exports/u],
  ])('a module that %s is one', async (_name, file, source, message) => {
    const { errors, tools, status } = await document(file, source);
    expect(errors).toEqual([{ message: expect.stringMatching(message) }]);
    expect({ tools, status }).toEqual({ tools: [], status: 1 });
    expect(await run('check', file)).toMatchObject({
      stdout: expect.stringMatching(/^error: .*\n\n0 tools, 0 warnings, 1 error\n$/su),
      status: 1,
    });
  });

  test.each([
    ['waits for nothing', 'await new Promise(() => {})'],
    ['ends the process', 'process.exit(0)'],
  ])('a module that %s while it loads is one', async (_name, source) => {
    const message = 'expected the module to load, the process ended before it had';
    const { stdout, stderr, status } = await check('tools.mjs', source);
    expect({ stdout, stderr, status }).toEqual({
      stdout: '',
      stderr: `error: ${message}\n`,
      status: 1,
    });
    expect(await document('tools.mjs', source)).toEqual({
      tools: [],
      warnings: [],
      errors: [{ message }],
      stderr: '',
      status: 1,
    });
  });

  test('a module that has opened something, and does not come to its end, is one', async () => {
    const source = 'setInterval(() => {}, 1000); await new Promise(() => {});';
    fs.writeFileSync(path.join(folder, 'tools.mjs'), source);
    const command = JSON.stringify(path.join(ROOT, 'js/check/command.js'));
    const program = `require(${command}).check('./tools.mjs', { isJson: true, loadTimeoutMs: 200 })`;
    const { stdout, status } = await node('-e', program);
    const message = 'expected the module to load, it had not after 200 ms';
    expect(JSON.parse(stdout)).toEqual({ tools: [], warnings: [], errors: [{ message }] });
    expect(status).toBe(1);
  });

  test.each(['execute', 'run', 'handler'])(
    'what is meant for a tool, with %s for handle, is one',
    async (name) => {
      const source = `
        exports.good = { name: 'good', handle: () => 1 };
        exports.bad = { name: 'bad', description: 'B.', ${name}: () => 1 };
      `;
      const found = await document('tools.js', source);
      expect(namesOf(found)).toEqual(['client_good']);
      expect(found.errors).toEqual([
        {
          code: 'MM_ERR_TOOL_HANDLE',
          where: 'bad',
          message: expect.stringContaining(`got undefined; call it handle, not ${name}`),
        },
      ]);
    },
  );

  test.each([
    ['description', `'D.'`],
    ['method', `'_x/y'`],
    ['inputSchema', '{}'],
    ['parameters', '{}'],
  ])('so is an object with name and %s, also in a list', async (name, value) => {
    const { errors } = await document(
      'tools.mjs',
      `export const list = [{ name: 'a', handle: () => 1 }, { name: 'b', ${name}: ${value} }];`,
    );
    expect(errors).toMatchObject([{ code: 'MM_ERR_TOOL_HANDLE', where: 'list[1]' }]);
    const alone = await document('tools.cjs', `module.exports = { name: 'b', ${name}: ${value} };`);
    expect(alone.errors).toMatchObject([{ code: 'MM_ERR_TOOL_HANDLE', where: 'default' }]);
  });

  test('a module with a name and a description of its own is none', async () => {
    const source = `module.exports = {
      name: 'my-tools', description: 'D.', version: '1', all: [{ name: 'a', handle: () => 1 }] };`;
    const found = await document('tools.cjs', source);
    expect(found).toMatchObject({ tools: [{ name: 'client_a' }], errors: [] });
  });

  test.each([
    ['./none.js', 'expected a module at '],
    ['no-such-package', 'expected a file or a package no-such-package'],
  ])('a module that is not there is one: %s', async (name, message) => {
    const { stdout, status } = await run('check', name, '--json');
    expect(JSON.parse(stdout).errors[0].message).toContain(message);
    expect(status).toBe(1);
  });

  test('a package for import() alone is one, with the remedy', async () => {
    const exports = { '.': { import: './index.mjs' } };
    const manifest = JSON.stringify({ name: 'my-tools', exports });
    await check('node_modules/my-tools/package.json', manifest);
    const { stdout } = await run('check', 'my-tools');
    expect(stdout.replace(/\s+/gu, ' ')).toContain('give the path of the file that does');
  });

  test('a native file that does not load is one', async () => {
    process.env.MINI_ME_CLIENT_NATIVE = '/no/such.node';
    try {
      const found = await document('tools.js', TWO_TOOLS);
      expect(codesOf(found.errors)).toEqual(['MM_ERR_NATIVE']);
    } finally {
      delete process.env.MINI_ME_CLIENT_NATIVE;
    }
  });
});

describe('warnings', () => {
  const warningsOf = async (tool) => {
    const source = `exports.a = { description: 'D.', handle: () => 1, name: 'a', ...${tool} };`;
    const { warnings, status } = await document('tools.js', source);
    expect(status).toBe(0);
    return warnings.map(({ code, message }) => `${code}: ${message}`);
  };
  const withSchema = (schema) => warningsOf(`{ inputSchema: ${JSON.stringify(schema)} }`);
  const properties = (p) => ({ type: 'object', properties: { p } });

  test('tell of a name that is too long', async () => {
    expect(await warningsOf(`{ name: 'x'.repeat(58) }`)).toEqual([
      'tool-name-long: expected a name of at most 64 characters for the model, got 65',
    ]);
    expect(await warningsOf(`{ name: 'x'.repeat(57) }`)).toEqual([]);
  });

  test('tell of values without a description', async () => {
    expect(await withSchema(properties({ enum: ['a', 1] }))).toEqual([
      'no-enum-description: expected a description of p, the model reads: One of: a, 1.',
    ]);
    expect(await withSchema(properties({ type: 'array', items: { enum: ['a'] } }))).toEqual([
      'no-enum-description: expected a description of p, the model reads: One of: a.',
    ]);
  });

  test('tell of parameters without a description, and not of those described elsewhere', async () => {
    const items = { type: 'object', properties: { q: {} } };
    expect(await withSchema(properties({ type: 'array', items }))).toEqual([
      'no-parameter-description: expected a description of p, p[].q',
    ]);
    for (const p of [
      { $ref: '#/$defs/x' },
      { anyOf: [{ type: 'null' }, { type: 'string', description: 'D.' }] },
      { description: 'D.' },
    ]) {
      expect(await withSchema({ ...properties(p), $defs: { x: {} } })).toEqual([]);
    }
  });

  test('tell of keywords that the model does not see', async () => {
    const p = { type: 'object', description: 'D.', required: ['q'] };
    expect(await withSchema(properties(p))).toEqual([
      'tool-schema-lossy: the model does not see /properties/p/required of the schema; say it in a description',
    ]);
  });

  test('tell of parameters beside "properties"', async () => {
    expect(await withSchema({ type: 'object', p: { type: 'string' }, 'x-q': {} })).toEqual([
      'schema-stray: expected parameters under "properties" of the schema, got beside it: p',
    ]);
    const unchecked = `{ validate: false, inputSchema: { p: { type: 'string' } } }`;
    expect(await warningsOf(unchecked)).toEqual([expect.stringMatching(/^schema-stray: /u)]);
  });

  test.each(['properties_', 'Properties', 'property'])('tell what %s may be', async (name) => {
    expect(await withSchema({ type: 'object', [name]: { p: {} }, required: ['p'] })).toEqual([
      `schema-stray: expected parameters under "properties" of the schema, got beside it: ${name} (did you mean properties?)`,
    ]);
  });

  test('tell of required parameters that are not there', async () => {
    const p = { type: 'string', description: 'D.' };
    expect(await withSchema({ ...properties(p), required: ['p', 'q', 'r'] })).toEqual([
      'required-unknown: expected required parameters to be under "properties", got q, r',
    ]);
    expect(await withSchema({ type: 'object', required: ['q'] })).toEqual([
      'required-unknown: expected required parameters to be under "properties", got q',
    ]);
    const elsewhere = { allOf: [{ type: 'object', properties: { q: p } }] };
    const codes = await withSchema({ ...properties(p), ...elsewhere, required: ['q'] });
    expect(codes.filter((code) => code.startsWith('required-unknown'))).toEqual([]);
  });

  test('tell of a list of values that is empty, and not that the model does not see it', async () => {
    const p = { description: 'D.', enum: [] };
    const schema = { type: 'object', properties: { 'p/~': p } };
    expect(await withSchema(schema)).toEqual([
      'enum-empty: expected values in /properties/p~1~0/enum of the schema, got none; no argument fits',
    ]);
  });

  test('have a row each in docs/testing.md', () => {
    const source = fs.readFileSync(path.join(ROOT, 'js/check/review.js'), 'utf8');
    const codes = [...source.matchAll(/warn\(\s*'([a-z-]+)'/gu)].map(([, code]) => code);
    const docs = fs.readFileSync(path.join(ROOT, 'docs/testing.md'), 'utf8');
    expect(codes).toHaveLength(8);
    expect(codes.filter((code) => !docs.includes(`\n| \`${code}\` `))).toEqual([]);
  });
});

describe('the command line', () => {
  test.each([['--help'], ['-h'], ['check', '--help']])(
    '%s prints how it is used',
    async (...args) => {
      const { stdout, status } = await run(...args);
      expect(stdout).toMatch(/^usage: mini-me-client check MODULE/u);
      expect(status).toBe(0);
    },
  );

  test('--version prints the version of the package', async () => {
    expect(await run('--version')).toEqual({
      stdout: `${manifest.version}\n`,
      stderr: '',
      status: 0,
    });
  });

  test.each([
    [[], 'expected the command check, got none'],
    [['run', 'x'], 'expected the command check, got "run"'],
    [['check'], 'check: expected one module, got none'],
    [['check', 'a', 'b'], 'check: expected one module, got 2'],
    [['check', 'a', '--jsn'], 'expected options among --json, --help, --version; got --jsn'],
    [['check', 'a', '-x'], 'expected options among --json, --help, --version; got -x'],
  ])('%j is wrong: it says why, how it is used, and ends with status 2', async (args, message) => {
    const { stdout, stderr, status } = await run(...args);
    expect(stdout).toBe('');
    expect(stderr).toContain(`error: `);
    expect(stderr).toContain(message);
    expect(stderr).toContain('usage: mini-me-client check MODULE');
    expect(status).toBe(2);
  });

  test('that is wrong is told in a document, too, with --json', async () => {
    const { stdout, stderr, status } = await run('check', '--json');
    const message = 'check: expected one module, got none';
    expect(JSON.parse(stdout)).toEqual({ tools: [], warnings: [], errors: [{ message }] });
    expect(stderr).toContain(`error: ${message}`);
    expect(status).toBe(2);
  });
});
