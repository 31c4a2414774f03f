// SPDX-License-Identifier: Apache-2.0
// A client of evidence-service in one file, for Node 18 and later, without dependencies.
//
//   const service = new EvidenceService('/run/evidence/evidence.sock');
//   await service.open(fs.createReadStream('payload.json'), 'video.mp4', { orderNo: 'ord1' });
//   const report = await service.check(fs.createReadStream('result.json'), { orderNo: 'ord1' });
'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const { Readable } = require('node:stream');

class EvidenceProblem extends Error {
  constructor(status, problem) {
    super(`${problem.title ?? 'refused without a problem document'} (${status} ${problem.code ?? '-'})`);
    Object.assign(this, { status, code: problem.code, hint: problem.hint });
  }
}

class EvidenceService {
  constructor(path, timeout = 60_000) {
    Object.assign(this, { path, timeout, agent: new http.Agent({ keepAlive: true, timeout: 5_000 }) });
  }

  /** Opens the video of a payload (a stream or a Buffer) into a new file: whole, or not at all. */
  async open(payload, destination, query) {
    const part = `${destination}.part`;
    const file = await fs.promises.open(part, 'wx', 0o600);
    try {
      await this.request('open', payload, query, (piece) => file.writeFile(piece));
      await fs.promises.link(part, destination);
    } finally {
      await file.close();
      await fs.promises.unlink(part);
    }
  }

  /** The report of a result. Look at its verdict: only 'holds' is yes. */
  async check(result, query) { return JSON.parse(await this.request('check', result, query)); }

  async verify(recipe, sign, values) {
    return JSON.parse(await this.request('verify', Buffer.from(JSON.stringify({ recipe, sign, values })), {}));
  }

  async request(operation, body, query, take) {
    const headers = { 'Content-Type': 'application/json', ...(Buffer.isBuffer(body) ? { 'Content-Length': body.length } : {}) };
    const path = `/v1/${operation}?${new URLSearchParams(query)}`.replaceAll('+', '%20');
    const options = { socketPath: this.path, agent: this.agent, method: 'POST', path, headers, timeout: this.timeout };
    const request = http.request(options);
    // Wait for the answer, not for the end of the upload: after an early refusal the service does not read the rest.
    const answer = await new Promise((resolve, reject) => {
      let answered = false;
      request.once('response', (response) => { answered = true; resolve(response); });
      request.on('error', (error) => { if (!answered) setTimeout(() => reject(error), 200); });
      request.once('timeout', () => request.destroy(new Error('the service did not answer in time')));
      const source = Buffer.isBuffer(body) ? Readable.from([body]) : body;
      source.on('error', (error) => request.destroy(error)).pipe(request);
    });
    const [pieces, digest] = [[], crypto.createHash('sha256')];
    for await (const piece of answer) {
      digest.update(piece);
      if (take && answer.statusCode === 200) await take(piece); else pieces.push(piece);
    }
    if (answer.statusCode !== 200 && !answer.headers['repr-digest']) throw new EvidenceProblem(answer.statusCode, {});
    if (answer.headers['content-length'] === undefined) throw new Error('the answer has no Content-Length');
    if (!answer.complete || answer.headers['repr-digest'] !== `sha-256=:${digest.digest('base64')}:`) {
      throw new Error('the answer was cut off');
    }
    const content = Buffer.concat(pieces);
    if (answer.statusCode !== 200) throw new EvidenceProblem(answer.statusCode, JSON.parse(content));
    return content;
  }
}

module.exports = { EvidenceProblem, EvidenceService };
