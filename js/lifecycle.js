'use strict';
// From idle to closed: starting, the answer to `initialize`, ending, and who is told what of it.

const { agentEnvironment } = require('./environment');
const { createError } = require('./errors');
const { isObject } = require('./json');
const { absolute } = require('./options');
const { show } = require('./show');
const { clearTimeout, setLimit, setTimeout } = require('./schedule');
const { offersOf } = require('./services');
const { version } = require('../package.json');

const PROTOCOL_VERSION = 1;
/** A start that takes this long is told, ms. */
const SLOW_START_MS = 10_000;
/** How many lines of stderr a message shows. */
const SHOWN_LINES = 20;
/** How much of stderr is kept for a start that fails, in characters. */
const KEPT_STDERR = 64 * 1024;

/**
 * @typedef {Pick<
 *   import('./client').Client,
 *   'start' | 'initialize' | 'stop' | 'rejectOpen' | 'abandonHandlers' | 'hold' | 'release' | 'secrets'
 * >} LifeClient
 * @typedef {import('../index').AgentInfo} AgentInfo
 * @typedef {import('../index').ExitInfo} ExitInfo
 * @typedef {import('./errors').MiniMeError} MiniMeError
 *
 * @typedef {object} AgentAnswer
 * @property {AgentInfo['capabilities'] | null} [agentCapabilities]
 * @property {AgentInfo['authMethods'] | null} [authMethods]
 */

/** The life of one client. */
class Lifecycle {
  /** @type {import('../index').ClientState} */
  state = 'idle';
  /** @type {AgentInfo | undefined} */
  agent;
  /** @type {number | undefined} */
  pid;
  #options;
  #events;
  /** @type {LifeClient | undefined} */
  #attached;
  /** @type {Promise<AgentInfo> | undefined} */
  #starting;
  /** @type {Promise<ExitInfo | undefined> | undefined} */
  #closing;
  #resolveClosing = nothing;
  #isCloseAsked = false;
  /** @type {ExitInfo | undefined} */
  #exit;
  /**
   * Why the client had to end.
   * @type {MiniMeError | undefined}
   */
  #failure;
  #stderr = '';

  /**
   * @param {import('./types').CheckedOptions} options
   * @param {import('./types').ClientEvents} events
   */
  constructor(options, events) {
    this.#options = options;
    this.#events = events;
  }

  /** @param {LifeClient} client */
  attach(client) {
    this.#attached = client;
  }

  get #client() {
    if (this.#attached === undefined) throw new TypeError('expected a client to be attached first');
    return this.#attached;
  }

  // ---- what the client asks

  isAnnounced() {
    return this.state !== 'idle';
  }

  capabilities() {
    return this.agent?.capabilities;
  }

  /**
   * Why nothing can be sent; undefined when it can.
   * @returns {MiniMeError | undefined}
   */
  problem() {
    if (this.state === 'ready' || this.state === 'starting') return undefined;
    if (this.state === 'idle') {
      return createError('MM_ERR_NOT_STARTED', 'expected a started client; call start() first');
    }
    return this.#reason();
  }

  /** @param {string} line of the agent's stderr */
  heard(line) {
    if (this.state === 'starting') this.#stderr = `${this.#stderr}${line}\n`.slice(-KEPT_STDERR);
  }

  // ---- start

  /** @returns {Promise<AgentInfo>} */
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

