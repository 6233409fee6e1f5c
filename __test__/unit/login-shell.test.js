'use strict';

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { afterEach, beforeEach, describe, expect, test } = require('@jest/globals');
const { OptionError, loginShellEnv } = require('../..');
const { commandOf, parse } = require('../../js/shell-command');
const { failureOf, gone } = require('../e2e/harness');

let folder;
let before;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-shell-'));
  before = { ...process.env };
  process.env.HOME = folder;
});
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, before);
  fs.rmSync(folder, { recursive: true });
});

/** A shell that runs `body`; `"$4"` is what it is asked to run. */
function useShell(body) {
  const file = path.join(folder, 'shell');
  fs.writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  process.env.SHELL = file;
}

/** The answer, of which process.env must know nothing. */
async function ask(options) {
  const own = { ...process.env };
  const env = await loginShellEnv(options);
  expect({ ...process.env }).toEqual(own);
  return env;
}

/** What differs from process.env; undefined for what is missing. */
async function changes(options) {
  const env = await ask(options);
  const names = new Set([...Object.keys(env), ...Object.keys(process.env)]);
  const different = [...names].filter((name) => env[name] !== process.env[name]);
  return Object.fromEntries(different.map((name) => [name, env[name]]));
}

describe('the environment of a login shell', () => {
  test('holds what its profile sets and not what it takes away', async () => {
    process.env.TAKEN = '1';
    process.env.KEPT = '1';
    useShell('export PATH="/opt/mm:$PATH" KEY=value; unset TAKEN; eval "$4"');
    expect(await changes()).toEqual({
      PATH: `/opt/mm:${process.env.PATH}`,
      KEY: 'value',
      TAKEN: undefined,
    });
  });

  test('keeps line feeds, `=`, quotes and emptiness in values', async () => {
    useShell(`A='a
b=c
' B== C= D="it's \\"\\$x\\"" E=é
export A B C D E; eval "$4"`);
    expect(await changes()).toEqual({ A: 'a\nb=c\n', B: '=', C: '', D: 'it\'s "$x"', E: 'é' });
  });

  test('is found among what the profile prints, on both streams and at the end', async () => {
    useShell(`echo 'Welcome!'; printf 'A=1\\0'; echo "$4"; echo oops >&2; printf 'no line feed'
export KEY=value; eval "$4"; printf 'B=2\\0bye'`);
    expect(await changes()).toEqual({ KEY: 'value' });
  });

  test('holds what is large, and much of it', async () => {
    useShell(`V=$(head -c 100000 /dev/zero | tr '\\0' x); export V
i=0; while [ $i -lt 3000 ]; do export "N$i=$i"; i=$((i+1)); done; eval "$4"`);
    const env = await ask();
    expect(env.V).toHaveLength(100_000);
    expect(env.N2999).toBe('2999');
  });

  test('does not hold what the shell is told or says of itself', async () => {
    delete process.env.VSCODE_RESOLVING_ENVIRONMENT;
    delete process.env.SHLVL;
    process.env.DISABLE_AUTO_UPDATE = 'mine';
    useShell(
      '[ "$VSCODE_RESOLVING_ENVIRONMENT" = 1 ] && export SEEN=1; export SHLVL=7; cd /; eval "$4"',
    );
    expect(await changes()).toEqual({ SEEN: '1' });
  });

  test('holds such a variable when the profile sets it', async () => {
    useShell('export ZSH_TMUX_AUTOSTART=true; eval "$4"');
    expect(await changes()).toEqual({ ZSH_TMUX_AUTOSTART: 'true' });
  });

  test('does not depend on how the shell ends, nor wait for it', async () => {
    useShell('export KEY=value; eval "$4"; sleep 60 & echo $! > "$HOME/pid"; wait; exit 3');
    const start = performance.now();
    expect(await changes({ timeoutMs: 3000 })).toEqual({ KEY: 'value' });
    expect(performance.now() - start).toBeLessThan(2500);
    while (!fs.existsSync(path.join(folder, 'pid'))) await new Promise(setImmediate);
    process.kill(Number(fs.readFileSync(path.join(folder, 'pid'), 'utf8')));
  });

  test('comes from a session of its own, without input', async () => {
    useShell('export INPUT="$(cat)" PID=$$ SID="$(cut -d" " -f6 /proc/self/stat)"; eval "$4"');
    const { INPUT, PID, SID } = await ask();
    expect(INPUT).toBe('');
    expect(SID).toBe(PID);
  });
});

