# SPDX-License-Identifier: Apache-2.0
"""What all texts of an archive have in common: docs/ARCHIVE.md §1."""

from __future__ import annotations

import hashlib
import os
import re

LABEL = b"evidence-archive-1"
HEX32, HEX64 = r"[0-9a-f]{32}", r"[0-9a-f]{64}"
PART = r"[a-z0-9][a-z0-9._-]{0,63}"
NUMBER = r"0|[1-9][0-9]*"
MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"


def _pattern(text: str) -> "re.Pattern[str]":
    """A name of docs/RECOGNITION.md as a regular expression."""
    marks = {"*": ".*", "?": ".", "#": "[0-9]+", "^": "[0-9a-f]+", "@": "[A-Za-z0-9_.$-]+", "~": r"\s*"}
    found, escaped = "", False
    for character in text:
        if not escaped and character == "\\":
            escaped = True
            continue
        found += re.escape(character) if escaped or character not in marks else marks[character]
        escaped = False
    return re.compile(found, re.DOTALL)


def _makers() -> "list[tuple[str, re.Pattern[str]]]":
    with open(os.path.join(os.path.dirname(__file__), "../../docs/RECOGNITION.md"), encoding="utf-8") as file:
        table = file.read().split("### Names of system files")[1]
    rows = re.findall(r"(?m)^\| (?!made by|---)(.*?) \| (.*) \|$", table)
    return [(maker, _pattern(name.replace("\\r", "\r"))) for maker, names in rows for name in re.findall("`([^`]*)`", names)]


_MAKERS: "list[tuple[str, re.Pattern[str]]]" = []


def made_by(name: str) -> "str | None":
    """What puts a file of this name beside others: docs/RECOGNITION.md. None for any other name."""
    if not _MAKERS:
        _MAKERS.extend(_makers())
    return next((maker for maker, pattern in _MAKERS if pattern.fullmatch(name.lower())), None)


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
