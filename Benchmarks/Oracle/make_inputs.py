# SPDX-License-Identifier: Apache-2.0
"""Wrapped keys for the oracle measurement: pools of ciphertexts that are alike but for one fault, as JSON."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "TestVectors", "generate"))

import rsa_by_hand as by_hand  # noqa: E402

KEY = "rsa2048.pem"
SIZE = by_hand.modulus_bytes(KEY)
COUNT = 64


def pkcs1(stream):
    message, padding = by_hand.nonzero(stream, 32), by_hand.nonzero(stream, SIZE - 35)
    good = b"\0\2" + padding + b"\0" + message
    return {
        "PKCS#1 valid": good,
        "PKCS#1 block type 1": b"\0\1" + good[2:],
        "PKCS#1 first byte 1": b"\1" + good[1:],
        "PKCS#1 zero in the padding": good[:5] + b"\0" + good[6:],
        "PKCS#1 no separator": b"\0\2" + padding + b"\1" + message,
        "PKCS#1 31 bytes": b"\0\2" + padding + b"\1\0" + message[1:],
    }


def oaep(stream):
    seed, message = stream.take(32), stream.take(32)
    label = by_hand.digest("SHA-256", b"")
    zeros = bytes(SIZE - 1 - 32 - 32 - 33)

    def block(data, first=0):
        return by_hand.oaep_block(b"", seed, SIZE, data_block=data, first_byte=first)

    good = label + zeros + b"\1" + message
    return {
        "OAEP valid": block(good),
        "OAEP first byte 1": block(good, 1),
        "OAEP label hash, first byte": block(bytes([label[0] ^ 1]) + good[1:]),
        "OAEP label hash, last byte": block(good[:31] + bytes([label[31] ^ 1]) + good[32:]),
        "OAEP no 01": block(label + zeros + b"\2" + message),
        "OAEP key of 16 bytes": block(label + zeros + bytes(16) + b"\1" + message[:16]),
        "OAEP for another key": b"\0" + stream.take(SIZE - 1),
    }


def main():
    stream = by_hand.Stream("oracle")
    pools = {}
    for make in (pkcs1, oaep):
        for _ in range(COUNT):
            for name, block in make(stream).items():
                pools.setdefault(name, []).append(by_hand.encrypt_block(block, KEY).hex())
    json.dump(pools, sys.stdout)


if __name__ == "__main__":
    main()
