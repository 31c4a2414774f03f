# SPDX-License-Identifier: Apache-2.0
"""Outlines and `about.json`: docs/ARCHIVE.md §1.2."""

from __future__ import annotations

import json
import re
from typing import Any, Optional

import evidence_v1
from archive_text import PART, Refused, need, sha256
from statement import canonical_text, code_units, quoted

MOST_BYTES, MOST_TEXT, MOST_VALUES = 65_536, 1_024, 64
REPLACED = ("userImageString", "userVideoString", "identifyStr")
KEPT = "deviceSignature"
STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')


def outline(document: bytes) -> Optional[bytes]:
    """The document with what may show a face replaced by length and digest; None where that cannot be told."""
    try:
        evidence_v1.read_document(document)
    except evidence_v1.Refused:
        return None
    out, end, open_lists = bytearray(), 0, []  # of each object None, of each array how many values it has so far
    name: Optional[str] = None
    at = 0
    while at < len(document):
        byte = document[at : at + 1]
        if byte == b'"':
            found = STRING.match(document, at)
            assert found
            text = json.loads(found[0])
            after = document[found.end():].lstrip(b" \t\r\n")[:1]
            if open_lists[-1] is None and after == b":" and name is None:
                if len(text.encode()) > MOST_TEXT:
                    return None
                name = text
            else:
                long = len(text.encode()) > MOST_TEXT
                if name != KEPT and (long or name in REPLACED):
                    out += document[end:at] + f'{{"byteCount":{len(text.encode())},"sha256":"{sha256(text.encode())}"}}'.encode()
                    end = found.end()
                name = None
            at = found.end()
            continue
        if byte in (b"{", b"["):
            open_lists.append(None if byte == b"{" else 1)
            name = None
        elif byte in (b"}", b"]"):
            open_lists.pop()
            name = None
        elif byte == b",":
            name = None
            if open_lists[-1] is not None:
                open_lists[-1] += 1
                if open_lists[-1] > MOST_VALUES:
                    return None
        at += 1
    out += document[end:]
    return bytes(out) if len(out) <= MOST_BYTES else None


def canonical(value: Any) -> str:
    """RFC 8785, lists and words too."""
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(name)}:{canonical(value[name])}" for name in sorted(value, key=code_units)) + "}"
    if isinstance(value, float):
        raise Refused("a number that is not judged here")
    return canonical_text(value)


def read_about(data: bytes) -> dict[str, Any]:
    need(len(data) <= MOST_BYTES, "about.json is too long")
    try:
        value = json.loads(data, object_pairs_hook=evidence_v1.object_from_pairs)
        need(isinstance(value, dict) and canonical(value).encode() == data, "about.json is not in the form of RFC 8785")
    except (ValueError, RecursionError, evidence_v1.Refused) as error:
        raise Refused(f"about.json: {error}") from None
    for name in ("user", "by", "reason"):
        need(name not in value or isinstance(value[name], str), f"about.json: {name} is no string")
    names = value.get("names", {})
    need(isinstance(names, dict) and all(re.fullmatch("(attached|face)-(0[1-9]|1[0-6])", name) and isinstance(text, str)
                                         for name, text in names.items()), "about.json: names")
    for name in ("labels", "parts"):
        need(isinstance(value.get(name, []), list) and all(isinstance(text, str) for text in value.get(name, [])), f"about.json: {name}")
    parts = value.get("parts", [])
    need(parts == sorted(set(parts)) and all(re.fullmatch(PART, part) for part in parts), "about.json: parts")
    return value


def write_about(**members: Any) -> bytes:
    return canonical(members).encode()
