#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sort rule over random Unicode, in Python and, with CrossCheck.java, in the vendor's own language.

    python3 crosscheck.py                            # write random-order.txt
    python3 crosscheck.py --check                    # it comes out again, byte for byte
    java CrossCheck.java random-order.txt            # Java's Collections.sort and SHA-1 agree with every line

A line is the ticket, a tab, the values as hexadecimal UTF-8 with commas between them, a tab, and the sign.
"""

from __future__ import annotations

import sys

from make import HERE, Stream, join, sha1

# Where orders part: ASCII, two- and three-byte letters, both sides of the surrogates, supplementary planes, combining marks.
RANGES = [
    (0x00, 0x7F), (0x20, 0x7E), (0x30, 0x39), (0x80, 0x7FF), (0x300, 0x36F), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3),
    (0xD7F0, 0xD7FF), (0xE000, 0xE010), (0xF900, 0xFAFF), (0xFF00, 0xFFFF), (0x10000, 0x10010), (0x20000, 0x2A6DF),
    (0x10FFF0, 0x10FFFF),
]


def character(stream: Stream) -> str:
    low, high = stream.pick(RANGES)
    return chr(low + stream.below(high - low + 1))


def lines() -> str:
    stream = Stream("cross-check")
    text = ""
    for _ in range(600):
        ticket = stream.text(64)
        # Few different characters, so that values share prefixes.
        alphabet = [character(stream) for _ in range(1 + stream.below(6))]
        values = [
            "".join(stream.pick(alphabet) for _ in range(stream.below(6))) for _ in range(1 + stream.below(7))
        ]
        encoded = ",".join(value.encode("utf-8").hex() for value in values)
        text += f"{ticket}\t{encoded}\t{sha1(join(values + [ticket]))}\n"
    return text


def main() -> int:
    path = HERE / "random-order.txt"
    if sys.argv[1:] != ["--check"]:
        path.write_text(lines(), "ascii")
    elif path.read_text("ascii") != lines():
        print(f"{path.name} does not come out again", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
