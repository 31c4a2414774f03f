// SPDX-License-Identifier: Apache-2.0
// A route of Express, before any body parser: what a parser has read, nobody can send on.
'use strict';
const express = require('express');
const { EvidenceProblem, EvidenceService } = require('./evidence_client.js');

const service = new EvidenceService(process.env.EVIDENCE_SOCKET ?? '/run/evidence/evidence.sock');
const app = express();

app.post('/orders/:order/result', async (request, response, next) => {
  try {
    const report = await service.check(request, { orderNo: request.params.order, userId: 'u-1' }); // From your session.
    response.json({ passed: report.verdict === 'holds' });
  } catch (error) {
    if (!(error instanceof EvidenceProblem)) return next(error);
    // Busy: the app may ask again. Anything else of 400 and above is no verdict either.
    if (error.retryAfter) response.set('Retry-After', error.retryAfter);
    response.status(error.status < 500 ? error.status : 502).json({ code: error.code });
  }
});
app.use(express.json());
app.listen(process.env.PORT ?? 3000, '127.0.0.1');
