# SPDX-License-Identifier: Apache-2.0
"""evidence-v2, written from docs/FORMATS.md §8 alone: seal and open a field in chunks."""

from __future__ import annotations

import argparse
import hmac
import os
import sys
from typing import Any, Optional

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

import evidence_v1
from evidence_v1 import (
    WRAPPED_KEY_OF,
    Refused,
    check_public_key,
    is_order_no,
    oaep,
    read_file,
    read_payload,
    strict_base64,
    write_payload,
)

PROFILE = "evidence-v2"
LABEL = b"c2sp.org/chunked-encryption@v1+" + b"AEAD_AES_256_GCM" + b"\x00"
PREFIX = b"evidence-v2\n"
KEY_BYTES, SALT_BYTES, COMMITMENT_BYTES, TAG_BYTES = 32, 24, 32, 16
HEADER_BYTES = SALT_BYTES + COMMITMENT_BYTES
FULL = 16_384
SEALED = FULL + TAG_BYTES
MAX_CHUNKS = 2**32


def context(field: str, order_no: str) -> bytes:
    return f"{PROFILE}\n{field}\n{order_no}\n".encode("ascii")


class Keys:
    """What is derived from the content key of one field."""

    def __init__(self, content_key: bytes, salt: bytes, what_for: bytes) -> None:
        assert len(content_key) == KEY_BYTES and len(salt) == SALT_BYTES
        okm = HKDFExpand(hashes.SHA512(), 76, LABEL + salt + what_for).derive(content_key)
        self.key, self.base, self.commitment = okm[:32], okm[32:44], okm[44:]
        self.cipher = AESGCM(self.key)

    def nonce(self, number: int) -> bytes:
        return self.base[:4] + (int.from_bytes(self.base[4:], "big") ^ number).to_bytes(8, "big")

    def seal_chunk(self, number: int, plaintext: bytes) -> bytes:
        return self.cipher.encrypt(self.nonce(number), plaintext, None)

    def open_chunk(self, number: int, chunk: bytes) -> bytes:
        if number >= MAX_CHUNKS:
            raise Refused("open", "too many chunks")
        try:
            return self.cipher.decrypt(self.nonce(number), chunk, None)
        except InvalidTag:
            raise Refused("open", "cannot open") from None


def seal_field(plaintext: bytes, content_key: bytes, salt: bytes, what_for: bytes) -> bytes:
    """Salt, commitment, full chunks, and the last one, which is never full."""
    keys = Keys(content_key, salt, what_for)
    count = len(plaintext) // FULL + 1
    chunks = (keys.seal_chunk(i, plaintext[i * FULL : (i + 1) * FULL]) for i in range(count))
    return salt + keys.commitment + b"".join(chunks)


def has_possible_length(length: int) -> bool:
    return length >= HEADER_BYTES + TAG_BYTES and (length - HEADER_BYTES) % SEALED >= TAG_BYTES