  /** @returns {Promise<AgentInfo>} */
  #start() {
    return new Promise((resolve, reject) => {
      const timers = this.#watchStart();
      const stopWatch = () => {
        for (const timer of timers) clearTimeout(timer);
      };
      try {
        this.pid = this.#client.start(this.#program());
        this.#client.initialize(this.#introduction(), {
          onResult: (/** @type {unknown} */ raw) => {
            stopWatch();
            this.#answered(raw, resolve, reject);
          },
          onError: (/** @type {MiniMeError} */ error) => {
            stopWatch();
            this.#failure ??= error;
            reject(this.#failure);
            if (this.state === 'starting') this.#end();
          },
        });
      } catch (error) {
        stopWatch();
        reject(error);
        this.#startFailed(/** @type {MiniMeError} */ (error));
      }
    });
  }

  /** @param {MiniMeError} error */
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
    if (startTimeoutMs === 0) return [slow];
    const limit = setLimit(() => this.#tooSlow(startTimeoutMs), startTimeoutMs);
    return [slow, limit];
  }

  /** @param {number} startTimeoutMs */
  #tooSlow(startTimeoutMs) {
    const stderr = this.#client.secrets.hide(this.#stderr);
    const message = `expected an answer to initialize within ${startTimeoutMs} ms (startTimeoutMs), got none${tailOf(stderr)}`;
    const details = { startTimeoutMs, stderr };
    const error = createError('MM_ERR_START_TIMEOUT', message, details);
    this.fail(error);
    this.#client.rejectOpen(() => this.#failure ?? error);
  }

  #program() {
    const { command, args, cwd } = this.#options;
    const env = agentEnvironment(this.#options, process.env, process.platform);
    this.#client.secrets.learnVariables(env);
    return { command: command ?? (process.env.MM_BIN || 'mm'), args, cwd: absolute(cwd), env };
  }

  #introduction() {
    const { clientInfo = { name: 'mini-me-client', version }, capabilities } = this.#options;
    return {
      clientInfo,
      offers: offersOf(this.#options),
      ...(capabilities !== undefined && { capabilities }),
    };
  }

  /**
   * @param {unknown} raw
   * @param {(agent: AgentInfo) => void} resolve
   * @param {(error: unknown) => void} reject
   */
  #answered(raw, resolve, reject) {
    // Overtaken by close(), or by what ended the start: an answer that comes yet is none.
    if (this.state !== 'starting') {
      reject(this.#reason());
      return;
    }
    const answer = isObject(raw) ? raw : {};
    if (answer.protocolVersion !== PROTOCOL_VERSION) {
      const came = 'protocolVersion' in answer ? show(answer.protocolVersion) : 'none';
      const message = `expected protocol version ${PROTOCOL_VERSION}, the agent answered ${came}`;
      const details = { protocolVersion: answer.protocolVersion ?? null };
      this.fail(createError('MM_ERR_PROTOCOL_VERSION', message, details));
      reject(this.#failure);
      return;
    }
    const agent = agentInfo(answer);
    this.agent = agent;
    this.state = 'ready';
    resolve(agent);
  }

  // ---- end

  /** @returns {Promise<ExitInfo | undefined>} */
  close() {
    this.#isCloseAsked = true;
    if (this.state === 'idle') this.state = 'closed';
    if (this.state === 'closed') return Promise.resolve(this.#exit);
    if (this.state !== 'closing') this.#end();
    this.#closing ??= this.#waitForEnd();
    return this.#closing;
  }

  /** @returns {Promise<ExitInfo | undefined>} */
  #waitForEnd() {
    this.#client.hold();
    return new Promise((resolve) => {
      this.#resolveClosing = () => {
        this.#client.release();
        resolve(this.#exit);
      };
    });
  }

  /**
   * What came cannot be gone on with: the agent is ended, and this is the reason.
   * @param {MiniMeError} error
   */
  fail(error) {
    this.#failure ??= error;
    if (this.state === 'starting' || this.state === 'ready') this.#end();
  }

  #end() {
    this.state = 'closing';
    this.#client.stop(this.#options.closeTimeoutMs);
    this.#client.abandonHandlers(this.#reason());
  }

  /**
   * The agent has ended and all it said was delivered; gives what makes the errors of it.
   * @param {Omit<ExitInfo, 'expected'>} exit
   * @param {import('./types').NativeFailure | null} failure
   */
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
    if (this.#exit !== undefined) this.#events.emit('exit', this.#exit);
  }

  #reason() {
    if (this.#isCloseAsked) {
      return createError('MM_ERR_CLOSED', 'the client was closed; make a new one to go on');
    }
    if (this.#failure !== undefined) return this.#failure;
    if (this.#exit === undefined) return createError('MM_ERR_EXITED', 'the agent is ending');
    const { exitCode, signal, stderr } = this.#exit;
    const how = signal === null ? `with exit code ${exitCode}` : `by signal ${signal}`;
    const when = this.agent === undefined ? ' before it answered initialize' : '';
    const message = `the agent ended ${how}${when}${tailOf(stderr)}`;
    return createError('MM_ERR_EXITED', message, { exitCode, signal, stderr });
  }
}

/**
 * What the agent says of itself: members are typed by the protocol, and stay what it sent.
 * @param {Record<string, unknown>} raw
 * @returns {AgentInfo}
 */
function agentInfo(raw) {
  const { name, version } = isObject(raw.agentInfo) ? raw.agentInfo : {};
  const { agentCapabilities, authMethods } = /** @type {AgentAnswer} */ (raw);
  return {
    protocolVersion: PROTOCOL_VERSION,
    name: typeof name === 'string' ? name : undefined,
    version: typeof version === 'string' ? version : undefined,
    capabilities: agentCapabilities ?? {},
    authMethods: authMethods ?? [],
    raw,
  };
}

/**
 * The last lines of stderr, for a message; the whole tail is in the error.
 * @param {string} stderr
 */
function tailOf(stderr) {
  const lines = stderr.trim().split('\n').slice(-SHOWN_LINES).join('\n');
  return lines === '' ? '' : `; its stderr ends:\n${lines}`;
}

function nothing() {
  // Nobody waits for the end.
}

module.exports = { Lifecycle };
