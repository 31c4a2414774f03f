// SPDX-License-Identifier: Apache-2.0
// The rows of client-behaviour.ndjson in Node: main.js CLIENTS FOLDER.
const fs = require('node:fs');
const zlib = require('node:zlib');
const { spawn } = require('node:child_process');
const { Readable } = require('node:stream');
const { pathToFileURL } = require('node:url');
const [, , clients, folder] = process.argv;
const { EvidenceProblem, EvidenceService } = require(`${clients}/evidence_client.js`);

process.chdir(folder);
const data = fs.readFileSync('result.json');
const at = (name, timeout = 20_000) => new EvidenceService(`${name}.sock`, timeout);
const check = async (body, query = {}, name = 'evidence', options = undefined) => (
  (await at(name).check(body, { orderNo: 'ord1', ...query }, options)).verdict);
const echo = (body, query) => check(body, query, 'echo');
const given = (body, length, name = 'evidence') => check(body, {}, name, { length });
const opened = async (name) => { await at('evidence').open('payload.json', name, { orderNo: 'ord1' }); return 'opened'; };

async function busy(carry = (error) => error) {
  const error = carry(await check(data, {}, 'busy').catch((refusal) => refusal));
  return `${error.code} ${error.retryAfter}`;
}

async function exists() {
  fs.writeFileSync('taken', 'before');
  return opened('taken').catch((error) => (error.code === 'EEXIST' && fs.readFileSync('taken', 'utf8') === 'before' ? 'kept' : 'lost'));
}

async function consumed() {
  const stream = fs.createReadStream('result.json');
  for await (const piece of stream) piece;
  return check(stream);
}

async function many() {
  const service = at('evidence');
  const reports = await Promise.all(Array.from({ length: 20 }, () => service.check(data, { orderNo: 'ord1' })));
  return `holds ${reports.filter((report) => report.verdict === 'holds').length}`;
}

async function webStream() {
  await check(new Blob([data]));
  return check(new Blob([data]).stream());
}

async function file() {
  const handle = await fs.promises.open('result.json');
  try { return await check(handle); } finally { await handle.close(); }
}

async function fetched() {
  await check(new Request('http://x/', { method: 'POST', body: data }));
  return check(new Response(data));
}

async function cloned() {
  const { cause } = structuredClone(await check(data, {}, 'busy').catch((refusal) => refusal));
  return `${cause.code} ${cause.retryAfter}`;
}

async function entries() {
  await at('evidence').check(data, new Map([['orderNo', 'ord1']]));
  return (await at('evidence').check(data, new URLSearchParams({ orderNo: 'ord1' }))).verdict;
}

async function used() {
  const response = new Response(data);
  await response.text();
  return check(response);
}

async function givenLength() {
  const stream = Readable.from([data, Buffer.from('more')]);
  const verdict = await given(stream, data.length);
  for await (const piece of stream) if (`${piece}` !== 'more') return 'the rest is gone';
  return stream.destroyed || verdict === 'holds' ? given([data.subarray(0, 9), Buffer.concat([data.subarray(9), data])], data.length) : verdict;
}

function* pieces() { for (let start = 0; start < data.length; start += 999) yield data.subarray(start, start + 999); }
async function* dying() { yield data.subarray(0, 5); throw new Error('the disk is gone'); }
function* long() { for (let count = 0; count < 400; count += 1) yield Buffer.alloc(50_000); }

const offset = Buffer.concat([Buffer.from('junk'), data]);
const rows = {
  bytes: () => check(data),
  'mutable-bytes': () => check(new Uint8Array(offset.buffer, offset.byteOffset + 4, data.length)),
  view: async () => { await check(new Uint8Array(data).buffer); return check(new DataView(new Uint8Array(data).buffer)); },
  'path-text': () => check('result.json'),
  'path-object': () => check(pathToFileURL('result.json')),
  file,
  'file-in-the-middle': () => check(fs.createReadStream('prefixed.json', { start: 10 })),
  stream: () => check(Readable.from([data])),
  pieces: () => check(pieces()),
  'web-stream': webStream,
  fetched,
  'fetched-before': used,
  cloned,
  entries,
  'not-a-number': () => check(data, { maxAge: NaN }),
  'long-text': () => check('xyz'.repeat(9_000)),
  'absent-text': () => check(data, { userId: `${undefined}` }),
  gzip: () => check(fs.createReadStream('result.json.gz').pipe(zlib.createGunzip())),
  pipe: () => check(spawn('cat', ['result.json']).stdout),
  'text-document': () => check(data.toString()),
  nothing: () => check(undefined),
  'other-type': () => check(5),
  'other-piece': () => check(['a']),
  'no-file': () => check('absent.json'),
  consumed,
  empty: () => check(Buffer.alloc(0)),
  'given-length': givenLength,
  'given-length-sent': () => given(Readable.from([data]), data.length, 'echo'),
  'given-too-much': () => given(Readable.from([data]), data.length + 1, 'echo'),
  'given-nothing': () => given(Readable.from([data]), 0),
  'not-a-length': () => given(data, NaN),
  half: () => check(data.subarray(0, data.length / 2)),
  length: () => echo('result.json'),
  chunks: () => echo(Readable.from([data])),
  absent: async () => { await echo(data, { userId: null }); return echo(data, { userId: undefined }); },
  number: () => echo(data, { maxAge: 600, plain: true }),
  iv: () => echo(data, { iv: '30aB' }),
  'not-an-iv': () => echo(data, { iv: '30\r\nA: b' }),
  characters: () => echo(data, { orderNo: 'a b+c&d=é%' }),
  'not-utf8': () => check(data, { userId: '\ud800' }),
  'other-parameter': () => check(data, { userId: ['a'] }),
  'retry-after': () => busy(),
  carried: () => busy((error) => JSON.parse(JSON.stringify(new Error('wrapped', { cause: error }).cause))),
  html: () => check(data, {}, 'html'),
  early: () => check(long(), {}, 'early'),
  leftover: () => opened('left'),
  exists,
  'dead-source': () => check(dying()),
  shrinks: () => check('shrinks', {}, 'shrinks'),
  grows: () => check('grows', {}, 'grows'),
  'no-socket': () => check(data, {}, 'nobody'),
  'no-listener': () => check(data, {}, 'dead'),
  'verify-not-utf8': () => at('evidence').verify('front-end-result', 'x', { orderNo: '\ud800' }),
  'many-at-once': many,
  'no-folder': () => opened('nowhere/video'),
  'long-socket': () => check(data, {}, '/long'.repeat(40)),
  silent: () => at('silent', 1_000).check(data, { orderNo: 'ord1' }),
};
(async () => {
  for (const [name, row] of Object.entries(rows)) {
    const begun = Date.now();
    let outcome;
    try { outcome = await row(); } catch (error) {
      outcome = error instanceof EvidenceProblem ? error.code ?? error.status : `refused: ${error.message}`;
    }
    console.log(name, Date.now() - begun < 60_000 ? outcome : 'late');
  }
})();
