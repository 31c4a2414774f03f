// SPDX-License-Identifier: Apache-2.0
// A client of evidence-service in one file, for Node 18 and later, without dependencies.
//
//   const service = new EvidenceService('/run/evidence/evidence.sock');
//   await service.open('payload.json', 'video.mp4', { orderNo: 'ord1' });
//   const report = await service.check(request, { orderNo: 'ord1', userId: 'u1' });
//
// A document is the path of a file (a string or a file: URL), a Buffer, another view of bytes or an ArrayBuffer, a Blob, a
// stream of Node or of the web, a Request or a Response of fetch, a FileHandle, or an iterable of such views. What says no
// length is sent in chunks, unless you give one, { length }: then that many bytes are the document, and no more is sent.
// Parameters are an object, a Map or URLSearchParams; each is a string, a finite number or a boolean; undefined and null
// are not sent. iv, in hexadecimal, is sent as a header: queries are logged.
'use strict';
const crypto = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const { Readable } = require('node:stream');

/** What the service refused; `code` is for programs. `retryAfter`: in seconds. */
class EvidenceProblem extends Error {
  constructor(status, problem, retryAfter) {
    const details = { status, code: problem.code, hint: problem.hint, retryAfter };
    // The cause is what a structured clone, such as a message of a worker, keeps.
    const title = problem.title ?? 'refused without a problem document';
    super(`${title} (${status} ${problem.code ?? '-'})${problem.hint ? `: ${problem.hint}` : ''}`, { cause: details });
    Object.assign(this, { name: 'EvidenceProblem', ...details });
  }

  /** Without it, JSON would lose the message. */
  toJSON() { return { ...this, message: this.message }; }
}

class EvidenceService {
  constructor(path, timeout = 60_000) {
    // A connection for each request: one that is kept may be closed just when the next request is sent.
    Object.assign(this, { path, timeout, agent: new http.Agent({ keepAlive: false }) });
  }

  /** Opens the video of a payload into a new file: whole, or not at all. */
  async open(payload, destination, query, { length } = {}) {
    // A name of its own: what a killed run left is in nobody's way.
    const part = `${destination}.${crypto.randomUUID()}.part`;
    const file = await fs.promises.open(part, 'wx', 0o600);
    try {
      await this.request('open', payload, query, length, (piece) => file.writeFile(piece));
      await file.sync();
      await fs.promises.link(part, destination);
    } finally {
      await file.close();
      await fs.promises.unlink(part);
    }
  }

  /**
   * The report of a result. Look at its verdict: only 'holds' is yes. Under a profile without a tag, or with a padding other
   * than OAEP, it is a receipt and the verdict null: `extract` makes a folder if everything holds.
   */
  async check(result, query, { length } = {}) {
    return { verdict: null, ...JSON.parse(await this.request('check', result, query, length)) };
  }

  async verify(recipe, sign, values) {
    encoded(values);
    return JSON.parse(await this.request('verify', Buffer.from(JSON.stringify({ recipe, sign, values })), {}));
  }

  async request(operation, body, query, length, take) {
    const { iv, ...parameters } = Object.fromEntries(entries(query));
    if (iv !== undefined && !/^[0-9A-Fa-f]+$/.test(iv)) throw new TypeError('iv must be hexadecimal digits');
    const path = `/v1/${operation}?${encoded(parameters)}`;
    const isGiven = length !== undefined && length !== null;
    if (isGiven && !(Number.isSafeInteger(length) && length >= 0)) throw new TypeError(`length must be a number of bytes, not ${length}`);
    const { size, source, close } = await opened(body);
    const sent = isGiven ? { size: length, source: beginning(source, length) } : { size, source };
    const framing = sent.size === undefined ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': sent.size };
    const headers = { 'Content-Type': 'application/json', ...framing, ...(iv === undefined ? {} : { 'Evidence-IV': iv }) };
    const options = { socketPath: this.path, agent: this.agent, method: 'POST', path, headers, timeout: this.timeout };
    const request = http.request(options);
    try {
      return await received(await answered(request, sent.source, sent.size, this), take);
    } finally {
      request.destroyed || request.writableFinished || request.destroy();
      await close();
    }
  }
}

/** Waits for the answer, not for the end of the upload: after an early refusal the service does not read the rest. */
function answered(request, source, size, { path, timeout }) {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const fail = (error) => { isOver = true; reject(error); request.destroy(); };
    request.once('response', (response) => { isOver = true; resolve(response); });
    // The answer to what was not read may still come.
    request.on('error', (error) => {
      if (!isOver) setTimeout(() => fail(new Error(`evidence-service at ${path}: ${error.message}`, { cause: error })), 200);
    });
    request.once('timeout', () => fail(new Error(`evidence-service at ${path} did not answer within ${timeout} ms`)));
    const write = async (piece) => { if (!request.write(bytes(piece))) await once(request, 'drain').catch(() => {}); };
    const send = async () => {
      // The last piece is sent once the source has ended: its answer would come before what is wrong with the source.
      let [left, last] = [size, undefined];
      for await (const piece of source) {
        if (isOver || request.destroyed) return;
        if (!ArrayBuffer.isView(piece)) throw new TypeError(`a piece of the document must be bytes, not ${kind(piece)}`);
        left -= piece.byteLength;
        if (left < 0) throw new Error('the document grew while it was sent');
        if (left === 0) last ??= piece; else await write(piece);
      }
      if (left > 0) throw new Error(`the document ended ${left} bytes too early: it was cut off, or its length is another one`);
      if (last) await write(last);
      request.end();
    };
    send().catch((error) => { if (!isOver) fail(error); });
  });
}

