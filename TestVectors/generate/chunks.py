# SPDX-License-Identifier: Apache-2.0
"""chunks.json: Cobblestone-256 by itself (FORMATS.md §8.1), published and our own."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

from evidence_v2 import FULL, Keys, context, open_field, seal_field
from rsa_by_hand import Stream

# Project Wycheproof, testvectors_v1/c2sp_chunked_encryption_aes_256_gcm_test.json, tests 1, 2, 3 and 6, as published:
# number, zlib of the sealed bytes, key, base, length of the content, SHA-512 of the content.
PUBLISHED = (
    (1, "78da004800b7ff43a2e39431cbae0389d3fc86adf46f7c3a24de88d9311617e53f3164cc1d5dc738a66b97f0bf786565c31799c2f463d50a7e10046011dc6fc3c939e3a5db7affb6191551669554fb010000ffff4bc124df", "781b72bce3c966fffb09e5d596e1d21b029b21a9599852fb9b9f644e23b86ae8", "f206a92ac0ba380c8e9e3843", 0, "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"),
    (2, "78da004f00b0ffa1a1b56f6db58cd1ede0c5c9db62aef20d3f96a6c594bb9252bb38122de91236502b42a1d7fcab820ffa292940d2f86add212cfa42c38df19d3cc9139ee61a5990d3db57433514229beea49a8a72bd010000ffffdb4f2a44", "14769f63d5e1008908efe8662d188e058d05be2ef94d5b4bc626bc33be412568", "e73f670906cb3124dea731e1", 7, "e85f32a85f1d4f7c9b2d36d20eca8435d81253e7075e9dea069eb1b6da48daf92ef1797367b520d8a46c4f72cecb85b1daff8887fcb41721d39943d1952fc180"),
    (3, "78daecc0312b05010000e0ab33889449c9a0cb22b9ba89943f70a5fc02db1918582c6e757465a0db6eb11ad5a52e1383b2dca26c66a4647b75f55ebdf733def27d4f7ff71fd7e9db7137b778b1558707cdd27cf270d4177b2f7751f738d80e376f9ed7aaaf7c793dfa0d47ef2797b3e57ed6bf360100000000000000000000000000000030750bc9613ffc6cafd232cb57ebd3b320de5d29cedbf876a7da18ff7fffcc4c020000ffffea552abb", "11efba825aedcfcb8c1b1d8560ca277a5b29fe9597f9b5c82c11433108a97d47", "43efc7c07a2635f9bc0b6b6f", 16385, "db9e441f318209d02c8eaedfa94be7a08d3414057835c80ecea2deb0b16438ff97ae6dac13a749efe4a24686b01dc0dfab756703e810cc164466cd5cce99b3e8"),
    (6, "78daecc0ad4a0301000060c560f019c49faca0ed821ea2588c62100541cc2746413841835a7c018b20076a325dd4032d8eb5856361db2d6d6c8b2b838ded3156beeff3fce3e4eb20e9fcf5aaedb07ffb589b1f657190fee7f16f763d3bdcf9ce8aabe5d74a145e5e1cdd6fad6c2c1ebead8d8b87c60c00000000000000000000000000000030759bfb7bc7ade6dcfa69ba5abf7bff79d92e3d07e585a7ddbcbb743648a29b49000000ffff4eef2f3b", "36920434f3bec8264d74ead196ac895ec88d380f6520e8f1d489ff214396df4f", "ce1b2ad38de38773fd60877e", 16384, "d787e0bf39e0d2e9a707b94bc77329f665286160744507f0fac9608e33a98994b6d9dd4a43a6326287d32b2e15d76e0de6a8818689698bee2ca419bf9bbedc02"),
)
PUBLISHED_KEY = bytes.fromhex("59454c4c4f57205355424d4152494e452059454c4c4f57205355424d4152494e")


def test(name: str, key: bytes, what_for: bytes, sealed: bytes) -> dict[str, Any]:
    keys = Keys(key, sealed[:24], what_for)
    content = open_field(sealed, key, what_for)
    return {
        "name": name, "key": key.hex(), "context": what_for.hex(), "derivedKey": keys.key.hex(), "base": keys.base.hex(),
        "sealed": sealed.hex(), "contentSize": len(content), "contentSHA512": hashlib.sha512(content).hexdigest(),
    }


def file() -> dict[str, Any]:
    tests = []
    for number, text, key, base, size, digest in PUBLISHED:
        made = test(f"Wycheproof {number}", PUBLISHED_KEY, b"", zlib.decompress(bytes.fromhex(text)))
        assert (made["derivedKey"], made["base"], made["contentSize"], made["contentSHA512"]) == (key, base, size, digest), number
        tests.append(made)
    key, salt = bytes(range(32)), bytes(range(24))
    tests.append(test("FORMATS 7.1", key, context("userVideoString", "ord1"), seal_field(b"abc", key, salt, context("userVideoString", "ord1"))))
    for size in (0, 1, FULL - 1, FULL, FULL + 1):
        stream = Stream(f"chunks {size}")
        key, salt = stream.take(32), stream.take(24)
        what_for = context("identifyStr", "A" * 32)
        tests.append(test(f"{size} bytes", key, what_for, seal_field(stream.take(size), key, salt, what_for)))
    return {
        "source": "Project Wycheproof (C2SP chunked-encryption, Cobblestone-256), and our own",
        "note": "sealed is salt, commitment and chunks; derivedKey and base are what the chunks are sealed with",
        "tests": tests,
    }
