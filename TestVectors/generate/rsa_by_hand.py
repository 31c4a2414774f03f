# SPDX-License-Identifier: Apache-2.0
"""RSA encryption with the random bytes given, so that a vector comes out the same every time."""

from __future__ import annotations

import hashlib
import os
from typing import Callable, Optional

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

KEYS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "keys")

HASHES: dict[str, Callable[[], hashes.HashAlgorithm]] = {
    "SHA-1": hashes.SHA1,
    "SHA-256": hashes.SHA256,
    "SHA-384": hashes.SHA384,
    "SHA-512": hashes.SHA512,
}
_loaded: dict[str, rsa.RSAPrivateKey] = {}


class Stream:
    """Reproducible "random" bytes: SHA-256(label ‖ counter). One label for each use, so that
    a new vector does not change the others."""

    def __init__(self, label: str) -> None:
        self.label = label.encode("utf-8")
        self.counter = 0
        self.rest = b""

    def take(self, count: int) -> bytes:
        pieces = [self.rest]
        have = len(self.rest)
        while have < count:
            pieces.append(hashlib.sha256(self.label + self.counter.to_bytes(8, "big")).digest())
            self.counter += 1
            have += 32
        everything = b"".join(pieces)
        self.rest = everything[count:]
        return everything[:count]


def private_key(file: str) -> rsa.RSAPrivateKey:
    if file not in _loaded:
        with open(os.path.join(KEYS, file), "rb") as pem:
            key = serialization.load_pem_private_key(pem.read(), password=None, unsafe_skip_rsa_key_validation=True)
        assert isinstance(key, rsa.RSAPrivateKey)
        _loaded[file] = key
    return _loaded[file]


def modulus(file: str) -> int:
    return private_key(file).public_key().public_numbers().n


def modulus_bytes(file: str) -> int:
    return (private_key(file).key_size + 7) // 8


def digest(hash_name: str, data: bytes) -> bytes:
    return hashlib.new(hash_name.replace("-", ""), data).digest()


def xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right))


def mgf1(seed: bytes, length: int, hash_name: str) -> bytes:
    """RFC 8017 §B.2.1."""
    mask = b""
    for counter in range(-(-length // len(digest(hash_name, b"")))):
        mask += digest(hash_name, seed + counter.to_bytes(4, "big"))
    return mask[:length]


def oaep_block(
    message: bytes,
    seed: bytes,
    size: int,
    hash_name: str = "SHA-256",
    mgf1_hash: str = "SHA-256",
    label: bytes = b"",
    data_block: Optional[bytes] = None,
    first_byte: int = 0,
) -> bytes:
    """RFC 8017 §7.1.1 step 2; `data_block` and `first_byte` make malformed blocks."""
    label_hash = digest(hash_name, label)
    assert len(seed) == len(label_hash)
    room = size - len(seed) - 1
    if data_block is None:
        zeros = room - len(label_hash) - 1 - len(message)
        assert zeros >= 0, "message too long"
        data_block = label_hash + bytes(zeros) + b"\x01" + message
    assert len(data_block) == room
    masked_block = xor(data_block, mgf1(seed, room, mgf1_hash))
    masked_seed = xor(seed, mgf1(masked_block, len(seed), mgf1_hash))
    return bytes([first_byte]) + masked_seed + masked_block


def pkcs1_v15_block(message: bytes, stream: Stream, size: int) -> bytes:
    """RFC 8017 §7.2.1 step 2: 00 02, at least eight bytes that are not zero, 00, message."""
    count = size - 3 - len(message)
    assert count >= 8, "message too long"
    return b"\x00\x02" + nonzero(stream, count) + b"\x00" + message


def nonzero(stream: Stream, count: int) -> bytes:
    return bytes(1 + byte % 255 for byte in stream.take(count))


def pkcs1_v15_message(block: bytes) -> Optional[bytes]:
    """RFC 8017 §7.2.2 step 3; None where the block is malformed."""
    if block[:2] != b"\x00\x02":
        return None
    end = block.find(b"\x00", 2)
    return block[end + 1 :] if end >= 10 else None


def encrypt_block(block: bytes, file: str) -> bytes:
    """The bare RSA operation."""
    numbers = private_key(file).public_key().public_numbers()
    number = int.from_bytes(block, "big")
    assert number < numbers.n
    return pow(number, numbers.e, numbers.n).to_bytes(modulus_bytes(file), "big")


def decrypt_block(wrapped: bytes, file: str) -> bytes:
    numbers = private_key(file).private_numbers()
    number = pow(int.from_bytes(wrapped, "big"), numbers.d, numbers.public_numbers.n)
    return number.to_bytes(modulus_bytes(file), "big")


def oaep_wrap(
    message: bytes,
    file: str,
    stream: Stream,
    hash_name: str = "SHA-256",
    mgf1_hash: str = "SHA-256",
    label: bytes = b"",
) -> bytes:
    """RSAES-OAEP, checked by opening the result with another implementation."""
    seed = stream.take(len(digest(hash_name, b"")))
    block = oaep_block(message, seed, modulus_bytes(file), hash_name, mgf1_hash, label)
    wrapped = encrypt_block(block, file)
    assert oaep_unwrap(wrapped, file, hash_name, mgf1_hash, label) == message
    return wrapped


def oaep_unwrap(wrapped: bytes, file: str, hash_name: str, mgf1_hash: str, label: bytes = b"") -> Optional[bytes]:
    """What `cryptography` says; None where it refuses."""
    scheme = padding.OAEP(mgf=padding.MGF1(HASHES[mgf1_hash]()), algorithm=HASHES[hash_name](), label=label or None)
    try:
        return private_key(file).decrypt(wrapped, scheme)
    except ValueError:
        return None


def pkcs1_v15_wrap(message: bytes, file: str, stream: Stream) -> bytes:
    """RSAES-PKCS1-v1_5, checked by opening the result with another implementation."""
    wrapped = encrypt_block(pkcs1_v15_block(message, stream, modulus_bytes(file)), file)
    assert private_key(file).decrypt(wrapped, padding.PKCS1v15()) == message
    return wrapped
