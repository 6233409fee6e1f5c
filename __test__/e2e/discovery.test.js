'use strict';

const { describe, expect, test } = require('@jest/globals');
const { agent, codesOf, record, useClients } = require('./harness');

const open = useClients();
const inputSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { topic: { type: 'string', enum: ['os', 'cpu'], description: 'What' } },
  required: ['topic'],
  additionalProperties: false,
};
const tools = [
  { name: 'todo', handle: () => 1 },
  {
    name: 'Open Buffers',
    description: 'Lists.',
    method: '_ed/buffers',
    inputSchema,
    handle: () => 1,
  },
];
const LIST = [
  { name: 'todo', method: '_mini-me-client/todo' },
  { name: 'Open Buffers', description: 'Lists.', method: '_ed/buffers', inputSchema },
];

/** The `_meta` of the capabilities that the agent is told. */
async function announced(options) {
  const { raw } = await open({ ...agent('tells-itself'), ...options }).start();
  return raw._meta.params.clientCapabilities._meta;
}

/** What a client tells whose agent writes `lines` to stderr. */
async function heard(lines, options = {}) {
  const client = open({ ...agent('logs', ...lines), tools, ...options });
  const told = record(client);
  await client.start();
  await client.close();
  return told;
}

describe('meta discovery', () => {
  test('puts the list into initialize, as it was given', async () => {
    const meta = await announced({ tools });
    expect(meta).toEqual({ 'org.mini-me/tools': LIST });
  });

  test('is the default', async () => {
    expect(await announced({ tools, discovery: 'meta' })).toEqual(await announced({ tools }));
  });

  test('leaves the key out when no tool is lent', async () => {
    expect(await announced({})).toBeUndefined();
  });

  test('answers an agent that asks for the list all the same, and tells discovery-mismatch', async () => {
    const client = open({ ...agent('asks-for-tools'), tools });
    const told = record(client);
    const session = await client.newSession({ cwd: '/tmp' });
    expect(JSON.parse(session.raw.answer).result.tools).toEqual(LIST);
    expect(told.toolsRequested).toEqual([{ sessionId: 's1', cwd: '/tmp' }]);
    expect(codesOf(told.diagnostic)).toEqual(['discovery-mismatch']);
  });
});

describe('request discovery', () => {
  test('puts true into initialize, with tools or without', async () => {
    for (const options of [{ tools }, {}]) {
      const meta = await announced({ ...options, discovery: 'request' });
      expect(meta).toEqual({ 'org.mini-me/tools': true });
    }
  });

  test('answers while the session is being opened', async () => {
    const client = open({ ...agent('asks-for-tools'), tools, discovery: 'request' });
    const told = record(client);
    const session = await client.newSession();
    expect(JSON.parse(session.raw.answer).result.tools).toHaveLength(2);
    expect(told.toolsRequested).toEqual([{ sessionId: 's1', cwd: process.cwd() }]);
    expect(told.diagnostic).toEqual([]);
  });

  test('answers under whatever id the agent asks, also that of our own pending request', async () => {
    const client = open({ ...agent('asks-with-any-id'), tools, discovery: 'request' });
    const told = record(client);
    const { raw } = await client.newSession();
    const ids = ['0', '12345678901234567890', '2', '"twice"', '"twice"', '"x"'];
    expect([...raw.answered].sort()).toEqual([...ids].sort());
    expect(told.toolsRequested).toHaveLength(ids.length);
    expect(codesOf(told.diagnostic)).toEqual(['message-invalid']);
  });

  test('lends and takes back tools at any time, for sessions opened later', async () => {
    const client = open({ ...agent('asks-for-tools'), discovery: 'request' });
    const names = async () => {
      const { raw } = await client.newSession();
      return JSON.parse(raw.answer).result.tools.map(({ name }) => name);
    };
    expect(await names()).toEqual([]);
    const tool = client.addTool(tools[0]);
    expect(await names()).toEqual(['todo']);
    tool.remove();
    expect(await names()).toEqual([]);
  });
});

