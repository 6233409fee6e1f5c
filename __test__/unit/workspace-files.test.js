'use strict';

const { execFileSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { Worker } = require('node:worker_threads');
const { afterEach, beforeEach, describe, expect, test } = require('@jest/globals');
const { OptionError, workspaceFiles } = require('../..');
const { Workspace } = require('../../js/workspace');
const { failureOf } = require('../e2e/harness');

const MIB = 1024 * 1024;

/** `base` holds the root `w`, its sibling `w-evil` and a file beside them. */
let base;
let root;
let outside;
beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mini-me-files-')));
  root = path.join(base, 'w');
  outside = path.join(base, 'w-evil');
  for (const folder of [root, outside, path.join(root, 'src')]) fs.mkdirSync(folder);
  fs.writeFileSync(path.join(root, 'a.txt'), 'inside');
  fs.writeFileSync(path.join(outside, 'a.txt'), 'outside');
});
afterEach(() => fs.rmSync(base, { recursive: true }));

const inRoot = (...names) => [root, ...names].join(path.sep);
const link = (target, ...names) => fs.symlinkSync(target, inRoot(...names));

/** Both handlers, by what a test needs to give. */
function files(options, roots = root) {
  const { readTextFile, writeTextFile } = workspaceFiles(roots, options);
  const context = { signal: new AbortController().signal };
  return {
    read: (file, part) => readTextFile({ sessionId: 's', path: file, ...part }, context),
    write: (file, content) => writeTextFile({ sessionId: 's', path: file, content }, context),
  };
}

/** What is outside, by path: it must never change. */
function contentOutside() {
  const names = fs.readdirSync(outside, { recursive: true });
  return names.map((name) => [name, fs.readFileSync(path.join(outside, name), 'utf8')]);
}

