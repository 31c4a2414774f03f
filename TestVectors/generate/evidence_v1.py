# SPDX-License-Identifier: Apache-2.0
"""evidence-v1, written from docs/FORMATS.md alone: read, seal and open a payload."""

from __future__ import annotations

import argparse
import base64
import functools
import hashlib
import hmac
import json
import os
import re
import sys
import unicodedata
from dataclasses import dataclass
from typing import Any, Iterable, Optional

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PROFILE = "evidence-v1"
LAYERS = ("json", "payload", "base64", "length", "open", "statement")

# Each sealed field, and the field that holds its wrapped content key.
WRAPPED_KEY_OF = {"userVideoString": "videoEncryptAESKey", "identifyStr": "encryptAESKey"}
SEALING_FIELDS = (*WRAPPED_KEY_OF.keys(), *WRAPPED_KEY_OF.values())

KEY_BYTES, NONCE_BYTES, TAG_BYTES = 32, 12, 16

MAX_DEPTH = 64  # objects and arrays open at once; the document itself is the first
MAX_NAMES = 4096  # in one object
MAX_NAME_BYTES = 1024  # UTF-8, after unescaping
MAX_HELD_NAME_BYTES = 1024 * 1024  # the names, so far, of all objects open at once
MAX_SHORT_CHARACTERS = 4096  # orderNo and wrapped keys


class Refused(Exception):
    """A payload that is not opened, and the layer of FORMATS.md §3 that said so."""

    def __init__(self, layer: str, why: str) -> None:
        assert layer in LAYERS
        super().__init__(f"{layer}: {why}")
        self.layer = layer


# --- Reading (§1.1) ---------------------------------------------------------------------------