describe('process.env is copied', () => {
  test.each([
    ['exits', 'exit 1'],
    ['ends without a word', 'exit 0'],
    ['prints no environment', 'echo A=1'],
    ['prints half of it', '/usr/bin/env -0'],
    ['is ended', 'kill -9 $$'],
    ['replaces itself', 'exec true'],
    ['prints what it should run', 'printf "%s\\0" "$4"'],
  ])('when the shell %s', async (_, body) => {
    useShell(body);
    const env = await ask();
    expect(env).toEqual({ ...process.env });
    expect(env).not.toBe(process.env);
  });

  test.each([
    ['is not there', () => path.join(folder, 'none')],
    ['is a folder', () => folder],
    ['is no program', () => __filename],
  ])('when the shell %s', async (_, make) => {
    process.env.SHELL = make();
    expect(await changes()).toEqual({});
  });

  test('after timeoutMs, when the shell and what it started are ended', async () => {
    useShell('sleep 60 & echo $! > "$HOME/child"; echo $$ > "$HOME/shell-pid"; sleep 60');
    const start = performance.now();
    expect(await changes({ timeoutMs: 300 })).toEqual({});
    expect(performance.now() - start).toBeGreaterThan(250);
    for (const name of ['child', 'shell-pid']) {
      await gone(Number(fs.readFileSync(path.join(folder, name), 'utf8')));
    }
  });

  test('when a profile does not stop writing, which ends it', async () => {
    useShell('echo $$ > "$HOME/pid"; exec cat /dev/zero');
    expect(await changes({ timeoutMs: 60_000 })).toEqual({});
    await gone(Number(fs.readFileSync(path.join(folder, 'pid'), 'utf8')));
  });
});

describe('the shell', () => {
  test.each(['/bin/sh', '/bin/bash'])('%s reads its profile', async (shell) => {
    fs.writeFileSync(path.join(folder, '.profile'), "echo Hello; export KEY='a\nb'\n");
    process.env.SHELL = shell;
    expect((await ask()).KEY).toBe('a\nb');
  });

  test('/bin/bash hands on functions', async () => {
    fs.writeFileSync(path.join(folder, '.bash_profile'), 'greet() { echo hi; }; export -f greet\n');
    process.env.SHELL = '/bin/bash';
    expect(Object.keys(await ask())).toContain('BASH_FUNC_greet%%');
  });

  test.each([[''], ['bash'], [undefined]])('is the account’s when SHELL is %p', async (shell) => {
    for (const file of ['.profile', '.zprofile']) {
      fs.writeFileSync(path.join(folder, file), 'export KEY=value\n');
    }
    if (shell === undefined) delete process.env.SHELL;
    else process.env.SHELL = shell;
    expect((await ask()).KEY).toBe('value');
  });

  test.each([
    ['/bin/zsh', ['-i', '-l', '-c'], '/bin/zsh'],
    ['/usr/bin/fish', ['-i', '-l', '-c'], '/usr/bin/fish'],
    ['/bin/tcsh', ['-i', '-c'], '-tcsh'],
    ['/bin/csh', ['-i', '-c'], '-csh'],
    ['/usr/local/bin/pwsh', ['-Login', '-Command'], '/usr/local/bin/pwsh'],
  ])('%s gets %j', (file, flags, argv0) => {
    const command = commandOf(file, 'mark', 'linux');
    expect(command).toMatchObject({ file, argv0 });
    expect(command.args.slice(0, -1)).toEqual(flags);
  });

  test('gets words that mean the same to all shells', () => {
    for (const shell of ['/bin/zsh', '/bin/tcsh', '/bin/nu', '/bin/pwsh']) {
      for (const platform of ['linux', 'darwin']) {
        expect(commandOf(shell, 'mark', platform).args.at(-1)).not.toMatch(/[!$\\\n`]/u);
      }
    }
  });

  test('is asked through awk on macOS, which says the same', async () => {
    const { file, args } = commandOf('/bin/sh', 'mark', 'darwin');
    const env = { A: 'a\nb=c', B: '', C: '007', D: '%s\\n' };
    const { stdout } = await promisify(execFile)(file, args, { env });
    const [begin, ...entries] = stdout.split('\0');
    expect([begin, ...entries.slice(-2)]).toEqual(['mark=begin', 'mark=end', '']);
    expect(parse(entries.slice(0, -2).join('\0'))).toMatchObject(env);
  });
});

test.each([['A=1\0B'], ['Error: no such thing\0'], [''], ['\0\0']])(
  '%j is no environment',
  (text) => {
    expect(parse(text)).toBeUndefined();
  },
);

test('what PowerShell prints, with a line feed behind each program, is one', () => {
  expect(parse('\nA=1\0B=\n\0\n')).toEqual({ A: '1', B: '\n' });
});

test.each([[null], [{ timeoutMs: 0 }], [{ timeoutMs: '1' }], [{ timeout: 1 }]])(
  'options %j are refused',
  async (options) => {
    const error = await failureOf(loginShellEnv(options));
    expect(error).toBeInstanceOf(OptionError);
    expect(error.code).toBe('MM_ERR_OPTION');
  },
);

test('Node.js ends when the answer is there, though the shell does not', async () => {
  useShell('eval "$4"; sleep 3');
  const source = "require('mini-me-client').loginShellEnv().then(() => console.log('answered'))";
  const start = performance.now();
  const cwd = path.resolve(__dirname, '../..');
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', source], { cwd });
  expect(stdout).toBe('answered\n');
  expect(performance.now() - start).toBeLessThan(2500);
});
