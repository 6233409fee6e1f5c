'use strict';
// The prompts of one session: one turn at a time, one that may wait for the end of a cancelled one.

const { abortError } = require('./abort');
const { Cancellation } = require('./cancel');
const { Course } = require('./course');
const { createError } = require('./errors');
const { isObject } = require('./json');
const { limit } = require('./limit');
const { cancelOptions } = require('./options');
const { now } = require('./schedule');
const { Turn } = require('./turn');

const CANCELLED = -32800;

/**
 * @typedef {Pick<
 *   import('./client').Client,
 *   'unread' | 'progress' | 'problem' | 'send' | 'letGo' | 'hold' | 'release' | 'notifyAgent' | 'abortSession'
 * > & { native: Pick<import('./types').NativeClient, 'cancelRequest' | 'keepTurn'> }} PromptsClient
 *
 * A turn with what is known of its prompt.
 * @typedef {object} Run
 * @property {Course} course
 * @property {readonly import('../index').ContentBlock[]} prompt
 * @property {Map<unknown, import('./types').RawToolCall>} known the turn's tool calls, merged, by id
 * @property {boolean} hasSign the agent has shown that it knows of the turn
 * @property {number} sentAt as `now()`
 * @property {number | undefined} requestId
 * @property {Cancellation | undefined} cancellation
 * @property {() => void} sendCancel
 * @property {() => void} withdrawPrompt
 * @property {() => void} endHere
 * @property {() => void} undo forgets signal and limit
 */

/** See the head. */
class Prompts {
  #session;
  /**
   * The turn whose prompt the agent has not answered yet.
   * @type {Run | undefined}
   */
  #running;
  /**
   * The turn that starts when the running one, which is being cancelled, has ended.
   * @type {Run | undefined}
   */
  #waiting;

  /** @param {{ id: string, client: PromptsClient }} session */
  constructor(session) {
    this.#session = session;
  }

  /** The running turn, for updates; undefined when none runs or its end was declared here. */
  get running() {
    return this.#running;
  }