describe('reading', () => {
  test.each([
    ['text', 'a\nb\n'],
    ['nothing', ''],
    ['CRLF, a lone CR and no last line feed', 'a\r\nb\rc'],
    ['a byte order mark', '\ufeffa'],
    ['characters of four bytes across a chunk', `${'x'.repeat(65_535)}𝄞${'é'.repeat(40_000)}`],
  ])('gives %s as it is', async (_, text) => {
    fs.writeFileSync(inRoot('b.txt'), text);
    expect(await files().read(inRoot('b.txt'))).toBe(text);
  });

  test.each([
    [{ line: 2 }, 'b\r\nc\n\nd'],
    [{ line: 2, limit: 2 }, 'b\r\nc\n'],
    [{ limit: 1 }, 'a\n'],
    [{ line: 1, limit: 100 }, 'a\nb\r\nc\n\nd'],
    [{ line: 0, limit: 1 }, 'a\n'],
    [{ line: 5 }, 'd'],
    [{ line: 6 }, ''],
    [{ limit: 0 }, ''],
    [{ line: null, limit: null }, 'a\nb\r\nc\n\nd'],
  ])('gives the lines of %j with what ends them', async (part, text) => {
    fs.writeFileSync(inRoot('b.txt'), 'a\nb\r\nc\n\nd');
    expect(await files().read(inRoot('b.txt'), part)).toBe(text);
  });

  test('gives the same in parts as in one, wherever lines end', async () => {
    const text = Array.from({ length: 3000 }, (_, n) => `${n}${'é'.repeat(n % 97)}\n`).join('');
    fs.writeFileSync(inRoot('b.txt'), text);
    const { read } = files();
    const parts = [];
    for (let line = 1; line <= 3000; line += 250) {
      parts.push(await read(inRoot('b.txt'), { line, limit: 250 }));
    }
    expect(parts.join('')).toBe(text);
  });

  test.each([{ line: -1 }, { line: 1.5 }, { line: '1' }, { limit: -1 }, { limit: Number.NaN }])(
    'refuses %p',
    async (part) => {
      const error = await failureOf(files().read(inRoot('a.txt'), part));
      expect(error.code).toBe(-32602);
      expect(error.message).toContain(Object.keys(part)[0]);
    },
  );

  test('says that a file is missing as the protocol does', async () => {
    const uri = pathToFileURL(inRoot('no %.txt')).href;
    expect(await failureOf(files().read(inRoot('no %.txt')))).toMatchObject({
      code: -32002,
      message: `Resource not found: ${uri}`,
      data: { uri },
    });
    expect(await failureOf(files().read(inRoot('a.txt', 'b')))).toMatchObject({ code: -32002 });
  });

  test('gives "" for a missing file where the program wants it so, inside alone', async () => {
    const { read } = files({ missing: 'empty' });
    expect(await read(inRoot('none', 'b.txt'))).toBe('');
    expect(await read(inRoot('a.txt'))).toBe('inside');
    for (const file of [path.join(outside, 'none'), `${root}/../none`]) {
      expect(await failureOf(read(file))).toMatchObject({ code: -32602 });
    }
    expect(await failureOf(read(inRoot('n'.repeat(300))))).toMatchObject({ code: -32603 });
  });

  test.each([
    ['Latin-1', Buffer.from('\u00e9', 'latin1'), 'UTF-8'],
    ['UTF-16', Buffer.from('\ufeffab', 'utf16le'), 'NUL'],
    ['bytes', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), 'NUL'],
  ])('refuses %s, and says why', async (_, bytes, word) => {
    fs.writeFileSync(inRoot('b.txt'), bytes);
    const error = await failureOf(files().read(inRoot('b.txt')));
    expect(error.code).toBe(-32602);
    expect(error.message).toContain(word);
  });

  test('refuses more than a message holds, and gives a part of it', async () => {
    fs.writeFileSync(inRoot('b.txt'), `${'x'.repeat(99)}\n`.repeat(110_000));
    const { read } = files();
    const error = await failureOf(read(inRoot('b.txt')));
    expect(error.code).toBe(-32602);
    expect(error.message).toMatch(/10485760 bytes.*line and limit/u);
    expect(await read(inRoot('b.txt'), { line: 109_999, limit: 9 })).toHaveLength(200);
  });

  test('reads no further than the lines that are asked for', async () => {
    fs.writeFileSync(inRoot('b.txt'), 'a\nb\n');
    fs.truncateSync(inRoot('b.txt'), 100_000 * MIB);
    expect(await files().read(inRoot('b.txt'), { line: 2, limit: 1 })).toBe('b\n');
  });
});

describe('writing', () => {
  test('makes the file, and the folders to it', async () => {
    await files().write(inRoot('x', 'y', 'b.txt'), 'é\r\n');
    expect(fs.readFileSync(inRoot('x', 'y', 'b.txt'), 'utf8')).toBe('é\r\n');
  });

  test.each(['', 'longer than before', 'b'])(
    'replaces all that was there with %j',
    async (text) => {
      await files().write(inRoot('a.txt'), text);
      expect(fs.readFileSync(inRoot('a.txt'), 'utf8')).toBe(text);
    },
  );

  test('keeps the mode, the links and the identity of the file', async () => {
    fs.chmodSync(inRoot('a.txt'), 0o741);
    fs.linkSync(inRoot('a.txt'), inRoot('hard'));
    link('../a.txt', 'src', 'soft');
    const before = fs.statSync(inRoot('a.txt'));
    await files().write(inRoot('src', 'soft'), 'new');
    const after = fs.statSync(inRoot('a.txt'));
    expect([after.ino, after.mode, after.nlink]).toEqual([before.ino, before.mode, 2]);
    expect(fs.readFileSync(inRoot('hard'), 'utf8')).toBe('new');
    expect(fs.lstatSync(inRoot('src', 'soft')).isSymbolicLink()).toBe(true);
  });

  test('of many at once leaves the last, whole', async () => {
    const { write } = files();
    const texts = Array.from({ length: 40 }, (_, n) => String(n).repeat((n * 7919) % 200_000));
    await Promise.all(texts.map((text) => write(inRoot('a.txt'), text)));
    expect(fs.readFileSync(inRoot('a.txt'), 'utf8')).toBe(texts.at(-1));
  });

  test('that fails holds up none that follows', async () => {
    const { write } = files();
    const failed = write(inRoot('src'), 'x');
    const done = write(inRoot('b.txt'), 'x');
    expect(await failureOf(failed)).toMatchObject({ code: -32602 });
    await done;
    expect(fs.existsSync(inRoot('b.txt'))).toBe(true);
  });

  test.each([['half of a pair \ud834'], [undefined], [7]])(
    'refuses content %p',
    async (content) => {
      const error = await failureOf(files().write(inRoot('a.txt'), content));
      expect(error.code).toBe(-32602);
      expect(fs.readFileSync(inRoot('a.txt'), 'utf8')).toBe('inside');
    },
  );

  test('names the path and the reason when the system refuses', async () => {
    const file = inRoot('n'.repeat(300));
    const { code, message } = await failureOf(files().write(file, 'x'));
    expect(code).toBe(-32603);
    expect(message).toBe(`could not write "${file}": name too long (ENAMETOOLONG)`);
    expect(await failureOf(files().write(inRoot('a.txt', 'b'), 'x'))).toMatchObject({
      code: -32603,
      message: expect.stringContaining('ENOTDIR'),
    });
  });
});

