'use strict';
// Framing and encoding: what comes may be cut, damaged, dressed up or nonsense.

const { describe, expect, test } = require('@jest/globals');
const { agent, failureOf, program, received, record, useClients } = require('./harness');

const open = useClients();

/** The text of the turn of an agent that does `body` when it is prompted. */
async function turnOf(body, ...args) {
  const client = open(agent(body, ...args));
  const told = record(client);
  const session = await client.newSession();
  return { client, told, session, ...(await session.prompt('x')) };
}

describe('a line', () => {
  test('28: may hold U+2028, U+2029 and U+0085, in updates, arguments and answers', async () => {
    const odd = 'a\u2028b\u2029c\u0085d';
    const seen = [];
    const tools = [{ name: 't', method: '_t', handle: ({ text }) => seen.push(text) && text }];
    const client = open({
      ...agent((agent, odd) => {
        agent.on('session/prompt', async ({ sessionId }) => {
          agent.say(sessionId, odd);
          const { result } = await agent.ask('_t', { text: odd });
          return { stopReason: 'end_turn', answer: result, odd };
        });
      }, odd),
      tools,
    });
    const session = await client.newSession();
    const { text, raw } = await session.prompt(odd);
    expect([text, ...seen, raw.answer, raw.odd]).toEqual([odd, odd, odd, odd]);
    expect((await received(client))[2].params.prompt[0].text).toBe(odd);
  });

  test('29: with half an emoji costs neither itself nor the next', async () => {
    const { text, told } = await turnOf((agent) => {
      agent.on('session/prompt', ({ sessionId }) => {
        agent.say(sessionId, 'a');
        agent.write(
          agent
            .line({ method: 'session/update', params: { sessionId, update: agent.chunk('HALF') } })
            .replace('HALF', '\\ud83d'),
        );
        agent.say(sessionId, 'b');
        return { stopReason: 'end_turn' };
      });
    });
    expect(text).toMatch(/^a.b$/u);
    expect(told.diagnostic).toEqual([]);
  });

  test('31: may come byte by byte', async () => {
    const text = 'é漢字😀 ü';
    const turn = await turnOf((agent, text) => {
      agent.on('session/prompt', async ({ sessionId }, { id }) => {
        const update = { sessionId, update: agent.chunk(text) };
        const lines =
          agent.line({ method: 'session/update', params: update }) +
          agent.line({ id, result: { stopReason: 'end_turn' } });
        for (const byte of Buffer.from(lines)) {
          agent.write(Buffer.from([byte]));
          await new Promise(setImmediate);
        }
        return agent.silence;
      });
    }, text);
    expect(turn.text).toBe(text);
  });

  test('32: needs no line feed when it is the last', async () => {
    const { stopReason } = await turnOf((agent) => {
      agent.on('session/prompt', (_, { id }) => {
        agent.write(agent.line({ id, result: { stopReason: 'end_turn' } }).trim());
        process.stdin.destroy();
        return agent.silence;
      });
    });
    expect(stopReason).toBe('end_turn');
  });

  test('40: may end with a carriage return before its line feed, and be blank', async () => {
    const { text } = await turnOf((agent) => {
      const { write } = agent;
      agent.write = (lines) => write.call(agent, `\r\n \r\n${lines.replaceAll('\n', '\r\n')}\n\n`);
      agent.on('session/prompt', ({ sessionId }) => {
        agent.say(sessionId, 'a');
        return { stopReason: 'end_turn' };
      });
    });
    expect(text).toBe('a');
  });

  test('41: may have a byte-order mark when it is the first', async () => {
    const { stopReason, told } = await turnOf((agent) =>
      agent.write(Buffer.from([0xef, 0xbb, 0xbf])),
    );
    expect(stopReason).toBe('end_turn');
    expect(told.diagnostic).toEqual([]);
  });

  test('39: may hold bytes that are no UTF-8', async () => {
    const { text } = await turnOf((agent) => {
      agent.on('session/prompt', ({ sessionId }) => {
        const line = agent.line({
          method: 'session/update',
          params: { sessionId, update: agent.chunk('no?') },
        });
        const bytes = Buffer.from(line);
        bytes[bytes.indexOf('?')] = 0xe9;
        agent.write(bytes);
        agent.say(sessionId, '!');
        return { stopReason: 'end_turn' };
      });
    });
    expect(text).toBe('no\ufffd!');
  });
});