describe('what mm says it took', () => {
  test('is the event tools: all of them', async () => {
    const line = '[acp] client tools (meta): client_Open_Buffers, client_todo';
    const told = await heard([line]);
    expect(told.tools).toEqual([
      {
        discovery: 'meta',
        accepted: ['client_Open_Buffers', 'client_todo'],
        missing: [],
        skipped: [],
      },
    ]);
    expect(told.diagnostic).toEqual([]);
    expect(told.stderr).toEqual([line]);
  });

  test('is compared with what was lent: tools-missing names the others', async () => {
    const told = await heard(['[acp] client tools (meta): client_todo']);
    expect(told.tools[0].missing).toEqual(['client_Open_Buffers']);
    expect(told.diagnostic).toMatchObject([
      { code: 'tools-missing', details: { missing: ['client_Open_Buffers'] } },
    ]);
  });

  test('tells of entries it skipped, with the tool of that place in the list: tool-skipped', async () => {
    const told = await heard([
      '[acp] client tools: entry 1 skipped: no name',
      '[acp] client tools (meta): client_todo',
    ]);
    const skipped = { index: 1, name: 'Open Buffers', reason: 'no name' };
    expect(told.diagnostic).toMatchObject([{ code: 'tool-skipped', details: skipped }]);
    expect(told.tools).toMatchObject([
      { accepted: ['client_todo'], missing: [], skipped: [skipped] },
    ]);
  });

  test('names the session in request discovery', async () => {
    const line = '[acp] session s1 client tools (request): client_Open_Buffers, client_todo';
    const told = await heard([line], { discovery: 'request' });
    expect(told.tools).toMatchObject([{ discovery: 'request', sessionId: 's1', missing: [] }]);
    expect(told.diagnostic).toEqual([]);
  });

  test.each([
    [
      'request',
      '[acp] client tools: "org.mini-me/tools" is not a list of tools; use request',
      'to request',
    ],
    ['meta', '[acp] session s1 client tools (request): client_todo', '"request"'],
    ['request', '[acp] client tools (meta): client_todo', '"meta"'],
  ])(
    'gives away that modes were mixed up, with the remedy: client in %s',
    async (discovery, line, remedy) => {
      const told = await heard([line], { discovery });
      expect(codesOf(told.diagnostic)).toEqual(['discovery-mismatch']);
      expect(told.diagnostic[0].message).toContain(remedy);
    },
  );

  test('is a hint: other lines, and broken ones, tell nothing', async () => {
    const lines = [
      '[acp] something',
      '[acp] client tools',
      '[acp] client tools (x): a',
      'client tools (meta): a',
    ];
    const told = await heard(lines);
    expect(told.tools).toEqual([]);
    expect(told.diagnostic).toEqual([]);
    expect(told.stderr).toEqual(lines);
  });
});

describe('newSession()', () => {
  const paramsOf = async (options, clientOptions = {}) => {
    const client = open({ ...agent('tells-itself'), ...clientOptions });
    await client.newSession(options);
    const lines = await client.request('_test/received');
    return JSON.parse(lines[1]).params;
  };

  test('sends cwd and mcpServers always', async () => {
    expect(await paramsOf({})).toEqual({ cwd: process.cwd(), mcpServers: [] });
  });

  test('sends what it is given; cwd is made absolute, params come on top', async () => {
    const mcpServers = [{ name: 'm', command: '/x', args: [], env: [] }];
    const params = await paramsOf({
      cwd: 'js',
      mcpServers,
      additionalDirectories: ['/a'],
      params: { _meta: { x: 1 }, mode: 'm' },
    });
    expect(params).toEqual({
      cwd: `${process.cwd()}/js`,
      mcpServers,
      additionalDirectories: ['/a'],
      _meta: { x: 1 },
      mode: 'm',
    });
  });
});