def object_from_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """One JSON object; a plain dict would silently keep the last of two equal names."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Refused("json", "a name occurs twice in one object")
    return fields


def refuse_constant(name: str) -> None:
    """Python reads NaN and Infinity; JSON has neither."""
    raise Refused("json", f"{name} is not JSON")


def utf8_length(text: str) -> int:
    """Python lets a lone surrogate escape into a string; UTF-8 has no bytes for it."""
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise Refused("json", "lone surrogate escape") from None


def check_bounds(value: Any, depth: int = 1, held: int = 0) -> None:
    """The bounds on structure, in document order, as a reader of a stream would meet them."""
    if isinstance(value, str):
        utf8_length(value)
    if not isinstance(value, (dict, list)):
        return
    if depth > MAX_DEPTH:
        raise Refused("json", "nested too deeply")
    if isinstance(value, list):
        for item in value:
            check_bounds(item, depth + 1, held)
        return
    if len(value) > MAX_NAMES:
        raise Refused("json", "too many names in one object")
    for name, item in value.items():
        length = utf8_length(name)
        held += length
        if length > MAX_NAME_BYTES or held > MAX_HELD_NAME_BYTES:
            raise Refused("json", "names too long")
        check_bounds(item, depth + 1, held)


class Number(float):
    """A number of a document, with how it is written there."""

    written: str

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.written = text
        return number


def read_document(data: bytes) -> dict[str, Any]:
    """The one JSON object that the whole of `data` is."""
    document = read_json(data)
    if not isinstance(document, dict):
        raise Refused("json", "not an object")
    check_bounds(document)
    return document


def read_json(data: bytes) -> Any:
    """The one JSON value that the whole of `data` is."""
    try:
        text = data.decode("utf-8", errors="strict")
        if text.startswith("\ufeff"):
            raise Refused("json", "byte-order mark")
        return json.loads(
            text,
            object_pairs_hook=object_from_pairs,
            parse_constant=refuse_constant,
            # No number is used; what they are compared with is text.
            parse_int=Number,
            parse_float=Number,
        )
    except ValueError as error:  # bad UTF-8 too
        raise Refused("json", str(error)) from None
    except RecursionError:
        raise Refused("json", "nested too deeply") from None


@dataclass
class Payload:
    """The known fields. None: absent or null."""

    order_no: Optional[str]
    photo: Optional[str]
    sealing: dict[str, Optional[str]]  # by the names of SEALING_FIELDS
    has_sealed_photo: bool


ANDROID_KEY = "userEncryptKey"
PHOTO_KEY = "imageEncryptAESKey"
PAYLOAD_NAMES = ("orderNo", "userImageString", PHOTO_KEY, *WRAPPED_KEY_OF.keys(), *WRAPPED_KEY_OF.values())


# Default_Ignorable_Code_Point (DerivedCoreProperties.txt), as ranges.
IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)


def is_ignorable(c: str) -> bool:
    return not c.isascii() and any(a <= ord(c) <= b for a, b in IGNORABLE)


def changes_when_folded(c: str) -> bool:
    """Changes_When_NFKC_Casefolded (UAX #44), for a character that is not ignorable."""
    nfkc, nfd = (lambda text: unicodedata.normalize("NFKC", text)), unicodedata.normalize("NFD", c)
    return nfkc(nfkc(nfd.casefold()).casefold()) != c


@functools.cache
def loosely(name: str) -> str:
    """The name's letters and digits in lower case; U+0000 for what may stand for any characters."""
    folded = (lower for c in name for upper in c.upper() for lower in upper.lower())
    kept = ""
    for c in folded:
        if is_ignorable(c):
            continue
        if not c.isascii() and changes_when_folded(c):
            kept += "\0"
        elif unicodedata.category(c) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No"):
            kept += c
    return kept


@functools.cache
def is_loosely(name: str, known: str) -> bool:
    """Whether a reader could take one name for another."""
    patterns = (".*".join(map(re.escape, loosely(form).split("\0"))) for form in (name, name.split("\0")[0]))
    return any(re.fullmatch(pattern, loosely(known), re.DOTALL) for pattern in patterns)


# What JavaScript finds in every object, and what fastjson acts on.
ACTED_ON = ("__proto__", "constructor", "prototype", "$ref", "@type")


def almost(name: str, known: Iterable[str]) -> bool:
    """Whether a name that is not a known one could be taken for one, or for a field of another object."""
    known = list(known)
    return name not in known and (name in ACTED_ON or any(is_loosely(name, other) for other in known))


def text_field(holder: dict[str, Any], name: str) -> Optional[str]:
    value = holder.get(name)
    if value is not None and not isinstance(value, str):
        raise Refused("payload", f"{name} is not a string")
    return value


def is_filled(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def only_one(values: list[Optional[str]], name: str) -> Optional[str]:
    present = [value for value in values if value is not None]
    if len(present) > 1:
        raise Refused("payload", f"{name} occurs in both objects")
    return present[0] if present else None


def read_payload(data: bytes) -> Payload:
    """Which object, which order, which photo."""
    top = read_document(data)
    inner = top.get("simpleModeResult")
    holders = [top, inner] if isinstance(inner, dict) else [top]
    for holder in holders:
        if any(almost(name, [*PAYLOAD_NAMES, ANDROID_KEY, "simpleModeResult"]) for name in holder):
            raise Refused("payload", "a name is almost a known one")

    # Android's documented name for the wrapped key is read where it stands alone.
    both = [holder for holder in holders if holder.get(ANDROID_KEY) is not None and holder.get("videoEncryptAESKey") is not None]
    for holder in holders:
        if holder.get(ANDROID_KEY) is not None and holder not in both:
            holder["videoEncryptAESKey"] = holder.pop(ANDROID_KEY)

    # A bound answers in the first layer, so it is looked at before anything else is.
    for holder in holders:
        for name in ("orderNo", PHOTO_KEY, *WRAPPED_KEY_OF.values(), ANDROID_KEY):
            value = holder.get(name)
            if isinstance(value, str) and len(value) > MAX_SHORT_CHARACTERS:
                raise Refused("json", f"{name} is too long")

    if both:
        raise Refused("payload", "the wrapped key is there under two names")
    if inner is not None and not isinstance(inner, dict):
        raise Refused("payload", "simpleModeResult is not an object")
    sealed_outside = any(top.get(name) is not None for name in SEALING_FIELDS)
    if inner is not None and sealed_outside:
        raise Refused("payload", "two candidates for the payload object")

    orders = [text_field(holder, "orderNo") for holder in holders]
    if len({order for order in orders if order is not None}) > 1:
        raise Refused("payload", "two different order numbers")
    if any(order is not None and not is_order_no(order) for order in orders):
        raise Refused("payload", "orderNo is badly formed")
    return Payload(
        order_no=next((order for order in orders if order is not None), None),
        photo=only_one([text_field(holder, "userImageString") for holder in holders], "userImageString"),
        sealing={name: text_field(holders[-1], name) for name in SEALING_FIELDS},
        has_sealed_photo=any([text_field(holder, PHOTO_KEY) for holder in holders]),
    )


def strict_base64(text: str) -> bytes:
    """RFC 4648 §4: only the text that encoding gives back is accepted."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        raise Refused("base64", "not base64") from None
    if base64.b64encode(data).decode("ascii") != text:
        raise Refused("base64", "not canonical base64")
    return data


# --- Sealing and opening (§2) -----------------------------------------------------------------


def oaep() -> padding.OAEP:
    return padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)


def check_public_key(key: Any) -> None:
    if not isinstance(key, rsa.RSAPublicKey):
        raise ValueError("not an RSA key")
    exponent = key.public_numbers().e
    if not 2048 <= key.key_size <= 8192 or exponent < 65537 or exponent % 2 == 0:
        raise ValueError("RSA key too weak or too large")


def is_order_no(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9]{1,32}", text) is not None


def associated_data(field: str, order_no: str) -> bytes:
    return f"{PROFILE}\n{field}\n{order_no}\n".encode("ascii")


def write_payload(order_no: str, wrapped: bytes, sealed: bytes, field: str = "userVideoString") -> bytes:
    """§1.2. None of the values has a character that JSON would have to escape."""
    fields = {
        "orderNo": order_no,
        WRAPPED_KEY_OF[field]: base64.b64encode(wrapped).decode("ascii"),
        field: base64.b64encode(sealed).decode("ascii"),
    }
    return json.dumps(fields, separators=(",", ":")).encode("ascii") + b"\n"


def seal(plaintext: bytes, public_key: Any, order_no: str, field: str = "userVideoString") -> bytes:
    """A payload that only the private key opens."""
    check_public_key(public_key)
    if not is_order_no(order_no):
        raise ValueError("an order number is 1 to 32 ASCII letters or digits")
    content_key, nonce = os.urandom(KEY_BYTES), os.urandom(NONCE_BYTES)
    ciphertext_and_tag = AESGCM(content_key).encrypt(nonce, plaintext, associated_data(field, order_no))
    wrapped = public_key.encrypt(content_key, oaep())
    return write_payload(order_no, wrapped, nonce + ciphertext_and_tag, field)


def substitute(wrapped: bytes, private_key: rsa.RSAPrivateKey, count: int = KEY_BYTES) -> bytes:
    """What stands for a key that does not unwrap: a bad wrapped key must look like a bad tag."""
    numbers, size = private_key.private_numbers(), (private_key.key_size + 7) // 8
    primes = sorted((numbers.p, numbers.q), reverse=True)
    secret = hmac.digest(b"evidence-kit implicit rejection 1", b"".join(prime.to_bytes(size, "big") for prime in primes), "sha256")
    pieces = [hmac.digest(secret, wrapped + bytes([i] if i else []), "sha256") for i in range(count // 32 + 1)]
    return b"".join(pieces)[:count]


def unwrap(wrapped: bytes, private_key: rsa.RSAPrivateKey) -> bytes:
    """The content key, or a substitute."""
    try:
        content_key = private_key.decrypt(wrapped, oaep())
    except ValueError:
        content_key = b""
    return content_key if len(content_key) == KEY_BYTES else substitute(wrapped, private_key)


def open_sealed(data: bytes, private_key: Any, field: str = "userVideoString") -> bytes:
    """The plaintext of a sealed field; whoever holds a private key never gets plain video."""
    check_public_key(private_key.public_key())
    payload = read_payload(data)
    sealed_text = payload.sealing[field]
    wrapped_text = payload.sealing[WRAPPED_KEY_OF[field]]
    if sealed_text is None:
        raise Refused("payload", f"no {field}")
    if not wrapped_text:
        raise Refused("payload", f"{field} is not sealed")
    if payload.order_no is None:
        raise Refused("payload", "orderNo is missing")

    wrapped = strict_base64(wrapped_text)
    sealed = strict_base64(sealed_text)

    if len(wrapped) != (private_key.key_size + 7) // 8:
        raise Refused("length", "the wrapped key is not as long as the modulus")
    if len(sealed) < NONCE_BYTES + TAG_BYTES:
        raise Refused("length", "the sealed field is too short")

    content_key = unwrap(wrapped, private_key)
    nonce, ciphertext_and_tag = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
    try:
        return AESGCM(content_key).decrypt(nonce, ciphertext_and_tag, associated_data(field, payload.order_no))
    except InvalidTag:
        raise Refused("open", "cannot open") from None


def open_plain(data: bytes) -> bytes:
    """Video that was never sealed, asked for by name."""
    payload = read_payload(data)
    video = payload.sealing["userVideoString"]
    if payload.sealing["videoEncryptAESKey"] and not is_visible_video(video):
        raise Refused("payload", "the video is sealed")
    if not video:
        raise Refused("payload", "no video")
    return strict_base64(video)


def is_visible_video(text: Optional[str]) -> bool:
    """Whether the bytes begin like MP4 (ISO/IEC 14496-12, 4.3) as they stand. The vectors have no other video."""
    try:
        head = strict_base64(text or "")[:12]
    except Refused:
        return False
    return head[:2] == b"\0\0" and head[4:8] == b"ftyp"


def open_photo(data: bytes) -> bytes:
    """The photo, where it is not sealed."""
    payload = read_payload(data)
    if not payload.photo:
        raise Refused("payload", "no photo")
    if payload.has_sealed_photo:
        raise Refused("payload", "the photo is sealed")
    return strict_base64(payload.photo)


# --- Command ----------------------------------------------------------------------------------


def read_file(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    sealing = commands.add_parser("seal", help="video on standard input, payload on standard output")
    sealing.add_argument("--public", required=True, metavar="PUB.pem")
    sealing.add_argument("--order-no", required=True)
    sealing.add_argument("--field", choices=tuple(WRAPPED_KEY_OF), default="userVideoString")
    opening = commands.add_parser("open", help="payload on standard input, video on standard output")
    opening.add_argument("--key", metavar="KEY.pem", help="not for --plain, nor for the photo")
    opening.add_argument("--plain", action="store_true", help="a video that was never sealed")
    opening.add_argument("--field", choices=(*WRAPPED_KEY_OF, "userImageString"), default="userVideoString")
    options = parser.parse_args()

    if options.command == "open":
        photo = options.field == "userImageString"
        if options.plain and options.field != "userVideoString":
            parser.error("--plain is for the video")
        if bool(options.key) == (options.plain or photo):
            parser.error("give either --key, or --plain, or the field of the photo")

    try:
        if options.command == "seal":
            public_key = serialization.load_pem_public_key(read_file(options.public))
            result = seal(sys.stdin.buffer.read(), public_key, options.order_no, options.field)
        elif photo:
            result = open_photo(sys.stdin.buffer.read())
        elif options.plain:
            result = open_plain(sys.stdin.buffer.read())
        else:
            private_key = serialization.load_pem_private_key(read_file(options.key), password=None)
            result = open_sealed(sys.stdin.buffer.read(), private_key, options.field)
    except Refused as refusal:
        print(refusal.layer, file=sys.stderr)
        return 1
    except (OSError, TypeError, ValueError) as error:  # the key or the order number, not the payload
        print(f"error: {error}", file=sys.stderr)
        return 2
    sys.stdout.buffer.write(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
