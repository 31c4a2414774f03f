# SPDX-License-Identifier: Apache-2.0
"""Payloads of which it is easy to say something false: what is sealed well, but not as the usual profiles say.

Beside `expect` and `says`, as in profiles.py, a case has `denies`: words that must not be said of it as if they were
known.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import hmac
import json
import zlib
from typing import Optional

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import rsa_by_hand as by_hand
from profiles import ALPHANUMERIC, CALLER_IV, JAVA, ORDER, VIDEO, WBFACE, ZOLOZ, Profile, case, fields, media, text
from rsa_by_hand import Stream

CBC = Profile(None, mode="cbc")
IV_TEXT = CALLER_IV.decode("ascii")


def box(kind: bytes, content: bytes) -> bytes:
    """ISO/IEC 14496-12 §4.2."""
    return (8 + len(content)).to_bytes(4, "big") + kind + content


def ftyp(major: bytes, minor: int, *compatible: bytes) -> bytes:
    return box(b"ftyp", major + minor.to_bytes(4, "big") + b"".join(compatible))


def movie(label: str) -> bytes:
    """Content that no player plays, in boxes as players want them."""
    return box(b"moov", box(b"mvhd", Stream(f"moov {label}").take(100)))


# What recorders write in front, facts of their own output.
MP4 = {
    "iphone": ftyp(b"mp42", 1, b"mp41", b"mp42", b"isom") + box(b"wide", b"")
    + box(b"mdat", Stream("iphone").take(1700)) + movie("iphone"),
    "quicktime": ftyp(b"qt  ", 0, b"qt  ") + box(b"wide", b"") + box(b"mdat", Stream("qt").take(1503)) + movie("qt"),
    "mediamuxer": ftyp(b"mp42", 0, b"isom", b"mp42") + movie("muxer") + box(b"mdat", Stream("muxer").take(1611)),
}


def cbc(key: bytes, iv: bytes, padded: bytes) -> bytes:
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return encryptor.update(padded) + encryptor.finalize()


def pkcs7(content: bytes) -> bytes:
    return content + bytes([16 - len(content) % 16]) * (16 - len(content) % 16)


def payload(key: bytes, content: bytes, label: str, block: Optional[bytes] = None, **others: str) -> dict[str, str]:
    """PKCS#1 v1.5, or a block as it is given."""
    stream = Stream(f"diagnosis {label}")
    wrapped = by_hand.pkcs1_v15_wrap(key, "rsa2048.pem", stream) if block is None else block
    return {"orderNo": ORDER, "videoEncryptAESKey": text(wrapped, "base64"), "userVideoString": text(content, "base64"), **others}


def not_accused() -> dict[str, bytes]:
    cases: dict[str, bytes] = {}

    def add(name: str, document, expect: str, says: str, denies: Optional[str] = None, iv: Optional[str] = None) -> None:
        cases[name] = case(document, expect=expect, says=says, denies=denies, key="rsa2048.pem", iv=iv)

    stream = Stream("not accused")
    key, iv = stream.take(32), stream.take(16)
    zeros = VIDEO + bytes(-len(VIDEO) % 16)
    add("nul_padding", payload(key, iv + cbc(key, iv, zeros), "nul"), "opens found", "an MP4 video", "altered")
    sealed = base64.b64decode(fields(CBC, VIDEO, label="mac")["userVideoString"])
    with_mac = fields(CBC, VIDEO, label="mac")
    with_mac["userVideoString"] = text(sealed + hmac.digest(bytes(32), sealed, "sha256"), "base64")
    add("mac_appended", with_mac, "layout", "as many as an HMAC has", "altered")
    uri = b"data:video/mp4;base64," + base64.b64encode(VIDEO)
    add("base64_sealed", fields(WBFACE, base64.b64encode(VIDEO), label="b64"), "opens found",
        "base64 text of an MP4 video", "the IV is a different one", IV_TEXT)
    add("base64_sealed_with_its_iv", fields(CBC, base64.b64encode(VIDEO), label="b64 iv"), "opens found",
        "base64 text of an MP4 video", "the IV is a different one")
    add("data_uri_sealed", fields(WBFACE, uri, label="uri sealed"), "opens found", "a data URI of an MP4 video",
        "the IV is a different one", IV_TEXT)
    label = by_hand.oaep_wrap(key, "rsa2048.pem", stream, "SHA-256", "SHA-256", b"wbface")
    add("oaep_with_a_label", payload(key, iv + cbc(key, iv, zeros), "label", label), "wrapping", "with a label",
        "was wrapped for another key")
    bare = by_hand.encrypt_block(bytes(256 - 32) + key, "rsa2048.pem")
    add("rsa_without_padding", payload(key, iv + cbc(key, iv, zeros), "bare", bare), "opens found", "without padding",
        "another key")
    reverse = by_hand.pkcs1_v15_wrap(key, "rsa2048.pem", stream)[::-1]
    cases["little_endian_block"] = case(
        payload(key, iv + cbc(key, iv, zeros), "reverse", reverse), expect="opens found",
        says="its bytes are in reverse order", denies="another key", key="rsa2048.pem", needs="wrapped-key")
    changed = fields(JAVA, VIDEO, label="changed key")
    changed["videoEncryptAESKey"] = "A" + changed["videoEncryptAESKey"][1:]
    add("wrapped_key_changed", changed, "wrapping", "changed in transit", "was wrapped for another key")
    vendor = fields(JAVA, b'{"score":"90"}', "other3072.pem", "vendor")
    add("video_is_null",
        {"orderNo": ORDER, "userVideoString": None, "videoEncryptAESKey": fields(JAVA, VIDEO)["videoEncryptAESKey"],
            "encryptAESKey": vendor["videoEncryptAESKey"], "identifyStr": vendor["userVideoString"]},
        "key-size", "absent or null, so this is about identifyStr")
    inner = fields(ZOLOZ, VIDEO)
    add("json_in_the_field",
        {**inner, "userVideoString": json.dumps({"iv": "", "data": inner["userVideoString"]})},
        "text", "as JSON text does", "decoder")
    add("spaces_among_plus",
        {**inner, "userVideoString": inner["userVideoString"].replace("+", " ", 1)},
        "text", "a space, which base64", "form or URL decoder")
    for name, given, says in MISPLACED:
        add(f"content_{name}", {**inner, "userVideoString": given}, "text", says, "cut off")
        add(f"wrapped_key_{name}", {**inner, "videoEncryptAESKey": given}, "text", says, "cut off")
    content = base64.b64decode(fields(JAVA, VIDEO)["userVideoString"])
    for name, given, repair in printed(content):
        document = {**fields(JAVA, VIDEO), "userVideoString": given}
        add(f"content_{name}", document, "text", f"is {repair[0]}", "cut off")
        cases[f"content_{name}_repaired"] = case(document, expect="opens java-default", says=repair[1], denies="cut off", key="rsa2048.pem", repair=repair[1])
    webm = b"\x1a\x45\xdf\xa3\x93\x42\x82\x84webm" + bytes(range(200))
    add("webm_beside_a_key", {**inner, "userVideoString": base64.b64encode(webm).decode()}, "not-sealed", "a WebM video", "cut off")
    iv = content[:12]
    for name, given in (("quoted", f'"{base64.b64encode(iv).decode()}"'), ("prefixed", "0x" + iv.hex()), ("listed", str(list(iv)))):
        document = {**fields(JAVA, VIDEO), "userVideoString": base64.b64encode(content[12:]).decode(), "iv": given}
        add(f"iv_{name}", document, "opens found", "which iv holds as", "cut off")
    return cases


MISPLACED = (
    ("file", "file:///data/user/0/com.x/face.mp4", "an address (file:)"), ("https", "https://x.com/a%2Fb.mp4", "an address"),
    ("blob", "blob:https://x/1-2", "an address (blob:)"), ("path", "/storage/emulated/0/face.mp4", "the path of a file"),
    ("key", "oss/2026/11/28/face", "the path of a file"), ("nothing", "undefined", "a word for nothing"), ("none", "None", "a word for nothing"),
    ("object", "[object Blob]", "an object of JavaScript"), ("array", "[B@6d06d69c", "a Java array"), ("html", "<html><body>502</body></html>", "an HTML page"),
    ("sentence", "the file was not found", "plain text"), ("word", "tmp_face", "too few"), ("pem", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "a public key in PEM"),
)


def printed(content: bytes) -> list[tuple[str, str, tuple[str, str]]]:
    """Bytes that were printed instead of encoded, or in another encoding: what they are called, and the repair."""
    text = base64.b64encode(content).decode()
    numbers, digits, marks = "printed-bytes", "hexadecimal digits", "quotation-marks"
    return [
        ("list", str(list(content)), ("a list of bytes", numbers)),
        ("signed_list", str([byte - 256 if byte > 127 else byte for byte in content]), ("a list of signed bytes", numbers)),
        ("prefixed_hex", "0x" + content.hex(), (digits, numbers)), ("bytea", "\\x" + content.hex(), (digits, numbers)),
        ("colons", content.hex(":"), (digits, numbers)), ("buffer", json.dumps({"type": "Buffer", "data": list(content)}), ("JSON of a Buffer", numbers)),
        ("nsdata", f"<{content.hex(' ', -4)}>", ("a printed NSData", numbers)), ("quoted", f'"{text}"', ("base64 in quotation marks", marks)),
        ("python", f"b'{text}'", ("text as Python prints bytes", marks)), ("escaped", text.replace("/", "\\/"), ("text with backslashes", marks)),
        ("with_a_comma", text + ",", ("base64 with ',' behind it", marks)), ("latin1", content.decode("latin-1"), ("bytes that were taken for Latin-1", numbers)),
        ("word_array", word_array(content), ("JSON of a WordArray", numbers)), ("base32", base64.b32encode(content).decode(), ("base32", numbers)),
        ("html", text.replace("+", "&#43;").replace("/", "&#x2F;"), ("base64 with HTML's spelling", "percent-encoding")),
        ("tencent", text.translate(str.maketrans("+/=", "*-_")), ("base64 in the alphabet of Tencent", numbers)),
        ("full_width", text.replace("+", "\uff0b").replace("/", "\uff0f"), ("text with full-width", numbers)),
        ("no_break", "\u00a0".join(text[at : at + 76] for at in range(0, len(text), 76)), ("text with invisible", numbers)),
        ("label", "base64:" + text, ("text with base64: in front", numbers)), ("assigned", "userVideoString=" + text, ("name=value", numbers)),
        ("utf16", base64.b64encode(text.encode("utf-16")).decode(), ("text in UTF-16", numbers)),
        ("data_uri_inside", base64.b64encode(f"data:video/mp4;base64,{text}".encode()).decode(), ("a data URI", numbers)),
    ]