describe('a signal that has aborted', () => {
  test('rejects with its reason, and nothing is written', async () => {
    const { readTextFile, writeTextFile } = workspaceFiles(root);
    const controller = new AbortController();
    const reason = new Error('withdrawn');
    const waiting = writeTextFile({ sessionId: 's', path: inRoot('b'), content: 'x' }, controller);
    controller.abort(reason);
    expect(await failureOf(waiting)).toBe(reason);
    expect(
      await failureOf(readTextFile({ sessionId: 's', path: inRoot('a.txt') }, controller)),
    ).toBe(reason);
    expect(fs.existsSync(inRoot('b'))).toBe(false);
  });
});

describe.each([
  ['by the handle of its folder', undefined],
  ['by a second look', { hasHandleNames: false }],
])('what is opened is known %s:', (_, how) => {
  const open = async (what, file) => {
    const handle = await (await Workspace.of([root], how))[what](file);
    await handle.close();
  };
  /** Neither is opened, for the same reason. */
  async function refusals(file) {
    const before = contentOutside();
    const reading = await failureOf(open('openToRead', file));
    const writing = await failureOf(open('openToWrite', file));
    expect(writing).toMatchObject({ code: reading.code, message: reading.message });
    expect(contentOutside()).toEqual(before);
    return reading;
  }

  test('files inside are opened, whatever leads to them', async () => {
    link('src', 'alias');
    link(inRoot('a.txt'), 'src', 'absolute');
    fs.symlinkSync(root, path.join(base, 'way-in'));
    const ways = [
      inRoot('a.txt'),
      inRoot('src', '..', 'a.txt'),
      inRoot('alias', 'absolute'),
      path.join(base, 'way-in', 'a.txt'),
      `${root}//./src/../a.txt/`,
    ];
    for (const file of ways) {
      await open('openToRead', file);
      await open('openToWrite', file);
    }
    await open('openToWrite', inRoot('alias', 'deep', 'b'));
    expect(fs.existsSync(inRoot('src', 'deep', 'b'))).toBe(true);
  });

  test.each([
    ['a sibling of the same beginning', () => path.join(outside, 'a.txt')],
    ['`..`', () => inRoot('..', 'w-evil', 'a.txt')],
    ['the folder above', () => base],
    ['a link to a file', () => link(path.join(outside, 'a.txt'), 'l') ?? inRoot('l')],
    ['a relative link', () => link('../w-evil/a.txt', 'l') ?? inRoot('l')],
    ['a link to a folder', () => link(outside, 'l') ?? inRoot('l', 'a.txt')],
    ['a new file behind a link', () => link(outside, 'l') ?? inRoot('l', 'b', 'c.txt')],
    ['a link to nowhere', () => link(path.join(outside, 'b.txt'), 'l') ?? inRoot('l')],
    [
      'a folder behind a link to nowhere',
      () => link(path.join(outside, 'b'), 'l') ?? inRoot('l', 'c'),
    ],
    ['a link to itself', () => link('l', 'l') ?? inRoot('l')],
    ['`..` behind a link', () => link(outside, 'l') ?? inRoot('l', '..', 'w', 'a.txt')],
    [
      '`..` behind a link to nowhere',
      () => link(`${outside}/b`, 'l') ?? inRoot('l', '..', 'a.txt'),
    ],
    ['`..` that comes back', () => inRoot('..', 'w-evil', '..', 'w', 'a.txt')],
    ['`..` of what is missing outside', () => inRoot('..', 'none', '..', 'w', 'a.txt')],
    ['a device', () => link('/dev/null', 'l') ?? inRoot('l')],
    ['what is missing outside', () => path.join(outside, 'none', 'b.txt')],
  ])('%s is refused, and nothing is made', async (_name, make) => {
    const file = make();
    expect(await refusals(file)).toMatchObject({
      code: -32602,
      message: `expected a path inside the workspace, and no link out of it or to nowhere, got ${JSON.stringify(file)}`,
    });
  });

  test('`..` behind what is missing is refused: a system would not find it', async () => {
    expect((await refusals(inRoot('none', '..', 'a.txt'))).message).toContain('`..`');
  });

  test('folders and FIFOs are refused, and hold nothing up', async () => {
    execFileSync('mkfifo', [inRoot('fifo')]);
    for (const file of [root, inRoot('src'), inRoot('fifo')]) {
      expect((await refusals(file)).message).toContain('the path of a file');
    }
  });

  test('devices are refused', async () => {
    const workspace = await Workspace.of(['/dev'], how);
    const error = await failureOf(workspace.openToWrite('/dev/null'));
    expect(error.message).toContain('the path of a file');
  });

  test('nothing is cut before it is checked', async () => {
    await open('openToWrite', inRoot('a.txt'));
    expect(fs.readFileSync(inRoot('a.txt'), 'utf8')).toBe('inside');
  });
});

