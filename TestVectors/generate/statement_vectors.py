# SPDX-License-Identifier: Apache-2.0
"""The vectors of canonical JSON and of statements: what reads, and what breaks one rule of FORMATS.md §4."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any, Optional

import statement
from evidence_v1 import Refused
from kit import once
from rsa_by_hand import Stream
from statement import (
    MAX_SIZE,
    MAX_TEXT_BYTES,
    NAMES,
    RISKS,
    Fields,
    canonical,
    quoted,
    statement_fields,
    write_statement,
)

Test = dict[str, Any]

# --- Canonical JSON ---------------------------------------------------------------------------

# RFC 8785 §3.2.2 and §3.2.4: the member "string" of its example, as read and as the RFC prints it in hexadecimal.
RFC_STRING = {"string": '\u20ac$\u000f\nA\'B"\\\\"/'}
RFC_STRING_HEX = (
    "7b 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 "  # {"string":"...
    "5c 5c 5c 5c 5c 22 2f 22 7d"
)
# RFC 8785 §3.2.3, in the order that it prints.
RFC_ORDER = [
    ("\r", "Carriage Return"),
    ("1", "One"),
    ("\x80", "Control"),
    ("\u00f6", "Latin Small Letter O With Diaeresis"),
    ("\u20ac", "Euro Sign"),
    ("\U0001f600", "Emoji: Grinning Face"),
    ("\ufb33", "Hebrew Letter Dalet With Dagesh"),
]


def by_json_module(value: Any) -> bytes:
    """The same canonical form, by code that is not ours but for the order."""

    def sort(item: Any) -> Any:
        if not isinstance(item, dict):
            return item
        return {name: sort(item[name]) for name in sorted(item, key=lambda name: name.encode("utf-16-be"))}

    return json.dumps(sort(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def canonical_tests() -> list[Test]:
    tests: list[Test] = []

    def test(comment: str, value: Any, published: Optional[bytes] = None) -> None:
        data = canonical(value)
        assert data == by_json_module(value) and json.loads(data) == value, comment
        assert published in (None, data), comment
        tests.append({"comment": comment, "value": value, "canonical": data.hex()})

    test("RFC 8785 §3.2.2 to §3.2.4: the string of its example", RFC_STRING, bytes.fromhex(RFC_STRING_HEX))
    printed = "{" + ",".join(f'{quoted(name)}:"{value}"' for name, value in RFC_ORDER) + "}"
    unordered = dict(sorted(RFC_ORDER, key=lambda pair: pair[1]))
    test("RFC 8785 §3.2.3: the order of names", unordered, printed.encode("utf-8"))

    test("an empty object", {})
    test("an empty string under an empty name", {"": ""})
    test("an object in an object, both to be sorted", {"b": {"d": "2", "c": "1"}, "a": {}})
    for number in (0, 1, 9, 10, 2**31, 2**32, 2**53 - 1):
        test(f"the integer {number}", {"n": number})
    for code in range(0x20):
        test(f"U+{code:04X} alone, in a name and a value", {chr(code): chr(code)})
    everything = "".join(map(chr, range(0x20)))
    test("every control character in one string", {"text": everything})
    test("quotation mark, backslash and slash", {'"\\/': '\\"/'})
    test("what looks like an escape and is text", {"text": "\\u0041 \\n \\/"})
    for code in (0x7F, 0x80, 0x9F, 0xA0, 0xAD, 0x2028, 0x2029, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFF):
        test(f"U+{code:04X} stands as it is", {"text": f"a{chr(code)}b"})
    for code in (0x10000, 0x1F600, 0x10FFFF):
        test(f"U+{code:04X} stands as it is", {chr(code): chr(code)})
    test("composed, not normalised", {"name": "\u00e9 \u1e69 \uac00"})
    test("decomposed, not normalised", {"name": "e\u0301 s\u0323\u0307 \u1100\u1161"})
    test("decomposed, marks in an order that normalising would change", {"name": "s\u0307\u0323"})
    test("characters with a singleton decomposition stand", {"name": "\u212b \u2126 \uf900"})
    test(
        "letters of right-to-left scripts and joiners",
        {"name": "\u05d0\u200f\u0627\u200d\U0001f468\u200d\U0001f469"},
    )
    test("U+10000 comes before U+E000 in UTF-16, after it in UTF-8", {"\ue000": "2", "\U00010000": "1"})
    test("U+10FFFF comes before U+FFFF", {"\uffff": "2", "\U0010ffff": "1"})
    test("U+D7FF comes before a surrogate pair", {"\U00010000": "2", "\ud7ff": "1"})
    test("a second code unit decides", {"\U00010001": "2", "\U00010000": "1", "\U00010400": "3"})
    test("the difference after a common beginning", {"a\uff5e": "2", "a\U0001f600": "1"})
    test("a name before a longer one that begins with it", {"ab": "2", "a": "1", "": "0", "a\x00": "1.5"})
    test("letter case: upper before lower", {"b": "3", "B": "1", "a": "2", "A": "0"})
    test("digits are ordered as text", {"10": "2", "9": "3", "1": "1"})
    test("names are ordered by their characters, not by their escapes", {'"': "2", "\n": "0", "#": "3", "!": "1"})
    test("a name's escape does not count", {"\\": "1", "]": "2", "[": "0", "\x7f": "3"})
    test("inner names by UTF-16 too", {"o": {"\ue000": 1, "\U0001f600": 0}})
    return tests


# --- Statements -------------------------------------------------------------------------------

NONCE = "0123456789abcdefghijABCDEFGHIJ01"
MOMENT = "2026-11-21T08:30:00.000Z"
MINIMAL = statement_fields("A1", "IDAXXXXX", "u-1", MOMENT, NONCE, b"abc")
PHOTO_FIELDS = {"imageSHA256": hashlib.sha256(b"photo").hexdigest(), "imageSize": 5}
RISK = {"deviceInfoLevel": "1", "deviceInfoTag": "01_03", "riskInfoLevel": "2", "riskInfoTag": "05"}
FULL = {**MINIMAL, **PHOTO_FIELDS, "liveRate": "99.1", "similarity": "96.30", "riskInfo": RISK}
LONGEST = 49661  # bytes, of the longest statement that keeps all the rules but that on its length
# The example of FORMATS.md §4, as it is printed there.
PRINTED = (
    b'{"appId":"IDAXXXXX","capturedAt":"2026-11-21T08:30:00.000Z","nonce":"0123456789abcdefghijABCDEFGHIJ01",'
    b'"orderNo":"A1","userId":"u-1","version":"1.0.0",'
    b'"videoSHA256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","videoSize":3}'
)


def lenient(data: bytes) -> Optional[Fields]:
    """What a reader finds that does not care for canonical form; None where that is not JSON."""
    try:
        value = json.loads(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


class Statements:
    def __init__(self) -> None:
        self.tests: list[Test] = []

    def add(self, comment: str, data: bytes, fields: Optional[Fields]) -> None:
        try:
            found: Optional[Fields] = statement.read_statement(data)
        except Refused as refusal:
            assert refusal.layer == "statement"
            found = None
        assert found == fields, comment
        assert all(test["bytes"] != data.hex() for test in self.tests), f"twice: {comment}"
        test: Test = {"comment": comment, "bytes": data.hex(), "expect": "success" if fields else "statement"}
        if fields:
            test["fields"] = fields
        self.tests.append(test)

    def good(self, comment: str, fields: Fields) -> None:
        self.add(comment, write_statement(fields), fields)

    def spelling(self, comment: str, data: bytes) -> None:
        """Says what a statement may say, but not in its one spelling."""
        fields = lenient(data)
        assert fields and write_statement(fields) != data, comment
        self.add(comment, data, None)

    def value(self, comment: str, fields: Fields) -> None:
        """In canonical form, but not what a statement may say."""
        self.add(comment, canonical(fields), None)

    def malformed(self, comment: str, data: bytes) -> None:
        self.add(comment, data, None)

    def with_json(self, comment: str, name: str, text: bytes, base: Fields = FULL) -> None:
        """One value in place of another, as JSON, since canonical form has none for it."""
        old = canonical({name: base[name]})[1:-1]
        self.malformed(comment, once(canonical(base), old, quoted(name).encode() + b":" + text))


def without(fields: Fields, *names: str) -> Fields:
    return {name: value for name, value in fields.items() if name not in names}


def good_statements(make: Statements) -> None:
    assert write_statement(MINIMAL) == PRINTED
    make.good("minimal: the example of FORMATS.md §4", MINIMAL)
    make.good("full", FULL)
    make.good("with a photo", {**MINIMAL, **PHOTO_FIELDS})
    make.good("scores alone", {**MINIMAL, "liveRate": "99.1", "similarity": "96.30"})
    make.good("liveRate alone", {**MINIMAL, "liveRate": "99.1"})
    make.good("similarity alone", {**MINIMAL, "similarity": "96.30"})
    for name in RISKS:
        make.good(f"riskInfo of {name} alone", {**MINIMAL, "riskInfo": {name: "1"}})
    make.good("riskInfo of three", {**MINIMAL, "riskInfo": without(RISK, "deviceInfoTag")})
    make.good("empty scores", {**MINIMAL, "liveRate": "", "similarity": ""})
    make.good("empty risks", {**MINIMAL, "riskInfo": {name: "" for name in RISKS}})
    make.good("a score that is no number", {**MINIMAL, "liveRate": "\u5206\u6570\u4e3a\u7a7a"})
    make.good("scores with escapes", {**MINIMAL, "liveRate": '"\\/\n', "similarity": "\x1f\x7f"})

    for name, text in [
        ("of 1 byte", "x"),
        ("of 1,024 bytes", "x" * 1024),
        ("of 1,024 bytes in 256 characters", "\U0001f600" * 256),
        ("of 1,024 bytes in 342 characters", "\u4e2d" * 341 + "x"),
        ("with every control character", "".join(map(chr, range(0x20)))),
        ("U+0000", "\x00"),
        ("a blank", " "),
        ("quotation mark, backslash, slash", '"\\/'),
        ("U+007F", "\x7f"),
        ("U+0085, U+2028 and U+2029, which some take for line ends", "\x85\u2028\u2029"),
        ("Chinese", "\u5f20\u4e09"),
        ("composed", "\u00e9"),
        ("decomposed", "e\u0301"),
        ("a byte-order mark", "\ufeff"),
        ("a noncharacter", "\uffff"),
        ("U+E000", "\ue000"),
        ("the last character there is", "\U0010ffff"),
        ("a family", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("right to left", "\u202e\u05d0\u0628"),
    ]:
        make.good(f"userId: {name}", {**MINIMAL, "userId": text})
    stream = Stream("any Unicode in userId")
    for number in range(8):
        codes = (int.from_bytes(stream.take(3), "big") % 0x110000 for _ in range(60))
        text = "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)
        make.good(f"userId: random characters, {number}", {**MINIMAL, "userId": text})
    make.good("appId of 1 byte", {**MINIMAL, "appId": "a"})
    make.good("appId of 1,024 bytes", {**MINIMAL, "appId": "\u00e9" * 512})
    make.good(
        "a score and a risk of 1,024 bytes",
        {**MINIMAL, "liveRate": "9" * 1024, "riskInfo": {"riskInfoTag": "1" * 1024}},
    )
    longest = {**FULL, "orderNo": "1" * 32, "videoSize": MAX_SIZE, "imageSize": MAX_SIZE}
    longest |= {name: "\x01" * MAX_TEXT_BYTES for name in ("appId", "userId", "liveRate", "similarity")}
    longest["riskInfo"] = {name: "\x01" * MAX_TEXT_BYTES for name in RISKS}
    assert len(canonical(longest)) == LONGEST
    make.good(f"the longest there can be: {LONGEST:,} bytes", longest)

    for size in (0, 1, 2**32, 2**53 - 1):
        make.good(f"videoSize {size}", {**MINIMAL, "videoSize": size})
        make.good(f"imageSize {size}", {**MINIMAL, **PHOTO_FIELDS, "imageSize": size})
    make.good("orderNo of 32 characters", {**MINIMAL, "orderNo": "abcdefghijklmnopqrstuvwxyzABCDEF"})
    make.good("orderNo of 1 digit", {**MINIMAL, "orderNo": "0"})
    make.good("nonce of digits alone", {**MINIMAL, "nonce": "0" * 32})
    for text, comment in [
        ("0001-01-01T00:00:00.000Z", "the first moment"),
        ("9999-12-31T23:59:59.999Z", "the last moment"),
        ("2024-02-29T12:00:00.000Z", "a leap day"),
        ("2000-02-29T12:00:00.000Z", "a leap day, the year is a multiple of 400"),
        ("0004-02-29T00:00:00.000Z", "a leap day, the Gregorian calendar taken back to year 1"),
        (
            "1582-10-10T00:00:00.000Z",
            "a day that was left out when the calendar changed: it counts back, so it exists",
        ),
        ("2026-01-31T23:59:59.001Z", "one millisecond"),
    ]:
        make.good(f"capturedAt: {comment}", {**MINIMAL, "capturedAt": text})


def spellings(make: Statements) -> None:
    full = canonical(FULL)
    make.spelling("a blank before the object", b" " + full)
    make.spelling("a blank after the object", full + b" ")
    make.spelling("a line feed at the end", full + b"\n")
    make.spelling("a carriage return and a line feed at the end", full + b"\r\n")
    make.spelling("a blank after a colon", once(full, b'"appId":', b'"appId": '))
    make.spelling("a blank after a comma", once(full, b',"capturedAt"', b', "capturedAt"'))
    make.spelling("a blank after the opening brace", b"{ " + full[1:])
    make.spelling("a tab before the closing brace", full[:-1] + b"\t}")
    make.spelling("white space inside riskInfo", once(full, b'"riskInfo":{', b'"riskInfo":{ '))
    make.spelling("indented", json.dumps(FULL, indent=1, sort_keys=True).encode())
    turned = json.dumps(dict(sorted(FULL.items(), reverse=True)), separators=(",", ":")).encode()
    make.spelling("names from last to first", turned)
    pair = once(once(full, b'"similarity":"96.30",', b""), b'"riskInfo"', b'"similarity":"96.30","riskInfo"')
    make.spelling("two names exchanged", pair)
    risks = once(
        full, b'"deviceInfoLevel":"1","deviceInfoTag":"01_03"', b'"deviceInfoTag":"01_03","deviceInfoLevel":"1"'
    )
    make.spelling("two names exchanged inside riskInfo", risks)
    size, digest = b'"videoSize":3', canonical({"videoSHA256": FULL["videoSHA256"]})[1:-1]
    make.spelling("videoSize before videoSHA256", once(full, digest + b"," + size, size + b"," + digest))
    for comment, old, new in [
        ("a letter escaped in a value", b'"u-1"', b'"\\u0075-1"'),
        ("a letter escaped in a name", b'"userId"', b'"\\u0075serId"'),
        ("a letter escaped in a name inside riskInfo", b'"riskInfoTag"', b'"\\u0072iskInfoTag"'),
        ("a letter escaped in the order", b'"A1"', b'"\\u00411"'),
        ("a digit escaped in a digest", b'"ba7816', b'"\\u0062a7816'),
        ("a letter escaped in the moment", b"T08", b"\\u005408"),
        ("a letter escaped in the nonce", b'"0123', b'"\\u0030123'),
        ("the version escaped", b'"1.0.0"', b'"1\\u002e0.0"'),
    ]:
        make.spelling(comment, once(full, old, new))
    for comment, text, spelt in [
        ("slash escaped", "a/b", b"a\\/b"),
        ("slash as \\u002f", "a/b", b"a\\u002fb"),
        ("quotation mark as \\u0022", 'a"b', b"a\\u0022b"),
        ("backslash as \\u005c", "a\\b", b"a\\u005cb"),
        ("line feed as \\u000a", "a\nb", b"a\\u000ab"),
        ("tab as \\u0009", "a\tb", b"a\\u0009b"),
        ("carriage return as \\u000d", "a\rb", b"a\\u000db"),
        ("form feed as \\u000c", "a\fb", b"a\\u000cb"),
        ("backspace as \\u0008", "a\bb", b"a\\u0008b"),
        ("\\u001F in upper case", "a\x1fb", b"a\\u001Fb"),
        ("\\u000B in upper case", "a\x0bb", b"a\\u000Bb"),
        ("U+007F escaped", "a\x7fb", b"a\\u007fb"),
        ("U+00E9 escaped", "\u00e9", b"\\u00e9"),
        ("U+2028 escaped", "\u2028", b"\\u2028"),
        ("U+1F600 as two escapes", "\U0001f600", b"\\ud83d\\ude00"),
    ]:
        data = canonical({**MINIMAL, "userId": text})
        make.spelling(comment, once(data, quoted(text).encode("utf-8"), b'"' + spelt + b'"'))
    make.spelling("a name twice, with one value", once(full, b'"userId":"u-1"', b'"userId":"u-1","userId":"u-1"'))
    make.spelling("a name twice, with two values", once(full, b'"userId":"u-1"', b'"userId":"u-2","userId":"u-1"'))
    make.spelling(
        "a name twice, once escaped", once(full, b'"userId":"u-1"', b'"userId":"u-1","\\u0075serId":"u-1"')
    )
    risk = b'"riskInfoTag":"05"'
    make.spelling("a name twice inside riskInfo", once(full, risk, risk + b"," + risk))
    make.spelling("minus zero", once(canonical({**MINIMAL, "videoSize": 0}), b":0}", b":-0}"))


def wrong_values(make: Statements) -> None:
    for name in statement.REQUIRED:
        make.value(f"{name} is missing", without(FULL, name))
    make.value("no name at all", {})
    make.value("imageSHA256 without imageSize", without(FULL, "imageSize"))
    make.value("imageSize without imageSHA256", without(FULL, "imageSHA256"))
    make.value("an unknown name", {**FULL, "extra": "1"})
    make.value("an unknown name, empty", {**FULL, "": ""})
    make.value("a known name in another letter case", {**FULL, "userID": "u-1"})
    make.value("a known name with a look-alike letter", {**FULL, "us\u0435rId": "u-1"})
    make.value("a name of riskInfo outside it", {**MINIMAL, "riskInfoLevel": "1"})
    make.value("an unknown name in riskInfo", {**FULL, "riskInfo": {**RISK, "extra": "1"}})
    make.value("an unknown name alone in riskInfo", {**FULL, "riskInfo": {"level": "1"}})
    make.value("riskInfo is empty", {**FULL, "riskInfo": {}})
    make.value("riskInfo is a string", {**FULL, "riskInfo": "1"})
    make.value("a risk is a number", {**FULL, "riskInfo": {**RISK, "riskInfoLevel": 2}})
    make.value("a risk is an object", {**FULL, "riskInfo": {**RISK, "riskInfoLevel": {}}})
    for name in sorted(NAMES):
        make.with_json(f"{name} is null", name, b"null")
    make.with_json("a list for riskInfo", "riskInfo", b'["1"]')
    make.with_json("null inside riskInfo", "riskInfo", b'{"riskInfoLevel":null}')
    make.with_json("true for a text", "userId", b"true")
    make.with_json("a list for a text", "userId", b'["u-1"]')
    make.value("a number for a text", {**FULL, "userId": 1})
    make.value("a number for the order", {**FULL, "orderNo": 1})
    make.value("an object for a text", {**FULL, "appId": {}})
    make.value("a number for a score", {**FULL, "liveRate": 99})
    make.with_json("a fraction for a score", "similarity", b"96.30")

    make.value("userId is empty", {**FULL, "userId": ""})
    make.value("appId is empty", {**FULL, "appId": ""})
    for name in ("userId", "appId", "liveRate", "similarity"):
        make.value(f"{name} of 1,025 bytes", {**FULL, name: "x" * 1025})
    make.value("userId of 1,025 bytes in 342 characters", {**FULL, "userId": "\u4e2d" * 341 + "xx"})
    for name in RISKS:
        make.value(f"{name} of 1,025 bytes", {**FULL, "riskInfo": {**RISK, name: "x" * 1025}})

    for name in ("imageSHA256", "videoSHA256"):
        digest = FULL[name]
        make.value(f"{name} in upper case", {**FULL, name: digest.upper()})
        make.value(f"{name}: one digit in upper case", {**FULL, name: digest[:-1] + "A"})
        make.value(f"{name} of 63 digits", {**FULL, name: digest[:-1]})
        make.value(f"{name} of 65 digits", {**FULL, name: digest + "0"})
        make.value(f"{name} is empty", {**FULL, name: ""})
        make.value(f"{name} with a letter that is no digit", {**FULL, name: "g" + digest[1:]})
        make.value(f"{name} in base64", {**FULL, name: base64.b64encode(bytes.fromhex(digest)).decode()})
        make.value(f"{name} with a full-width digit", {**FULL, name: "\uff10" + digest[1:]})
        make.value(f"{name} with a line feed after it", {**FULL, name: digest + "\n"})
    for name in ("imageSize", "videoSize"):
        make.value(f"{name} as a string", {**FULL, name: "3"})
        for comment, number in [
            ("negative", b"-1"),
            ("with a leading zero", b"03"),
            ("zero twice", b"00"),
            ("1.0", b"1.0"),
            ("1.5", b"1.5"),
            ("1e3", b"1e3"),
            ("1E3", b"1E3"),
            ("with an exponent of zero", b"3e0"),
            ("2^53", b"9007199254740992"),
            ("2^63", b"9223372036854775808"),
            ("2^64 and 3", b"18446744073709551619"),
            ("of 100 digits", b"9" * 100),
            ("plus", b"+3"),
            ("hexadecimal", b"0x3"),
            ("true", b"true"),
            ("NaN", b"NaN"),
            ("an empty object", b"{}"),
        ]:
            make.with_json(f"{name}: {comment}", name, number)
    for text in ("1.0.1", "1.0", "2.0.0", "", "1.0.0 ", "01.0.0"):
        make.value(f"version '{text}'", {**FULL, "version": text})
    make.value("version as a number", {**FULL, "version": 1})
    for comment, text in [
        ("empty", ""),
        ("of 33 characters", "1" * 33),
        ("with a hyphen", "A-1"),
        ("with a blank", "A 1"),
        ("with a line feed after it", "A1\n"),
        ("with U+0000 after it", "A1\x00"),
        ("with an Arabic digit", "A\u0661"),
        ("with a full-width letter", "\uff211"),
        ("with an accent", "\u00c01"),
    ]:
        make.value(f"orderNo {comment}", {**FULL, "orderNo": text})
    for comment, text in [
        ("empty", ""),
        ("of 31 characters", NONCE[:-1]),
        ("of 33 characters", NONCE + "0"),
        ("with a hyphen", "-" + NONCE[1:]),
        ("with a blank", " " + NONCE[1:]),
        ("with a line feed after it", NONCE + "\n"),
        ("with an Arabic digit", "\u0661" + NONCE[1:]),
        ("of 32 bytes, but 31 characters", "\u00e9" + NONCE[2:]),
    ]:
        make.value(f"nonce {comment}", {**FULL, "nonce": text})
    for comment, text in [
        ("empty", ""),
        ("no Z", "2026-11-21T08:30:00.000"),
        ("an offset of zero", "2026-11-21T08:30:00.000+00:00"),
        ("an offset", "2026-11-21T16:30:00.000+08:00"),
        ("t in lower case", "2026-11-21t08:30:00.000Z"),
        ("z in lower case", "2026-11-21T08:30:00.000z"),
        ("a blank for the T", "2026-11-21 08:30:00.000Z"),
        ("a leap second", "2016-12-31T23:59:60.000Z"),
        ("second 60 where no leap second was", "2026-11-21T08:30:60.000Z"),
        ("second 61", "2026-11-21T08:30:61.000Z"),
        ("minute 60", "2026-11-21T08:60:00.000Z"),
        ("hour 24", "2026-11-21T24:00:00.000Z"),
        ("hour 25", "2026-11-21T25:00:00.000Z"),
        ("29 February in a year that has none", "2026-02-29T08:30:00.000Z"),
        ("29 February of 1900", "1900-02-29T08:30:00.000Z"),
        ("29 February of 2100", "2100-02-29T08:30:00.000Z"),
        ("30 February", "2024-02-30T08:30:00.000Z"),
        ("31 April", "2026-04-31T08:30:00.000Z"),
        ("day 0", "2026-11-00T08:30:00.000Z"),
        ("day 32", "2026-12-32T08:30:00.000Z"),
        ("month 0", "2026-00-21T08:30:00.000Z"),
        ("month 13", "2026-13-21T08:30:00.000Z"),
        ("year 0000", "0000-11-21T08:30:00.000Z"),
        ("a year of five digits", "12026-11-21T08:30:00.000Z"),
        ("a year with a sign", "+2026-11-21T08:30:00.000Z"),
        ("a year before the first", "-0001-11-21T08:30:00.000Z"),
        ("a year of two digits", "26-11-21T08:30:00.000Z"),
        ("no milliseconds", "2026-11-21T08:30:00Z"),
        ("one digit after the point", "2026-11-21T08:30:00.0Z"),
        ("six digits after the point", "2026-11-21T08:30:00.000000Z"),
        ("a comma for the point", "2026-11-21T08:30:00,000Z"),
        ("no seconds", "2026-11-21T08:30Z"),
        ("the date alone", "2026-11-21"),
        ("without separators", "20261121T083000.000Z"),
        ("a month of one digit", "2026-1-21T08:30:00.000Z"),
        ("an Arabic digit", "2026-11-21T08:30:00.00\u0660Z"),
        ("a full-width digit", "\uff12026-11-21T08:30:00.000Z"),
        ("a blank before it", " 2026-11-21T08:30:00.000Z"),
        ("a line feed after it", "2026-11-21T08:30:00.000Z\n"),
        ("a sign where a digit belongs", "2026-11-21T08:30:+1.000Z"),
        ("seconds since 1970", "1795249800"),
    ]:
        make.value(f"capturedAt: {comment}", {**FULL, "capturedAt": text})
    make.value("capturedAt: a number", {**FULL, "capturedAt": 1795249800})


def malformed(make: Statements) -> None:
    full = canonical(FULL)
    make.malformed("no bytes", b"")
    make.malformed("the word null", b"null")
    make.malformed("a number", b"1")
    make.malformed("a string", b'"text"')
    make.malformed("a statement inside a string", quoted(full.decode()).encode())
    make.malformed("a statement in a list", b"[" + full + b"]")
    make.malformed("a byte-order mark before it", b"\xef\xbb\xbf" + full)
    make.malformed("UTF-16", full.decode().encode("utf-16-le"))
    make.malformed("cut off before the last brace", full[:-1])
    make.malformed("cut off in the middle", full[: len(full) // 2])
    make.malformed("two statements", full + full)
    make.malformed("a letter after it", full + b"x")
    make.malformed("00 after it", full + b"\x00")
    make.malformed("a comma after the last field", full[:-1] + b",}")
    make.malformed("a comment", b"/**/" + full)
    make.malformed("single quotation marks", full.replace(b'"', b"'"))
    make.malformed("a name without quotation marks", once(full, b'"appId"', b"appId"))
    for name, text in [
        ("a lone continuation byte", b"\x80"),
        ("byte FF", b"\xff"),
        ("a slash in two bytes", b"\xc0\xaf"),
        ("U+0000 in two bytes", b"\xc0\x80"),
        ("a surrogate in three bytes", b"\xed\xa0\x80"),
        ("a surrogate pair in six bytes", b"\xed\xa0\xbd\xed\xb8\x80"),
        ("beyond U+10FFFF", b"\xf4\x90\x80\x80"),
        ("a character cut short", b"\xe2\x82"),
    ]:
        make.malformed(f"invalid UTF-8: {name}", once(full, b'"u-1"', b'"u' + text + b'1"'))
    for name, text in [
        ("a high surrogate alone", b"\\ud83d"),
        ("a low surrogate alone", b"\\ude00"),
        ("a pair the wrong way round", b"\\ude00\\ud83d"),
        ("no such escape", b"\\x41"),
        ("an escape of three digits", b"\\u041"),
        ("U in upper case", b"\\U0041"),
        ("a line feed as it is", b"\n"),
        ("a tab as it is", b"\t"),
        ("U+0000 as it is", b"\x00"),
        ("U+001F as it is", b"\x1f"),
    ]:
        make.malformed(f"in a string: {name}", once(full, b'"u-1"', b'"u' + text + b'1"'))
    make.malformed("a vendor's opaque bytes", Stream("opaque").take(96))
    make.malformed("a statement in base64", base64.b64encode(full))
    make.malformed("64 levels for riskInfo", once(full, canonical(RISK), b'{"a":' * 64 + b"1" + b"}" * 64))
    make.malformed("5,000 levels for riskInfo", once(full, canonical(RISK), b"[" * 5000 + b"]" * 5000))


def statement_tests() -> list[Test]:
    make = Statements()
    for part in (good_statements, spellings, wrong_values, malformed):
        part(make)
    return make.tests


def canonical_file() -> dict[str, Any]:
    return {
        "source": "RFC 8785 §3.2.2 to §3.2.4 where the comment says so; otherwise our own",
        "note": "canonical: the UTF-8 of the canonical form of value, in hex. Integers, strings and objects only.",
        "tests": canonical_tests(),
    }


def statements_file() -> dict[str, Any]:
    return {
        "source": "our own, from docs/FORMATS.md §4",
        "note": "bytes: the plaintext of identifyStr, in hex. expect: success, and then fields is what it says; or "
        "statement, the layer that refuses. Each refused one breaks one rule. The bound of 65,536 bytes cannot be "
        f"reached: the longest statement that keeps the other rules has {LONGEST:,} bytes.",
        "tests": statement_tests(),
    }