def word_array(content: bytes) -> str:
    padded = content + bytes(-len(content) % 4)
    words = [int.from_bytes(padded[at : at + 4], "big", signed=True) for at in range(0, len(padded), 4)]
    return json.dumps({"words": words, "sigBytes": len(content)})


def without_their_iv() -> dict[str, bytes]:
    """CBC whose IV is configured and not known: it is worked out from how such a file begins.

    among: the IV in hex, which must be one of those that are found; likeliest: and the first of them.
    """
    cases: dict[str, bytes] = {}

    def add(name: str, content: bytes, likeliest: Optional[str] = "yes", iv: Optional[str] = None) -> None:
        cases[f"iv_of_{name}"] = case(
            fields(WBFACE, content, label=f"no iv {name}"), expect="unproven", says="worked out from how",
            key="rsa2048.pem", among=CALLER_IV.hex(), likeliest=likeliest, iv=iv)

    for name, content in MP4.items():
        add(name, content)
    add("ffmpeg", VIDEO)
    add("ffmpeg_given_wrong_in_its_brand", VIDEO, iv="01234567xyabcdef")
    filled = ftyp(b"qt  ", 0x20050300, b"qt  ", bytes(4), bytes(4), bytes(4))
    add("quicktime_of_old", filled + box(b"mdat", Stream("old").take(1503)) + movie("old"), None)
    add("an_unknown_recorder", ftyp(b"iso5", 1, b"iso5", b"iso6", b"dash") + movie("dash") + box(b"moof", bytes(40)) + box(b"mdat", bytes(40)), None)
    add("jfif", media("photo.jpg"), None)
    exif = b"Exif\0\0MM\0\x2a\0\0\0\x08" + Stream("exif").take(300).replace(b"\xff", b"\0")
    photo = media("photo.jpg")
    add("exif", photo[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + photo[20:])
    size = (640).to_bytes(4, "big") + (480).to_bytes(4, "big")
    chunks = [(b"IHDR", size + bytes([8, 2, 0, 0, 0])), (b"IDAT", Stream("png").take(900)), (b"IEND", b"")]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big") for kind, data in chunks)
    add("png", png)
    add("base64", base64.b64encode(MP4["iphone"]))
    add("base64_of_jfif", base64.b64encode(photo))
    add("data_uri", b"data:video/mp4;base64," + base64.b64encode(VIDEO))
    # The true IV is given, and the recorder is none that is known: it comes first, and is not called another.
    odd = ftyp(b"iso5", 77, b"iso5", b"iso6", b"dash") + movie("dash") + box(b"moof", bytes(40)) + box(b"mdat", bytes(40))
    cases["iv_is_given_for_an_unknown_recorder"] = case(
        fields(WBFACE, odd, label="odd"), expect="unproven", says="no known encoder writes such a beginning",
        denies="none of them", key="rsa2048.pem", among=CALLER_IV.hex(), likeliest="yes", iv=IV_TEXT)
    # Text goes on like text: whether its IV is in front or not there at all cannot be known.
    cases["text_with_its_iv_in_front_or_nowhere"] = case(
        fields(CBC, b"a text of some length, in which nothing says where it begins; " * 3, label="text"),
        expect="unproven", says="or the IV is a different one", key="rsa2048.pem")
    # The first block of a text, sealed under one text and opened under another, is often a text: of these keys, one whose
    # beginning is such an IV.
    prose = b"a text of some length, of which nothing is known but that it is one; " * 3
    for number in range(100_000):
        letters = Stream(f"letters {number}").take(32)
        key = bytes(ALPHANUMERIC[byte % 62] for byte in letters)
        if all(0x20 <= a ^ b ^ c < 0x7F for a, b, c in zip(prose, CALLER_IV, key[:16])):
            break
    cases["text_under_another_iv_that_is_text"] = case(
        payload(key, cbc(key, CALLER_IV, pkcs7(prose)), "prose"),
        expect="unproven", says="or the IV is a different one", key="rsa2048.pem")
    # Not shown: it is a part of the key.
    stream = Stream("iv of the key")
    key = stream.take(32)
    padded = pkcs7(VIDEO)
    cases["iv_is_the_start_of_the_key"] = case(
        payload(key, cbc(key, key[:16], padded), "start of key"), expect="opens found", says="the beginning of the key",
        key="rsa2048.pem")
    mixed = bytes(key[(7 * i + 3) % 32] for i in range(16))
    for name, made in {
        "the_end_of": key[16:], "the_reverse_of": key[::-1][:16], "the_inverse_of": bytes(byte ^ 0xFF for byte in key[8:24]),
        "mixed_from": mixed, "mixed_and_inverted_from": bytes(byte ^ 0xFF for byte in mixed),
    }.items():
        cases[f"iv_is_{name}_the_key"] = case(
            payload(key, cbc(key, made, padded), "end of key"), expect="layout", says="it is not shown",
            denies=made.hex(), key="rsa2048.pem")
    repeated = key[:4] * 4
    cases["iv_is_a_repeated_part_of_the_key"] = case(
        payload(key, cbc(key, repeated, padded), "end of key"), expect="layout", says="it is not shown", denies=repeated.hex(),
        key="rsa2048.pem")
    for name, made in {"the_end_of": key[16:], "a_repeated_part_of": repeated}.items():
        counter = Cipher(algorithms.AES(key), modes.CTR(made)).encryptor()
        cases[f"counter_is_{name}_the_key"] = case(
            payload(key, counter.update(VIDEO), "counter"), expect="layout", says="it is not shown", denies=made.hex(),
            key="rsa2048.pem")
    # A part of the key, as base64 cut at each byte, and a text key in the other case.
    for start in range(3):
        made = base64.b64encode(key[start:])[4:20]
        cases[f"iv_is_base64_of_the_key_from_byte_{start}"] = case(
            payload(key, cbc(key, made, padded), "base64 of key"), expect="layout", says="it is not shown",
            denies=made.hex(), key="rsa2048.pem")
    letters = b"AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEf"
    made = letters[8:24].swapcase()
    cases["iv_is_the_key_in_the_other_case"] = case(
        payload(letters, cbc(letters, made, padded), "other case"), expect="layout", says="it is not shown",
        denies=made.hex(), key="rsa2048.pem")
    # Wherever it comes from.
    text_of_json = b'{"name":"a value","list":[1,2,3,4,5,6,7,8]}'
    sealed = payload(key, cbc(key, key[16:], pkcs7(text_of_json)), "end of key")
    cases["iv_is_the_end_of_the_key_in_a_field"] = case(
        {**sealed, "iv": text(key[16:], "base64")}, expect="unproven", says="it is not shown", denies=key[16:].hex(),
        key="rsa2048.pem", ivs="0")
    upper = letters[8:24].swapcase()
    cases["iv_is_the_key_in_the_other_case_and_given"] = case(
        payload(letters, cbc(letters, upper, pkcs7(text_of_json)), "other case"), expect="unproven", says="it is not shown",
        denies=upper.hex(), key="rsa2048.pem", iv=upper.decode(), ivs="0")
    short = b"0a1b2c3d4e"
    cases["iv_is_a_short_key_filled_up"] = case(
        {**payload(short, cbc(short + bytes(6), short + bytes(6), pkcs7(text_of_json)), "short key"), "iv": short.decode()},
        expect="unproven", says="may be", denies=short.hex(), key="rsa2048.pem", ivs="0")
    return cases


def in_doubt() -> dict[str, bytes]:
    """Content that is complete in more than one way, and content of which nothing known settles the first block."""
    cases: dict[str, bytes] = {}

    def add(name: str, document, expect: str, says: str, denies: Optional[str] = None, **others: str) -> None:
        cases[f"doubt_{name}"] = case(document, expect=expect, says=says, denies=denies, key="rsa2048.pem", **others)

    stream = Stream("in doubt")
    key, iv = stream.take(32), stream.take(16)

    def ecb(content: bytes) -> bytes:
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        return encryptor.update(content) + encryptor.finalize()

    # Media data that go on to the end of the file, in whole blocks: their end looks like padding.
    front = MP4["mediamuxer"][:24] + movie("open") + bytes(4) + b"mdat"
    for name, end in {"pkcs7": b"\xaa\x02\x02", "zeros": b"\xaa\0\0"}.items():
        noise = stream.take(300 + (-len(front) - 303) % 16)
        add(f"end_like_{name}", payload(key, ecb(front + noise + end), name), "unproven", "so under two paddings")
    add("end_of_blanks", payload(key, ecb(b'{"liveRate":"99.1","ok":true}'.ljust(48)), "blanks"), "unproven", "ends in a blank")
    newlines = b'{"liveRate":"99.1","ok":true,"orderNo":"ord1"}'
    newlines += b" " * ((6 - len(newlines)) % 16)
    add("end_of_newlines", payload(key, ecb(pkcs7(newlines)), "newlines"), "unproven", "so under two paddings")
    zeros = MP4["mediamuxer"] + box(b"free", b"\x01" * 7 + b"\0")
    add("end_of_zeros", payload(key, ecb(zeros + bytes(-len(zeros) % 16)), "zeros behind"), "unproven", "zero bytes, and nothing shows")

    prose = b"order passed; the user looked into the camera and said 4711.\n"
    add("text_and_iv_in_front", payload(key, iv + cbc(key, iv, pkcs7(prose)), "prose"), "unproven", "the IV in front")
    add("text_and_iv_of_the_key", payload(key, cbc(key, key[:16], pkcs7(prose)), "prose key"), "unproven", "the beginning of the key")

    for name, head in {"skip": box(b"skip", stream.take(8)), "wide": box(b"wide", b"")}.items():
        old = head + box(b"mdat", stream.take(300)) + movie(name)
        add(f"old_movie_{name}", payload(key, cbc(key, CALLER_IV, pkcs7(old)), name), "unproven", "nothing known here shows",
            "no known encoder writes such a beginning", iv=IV_TEXT, among=CALLER_IV.hex(), likeliest="yes")
        add(f"old_movie_{name}_iv_in_front", payload(key, iv + cbc(key, iv, pkcs7(old)), name), "unproven", "nothing known here shows",
            "no known encoder writes such a beginning")

    zipped = gzip.compress(stream.take(2000), mtime=0)
    add("gzip_in_ecb", payload(key, ecb(pkcs7(zipped)), "gzip ecb"), "unproven", "a gzip file under AES-256-ECB", "PKCS#7 padding")
    cut = media("photo.jpg")[:-40]
    add("cut_jpeg_in_ecb", payload(key, ecb(pkcs7(cut)), "jpeg ecb"), "unproven", "under AES-256-ECB", "look at the video on the phone")
    add("bare_gzip_in_ecb", payload(key, ecb(zipped.ljust(2048, b"\x55")), "bare gzip"), "padding",
        "under AES-256-CBC, the IV all zeros, or AES-256-ECB")
    counter = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    add("unknown_content_in_ctr", payload(key, iv + counter.update(stream.take(900)), "unknown"), "cipher",
        "of a kind that is not known here")
    # As CFB makes it: the first block of CTR, and then noise.
    counter = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    add("first_block_of_ctr", payload(key, iv + counter.update(VIDEO[:16]) + stream.take(900), "cfb"), "unproven",
        "CFB and OFB agree", "on the phone")
    return cases


def under_another_iv() -> dict[str, bytes]:
    """CBC whose content is complete, and whose IV is nearly the one that is tried: nothing is likely."""
    cases: dict[str, bytes] = {}
    contents = {
        "iphone": (MP4["iphone"], "no known encoder writes such a beginning"),
        "quicktime": (MP4["quicktime"], "no known encoder writes such a beginning"),
        "json": (b'{"name":"a value","list":[1,2,3,4,5,6,7,8]}', "a file like this (JSON)"),
        "text": (b"a text of some length; " * 4, "a file like this (plain text)"),
        "jpeg": (media("photo.jpg"), "a file like this (a JPEG picture)"),
    }
    key = Stream("another iv").take(32)
    for kind, (content, says) in contents.items():
        # In each, byte 16 of what comes out differs in one bit.
        field = fields(Profile(None, mode="cbc", iv="field"), content, label=kind)
        iv = bytearray(base64.b64decode(field["Iv"]))
        iv[15] ^= 1
        documents = {
            "counts": (payload(key, cbc(key, bytes(15) + b"\x01", pkcs7(content)), kind), None),
            "is_mistyped": (fields(WBFACE, content, label=kind), IV_TEXT[:15] + "g"),
            "is_short": (fields(WBFACE, content, label=kind, caller_iv=b"0123456789ab\0\0\0\x01"), "0123456789ab"),
            "has_a_flipped_bit_in_its_field": ({**field, "Iv": text(bytes(iv), "base64")}, None),
        }
        for name, (document, given) in documents.items():
            cases[f"iv_{name}_{kind}"] = case(document, expect="unproven", says=says, key="rsa2048.pem", iv=given)
    return cases


def gcm(key: bytes, nonce: bytes, plaintext: bytes, aad: Optional[bytes] = None) -> tuple[bytes, bytes]:
    both = AESGCM(key).encrypt(nonce, plaintext, aad)
    return both[:-16], both[-16:]


def named() -> dict[str, bytes]:
    """Layouts that few senders have, formats that are not opened, and fields that took each other's place."""
    cases: dict[str, bytes] = {}

    def add(
        name: str, document, expect: str, says: str, denies: Optional[str] = None, key: str = "rsa2048.pem",
        repair: Optional[str] = None,
    ) -> None:
        cases[name] = case(document, expect=expect, says=says, denies=denies, key=key, repair=repair)

    stream = Stream("named")
    key, nonce, iv = stream.take(32), stream.take(12), stream.take(16)
    sealed, tag = gcm(key, nonce, VIDEO)
    padded = pkcs7(VIDEO)
    add("layout_tag_before_ciphertext", payload(key, nonce + tag + sealed, "tag in front"), "opens found",
        "its tag before the ciphertext")
    # A short key and an IV behind it, in one block.
    block = Stream("short key and iv").take(26)
    add("layout_short_key_and_iv_in_the_block",
        payload(block, cbc(block[:10] + bytes(6), block[10:], pkcs7(VIDEO)), "short key and iv"), "opens found",
        "with an IV after it padded with zero bytes")
    # A text may be cut to a nonce: the tag proves it.
    cases["layout_nonce_cut_from_the_given_text"] = case(
        fields(Profile(None, iv="caller"), VIDEO, label="cut nonce", caller_iv=CALLER_IV), expect="opens found",
        says="the IV as given, cut or padded to the needed length", key="rsa2048.pem", iv=IV_TEXT)
    bound = b"".join(gcm(key, nonce, VIDEO, ORDER.encode()))
    add("layout_aad_is_the_order_number", payload(key, nonce + bound, "order"), "opens found", "an MP4 video")
    add("layout_nonce_of_zeros", payload(key, b"".join(gcm(key, bytes(12), VIDEO)), "zeros"), "opens found", "all zeros")
    others = {f"A{i}": text(stream.take(16), "base64") for i in range(6)}
    add("layout_tag_among_many_fields", payload(key, nonce + sealed, "many", **others, Tag=text(tag, "base64")),
        "opens found", "an MP4 video")
    add("layout_key_and_iv_in_the_block", payload(key + iv, cbc(key, iv, padded), "both"), "opens found",
        "wrapped with the key, after it")
    add("layout_iv_field_in_hex", payload(key, cbc(key, iv, padded), "hex field", iv=iv.hex()), "opens found",
        "the IV in iv, which is written in hex")
    add("layout_iv_field_as_text", payload(key, cbc(key, CALLER_IV, padded), "text field", aesIV=IV_TEXT), "opens found",
        "the IV in aesIV, whose characters are its bytes")
    add("layout_not_padded", payload(key, iv + cbc(key, iv, VIDEO[:-2]), "bare blocks"), "padding",
        "padded in another way, or not at all")
    whole = ftyp(b"isom", 0x200, b"isom", b"iso2", b"avc1", b"mp41") + movie("whole")
    whole += box(b"mdat", bytes(16 - (len(whole) + 8) % 16))
    add("layout_whole_blocks_without_padding", payload(key, iv + cbc(key, iv, whole), "whole blocks"), "opens found",
        "this content needed no padding")

    inner = gzip.compress(VIDEO, mtime=0)
    add("inside_gzip", payload(key, nonce + b"".join(gcm(key, nonce, inner)), "gzip"), "opens found", "gzip -d")
    gzipped = pkcs7(inner)
    add("inside_gzip_without_a_tag", payload(key, iv + cbc(key, iv, gzipped), "gzip cbc"), "unproven", "likely a gzip file")
    member = json.dumps({"type": "mp4", "data": text(VIDEO, "base64")}).encode()
    add("inside_json_member", payload(key, nonce + b"".join(gcm(key, nonce, member)), "json"), "opens found",
        "JSON with base64 of an MP4 video in it")
    add("inside_cut_video", payload(key, iv + cbc(key, iv, VIDEO[:1999] + b"\x01"), "cut inside"), "unproven",
        "it does not end where such a file does, though its padding is right")
    add("layout_mac_behind_the_iv", payload(key, iv + stream.take(32) + cbc(key, iv, padded), "php manual"), "layout",
        "the first 16 bytes, with 32 others behind it")
    add("layout_salt_before_the_iv", payload(key, stream.take(16) + iv + cbc(key, iv, padded), "salt first"), "layout",
        "the 16 bytes behind the first 16")

    add("format_salted", payload(key, b"Salted__" + stream.take(8 + 3104), "salted"), "format", "Salted__")
    cms = bytes.fromhex("308206000609 2a864886f70d010703".replace(" ", "")) + stream.take(1500)
    add("format_cms", payload(key, cms, "cms"), "format", "a CMS message")
    fernet = base64.urlsafe_b64encode(b"\x80" + (1_770_000_000).to_bytes(8, "big") + stream.take(16 + 3104 + 32)).decode()
    add("format_fernet", {**payload(key, b"", "fernet"), "userVideoString": fernet,
        "videoEncryptAESKey": base64.urlsafe_b64encode(by_hand.pkcs1_v15_wrap(key, "rsa2048.pem", stream)).decode()},
        "format", "a Fernet token")
    add("format_fernet_encoded_once_more",
        {**payload(key, b"", "fernet"), "userVideoString": text(fernet.encode(), "base64")},
        "format", "a Fernet token that was encoded once more", "encoded twice")
    token = base64.urlsafe_b64decode(fernet)
    add("format_fernet_in_standard_base64", payload(key, token, "fernet bytes"), "format", "a Fernet token")
    laravel = json.dumps({"iv": text(iv, "base64"), "value": text(cbc(key, iv, padded), "base64"), "mac": "0" * 64},
        separators=(",", ":")).encode()
    add("format_laravel", payload(key, laravel, "laravel"), "format", "as Laravel's Crypt writes it")
    jwe = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (
        b'{"alg":"RSA-OAEP","enc":"A256GCM"}', stream.take(256), nonce, sealed, tag))
    add("format_jwe", {**payload(key, b"", "jwe"), "userVideoString": jwe}, "format", "a JWE in compact form")
    add("format_iv_colon_hex", {**payload(key, b"", "colon"), "userVideoString": f"{iv.hex()}:{cbc(key, iv, padded).hex()}"},
        "format", "two parts with a colon")
    add("format_iv_tag_colon_hex",
        {**payload(key, b"", "colons"), "userVideoString": f"{nonce.hex()}:{tag.hex()}:{sealed.hex()}"},
        "format", "three parts with colons")
    for name, content, behind in ("short", padded[:320], iv), ("long", padded, base64.b64encode(iv)):
        php = base64.b64encode(cbc(key, iv, content)) + b"::" + behind
        add(f"format_php_colons_{name}", payload(key, php, f"php {name}"), "format", "two colons and an IV", "encoded twice")
    block = by_hand.oaep_wrap(key, "rsa2048.pem", stream)
    hybrid = {"orderNo": ORDER, "userVideoString": text(block + sealed + tag, "base64")}
    add("format_apple_hybrid", hybrid, "format", "an RSA block for")
    blocks = b"".join(by_hand.pkcs1_v15_wrap(VIDEO[i : i + 245], "rsa2048.pem", stream) for i in range(0, len(VIDEO), 245))
    add("format_rsa_block_by_block", {"orderNo": ORDER, "userVideoString": text(blocks, "base64")}, "format",
        "RSA block by block")

    add("plain_data_uri", {"orderNo": ORDER, "userVideoString": "data:video/mp4;base64," + text(VIDEO, "base64")},
        "not-sealed", "a data URI of an MP4 video", "data URI, not bare base64")
    add("plain_beside_a_key", {**payload(key, b"", "plain"), "userVideoString": text(VIDEO, "base64")},
        "not-sealed", "an MP4 video as it stands")
    result = {"isSuccess": True, "orderNo": ORDER, "simpleModeResult": fields(JAVA, VIDEO, label="wrapped")}
    wrappers = {
        "uni_app": {"scene": "verify", "res": result},
        "flutter": {"code": 200, "message": "ok", "verifyResult": result},
        "list": [result], "deep": {"a": [{"b": {"c": result["simpleModeResult"]}}]},
        "text": json.dumps(result), "member_text": {"code": "0", "result": json.dumps(result)},
        "text_twice": {"data": json.dumps({"res": json.dumps(result)})},
    }
    for name, document in wrappers.items():
        add(f"wrapper_{name}", document, "payload", "the payload is nested inside")
        add(f"wrapper_{name}_repaired", document, "opens java-default", "wrapper, because", repair="wrapper")
    add("wrapper_two_payloads", {"a": result, "b": result}, "payload", "neither userVideoString nor identifyStr")
    add("plain_jpeg_beside_a_key", {**payload(key, b"", "plain jpeg"), "userVideoString": text(media("photo.jpg"), "base64")},
        "not-sealed", "a JPEG picture as it stands")
    good = fields(JAVA, VIDEO, label="swapped")
    add("swapped_fields", {"orderNo": ORDER, "videoEncryptAESKey": good["userVideoString"],
        "userVideoString": good["videoEncryptAESKey"]}, "swapped", "userVideoString unwraps")
    vendor = fields(JAVA, b'{"score":"90"}', "other3072.pem", "vendor pair")
    add("swapped_keys", {**good, "videoEncryptAESKey": vendor["videoEncryptAESKey"],
        "encryptAESKey": good["videoEncryptAESKey"], "identifyStr": vendor["userVideoString"]}, "swapped",
        "encryptAESKey unwraps")
    add("vendor_key_in_the_place_of_the_video_key", {**good, "videoEncryptAESKey": vendor["videoEncryptAESKey"],
        "encryptAESKey": vendor["videoEncryptAESKey"], "identifyStr": vendor["userVideoString"]}, "swapped",
        "both are the same", key="rsa2048.pem")
    return cases