test('no file stays open, whatever was asked for', async () => {
  const { read, write } = files();
  link(outside, 'l');
  fs.writeFileSync(inRoot('bytes'), Buffer.from([0xff]));
  const names = () => fs.readdirSync('/proc/self/fd').length;
  const before = names();
  const asked = ['a.txt', 'none', 'l/a.txt', 'src', 'bytes', 'a.txt/x', 'src/../a.txt'];
  for (let round = 0; round < 10; round += 1) {
    await Promise.allSettled(asked.map((name) => read(inRoot(name))));
    await Promise.allSettled(asked.map((name) => write(inRoot(name), 'x')));
  }
  expect(names()).toBe(before);
});

describe('roots', () => {
  test('may be several, and links', async () => {
    fs.symlinkSync(root, path.join(base, 'alias'));
    const other = path.join(base, 'other');
    fs.mkdirSync(other);
    fs.writeFileSync(path.join(other, 'b.txt'), 'other');
    const { read } = files({}, [`${path.join(base, 'alias')}/`, other]);
    expect(await read(inRoot('a.txt'))).toBe('inside');
    expect(await read(path.join(base, 'alias', 'a.txt'))).toBe('inside');
    expect(await read(path.join(other, 'b.txt'))).toBe('other');
    expect(await failureOf(read(path.join(outside, 'a.txt')))).toMatchObject({ code: -32602 });
  });

  test.each([
    ['are not absolute', () => 'src', 'got "src", which is not absolute (path.resolve()'],
    ['are not there', () => path.join(base, 'none'), 'which cannot be looked at: ENOENT'],
    ['are a file', () => inRoot('a.txt'), 'a.txt", which is a file'],
    ['are no text', () => 7, 'got 7'],
    ['are none', () => [], 'got none'],
  ])('that %s are MM_ERR_OPTION, and why', (_, make, why) => {
    const attempt = () => workspaceFiles(make());
    expect(attempt).toThrow(expect.objectContaining({ code: 'MM_ERR_OPTION' }));
    expect(attempt).toThrow(why);
  });

  test('that are gone fail their requests, not those of others', async () => {
    const { read } = files({}, [root, outside]);
    fs.renameSync(root, path.join(base, 'moved'));
    expect(await failureOf(read(inRoot('a.txt')))).toMatchObject({ code: -32602 });
    expect(await read(path.join(outside, 'a.txt'))).toBe('outside');
  });

  test('are copied when they are given', async () => {
    const roots = [root];
    const { read } = files({}, roots);
    roots.push(outside);
    expect(await failureOf(read(path.join(outside, 'a.txt')))).toMatchObject({ code: -32602 });
  });

  test.each([
    ['none', () => []],
    ['a relative path', () => '.'],
    ['a file', () => inRoot('a.txt')],
    ['a folder that is missing', () => [root, inRoot('none')]],
    ['no text', () => [7]],
    ['nothing', () => undefined],
    ['a path with NUL', () => `${root}\0`],
  ])('that are %s are refused', (_, make) => {
    expect(() => workspaceFiles(make())).toThrow(OptionError);
    expect(() => workspaceFiles(make())).toThrow(
      expect.objectContaining({ code: 'MM_ERR_OPTION' }),
    );
  });

  test.each([[null], [{ missing: true }], [{ missing: 'throw' }], [{ absent: 'empty' }]])(
    'with the options %j are refused',
    (options) => {
      expect(() => workspaceFiles(root, options)).toThrow(OptionError);
    },
  );
});

