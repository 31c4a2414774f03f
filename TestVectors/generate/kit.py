# SPDX-License-Identifier: Apache-2.0
"""What the cases of the test kit are made with."""

from __future__ import annotations

import base64
import hashlib
import os
from typing import Optional

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import evidence_v2
import rsa_by_hand as by_hand
from evidence_v1 import associated_data, write_payload
from rsa_by_hand import Stream

KEY = "rsa3072.pem"
ORDER = "order20250001"
ORDER_FIELD = b'"orderNo":"order20250001"'
VIDEO = b"not a video, but bytes all the same; " * 4
PHOTO = b"not a photo either"
MEDIA = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "media")


def b64(data: bytes) -> bytes:
    return base64.b64encode(data)


def once(data: bytes, old: bytes, new: bytes) -> bytes:
    """Replace what occurs exactly once."""
    assert data.count(old) == 1, old
    return data.replace(old, new)


def media(name: str) -> bytes:
    with open(os.path.join(MEDIA, name), "rb") as file:
        return file.read()


def seal_field(
    name: str,
    plaintext: bytes,
    order: str = ORDER,
    field: str = "userVideoString",
    content_key: Optional[bytes] = None,
    aad: Optional[bytes] = None,
) -> tuple[bytes, bytes]:
    """The content key and the sealed field; `content_key` and `aad` to do it wrongly."""
    stream = Stream(f"seal {name}")
    fresh, nonce = stream.take(32), stream.take(12)
    key = fresh if content_key is None else content_key
    if aad is None:
        aad = associated_data(field, order)
    return key, nonce + AESGCM(key).encrypt(nonce, plaintext, aad)


def seal_v2(name: str, plaintext: bytes, order: str = ORDER, field: str = "userVideoString") -> tuple[bytes, bytes]:
    """What is wrapped, and the sealed field, of evidence-v2."""
    stream = Stream(f"seal v2 {name}")
    content_key, salt = stream.take(32), stream.take(24)
    return evidence_v2.PREFIX + content_key, evidence_v2.seal_field(plaintext, content_key, salt, evidence_v2.context(field, order))


def wrap(
    name: str,
    content_key: bytes,
    key: str = KEY,
    hash_name: str = "SHA-256",
    mgf1_hash: str = "SHA-256",
    label: bytes = b"",
) -> bytes:
    """The wrapped key; the last three arguments to do it wrongly."""
    return by_hand.oaep_wrap(content_key, key, Stream(f"wrap {name}"), hash_name, mgf1_hash, label)


def wrap_to_leading_zero(content_key: bytes) -> bytes:
    """About one wrapped key in 256 begins with a zero byte; bare big numbers would lose it."""
    for attempt in range(100000):
        wrapped = wrap(f"leading zero {attempt}", content_key)
        if wrapped[0] == 0:
            return wrapped
    raise AssertionError("no luck")


def changed(data: bytes, index: int) -> bytes:
    """One bit of one byte changed."""
    result = bytearray(data)
    result[index] ^= 0x80
    return bytes(result)


def sealed_payload(name: str, plaintext: bytes, key: str = KEY, order: str = ORDER) -> bytes:
    """A payload as §1.2 writes it."""
    content_key, sealed = seal_field(name, plaintext, order)
    return write_payload(order, wrap(name, content_key, key), sealed)


def plain_payload(key_field: bytes = b"", video: Optional[bytes] = None) -> bytes:
    text = b64(media("clip.mp4")) if video is None else video
    return b'{"orderNo":"%s",%s"userVideoString":"%s"}\n' % (ORDER.encode(), key_field, text)


class Kit:
    def __init__(self) -> None:
        self.cases: dict[str, bytes] = {}
        # The payload that most cases are made from: it opens, so their one fault is what is refused.
        self.content_key, self.sealed = seal_field("base", VIDEO)
        self.wrapped = wrap("base", self.content_key)
        self.base = write_payload(ORDER, self.wrapped, self.sealed)

    def case(
        self,
        name: str,
        expect: str,
        comment: str,
        payload: bytes,
        released: bytes = b"",
        key: Optional[str] = KEY,
        mode: str = "sealed",
        derive: Optional[str] = None,
        profile: str = "evidence-v1",
    ) -> None:
        assert name not in self.cases, name
        header = {
            "expect": expect,
            "payload": hashlib.sha256(released).hexdigest(),
            "profile": profile,
            "mode": mode,
            "key": key if mode == "sealed" else None,
            "derive": derive,
            "comment": comment,
        }
        lines = [f"{name}: {value}\n" for name, value in header.items() if value is not None]
        self.cases[name] = "".join(lines).encode("ascii") + b"\n" + payload

    def opens(
        self, name: str, comment: str, payload: bytes, released: bytes = VIDEO, key: str = KEY, profile: str = "evidence-v1"
    ) -> None:
        self.case(name, "success", comment, payload, released, key, profile=profile)

    # Payloads with one thing changed, as bytes so that they need not be JSON any more.

    def with_fields(self, first: bytes = b"", last: bytes = b"") -> bytes:
        """The base payload with text put before its first field, after its last one, or both."""
        inside = self.base[1:-2]
        return b"{" + first + inside + last + b"}\n"

    def with_unknown(self, value: bytes) -> bytes:
        return self.with_fields(first=b'"extra":' + value + b",")

    def whole_result(self, outer: bytes = ORDER_FIELD + b",", inner: Optional[bytes] = None) -> bytes:
        inside = self.base[:-1] if inner is None else inner
        return b'{"isSuccess":true,' + outer + b'"simpleModeResult":' + inside + b"}\n"

    def without_order(self) -> bytes:
        return once(self.base, ORDER_FIELD + b",", b"")

    def with_order(self, value: bytes) -> bytes:
        """`value` is JSON."""
        return once(self.base, ORDER_FIELD, b'"orderNo":' + value)

    def with_key(self, value: bytes) -> bytes:
        return once(self.base, b'"' + b64(self.wrapped) + b'"', value)

    def with_video(self, value: bytes) -> bytes:
        return once(self.base, b'"' + b64(self.sealed) + b'"', value)


def deep(levels: int) -> bytes:
    """A value of that many levels, objects and arrays in turn."""
    opening, closing = b"", b""
    for level in range(levels):
        opening += b"[" if level % 2 else b'{"a":'
        closing = (b"]" if level % 2 else b"}") + closing
    return opening + b"1" + closing


def names(count: int, length: int) -> bytes:
    """An object with `count` different names of `length` bytes."""
    return b"{" + b",".join(b'"%s":0' % str(i).encode().rjust(length, b"n") for i in range(count)) + b"}"


def text_of_escapes(text: bytes) -> bytes:
    return b"".join(b"\\u%04x" % byte for byte in text)
