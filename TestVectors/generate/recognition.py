# SPDX-License-Identifier: Apache-2.0
"""What people hand over in place of what was asked for, and what each must be called.

Each line of recognition.ndjson has a `name`, `form` (the name of the innermost form in docs/RECOGNITION.md, or null where nothing
may be said), `text` or `base64` (what was handed over), `says` (words that its name must contain) and `denies` (words
that must not be said of it).
"""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import lzma
import struct
import urllib.parse
import zlib
from typing import Any, Callable, Iterable, Optional, Union

import der
import key_found
from recognition_text import TEXTS
from rsa_by_hand import Stream

Given = Union[str, bytes]
ACCUSATIONS = ["cut off", "changed", "altered", "another key", "another cipher"]
NOUNS = ["face", "order", "video", "frame", "score", "sign", "nonce", "photo", "session", "level", "tag", "reason"]


def noise(label: str, count: int) -> bytes:
    return Stream(f"recognition {label}").take(count)


def box(kind: bytes, content: bytes) -> bytes:
    return (8 + len(content)).to_bytes(4, "big") + kind + content


def ftyp(*brands: bytes) -> list[bytes]:
    """Twelve files, whose file types begin with one of the brands."""
    files = []
    for number in range(12):
        major = brands[number % len(brands)]
        others = [b"isom", b"mp42", b"iso2", b"avc1", b"miaf", b"mif1"][: number % 6]
        head = box(b"ftyp", major + bytes(4) + b"".join(others))
        files.append(head + box(b"mdat", noise(f"{major!r} {number}", 40 + 7 * number)))
    return files


def after(head: bytes, label: str, *, sizes: Iterable[int] = range(16, 136, 10)) -> list[bytes]:
    return [head + noise(f"{label} {size}", size) for size in sizes]


