# SPDX-License-Identifier: Apache-2.0
"""evidence_v2.py against the Cobblestone-256 of the package `cryptography` (50 or later): each opens what the other sealed,
and neither what was cut off; nor do the package's older vectors, of SHA-256, open here."""

from __future__ import annotations

import base64
import json
import os
import sys

import cryptography_vectors
from cryptography.cobblestone import Cobblestone256Decryptor, Cobblestone256Encryptor

from evidence_v1 import Refused
from evidence_v2 import context, open_field, seal_field


def opened(sealed: bytes, key: bytes, what_for: bytes) -> object:
    try:
        return open_field(sealed, key, what_for)
    except Refused:
        return None


def opened_there(sealed: bytes, key: bytes, what_for: bytes) -> object:
    decryptor = Cobblestone256Decryptor(key, what_for)
    try:
        content = bytes(decryptor.update(sealed))
        return content + bytes(decryptor.finalize() or b"")
    except Exception:
        return None


def main() -> int:
    count = 0
    what_for = context("userVideoString", "ord1")
    for size in (0, 1, 15, 16, 17, 16_383, 16_384, 16_385, 32_768, 40_000, 16_384 * 257):
        content, key = os.urandom(size), os.urandom(32)
        encryptor = Cobblestone256Encryptor(key, what_for)
        theirs = bytes(encryptor.update(content)) + bytes(encryptor.finalize())
        ours = seal_field(content, key, theirs[:24], what_for)
        assert ours == theirs and opened(theirs, key, what_for) == content == opened_there(ours, key, what_for), size
        for length in {len(ours) - 1, len(ours) - 16, len(ours) - 17, 56, 57, len(ours) // 2} - {len(ours)}:
            if 0 < length < len(ours):
                assert opened(ours[:length], key, what_for) is None is opened_there(ours[:length], key, what_for), (size, length)
                count += 1
        count += 1
    path = os.path.join(os.path.dirname(cryptography_vectors.__file__), "chunked-encryption", "vectors.json")
    with open(path, encoding="utf-8") as file:
        older = [v for v in json.load(file)["vectors"] if v["aead"] == "AEAD_AES_256_GCM" and v["expect"] == "success"]
    assert older
    for vector in older:
        key, sealed = bytes.fromhex(vector["key"]), base64.b64decode(vector["ciphertext"])
        assert opened(sealed, key, vector["context"].encode()) is None is opened_there(sealed, key, vector["context"].encode())
    print(f"Cobblestone-256: {count} fields agree with the package cryptography; {len(older)} older ones, of SHA-256, open in neither")
    return 0


if __name__ == "__main__":
    sys.exit(main())