def around() -> dict[str, bytes]:
    """Other bytes before or behind the ciphertext, and a beginning that was lost: no IV is accused, and nothing that
    lacks its beginning is complete."""
    cases: dict[str, bytes] = {}

    def add(
        name: str, content: bytes, expect: str, says: str, denies: Optional[str] = None, iv: Optional[str] = None,
        wrapped: Optional[bytes] = None,
    ) -> None:
        needs = "wrapped-key" if wrapped and expect.startswith("opens") else None
        cases[f"around_{name}"] = case(
            payload(wrapped or key, content, name), expect=expect, says=says, denies=denies, key="rsa2048.pem", iv=iv,
            needs=needs)

    stream = Stream("around")
    key, iv = stream.take(32), stream.take(16)
    zeros = bytes(16)

    def ctr(counter: bytes, content: bytes) -> bytes:
        encryptor = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()
        return encryptor.update(content) + encryptor.finalize()

    def ecb(content: bytes) -> bytes:
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        return encryptor.update(content) + encryptor.finalize()

    padded = pkcs7(VIDEO)
    sealed = cbc(key, CALLER_IV, padded)
    for count in (4, 20, 32, 64):
        add(f"{count}_bytes_in_front", stream.take(count) + sealed, "layout",
            f"the IV as given, the ciphertext behind the first {count} bytes, and the content is complete", "is not the one",
            IV_TEXT)
    add("mac_before_an_iv_of_zeros", stream.take(32) + cbc(key, zeros, padded), "layout",
        "the IV all zeros, the ciphertext behind the first 32 bytes")
    add("mac_before_ecb", stream.take(32) + ecb(padded), "layout", "AES-256-ECB, the ciphertext behind the first 32 bytes")
    for count in (1, 8, 12, 16):
        add(f"{count}_bytes_before_ctr", stream.take(count) + ctr(CALLER_IV, VIDEO), "layout",
            f"the IV as given, the ciphertext behind the first {'byte' if count == 1 else f'{count} bytes'}", "is not the one",
            IV_TEXT)
    add("iv_in_hex_in_front", iv.hex().encode() + cbc(key, iv, padded), "layout",
        "the first 32 bytes, which are its hexadecimal digits")
    add("mac_and_no_iv", stream.take(32) + cbc(key, iv, padded), "iv", "something stands before the ciphertext", "complete")
    for place in (0, 16, 31):
        changed = bytearray(iv + cbc(key, iv, padded))
        changed[place] ^= 1
        add(f"byte_{place}_changed", bytes(changed), "iv", "the first block was changed", "complete")
    changed = bytearray(iv + cbc(key, iv, pkcs7(MP4["mediamuxer"])))
    changed[32] ^= 1
    add("second_block_changed", bytes(changed), "unproven", "it does not end where such a file does", "complete")
    add("ecb_without_its_beginning", ecb(padded)[32:], "unproven", "nothing known here shows whether", "complete")
    add("cbc_without_its_beginning", (iv + cbc(key, iv, padded))[32:], "unproven", "nothing known here shows whether", "complete")
    add("counter_without_its_beginning", ctr(zeros[:15] + b"\1", VIDEO)[32:], "unproven", "nothing known here shows whether",
        "complete")
    add("two_colons_and_the_iv", cbc(key, iv, padded) + b"::" + iv, "layout", "the last 16 bytes, behind two colons")
    add("mac_key_in_the_block", iv + cbc(key, iv, padded) + stream.take(32), "layout", "as many as an HMAC has", "not used",
        wrapped=key + stream.take(32))
    nonce = stream.take(8)
    add("iv_before_the_key", cbc(key, iv, padded), "opens found", "the 16 before them the IV", "nothing else", wrapped=iv + key)
    add("nonce_before_the_key", b"".join(gcm(key, iv[:12], VIDEO)), "opens found", "the 12 before them the IV",
        wrapped=iv[:12] + key)
    # What shows no end is not complete.
    prose = b"a text of some length, of which nothing is known but that it is one; " * 4
    add("cut_text_in_ctr", nonce + ctr(nonce + bytes(8), prose)[:-20], "layout", "does not show whether it is complete",
        "the content is complete")
    add("cut_text_in_gcm", nonce + iv[:4] + ctr(nonce + iv[:4] + b"\0\0\0\2", prose)[:-20], "tag", "the tag does not verify",
        "structurally complete")
    # Kinds that are not examined, where no profile has the IV.
    webm = bytes.fromhex("1a45dfa39f4286810142f7810142f2810442f381084282847765626d") + stream.take(1500)
    add("webm_under_a_nonce", nonce + ctr(nonce + bytes(8), webm), "layout", "openssl enc -d -aes-256-ctr")
    add("webm_before_its_iv", cbc(key, iv, pkcs7(webm)) + iv, "layout", "openssl enc -d -aes-256-cbc")
    add("webm_behind_a_mac", stream.take(32) + iv + cbc(key, iv, pkcs7(webm)), "layout", "openssl enc -d -aes-256-cbc")
    # Paddings that no profile has.
    count = 16 - len(VIDEO) % 16
    for name, padding in {
        "ansi_x923": bytes(count - 1) + bytes([count]), "iso_7816_4": b"\x80" + bytes(count - 1),
        "iso_10126": stream.take(count - 1) + bytes([count]),
    }.items():
        add(name, iv + cbc(key, iv, VIDEO + padding), "padding", f"head -c -{count} COPY", "in another way, or not at all")
    changed = bytearray(iv + cbc(key, iv, padded))
    changed[-20] ^= 1
    add("padding_changed", bytes(changed), "padding", "does not end in PKCS#7 padding", "ISO 10126")
    add("key_of_zeros", iv + cbc(key, iv, padded), "cipher", "was never filled", wrapped=bytes(32))
    return cases