async function received(answer, take) {
  const [pieces, digest] = [[], crypto.createHash('sha256')];
  for await (const piece of answer) {
    digest.update(piece);
    if (take && answer.statusCode === 200) await take(piece); else pieces.push(piece);
  }
  const { statusCode: status, headers } = answer;
  const retryAfter = /^\d+$/.test(headers['retry-after']) ? Number(headers['retry-after']) : undefined;
  if (status !== 200 && !headers['repr-digest']) throw new EvidenceProblem(status, {}, retryAfter);
  if (headers['content-length'] === undefined) throw new Error('the answer has no Content-Length');
  if (!answer.complete || headers['repr-digest'] !== `sha-256=:${digest.digest('base64')}:`) {
    throw new Error('the answer was cut off');
  }
  const content = Buffer.concat(pieces);
  if (status !== 200) throw new EvidenceProblem(status, JSON.parse(content), retryAfter);
  return content;
}

const kind = (value) => (value === null ? 'null' : value?.constructor?.name ?? typeof value);
const bytes = (view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength);

function entries(query) {
  const all = typeof query?.entries === 'function' ? [...query.entries()] : Object.entries(query ?? {});
  return all.filter(([, value]) => value !== undefined && value !== null);
}

function encoded(query) {
  return entries(query).map(([name, value]) => {
    if (!['string', 'boolean', 'bigint'].includes(typeof value) && !Number.isFinite(value)) {
      throw new TypeError(`${name} must be a string, a finite number or a boolean, not ${typeof value === 'number' ? value : kind(value)}`);
    }
    try { return `${name}=${encodeURIComponent(value)}`; } catch (error) {
      throw new TypeError(`${name} is not text that UTF-8 can hold`, { cause: error });
    }
  }).join('&');
}

/** The first bytes of a document; whoever gave it has the rest. */
async function* beginning(source, left) {
  if (left === 0) return;
  for await (const piece of source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : source) {
    // What is no bytes is refused where it is sent.
    yield ArrayBuffer.isView(piece) ? bytes(piece).subarray(0, left) : piece;
    left -= piece.byteLength;
    if (left <= 0) return;
  }
}

/** The length of a document, where it is certain, and its pieces. */
async function opened(body) {
  const nothing = async () => {};
  if (body instanceof ArrayBuffer || body instanceof SharedArrayBuffer) return opened(new Uint8Array(body));
  if (ArrayBuffer.isView(body)) return { size: body.byteLength, source: body.byteLength ? [body] : [], close: nothing };
  if (body instanceof Blob) return { size: body.size, source: body.stream(), close: nothing };
  if (body instanceof Response || body instanceof Request) {
    if (body.bodyUsed) throw new Error('the body was read already');
    return opened(body.body ?? new Uint8Array());
  }
  // An error with the path would show it.
  if (typeof body === 'string' && (body.length > 4096 || /^\s*[{["]/.test(body))) {
    throw new TypeError('this is a document, not the path of one: pass Buffer.from(document)');
  }
  if (typeof body === 'string' || body instanceof URL) {
    const file = await fs.promises.open(body);
    const status = await file.stat();
    const source = file.createReadStream({ autoClose: false });
    return { size: status.isFile() ? status.size : undefined, source, close: () => file.close() };
  }
  if (typeof body?.createReadStream === 'function') return { source: body.createReadStream({ autoClose: false }), close: nothing };
  if (body instanceof Readable && (body.readableEnded || body.destroyed)) {
    throw new Error('the stream was read already, by a body parser for example');
  }
  if (body instanceof http.IncomingMessage && !body.readableDidRead && /^\d+$/.test(body.headers['content-length'])) {
    return { size: Number(body.headers['content-length']), source: body, close: nothing };
  }
  if (body?.locked) throw new Error('the stream is being read already');
  if (typeof body?.getReader === 'function') return { source: Readable.fromWeb(body), close: nothing };
  if (body?.[Symbol.asyncIterator] || typeof body === 'object' && body?.[Symbol.iterator]) return { source: body, close: nothing };
  throw new TypeError(`a document is a path, bytes, a Blob, a stream or an iterable of bytes, not ${kind(body)}`);
}

module.exports = { EvidenceProblem, EvidenceService };
