# SPDX-License-Identifier: Apache-2.0
"""What all texts of an archive have in common: docs/ARCHIVE.md §1."""

from __future__ import annotations

import hashlib
import re

LABEL = b"evidence-archive-1"
HEX32, HEX64 = r"[0-9a-f]{32}", r"[0-9a-f]{64}"
PART = r"[a-z0-9][a-z0-9._-]{0,63}"
NUMBER = r"0|[1-9][0-9]*"
MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"


class Refused(Exception):
    """Not an archive as the page has it: which file, and why."""


class Newer(Refused):
    """Written by a newer version."""


def need(holds: object, what: str) -> None:
    if not holds:
        raise Refused(what)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def lines_of(data: bytes, what: str, limit: int) -> list[str]:
    need(len(data) <= limit, f"{what} is too long")
    need(re.fullmatch(rb"([\x20-\x7e]+\n)+", data), f"{what} is not lines of ASCII")
    return data.decode("ascii").split("\n")[:-1]
