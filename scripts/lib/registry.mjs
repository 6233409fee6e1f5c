// A registry of npm packages on this machine, in memory: as much of one as npm, pnpm and yarn need to
// publish and to install. It asks no other registry, so what was not published to it is not there.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

/**
 * @typedef {{ name: string, version: string }} Manifest of one version, as it was published
 * @typedef {{ manifest: Manifest, tarball: Buffer }} Release
 * @typedef {{ status: number, body: Buffer | object }} Answer
 */

/** Starts one on a port of its own. */
export async function startRegistry() {
  const registry = new Registry();
  const server = createServer(async (request, response) => {
    const { status, body } = await registry.answer(request);
    const isFile = Buffer.isBuffer(body);
    const type = isFile ? 'application/octet-stream' : 'application/json';
    response.writeHead(status, { 'content-type': type });
    response.end(isFile ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  registry.url = `http://127.0.0.1:${port}/`;
  return {
    url: registry.url,
    /** The names that were asked for and are not there. */
    missing: registry.missing,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

class Registry {
  url = '';
  /** @type {Set<string>} */
  missing = new Set();
  /** By name, then by version. @type {Map<string, Map<string, Release>>} */
  #packages = new Map();

  /**
   * @param {import('node:http').IncomingMessage} request
   * @returns {Promise<Answer>}
   */
  async answer(request) {
    const { pathname } = new URL(request.url ?? '/', this.url);
    // A scoped name comes as @scope%2fname or with its slash.
    const [, name = '', file] =
      /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+))?$/.exec(decodeURIComponent(pathname)) ?? [];
    if (request.method === 'PUT') return this.#publish(JSON.parse(String(await readAll(request))));
    const versions = this.#packages.get(name);
    if (versions === undefined) {
      this.missing.add(name);
      return { status: 404, body: { error: `there is no package ${name} here` } };
    }
    if (file === undefined) return { status: 200, body: this.#document(name, versions) };
    const release = [...versions.values()].find(({ manifest }) => fileOf(manifest) === file);
    return release === undefined
      ? { status: 404, body: { error: `there is no file ${file} here` } }
      : { status: 200, body: release.tarball };
  }

  /**
   * @param {{ versions: Record<string, Manifest>, _attachments: Record<string, { data: string }> }} document
   * @returns {Answer}
   */
  #publish({ versions, _attachments }) {
    const [manifest] = Object.values(versions);
    const [attachment] = Object.values(_attachments);
    if (manifest === undefined || attachment === undefined)
      return { status: 400, body: { error: 'expected one version with its tarball' } };
    const { name, version } = manifest;
    const known = this.#packages.get(name) ?? new Map();
    if (known.has(version))
      return { status: 409, body: { error: `${name}@${version} is there already` } };
    known.set(version, { manifest, tarball: Buffer.from(attachment.data, 'base64') });
    this.#packages.set(name, known);
    return { status: 201, body: { ok: true } };
  }

  /**
   * @param {string} name
   * @param {Map<string, Release>} versions
   */
  #document(name, versions) {
    const entries = [...versions].map(([version, { manifest, tarball }]) => {
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      const shasum = createHash('sha1').update(tarball).digest('hex');
      const dist = { tarball: `${this.url}${name}/-/${fileOf(manifest)}`, integrity, shasum };
      return [version, { ...manifest, dist }];
    });
    const latest = [...versions.keys()].at(-1);
    return { name, 'dist-tags': { latest }, versions: Object.fromEntries(entries) };
  }
}

/** @param {Manifest} manifest */
function fileOf({ name, version }) {
  return `${name.split('/').at(-1)}-${version}.tgz`;
}

/** @param {import('node:http').IncomingMessage} request */
async function readAll(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
