// SPDX-License-Identifier: Apache-2.0
// node gists.js, beside clip.mp4 and pub.pem
const c=require('crypto'),fs=require('fs');const v=fs.readFileSync('clip.mp4');const pub=fs.readFileSync('pub.pem');
const out=(n,o)=>fs.writeFileSync(n+'.json',JSON.stringify(o));
{ // the usual gist: iv | tag | ciphertext, 16-byte iv, publicEncrypt's default padding
 const key=c.randomBytes(32),iv=c.randomBytes(16),e=c.createCipheriv('aes-256-gcm',key,iv);
 const ct=Buffer.concat([e.update(v),e.final()]);
 out('node-gist',{orderNo:'o1',videoEncryptAESKey:c.publicEncrypt(pub,key).toString('base64'),userVideoString:Buffer.concat([iv,e.getAuthTag(),ct]).toString('base64')});}
{ // order number as AAD, key in hex
 const key=c.randomBytes(32),iv=c.randomBytes(12),e=c.createCipheriv('aes-256-gcm',key,iv);e.setAAD(Buffer.from('o1'));
 const ct=Buffer.concat([e.update(v),e.final(),e.getAuthTag()]);
 out('node-aad',{orderNo:'o1',iv:iv.toString('hex'),videoEncryptAESKey:c.publicEncrypt({key:pub,oaepHash:'sha256',oaepLabel:Buffer.from('wbface')},key).toString('hex'),userVideoString:ct.toString('base64')});}
{ // H5: a data URL sealed, key and iv wrapped together
 const key=c.randomBytes(32),iv=c.randomBytes(16),e=c.createCipheriv('aes-256-cbc',key,iv);
 const url=Buffer.from('data:video/mp4;base64,'+v.toString('base64'));
 out('node-h5',{orderNo:'o1',videoEncryptAESKey:c.publicEncrypt({key:pub,padding:c.constants.RSA_PKCS1_PADDING},Buffer.concat([key,iv])).toString('base64'),userVideoString:Buffer.concat([e.update(url),e.final()]).toString('base64')});}
