// SPDX-License-Identifier: Apache-2.0
// open_payload.js KEY PAYLOAD OUTPUT: what an integrator writes for Node.
const crypto = require('crypto');
const fs = require('fs');

const [keyPath, payloadPath, outputPath] = process.argv.slice(2);
const payload = JSON.parse(fs.readFileSync(payloadPath, 'latin1'));
const key = crypto.privateDecrypt(
  { key: fs.readFileSync(keyPath), padding: crypto.constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
  Buffer.from(payload.videoEncryptAESKey, 'base64'));
const sealed = Buffer.from(payload.userVideoString, 'base64');
const cipher = crypto.createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
cipher.setAAD(Buffer.from(`evidence-v1\nuserVideoString\n${payload.orderNo}\n`));
cipher.setAuthTag(sealed.subarray(-16));
const video = cipher.update(sealed.subarray(12, -16));
cipher.final();
fs.writeFileSync(outputPath, video);
