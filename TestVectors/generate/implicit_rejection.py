# SPDX-License-Identifier: Apache-2.0
"""Asks tlslite-ng, which rejects implicitly as well, about every block of attacks/rsa-pkcs1v15.json.

What is compared is the decision: message or substitute. The substitutes themselves differ, since each derives its own."""

from __future__ import annotations

import json
import os
import sys

from tlslite.utils.python_rsakey import Python_RSAKey

import rsa_by_hand as by_hand

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "attacks", "rsa-pkcs1v15.json")


def tlslite_key(file: str) -> Python_RSAKey:
    numbers = by_hand.private_key(file).private_numbers()
    public = numbers.public_numbers
    return Python_RSAKey(public.n, public.e, numbers.d, numbers.p, numbers.q)


def main() -> int:
    with open(FILE, encoding="ascii") as file:
        tests = json.load(file)["tests"]
    keys: dict[str, Python_RSAKey] = {}
    counts: dict[str, int] = {}
    wrong = 0
    for test in tests:
        key = keys.setdefault(test["key"], None) or tlslite_key(test["key"])
        keys[test["key"]] = key
        wrapped = bytearray.fromhex(test["wrapped"])
        found = key.decrypt(wrapped)
        if test["expect"] == "wrappedKeyLength":
            agrees = found is None
        elif test["expect"] == "message":
            agrees = found == bytes.fromhex(test["message"])
        else:
            # No message of the length that was asked for: a substitute, a message of another length, or no number
            # under the modulus. The substitute must be the same when it is asked for again.
            agrees = found != bytes.fromhex(test["message"]) and found == key.decrypt(wrapped)
            agrees = agrees and decision(found, test) is False
        counts[test["expect"]] = counts.get(test["expect"], 0) + 1
        if not agrees:
            wrong += 1
            print(f"tlslite-ng decides otherwise: {test['name']}")
    print(f"{len(tests)} blocks decided by tlslite-ng too: {counts}, {wrong} otherwise")
    return 1 if wrong or min(counts.get(kind, 0) for kind in ("message", "substitute")) < 100 else 0


def decision(found: bytearray | None, test: dict) -> bool:
    """Whether what came out is the end of the block, and as long as was asked for: then it is a message."""
    if found is None or len(found) != test["messageLength"]:
        return False
    return by_hand.decrypt_block(bytes.fromhex(test["wrapped"]), test["key"]).endswith(b"\x00" + bytes(found))


if __name__ == "__main__":
    sys.exit(main())
