'use strict';

const { describe, expect, test } = require('@jest/globals');
const { agentEnvironment } = require('../../js/environment');

/** Pairs as an object, in the case in which they were given. */
const build = (options, inherited, platform = 'linux') =>
  Object.fromEntries(agentEnvironment(options, inherited, platform));

describe('the environment of the agent', () => {
  test('is inherited, with env on top', () => {
    expect(build({ env: { B: '2', C: '3' } }, { A: '1', B: '1' })).toEqual({
      A: '1',
      B: '2',
      C: '3',
    });
  });

  test('loses a variable that is undefined', () => {
    expect(build({ env: { A: undefined, X: undefined } }, { A: '1', B: '1' })).toEqual({ B: '1' });
  });

  test('is env alone with inheritEnv false', () => {
    expect(build({ env: { B: '2', C: undefined }, inheritEnv: false }, { A: '1' })).toEqual({
      B: '2',
    });
    expect(build({ inheritEnv: false }, { A: '1' })).toEqual({});
  });

  test.each([
    'ELECTRON_RUN_AS_NODE',
    'ELECTRON_NO_ATTACH_CONSOLE',
    'ELECTRON_NO_ASAR',
    'NODE_OPTIONS',
    'NODE_CHANNEL_FD',
    'NODE_CHANNEL_SERIALIZATION_MODE',
    'NODE_UNIQUE_ID',
    'VSCODE_PID',
    'VSCODE_IPC_HOOK',
  ])('keeps back %s, unless it is given', (name) => {
    expect(build({}, { [name]: '1' })).toEqual({});
    expect(build({ env: { [name]: '2' } }, { [name]: '1' })).toEqual({ [name]: '2' });
  });

  test.each([
    'ELECTRON_ENABLE_LOGGING',
    'NODE_ENV',
    'NODE_EXTRA_CA_CERTS',
    'MY_VSCODE_PID',
    'vscode_pid',
  ])('passes on %s', (name) => {
    expect(build({}, { [name]: '1' })).toEqual({ [name]: '1' });
  });

  describe('on Windows', () => {
    test('takes names that differ in case for the same variable; the last wins', () => {
      expect(build({ env: { PATH: 'b' } }, { Path: 'a', Tmp: 't' }, 'win32')).toEqual({
        PATH: 'b',
        Tmp: 't',
      });
      expect(build({ env: { path: undefined } }, { Path: 'a' }, 'win32')).toEqual({});
    });

    test('keeps back names in any case', () => {
      expect(build({}, { node_options: '1', Vscode_Pid: '1' }, 'win32')).toEqual({});
    });
  });

  test('elsewhere tells case apart', () => {
    expect(build({ env: { path: 'b' } }, { PATH: 'a' })).toEqual({ PATH: 'a', path: 'b' });
  });
});
