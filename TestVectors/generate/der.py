# SPDX-License-Identifier: Apache-2.0
"""DER (X.690), as much as keys need, and the ways in which it goes wrong: no library writes those."""

from __future__ import annotations

RSA_ENCRYPTION = bytes.fromhex("06092a864886f70d010101")
NULL = b"\x05\x00"


def length(count: int) -> bytes:
    if count < 0x80:
        return bytes([count])
    digits = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(digits)]) + digits


def tagged(tag: int, content: bytes) -> bytes:
    return bytes([tag]) + length(len(content)) + content


def loosely(tag: int, content: bytes) -> bytes:
    """With one byte more in the length than it needs: BER, not DER."""
    digits = len(content).to_bytes((len(content).bit_length() + 7) // 8 + 1, "big")
    return bytes([tag, 0x80 | len(digits)]) + digits + content


def without_length(tag: int, content: bytes) -> bytes:
    """Of indefinite length: BER, not DER."""
    return bytes([tag, 0x80]) + content + b"\x00\x00"


def integer(number: int) -> bytes:
    return tagged(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True))


def sequence(*parts: bytes) -> bytes:
    return tagged(0x30, b"".join(parts))


def octets(content: bytes) -> bytes:
    return tagged(0x04, content)


def bits(content: bytes, unused: int = 0) -> bytes:
    return tagged(0x03, bytes([unused]) + content)


def algorithm(identifier: bytes = RSA_ENCRYPTION, parameters: bytes = NULL) -> bytes:
    return sequence(identifier, parameters)


def spki(key: bytes, algorithm_identifier: bytes = algorithm()) -> bytes:
    """SubjectPublicKeyInfo (RFC 5280 §4.1.2.7)."""
    return sequence(algorithm_identifier, bits(key))


def pkcs8(key: bytes, algorithm_identifier: bytes = algorithm(), version: int = 0, rest: bytes = b"") -> bytes:
    """PrivateKeyInfo (RFC 5958)."""
    return sequence(integer(version), algorithm_identifier, octets(key), rest)


def integers(*numbers: int) -> bytes:
    """RSAPublicKey or RSAPrivateKey (RFC 8017 §A.1)."""
    return sequence(*(integer(number) for number in numbers))