def content_length(length: int) -> int:
    return length - HEADER_BYTES - TAG_BYTES * ((length - HEADER_BYTES) // SEALED + 1)


def open_field(sealed: bytes, content_key: bytes, what_for: bytes, released: Optional[bytearray] = None) -> bytes:
    """The content; `released` gets every chunk after its own tag, as a reader that streams hands it out."""
    salt, commitment = sealed[:SALT_BYTES], sealed[SALT_BYTES:HEADER_BYTES]
    if len(sealed) < HEADER_BYTES:
        raise Refused("open", "cannot open")
    keys = Keys(content_key, salt, what_for)
    if not hmac.compare_digest(keys.commitment, commitment):
        raise Refused("open", "cannot open")
    rest = sealed[HEADER_BYTES:]
    content = bytearray() if released is None else released
    number = 0
    while len(rest) >= SEALED:
        content += keys.open_chunk(number, rest[:SEALED])
        rest = rest[SEALED:]
        number += 1
    if len(rest) < TAG_BYTES:
        raise Refused("open", "cannot open")
    content += keys.open_chunk(number, rest)
    return bytes(content)


def seal(plaintext: bytes, public_key: Any, order_no: str, field: str = "userVideoString") -> bytes:
    """A payload that only the private key opens."""
    check_public_key(public_key)
    if not is_order_no(order_no):
        raise ValueError("an order number is 1 to 32 ASCII letters or digits")
    content_key, salt = os.urandom(KEY_BYTES), os.urandom(SALT_BYTES)
    sealed = seal_field(plaintext, content_key, salt, context(field, order_no))
    return write_payload(order_no, public_key.encrypt(PREFIX + content_key, oaep()), sealed, field)


def unwrap(wrapped: bytes, private_key: rsa.RSAPrivateKey) -> bytes:
    """The content key, or a substitute."""
    try:
        message = private_key.decrypt(wrapped, oaep())
    except ValueError:
        message = b""
    if len(message) == len(PREFIX) + KEY_BYTES and message.startswith(PREFIX):
        return message[len(PREFIX) :]
    return evidence_v1.substitute(wrapped, private_key)


def open_sealed(
    data: bytes,
    private_key: Any,
    field: str = "userVideoString",
    released: Optional[bytearray] = None,
) -> bytes:
    """The content of a sealed field."""
    check_public_key(private_key.public_key())
    payload = read_payload(data)
    sealed_text, wrapped_text = payload.sealing[field], payload.sealing[WRAPPED_KEY_OF[field]]
    if sealed_text is None:
        raise Refused("payload", f"no {field}")
    if not wrapped_text:
        raise Refused("payload", f"{field} is not sealed")
    if payload.order_no is None:
        raise Refused("payload", "orderNo is missing")
    if len(sealed_text) % 4:
        raise Refused("length", "no content is sealed in so many characters")
    wrapped, sealed = strict_base64(wrapped_text), strict_base64(sealed_text)
    if len(wrapped) != (private_key.key_size + 7) // 8:
        raise Refused("length", "the wrapped key is not as long as the modulus")
    if not has_possible_length(len(sealed)):
        raise Refused("length", "no content is sealed in so many bytes")
    return open_field(sealed, unwrap(wrapped, private_key), context(field, payload.order_no), released)


def open_range(data: bytes, private_key: Any, start: int, end: int, field: str = "userVideoString") -> bytes:
    """Bytes `start` to `end` (not included) of the content, out of the characters that they need (§8.4)."""
    check_public_key(private_key.public_key())
    payload = read_payload(data)
    sealed_text, wrapped_text = payload.sealing[field], payload.sealing[WRAPPED_KEY_OF[field]]
    if sealed_text is None or not wrapped_text or payload.order_no is None:
        raise Refused("payload", f"no sealed {field}")
    if b'"' + sealed_text.encode() + b'"' not in data:
        raise Refused("ranges", "a character is escaped")
    wrapped = strict_base64(wrapped_text)
    if len(wrapped) != (private_key.key_size + 7) // 8:
        raise Refused("length", "the wrapped key is not as long as the modulus")
    content_key = unwrap(wrapped, private_key)
    what_for = context(field, payload.order_no)

    def part(first: int, last: int) -> bytes:
        group = first // 3
        text = sealed_text[4 * group : 4 * ((last + 2) // 3)]
        if "=" in text and 4 * ((last + 2) // 3) < len(sealed_text):
            raise Refused("open", "padding before the end of the field")
        return strict_base64(text)[first - 3 * group : last - 3 * group]

    length = len(sealed_text) // 4 * 3 - sealed_text.count("=")
    if len(sealed_text) % 4 or not has_possible_length(length):
        raise Refused("length", "no content is sealed in so many bytes")
    header = part(0, HEADER_BYTES)
    keys = Keys(content_key, header[:SALT_BYTES], what_for)
    if not hmac.compare_digest(keys.commitment, header[SALT_BYTES:]):
        raise Refused("open", "cannot open")

    def chunk(number: int) -> bytes:
        first = HEADER_BYTES + SEALED * number
        return keys.open_chunk(number, part(first, min(first + SEALED, length)))

    chunk((length - HEADER_BYTES) // SEALED)
    end = min(end, content_length(length))
    if start >= end:
        return b""
    first = start // FULL
    content = b"".join(chunk(i) for i in range(first, (end - 1) // FULL + 1))
    return content[start - first * FULL : end - first * FULL]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    sealing = commands.add_parser("seal", help="video on standard input, payload on standard output")
    sealing.add_argument("--public", required=True, metavar="PUB.pem")
    sealing.add_argument("--order-no", required=True)
    opening = commands.add_parser("open", help="payload on standard input, video on standard output")
    opening.add_argument("--key", required=True, metavar="KEY.pem")
    for command in (sealing, opening):
        command.add_argument("--field", choices=tuple(WRAPPED_KEY_OF), default="userVideoString")
    options = parser.parse_args()
    try:
        if options.command == "seal":
            public_key = serialization.load_pem_public_key(read_file(options.public))
            result = seal(sys.stdin.buffer.read(), public_key, options.order_no, options.field)
        else:
            private_key = serialization.load_pem_private_key(read_file(options.key), password=None)
            result = open_sealed(sys.stdin.buffer.read(), private_key, options.field)
    except Refused as refusal:
        print(refusal.layer, file=sys.stderr)
        return 1
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    sys.stdout.buffer.write(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
