# SPDX-License-Identifier: Apache-2.0
"""ECDSA on P-256 with the nonce of RFC 6979, so that a vector comes out the same every time. For tests alone: nothing
here takes constant time."""

from __future__ import annotations

import hashlib
import hmac
from typing import Iterator

from cryptography.hazmat.primitives.asymmetric import ec

N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def nonces(secret: int, digest: bytes) -> Iterator[int]:
    """RFC 6979 §3.2, SHA-256; one after the other, as its step h goes on."""
    v, k = b"\1" * 32, b"\0" * 32
    seed = secret.to_bytes(32, "big") + (int.from_bytes(digest, "big") % N).to_bytes(32, "big")
    for tag in (b"\0", b"\1"):
        k = hmac.digest(k, v + tag + seed, "sha256")
        v = hmac.digest(k, v, "sha256")
    while True:
        v = hmac.digest(k, v, "sha256")
        if 1 <= int.from_bytes(v, "big") < N:
            yield int.from_bytes(v, "big")
        k = hmac.digest(k, v + b"\0", "sha256")
        v = hmac.digest(k, v, "sha256")


def sign(secret: int, message: bytes) -> tuple[int, int]:
    digest = hashlib.sha256(message).digest()
    for nonce in nonces(secret, digest):
        r = public_key(nonce).public_numbers().x % N
        s = pow(nonce, -1, N) * (int.from_bytes(digest, "big") + r * secret) % N
        if r and s:
            return r, s
    raise AssertionError("nonces do not end")


def raw(r: int, s: int) -> bytes:
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def public_key(secret: int) -> ec.EllipticCurvePublicKey:
    return ec.derive_private_key(secret, ec.SECP256R1()).public_key()


def check() -> None:
    """RFC 6979 §A.2.5, SHA-256, the message `sample`."""
    secret = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
    assert sign(secret, b"sample") == (
        0xEFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716,
        0xF7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8,
    )


check()
