# SPDX-License-Identifier: Apache-2.0
"""Corrupted payloads of evidence-v2, and what evidence_v2.py says of each, for the Swift tests to say the same of.

    corrupted.py COUNT SEED FILE

A line of JSON for each: `base` is a payload of the first line, `parts` what its sealed field is put together from (from
and to in the field as it was, or hex), `expect` what comes of it: the SHA-256 of the content, or the layer that
refuses. `range` is where a part begins and ends, and
what comes of it: its SHA-256, or `refused`. Where `more` is true, the third text of the base stands in a member behind the
field, from the place on that it would have in a field of its own: the chunks of a longer field under the same key.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import sys
from typing import Any

import evidence_v1
import evidence_v2
from cases_v2 import content, sealed_v2
from kit import ORDER, wrap
from rsa_by_hand import private_key

KEY = "rsa2048.pem"
SIZES = (0, 1, 100, 16_383, 16_384, 16_385, 32_768, 40_000)
Parts = list[Any]


def corrupt(chance: random.Random, length: int) -> Parts:
    """The field in another shape; now and then in its own."""
    borders = [56 + 16_400 * i for i in range((length - 56) // 16_400 + 1)] + [length]

    def place() -> int:
        near = chance.choice(borders) + chance.randint(-17, 17) if chance.random() < 0.7 else chance.randint(0, length)
        return min(max(near, 0), length)

    parts: Parts = [[0, length]]
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        kind = chance.randrange(6)
        first, second = sorted((place(), place()))
        if kind == 0:
            parts = [[0, first]]
        elif kind == 1:
            parts = [[0, first], [second, length]]
        elif kind == 2:
            parts = [[0, second], [first, length]]
        elif kind == 3:
            parts = [[0, first], chance.randbytes(chance.randint(1, 20)).hex(), [first, length]]
        elif kind == 4:
            start = min(first, length - 1)
            parts = [[0, start], chance.randbytes(1).hex(), [start + 1, length]]
        else:
            third = chance.choice(borders)
            parts = [[0, first], [min(third, length), length], [first, second]]
    return parts


def put_together(parts: Parts, field: bytes) -> bytes:
    return b"".join(bytes.fromhex(part) if isinstance(part, str) else field[part[0] : part[1]] for part in parts)


def expected(payload: bytes) -> str:
    try:
        return hashlib.sha256(evidence_v2.open_sealed(payload, private_key(KEY))).hexdigest()
    except evidence_v1.Refused as refusal:
        return refusal.layer


def part(payload: bytes, start: int, end: int) -> str:
    try:
        return hashlib.sha256(evidence_v2.open_range(payload, private_key(KEY), start, end)).hexdigest()
    except evidence_v1.Refused:
        return "refused"


def with_more(payload: bytes, longer: bytes) -> bytes:
    """Another member behind the field, which goes on with the chunks of a longer one."""
    start = payload.index(b'"userVideoString":"') + 19
    head = payload[:-3] + b'","x":"'
    return head + longer[len(head) - start :] + b'"}\n'


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    count, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    chance = random.Random(seed)
    bases = []
    for size in SIZES:
        content_key, sealed = sealed_v2(f"corrupted {size}", content(size))
        longer = sealed_v2(f"corrupted {size}", content(size) + content(400_000))[1]
        bases.append((wrap(f"corrupted {size}", evidence_v2.PREFIX + content_key, KEY), sealed, longer))
    with open(path, "w", encoding="ascii") as file:
        texts = [[base64.b64encode(part).decode("ascii") for part in base] for base in bases]
        file.write(json.dumps({"key": KEY, "orderNo": ORDER, "bases": texts}) + "\n")
        for _ in range(count):
            base = chance.randrange(len(bases))
            wrapped, sealed, longer = bases[base]
            parts = corrupt(chance, len(sealed))
            payload = evidence_v1.write_payload(ORDER, wrapped, put_together(parts, sealed))
            more = chance.random() < 0.05
            if more:
                payload = with_more(payload, base64.b64encode(longer))
            expect = expected(payload)
            start = chance.choice((0, 16_383, 16_384, chance.randint(0, 500_000)))
            end = start + chance.choice((0, 1, 20_000, 500_000))
            line = {"base": base, "parts": parts, "more": more, "expect": expect, "range": [start, end]}
            file.write(json.dumps(line | {"part": part(payload, start, end)}) + "\n")


if __name__ == "__main__":
    main()
