// SPDX-License-Identifier: Apache-2.0
// The presets of docs/PROFILES.md with Node's own crypto. Usage as Envelope.java.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

const CALLER_IV = Buffer.from('0123456789abcdef');
const isGCM = (profile) => profile === 'evidence-v1';
const padding = (profile) =>
  isGCM(profile)
    ? { padding: crypto.constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    : { padding: crypto.constants.RSA_PKCS1_PADDING };
const aad = (order) => Buffer.from(`evidence-v1\nuserVideoString\n${order}\n`);

function seal(profile, recipient, video) {
  let key = crypto.randomBytes(32);
  if (profile !== 'zoloz' && !isGCM(profile)) key = Buffer.from(key.toString('hex').slice(0, 32));
  let iv = profile === 'zoloz' ? null : crypto.randomBytes(isGCM(profile) ? 12 : 16);
  if (profile === 'wbface-simple') iv = CALLER_IV;
  const name = isGCM(profile) ? 'aes-256-gcm' : iv ? 'aes-256-cbc' : 'aes-256-ecb';
  const cipher = crypto.createCipheriv(name, key, iv);
  if (isGCM(profile)) cipher.setAAD(aad('ord1'));
  let sealed = Buffer.concat([cipher.update(video), cipher.final()]);
  if (isGCM(profile)) sealed = Buffer.concat([iv, sealed, cipher.getAuthTag()]);
  const payload = {
    userVideoString: sealed.toString('base64'),
    videoEncryptAESKey: crypto.publicEncrypt({ key: recipient, ...padding(profile) }, key).toString('base64'),
    orderNo: 'ord1',
  };
  if (profile === 'tencent-faceid') payload.Iv = iv.toString('base64');
  return JSON.stringify(payload) + '\n';
}

function open(profile, key, payload) {
  const field = (name) => Buffer.from(payload[name], 'base64');
  // Node 20 refuses PKCS#1 v1.5 here; only OAEP is opened.
  const contentKey = crypto.privateDecrypt({ key, ...padding(profile) }, field('videoEncryptAESKey'));
  const sealed = field('userVideoString');
  const decipher = crypto.createDecipheriv('aes-256-gcm', contentKey, sealed.subarray(0, 12));
  decipher.setAAD(aad(payload.orderNo));
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
}

const [verb, key, ...rest] = process.argv.slice(2);
if (verb === 'seal') {
  const [video, out, ...profiles] = rest;
  for (const profile of profiles) {
    fs.writeFileSync(path.join(out, `${profile}.json`), seal(profile, fs.readFileSync(key), fs.readFileSync(video)));
  }
} else {
  const [folder, ...profiles] = rest;
  for (const profile of profiles) {
    const payload = JSON.parse(fs.readFileSync(path.join(folder, `${profile}.json`)));
    fs.writeFileSync(path.join(folder, `${profile}.out`), open(profile, fs.readFileSync(key), payload));
  }
}
