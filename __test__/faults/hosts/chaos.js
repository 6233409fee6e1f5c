'use strict';
// For each of some seeds a client with an agent that misbehaves at random, and fifty tasks that do
// everything; tells what came of it. Arguments: the first seed, how many, how many of them warm up.

const { setTimeout: sleep } = require('node:timers/promises');
const path = require('node:path');
const { MiniMe } = require('../../..');
const { Random } = require('../random');

const AGENT = path.join(__dirname, '../agents/chaotic.js');
const TASKS = 50;
const AT_ONCE = 4;
/** An agent that has not opened a session by then is not going to. */
const STARTING_MS = 1500;
/** What may still come once close() has resolved. */
const SETTLING_MS = 2000;

const outcomes = {};
const faults = [];
const count = (what) => {
  outcomes[what] = (outcomes[what] ?? 0) + 1;
};
process.on('unhandledRejection', (error) => faults.push(`unhandled: ${error?.stack ?? error}`));
process.on('uncaughtException', (error) => faults.push(`uncaught: ${error?.stack ?? error}`));
process.on('warning', (warning) => faults.push(`warning: ${warning.stack}`));

/** The promises of one seed. */
class Watch {
  #open = new Set();

  constructor(seed) {
    this.seed = seed;
  }

  settle(what, promise) {
    this.#open.add(promise);
    const settled = (outcome) => {
      this.#open.delete(promise);
      count(`${what} ${outcome}`);
    };
    promise.then(
      () => settled('ok'),
      (error) => {
        settled(
          error?.name === 'AbortError' || error?.name === 'TimeoutError' ? error.name : error?.code,
        );
        if (error?.code === undefined || error.code === 'MM_ERR_INTERNAL') this.fault(error);
      },
    );
    return promise.catch(() => undefined);
  }

  fault(what) {
    faults.push(`seed ${this.seed}: ${what?.stack ?? what}`);
  }

  get open() {
    return this.#open.size;
  }
}

function clientOf(seed, random, watch) {
  const strict = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const options = {
    command: process.execPath,
    args: [AGENT, String(seed)],
    namespace: 'chaos',
    closeTimeoutMs: 100,
    discovery: random.pick(['meta', 'request']),
    tools: [
      {
        name: 'any',
        handle: ({ a }) => random.pick([a, undefined, 1n, Symbol('x')]),
      },
      { name: 'strict', inputSchema: strict, handle: ({ n }) => n },
      {
        name: 'slow',
        timeoutMs: 20,
        handle: (_, { signal }) => sleep(random.below(40), 1, { signal }),
      },
    ],
    permissions: random.pick(['reject-all', 'allow-all', () => sleep(random.below(20), null)]),
    fs: { readTextFile: () => 'x', writeTextFile: () => Promise.reject(new Error('read-only')) },
    terminal: random.oneIn(2),
    elicitation: { form: () => ({ action: 'decline' }) },
    trace: random.oneIn(4) ? () => undefined : undefined,
  };
  const client = new MiniMe(
    Object.fromEntries(Object.entries(options).filter(([, v]) => v !== undefined)),
  );
  client.on('diagnostic', ({ code, message }) => {
    count(`diagnostic ${code}`);
    if (code === 'listener-failed') watch.fault(message);
  });
  client.on('exit', () => count('exit'));
  for (const event of ['update', 'stderr', 'tools', 'toolCall'])
    client.on(event, () => count(event));
  client.onRequest('_nobody/knows', (params) => params);
  client.onNotification('x', () => count('notification'));
  return client;
}

/** Everything a program can ask of a client; each gives a promise that must settle, or nothing to be done. */
function actionsOf(client, random, sessions) {
  const limits = () =>
    random.pick([
      {},
      {},
      { timeoutMs: 1 + random.below(40) },
      { signal: AbortSignal.timeout(random.below(40)) },
    ]);
  const opened = async (opening) => sessions.push(await opening);
  const session = () => random.pick(sessions);
  const inSession = (act) => () => {
    const one = session();
    return one && (async () => await act(one))();
  };
  const read = async (stream, most) => {
    for await (const _ of stream) if (random.oneIn(most)) break;
  };
  return {
    start: () => client.start(),
    new: () => opened(client.newSession(limits())),
    load: () => opened(client.loadSession(random.pick(['s1', 'é']), limits())),
    resume: () => opened(client.resumeSession('s2', limits())),
    list: () => read(client.listSessions(), 20),
    delete: () => client.deleteSession('s3'),
    request: () => client.request('_any', { a: '\ud83d' }, limits()),
    notify: async () => client.notify('_n', {}),
    prompt: inSession((session) => session.prompt('hello', limits())),
    iterate: inSession((session) => read(session.prompt('hello', limits()), 10)),
    text: inSession((session) => read(session.prompt('hello', limits()).textStream(), 10)),
    updates: inSession((session) => Promise.race([read(session.updates(), 5), sleep(30)])),
    cancel: inSession((session) => session.cancel({ timeoutMs: 200 })),
    mode: inSession((session) => session.setMode('a')),
    config: inSession((session) => session.setConfigOption('c', 'v')),
    close: inSession((session) => session.close()),
    tool: async () => client.addTool({ name: `t${random.below(9)}`, handle: () => 1 }).remove(),
  };
}

async function run(seed) {
  const random = new Random(seed ^ 0x5eed);
  const watch = new Watch(seed);
  const client = clientOf(seed, random, watch);
  const sessions = [];
  const actions = Object.entries(actionsOf(client, random, sessions));
  // Mostly there is an agent by then, and a session.
  if (!random.oneIn(8)) {
    const opening = Array.from({ length: 3 }, () => watch.settle('new', client.newSession()));
    const opened = opening.map((one) => one.then((session) => session && sessions.push(session)));
    await Promise.race([Promise.all(opened), sleep(STARTING_MS)]);
  }
  await Promise.all(
    Array.from({ length: TASKS }, async () => {
      for (let left = 3 + random.below(5); left > 0; left -= 1) {
        const [what, act] = random.pick(actions);
        const promise = act();
        if (promise === undefined) continue;
        const done = watch.settle(what, promise);
        await (random.oneIn(2) ? sleep(random.below(15)) : Promise.race([done, sleep(30)]));
      }
    }),
  );
  await watch.settle('close client', client.close());
  for (let waited = 0; watch.open > 0 && waited < SETTLING_MS; waited += 10) await sleep(10);
  if (watch.open > 0) watch.fault(`${watch.open} promises did not settle`);
}

async function runAll(first, amount) {
  let next = first;
  const worker = async () => {
    while (next < first + amount) await run(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function heap() {
  for (let round = 0; round < 5; round += 1) {
    global.gc();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
}

async function main([first, amount, warming]) {
  await runAll(first, warming);
  const before = await heap();
  await runAll(first + warming, amount - warming);
  process.stdout.write(
    `${JSON.stringify({ faults, outcomes, growth: (await heap()) - before })}\n`,
  );
}

main(process.argv.slice(2).map(Number));
