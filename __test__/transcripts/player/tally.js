'use strict';
// What reaches the program some time after the line that leads to it: what is to come, gathered line by
// line, and what came.

const TAKEN = /^\[acp\](?: session (\S+))? client tools \((meta|request)\): (.*)$/;

class Tally {
  expected = { tools: [] };
  came = { tools: [], diagnostics: [] };

  /** A line of stderr: when it names the tools that mm took, a report follows. */
  expectReport(line) {
    const [, sessionId, discovery, names] = TAKEN.exec(line) ?? [];
    if (discovery === undefined) return;
    const accepted = names.split(', ');
    const session = sessionId !== undefined && { sessionId };
    this.expected.tools.push({ discovery, ...session, accepted, missing: [], skipped: [] });
  }
}

module.exports = { Tally };