test('30: half an emoji of ours goes out as valid UTF-8, from a handler, a prompt and an answer', async () => {
  const half = '😀'.slice(0, 1);
  const client = open({
    ...agent((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        const answers = [await agent.ask('_t', {}), await agent.ask('_r', {})];
        agent.say(sessionId, 'done');
        return { stopReason: 'end_turn', answers: answers.map(({ result }) => result) };
      });
    }),
    tools: [{ name: 't', method: '_t', handle: () => ({ [`k${half}`]: half }) }],
  });
  client.onRequest('_r', () => half);
  const session = await client.newSession();
  const { raw } = await session.prompt(`x${half}`);
  expect(raw.answers).toEqual([{ 'k\ufffd': '\ufffd' }, '\ufffd']);
  expect((await received(client))[2].params.prompt[0].text).toBe('x\ufffd');
});

describe('what is no message', () => {
  test('33, 34, 38: is passed over and told; nothing that looks like an answer is answered', async () => {
    const { text, told, client } = await turnOf((agent) => {
      agent.on('session/prompt', async ({ sessionId }) => {
        for (const line of [
          'Welcome!',
          '{"jsonrpc":"2.0","method":"session/up',
          '7',
          '[]',
          '{}',
          '[{"jsonrpc":"2.0","id":1,"method":"x"}]',
          '{"jsonrpc":"2.0","id":99}',
          '{"jsonrpc":"2.0","id":99,"result":null}',
          '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
          '{"jsonrpc":"2.0","error":{}}',
        ]) {
          agent.write(`${line}\n`);
        }
        agent.say(sessionId, 'a');
        await agent.sleep(50);
        return { stopReason: 'end_turn' };
      });
    });
    expect(text).toBe('a');
    expect(told.diagnostic).toHaveLength(10);
    const codes = new Set(told.diagnostic.map(({ code }) => code));
    expect([...codes].sort()).toEqual(['message-invalid', 'stdout-noise']);
    const answers = (await received(client)).filter(({ method }) => method === undefined);
    expect(answers).toEqual([]);
  });

  test('33: when it answers a pending request fails that request alone', async () => {
    const client = open(
      agent((agent) => {
        agent.on('bad', (_, { id }) => {
          agent.write(`{"jsonrpc":"2.0","id":${id}}\n`);
          return agent.silence;
        });
        agent.on('good', () => 'yes');
      }),
    );
    await client.start();
    const bad = failureOf(client.request('bad'));
    expect(await client.request('good')).toBe('yes');
    expect(await bad).toMatchObject({ code: 'MM_ERR_MESSAGE_INVALID' });
  });

  test('35: does no harm while the agent ends', async () => {
    const client = open(
      agent(() => {
        process.stdin.on('end', () => process.stdout.write('hook: done\nbye\nno line feed'));
      }),
    );
    const told = record(client);
    await client.start();
    expect(await client.close()).toMatchObject({ exitCode: 0 });
    expect(told.diagnostic.map(({ code }) => code)).toEqual(Array(3).fill('stdout-noise'));
  });

  test('37: may be the greeting of a shell that wraps the agent', async () => {
    const { command, args } = agent(() => undefined);
    const client = open({
      command: '/bin/sh',
      args: ['-c', 'echo "Good morning, $USER"; exec "$@"', 'sh', command, ...args],
    });
    expect(await client.start()).toMatchObject({ name: 'faulty' });
  });
});

describe('an id of the agent', () => {
  test('43, 44: is answered as it came, also 0, a string, one of ours, and one over 2^53', async () => {
    const client = open({
      ...agent((agent) => {
        const ids = [
          '0',
          '1',
          '2',
          '3',
          '"a"',
          '"1"',
          '9007199254740993',
          '"\\u0061b"',
          '-1',
          '1.0',
        ];
        agent.on('ask', async () => {
          for (const id of ids) {
            agent.write(`{"jsonrpc":"2.0","id":${id},"method":"_t","params":{}}\n`);
            const params = { sessionId: 's', toolCall: { toolCallId: 't' }, options: [] };
            agent.write(
              `{"jsonrpc":"2.0","id":${id},"method":"session/request_permission","params":${JSON.stringify(params)}}\n`,
            );
          }
          await agent.sleep(300);
          return ids;
        });
      }),
      tools: [{ name: 't', method: '_t', handle: () => 'called' }],
      permissions: 'reject-all',
    });
    await client.start();
    const pending = [client.request('ask'), client.request('_test/received')];
    const [ids] = await Promise.all(pending);
    const lines = await client.request('_test/received');
    for (const id of ids) {
      const answers = lines.filter((line) =>
        line.startsWith(`{"jsonrpc":"2.0","id":${id},"result"`),
      );
      expect([id, answers.length]).toEqual([id, 2]);
      expect(answers.join()).toContain('"called"');
    }
  });
});

test('33: an agent that answers initialize with garbage is no agent', async () => {
  const client = open(
    program(() => {
      process.stdin.once('data', () => {
        process.stdout.write('{"jsonrpc":"2.0","id":1}\n');
      });
    }),
  );
  expect((await failureOf(client.start())).code).toMatch(/^MM_ERR_/u);
});
