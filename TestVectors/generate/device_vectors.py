# SPDX-License-Identifier: Apache-2.0
"""Documents with a device signature, right and wrong (docs/FORMATS.md §7). The numbers in the names are those of the list of
faults that a reader must refuse; `holds` are those that it must take."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any, Callable, Optional

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

import der
import device
import p256_by_hand as p256
import result_vectors
from cases_v2 import TwoFormats
from device import base64url, header
from evidence_v2 import PREFIX
from kit import wrap
from rsa_by_hand import Stream, private_key
from statement import canonical, moment, result_text

ORDER, APP, CHALLENGE = "order20260001", "IDAXXXXX", "c2VydmVyLWNoYWxsZW5nZS0wMDE"
MOMENT, NOW = "2026-11-22T08:30:00.000Z", "2026-11-22T08:30:20.000Z"
Fields = dict[str, Any]

SECRETS = {name: int.from_bytes(hashlib.sha256(f"device {name}".encode()).digest(), "big") for name in ("one", "two", "three")}
PUBLIC = {name: p256.public_key(secret) for name, secret in SECRETS.items()}
KIDS = {name: device.thumbprint(key) for name, key in PUBLIC.items()}


def b64(label: str, count: int) -> str:
    return base64.b64encode(Stream(f"device {label}").take(count)).decode("ascii")


def result(**changes: Any) -> Fields:
    """A result whose sealing nobody here knows; `changes` of the outermost object."""
    fields: Fields = {
        "isSuccess": True,
        "orderNo": ORDER,
        "sign": "0A" * 20,
        "liveRate": "99.50",
        "similarity": "88.10",
        "userImageString": b64("photo", 60),
        "simpleModeResult": {
            "orderNo": ORDER,
            "encryptAESKey": b64("statement key", 48),
            "videoEncryptAESKey": b64("video key", 48),
            "userVideoString": b64("video", 120),
            "identifyStr": b64("statement", 90),
        },
        "riskInfo": {"deviceInfoLevel": "1", "deviceInfoTag": "01_03", "riskInfoLevel": "2", "riskInfoTag": ""},
    }
    return {**fields, **changes}


def inside(fields: Fields, **changes: Any) -> Fields:
    return {**fields, "simpleModeResult": {**fields["simpleModeResult"], **changes}}


def without(fields: Fields, *names: str) -> Fields:
    return {name: value for name, value in fields.items() if name not in names}


def write(fields: Fields) -> bytes:
    return result_text(fields).encode("utf-8") + b"\n"


def look_at(document: bytes) -> device.Document:
    return device.look_at(json.loads(document, parse_int=device.Number, parse_float=device.Number))


def manifest(fields: Fields, *members: str, **changes: Any) -> Fields:
    """`members`: the names of those that are covered as well."""
    return {**device.manifest_for(look_at(write(fields)), APP, CHALLENGE, ORDER, MOMENT, members), **changes}


def raw_signature(message: bytes, by: str = "one") -> bytes:
    r, s = p256.sign(SECRETS[by], message)
    assert device.verify(PUBLIC[by], p256.raw(r, s), message)
    return p256.raw(r, s)


def jws(body: bytes, head: Optional[bytes] = None, by: str = "one", kid: Optional[str] = None,
        spell: Callable[[bytes], bytes] = lambda signature: signature) -> str:  # fmt: skip
    head = header(KIDS[kid or by]) if head is None else head
    text = f"{base64url(head)}.{base64url(body)}"
    return f"{text}.{base64url(spell(raw_signature(text.encode('ascii'), by)))}"


def signed(fields: Fields, *members: str, **changes: Any) -> Fields:
    """The fields with a signature over them, and over these other members; `changes` of the manifest."""
    return {**fields, "deviceSignature": jws(canonical(manifest(fields, *members, **changes)))}


def numbers(signature: bytes) -> tuple[int, int]:
    return int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")


def der_signature(signature: bytes) -> bytes:
    return der.integers(*numbers(signature))


class Cases:
    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def case(self, name: str, expect: str, comment: str, document: bytes, **asked: str) -> None:
        """`asked`: what is asked, and expected, otherwise."""
        head = {
            "expect": expect,
            "keys": "one",
            "orderNo": ORDER,
            "appId": APP,
            "challenge": CHALLENGE,
            "now": NOW,
            **asked,
            "comment": comment,
        }
        assert name not in self.files, name
        lines = "".join(f"{key}: {value}\n" for key, value in head.items())
        self.files[name] = lines.encode("ascii") + b"\n" + document

    def fields(self, name: str, comment: str, document: Fields, **findings: str) -> None:
        """A signature that holds, over a result of which something was changed afterwards."""
        self.findings(name, comment, document, {field.replace("__", "."): word for field, word in findings.items()})

    def findings(self, name: str, comment: str, document: Fields, findings: dict[str, str]) -> None:
        said = ", ".join(f"{field} {word.replace('_', ' ')}" for field, word in sorted(findings.items()))
        self.case(name, "fields", comment, write(document), fields=said)


def add_holding(cases: Cases) -> None:
    plain = result()
    cases.case("holds-whole-result", "signed", "a whole result, sealed in a way that is not known here", write(signed(plain)))
    parts = result_vectors.Parts("device", order=ORDER).fields()
    cases.case("holds-evidence-v2", "signed", "a whole result with evidence-v2", write(signed(parts)))
    alone = {**plain["simpleModeResult"], "userImageString": plain["userImageString"]}
    cases.case("holds-simple-mode-alone", "signed", "a simple-mode object alone", write(signed(alone)))
    failed = {"isSuccess": False, "orderNo": ORDER, "error": {"code": "3", "desc": "user left"}}
    cases.case("holds-failure", "signed", "a failure; its error is not covered", write(signed(failed)), uncovered="error")
    text = canonical(manifest(plain))
    high = {**plain, "deviceSignature": jws(text, spell=lambda data: p256.raw(numbers(data)[0], p256.N - numbers(data)[1]))}
    cases.case("holds-other-s", "signed", "the other of the two signatures for each (r, s)", write(high))
    document = write(signed(plain))
    cases.case("holds-escaped-solidus", "signed", "every solidus written with an escape", document.replace(b"/", b"\\/"))
    spaced = json.dumps(dict(sorted(signed(plain).items())), indent=2, sort_keys=True).encode("ascii")
    cases.case("holds-written-again", "signed", "parsed and written again: other order, white space", spaced)
    assert b"deviceSignature" in spaced[:200]
    unicode = signed(result(sign="\u540d\U0001f600"))
    escaped = json.dumps(unicode, ensure_ascii=True).encode("ascii")
    cases.case("holds-unicode", "signed", "characters beyond ASCII, written as they are", write(unicode))
    cases.case("holds-unicode-escaped", "signed", "the same, escaped", escaped)
    levels = write(signed(result(riskInfo={"deviceInfoLevel": "-1", "riskInfoLevel": "12"})))
    levels = levels.replace(b'"-1"', b"-1").replace(b'"12"', b"12")
    cases.case("holds-risks-as-integers", "signed", "levels that became integers", levels)
    other = write(signed(plain)).replace(b'"riskInfo"', b'"RiskInfo"')
    cases.case("holds-other-risk-name", "signed", "the risks under the vendor's other name", other)
    empty = result(userImageString="", liveRate=None)
    cases.case("holds-empty-and-null", "signed", "an empty photo is covered, a null score is absent", write(signed(empty)))
    more = inside(result(note="x", willModeResult={"faceCode": "0"}), videoNote="y")
    more["riskInfo"] = {**more["riskInfo"], "scale": "z"}
    names = "note, riskInfo.scale, simpleModeResult.videoNote, willModeResult"
    cases.case("holds-more-members", "signed", "members that no manifest covers", write(signed(more)), uncovered=names)
    cases.case("holds-several-keys", "signed", "three keys are registered", write(signed(plain)), keys="two one three")
    cases.case("holds-five-minutes-ahead", "signed", "the bound is inclusive", write(signed(plain)), now="2026-11-22T08:25:00.000Z")
    cases.case("holds-old-as-allowed", "signed", "the bound is inclusive", write(signed(plain)), maxAge="20")
    cases.case("holds-other-challenge-used", "signed", "another challenge was used", write(signed(plain)), used="x" * 22)
    swapped = inside(signed(plain), videoEncryptAESKey=b64("another key", 48))
    cases.case("holds-re-wrapped", "signed", "the key of a field that was opened under a format that commits to it",
               write(swapped), committed="videoEncryptAESKey", rewrapped="videoEncryptAESKey")  # fmt: skip
    cases.case("re-wrapped-other-field", "fields", "the commitment is the other field's", write(swapped), committed="encryptAESKey",
               fields="videoEncryptAESKey changed")  # fmt: skip
    # One field, two formats, two wrapped keys: signed with one of the keys, and given with the other.
    two = TwoFormats(ORDER)
    keys = {"v1": two.key_v1, "v2": PREFIX + two.key_v2}
    texts = {name: base64.b64encode(wrap(f"device two formats {name}", key)).decode("ascii") for name, key in keys.items()}
    text = base64.b64encode(two.sealed).decode("ascii")
    for name, other in (("v1", "v2"), ("v2", "v1")):
        whole = signed(inside(plain, userVideoString=text, videoEncryptAESKey=texts[name]))
        cases.case(f"holds-two-formats-{name}", "signed", f"a field of two formats, with its key of {name}", write(whole))
        exchanged = write(inside(whole, videoEncryptAESKey=texts[other]))
        cases.case(f"two-formats-{name}-to-{other}", "fields", f"signed with its key of {name}, which was then replaced by that of {other}",
                   exchanged, fields="videoEncryptAESKey changed")  # fmt: skip


def add_headers(cases: Cases) -> None:
    plain = result()
    body = canonical(manifest(plain))
    kid = KIDS["one"]

    def case(name: str, comment: str, head: Any, expect: str = "header", **asked: str) -> None:
        data = head if isinstance(head, bytes) else json.dumps(head, separators=(",", ":")).encode("ascii")
        cases.case(name, expect, comment, write({**plain, "deviceSignature": jws(body, data)}), **asked)

    right = {"alg": "ES256", "kid": kid, "typ": "evidence-device-v1"}
    none = base64url(json.dumps({**right, "alg": "none"}, separators=(",", ":")).encode())
    cases.case("01-none-unsigned", "header", "alg none and no signature",
               write({**plain, "deviceSignature": f"{none}.{base64url(body)}."}))  # fmt: skip
    case("02-none-signed", "alg none beside the right signature", {**right, "alg": "none"})
    case("03-none-in-other-case", "alg nOnE", {**right, "alg": "nOnE"})
    pem = PUBLIC["one"].public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    hs = f"{base64url(json.dumps({**right, 'alg': 'HS256'}, separators=(',', ':')).encode())}.{base64url(body)}"
    tag = base64url(hmac.digest(pem, hs.encode("ascii"), "sha256"))
    cases.case("04-hs256-with-the-pem", "header", "an HMAC under the public key", write({**plain, "deviceSignature": f"{hs}.{tag}"}))
    for number, alg in (("05", "ES384"), ("06", "ES256K"), ("07", "es256")):
        case(f"{number}-alg-{alg.lower() if number != '07' else 'small'}", f"alg {alg}", {**right, "alg": alg})
    numbers_of = PUBLIC["two"].public_numbers()
    jwk = {"crv": "P-256", "kty": "EC", "x": base64url(numbers_of.x.to_bytes(32, "big")), "y": base64url(numbers_of.y.to_bytes(32, "big"))}
    forged = json.dumps({**right, "jwk": jwk}, separators=(",", ":")).encode()
    cases.case("08-jwk", "header", "the forger brings the key along", write({**plain, "deviceSignature": jws(body, forged, by="two")}))
    case("09-jku", "jku", {**right, "jku": "https://example.com/keys.json"})
    case("10-x5u", "x5u", {**right, "x5u": "https://example.com/chain.pem"})
    case("11-x5c", "certificates that nobody asked for", {**right, "x5c": ["MAA="]})
    case("12-crit-b64", "an unencoded payload", {**right, "b64": False, "crit": ["b64"]})
    case("13-crit-unknown", "an extension that must be understood", {**right, "crit": ["x"], "x": 1})
    case("14-zip", "zip", {**right, "zip": "DEF"})
    case("15-cty", "cty JWT", {**right, "cty": "JWT"})
    case("16-kid-of-another", "kid of another device, which is not registered", header(KIDS["two"]), "unknown-key")
    case("16-kid-of-another-registered", "kid of another device, which is registered", header(KIDS["two"]), "signature", keys="one two")
    case("17-kid-a-path", "kid is a path", {**right, "kid": "../../../../../../../../dev/null/../keys/one.pem"[:43]})
    case("17-kid-a-long-path", "kid is a path", {**right, "kid": "../keys/one.pem"})
    case("18-kid-missing", "no kid", without(right, "kid"))
    case("19-typ-jwt", "typ JWT", {**right, "typ": "JWT"})
    case("20-typ-missing", "no typ", without(right, "typ"))
    case("21-header-spaced", "a blank in the header", json.dumps(right).encode())
    case("21-header-line-feed", "a line feed after the header", header(kid) + b"\n")
    case("22-alg-twice", "alg twice", header(kid)[:-1] + b',"alg":"none"}')
    case("23-header-reordered", "the same members in another order", {"typ": right["typ"], "alg": "ES256", "kid": kid})
    case("23-header-escaped", "the same, with an escape", header(kid).replace(b"ES256", b"ES25\\u0036"))
    case("23-header-empty", "no header", b"")


def add_signatures(cases: Cases) -> None:
    plain = result()
    body = canonical(manifest(plain))
    text = f"{base64url(header(KIDS['one']))}.{base64url(body)}"
    good = raw_signature(text.encode("ascii"))
    r, s = numbers(good)

    def whole(name: str, expect: str, comment: str, value: Any, **asked: str) -> None:
        cases.case(name, expect, comment, write({**plain, "deviceSignature": value}), **asked)

    def case(name: str, comment: str, signature: bytes) -> None:
        whole(name, "signature", comment, f"{text}.{base64url(signature)}")

    whole("24-other-key", "signature", "signed by another key under this one's kid", jws(body, by="two", kid="one"))
    whole("24-other-key-registered", "signature", "the other one is registered as well", jws(body, by="two", kid="one"), keys="one two")
    case("25-zeros", "r and s are 0", bytes(64))
    case("25-r-zero", "r is 0", p256.raw(0, s))
    case("25-s-zero", "s is 0", p256.raw(r, 0))
    case("26-r-order", "r is n", p256.raw(p256.N, s))
    case("27-s-order", "s is n", p256.raw(r, p256.N))
    case("28-der", "r and s in DER", der_signature(good))
    case("29-63-bytes", "a byte short", good[:-1])
    case("30-96-bytes", "as long as one of P-384", good + bytes(32))
    case("31-zeros-cut", "leading zeros cut off", good[:32] + s.to_bytes(32, "big").lstrip(b"\0")[1:])
    whole("32-no-signature", "signature", "nothing after the second dot", f"{text}.")
    case("33-one-bit", "one bit of s", good[:-1] + bytes([good[-1] ^ 1]))
    changed = f"{text[:-1]}{'A' if text[-1] != 'A' else 'E'}.{base64url(good)}"
    whole("33-one-bit-of-the-manifest", "signature" if device.from_base64url(changed.split(".")[1]) is not None else "form",
          "another character in the manifest", changed)  # fmt: skip
    case("34-r-and-s-exchanged", "s before r", good[32:] + good[:32])
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    jws_text = f"{text}.{base64url(good)}"
    whole("35-spare-bits", "form", "a spare bit of the last character", jws_text[:-1] + last[last.index(jws_text[-1]) + 1])
    whole("36-padding", "form", "padding", jws_text + "==")
    other = next(jws(canonical(manifest(result(sign=f"{n}"))), spell=lambda data: data) for n in range(99)
                 if set("-_") & set(jws(canonical(manifest(result(sign=f"{n}")))).split(".")[2]))  # fmt: skip
    whole("37-standard-alphabet", "form", "the standard alphabet", other.replace("-", "+").replace("_", "/"))
    whole("38-line-feed", "form", "a line feed after the signature", jws_text + "\n")
    whole("38-line-feed-inside", "form", "a line feed after a dot", jws_text.replace(".", ".\n"))
    whole("39-blank", "form", "a blank before the header", " " + jws_text)
    whole("40-two-parts", "form", "two parts", text)
    whole("40-four-parts", "form", "four parts", jws_text + ".AAAA")
    whole("40-five-parts", "form", "five parts, as a JWE has", jws_text + ".AAAA.AAAA")
    whole("40-one-part", "form", "no dot", "AAAA")
    whole("41-detached", "signature", "the manifest is left out", jws_text.replace(base64url(body), ""))
    members = {"protected": base64url(header(KIDS["one"])), "payload": base64url(body), "signature": base64url(good)}
    whole("42-json-object", "document", "the JSON serialisation, as an object", members)
    whole("42-json-text", "form", "the JSON serialisation, as text", json.dumps(members))
    cases.case("43-missing", "missing", "no signature", write(plain))
    whole("43-null", "missing", "null", None)
    whole("43-empty", "form", "an empty text", "")
    cases.case("43-number", "document", "a number", write({**plain, "deviceSignature": 1}))
    both = inside({**plain, "deviceSignature": jws_text}, deviceSignature=jws_text)
    cases.case("44-in-both-objects", "place", "in both objects", write(both))
    once = write(signed(plain))
    member = b',"deviceSignature":"' + jws_text.encode("ascii") + b'"'
    assert once.count(member) == 1
    cases.case("45-twice", "document", "twice in one object", once.replace(member, member * 2))
    cases.case("46-in-the-payload-object", "place", "in simpleModeResult alone", write(inside(plain, deviceSignature=jws_text)))
    deeper = {"willModeResult": {"deviceSignature": jws_text}}
    cases.case("46-deeper", "place", "in another object alone", write({**plain, **deeper}))
    cases.case("46-in-both-deeper", "place", "in the right place, and in a list", write({**signed(plain), "x": {"y": {"deviceSignature": None}}}))
    cases.case("46-almost-the-name", "document", "under a name that another reader takes for it",
               once.replace(b'"deviceSignature"', b'"device_signature"'))  # fmt: skip
    long = canonical(manifest(plain, appId="a" * 1024))
    assert len(jws(long)) < device.MAX_CHARACTERS
    for name, expect, size in (("47-as-long-as-allowed", "manifest", 23165), ("47-too-long", "form", 23166)):
        value = jws(canonical(manifest(plain, appId="a" * size)))
        assert len(value) == device.MAX_CHARACTERS + size - 23165
        whole(name, expect, f"{len(value)} characters, and an appId that is too long", value)


def add_manifests(cases: Cases) -> None:
    plain = result()
    right = manifest(plain)
    body = canonical(right)

    def case(name: str, comment: str, data: bytes, expect: str = "manifest", **asked: str) -> None:
        cases.case(name, expect, comment, write({**plain, "deviceSignature": jws(data)}), **asked)

    def changed(name: str, comment: str, expect: str = "manifest", **changes: Any) -> None:
        kept = {name: value for name, value in {**right, **changes}.items() if value is not None}
        case(name, comment, canonical(kept), expect)

    case("48-spaced", "white space", json.dumps(right, sort_keys=True).encode("ascii"))
    case("48-reordered", "members in another order", json.dumps(dict(reversed(right.items())), separators=(",", ":")).encode("ascii"))
    case("49-escaped", "an escape that is not needed", body.replace(APP.encode(), b"IDAXXXX\\u0058"))
    case("49-escaped-solidus", "an escaped solidus", canonical({**right, "appId": "a/b"}).replace(b"/", b"\\/"))
    case("50-member-twice", "a member twice", body[:-1] + b',"version":"1.0.0"}')
    case("50-order-twice", "the order twice", body.replace(b'"orderNo":', b'"orderNo":"A1","orderNo":'))
    case("51-trailing-bytes", "bytes after the object", body + b"{}")
    case("51-trailing-line-feed", "a line feed after the object", body + b"\n")
    case("52-byte-order-mark", "a byte-order mark", b"\xef\xbb\xbf" + body)
    changed("53-unknown-member", "a member that nobody knows", iss="x")
    changed("53-statement", "a member of the statement", videoSize=3)
    changed("54-version", "another version", version="1.0.1")
    changed("54-no-version", "no version", version=None)
    changed("55-no-fields", "no fields", fields=None)
    changed("55-empty-fields", "no field", fields={})
    changed("56-unknown-field", "a field that nobody knows", fields={**right["fields"], "videoSHA256": "0" * 64})
    changed("56-order-as-field", "the order is no field", fields={**right["fields"], "orderNo": "0" * 64})
    upper = {name: value.upper() for name, value in right["fields"].items()}
    changed("57-upper-case", "digests in upper case", fields=upper)
    changed("57-base64", "digests in base64", fields={name: base64url(bytes.fromhex(value)) for name, value in right["fields"].items()})
    changed("57-short", "a digest that is too short", fields={**right["fields"], "sign": "0" * 63})
    changed("58-short-challenge", "a challenge of 21 characters", challenge="x" * 21)
    changed("58-long-challenge", "a challenge of 129 characters", challenge="x" * 129)
    changed("58-challenge-alphabet", "a challenge with a dot", challenge="x" * 22 + ".")
    for name, text in (("30-february", "2026-02-30T08:30:00.000Z"), ("offset", "2026-11-22T16:30:00.000+08:00"),
                       ("leap-second", "2026-12-31T23:59:60.000Z"), ("no-milliseconds", "2026-11-22T08:30:00Z")):  # fmt: skip
        changed(f"59-{name}", f"recordedAt is {text}", recordedAt=text)
    changed("59-order-form", "an order number that is none", orderNo="order-1")
    changed("59-app-empty", "an empty appId", appId="")
    case("59-not-an-object", "a list", b"[]")
    case("59-not-utf-8", "not UTF-8", body.replace(APP.encode(), b"\xff"))
    case("59-empty", "nothing", b"")

    changed("60-other-order-signed", "the manifest is about another order", "order", orderNo="A1")
    case("60-other-order-expected", "another order is expected", body, "order", orderNo="A1")
    other = write({**signed(plain), "orderNo": "A1"})
    cases.case("61-other-order-in-the-document", "order", "the document is about another order",
               write(inside({**signed(plain), "orderNo": "A1"}, orderNo="A1")))  # fmt: skip
    cases.case("84-two-orders", "order", "two orders in the document", other)
    cases.case("61-no-order-in-the-document", "signed", "the document names no order: the manifest does",
               write(inside(without(signed(plain), "orderNo"), orderNo=None)))  # fmt: skip
    case("62-other-app-expected", "another appId is expected", body, "app", appId="IDAYYYYY")
    changed("62-other-app-signed", "the manifest is for another appId", "app", appId="IDAYYYYY")
    case("63-other-challenge-expected", "another challenge is expected", body, "challenge", challenge="y" * 22)
    changed("63-other-challenge-signed", "the manifest answers another challenge", "challenge", challenge="y" * 22)
    case("63-challenge-in-other-case", "the challenge in other case", body, "challenge", challenge=CHALLENGE.swapcase())
    case("64-replay", "the challenge was used before", body, "replay", used=CHALLENGE)
    again = jws(body, spell=lambda data: p256.raw(numbers(data)[0], p256.N - numbers(data)[1]))
    cases.case("64-replay-of-other-spelling", "replay", "the same with the other s", write({**plain, "deviceSignature": again}), used=CHALLENGE)
    changed_too = {**signed(plain), "sign": "0B" * 20}
    cases.case("64-replay-is-asked-last", "fields", "used before, and a field is changed", write(changed_too), used=CHALLENGE,
               fields="sign changed")  # fmt: skip
    case("65-ahead", "a millisecond more than five minutes ahead", body, "moment", now="2026-11-22T08:24:59.999Z")
    case("66-old", "a millisecond too old", body, "moment", maxAge="20", now="2026-11-22T08:30:20.001Z")
    case("67-another-device", "another device's key is registered", body, "unknown-key", keys="two")
    case("67-no-device", "no key is registered", body, "unknown-key", keys="")


def add_fields(cases: Cases) -> None:
    plain, name = result(), "simpleModeResult"
    good = signed(plain)

    cases.fields("69-video-changed", "another video", inside(good, userVideoString=b64("other", 120)), userVideoString="changed")
    cases.fields("69-video-cut", "a video cut short", inside(good, userVideoString=plain[name]["userVideoString"][:-4]), userVideoString="changed")
    cases.fields("70-photo-of-another", "the photo of another order", {**good, "userImageString": b64("other photo", 60)}, userImageString="changed")
    cases.fields("71-wrapped-key", "another wrapped key", inside(good, videoEncryptAESKey=b64("another key", 48)), videoEncryptAESKey="changed")
    cases.fields("71-statement-key", "another wrapped key", inside(good, encryptAESKey=b64("another key", 48)), encryptAESKey="changed")
    inner = plain[name]
    swapped = inside(good, encryptAESKey=inner["videoEncryptAESKey"], videoEncryptAESKey=inner["encryptAESKey"],
                     userVideoString=inner["identifyStr"], identifyStr=inner["userVideoString"])  # fmt: skip
    cases.fields("72-pairs-exchanged", "the two pairs exchanged", swapped, encryptAESKey="changed", identifyStr="changed",
                 userVideoString="changed", videoEncryptAESKey="changed")  # fmt: skip
    stripped = {**good, name: without(good[name], "identifyStr", "encryptAESKey")}
    cases.fields("73-statement-gone", "the statement is taken out", stripped, encryptAESKey="removed", identifyStr="removed")
    cases.fields("73-simple-mode-gone", "all of simple mode is taken out", without(good, name), encryptAESKey="removed",
                 identifyStr="removed", userVideoString="removed", videoEncryptAESKey="removed")  # fmt: skip
    cases.fields("74-photo-null", "the photo is null", {**good, "userImageString": None}, userImageString="removed")
    cases.fields("74-photo-empty", "the photo is empty", {**good, "userImageString": ""}, userImageString="changed")
    bare = without(plain, "userImageString")
    cases.fields("75-photo-added", "a photo is put in", {**signed(bare), "userImageString": b64("photo", 60)}, userImageString="not_covered")
    cases.fields("75-empty-photo-added", "an empty photo is put in", {**signed(bare), "userImageString": ""}, userImageString="not_covered")
    cases.fields("75-android-key-added", "a key under Android's name is put in", inside(good, userEncryptKey=b64("x", 48)), userEncryptKey="not_covered")
    cases.fields("76-success", "a failure is made a pass", {**signed(result(isSuccess=False)), "isSuccess": True}, isSuccess="changed")
    cases.case("76-success-as-text", "document", "true as text", write({**good, "isSuccess": "true"}))
    cases.case("76-success-as-number", "document", "true as a number", write({**good, "isSuccess": 1}))
    cases.fields("77-similarity", "another score", {**good, "similarity": "99.99"}, similarity="changed")
    cases.case("77-similarity-as-number", "document", "a score that became a number",
               write(good).replace(b'"88.10"', b"88.10"))  # fmt: skip
    risks = {**plain["riskInfo"], "deviceInfoLevel": "4"}
    cases.fields("78-risk", "another risk level", {**good, "riskInfo": risks}, riskInfo__deviceInfoLevel="changed")
    cases.case("78-risk-as-fraction", "document", "a level that is no integer", write(good).replace(b'"deviceInfoLevel":"1"', b'"deviceInfoLevel":1.0'))
    gone = {f"riskInfo__{risk}": "removed" for risk in plain["riskInfo"]}
    cases.fields("79-risks-gone", "the risks are taken out", without(good, "riskInfo"), **gone)
    cases.fields("79-risks-empty", "the risks are empty", {**good, "riskInfo": {}}, **gone)
    cases.case("79-risks-twice", "document", "risks under both names", write({**good, "RiskInfo": risks}))
    padded = result(userImageString=b64("photo", 61))
    repaired = {**signed(padded), "userImageString": padded["userImageString"].rstrip("=")}
    cases.fields("80-padding-gone", "base64 without its padding", repaired, userImageString="changed")
    lines = "\n".join([plain["userImageString"][:40], plain["userImageString"][40:]])
    cases.fields("80-in-lines", "base64 in lines", {**good, "userImageString": lines}, userImageString="changed")
    plus = result(sign="AA+BB")
    cases.fields("81-plus-to-blank", "a plus that became a blank", {**signed(plus), "sign": "AA BB"}, sign="changed")
    cases.fields("82-sign", "another sign", {**good, "sign": "0B" * 20}, sign="changed")
    cases.fields("82-sign-in-other-case", "the sign in small letters", {**good, "sign": good["sign"].lower()}, sign="changed")
    cases.case("83-photo-in-both", "document", "a photo in both objects", write(inside(good, userImageString=plain["userImageString"])))
    cases.fields("83-score-in-the-payload-object", "a score in the wrong object",
                 inside(without(good, "liveRate"), liveRate="99.50"), liveRate="removed")  # fmt: skip
    cases.case("85-two-candidates", "document", "two payload objects", write({**good, "userVideoString": inner["userVideoString"]}))
    cases.case("85-in-the-outer-object", "document", "a field of the payload object beside it",
               write({**without(good, name), name: without(inner, "identifyStr"), "identifyStr": inner["identifyStr"]}))  # fmt: skip
    yesterday = signed(result(sign="0C" * 20), challenge="z" * 22)["deviceSignature"]
    cases.case("86-of-another-result", "challenge", "the signature of another result", write({**plain, "deviceSignature": yesterday}))
    sibling = signed(result(liveRate="1.00"))["deviceSignature"]
    cases.case("86-of-another-try", "fields", "the signature of another result of this order and challenge",
               write({**plain, "deviceSignature": sibling}), fields="liveRate changed")  # fmt: skip
    twice = write(good).replace(b'"liveRate":', b'"liveR\\u0061te":"1","liveRate":')
    cases.case("87-name-twice", "document", "a name twice, once with an escape", twice)
    for label, old, new in (("case", b'"similarity"', b'"Similarity"'), ("underscore", b'"userVideoString"', b'"user_video_string"'),
                            ("kelvin", b'"liveRate"', "\"\u017f\"".encode() + b':0,"live_rate"')):  # fmt: skip
        cases.case(f"87-almost-a-name-{label}", "document", "a name that another reader takes for a known one", write(good).replace(old, new))
    cases.case("87-almost-a-risk", "document", "the same among the risks", write(good).replace(b'"riskInfoTag"', b'"riskInfotag"'))
    cases.case("87-not-json", "document", "cut off", write(good)[:-2])
    cases.case("87-trailing-comma", "document", "a comma before the end", write(good)[:-2] + b",}")
    cases.case("87-risks-as-list", "document", "risks that are no object", write({**good, "riskInfo": "x"}))
    cases.case("87-simple-mode-as-text", "document", "a payload object as text", write({**good, name: "{}"}))


WILL = {"faceCode": "0", "faceMsg": "ok", "willCode": "0", "willMsg": "", "videoURL": "file"}


def add_members(cases: Cases) -> None:
    """Members beside the fields, covered under `$.` and their names."""
    more = result(willModeResult=WILL, note="x", flag=True, count=7, none=None)
    names = ("$.willModeResult", "$.note", "$.flag", "$.count")
    good = signed(more, *names)
    case, findings = cases.case, cases.findings
    case("holds-members", "signed", "other members are covered, and one that is null is absent", write(good), uncovered="none")
    case("holds-some-members", "signed", "some are covered", write(signed(more, "$.note")), uncovered="count, flag, none, willModeResult")
    failed = {"isSuccess": False, "orderNo": ORDER, "error": {"code": 3, "desc": "user left"}}
    case("holds-error", "signed", "a failure whose error is covered", write(signed(failed, "$.error")))
    turned = {**good, "willModeResult": dict(reversed(WILL.items()))}
    case("holds-members-reordered", "signed", "the names in it in another order, and white space",
         json.dumps(turned, indent=1).encode("ascii"), uncovered="none")  # fmt: skip
    values = result(values={"\U0001f600": 1, "\ufb33": -5, "\r": "</\x7f\"\\\b\x1f\u2028", "b": [True, None, [], {}, ""], "B": 2**53 - 1, "": -(2**53) + 1})
    document = write(signed(values, "$.values"))
    case("holds-values", "signed", "every kind of value; names in the order of UTF-16 code units, not of code points", document)
    case("holds-values-escaped", "signed", "the same, escaped", json.dumps(json.loads(document), ensure_ascii=True).encode("ascii"))
    deep: Any = []
    for _ in range(61):
        deep = [deep]
    case("holds-deep", "signed", "a member as deep as a document may be", write(signed(result(deep=deep), "$.deep")))
    longest = "n" * 64
    case("holds-longest-name", "signed", "a name of 64 characters", write(signed(result(**{longest: "x"}), f"$.{longest}")))
    fit = "x" * (device.MAX_MEMBER_BYTES - 2)
    case("holds-longest-value", "signed", "a value of 65,536 bytes in canonical form", write(signed(result(note=fit), "$.note")))
    case("holds-longest-value-escaped", "signed", "the same with characters that are escaped in the document alone",
         write(signed(result(note=fit), "$.note")).replace(b"xx", b"\\u0078x", 9))  # fmt: skip
    many = result(**{f"m{number}": number for number in range(device.MAX_MEMBERS)})
    all_of = [f"$.m{number}" for number in range(device.MAX_MEMBERS)]
    case("holds-most-members", "signed", "64 members", write(signed(many, *all_of)))
    hinted = inside(result(), keyId="0123456789abcdef")
    case("holds-key-hint", "signed", "a hint at the key is not named: nothing depends on it", write(signed(hinted)))
    case("holds-key-hint-changed", "signed", "and may change", write(inside(signed(hinted), keyId=["x"])))
    outside = {**hinted, "keyId": "x"}
    case("holds-key-hint-outside", "signed", "beside the payload object it is a member like others", write(signed(outside)), uncovered="keyId")
    alone = {**result()["simpleModeResult"], "keyId": "0123456789abcdef"}
    case("holds-key-hint-alone", "signed", "a hint in a simple-mode object alone", write(signed(alone)))
    late = {**without(hinted, "simpleModeResult"), "keyId": "x", "simpleModeResult": hinted["simpleModeResult"]}
    case("holds-key-hint-before", "signed", "the payload object comes later", write(signed(late)), uncovered="keyId")

    user = signed(result(), userId="u-1")
    case("holds-user", "signed", "the user is named, and expected", write(user), userId="u-1", user="holds")
    case("holds-user-not-expected", "signed", "the user is named, and none is expected", write(user), user="unchecked")
    case("holds-user-not-named", "signed", "a user is expected, and none is named", write(signed(result())), userId="u-1")
    case("holds-longest-user", "signed", "a user of 1,024 bytes", write(signed(result(), userId="u" * 1024)), user="unchecked")
    case("88-other-user", "user", "another user is expected", write(user), userId="u-2")
    case("88-user-in-other-case", "user", "the user in other case", write(user), userId="U-1")
    case("88-other-user-first", "user", "another user, and another challenge", write(user), userId="u-2", challenge="y" * 22)
    case("88-other-app-first", "app", "another user, and another appId", write(user), userId="u-2", appId="IDAYYYYY")

    plain = result()
    right = manifest(plain)
    for name, comment, value in (("empty", "an empty user", ""), ("long", "a user of 1,025 bytes", "u" * 1025),
                                 ("number", "a user that is a number", 7), ("object", "a user that is an object", {})):  # fmt: skip
        case(f"89-user-{name}", "manifest", comment, write({**plain, "deviceSignature": jws(canonical({**right, "userId": value}))}))

    def named(name: str, comment: str, member: str, value: Any = "0" * 64) -> None:
        body = canonical({**right, "fields": {**right["fields"], member: value}})
        case(name, "manifest", comment, write({**plain, "deviceSignature": jws(body)}))

    for name, comment, member in (
        ("field", "a field as a member", "$.isSuccess"),
        ("payload-field", "a field of the payload object as a member", "$.userVideoString"),
        ("order", "the order as a member", "$.orderNo"),
        ("payload-object", "the payload object as a member", "$.simpleModeResult"),
        ("risks", "the risks as a member", "$.riskInfo"),
        ("other-risks", "the risks under their other name", "$.RiskInfo"),
        ("signature", "the signature as a member", "$.deviceSignature"),
        ("key-hint", "the hint at the key as a member", "$.keyId"),
    ):
        named(f"90-{name}", comment, member)
    for name, comment, member in (
        ("nested", "a path into a member", "$.willModeResult.willCode"),
        ("nested-hint", "a path into the payload object", "$.simpleModeResult.keyId"),
        ("index", "a path into a list", "$.note[0]"),
        ("brackets", "a name in brackets", "$['note']"),
        ("descendant", "a descendant", "$..note"),
        ("wildcard", "every member", "$.*"),
        ("root", "the document", "$"),
        ("no-name", "no name", "$."),
        ("no-dollar", "no dollar", ".note"),
        ("hyphen", "a name with a hyphen", "$.my-field"),
        ("blank", "a name with a blank", "$.my field"),
        ("line-feed", "a line feed after the name", "$.note\n"),
        ("digit", "a name that begins with a digit", "$.1st"),
        ("beyond-ascii", "a name beyond ASCII", "$.\u6269\u5c55"),
        ("kelvin", "a name with a Kelvin sign", "$.\u212aey"),
        ("nul", "a name with U+0000", "$.note\0"),
        ("long", "a name of 65 characters", "$." + "n" * 65),
    ):
        named(f"91-{name}", comment, member)
    for name, comment, value in (("number", "a digest that is a number", 7), ("upper", "a digest in upper case", "A" * 64),
                                 ("short", "a digest that is too short", "0" * 63), ("object", "a digest that is an object", {})):  # fmt: skip
        named(f"92-digest-{name}", comment, "$.note", value)
    too_many = manifest(many, *all_of)
    too_many["fields"]["$.m64"] = "0" * 64
    case("93-too-many", "manifest", "65 members", write({**many, "m64": 64, "deviceSignature": jws(canonical(too_many))}))
    body = canonical(manifest(more, *names))
    note = body[body.index(b'"$.note"') :][:76]
    twice = body.replace(note, note + note)
    case("94-twice", "manifest", "a member twice", write({**more, "deviceSignature": jws(twice)}))
    last = body.replace(note, b"").replace(b'},"orderNo"', b"," + note[:-1] + b'},"orderNo"')
    assert len(last) == len(body)
    case("94-reordered", "manifest", "a member behind the fields, which it sorts before", write({**more, "deviceSignature": jws(last)}))
    only = canonical({**right, "fields": {"$.note": device.member_digest("x")}})
    bare = {"orderNo": ORDER, "note": "x", "deviceSignature": jws(only)}
    case("holds-member-alone", "signed", "no field, and one member", write(bare))

    findings("95-changed", "a text is changed", {**good, "note": "y"}, {"$.note": "changed"})
    findings("95-inside", "a text deep in it is changed", {**good, "willModeResult": {**WILL, "willCode": "1"}}, {"$.willModeResult": "changed"})
    findings("95-added-inside", "a member is put into it", {**good, "willModeResult": {**WILL, "x": 1}}, {"$.willModeResult": "changed"})
    findings("95-text-for-boolean", "true as text", {**good, "flag": "true"}, {"$.flag": "changed"})
    findings("95-text-for-number", "a number as text", {**good, "count": "7"}, {"$.count": "changed"})
    findings("95-object-for-text", "an object for a text", {**good, "note": {}}, {"$.note": "changed"})
    quoted_text = {**signed(result(note='{"a":1}'), "$.note"), "note": {"a": 1}}
    findings("95-object-for-its-text", "an object for a text that is its JSON", quoted_text, {"$.note": "changed"})
    for name, comment, written in (("fraction", "7 written as 7.0", b"7.0"), ("exponent", "7 written as 7e0", b"7e0"),
                                   ("large", "an integer beyond 2^53 - 1", b"9007199254740992"),
                                   ("digits", "a number of many digits", b"7" * 65)):  # fmt: skip
        case(f"96-{name}", "fields", comment, write(good).replace(b'"count":7', b'"count":' + written), fields="$.count changed")
    zero = write(signed(result(count=0), "$.count"))
    case("96-minus-zero", "fields", "0 written as -0", zero.replace(b'"count":0', b'"count":-0'), fields="$.count changed")
    over = {**signed(result(note=fit), "$.note"), "note": fit + "x"}
    findings("96-too-long", "a value of 65,537 bytes in canonical form", over, {"$.note": "changed"})
    findings("97-removed", "a member is taken out", without(good, "note"), {"$.note": "removed"})
    findings("97-null", "a member is null", {**good, "note": None}, {"$.note": "removed"})
    findings("97-moved", "a member is moved into the payload object", inside(without(good, "note"), note="x"), {"$.note": "removed"})
    findings("97-renamed", "a member in other case", {**without(good, "note"), "Note": "x"}, {"$.note": "removed"})
    both = {**without(good, "note", "flag"), "sign": "0B" * 20}
    findings("97-several", "members and a field", both, {"$.flag": "removed", "$.note": "removed", "sign": "changed"})
    case("98-added", "signed", "a member is put in afterwards", write({**good, "extra": "x"}), uncovered="extra, none")
    case("98-nothing-covered", "signed", "an intent check is put in afterwards", write({**signed(result()), "willModeResult": WILL}),
         uncovered="willModeResult")  # fmt: skip
    case("98-twice-in-the-document", "document", "a covered member twice", write(good).replace(b'"note":', b'"note":"y","note":'))
    almost = write(signed(result(note="x"), "$.note")).replace(b'"note"', b'"order_no"')
    case("98-almost-a-name", "document", "a member that another reader takes for the order", almost)


def pem(key: Any) -> bytes:
    data: bytes = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return data


def spki(point: bytes) -> bytes:
    return bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200") + point


def wrong_keys() -> dict[str, bytes]:
    """What is not taken for a device's key: 68, and forms of a P-256 key that are not the one."""
    secret = SECRETS["one"]
    right = PUBLIC["one"].public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    point = right[26:]
    compressed = bytes([2 + point[-1] % 2]) + point[1:33]
    hybrid = bytes([6 + point[-1] % 2]) + point[1:]
    off = point[:-1] + bytes([point[-1] ^ 1])
    seed = Stream("device ed25519").take(32)
    return {
        "68-p384": pem(ec.derive_private_key(secret, ec.SECP384R1()).public_key()),
        "68-secp256k1": pem(ec.derive_private_key(secret, ec.SECP256K1()).public_key()),
        "68-rsa": pem(private_key("rsa2048.pem").public_key()),
        "68-ed25519": pem(ed25519.Ed25519PrivateKey.from_private_bytes(seed).public_key()),
        "compressed": bytes.fromhex("3039301306072a8648ce3d020106082a8648ce3d030107032200") + compressed,
        "hybrid": spki(hybrid),
        "off-the-curve": spki(off),
        "cut-off": right[:-1],
        "trailing-byte": right + b"\0",
        "point-alone": point,
        "private": ec.derive_private_key(secret, ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
        "empty": b"",
    }


def keys() -> dict[str, bytes]:
    """The registered keys, by name, their other forms, and the thumbprints."""
    files = {f"{name}.pem": pem(key) for name, key in PUBLIC.items()}
    right = PUBLIC["one"].public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    files["one.der"] = right
    files["one.base64"] = base64.b64encode(right)
    files["one.pem.base64"] = base64.b64encode(files["one.pem"])
    for name, kid in KIDS.items():
        files[f"{name}.thumbprint"] = kid.encode("ascii")
    return files | {f"wrong-{name}": data for name, data in wrong_keys().items()}


def vectors() -> dict[str, bytes]:
    cases = Cases()
    for add in (add_holding, add_headers, add_signatures, add_manifests, add_fields, add_members):
        add(cases)
    return cases.files
