// SPDX-License-Identifier: Apache-2.0
// What Express gives, sent on: main.js CLIENTS SOCKET PORT.
'use strict';
const busboy = require('busboy');
const express = require('express');
const [, , clients, socket, port] = process.argv;
const { EvidenceProblem, EvidenceService } = require(`${clients}/evidence_client.js`);

const service = new EvidenceService(socket);
const app = express();
const raw = express.raw({ type: () => true, limit: '100mb' });
const answer = (document, options) => async (request, response, next) => {
  try {
    const report = await service.check(document(request), { orderNo: request.params.order, userId: 'u-1' }, options?.(request));
    response.json({ passed: report.verdict === 'holds' });
  } catch (error) {
    if (!(error instanceof EvidenceProblem)) return next(error);
    response.status(error.status).json({ code: error.code });
  }
};
// Without a body, express.raw() leaves an empty object.
const body = (request) => (Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));

app.post('/request/:order', answer((request) => request));
app.post('/length/:order', answer((request) => request, ({ headers }) => ({ length: Number(headers['content-length'] ?? NaN) })));
app.post('/bytes/:order', raw, answer(body));
app.post('/view/:order', raw, answer((request) => new Uint8Array(body(request))));
app.post('/file/:order', (request, response, next) => {
  const form = busboy({ headers: request.headers });
  form.on('file', (name, file) => answer(() => file)(request, response, next));
  request.pipe(form);
});
app.listen(port, '127.0.0.1');