def wrapped_otherwise() -> dict[str, bytes]:
    """Keys that the sender's code wrapped as a text, cut, derived, or in a changed block."""
    cases: dict[str, bytes] = {}
    stream = Stream("wrapped otherwise")
    # With a byte above 7F in front, and a zero byte inside.
    key, iv = b"\x9c\0" + stream.take(30), stream.take(16)
    letters = b"correct horse"

    def add(
        name: str, content: bytes, block: Optional[bytes], says: str, expect: str = "opens found",
        denies: Optional[str] = None, wrapped: Optional[str] = None, **others: str,
    ) -> None:
        document = payload(block if block is not None else key, content, f"otherwise {name}", **others)
        if wrapped is not None:
            document["videoEncryptAESKey"] = wrapped
        cases[f"wrapped_{name}"] = case(
            document, expect=expect, says=says, denies=denies, key="rsa2048.pem",
            needs="wrapped-key" if expect.startswith("opens") else None)

    sealed = iv + cbc(key, iv, pkcs7(VIDEO))
    plain = base64.b64encode(key).decode()
    signed = [byte - 256 if byte > 127 else byte for byte in key]
    words = [int.from_bytes(key[i : i + 4], "big", signed=True) for i in range(0, 32, 4)]
    texts = {
        "list": (json.dumps(list(key)), "a list of bytes"),
        "list_without_brackets": (",".join(map(str, key)), "a list of bytes"),
        "signed_list": (str(signed), "Arrays.toString"),
        "quoted": (f'"{plain}"', "base64 in quotation marks"),
        "single_quoted": (f"'{plain}'", "base64 in quotation marks"),
        "curly_quoted": (f"\u201c{plain}\u201d", "base64 in quotation marks"),
        "line_feed": (plain + "\n", "base64 with the line feed at the end"),
        "line_break": (plain + "\r\n", "base64 with the line break at the end"),
        "zero_byte": (plain + "\0", "base64 with the zero byte at the end"),
        "byte_order_mark": ("\ufeff" + plain, "the byte-order mark in front"),
        "blanks": (f" {plain} ", "white space"),
        "url_safe": (base64.urlsafe_b64encode(key).decode().rstrip("="), "base64"),
        "twice": (base64.b64encode(plain.encode()).decode(), "base64 of base64"),
        "base32": (base64.b32encode(key).decode(), "base32"),
        "0x": ("0x" + key.hex(), "in front"),
        "colons": (key.hex(":").upper(), "in pairs"),
        "hyphens": (key.hex("-").upper(), "in pairs"),
        "buffer": (f"<Buffer {key.hex(' ')}>", "a printed Buffer of Node"),
        "buffer_in_json": (json.dumps({"type": "Buffer", "data": list(key)}), "JSON of a Buffer"),
        "word_array": (json.dumps({"words": words, "sigBytes": 32}), "WordArray"),
        "typed_array": (f"Uint8Array(32) [{', '.join(map(str, key))}]", "decimal numbers"),
        "nsdata": (f"{{length = 32, bytes = 0x{key.hex()}}}", "NSData"),
        "nsdata_of_old": ("<" + " ".join(key.hex()[i : i + 8] for i in range(0, 64, 8)) + ">", "NSData"),
        "optional": (f'Optional("{plain}")', "base64"),
        "assignment": (f"key={plain}", "name=value"),
        "json": (json.dumps({"key": plain}), "JSON, with the key as base64"),
        "json_of_gson": (json.dumps({"key": plain}).replace("=", "\\u003d"), "JSON, with the key as"),
        "xml": (f"<key>{plain}</key>", "XML"),
        "python": (repr(key), "as Python prints them"),
        "python_base64": (repr(plain.encode()), "as Python prints"),
        "json_escapes": (json.dumps(key.decode("latin-1")), "in the escapes of a string"),
        "percent": ("".join(f"%{byte:02X}" for byte in key), "URL-encoded"),
        "data_uri": ("data:application/octet-stream;base64," + plain, "a data URI"),
        "number": (str(int.from_bytes(key, "big")), "a number in decimal digits"),
        "negative_number": (str(int.from_bytes(key, "big", signed=True)), "a negative one"),
    }
    for name, (written, says) in texts.items():
        add(name, sealed, written.encode(), says, denies="padded with zero bytes")
    others = {
        "utf16": (plain.encode("utf-16-le"), "UTF-16 of base64"),
        "utf16_of_hex": (key.hex().encode("utf-16-be"), "UTF-16 (big-endian, without a byte-order mark) of hex"),
        "utf16_of_bytes": (key.decode("latin-1").encode("utf-16-le"), "every second of them is zero"),
        "latin1": (key.decode("latin-1").encode(), "taken for Latin-1"),
        "zero_behind": (key + b"\0", "the zero byte at the end"),
        "sign_byte": (b"\0" + key, "the sign of a number"),
        "reversed": (key[::-1], "in reverse order"),
        "octet_string": (b"\x04\x20" + key, "their last 32"),
    }
    for name, (block, says) in others.items():
        add(name, sealed, block, says)
    add("quoted_under_a_tag", iv[:12] + b"".join(gcm(key, iv[:12], VIDEO)), f'"{plain}"'.encode(), "base64 in quotation marks")
    small = b"\0" + key[1:]
    add("zero_dropped", iv + cbc(small, iv, pkcs7(VIDEO)), small[1:].lstrip(b"\0"), "the zeros in front")

    # What is lost, and what was never a key.
    lost = {
        "lossy": (key.decode("utf-8", "replace").encode(), "became U+FFFD"),
        "question_marks": (bytes(byte if byte < 128 else 0x3F for byte in key), "became question marks"),
        "object": (b"[object Object]", "an object of JavaScript"),
        "undefined": (b"undefined", "a word for nothing"),
        "null": (b"null", "a word for nothing"),
        "java_array": (b"[B@6d06d69c", "a Java array"),
        "path": (b"/data/user/0/com.x/files/aes.key", "the path of a file"),
        "address": (b"https://example.com/key?id=3", "an address"),
        "uuid": (b"550e8400-e29b-41d4-a716-446655440000", "a number or a UUID"),
        "nothing": (b"", "0 bytes were wrapped"),
        "digits": ("".join(map(str, key)).encode(), "printed in digits"),
    }
    for name, (block, says) in lost.items():
        add(name, sealed, block, says, "key-form", "SM4")
    # People make up such keys, too, so that it is one possibility.
    add("seven_bits", sealed, bytes(byte & 0x7F for byte in key), "since none is above 7F", "cipher", "SM4")
    add("passphrase", sealed, letters, "perhaps a passphrase", "key-form", "padded with zero bytes")
    add("passphrase_as_long_as_a_key", sealed, b"correct horse 16", "it is a passphrase", "cipher", "SM4")

    # Cut, filled and derived.
    hexed = key.hex().encode()
    derived = {
        "sha256": (letters, hashlib.sha256(letters).digest(), "the SHA-256 of them"),
        "md5": (letters, hashlib.md5(letters).digest(), "the MD5 of them"),
        "md5_in_hex": (letters, hashlib.md5(letters).hexdigest().encode(), "the MD5 in hexadecimal digits"),
        "md5_middle": (letters, hashlib.md5(letters).hexdigest()[8:24].encode(), "in the middle of the MD5"),
        "sha1": (letters, hashlib.sha1(letters).digest()[:16], "the SHA-1 of them"),
        "sha1prng": (letters, hashlib.sha1(hashlib.sha1(letters).digest()).digest()[:16], "SHA1PRNG"),
        "sha512": (letters, hashlib.sha512(letters).digest()[:32], "the SHA-512 of them"),
        "sha256_of_16": (b"correct horse 16", hashlib.sha256(b"correct horse 16").digest(), "the SHA-256 of them"),
        "sha256_of_bytes": (key, hashlib.sha256(key).digest(), "the SHA-256 of them"),
        "sha256_of_hex": (hexed, hashlib.sha256(key).digest(), "what they stand for as hex"),
        "cut_to_32": (hexed, hexed[:32], "their first 32"),
        "cut_to_16": (letters + b" 017", (letters + b" 017")[:16], "their first 16"),
        "tail": (hexed, hexed[-32:], "their last 32"),
        "raw_cut": (key, key[:16], "their first 16"),
        "filled_with_0": (letters, letters + b"000", "filled with the digit 0"),
        "repeated": (letters, (letters * 3)[:32], "repeated up to 32"),
    }
    for name, (block, derivation, says) in derived.items():
        add(f"derived_{name}", iv + cbc(derivation, iv, pkcs7(VIDEO)), block, says)
    chain = hashlib.md5(letters).digest()
    while len(chain) < 48:
        chain += hashlib.md5(chain[-16:] + letters).digest()
    add("derived_without_salt", cbc(chain[:32], chain[32:48], pkcs7(VIDEO)), letters, "Node's createCipher")
    salt = stream.take(8)
    for digest in "md5", "sha256":
        chain = last = b""
        while len(chain) < 48:
            last = hashlib.new(digest, last + letters + salt).digest()
            chain += last
        add(f"salted_{digest}", b"Salted__" + salt + cbc(chain[:32], chain[32:48], pkcs7(VIDEO)), letters,
            "the wrapped key is the passphrase: with", "format")
    add("salted_otherwise", b"Salted__" + salt + stream.take(3120), letters, "derived by PBKDF2", "format", "SM4")

    # The block as a number, and several.
    block = None
    for number in range(10_000):
        block = by_hand.pkcs1_v15_wrap(key, "rsa2048.pem", Stream(f"leading zero {number}"))
        if block[0] == 0:
            break
    assert block is not None and block[0] == 0
    full = by_hand.pkcs1_v15_wrap(key, "rsa2048.pem", stream)
    while full[0] < 128:
        full = by_hand.pkcs1_v15_wrap(key, "rsa2048.pem", stream)
    halves = [by_hand.pkcs1_v15_wrap(part, "rsa2048.pem", stream) for part in (key[:16], key[16:])]

    def b64(data: bytes) -> str:
        return base64.b64encode(data).decode()

    blocks = {
        "without_a_zero": (b64(block[1:]), "with a zero byte in front"),
        "without_a_zero_in_hex": (block[1:].hex(), "with a zero byte in front"),
        "with_a_sign": (b64(b"\0" + full), "the sign of a number"),
        "with_zeros": (b64(bytes(256) + full), "256 zero bytes stand before"),
        "with_a_line_feed": (b64(full + b"\n"), "a line feed follows"),
        "with_a_header": (b64(b"\x04\x82\x01\x00" + full), "4 bytes stand before"),
        "with_more": (b64(full + iv), "16 bytes follow"),
        "in_digits": (str(int.from_bytes(full, "big")), "a number in decimal digits"),
        "in_negative_digits": (str(int.from_bytes(full, "big", signed=True)), "a negative one"),
        "in_hex_digits": (hex(int.from_bytes(full, "big")), "a number in hexadecimal digits"),
        "in_hex_digits_of_python_2": (hex(int.from_bytes(full, "big")) + "L", "a number in hexadecimal digits"),
        "in_a_list": (json.dumps(list(full)), "written as a list of bytes"),
        "in_quotation_marks": (json.dumps(b64(full)), "written as base64 in quotation marks"),
        "in_two": (b64(halves[0] + halves[1]), "2 RSA blocks"),
        "in_two_texts": (b64(halves[0]) + b64(halves[1]), "2 texts in a row"),
        "in_two_texts_with_a_comma": (b64(halves[0]) + "," + b64(halves[1]), "2 texts in a row"),
        "in_two_in_hex": ((halves[0] + halves[1]).hex(), "2 RSA blocks"),
    }
    for name, (written, says) in blocks.items():
        add(f"block_{name}", sealed, None, says, denies="cut off", wrapped=written)
    grouped = f"{int.from_bytes(full, 'big'):,}"
    more = {
        "in_digits_in_a_line": (str(int.from_bytes(full, "big")) + "\n", "a number in decimal digits"),
        "in_quoted_digits": (f'"{int.from_bytes(full, "big")}"', "a number in decimal digits"),
        "in_grouped_digits": (grouped, "a number in decimal digits"),
        "reversed_without_a_zero": (b64(block[:0:-1]), "in reverse order"),
        "reversed_with_a_sign": (b64(full[::-1] + b"\0"), "in reverse order"),
    }
    for name, (written, says) in more.items():
        add(f"block_{name}", sealed, None, says, denies="cut off", wrapped=written)
    while full.count(b"\n") != 1 or b"\r" in full:
        full = by_hand.pkcs1_v15_wrap(key, "rsa2048.pem", stream)
    add("block_written_as_text", sealed, None, "a carriage return stands before", denies="another key", wrapped=b64(full.replace(b"\n", b"\r\n")))
    add("block_of_question_marks", sealed, None, "became question marks", "not-sealed", "another key",
        wrapped=b64(bytes(byte if byte < 128 else 63 for byte in full)))
    add("block_never_wrapped", sealed, None, "likely never wrapped", "wrapping", "cut off", wrapped=b64(key))
    oaep = by_hand.oaep_wrap(key[:16], "rsa2048.pem", stream) + by_hand.oaep_wrap(key[16:], "rsa2048.pem", stream)
    add("block_in_two_of_oaep", sealed, None, "2 RSA blocks", wrapped=b64(oaep))
    add("block_of_200", sealed, None, "it was cut off", "cut-off", wrapped=b64(full[:200]))
    add("block_without_its_end", sealed, None, "a byte at its end was lost", "key-size", "cut off", wrapped=b64(full[:255]))
    add("block_too_long", sealed, None, "no part of it unwraps", "wrapping", "cut off", wrapped=b64(stream.take(260)))
    add("block_of_another_size", sealed, None, "RSA-4096", "key-size", "cut off", wrapped=b64(stream.take(512)))
    first, second = halves
    while first[0] < 128:
        first = by_hand.pkcs1_v15_wrap(key[:16], "rsa2048.pem", stream)
    while second[0] != 0:
        second = by_hand.pkcs1_v15_wrap(key[16:], "rsa2048.pem", stream)
    zero = first
    while zero[0] != 0:
        zero = by_hand.pkcs1_v15_wrap(key[:16], "rsa2048.pem", stream)
    length = b"\0\0\1\0"
    uneven = {
        "second_without_a_zero": (b64(first + second[1:]), "block 2 of them lost a zero byte"),
        "first_without_a_zero": (b64(zero[1:] + halves[1]), "block 1 of them lost a zero byte"),
        "first_without_a_zero_in_hex": ((zero[1:] + halves[1]).hex(), "block 1 of them lost a zero byte"),
        "second_text_without_a_zero": (b64(first) + b64(second[1:]), "2 texts in a row"),
        "first_with_a_sign": (b64(b"\0" + first + halves[1]), "a zero byte before them in all"),
        "each_with_a_sign": (b64(b"\0" + first + b"\0" + halves[1]), "2 zero bytes before them in all"),
        "each_with_its_length": (b64(length + first + length + halves[1]), "4 bytes before each"),
        "each_with_a_short_length": (b64(b"\1\0" + first + b"\1\0" + halves[1]), "2 bytes before each"),
    }
    for name, (written, says) in uneven.items():
        add(f"block_in_two_{name}", sealed, None, says, denies="stand before the block", wrapped=written)
    return cases