/** Makes a folder a link to another and back, as fast as it can, until it is told to stop. */
const SWAPPER = `
  const fs = require('node:fs');
  const { folder, target, shared } = require('node:worker_threads').workerData;
  let made = 0;
  function put(action) {
    for (;;) {
      try {
        return action();
      } catch {
        // A write has made the folder that was missing.
        fs.renameSync(folder, folder + '.made-' + (made += 1));
      }
    }
  }
  for (; Atomics.load(shared, 0) === 0; Atomics.add(shared, 1, 1)) {
    fs.renameSync(folder, folder + '.kept');
    put(() => fs.symlinkSync(target, folder));
    fs.unlinkSync(folder);
    put(() => fs.renameSync(folder + '.kept', folder));
  }
`;

test('a folder that becomes a link 2 000 times, meanwhile: nothing outside is read or written', async () => {
  fs.writeFileSync(inRoot('src', 'a.txt'), 'inside');
  const before = contentOutside();
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const workerData = { folder: inRoot('src'), target: outside, shared };
  const worker = new Worker(SWAPPER, { eval: true, workerData });
  let hasExited = false;
  const exit = once(worker, 'exit').finally(() => {
    hasExited = true;
  });
  const { read, write } = files();
  const seen = new Set();
  // Until both were seen: what is inside, and a refusal of what was not.
  const isEnough = () =>
    Atomics.load(shared, 1) >= 2000 && [undefined, 'inside', -32602].every((it) => seen.has(it));
  for (let n = 0; !isEnough() && !hasExited; n += 1) {
    const outcomes = await Promise.allSettled([
      read(inRoot('src', 'a.txt')),
      write(inRoot('src', 'a.txt'), 'inside'),
      write(inRoot('src', `new-${n}`), 'inside'),
      write(inRoot('src', `folder-${n}`, 'b', 'c'), 'inside'),
    ]);
    for (const { value, reason } of outcomes) seen.add(reason === undefined ? value : reason.code);
  }
  Atomics.store(shared, 0, 1);
  expect(await exit).toEqual([0]);
  expect(contentOutside()).toEqual(before);
  // '' is a file that was just made; what changed too often is missing, or could not be opened.
  const expected = [undefined, 'inside', '', -32602, -32002, -32603];
  for (const answer of seen) expect(expected).toContain(answer);
});
