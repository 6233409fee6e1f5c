'use strict';
// From idle to closed: starting, the answer to `initialize`, ending, and who is told what of it.

const { agentEnvironment } = require('./environment');
const { createError } = require('./errors');
const { absolute, show } = require('./options');
const { clearTimeout, setTimeout } = require('./schedule');
const { version } = require('../package.json');

const PROTOCOL_VERSION = 1;
/** A start that takes this long is told, ms. */
const SLOW_START_MS = 10_000;
/** How much of stderr is kept for a start that fails, in characters. */
const KEPT_STDERR = 64 * 1024;

/** The life of one client; `events` has: emit, diagnose. */
class Lifecycle {
  state = 'idle';
  agent;
  pid;
  #options;
  #events;
  #client;
  #starting;
  #closing;
  #resolveClosing = () => {};
  #isCloseAsked = false;
  #exit;
  #failure;
  #stderr = '';

  constructor(options, events) {
    this.#options = options;
    this.#events = events;
  }

  attach(client) {
    this.#client = client;
  }

  // ---- what the client asks

  isAnnounced() {
    return this.state !== 'idle';
  }

  promptCapabilities() {
    return this.agent?.capabilities.promptCapabilities;
  }

  /** Why nothing can be sent; undefined when it can. */
  problem() {
    if (this.state === 'ready' || this.state === 'starting') return undefined;
    if (this.state === 'idle') {
      return createError('MM_ERR_NOT_STARTED', 'expected a started client; call start() first');
    }
    return this.#reason();
  }

  heard(line) {
    if (this.state === 'starting') this.#stderr = `${this.#stderr}${line}\n`.slice(-KEPT_STDERR);
  }

  // ---- start

  start() {
    if (this.#starting === undefined) {
      if (this.state !== 'idle') return Promise.reject(this.problem());
      this.state = 'starting';
      this.#starting = this.#start();
    } else if (this.state === 'closing' || this.state === 'closed') {
      const failed = this.agent === undefined && !this.#isCloseAsked;
      if (!failed) return Promise.reject(this.problem());
    }
    return this.#starting;
  }

  #start() {
    return new Promise((resolve, reject) => {
      const timers = this.#watchStart();
      const done = (settle) => (value) => {
        for (const timer of timers) clearTimeout(timer);
        settle(value);
      };
      try {
        this.pid = this.#client.start(this.#program());
        this.#client.initialize(this.#introduction(), {
          onResult: done((raw) => this.#answered(raw, resolve, reject)),
          onError: done((error) => {
            this.#failure ??= error;
            reject(this.#failure);
            if (this.state === 'starting') this.#end();
          }),
        });
      } catch (error) {
        done(reject)(error);
        this.#startFailed(error);
      }
    });
  }

  #startFailed(error) {
    this.#failure ??= error;
    if (this.pid === undefined) this.state = 'closed';
    else this.#end();
  }

  #watchStart() {
    const { startTimeoutMs } = this.#options;
    const slow = setTimeout(() => {
      const message = `the agent has not answered initialize for ${SLOW_START_MS} ms; still waiting`;
      this.#events.diagnose({ code: 'slow-start', message, details: { waitedMs: SLOW_START_MS } });
    }, SLOW_START_MS);
    if (startTimeoutMs === 0 || startTimeoutMs === Infinity) return [slow];
    const limit = setTimeout(() => this.#tooSlow(startTimeoutMs), startTimeoutMs);
    return [slow, limit];
  }

  #tooSlow(startTimeoutMs) {
    const message = `expected an answer to initialize within ${startTimeoutMs} ms (startTimeoutMs), got none${tailOf(this.#stderr)}`;
    const details = { startTimeoutMs, stderr: this.#stderr };
    this.fail(createError('MM_ERR_START_TIMEOUT', message, details));
    this.#client.rejectOpen(() => this.#failure);
  }

  #program() {
    const { command, args, cwd, env } = this.#options;
    return {
      command: command ?? (process.env.MM_BIN || 'mm'),
      args,
      cwd: absolute(cwd),
      env: agentEnvironment(
        { env, inheritEnv: this.#options.inheritEnv },
        process.env,
        process.platform,
      ),
    };
  }

  #introduction() {
    const { clientInfo = { name: 'mini-me-client', version }, capabilities } = this.#options;
    return { clientInfo, offers: {}, ...(capabilities !== undefined && { capabilities }) };
  }

  #answered(raw, resolve, reject) {
    const answer = typeof raw === 'object' && raw !== null ? raw : {};
    if (answer.protocolVersion !== PROTOCOL_VERSION) {
      const came = 'protocolVersion' in answer ? show(answer.protocolVersion) : 'none';
      const message = `expected protocol version ${PROTOCOL_VERSION}, the agent answered ${came}`;
      const details = { protocolVersion: answer.protocolVersion ?? null };
      this.fail(createError('MM_ERR_PROTOCOL_VERSION', message, details));
      reject(this.#failure);
      return;
    }
    this.agent = {
      protocolVersion: PROTOCOL_VERSION,
      name: answer.agentInfo?.name ?? undefined,
      version: answer.agentInfo?.version ?? undefined,
      capabilities: answer.agentCapabilities ?? {},
      authMethods: answer.authMethods ?? [],
      raw: answer,
    };
    if (this.state === 'starting') this.state = 'ready';
    resolve(this.agent);
  }

  // ---- end

  close() {
    this.#isCloseAsked = true;
    if (this.state === 'idle') this.state = 'closed';
    if (this.state === 'closed') return Promise.resolve(this.#exit);
    if (this.state !== 'closing') this.#end();
    this.#client.abandonHandlers(this.#reason());
    this.#closing ??= this.#waitForEnd();
    return this.#closing;
  }

  #waitForEnd() {
    this.#client.hold();
    return new Promise((resolve) => {
      this.#resolveClosing = () => {
        this.#client.release();
        resolve(this.#exit);
      };
    });
  }

  /** What came cannot be gone on with: the agent is ended, and this is the reason. */
  fail(error) {
    this.#failure ??= error;
    if (this.state === 'starting' || this.state === 'ready') this.#end();
  }

  #end() {
    this.state = 'closing';
    this.#client.stop(this.#options.closeTimeoutMs);
  }

  /** The agent has ended and all it said was delivered; gives what makes the errors of it. */
  ended(exit, failure) {
    this.state = 'closed';
    this.#exit = { ...exit, expected: this.#isCloseAsked };
    if (failure !== null) {
      this.#failure ??= createError(failure.code, failure.message, { ...failure.details, ...exit });
    }
    return () => this.#reason();
  }

  /** Everybody was told. */
  settled() {
    this.#resolveClosing();
    this.#events.emit('exit', this.#exit);
  }

  #reason() {
    if (this.#isCloseAsked) {
      return createError('MM_ERR_CLOSED', 'the client was closed; make a new one to go on');
    }
    if (this.#failure !== undefined) return this.#failure;
    const { exitCode, signal, stderr } = this.#exit;
    const how = signal === null ? `with exit code ${exitCode}` : `by signal ${signal}`;
    const message = `the agent ended ${how}${tailOf(stderr)}`;
    return createError('MM_ERR_EXITED', message, { exitCode, signal, stderr });
  }
}

/** The last lines of stderr, for a message; the whole tail is in the error. */
function tailOf(stderr) {
  const lines = stderr.trim().split('\n').slice(-5).join('\n');
  return lines === '' ? '' : `; its stderr ends:\n${lines}`;
}

module.exports = { Lifecycle };