def counted() -> dict[str, bytes]:
    """CTR from other counters, and with nonces in other places."""
    cases: dict[str, bytes] = {}
    stream = Stream("counted")
    key, iv = stream.take(32), stream.take(16)
    nonce = iv[:8]

    def ctr(start: bytes, content: bytes = VIDEO, key: bytes = key) -> bytes:
        encryptor = Cipher(algorithms.AES(key), modes.CTR(start)).encryptor()
        return encryptor.update(content) + encryptor.finalize()

    def little(start: bytes, place: int) -> bytes:
        out = b""
        for number in range(0, len(VIDEO), 16):
            block = bytearray(start)
            block[place:] = (int.from_bytes(start[place:], "little") + number // 16).to_bytes(16 - place, "little")
            out += ctr(bytes(block), VIDEO[number : number + 16])
        return out

    def add(
        name: str, content: bytes, says: str, expect: str = "opens found", key: bytes = key, iv: Optional[str] = None,
        denied: str = "SM4", **others: str,
    ) -> None:
        cases[f"ctr_{name}"] = case(
            payload(key, content, f"ctr {name}", **others), expect=expect, says=says, denies=denied, key="rsa2048.pem", iv=iv)

    def one(count: int, start: int = 1) -> bytes:
        return start.to_bytes(count, "big")

    add("from_1", ctr(one(16)), "a counter from 1")
    add("from_5", ctr(one(16, 5)), "a counter from 5")
    add("from_256", ctr(one(16, 256)), "a counter block")
    add("from_a_little_1", ctr(b"\1" + bytes(15)), "a little-endian counter from 1")
    add("from_1_in_128", ctr(one(16), key=key[:16]), "AES-128-CTR", key=key[:16])
    add("from_1_of_a_photo", ctr(one(16), media("photo.jpg")), "a JPEG picture")
    add("from_1_of_json", ctr(one(16), json.dumps({"a": "b" * 500}).encode()), "JSON")
    add("from_1_of_text", ctr(one(16), b"a text of some length. " * 20), "plain text")
    for count in 8, 12:
        for start in 0, 1:
            add(f"nonce_of_{count}_and_{start}", iv[:count] + ctr(iv[:count] + one(16 - count, start)),
                f"the first {count} bytes and a counter from {start}", "layout")
            add(f"field_of_{count}_and_{start}", ctr(iv[:count] + one(16 - count, start)),
                f"a counter from {start}", iv=None, Nonce=text(iv[:count], "base64"))
    add("of_gcm_without_a_tag", iv[:12] + ctr(iv[:12] + one(4, 2)), "what AES-GCM makes, without the tag", "layout")
    add("given_nonce", ctr(nonce + one(8)), "the given nonce and a counter from 1", iv=nonce.hex())
    add("iv_behind", ctr(iv) + iv, "the last 16 bytes", "layout")
    sealed = ctr(iv[:12] + one(4, 2)) + stream.take(16)
    add("from_1000", ctr(one(16, 1000)), "worked out from how the content begins")
    add("of_an_unknown_nonce", ctr(stream.take(16)), "worked out from how the content begins")
    add("of_an_unknown_nonce_and_a_photo", ctr(stream.take(16), media("photo.jpg")), "a JPEG picture")
    add("nonce_of_8_and_5", nonce + ctr(nonce + one(8, 5)), "without its first 8 bytes", "layout")
    add("of_gcm_with_its_nonce_behind", sealed + iv[:12], "with its nonce and its tag at the end", "layout")
    add("of_gcm_with_its_nonce_before_the_tag", sealed[:-16] + iv[:12] + sealed[-16:], "12 bytes before the last 16", "layout")
    add("of_gcm_with_a_nonce_of_8", nonce + ctr(stream.take(16)) + stream.take(16), "may be a tag of AES-GCM", "layout")
    add("of_noise", iv + stream.take(1_000), "sealed under another key", "cipher", denied="worked out")
    add("iv_behind_cbc", cbc(key, iv, pkcs7(VIDEO)) + iv, "AES-256-CBC, the IV made of the last 16 bytes", "layout")
    add("little_endian", iv + little(iv, 0), "goes up in byte 0", "layout")
    add("little_endian_nonce", nonce + little(nonce + bytes(8), 8), "goes up in byte 8", "layout")
    for count in 8, 9, 13, 15, 20, 32:
        other = stream.take(count)
        add(f"not_but_gcm_with_a_nonce_of_{count}", other + b"".join(gcm(key, other, VIDEO)), "AES-256-GCM", denied="CTR")
    return cases


def reported() -> dict[str, bytes]:
    """What was named falsely: pieces of several RSA blocks, texts joined to others, escapes, codes after a ciphertext."""
    cases: dict[str, bytes] = {}
    stream = Stream("reported")
    key, iv = stream.take(32), stream.take(16)
    sealed = iv + cbc(key, iv, pkcs7(VIDEO))

    def b64(data: bytes) -> str:
        return base64.b64encode(data).decode()

    def add(name: str, expect: str, says: str, denies: Optional[str], block: Optional[bytes] = None, content: bytes = sealed, **fields_: str) -> None:
        document = payload(key if block is None else block, content, f"reported {name}") | fields_
        cases[f"reported_{name}"] = case(document, expect=expect, says=says, denies=denies, key="rsa2048.pem",
            needs="wrapped-key" if expect == "opens found" and (block is not None or "videoEncryptAESKey" in fields_) else None)

    # Several RSA blocks, of which something is missing.
    blocks = [by_hand.pkcs1_v15_wrap(key[i : i + 8], "rsa2048.pem", stream) for i in range(0, 32, 8)]
    whole = b"".join(blocks)
    wrapped = {
        "blocks_without_the_end": (whole[:-56], "3 RSA blocks of 256 bytes in a row, each of which unwraps, and 200 bytes after them"),
        "blocks_without_the_beginning": (whole[40:], "and 216 bytes before them"),
        "blocks_without_one": (whole[256:], "a block is missing"),
        "blocks_with_a_changed_one": (blocks[0] + stream.take(256) + blocks[2] + blocks[3], "which do not unwrap, or not all of them"),
    }
    for name, (data, says) in wrapped.items():
        add(name, "key-form", says, "another key", videoEncryptAESKey=b64(data))
    add("texts_without_the_end", "key-form", "the last of which is shorter than an RSA block", "join the bytes",
        videoEncryptAESKey="".join(map(b64, blocks[:3])) + b64(blocks[3][:200]))
    add("eleven_blocks", "opens found", "11 RSA blocks", "another key",
        videoEncryptAESKey=b64(b"".join(by_hand.pkcs1_v15_wrap(key[i : i + 3], "rsa2048.pem", stream) for i in range(0, 32, 3))))
    pieces = b"".join(by_hand.pkcs1_v15_wrap(VIDEO[i : i + 245], "rsa2048.pem", stream) for i in range(0, len(VIDEO), 245))
    add("content_in_blocks", "format", "block by block", "Apple", content=pieces)
    add("content_in_blocks_without_the_end", "format", "ends in 156 of the 256 bytes of one", "Apple", content=pieces[:-100])
    add("content_of_zeros", "not-sealed", "nothing but zero bytes", "RSA block", content=bytes(3_000))

    # What stands in the RSA block.
    digits = key.hex()
    inside = {
        "json_in_json": (json.dumps({"data": json.dumps({"key": digits})}), "JSON, with the key as hex"),
        "plus_lost": (base64.b64encode(b"\xfb\xef\xbe" + key[3:]).decode().replace("+", " "), "every + became a blank"),
        "casts": ("new byte[] { " + ", ".join(f"(byte){byte}" for byte in key) + " }", "printed as decimal numbers"),
        "order_before_digits": ("ord1" + digits, "with the key as hex in it"),
        "order_after_digits": (digits + "ord1", "with other text before"),
        "sentence": (f"the key is {digits} ok", "with other text before"),
    }
    for name, (written, says) in inside.items():
        data = written.encode()
        if len(data) <= 245:
            made = b"\xfb\xef\xbe" + key[3:] if name == "plus_lost" else key
            add(name, "opens found", says, "padded with zero bytes", block=data, content=iv + cbc(made, iv, pkcs7(VIDEO)))
    add("lost_in_utf16", "key-form", "became U+FFFD (in UTF-16)", "cut one", block=key.decode("utf-8", "replace").encode("utf-16-le"))
    add("blank_key", "key-form", "nothing but white space", "passphrase", block=b" ")
    letters = b"correct horse"
    for name, made in (("echo", hashlib.sha256(letters + b"\n").digest()),):
        add(name, "opens found", "with a line feed after it", "padded with zero bytes", block=letters, content=iv + cbc(made, iv, pkcs7(VIDEO)))
    uuid = "550e8400-e29b-41d4-a716-446655440000"
    add("uuid_without_dashes", "opens found", "with the key's characters in it", "SM4", block=uuid.encode(),
        content=iv + cbc(uuid.replace("-", "").encode(), iv, pkcs7(VIDEO)))

    # Texts in place of base64.
    texts = {
        "digits_after_a_word": ("video" + sealed.hex(), "text", "hexadecimal digits with", "cut off"),
        "digits_before_a_word": (sealed.hex() + "end", "text", "hexadecimal digits with", "cut off"),
        "bytes_in_code": ("{" + ", ".join(f"(byte)0x{byte:02x}" for byte in sealed) + "}", "text", "in the source of a program", "cut off"),
        "ascii85": (base64.a85encode(sealed).decode(), "text", "is not base64", "URL-encoded"),
        "label_and_colon": ("video:" + sealed.hex(), "text", "hexadecimal digits with", "likely the IV"),
        "iv_and_bar": (b64(iv) + "|" + b64(sealed[16:]), "format", "likely the IV and the ciphertext", "cut off"),
        "iv_alone": (b64(iv) + ":", "format", "the second of which is empty", "likely the IV and the ciphertext"),
        "without_an_iv": (":" + b64(sealed[16:]), "format", "the first of which is empty", "likely the IV and the ciphertext"),
        "entities": (b64(sealed).replace("+", "&#43;"), "text", "HTML", "cut off"),
        "wide_plus": (b64(sealed).replace("+", "\uff0b"), "text", "full-width characters", "cut off"),
        "blank_in_front": (" " + b64(sealed), "text", "a space, which base64 does not have", "URL decoder"),
        "comma_behind": (b64(sealed) + ",", "text", "with ',' behind it", "cut off"),
        "chinese": ("\u7528\u6237\u53d6\u6d88", "text", "plain text", "cut off"),
        "blocks_in_lines": ("\n".join(b64(pieces[i : i + 256]) for i in range(0, len(pieces), 256)), "text", "as long as an RSA block", "cut off"),
    }
    for name, (written, expect, says, denies) in texts.items():
        add(name, expect, says, denies, userVideoString=written)

    # A code behind a ciphertext of CTR.
    encryptor = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    counted_ = iv + encryptor.update(VIDEO) + encryptor.finalize()
    add("ctr_and_mac", "layout", "followed by 32 bytes, as many as an HMAC has", "CFB", content=counted_ + hmac.new(key, counted_, "sha256").digest())
    return cases


def wrong_tags() -> dict[str, bytes]:
    """AES-GCM whose content or tag was changed, wherever nonce and tag are: it is no CTR without a tag."""
    cases: dict[str, bytes] = {}
    stream = Stream("wrong tags")
    key, nonce = stream.take(32), stream.take(12)
    sealed, tag = gcm(key, nonce, VIDEO)
    changed = bytearray(sealed)
    changed[-40] ^= 1
    bad = bytes(changed)

    def add(
        name: str, content: bytes, says: str, expect: str = "tag", wrapped: Optional[bytes] = None,
        iv: Optional[str] = None, needs: Optional[str] = None, **others: str,
    ) -> None:
        cases[f"wrong_tag_{name}"] = case(
            payload(wrapped or key, content, f"wrong tag {name}", **others), expect=expect, says=says,
            denies="no tag to prove", key="rsa2048.pem", iv=iv, needs=needs)

    fails = "does not verify, though the content is structurally complete"
    for name, field, written in (
        ("tag", "tag", text(tag, "base64")), ("authTag_in_hex", "authTag", tag.hex()), ("mac", "mac", text(tag, "base64")),
    ):
        add(f"in_{name}", bad, f"the tag in {field} {fails}", nonce=text(nonce, "base64"), **{field: written})
    add("beside_a_nonce_in_hex", bad, f"the tag in tag {fails}", n=nonce.hex(), tag=tag.hex())
    add("beside_a_given_nonce", bad, f"the tag in tag {fails}", iv=nonce.hex(), tag=text(tag, "base64"))
    add("beside_no_nonce", bad, f"the tag in tag {fails}", tag=text(tag, "base64"))
    add("beside_a_wrapped_nonce", bad, f"the tag in tag {fails}", wrapped=key + nonce, tag=text(tag, "base64"))
    add("behind_a_nonce_in_front", nonce + bad, f"the tag in tag {fails}", tag=text(tag, "base64"))
    bound, other = gcm(key, nonce, VIDEO, b"something else")
    add("covers_something_else", bound, "the tag also covers something else", nonce=text(nonce, "base64"), tag=text(other, "base64"))
    add("of_12_bytes", sealed, "the one in tag, which is not verified", "layout", nonce=text(nonce, "base64"), tag=text(tag[:12], "base64"))
    add("before_its_nonce", bad + tag + nonce, "and its tag at the end, which is not verified", "layout")
    add("without_its_nonce", bad + tag, "with its tag at the end, which is not verified", "layout")
    add("not_if_it_proves_the_nonce", sealed, "AES-256-GCM, the IV hex:", "opens found", tag=text(tag, "base64"))
    return cases


def encoded_inside() -> dict[str, bytes]:
    """Base64 that is sealed in another alphabet than the standard one, and base32: no IV is accused, and nothing is cut."""
    cases: dict[str, bytes] = {}
    stream = Stream("encoded inside")
    key, iv = stream.take(32), stream.take(16)

    def add(name: str, content: bytes, expect: str, says: str, denies: str = "the IV is a different one", iv: Optional[str] = None) -> None:
        cases[f"inside_{name}"] = case(
            payload(key, content, f"inside {name}"), expect=expect, says=says, denies=denies, key="rsa2048.pem", iv=iv)

    ecb = Cipher(algorithms.AES(key), modes.ECB())
    video = VIDEO + box(b"free", b"\1\1")
    safe, photo = base64.urlsafe_b64encode(video), base64.urlsafe_b64encode(media("photo.jpg"))
    named_ = "base64 text, URL-safe or unpadded, of an MP4 video"
    for name, plain in (("url_safe", safe), ("url_safe_unpadded", safe.rstrip(b"=")), ("unpadded", base64.b64encode(video).rstrip(b"="))):
        add(f"{name}_in_cbc", iv + cbc(key, iv, pkcs7(plain)), "opens found", named_)
        add(f"{name}_under_a_given_iv", cbc(key, CALLER_IV, pkcs7(plain)), "opens found", named_, iv=IV_TEXT)
        add(f"{name}_in_gcm", iv[:12] + b"".join(gcm(key, iv[:12], plain)), "opens found", "base64.b64decode", "more: base64 -d")
    encryptor = ecb.encryptor()
    add("url_safe_photo_in_ecb", encryptor.update(pkcs7(photo)), "opens found", "base64 text, URL-safe or unpadded, of a JPEG picture", "cut or changed")
    add("url_safe_data_uri", iv + cbc(key, iv, pkcs7(b"data:video/mp4;base64," + safe)), "opens found", "tr -- '-_' '+/'", "cut or changed")
    add("base32", iv[:12] + b"".join(gcm(key, iv[:12], base64.b32encode(video))), "opens found", "base32 of an MP4 video", "plain text")
    return cases


def lost_and_padded() -> dict[str, bytes]:
    """Characters that were dropped where the length does not show it, padding of many bytes, and padding twice."""
    cases: dict[str, bytes] = {}
    stream = Stream("lost and padded")
    key, iv = stream.take(32), stream.take(16)

    def add(name: str, document, expect: str, says: str, denies: Optional[str] = None, iv: Optional[str] = None) -> None:
        cases[f"lost_{name}"] = case(document, expect=expect, says=says, denies=denies, key="rsa2048.pem", iv=iv)

    sealed = iv + cbc(key, iv, pkcs7(VIDEO))
    for lost in "+/":
        for count in range(1, 9):
            while True:
                block = by_hand.pkcs1_v15_wrap(key, "rsa2048.pem", stream)
                if text(block, "base64").count(lost) == count:
                    break
            document = payload(key, sealed, f"lost {lost} {count}", block)
            document["videoEncryptAESKey"] = document["videoEncryptAESKey"].replace(lost, "")
            add(f"{'plus' if lost == '+' else 'slash'}_{count}", document, "text", f"every '{lost}' was dropped", "'=' too often")
    for rest in range(4):
        while True:
            content = stream.take(16)
            content += cbc(key, content, pkcs7(VIDEO))
            if text(content, "base64").count("+") % 4 == rest:
                break
        document = payload(key, content, f"lost of the video {rest}")
        document["userVideoString"] = document["userVideoString"].replace("+", "")
        add(f"plus_of_the_video_{rest}", document, "text", "every '+' was dropped", "SM4")

    add("long_noise_well_padded", payload(key, iv + cbc(key, iv, pkcs7(stream.take(4_995))), "long noise"), "format",
        "the key fits, since 13 bytes of padding are right", "one in 256")
    packed = zlib.compress(stream.take(9_000))
    packed = packed[:len(packed) - len(packed) % 16 + 3]
    add("long_zlib", payload(key, iv + cbc(key, iv, pkcs7(packed)), "long zlib"), "format", "the key fits, since 13 bytes of padding")
    short = stream.take(5_005)
    add("long_noise_of_three", payload(key, cbc(key, iv, pkcs7(short)), "three"), "unproven", "for one in 256^3 wrong guesses")
    add("padded_twice", payload(key, iv + cbc(key, iv, pkcs7(pkcs7(VIDEO))), "twice"), "padding", "was padded twice", "HMAC")
    respelled = cbc(key, b"0123456789ABCDEF", pkcs7(VIDEO))
    cases["lost_case_of_the_iv"] = case(
        payload(key, respelled, "respelled"), expect="unproven", says="no known encoder", key="rsa2048.pem", iv="0123456789abcdef",
        among=b"0123456789ABCDEF".hex(), likeliest="yes")
    digits = payload(key, sealed, "digits")
    digits["videoEncryptAESKey"] = base64.b64decode(digits["videoEncryptAESKey"]).hex().encode().hex()
    add("key_in_digits_twice", digits, "encoded-twice", "was encoded twice", "does not fit")
    return cases


def read_otherwise() -> dict[str, bytes]:
    """Nonces, tags, names and numbers of characters that are not the usual ones."""
    cases: dict[str, bytes] = {}
    stream = Stream("read otherwise")
    key, iv = stream.take(32), stream.take(16)

    def add(name: str, document, expect: str, says: str, denies: Optional[str] = None) -> None:
        cases[f"otherwise_{name}"] = case(document, expect=expect, says=says, denies=denies, key="rsa2048.pem")

    def sealed(nonce: bytes, aad: bytes = b"") -> tuple[bytes, bytes]:
        both = Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()
        both.authenticate_additional_data(aad)
        return both.update(VIDEO) + both.finalize(), both.tag

    for count in 8, 13, 16, 20, 32, 64, 128:
        nonce = (iv * 8)[:count]
        content, tag = sealed(nonce)
        add(f"nonce_of_{count}", payload(key, content, f"nonce {count}", nonce=text(nonce, "hex"), tag=text(tag, "base64")),
            "opens found", f"AES-256-GCM with a nonce of {count} bytes", "CTR")
    content, tag = sealed(iv)
    forms = {"list": lambda data: str(list(data)), "data_uri": lambda data: "data:;base64," + text(data, "base64"),
        "quoted": lambda data: f'"{text(data, "base64")}"'}
    for name, form in forms.items():
        add(f"tag_as_{name}", payload(key, content, f"tag {name}", initVector=form(iv), authTag=form(tag)), "layout",
            "proven by its tag, which authTag holds as", "CTR")
    inner = payload(key, content, "outside")
    outer = {"orderNo": inner.pop("orderNo"), "simpleModeResult": inner, "iv": text(iv, "base64")}
    add("tag_outside", outer | {"tag": text(tag, "base64")}, "layout", "which tag holds outside simpleModeResult", "CTR")
    outer["simpleModeResult"] = inner | {"tag": text(tag, "base64")}
    add("iv_outside", outer, "opens found", "which iv holds outside simpleModeResult", "CTR")
    add("iv_missing", payload(key, content, "iv missing", tag=text(tag, "base64")), "opens found", "AES-GCM makes such a counter block")
    content, tag = sealed(iv, b"12345678901234567890")
    rounded = payload(key, content, "rounded", iv=text(iv, "base64"), tag=text(tag, "base64")) | {"orderNo": "12345678901234567000"}
    add("order_rounded", rounded, "tag", "perhaps rounded: it has 20 digits, and ends in 3 zeros")

    good = payload(key, iv + cbc(key, iv, pkcs7(VIDEO)), "names")
    names = {
        "snake": ("order_no", "video_encrypt_aes_key", "user_video_string"), "pascal": ("OrderNo", "VideoEncryptAESKey", "UserVideoString"),
        "letters": ("order_no", "video_encrypt_a_e_s_key", "user_video_string"), "capitals": ("ORDERNO", "VIDEOENCRYPTAESKEY", "USERVIDEOSTRING"),
        "kebab": ("order-no", "video-encrypt-aes-key", "user-video-string"), "lower": ("orderno", "videoencryptaeskey", "uservideostring"),
        "camel": ("orderNo", "videoEncryptAesKey", "userVideoString"),
    }
    for name, (order, wrapped, video) in names.items():
        document = {order: good["orderNo"], wrapped: good["videoEncryptAESKey"], video: good["userVideoString"]}
        add(f"names_in_{name}", document, "payload", f"{wrapped} for videoEncryptAESKey", "do not trust")
    document = {"user_video_string": good["userVideoString"], "video_encrypt_aes_key": good["videoEncryptAESKey"]}
    add("names_in_an_envelope", {"data": document}, "payload", "user_video_string for userVideoString", "neither")
    add("two_names_of_a_field", good | {"user_video_string": good["userVideoString"]}, "payload", "in snake_case", "for userVideoString")

    for name, place in ("start", 0), ("middle", 171):
        for sign in "A", "-":
            spoilt = good["videoEncryptAESKey"][:place] + sign + good["videoEncryptAESKey"][place:]
            add(f"count_{name}_{'letter' if sign == 'A' else 'hyphen'}", good | {"videoEncryptAESKey": spoilt}, "text",
                "has 345 characters, and base64 that ends in '=' has a multiple of 4", "too often")
    for name, spoilt, says in (
        ("lost", good["videoEncryptAESKey"][1:], "has 343 characters, and base64"),
        ("behind", good["videoEncryptAESKey"] + "A", "has a character behind the end of base64, from byte 344 on"),
        ("sign_inside", good["videoEncryptAESKey"][:172] + "=" + good["videoEncryptAESKey"][172:], "has '=' before byte 173"),
    ):
        add(f"count_{name}", good | {"videoEncryptAESKey": spoilt}, "text", says, "joined")

    members = {"protected": "eyJlbmMiOiJBMjU2R0NNIn0", "iv": urlsafe(iv), "tag": urlsafe(tag), "ciphertext": urlsafe(content)}
    flattened = members | {"encrypted_key": urlsafe(stream.take(256))}
    general = {"recipients": [{"header": {"alg": "RSA-OAEP"}, "encrypted_key": urlsafe(stream.take(256))}]} | members
    for name, jwe in ("flattened", flattened), ("general", general):
        add(f"jwe_{name}", jwe, "format", "the payload is a JWE in JSON form")
        add(f"jwe_{name}_as_text", good | {"userVideoString": json.dumps(jwe)}, "text", "userVideoString is a JWE in JSON form")
        add(f"jwe_{name}_in_base64", good | {"userVideoString": text(json.dumps(jwe).encode(), "base64")}, "format", "is a JWE in JSON form")
        add(f"jwe_{name}_as_object", good | {"userVideoString": jwe}, "format", "there is a JWE in JSON form")
    for name, age, says in (
        ("private", "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX", "a private key of age"),
        ("public", "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj", "a public key of age"),
    ):
        add(f"age_{name}", good | {"videoEncryptAESKey": age}, "text", says, "hexadecimal")
        add(f"age_{name}_in_base64", good | {"userVideoString": text(age.encode(), "base64")}, "not-sealed", says, "encoded twice")
    return cases


def urlsafe(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