  /** The turn that runs, as users see it; once that was given up, the one that waits. */
  get current() {
    return (this.#running?.course.isSettled ? this.#waiting : this.#running)?.course;
  }

  /**
   * @param {readonly import('../index').ContentBlock[]} prompt
   * @param {import('./types').CheckedCallOptions} options
   */
  start(prompt, options) {
    const { client } = this.#session;
    const course = new Course(this.#session.id, client);
    /** @type {Run} */
    const run = {
      course,
      prompt,
      known: new Map(),
      hasSign: false,
      sentAt: 0,
      requestId: undefined,
      cancellation: undefined,
      sendCancel: () => this.#sendCancel(),
      withdrawPrompt: () => {
        if (run.requestId !== undefined) client.native.cancelRequest(run.requestId);
      },
      endHere: () => this.#endHere(run),
      undo: ignore,
    };
    const problem = client.problem();
    if (problem !== undefined) course.fail(problem);
    else if (options.signal?.aborted) course.fail(options.signal.reason);
    else if (this.#running === undefined) this.#send(run);
    else if (this.#running.cancellation !== undefined && this.#waiting === undefined) {
      // The caller may change what it gave before it is sent.
      run.prompt = JSON.parse(JSON.stringify(prompt));
      this.#waiting = run;
      // The prompt before may be let go; this one is waited for.
      client.hold();
    } else course.fail(alreadyRunning(this.#session.id));
    if (!course.isSettled) this.#limit(run, options);
    return this.#turnOf(course);
  }

  /**
   * A turn that has failed before it began.
   * @param {unknown} error
   */
  refuse(error) {
    const course = new Course(this.#session.id, this.#session.client);
    course.fail(error);
    return this.#turnOf(course);
  }

  /** @param {Course} course */
  #turnOf(course) {
    return new Turn(course, async (options = {}) => {
      await this.cancel(course, cancelOptions(options));
    });
  }

  /**
   * Ends a turn; resolves when it has ended.
   * @param {Course} course
   * @param {{ timeoutMs?: number }} options
   * @returns {Promise<void>}
   */
  cancel(course, { timeoutMs = 10_000 } = {}) {
    if (this.#waiting?.course === course) {
      this.#dropWaiting(() => course.succeed('cancelled', { stopReason: 'cancelled' }));
      return Promise.resolve();
    }
    const run = this.#running;
    if (run === undefined || run.course !== course || course.isSettled) return Promise.resolve();
    this.#cancelRun(run).limit(timeoutMs);
    return course.ended();
  }

  /** A sign of the running turn: an update of its session, or a request of the agent. */
  sign() {
    const run = this.#running;
    if (run === undefined || run.hasSign) return;
    run.hasSign = true;
    run.cancellation?.sign();
  }

  /**
   * The client has ended: so have the turns.
   * @param {unknown} error
   */
  end(error) {
    const run = this.#running;
    this.#running = undefined;
    this.#dropWaiting((course) => course.fail(error));
    if (run === undefined) return;
    this.#stop(run);
    run.course.fail(error);
  }

  /** @param {Run} run */
  #send(run) {
    const { client, id } = this.#session;
    run.sentAt = now();
    this.#running = run;
    try {
      run.course.attach(client.native.keepTurn(id));
      run.requestId = client.send(
        'session/prompt',
        { sessionId: id, prompt: run.prompt },
        {
          onResult: (result) => this.#answered(run, result),
          onError: (error, rpcCode) => this.#refused(run, error, rpcCode),
        },
      );
    } catch (error) {
      this.#running = undefined;
      run.course.fail(error);
    }
  }

  /**
   * @param {Run} run
   * @param {unknown} result
   */
  #answered(run, result) {
    this.#next(run);
    if (isObject(result) && typeof result.stopReason === 'string') {
      run.course.succeed(result.stopReason, result);
    } else {
      const message = 'session/prompt: expected an answer with stopReason';
      run.course.fail(createError('MM_ERR_MESSAGE_INVALID', message, { result }));
    }
    this.#sendWaiting();
  }

  /**
   * @param {Run} run
   * @param {unknown} error
   * @param {number | undefined} rpcCode
   */
  #refused(run, error, rpcCode) {
    this.#next(run);
    // Agents answer a cancelled prompt with all kinds of errors.
    if (rpcCode === CANCELLED || (rpcCode !== undefined && run.cancellation?.isSent)) {
      run.course.succeed('cancelled', { stopReason: 'cancelled' });
    } else run.course.fail(error);
    this.#sendWaiting();
  }

  /** @param {Run} run */
  #next(run) {
    this.#stop(run);
    if (this.#running === run) this.#running = undefined;
  }

  #sendWaiting() {
    if (this.#running !== undefined) return;
    const run = this.#takeWaiting();
    if (run === undefined) return;
    const problem = this.#session.client.problem();
    if (problem === undefined) this.#send(run);
    else run.course.fail(problem);
  }

  /** @param {(course: Course) => void} settle */
  #dropWaiting(settle) {
    const run = this.#takeWaiting();
    if (run === undefined) return;
    run.undo();
    settle(run.course);
  }

  #takeWaiting() {
    const run = this.#waiting;
    if (run === undefined) return undefined;
    this.#waiting = undefined;
    this.#session.client.release();
    return run;
  }

  /**
   * The turn is over here, though the agent has not answered.
   * @param {Run} run
   */
  #letGo(run) {
    if (run.requestId !== undefined) this.#session.client.letGo(run.requestId);
  }

  /** @param {Run} run */
  #cancelRun(run) {
    run.cancellation ??= new Cancellation(run);
    return run.cancellation;
  }

  #sendCancel() {
    const { client, id } = this.#session;
    client.notifyAgent('session/cancel', { sessionId: id });
    client.abortSession(id, abortError('The turn was cancelled'));
  }

  /**
   * The agent does not answer: the turn is over here, the session busy until it does.
   * @param {Run} run
   */
  #endHere(run) {
    run.undo();
    this.#letGo(run);
    run.course.succeed('cancelled', { stopReason: 'cancelled' });
  }

  /**
   * Rejects the turn at once when its signal aborts or its time is up, and cancels it.
   * @param {Run} run
   * @param {import('./types').CheckedCallOptions} options
   */
  #limit(run, options) {
    run.undo = limit('session/prompt', options, (error) => {
      run.undo();
      if (this.#waiting === run) this.#takeWaiting();
      else {
        this.#cancelRun(run);
        this.#letGo(run);
      }
      run.course.fail(error);
    });
  }

  /** @param {Run} run */
  #stop(run) {
    run.cancellation?.stop();
    run.undo();
  }
}

function ignore() {
  // Nothing to undo; or only the end of the turn matters, and its result goes to whoever asked for it.
}

/** @param {string} sessionId */
function alreadyRunning(sessionId) {
  const message =
    'expected one turn at a time in a session; await the running one, or cancel it first';
  return createError('MM_ERR_PROMPT_RUNNING', message, { sessionId });
}

module.exports = { Prompts };
