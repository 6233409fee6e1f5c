// What the scripts tell the person who runs them. Always on stderr: stdout belongs to what they run.

/** @param {string} line */
export function say(line) {
  process.stderr.write(`[mini-me-client] ${line}\n`);
}

/** A failure whose message tells all that the person needs; its stack would only hide it. */
export class ScriptError extends Error {
  name = 'ScriptError';
}

/**
 * Runs a script's main function; what it resolves to is the exit status.
 * @param {() => Promise<number>} main
 */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!isForPeople(error)) throw error;
    say(`error: ${error.message}`);
    process.exitCode = 1;
  }
}

/**
 * @param {unknown} error
 * @returns {error is Error}
 */
function isForPeople(error) {
  if (!(error instanceof Error)) return false;
  const isBadArgument = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  return isBadArgument || error instanceof ScriptError;
}

/**
 * The time since `startMs`, for people.
 * @param {number} startMs of `performance.now()`
 */
export function elapsed(startMs) {
  const seconds = (performance.now() - startMs) / 1000;
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
