# SPDX-License-Identifier: Apache-2.0
"""Texts that stand where something else belongs, by the name of their form (recognition.py)."""

from __future__ import annotations

import base64
import pickle
from typing import Union

from rsa_by_hand import Stream


def digits(label: str, count: int) -> str:
    return Stream(f"recognition text {label}").take(count).hex()


def over(count: int, *templates: str) -> list[Union[str, bytes]]:
    """Members made from templates: N, H, L, B stand for a number, hexadecimal digits, a letter and a word."""
    words = ["face", "video", "result", "photo", "clip", "user", "frame", "final", "out", "upload", "tmp", "live"]
    found: list[Union[str, bytes]] = []
    for n in range(count):
        text = templates[n % len(templates)]
        text = text.replace("<N>", str(3 + 7 * n)).replace("<H>", digits(f"h {n}", 4)).replace("<B>", words[n % 12])
        found.append(text.replace("<LONG>", digits(f"long {n}", 40)))
    return found


TEXTS: dict[str, list[Union[str, bytes]]] = {
    "file-address": over(20, "file:///data/user/0/com.x/<B><N>.mp4", "file:///var/mobile/Containers/Data/<H>/tmp/<B>.MOV",
        "capacitor://localhost/_capacitor_file_/<B><N>.mp4", "wxfile://tmp_<H>.mp4", "http://tmp/<H>.jpg", "cdvfile://localhost/persistent/<B>.mp4",
        "FILE:///C:/Users/<B>/<N>.mp4", "android.resource://com.x/<N>", "file%3A%2F%2F%2Fstorage%2F<B>.mp4", "asset:/<B><N>.png"),
    "content-address": over(12, "content://media/external/video/<N>", "content://com.x.provider/<B>/<N>.mp4", "content://com.android.providers.downloads.documents/document/<N>",
        "content%3A%2F%2Fmedia%2Fexternal%2F<N>"),
    "ph-address": over(12, "ph://<H>-1111-2222/L0/001", "assets-library://asset/asset.MOV?id=<H>&ext=MOV", "ph-upload://<H>", "PH://<H>/L0/<N>"),
    "blob-address": over(12, "blob:https://x/<N>-2", "blob:http://localhost:8100/<H>", "blob:null/<H>", "blob:capacitor://localhost/<H>"),
    "address": over(24, "https://example.com/<B>/<N>.mp4", "www.example.com/<B>/<N>", "[<B>](https://example.com/<N>)", "https://bucket.s3.amazonaws.com/<H>?X-Amz-Signature=<LONG>", "http://10.0.0.<N>/<B>", "s3://<B>/<N>",
        "https%3A%2F%2Fexample.com%2F<B>%2F<N>.mp4", "oss://<B>/<H>.mp4", "cos://<B>-125<N>/a.jpg", "gs://<B>/<N>.webm", "HTTPS://EXAMPLE.COM/<N>", "ftp://host/<B>",
        "https://example.com/a%2Fb%2F<N>", "rtmp://live.example.com/<B>"),
    "path": over(30, "storage/emulated/0/<B>", "oss/2026/11/<N>/<B>", "/api/v1/<B>/<N>", "/data/user/0/com.x/cache/<B><N>.mp4", "/storage/emulated/0/DCIM/<B>.jpg", "/var/mobile/Containers/Data/Application/<H>/<B>.mov", "C:\\Users\\me\\<B><N>.mp4",
        "./<B>.mp4", "../<B>/<N>.jpg", "~/Movies/<B>.mov", "\\\\server\\share\\<B>.mp4", "/private/var/folders/<H>/T/<B>.png", "/tmp/<B><N>.bin", "<B><N>.webm", "D:/<B>/<N>.avi"),
    "nothing": ["undefined", "null", "nil", "(null)", "None", "NaN", "<null>", "<nil>", "NULL", "N/A", "Optional(nil)", "nullptr", "Undefined", "(nil)", "true", "false",
        "undefined\n", " null ", "\"\"", "''", "nullnull"],
    "template": over(16, "${<B>}", "{{<B>}}", "{{ <B><N> }}", "%s", "%@", "<%= <B> %>", "$<B>", "__<B>__", "#{<B>}", "%<B>%", "{<B>}", "<<B>>", "[[<B>]]"),
    "sample": ["your_base64_here", "YOUR_API_KEY", "xxx", "XXXXXXXX", "test", "string", "example", "placeholder", "dummy", "changeme", "TODO: video", "base64string", "...", "<redacted>", "***",
        "[binary data]"],
    "java-array": over(12, "[B@<H>", "[C@<H>", "[Ljava.lang.Byte;@<H>", "[I@<H>", "[[B@<H>"),
    "java-buffer": over(12, "java.nio.HeapByteBuffer[pos=0 lim=<N> cap=<N>]", "java.io.FileInputStream@<H>", "[size=<N> hex=<H>]", "java.io.ByteArrayInputStream@<H>", "android.graphics.Bitmap@<H>",
        "okio.Buffer@<H>"),
    "java-object": over(12, "com.x.face.VerifyResult@<H>", "com.tencent.Foo$Bar@<H>", "com.x.<B>@<H>", "Result@<H>"),
    "js-object": over(14, "[object Object]", "[object Blob]", "[object ArrayBuffer]", "[object File]", "[object Promise]", "[object Uint8Array]", "Blob {size: <N>, type: 'video/mp4'}", "Promise { <pending> }",
        "[object Object],[object Object]", "[Function: <B>]", "ArrayBuffer { byteLength: <N> }", "[object HTMLVideoElement]", "function () { return <N> }", "class Foo { x }"),
    "node-buffer": over(12, "<Buffer <H> 01 02>", "<Buffer 00 01 02 03 ... <N> more bytes>", "<Buffer >", "<SlowBuffer 0<N> 11>"),
    "typed-array": over(12, "Uint8Array(<N>) [1, 2, 3]", "Uint8Array [ 1, <N>, 3 ]", "Uint8Array(<N>) [1, 2, … <N> more]", "Uint8Array(<N>)", "Int8Array(4) [-1, 2, 3, …]"),
    "nsdata": over(12, "{length = <N>, bytes = 0x<H> <H> ... <H> }", "<N> bytes", "Optional(<N> bytes)", "<<H> <H> <H>>", "<<H> <H>>", "{length = <N>, bytes = 0x<H>}"),
    "swift-object": over(12, "<WBFaceVerifyResult: 0x28<H>>", "<UIImage:0x600<H> anonymous {<N>, 20}>", "<AVAsset: 0x2<H>>", "Optional(<NSObject: 0x2<H>>)", "<UIImage: 0x60<H>; frame = (0 0)>"),
    "dotnet-object": over(12, "System.Byte[]", "System.IO.MemoryStream", "System.Collections.Generic.Dictionary`2[System.String,System.Object]", "System.Collections.Generic.List`1[System.Byte]",
        "System.Threading.Tasks.Task`1[System.String]", "Microsoft.AspNetCore.Http.FormFile", "Newtonsoft.Json.Linq.JObject"),
    "python-object": over(12, "<_io.BytesIO object at 0x7f<H>>", "<memory at 0x7f<H>>", "<class 'bytes'>", "<cv2.VideoCapture 0x7f<H> object at 0x7f<H>>", "<generator object f at 0x7f<H>>", "<Response [<N>]>",
        "<PIL.Image.Image image mode=RGB size=<N>x20 at 0x7F>", "<bound method f of x>"),
    "python-bytes": over(12, "b'\\x00\\x01<H>'", "b'\\xff<LONG>'", "bytearray(b'\\x00<H>')", "b\"\\x7f<LONG>\""),
    "dart-object": over(12, "Instance of 'FaceResult'", "Instance of 'Future<String>'", "File: '/data/<B><N>.mp4'", "Future<dynamic>", "Instance of '_Uint8ArrayView'"),
    "html": over(16, "<!DOCTYPE html><html><body><N></body></html>", "<html><head><title>502 Bad Gateway</title></head></html>", "<!doctype HTML>\n<html lang=\"en\"><N>", "<HTML><BODY><N>", "<h1>404</h1><N>",
        "<center>nginx/<N></center>", "\n\n<!DOCTYPE html PUBLIC \"-//W3C\"><N>", "<body><N></body>", "<title><N></title>", "<script>location='/login<N>'</script>"),
    "soap": over(12, "<?xml version=\"1.0\"?><soap:Envelope xmlns:soap=\"x\"><N></soap:Envelope>", "<soapenv:Envelope><N></soapenv:Envelope>", "<SOAP-ENV:Envelope><N>"),
    "logcat": over(12, "11-26 12:00:00.123  1234  1234 D <B>: {\"orderNo\":\"ord<N>\"}", "D/<B>( <N>): {\"isSuccess\":true}", "I/<B>(<N>): onSuccess", "11-26 05:10:<N>.001 99 99 I <B>: x"),
    "ios-log": over(12, "2026-11-26 12:00:00.123456+0800 FaceApp[123:4567] {\"orderNo\":\"ord<N>\"}", "2026-11-26 12:00:<N>.123 FaceApp[<N>:4567] (\n    isSuccess = 1;\n)"),
    "flutter-log": over(12, "flutter: {isSuccess: true, orderNo: ord<N>}", "I/flutter (<N>): {isSuccess: true}", "[log] {\"orderNo\":\"ord<N>\"}", "[  +12 ms] result <N>"),
    "log": over(20, "2026-11-26 12:00:00 INFO {\"orderNo\":\"ord<N>\"}", "2026-11-26T12:00:00.123Z result={\"x\":<N>}", "[2026-11-26 12:00:00] local.INFO: {\"x\":<N>}", "2026/11/26 12:00:00 main.go:<N>: x",
        "12:00:00.123 [main] INFO com.x.Y - {\"x\":<N>}", "INFO:root:{\"x\":<N>}", "[INFO] result <N>", "Nov 26 12:00:00 host app[<N>]: x", "DEBUG:app:<N>", "level=info msg=<N>"),
    "stack-trace": over(12, "Traceback (most recent call last):\n  File \"x.py\", line <N>\n", "java.lang.NullPointerException: x\n\tat com.x.Y(<N>)", "TypeError: x is undefined\n    at f (a.js:<N>:1)",
        "Exception in thread \"main\" java.lang.Error: <N>", "Fatal error: Index out of range: file <N>", "panic: runtime error: <N>\n\ngoroutine 1 [running]:", "PHP Fatal error:  Uncaught <N>"),
    "curl-output": over(12, "*   Trying 10.0.0.<N>:443...\n* Connected to x\n", "< HTTP/1.1 200 OK\n< Date: <N>", "> POST /x HTTP/1.1\n> Host: <N>", "curl: (7) Failed to connect to <N>", "* Connected to example.com (<N>)"),
    "curl-command": over(12, "curl -X POST https://example.com/<N> -d '{\"orderNo\":\"ord<N>\"}'", "$ curl -s https://example.com/<N> --data-raw '{\"x\":<N>}'", "curl.exe https://example.com/<N>"),
    "mysql-rows": over(12, "*************************** 1. row ***************************\norderNo: ord<N>\nresult: {\"x\":<N>}\n", "*************************** <N>. row ***************************\n    id: <N>\nresult: x\n"),
    "csv": over(12, "orderNo,isSuccess,liveRate\nord<N>,true,99\n", "\"orderNo\",\"sign\"\n\"ord<N>\",\"x\"\n", "id\torderNo\tsign\n<N>\to\tx\n", "id;orderNo;sign\n<N>;o;x\n"),
    "sql": over(12, "INSERT INTO result VALUES (<N>, 'x');", "SELECT * FROM result WHERE id=<N>", "UPDATE result SET x=<N>"),
    "javascript": over(12, "var result = {\"x\":<N>};", "const r = {\"x\":<N>}", "module.exports = {x: <N>}", "export default {x: <N>}", "let a = <N>;", "window.result = {\"x\":<N>}"),
    "event-stream": over(12, "data: {\"orderNo\":\"ord<N>\"}\n\n", "event: result\ndata: {\"x\":<N>}\n\n", "data:{\"x\":<N>}\n\n"),
    "problem-json": over(12, '{"timestamp":"2026-11-26T12:00:00","status":<N>,"error":"Not Found","path":"/x"}', '{"type":"about:blank","title":"x","status":<N>}', '{"statusCode":<N>,"message":"x"}',
        '{"detail":"Not found <N>"}', '{"errors":[<N>]}', '{"message":"Unauthorized <N>"}'),
    "tencent-cloud": over(12, '{"Response":{"Error":{"Code":"AuthFailure","Message":"x"},"RequestId":"<H>"}}', '{"Response":{"Result":"Success","Sim":<N>,"RequestId":"<H>"}}'),
    "other-product": over(14, '{"RequestId":"<H>","Code":"200","ResultObject":{"PassedScore":<N>}}', '{"alipay_user_certify_open_query_response":{"code":"10000","passed":"T","x":<N>}}',
        '{"error_code":216100,"error_msg":"x","log_id":<N>}', '{"request_id":"<H>","time_used":<N>}', '{"errcode":40001,"errmsg":"x <N>"}', '{"FaceMatches":[],"x":<N>}'),
    "diff": over(12, "--- a/<B>\n+++ b/<B>\n@@ -<N>,1 +<N>,1 @@\n", "diff --git a/<B> b/<B>\nindex <H>..<H>\n", "<<<<<<< HEAD\n{\"orderNo\":\"ord<N>\"}\n=======\n", "@@ -<N> +<N> @@\n-x\n+y\n"),
    "json-after-words": over(12, "face result = {\"orderNo\":\"ord<N>\"}", "answer: {\"x\":<N>}", "onSuccess {\"x\":<N>}", "the answer was: {\"x\":<N>}", "<B>: [{\"x\":<N>}]"),
    "time-stamp-as-text": over(12, "Status info:\nStatus: Granted.\nStatus description: unspecified\nFailure info: <N>", "Version: 1\nPolicy OID: 1.2.<N>\nHash Algorithm: sha256", "Policy OID: 1.2.<N>\nTime stamp: x"),
    "fingerprint": over(12, "SHA256:abcdefghijklmnopqrstuvwxyz<N>", "2048 SHA256:abc<N> user@host (RSA)", "SHA256 Fingerprint=AA:BB:<N>", "SHA1:abc<H>"),
    "pkcs11-uri": over(12, "pkcs11:token=evidence;object=key<N>", "pkcs11:model=SoftHSM%20v2;id=%<N>", "pkcs11:object=<B>;type=private"),
    "cloud-key": over(12, "arn:aws:kms:cn-north-1:123:key/<H>", "https://x.vault.azure.net/keys/<B>/<H>", "projects/p/locations/global/keyRings/r/cryptoKeys/<B>", "acs:kms:cn-hangzhou:<N>:key/<H>"),
    "key-as-text": over(12, "Private-Key: (2048 bit, 2 primes)\nmodulus:\n    00:<H>", "Public-Key: (2048 bit)\nModulus:\n    00:<H>", "Modulus=<LONG>", "RSA Public-Key: (3072 bit)\nModulus:\n 00:<H>"),
    "certificate-as-text": over(12, "Certificate:\n    Data:\n        Version: 3 (0x2)\n        Serial Number: <N>"),
    "android-key-object": over(12, "android.security.keystore2.AndroidKeyStoreRSAPrivateKey@<H>", "android.security.keystore.AndroidKeyStoreRSAPublicKey@<H>"),
    "apple-key-object": over(12, "<SecKeyRef algorithm id: 1, key type: RSAPublicKey, version: 4, block size: 2048 bits, exponent: {hex: 10001}, modulus: <H>>", "Optional(<SecKeyRef algorithm id: <N>>)"),
    "java-key-object": over(12, "Sun RSA public key, 2048 bits\n  params: null\n  modulus: <N>", "RSA Public Key [<H>]\n    modulus: <H>", "sun.security.rsa.RSAPrivateCrtKeyImpl@<H>", "OpenSSLRSAPublicKey{modulus=<H>}",
        "SunRsaSign RSA private CRT key, 2048 bits\n <N>"),
    "python-key-object": over(12, "<cryptography.hazmat.backends.openssl.rsa._RSAPrivateKey object at 0x7f<H>>", "Private RSA key at 0x7F<H>", "RsaKey(n=<N>, e=65537)", "PrivateKeyObject { <N> }", "[object CryptoKey]",
        "OpenSSLAsymmetricKey Object\n(\n)", "PublicKey(<N>, 65537)"),
    "password-hash": over(12, "$2b$12$<LONG>", "$argon2id$v=19$m=65536,t=<N>$x$y", "pbkdf2_sha256$<N>$x$y", "$6$<H>$x", "{SSHA}<LONG>"),
    "hex-dump": over(12, "00000000: 8950 4e47 <H>  .PNG", "0000000 5089 474e <H>"),
    "desktop-ini": over(12, "[.ShellClassInfo]\r\nIconResource=<N>", "[LocalizedFileNames]\r\nx=@<N>", "[ViewState]\nMode=<N>"),
    "script": over(12, "#!/bin/sh\necho <N>", "#!/usr/bin/env python3\n<N>"),
    "git-lfs": over(12, "version https://git-lfs.github.com/spec/v1\noid sha256:<H>\nsize <N>\n"),
    "wireguard": over(12, "[Interface]\nPrivateKey = <H>\nListenPort = <N>"),
    "har": over(12, '{"log":{"version":"1.2","entries":[<N>]}}'),
    "mail": over(12, "From: a@example.com\nTo: b@example.com\nSubject: result <N>\n\nx", "MIME-Version: 1.0\nContent-Type: text/plain\n\n<N>", "Received: from x by y; <N>"),
    "mail-shown": over(12, "-----Original Message-----\nFrom: a\n\n{\"x\":<N>}\n", "---------- Forwarded message ---------\n\n<N>", "Begin forwarded message:\n\n> <N>",
        "\u53d1\u4ef6\u4eba\uff1a a\n\n{\"x\":<N>}"),
    "toml": over(12, "[face]\norder = \"ord<N>\"\n", "[result]\nsign=<H>\n"),
    "record": over(20, "#{isSuccess => true, order => <N>}", "%{isSuccess: true, orderNo: \"ord<N>\"}", "Map(isSuccess -> true, orderNo -> ord<N>)", "[isSuccess:true, orderNo:ord<N>]",
        "{:isSuccess true, :orderNo \"ord<N>\"}", "Dict{String, Any}(\"isSuccess\" => <N>)", "$VAR1 = {\n  'isSuccess' => <N>\n};", "fromList [(\"isSuccess\",<N>)]",
        "{ isSuccess = True, orderNo = ord<N> }", "{ isSuccess = true, orderNo = \"ord<N>\" }"),
    "go-map": over(12, "{IsSuccess:true OrderNo:ord<N>}", "{Code:0 Result:{OrderNo:ord<N> Ok:true}}"),
    "ruby-hash": over(12, "{isSuccess: true, \"orderNo\" => \"ord<N>\"}", "{score: <N>, \"orderNo\" => \"x\"}"),
    "callback": over(12, "https://b.example/done?code=0&orderNo=<N>&newSignature=<H>", "app://done?code=0&h5faceId=<H>",
        "GET /done?next=%2F%3FnewSign%3D<H> HTTP/1.1\r\nHost: b\r\n\r\n", "code=<N>&newSign=<H>", "curl 'https://b/?newSignature=<H>'"),
    "json-part": over(12, 'e","order":<N>}}\n', 'rue,"order":<N>}', '"<H>"}}', '{"order":<N>}}\n', ',"a":{"b":"<H>"}}', 'x","a":"<H>","b":"y'),
    "hex-dump-canonical": over(12, "00000000  89 50 4e 47 0d 0a 1a 0a  00 00 00 0d 49 48 44 52  |.PNG........IHDR|\n0000001<N>",
        "00000000  7b 22 6e 6f 74 65 22 3a  <H>  |{\"note\":|"),
    "json-inside": over(12, '{"isSuccess":true,"order":<N>}\n-- \nregards', "4b\r\n{\"order\":<N>}\r\n0\r\n\r\n",
        '42["result",{"isSuccess":true,"n":<N>}]', '\u5f20\u4e09 10:<N>\n{"isSuccess":true}', 'Notice: Undefined index in /x.php on line <N>\n{"a":1}'),
    "binary-document": [b"\x82\xa9isSuccess\xc3\xa7orderNo" + bytes([0xA4]) + b"ord" + bytes([0x30 + n % 10]) for n in range(6)]
        + [b"\xa2iisSuccess\xf5gorderNodord" + bytes([0x30 + n % 10]) for n in range(6)],
    "serialized-object": [b"\xac\xed\0\x05sr\0\x11java.util.HashMap" + bytes([n]) for n in range(6)] + [b"\x80\x04\x95\x1e\0\0\0\0\0\0\0}\x94(\x8c\tisSuccess" + bytes([n]) for n in range(6)]
        + [pickle.dumps({"orderNo": f"ord{n}", "isSuccess": True, "scores": [n, 90.5]}, protocol) for protocol in (2, 3, 4, 5) for n in range(3)]
        + [pickle.dumps([f"ord{n}", n], protocol) for protocol in (2, 4) for n in range(2)],
    "rtf": over(12, "{\\rtf1\\ansi isSuccess <N>}", "{\\rtf1\\ansicpg936 {\"order\":<N>}}"),
    "json-shell": over(12, '{ "_id" : ObjectId("<H>"), "order" : <N> }', '{"isSuccess":true,"n":NumberInt(<N>)}', '{"at": ISODate("2026-11-26T12:00:00Z"), "n": <N>}'),
    "media-type": ["video/mp4", "image/jpeg", "image/png", "video/quicktime", "application/json", "audio/mpeg", "video/webm", "image/heic", "application/octet-stream", "VIDEO/MP4"],
    "assignment": over(12, "passphrase=<H>", "pin=<N>"),
    "nserror": over(12, "Error Domain=WBFaceErrorDomainParams Code=1100<N> \"x\" UserInfo={}", "Optional(Error Domain=x Code=<N>)"),
    "properties": over(24, "isSuccess=true\norderNo=ord<N>\n", "TICKET=<LONG>\nPIN=<N>\n", "export SIGN=<H>", "a = <N>\nb = <H>", "isSuccess=true orderNo=ord<N>", "a=<N>, b=<H>", "name=\"<B>\" count=<N>", "a=<N>; b=<H>"),
    "data-uri": over(12, "data:text/plain,<B> <N>", "data:,<B> and <N>"),
    "ascii85": ["<~" + base64.a85encode(bytes.fromhex(digits(f"a85 {n}", 20 + n))).decode() + "~>" for n in range(12)],
    "uuencode": over(12, "begin 644 <B>.mp4\nM<LONG>\n`\nend\n"),
    "binary-digits": ["".join(f"{byte:08b}" for byte in bytes.fromhex(digits(f"bits {n}", 8 + n))) for n in range(12)],
    "number": over(12, "<N>", "123456<N>", "550e8400-e29b-41d4-a716-4466<H>"),
    "text": over(12, "The person did not pass <N>.", "a plain sentence about <B>", "\u4eba\u8138\u6838\u8eab <N>"),
    "empty": [b""] * 10,
    "blank": [" ", "\n", "\r\n", "\t", "  \n", "\n\n\n", " \t ", "\r\n\r\n", "   ", "\n "],
    "zeros": [bytes(count) for count in range(1, 200, 17)],
}