def media() -> dict[str, list[Given]]:
    riff = lambda kind: [b"RIFF" + struct.pack("<I", 100 + 13 * n) + kind + noise(f"{kind!r} {n}", 30 + n) for n in range(12)]
    ebml = lambda kind: [
        b"\x1a\x45\xdf\xa3" + bytes([0x93 + n]) + b"\x42\x82" + bytes([0x80 + len(kind)]) + kind + noise(f"{kind!r} {n}", 80)
        for n in range(12)
    ]
    segments = [b"\xff\xd8\xff" + bytes([marker]) for marker in (0xE0, 0xE1, 0xDB, 0xEE, 0xFE, 0xC0, 0xC4, 0xE2, 0xED, 0xC2, 0xDD, 0xE3)]
    packets = [b"".join(b"\x47" + noise(f"ts {n} {i}", 187) for i in range(3 + n % 4)) for n in range(12)]
    bitmap = [
        b"BM" + struct.pack("<IIII", 122 + n, 0, 54, [40, 124, 108, 40][n % 4]) + noise(f"bmp {n}", 60) for n in range(12)
    ]
    return {
        "jpeg": [head + noise(f"jpeg {n}", 60) for n, head in enumerate(segments)],
        "png": after(b"\x89PNG\r\n\x1a\n", "png"),
        "heic": ftyp(b"heic", b"heix", b"mif1", b"msf1", b"hevc", b"heim", b"heis"),
        "avif": ftyp(b"avif", b"avis"),
        "quicktime": ftyp(b"qt  ") + [box(b"wide", b"") + box(b"mdat", noise("qt", 60)),
            box(b"moov", box(b"mvhd", noise("mvhd", 100)))],
        "3gp": ftyp(b"3gp4", b"3gp5", b"3gp6", b"3g2a", b"3ge6", b"3gp7"),
        "m4a": ftyp(b"M4A ", b"M4B "),
        "canon-raw": ftyp(b"crx "),
        "mp4": ftyp(b"isom", b"mp42", b"mp41", b"avc1", b"iso5", b"M4V ", b"dash", b"MSNV"),
        "mp4-fragment": [box(kind, noise(f"piece {n}", 40 + n)) + box(b"mdat", noise(f"data {n}", 30))
            for n, kind in enumerate([b"styp", b"moof", b"sidx"] * 4)],
        "webp": riff(b"WEBP"), "avi": riff(b"AVI "), "wav": riff(b"WAVE"),
        "gif": after(b"GIF89a", "gif")[:6] + after(b"GIF87a", "gif")[:6],
        "bmp": bitmap,
        "tiff": after(b"II*\0", "tiff")[:4] + after(b"MM\0*", "tiff")[:4] + after(b"II+\0", "tiff")[:4],
        "jpeg-xl": after(bytes.fromhex("0000000c4a584c200d0a870a"), "jxl"),
        "jpeg-2000": after(bytes.fromhex("0000000c6a5020200d0a870a"), "jp2")[:6] + after(b"\xff\x4f\xff\x51", "j2k")[:6],
        "jpeg-xl-codestream": [bytes([0xFF, 0x0A, n, 2 * n, 0x20 + n, n, n, 0x80 + n]) + noise(f"jxl code {n}", 60) for n in range(12)],
        "png-as-text": [bytes.fromhex(head) + noise(f"{head} {n}", 40 + n) for n in range(3)
            for head in ("89504e470a1a0a", "89504e470d1a0d", "89504e470d0d0a1a0d0a", "89504e470d0a1a0d0a")],
        "camera-raw": [head + noise(f"raw {n}", 50 + n) for n, head in enumerate([b"FUJIFILMCCD-RAW 0201", b"IIU\0\x18\0\0\0", b"IIRO\x08\0\0\0", b"FOVb\x03"] * 3)],
        "netpbm": [f"P{1 + n % 6}\n{16 + n} {24 + n}\n255\n".encode() + noise(f"ppm {n}", 60) for n in range(12)],
        "exr": after(bytes.fromhex("762f310102000000"), "exr"),
        "dicom": [bytes(128) + b"DICM\x02\0\0\0UL" + noise(f"dicom {n}", 30 + n) for n in range(12)],
        "ivf": after(b"DKIF\0\0 \0VP80", "ivf"), "realmedia": after(b".RMF\0\0\0\x12", "rm"),
        "icon": [bytes([0, 0, 1, 0, 1 + n % 3, 0, 16, 16, 0, 0, 1, 0, 32, 0]) + noise(f"icon {n}", 40) for n in range(12)],
        "psd": after(bytes.fromhex("3842505300010000"), "psd"),
        "svg": [f'<svg xmlns="http://www.w3.org/2000/svg" width="{n}"><circle r="{n}"/></svg>' for n in range(6)]
        + [f'<?xml version="1.0"?>\n<svg viewBox="0 0 {n} {n}"></svg>' for n in range(6)],
        "webm": ebml(b"webm"), "matroska": ebml(b"matroska"),
        "flv": after(bytes.fromhex("464c56010500000009"), "flv"),
        "asf": after(bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c"), "asf"),
        "mpeg-ts": packets,
        "mpeg-ps": after(bytes.fromhex("000001ba44"), "ps"),
        "h264": after(bytes.fromhex("000000016742"), "avc")[:6] + after(bytes.fromhex("0000000140010c"), "hevc")[:6],
        "ogg": after(b"OggS\0\x02", "ogg"), "mp3": after(b"ID3\x03\0\0", "mp3"), "amr": after(b"#!AMR\n", "amr"),
        "flac": after(b"fLaC\0\0\0\x22", "flac"), "pdf": after(b"%PDF-1.7\n", "pdf"),
        "ole": after(bytes.fromhex("d0cf11e0a1b11ae1"), "ole"),
        "hls": [f"#EXTM3U\n#EXT-X-VERSION:{n}\n#EXTINF:{n}.0,\nseg{n}.ts\n" for n in range(12)],
    }


def packed() -> dict[str, list[Given]]:
    documents = [json.dumps({NOUNS[n]: noise(f"packed {n}", 200).hex()}).encode() for n in range(12)]
    tar = lambda n: (b"face%d.mp4" % n).ljust(257, b"\0") + b"ustar\x0000" + noise(f"tar {n}", 300)
    return {
        "gzip": [gzip.compress(document, mtime=0) for document in documents],
        "zlib": [zlib.compress(document) for document in documents],
        "bzip2": [bz2.compress(document) for document in documents],
        "xz": [lzma.compress(document) for document in documents],
        "zip": after(b"PK\x03\x04\x14\0\0\0\x08\0", "zip"),
        "zstd": after(b"\x28\xb5\x2f\xfd", "zstd"), "lz4": after(b"\x04\x22\x4d\x18", "lz4"),
        "snappy": after(b"\xff\x06\0\0sNaPpY", "snappy"), "7z": after(b"7z\xbc\xaf\x27\x1c", "7z"),
        "rar": after(b"Rar!\x1a\x07\x01\0", "rar"), "compress": after(b"\x1f\x9d\x90", "compress"),
        "lzip": after(b"LZIP\x01", "lzip"), "tar": [tar(n) for n in range(12)],
        "salted": after(b"Salted__", "salted", sizes=range(24, 216, 16)),
        "laravel": [json.dumps({"iv": base64.b64encode(noise(f"iv {n}", 16)).decode(), "value":
            base64.b64encode(noise(f"value {n}", 64)).decode(), "mac": noise(f"mac {n}", 32).hex()}) for n in range(12)],
        "cryptojs-json": [json.dumps({"ct": base64.b64encode(noise(f"ct {n}", 64)).decode(), "iv": noise(f"iv {n}", 16).hex(),
            "s": noise(f"s {n}", 8).hex()}) for n in range(12)],
        "jwe-json": [json.dumps({"protected": "eyJlbmMiOiJBMjU2R0NNIn0", "iv": f"{n}", "ciphertext": noise(f"jwe {n}", 30).hex(),
            "tag": "x"}) for n in range(12)] + [
            json.dumps([{"recipients": [{"header": {"kid": f"{n}"}, "encrypted_key": noise(f"key {n}", 20).hex()}], "iv": "x", "ciphertext": "y", "tag": "z"},
                {"unprotected": {"alg": "dir"}, "iv": f"{n}", "ciphertext": noise(f"jwe {n}", 30).hex(), "tag": "x"},
                {"ciphertext": noise(f"jwe {n}", 30).hex(), "encrypted_key": "x", "iv": f"{n}", "tag": "x"}][n % 3]) for n in range(6)],
        "fernet": [b"\x80" + (1_700_000_000 + n).to_bytes(8, "big") + noise(f"fernet {n}", 16 + 16 * (n + 1) + 32)
            for n in range(12)],
        "jwe": [".".join(["eyJhbGciOiJSU0EtT0FFUCJ9"] + [urlsafe(noise(f"jwe {n} {i}", 24 + n)) for i in range(4)]) for n in range(12)],
        "jws": [".".join(["eyJhbGciOiJSUzI1NiJ9"] + [urlsafe(noise(f"jws {n} {i}", 24 + n)) for i in range(2)]) for n in range(12)],
        "cms-enveloped": [der.sequence(bytes.fromhex("06092a864886f70d010703"), der.tagged(0xA0, noise(f"cms {n}", 40 + n)))
            for n in range(12)],
        "age": after(b"age-encryption.org/v1\n-> X25519 abc\n", "age"),
        "luks": after(b"LUKS\xba\xbe\0\x02", "luks"),
        "ds-store": after(bytes.fromhex("0000000142756431"), "ds"),
        "apple-double": after(bytes.fromhex("0005160700020000"), "double"),
        "shortcut": after(bytes.fromhex("4c0000000114020000000000c000000000000046"), "lnk"),
        "sqlite": after(b"SQLite format 3\0", "sqlite"),
        "program": after(b"\x7fELF\x02\x01\x01", "elf"),
        "plist": after(b"bplist00", "plist")[:6] + [
            f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "x">\n<plist version="1.0">'
            f"<dict><key>orderNo</key><string>ord{n}</string></dict></plist>" for n in range(6)],
    }


def urlsafe(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def bech(n: int) -> str:
    """Characters of Bech32."""
    return "".join("qpzry9x8gf2tvdw0s3jn54khce6mua7l"[byte % 32] for byte in noise(f"bech {n}", 58))


def pem(label: str, data: bytes) -> str:
    return key_found.pem(label, data).decode()


def number(label: str, count: int) -> int:
    return int.from_bytes(b"\xc1" + noise(label, count - 2) + b"\x01", "big")


def rsa_private(n: int) -> bytes:
    count = 64 + 4 * (n % 5)
    return der.sequence(der.integer(0), der.integer(number(f"n {n}", 2 * count)), der.integer(65537),
        *(der.integer(number(f"{part} {n}", count)) for part in ("d", "p", "q", "dp", "dq", "qi")))


def rsa_public(n: int) -> bytes:
    return der.sequence(der.integer(number(f"n {n}", 128 + 8 * (n % 5))), der.integer(65537))


def name(n: int) -> bytes:
    return der.sequence(der.tagged(0x31, der.sequence(bytes.fromhex("0603550403"), der.tagged(0x0C, b"face %d" % n))))


def certificate(n: int) -> bytes:
    signed = der.algorithm(bytes.fromhex("06092a864886f70d01010b"))
    times = der.sequence(der.tagged(0x17, b"260101000000Z"), der.tagged(0x17, b"360101000000Z"))
    body = der.sequence(der.tagged(0xA0, der.integer(2)), der.integer(n + 1), signed, name(n), times, name(n),
        der.spki(rsa_public(n)))
    return der.sequence(body, signed, der.bits(noise(f"signature {n}", 128)))


def request(n: int) -> bytes:
    body = der.sequence(der.integer(0), name(n), der.spki(rsa_public(n)), der.tagged(0xA0, b""))
    return der.sequence(body, der.algorithm(bytes.fromhex("06092a864886f70d01010b")), der.bits(noise(f"request {n}", 128)))


def revocations(n: int) -> bytes:
    signed = der.algorithm(bytes.fromhex("06092a864886f70d01010b"))
    return der.sequence(der.sequence(der.integer(1), signed, name(n), der.tagged(0x17, b"260101000000Z")), signed,
        der.bits(noise(f"crl {n}", 128)))


def sec1(n: int) -> bytes:
    return der.sequence(der.integer(1), der.octets(noise(f"ec {n}", 32)), der.tagged(0xA0, bytes.fromhex("06082a8648ce3d030107")))


def encrypted(n: int) -> bytes:
    return der.sequence(der.sequence(bytes.fromhex("06092a864886f70d01050d"), der.sequence(noise("x", 0))), der.octets(noise(f"sealed {n}", 600)))


def pkcs12(n: int) -> bytes:
    return der.sequence(der.integer(3), der.sequence(bytes.fromhex("06092a864886f70d010701"), der.tagged(0xA0,
        der.octets(noise(f"p12 {n}", 200 + n)))), der.sequence(noise("mac", 0)))


def signed(n: int, content: str, least: int = 100) -> bytes:
    """CMS SignedData around a content of a type."""
    inner = der.sequence(der.integer(3), der.tagged(0x31, der.algorithm(bytes.fromhex("0609608648016503040201"))),
        der.sequence(bytes.fromhex(content), der.tagged(0xA0, der.octets(noise(f"tst {n}", least + n)))))
    return der.sequence(bytes.fromhex("06092a864886f70d010702"), der.tagged(0xA0, inner))


TST = "060b2a864886f70d0109100104"
DATA = "06092a864886f70d010701"


def refusal(n: int) -> bytes:
    status = [2, 2, 3, 4, 5][n % 5]
    words = [b"unaccepted policy", b"bad request", b"the time source is not available", b"no such algorithm"][n % 4]
    parts = [der.integer(status)]
    if n % 3:
        parts.append(der.sequence(der.tagged(0x0C, words + b" %d" % n)))
    if n % 2:
        parts.append(der.bits(bytes([0x80 >> n % 8]), unused=7 - n % 8))
    return der.sequence(der.sequence(*parts))


def query(n: int) -> bytes:
    return der.sequence(der.integer(1), der.sequence(der.algorithm(bytes.fromhex("0609608648016503040201")),
        der.octets(noise(f"query {n}", 32))), der.integer(number(f"nonce {n}", 8)), der.tagged(0x01, b"\xff"))


def members(make: Callable[[int], Given], count: int = 12) -> list[Given]:
    return [make(n) for n in range(count)]


def keys() -> dict[str, list[Given]]:
    labels = {"pem-pkcs8": ("PRIVATE KEY", lambda n: der.pkcs8(rsa_private(n))), "pem-pkcs1": ("RSA PRIVATE KEY", rsa_private),
        "pem-sec1": ("EC PRIVATE KEY", sec1), "pem-spki": ("PUBLIC KEY", lambda n: der.spki(rsa_public(n))),
        "pem-pkcs1-public": ("RSA PUBLIC KEY", rsa_public), "pem-certificate": ("CERTIFICATE", certificate),
        "pem-request": ("CERTIFICATE REQUEST", request), "pem-revocations": ("X509 CRL", revocations),
        "pem-encrypted-pkcs8": ("ENCRYPTED PRIVATE KEY", encrypted), "pem-cms": ("PKCS7", lambda n: signed(n, DATA)),
        "openssh-private": ("OPENSSH PRIVATE KEY", lambda n: b"openssh-key-v1\0" + noise(f"ssh {n}", 300)),
        "pem-dsa": ("DSA PRIVATE KEY", lambda n: noise(f"dsa {n}", 200)), "pem-parameters": ("DH PARAMETERS", lambda n: noise(f"dh {n}", 100)),
        "pgp-private": ("PGP PRIVATE KEY BLOCK", lambda n: noise(f"pgp {n}", 300)),
        "pgp-public": ("PGP PUBLIC KEY BLOCK", lambda n: noise(f"pgp {n}", 300)),
        "pgp-message": ("PGP MESSAGE", lambda n: noise(f"pgp {n}", 300)), "pem-token": ("TSS2 PRIVATE KEY", lambda n: noise(f"tss {n}", 90)),
        "pem-sigstore": ("ENCRYPTED SIGSTORE PRIVATE KEY", lambda n: noise(f"sig {n}", 90)),
        "pem-other": ("FACE TEMPLATE", lambda n: noise(f"other {n}", 90)), "pem-sm2": ("SM2 PRIVATE KEY", lambda n: noise(f"sm2 {n}", 90))}
    forms: dict[str, list[Given]] = {form: members(lambda n, label=label, make=make: pem(label, make(n))) for form, (label, make) in labels.items()}
    whole = [pem(*[("PRIVATE KEY", der.pkcs8(rsa_private(n))), ("RSA PRIVATE KEY", rsa_private(n)), ("PUBLIC KEY", der.spki(rsa_public(n))),
        ("CERTIFICATE", certificate(n))][n % 4]) for n in range(12)]
    legacy = [text.replace("KEY-----\n", f"KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,{noise('iv', 16).hex().upper()}\n\n", 1)
        for text in forms["pem-pkcs1"] if isinstance(text, str)]
    spread = lambda text: text.replace("\n", "\\n")
    forms |= {
        "pem-encrypted-pkcs1": list(legacy),
        "pem-in-code": [(' +\n' if n % 2 else "\n").join(f'"{line}"' for line in text.splitlines()) + ";" for n, text in enumerate(whole)],
        "pem-in-parts": [parts.format(first=spread(text[:text.index("\n") + 1]), text="".join(text.splitlines()[1:-1]), last=spread(text[text.index("\n-----END"):].rstrip()))
            for n, text in enumerate(whole) for parts in [['$res = "{first}" . wordwrap("{text}", 64, "\\n", true) . "{last}";', '$pem = "{first}" . $key . "{last}";',
                'key = "{first}" + key + "{last}"', 'pem.append("{first}"); pem.append("{text}"); pem.append("{last}");'][n % 4]]],
        "pem-escaped-lf": [spread(text) for text in whole],
        "pem-escaped-cr": [text.replace("\n", "\\r\\n" if n % 2 else "\\r") for n, text in enumerate(whole)],
        "pem-slash-n": [text.replace("\n", "/n") for text in whole],
        "pem-escaped-code": [text.replace("\n", ["\\u000a", "\\012", "\\x0a", "\\u000A"][n % 4]) for n, text in enumerate(whole)],
        "pem-bare-n": [text.replace("\n", "n") for text in whole],
        "pem-cr": [text.replace("\n", "\r") for text in whole],
        "pem-hidden": [text.replace("\n", ["\n\u00a0", "\u200b\n", "\n\u3000", "\n\ufeff", "\u2028", "\u0085"][n % 6]) for n, text in enumerate(whole)]
            + [text.replace("BEGIN ", "BEGIN \u00a0") if n % 2 else text.replace(" KEY-", "\u00a0KEY-").replace(" CERT", " \u00a0CERT") for n, text in enumerate(whole[:6])],
        "pem-diff": ["".join(f"+{line}\n" for line in text.splitlines()) for text in whole],
        "pem-lower": ["\n".join(line.lower() if line.startswith("-") else line for line in text.split("\n")) for text in whole],
        "pem-quoted-printable": [pem("PUBLIC KEY", der.spki(rsa_public(n)) + bytes(2 - (len(der.spki(rsa_public(n))) + 1) % 3)).replace("=", "=3D") for n in range(12)],
        "pem-placeholder": [text.split("-----\n")[0] + "-----\n" + filler + "\n-----END" + text.split("-----END")[1] for text, filler in zip(whole, ["${PRIVATE_KEY}", "{{ key }}",
            "<%= key %>", "MIIxxxxxxxx", "MIIXXXX", "MIIEvxxxxxxx", "xxxxxxxx", "XXXX", "\uff08\u6b64\u5904\u7c98\u8d34\u79c1\u94a5\uff09", "<your-key>", "YOUR KEY HERE", "[YOUR KEY]"])],
        "pem-shortened": [text[:120] + "\n" + ["...", "\u2026", "****", "\u2022\u2022\u2022"][n % 4] + "\n" + text[-80:] for n, text in enumerate(whole)],
        "pem-shown-ends": [text.replace("\n", ["$\n", "^M\n", "^M$\n"][n % 3]) for n, text in enumerate(whole)],
        "pem-separated": [text.replace("\n", [";", "|", ",", "\\\n"][n % 4]) for n, text in enumerate(whole)],
        "pem-spaced-label": [text.replace("-----BEGIN ", "----- BEGIN ").replace("-----\n", " -----\n") if n % 2 else text.replace("KEY-----", "KEY -----").replace("CERTIFICATE-----", "CERTIFICATE -----")
            for n, text in enumerate(whole)],
        "pem-entities": [text.replace("+", ["&plus;", "&#43;", "&#x2B;"][n % 3]).replace("/", "&sol;") for n, text in enumerate(whole)],
        "pem-foreign": [text[:90] + ["*", "\ufffd", "\uff21", "\0", "!", "?"][n % 6] + text[91:] for n, text in enumerate(whole)],
        "kubernetes-secret": ["apiVersion: v1\nkind: Secret\ndata:\n  tls.key: " + base64.b64encode(text.encode()).decode() + "\n" if n % 2 else
            json.dumps({"apiVersion": "v1", "data": {"tls.key": base64.b64encode(text.encode()).decode()}, "kind": "Secret"}) for n, text in enumerate(whole)],
        "time-stamp-in-json": [json.dumps({"status": 0, ["timestamp", "token", "data"][n % 3]: base64.b64encode(der.sequence(der.sequence(der.integer(0)), signed(n, TST, 400)) if n % 2 else signed(n, TST, 400)).decode()}) for n in range(12)],
        "pem-rtf": ["{\\rtf1\\ansi " + text.replace("\n", "\\\n") + "}" for text in whole],
        "openssh-private-bare": [base64.b64encode(b"openssh-key-v1\0" + noise(f"openssh {n}", 300 + n)).decode() for n in range(12)],
        "jwk-base64": [base64.b64encode(json.dumps({"kty": "RSA", "n": urlsafe(noise(f"jwk64 {n}", 64)), "e": "AQAB"}, separators=(",", ":")).encode()).decode() for n in range(12)],
        "dotnet-base64": [base64.b64encode(b"<RSAKeyValue><Modulus>" + base64.b64encode(noise(f"net64 {n}", 128 + n))).decode() for n in range(12)],
        "pem-slashes": [text.replace("/", "\\/") for text in whole],
        "pem-hex": [f"-----BEGIN PRIVATE KEY-----\n{der.pkcs8(rsa_private(n)).hex()}\n-----END PRIVATE KEY-----\n" for n in range(12)],
        "pem-url-safe": [f"-----BEGIN PRIVATE KEY-----\n{base64.urlsafe_b64encode(der.pkcs8(rsa_private(n))).decode()}\n-----END PRIVATE KEY-----\n" for n in range(12)],
        "pem-empty-lines": [text.replace("\n", "\n\n" if n % 2 else "\r\n\r\n") for n, text in enumerate(whole)],
        "pem-unpadded": [pem(label, key).replace("=", "") for n in range(12) for label, key in (("PRIVATE KEY", der.pkcs8(rsa_private(n))),
            ("PUBLIC KEY", der.spki(rsa_public(n))), ("CERTIFICATE", certificate(n))) if len(key) % 3],
        "pem-quoted": [f'"{text.strip()}"' if n % 2 else f"'{text.strip()}'" for n, text in enumerate(whole)],
        "pem-time-stamp": [pem(["TIMESTAMP RESPONSE", "TIME STAMP TOKEN", "TS RESPONSE"][n % 3], signed(n, TST)) for n in range(12)],
        "dotnet-escaped": [f"&lt;RSAKeyValue&gt;&lt;Modulus&gt;{base64.b64encode(noise(f'net {n}', 256)).decode()}&lt;/Modulus&gt;" for n in range(12)],
        "pem-percent": [urllib.parse.quote(text) if n % 2 else text.replace(" ", "%20").replace("+", "%2B").replace("\n", "%0A") for n, text in enumerate(whole)],
        "pem-html": [text.replace("\n", "<br>\n" if n % 2 else "&#10;") for n, text in enumerate(whole)],
        "pem-dashes": [text.replace("-----", dashes) for text, dashes in zip(whole, ["\u2014\u2014-", "\u2013\u2013\u2013", "\u2014\u2014\u2014", "----", "---", "\u2014-", "\u2013-", "--", "", "\u2012\u2013", "\u2015\u2015", "\u2212" * 5])],
        "pem-indented": ["\n".join((["  ", "\t", "> ", "    | "][n % 4] + line) if line else line for line in text.split("\n")) for n, text in enumerate(whole)],
        "pem-with-blanks": [text.split("\n", 1)[0] + "\n" + "\n".join(line if line.startswith("-") else line.replace("+", " ").replace("/", " ", 1)[:1] + " " + line[2:] for line in text.split("\n")[1:]) for text in whole]
            + [text.replace("+", " ") for text in legacy],
        "pem-headers": [text.replace("\n", [" ", "", "\n\n"][n % 3]) for n, text in enumerate(legacy)],
        "pem-joined": [text.replace("-----\n", "-----", 1) if n % 2 else text.replace("\n-----END", "-----END") for n, text in enumerate(whole)],
        "openssh-private-bytes": [b"openssh-key-v1\0" + noise(f"openssh bytes {n}", 300 + n) for n in range(12)],
        "pem-cut": [text[: len(text) * (n + 2) // 16] for n, text in enumerate(whole)],
        "pem-end-alone": [text.split("-----\n", 1)[1] for text in whole],
        "der-pkcs8": members(lambda n: der.pkcs8(rsa_private(n))), "der-pkcs1": members(rsa_private), "der-sec1": members(sec1),
        "der-spki": members(lambda n: der.spki(rsa_public(n))), "der-pkcs1-public": members(rsa_public),
        "der-certificate": members(certificate), "der-request": members(request), "der-revocations": members(revocations),
        "der-encrypted-pkcs8": members(encrypted), "der-pkcs12": members(pkcs12),
        "der-dsa": members(lambda n: der.sequence(der.integer(0), *(der.integer(number(f"dsa {n} {i}", 20 + 8 * i)) for i in range(5)))),
        "time-stamp-refusal": members(refusal), "time-stamp-query": members(query), "time-stamp-token": members(lambda n: signed(n, TST)),
        "time-stamp-reply": members(lambda n: der.sequence(der.sequence(der.integer(n % 2)), signed(n, TST))),
        "cms-signed": members(lambda n: signed(n, DATA)),
        "ocsp": members(lambda n: der.sequence(der.tagged(0x0A, b"\0"), der.tagged(0xA0, der.sequence(bytes.fromhex("06092b0601050507300101"), der.octets(noise(f"ocsp {n}", 90)))))),
        "jks": after(bytes.fromhex("feedfeed00000002"), "jks"), "jceks": after(bytes.fromhex("cececece00000002"), "jceks"),
        "bks": [bytes.fromhex("0000000200000014") + noise(f"bks {n}", 20) + bytes.fromhex("00000400") + noise(f"store {n}", 90) for n in range(12)],
        "pvk": after(bytes.fromhex("1ef1b5b000000000"), "pvk"),
        "msblob": after(bytes.fromhex("0702000000a4000052534132"), "blob"),
        "msblob-public": after(bytes.fromhex("0602000000a4000052534131"), "blob"),
        "spkac": [b"SPKAC=" + base64.b64encode(der.sequence(der.integer(1), der.integer(n))) for n in range(12)],
        "ec-parameters": [bytes.fromhex(text) for text in (
            "06082a8648ce3d030107", "06082a8648ce3d030101", "06052b81040022", "06052b81040023", "06052b8104000a", "06052b81040021",
            "06052b81040020", "06052b8104001f", "06052b8104001a", "06052b81040024")],
        "cng-blob": after(bytes.fromhex("5253413300080000"), "cng")[:6] + after(bytes.fromhex("5253413100080000"), "cng")[:6],
        "putty": [f"PuTTY-User-Key-File-{2 + n % 2}: ssh-rsa\r\nEncryption: {'none' if n % 3 else 'aes256-cbc'}\r\nComment: key{n}\r\nPublic-Lines: 6\r\n" for n in range(12)],
        "openssh-public": [f"{kind} {base64.b64encode(b'x' * 7 + noise(f'ssh {n}', 60 + n)).decode()} user@host{n}\n" for n, kind in
            enumerate(["ssh-rsa", "ecdsa-sha2-nistp256", "ssh-rsa", "ecdsa-sha2-nistp384", "ssh-rsa", "ecdsa-sha2-nistp521"] * 2)],
        "openssh-other": [f"{kind} {base64.b64encode(b'x' * 7 + noise(f'ssh other {n}', 60 + n)).decode()} user@host{n}\n" for n, kind in
            enumerate(["ssh-ed25519", "ssh-dss", "sk-ssh-ed25519@openssh.com", "ssh-ed448"] * 3)],
        "openssh-bare": [base64.b64encode(b"\0\0\0\x07ssh-rsa" + noise(f"ssh bare {n}", 60 + n)).decode() for n in range(12)],
        "openssh-known-host": [f"{host} {kind} AAAA{noise(f'host {n}', 40).hex()}\n" for n, (host, kind) in enumerate(
            [(f"host{n}.example.com", "ssh-rsa") for n in range(5)] + [(f"10.0.0.{n}", "ssh-ed25519") for n in range(5)] + [("restrict,command=\"x\"", "ssh-rsa")])],
        "ssh2-public": [f'---- BEGIN SSH2 PUBLIC KEY ----\nComment: "key {n}"\nAAAA{noise(f"rfc4716 {n}", 30).hex()}\n---- END SSH2 PUBLIC KEY ----\n' for n in range(12)],
        "jwk": [json.dumps({"kty": kind, "kid": f"k{n}", "n": urlsafe(noise(f"jwk {n}", 256)), "e": "AQAB"} | ({"d": urlsafe(noise(f"d {n}", 256))} if n % 2 else {}),
            indent=n % 3 or None) for n, kind in enumerate(["RSA", "RSA", "EC", "OKP", "EC", "RSA"] * 2)],
        "jwk-set": [json.dumps({"keys": [{"kty": "RSA", "kid": f"k{n}", "n": urlsafe(noise(f"jwk {n}", 256)), "e": "AQAB"}]}, indent=n % 2 or None) for n in range(12)],
        "dotnet-rsa": [("<?xml version=\"1.0\"?>\n" if n % 3 == 0 else "") + f"<RSAKeyValue><Modulus>{base64.b64encode(noise(f'net {n}', 256)).decode()}</Modulus><Exponent>AQAB</Exponent>"
            + ("<P>x</P><D>y</D>" if n % 2 else "") + "</RSAKeyValue>" for n in range(12)],
        "key-in-json": [json.dumps({"type": "service_account", "private_key": pem("PRIVATE KEY", der.pkcs8(rsa_private(n)))}, indent=n % 3 or None) for n in range(12)],
        "age-key": [[f"AGE-SECRET-KEY-1{bech(n).upper()}", f"# created: 2026-01-0{n % 9 + 1}T00:00:00Z\n# public key: age1{bech(n)}\nAGE-SECRET-KEY-1{bech(n + 50).upper()}\n",
            f"# public key: age1{bech(n)}\nAGE-SECRET-KEY-1{bech(n + 50).upper()}\n", f"AGE-PLUGIN-YUBIKEY-1{bech(n).upper()}", f"AGE-SECRET-KEY-PQ-1{bech(n).upper()}"][n % 5] for n in range(12)],
        "age-recipient": [[f"age1{bech(n)}", f"AGE1{bech(n).upper()}", f"age1{bech(n)}\nage1{bech(n + 50)}\n", f"# alice\nage1{bech(n)}\n"][n % 4] for n in range(12)],
        "tink-keyset": [json.dumps({"primaryKeyId": 1000 + n, "key": [{"keyData": {"value": "x"}}]}) for n in range(12)],
    }
    return forms


def result(n: int) -> dict[str, Any]:
    """The members of a result, in varying numbers."""
    everything: dict[str, Any] = {"isSuccess": n % 2 == 0, "orderNo": f"ord{n}", "liveRate": "99.%d" % n, "similarity": "9%d" % (n % 10),
        "sign": noise(f"sign {n}", 20).hex().upper(), "userImageString": base64.b64encode(noise(f"photo {n}", 30)).decode()}
    return dict(list(everything.items())[: 2 + n % 5])


def documents() -> dict[str, list[Given]]:
    results = [result(n) for n in range(12)]
    swift = lambda value: "true" if value is True else "false" if value is False else value
    quoted = lambda value, quote='"': str(swift(value)) if isinstance(value, bool) else f"{quote}{value}{quote}"
    pairs = lambda values, form, separator: separator.join(form(name, value) for name, value in values.items())
    forms: dict[str, list[Given]] = {
        "java-map": ["{" + pairs(r, lambda k, v: f"{k}={swift(v)}", ", ") + "}" for r in results],
        "object-literal": ["{" + pairs(r, lambda k, v: f"{k}: {swift(v) if n % 2 else quoted(v, chr(39))}", ", ") + "}" if n % 3 else
            "{ " + pairs(r, lambda k, v: f"{k}: {quoted(v, chr(39))}", ",\n  ") + " }" for n, r in enumerate(results)],
        "nslog-dictionary": ["{\n" + pairs(r, lambda k, v: f"    {k} = {int(v) if isinstance(v, bool) else v};", "\n") + "\n}" for r in results],
        "swift-dictionary": ["[" + pairs(r, lambda k, v: f'"{k}": {quoted(v)}' if n % 2 else f'AnyHashable("{k}"): {swift(v)}', ", ") + "]" for n, r in enumerate(results)],
        "python-dict": [repr(r) for r in results],
        "ruby-hash": ["{" + pairs(r, lambda k, v: f'"{k}"=>{quoted(v)}' if n % 2 else f":{k}=>{quoted(v)}", ", ") + "}" for n, r in enumerate(results)],
        "php-array": ["Array\n(\n" + pairs(r, lambda k, v: f"    [{k}] => {v}", "\n") + "\n)\n" if n % 3 == 0 else
            f"a:{len(r)}:{{" + pairs(r, lambda k, v: f's:{len(k)}:"{k}";s:{len(str(v))}:"{v}";', "") + "}" if n % 3 == 1 else
            f"array({len(r)}) {{\n" + pairs(r, lambda k, v: f'  ["{k}"]=>\n  string({len(str(v))}) "{v}"', "\n") + "\n}" for n, r in enumerate(results)],
        "go-map": ["map[" + pairs(r, lambda k, v: f"{k}:{swift(v)}", " ") + "]" if n % 2 else "&{" + pairs(r, lambda k, v: f"{k}:{swift(v)}", " ") + "}" for n, r in enumerate(results)],
        "record": [f"{kind}(" + pairs(r, lambda k, v: f"{k}={swift(v)}", ", ") + ")" for kind, r in zip(["WbFaceVerifyResult", "FaceResult", "VerifyResult", "com.x.Result", "Result", "R"] * 2, results)],
        "form": ["&".join(f"{k}={urllib.parse.quote(str(v))}" for k, v in r.items()) for r in results],
        "multipart": ["--" + boundary + "\r\nContent-Disposition: form-data; name=\"result\"\r\n\r\n" + json.dumps(r) + "\r\n--" + boundary + "--\r\n"
            for boundary, r in zip(["----WebKitFormBoundary7MA4YWxk", "Boundary-1A2B", "abc123", "--------------------------1234", "_----------=_1", "X-INSOMNIA-BOUNDARY"] * 2, results)]
            + ["".join(f"------WebKitFormBoundary{n}\r\nContent-Disposition: form-data; name=\"{k}\"\r\n\r\n{v}\r\n" for k, v in r.items()) + f"------WebKitFormBoundary{n}--\r\n" for n, r in enumerate(results)],
        "http-response": [f"HTTP/{version} {status}\r\nContent-Type: application/json\r\n\r\n" + json.dumps(r)
            for version, status, r in zip(["1.1", "2", "1.0", "3"] * 3, ["200 OK", "404 Not Found", "502 Bad Gateway", "200"] * 3, results)],
        "http-request": [f"{verb} /v1/result{n} HTTP/1.1\r\nHost: example.com\r\n\r\n" + json.dumps(r)
            for n, (verb, r) in enumerate(zip(["POST", "PUT", "GET", "PATCH", "DELETE"] * 3, results))],
        "jsonp": [call.replace("X", json.dumps(r)) for call, r in zip(["cb(X)", "callback(X);", "/**/cb(X);", "jQuery1110_123(X)", "window.onResult(X)", "a.b.c(X);"] * 2, results)],
        "json-guarded": [guard + json.dumps(r) for guard, r in zip([")]}',\n", "while(1);", "for(;;);", ")]}'\n"] * 3, results)],
        "json-html": [json.dumps(r).replace('"', "&quot;") for r in results],
        "json-in-html": [["<div>%s</div>", "<p>%s</p>", "<div dir=\"ltr\">%s<br></div>", "<span style=\"x\">%s</span>"][n % 4] % json.dumps(r) for n, r in enumerate(results)],
        "json-curly": [json.dumps(r).replace('"', "\u201c") for r in results],
        "json-broken-lines": [["\n", "\r\n", "\r\n "][n % 3].join(text[k : k + 30 + n] for k in range(0, len(text), 30 + n)) for n, text in enumerate(
            json.dumps(r | {"photo": noise(f"wrapped {n}", 90).hex()}) for n, r in enumerate(results))],
        "json-cited": ["\n".join([("> ", ">> ", "> > ")[n % 3] + text[k : k + 60] for k in range(0, len(text), 60)]) for n, text in enumerate(json.dumps(r) for r in results)],
        "json-hidden": [json.dumps(r).replace(", ", "," + ["\u00a0", "\u200b", "\ufeff", "\u3000"][n % 4]) for n, r in enumerate(results)],
        "json-other-encoding": [json.dumps(r | {"name": name}, ensure_ascii=False).encode(encoding) for r, (name, encoding) in zip(results,
            [("张三", "gbk"), ("許功蓋", "big5"), ("José", "latin-1"), ("Müller", "cp1252"), ("山田", "shift_jis"), ("김", "euc-kr")] * 2)],
        "json-lines": ["\n".join(json.dumps(x) for x in (r, results[0])) for r in results],
        "json-joined": [[" ", "", "\n"][n % 3].join(json.dumps(x, indent=2 if n % 3 == 2 else None) for x in (r, results[0])) for n, r in enumerate(results)],
        "json-comments": ["// the answer\n" + json.dumps(r) if n % 3 == 0 else "/* answer */ " + json.dumps(r) if n % 3 == 1 else json.dumps(r)[:-1] + ", // more\n \"x\": 1}" for n, r in enumerate(results)],
        "json": [json.dumps(r, indent=n % 3 or None) for n, r in enumerate(results)],
        "xml": ["<?xml version=\"1.0\"?><result>" + pairs(r, lambda k, v: f"<{k}>{v}</{k}>", "") + "</result>" if n % 2 else "<xml>" + pairs(r, lambda k, v: f"<{k}>{v}</{k}>", "") + "</xml>" for n, r in enumerate(results)],
        "yaml": ["---\n" + pairs(r, lambda k, v: f"{k}: {v}", "\n") + "\n" for r in results],
        "markdown-fence": [f"```{'json' if n % 2 else ''}\n{json.dumps(r)}\n```" for n, r in enumerate(results)],
        "word-array": [json.dumps({"words": [int.from_bytes(noise(f"w {n} {i}", 4), "big", signed=True) for i in range(4 + n)], "sigBytes": 16 + 4 * n}) for n in range(12)],
        "node-buffer-json": [json.dumps({"type": "Buffer", "data": list(noise(f"buffer {n}", 8 + n))}) for n in range(12)],
        "typed-array-json": [json.dumps({str(i): byte for i, byte in enumerate(noise(f"typed {n}", 8 + n))}) for n in range(12)],
    }
    return forms


def reported() -> dict[str, list[Given]]:
    """What people joined with other text, or wrote in the source of a program."""
    keys = [der.pkcs8(rsa_private(n)) for n in range(12)]
    contents = [noise(f"reported {n}", 96 + n) for n in range(12)]
    words = lambda data, form: ", ".join(form % byte for byte in data)
    code = ["unsigned char key[] = {{ {} }};\nunsigned int key_len = 7;", "val key = byteArrayOf({})", "let key: [UInt8] = [{}]", "const KEY: [u8; 9] = [{}];"]
    shapes = ["0x%02x", "(byte) 0x%02X", "0x%02x.toByte()", "0x%xu8"]
    joined = ["video{}", "{} end of it", "ord1-{}", 'String key = "{}";', "key = bytes.fromhex('{}')", "SET @k = 0x{};", "sha512:{}ok", "the key is {}"]
    parts = ["{}:{}", "{}.{}", "{}|{}", "{};{}", "{}${}", "{},{}"]
    texts = [lambda data: base64.b64encode(data).decode(), lambda data: data.hex()]
    iv = lambda n: noise(f"iv {n}", 16 if n % 3 else 7)
    return {
        "hex-odd": [data.hex()[1:] if n % 2 else data.hex().upper()[:-1] for n, data in enumerate(contents)],
        "hex-joined": [joined[n % 8].format(data.hex() if n % 3 else data.hex().upper()) for n, data in enumerate(contents * 2)],
        "hex-code": [code[n % 4].format(words(data, shapes[n // 4 % 4])) for n, data in enumerate(contents * 2) if n // 4 % 4 or n % 4 in (0, 3)]
        + ['char key[] = "' + "".join(f"\\x{byte:02x}" for byte in data) + '";' for data in contents[:3]],
        "parts": [parts[n % 6].format(texts[n % 2](iv(n)), texts[n % 2](data)) for n, data in enumerate(contents)]
        + [form.format(base64.b64encode(iv(n)).decode()) for n, form in enumerate(["{}:", ":{}", "{}::", "{}."]) if n % 3],
        "key-cut": [base64.b64encode(der.pkcs8(rsa_private(n)) if n % 2 else certificate(n)).decode()[:64 * (n % 5 + 1) + n % 4] for n in range(16) if n % 4],
        "base64-unpadded": [base64.b64encode(noise(f"unpadded {n}", 49 + n + n // 2)).decode().replace("+", "p").rstrip("=") for n in range(24) if (49 + n + n // 2) % 3],
        "jwk-secret": [json.dumps({"kty": "oct", "k": urlsafe(noise(f"oct {n}", 32))} | ({"alg": "A256GCM"} if n % 2 else {}), indent=n % 3 or None) for n in range(9)]
        + [json.dumps({"keys": [{"kty": "oct", "k": urlsafe(noise(f"oct set {n}", 32))}]}) for n in range(3)],
        "pem-no-label": [f"-----BEGIN{blank}-----\n{base64.encodebytes(key).decode()}-----END{blank}-----\n" for key, blank in zip(keys, ["", " ", "  "] * 4)],
        "pem-dashes": [f"{front}BEGIN PRIVATE KEY{back}\n{base64.encodebytes(key).decode()}{front}END PRIVATE KEY{end}\n" for key, (front, back, end) in zip(keys,
            [("-" * 6, "-" * 6, "-" * 6), ("-" * 5, "-" * 6, "-" * 5), ("-" * 6, "-" * 5, "-" * 5), ("-" * 10, "-" * 10, "-" * 10), ("-" * 5, "-" * 5, "-" * 4)] * 2)]
        + [f"-----BEGIN PRIVATE KEY-----\n{base64.encodebytes(key).decode()}{dashes}END PRIVATE KEY{dashes}\n" for key, dashes in zip(keys, ["----", "------", "---"])],
        "pem-other-length": [text[: 400 + 5 * n] + text[400 + 5 * n + [1, 2, 3, 4, 64, 65][n % 6]:] if n % 4 else text[:300] + "ABCDE"[: n % 5 + 1] + text[300:]
            for n, text in enumerate(pem("PRIVATE KEY", key) for key in keys)],
        "pem-wide": [pem("PRIVATE KEY", key).replace("+", "\uff0b").replace("/", ["/", "\uff0f"][n % 2]) for n, key in enumerate(keys)],
        "pem-indented": ["".join(mark.format(k + 1) + line + "\n" for k, line in enumerate(pem("PRIVATE KEY", key).splitlines())) for key, mark in zip(keys, [
            "[INFO] ", "{}:", "config/key.pem:{}:", "app_1  | ", "2026-11-26 12:00:00.123  INFO 1 --- [main] c.x.Y : ", "\u7b2c{}\u884c ", "({}) ", "-", "\u2022 ", "[{}] "])],
        "pem-entities": [pem("PRIVATE KEY", key).replace("+", ["&#43;", "&#x2b;"][n % 2]).replace("/", "&#47;") for n, key in enumerate(keys)],
    }


def beginnings() -> list[tuple[str, str, Given]]:
    """What is too short to be all of what its first bytes say."""
    heads = [("jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"), ("jpeg", b"\xff\xd8\xff\xe1"), ("png", b"\x89PNG\r\n\x1a\n"),
        ("gif", b"GIF89a"), ("gzip", gzip.compress(b"", mtime=0)[:10]), ("zip", b"PK\x03\x04"), ("compress", b"\x1f\x9d\x90"),
        ("zstd", b"\x28\xb5\x2f\xfd"), ("mp4", box(b"ftyp", b"isom" + bytes(4) + b"isommp42")), ("heic", box(b"ftyp", b"heic" + bytes(4))),
        ("salted", b"Salted__"), ("salted", b"Salted__" + noise("salt", 8)), ("pdf", b"%PDF-1.7\n"), ("webp", b"RIFF\x10\0\0\0WEBP")]
    wide = [(base64.b64encode(bytes([251, 239, 190]) + noise(f"wide {n}", 96 + n)).decode()).replace("+", "\uff0b").replace("/", "\uff0f") for n in range(12)]
    return [("base64", "full-width", text) for text in wide] + [(form, "the beginning of", head) for form, head in heads] + [(form, "the beginning of", base64.b64encode(head).decode()) for form, head in heads if len(head) >= 16]


def as_text(data: bytes) -> bytes:
    """As a program on Windows writes bytes that it takes for text, with a line feed among them."""
    return data.replace(b"\n", b"\r\n")


def wrapped() -> list[tuple[str, str, Given]]:
    """Forms inside encodings: what is inside is what counts."""
    heic = ftyp(b"heic")
    found: list[tuple[str, str, Given]] = []
    for n in range(12):
        photo = heic[n]
        once = base64.b64encode(photo).decode()
        key = der.pkcs8(rsa_private(n))
        content = noise(f"content {n}", 48 + n)
        found += [
            ("heic", "base64", once), ("heic", "base64 of base64", base64.b64encode(once.encode()).decode()),
            ("heic", "a data URI", f"data:image/heic;base64,{once}"), ("heic", "hex", photo.hex()),
            ("heic", "quotation marks", f'"{once}"'), ("heic", "base64", base64.encodebytes(photo).decode()),
            ("der-pkcs8", "base64", base64.b64encode(key).decode()), ("der-pkcs8", "hex", key.hex()), ("der-pkcs8", "URL-safe", urlsafe(key)),
            ("der-pkcs8", "hex", "0x" + key.hex()), ("der-pkcs8", "in pairs", ":".join(f"{byte:02x}" for byte in key)),
            ("json", "base64", base64.b64encode(json.dumps(result(n)).encode()).decode()), ("json", "URL-encoded", urllib.parse.quote(json.dumps(result(n)))),
            ("json", "UTF-16", b"\xff\xfe" + json.dumps(result(n)).encode("utf-16-le")), ("json", "UTF-16", json.dumps(result(n)).encode("utf-16-be")),
            ("json", "backslash", json.dumps(result(n)).replace('"', '\\"')), ("json", "quotation marks", json.dumps(json.dumps(result(n)))), ("json", "JSON", b"\xef\xbb\xbf" + json.dumps(result(n)).encode()),
            ("hex-prefixed", "0x", "0x" + content.hex()), ("hex", "hex", content.hex().upper() if n % 2 else content.hex()),
            ("hex-spaced", "in pairs", [" ", ":", ", ", "-"][n % 4].join(f"{byte:02X}" for byte in content)), ("base64", "base64", base64.b64encode(content).decode()),
            ("decimal-list", "decimal", str(list(content))), ("decimal-list", "decimal", ",".join(map(str, content))),
            ("base64-url", "URL-safe", urlsafe(content + b"\xff\xef")), ("signed-list", "signed", str([byte - 256 if byte > 127 else byte for byte in content])),
            ("latin1", "Latin-1", content.decode("latin-1").encode("utf-8")),
            ("hex-prefixed", "in front", "\\x" + content.hex()), ("hex-prefixed", "in front", f"X'{content.hex()}'"),
            ("decimal-list", "decimal", f"Uint8Array({len(content)}) [{', '.join(map(str, content))}]"),
            ("nsdata-list", "NSData", f"<{' '.join(content.hex()[k : k + 8] for k in range(0, 2 * len(content), 8))}>"),
            ("heic", "Python", f"b'{once}'"), ("heic", "Optional", f'Optional("{once}")'), ("heic", "base64 whose line breaks", once.replace("/", "\\/") + "\\n"),
            ("heic", "quotation marks", f"“{once}”"), ("heic", "numbers", str(list(photo))), ("heic", "NSData", f"<{photo.hex(' ', 4)}>"),
            ("zeros", "zero bytes", base64.b64encode(bytes(60 + 3 * n)).decode()),
            ("lost-bytes", "lost", content.decode("utf-8", "replace").encode("utf-8")),
            ("salted", "Salted__", base64.b64encode(b"Salted__" + content).decode()), ("address", "an address", urllib.parse.quote(f"https://example.com/{n}/face.mp4", safe="")),
            ("nothing", "a word for nothing", '"undefined"' if n % 2 else "'null'"), ("gzip", "base64 of", base64.b64encode(gzip.compress(photo, mtime=0)).decode()),
            ("json", "UTF-32", b"\xff\xfe\0\0" + json.dumps(result(n)).encode("utf-32-le")), ("json", "UTF-32", json.dumps(result(n)).encode("utf-32-be")),
            *((form, name, mark + pem(label, make(n)).encode(encoding)) for form, label, make in [("pem-certificate", "CERTIFICATE", certificate),
                ("pem-pkcs8", "PRIVATE KEY", lambda n: der.pkcs8(rsa_private(n))), ("pem-spki", "PUBLIC KEY", lambda n: der.spki(rsa_public(n)))]
                for name, mark, encoding in [("UTF-16", b"\xff\xfe", "utf-16-le"), ("UTF-16", b"\xfe\xff", "utf-16-be"), ("UTF-16 (big-endian", b"", "utf-16-be"),
                    ("UTF-16", b"", "utf-16-le"), ("UTF-32", b"\xff\xfe\0\0", "utf-32-le"), ("UTF-32", b"\0\0\xfe\xff", "utf-32-be")][n % 2 :: 2]),
            ("hex-bracketed", "brackets", f"<{content.hex()}>"), ("hex-bracketed", "brackets", f"<{noise(f'long {n}', 4_200 + n).hex()}>"),
            ("heic", "a data URI of base64 of", f"data:video/webm;codecs=vp8,opus;base64,{once}"), ("stack-trace", "an error", ["java.lang.NullPointerException", "org.json.JSONException", f"com.example.v{n}.SealingError"][n % 3]), ("der-pkcs8", "NSData", "<" + " ".join(key.hex()[i : i + 8] for i in range(0, len(key.hex()), 8)) + ">"),
            ("der-pkcs8", "blank", base64.b64encode(key).decode().replace("+", " ")),
            ("der-pkcs8", "base64 whose line breaks", base64.encodebytes(key).decode().replace("\n", "\\n")),
            ("question-marks", "question marks", bytes(byte if byte < 128 else 63 for byte in content + noise(f"marks {n}", 64))),
            ("base64", "base64: in front", "base64:" + base64.b64encode(content).decode()), ("heic", "base64: in front", "base64:" + once),
            ("json", "cell of CSV", '"' + json.dumps(result(n)).replace('"', '""') + '"' + ["", "\n", "\r\n"][n % 3]),
            ("json", "nginx", json.dumps(result(n)).replace('"', ["\\x22", "\\u0022"][n % 2])),
            ("base32", "base32", base64.b32encode(content).decode()), ("heic", "base32", base64.b32encode(photo).decode()),
            ("base64", "HTML", base64.b64encode(content).decode()[:40].replace("+", "&#43;") + "&#10;" + base64.b64encode(content).decode()[40:]),
            ("heic", "HTML", "<br>".join(once[i : i + 60] for i in range(0, len(once), 60)) + "<br/>"),
            ("der-pkcs8", "invisible", "\u00a0" + base64.b64encode(key).decode()), ("heic", "invisible", once[:30] + "\u200b" + once[30:]),
            ("hex", "name=value", f"SIGN_TICKET={content.hex()}"), ("elided", "shortened", base64.b64encode(content).decode()[:40] + ["...", "…", "...(truncated)", "[...]"][n % 4]),
            ("address", "may be missing", f"Optional(https://example.com/{n}/face.mp4)"), ("file-address", "may be missing", f"Optional[file:///tmp/{n}.mp4]"),
            ("decimal-list", "decimal", "[]byte{" + ", ".join(map(str, content)) + "}"), ("decimal-list", "decimal", "<<" + ", ".join(map(str, content)) + ">>"),
            ("hex-spaced", "in pairs", "[]byte{" + ", ".join(f"0x{byte:02x}" for byte in content) + "}"),
            ("der-pkcs8", "name=value", "privateKey=" + base64.b64encode(key).decode()), ("der-pkcs8", "name=value", "private-key: " + base64.b64encode(key).decode()),
            ("der-pkcs8", "name=value", "\u79c1\u94a5\uff1a" + base64.b64encode(key).decode()),
            ("heic", "byte-order mark", b"\xef\xbb\xbf" + photo),
            ("heic", "quotation marks", [b"\x93%s\x94", b"\x91%s\x92", b"\xa1\xb0%s\xa1\xb1"][n % 3] % once.encode()),
            ("json-curly", "typographic", json.dumps(result(n)).replace('"', "\u201c").encode(["cp1252", "gbk"][n % 2])),
            ("binary-document", "BSON", (lambda body: struct.pack("<I", 5 + len(body)) + body + b"\0")(b"\x02order\0" + struct.pack("<I", 5) + b"ord%d\0" % (n % 10))),
            ("binary-document", "gRPC", b"\0" + struct.pack(">I", 40 + n) + noise(f"grpc {n}", 40 + n)),
            ("csv", "CSV", f"订单号,结果,分数\nord{n},通过,{90 + n}\n"), ("csv", "CSV", f"orderNo\tisSuccess\nord{n}\ttrue\n"),
            ("mail", "e-mail", f"Date: Mon, {n + 1} Jun 2026\r\nFrom: a@example.com\r\nSubject: x\r\n\r\n{{}}"),
            ("mail", "e-mail", f"X-Mailer: {n}\nMIME-Version: 1.0\n\n{{}}"),
            ("mail", "e-mail", f"Content-Type: application/json; n={n}\r\nContent-Transfer-Encoding: base64\r\n\r\ne30="),
            ("time-stamp-refusal", "base64 of", base64.b64encode(refusal(3 * n + 1) + b"").decode()),
            ("der-pkcs8", "text mode", as_text(key)), ("time-stamp-reply", "text mode", as_text(der.sequence(der.sequence(der.integer(0)), signed(n, TST, 400)))),
            ("der-pkcs8", "comma", base64.b64encode(key).decode() + ",;"[n % 2]), ("der-pkcs8", "each slash", base64.b64encode(key).decode().replace("/", "\\/")),
        ]
    return [entry for entry in found if (entry[0] != "time-stamp-refusal" or len(entry[2]) >= 24)
        and (entry[1] != "text mode" or b"\r\n" in entry[2])]


def controls() -> list[tuple[Optional[str], str, Given, list[str]]]:
    """What is nothing special, and must not be called anything that it is not."""
    found: list[tuple[Optional[str], str, Given, list[str]]] = []
    for n in range(40):
        found.append((None, "", noise(f"control {n}", 16 * (n + 1)), ["a "]))
        found.append(("base64", "base64", base64.b64encode(noise(f"control text {n}", 48 + 16 * n)).decode(), ["key", "picture", "lost", "address"]))
    # A mail's encoding is undone with the mail.
    for n in range(12):
        found.append(("mail", "e-mail", f"From: a\nSubject: result {n}\nContent-Transfer-Encoding: quoted-printable\n\n{{=22order=22=3A=\n=22ord{n}=22=7D\n", ["quoted-printable", *ACCUSATIONS]))
    # A sign of three bytes begins one ciphertext in 2^24 as well.
    for n in range(12):
        sign = [b"\x80\x02]", b"\x80\x03}", b"\x80\x04\x95", b"\xef\xbb\xbf"][n % 4]
        found.append((None, "", sign + noise(f"short sign {n}", 400), ["a ", "an "]))
    return found


def file() -> bytes:
    lines: list[str] = []
    counts: dict[Optional[str], int] = {}

    def add(form: Optional[str], says: str, given: Given, denies: list[str]) -> None:
        data = given.encode("utf-8") if isinstance(given, str) else given
        try:
            shown = {"text": data.decode("utf-8")}
        except UnicodeDecodeError:
            shown = {"base64": base64.b64encode(data).decode("ascii")}
        counts[form] = counts.get(form, 0) + 1
        lines.append(json.dumps({"name": f"{form or 'nothing-known'}-{counts[form]}", "form": form, **shown, "says": says, "denies": denies}, ensure_ascii=True) + "\n")

    says = {"heic": "HEIC", "webp": "WebP", "gif": "GIF", "jpeg": "JPEG", "png": "PNG", "mp4": "MP4", "jwk": "JWK", "dotnet-rsa": ".NET", "jks": "Java keystore", "putty": "PuTTY",
        "openssh-public": "OpenSSH public key", "form": "form body", "multipart": "multipart", "html": "HTML", "java-map": "printed map", "nslog-dictionary": "NSLog",
        "swift-dictionary": "Swift", "python-dict": "Python", "jsonp": "JSONP", "gzip": "gzip", "salted": "Salted__", "time-stamp-token": "token",
        "pem-in-code": "source", "pem-in-parts": "source", "json-inside": "other text around it", "binary-document": "MessagePack", "serialized-object": "serialised", "rtf": "RTF", "json-shell": "MongoDB",
        "media-type": "media type", "time-stamp-refusal": "refuses", "nothing": "a word for nothing", "ds-store": ".DS_Store", "word-array": "WordArray"}
    for group in (media(), packed(), keys(), documents(), TEXTS, reported()):
        for form, given in group.items():
            assert len(given) >= 10, form
            denied = ACCUSATIONS[1:] if form in ("pem-cut", "key-cut") else ACCUSATIONS
            if form == "pem-other-length":
                denied = [word for word in ACCUSATIONS if word not in ("cut off", "changed")]
            for one in given:
                add(form, says.get(form, ""), one, denied)
    for form, words, given in wrapped() + beginnings():
        add(form, words, given, ACCUSATIONS)
    for nothing, words, given, denied in controls():
        add(nothing, words, given, denied)
    return "".join(lines).encode("ascii")
