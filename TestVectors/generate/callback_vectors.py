# SPDX-License-Identifier: Apache-2.0
"""Callbacks of a browser: docs/SIGN-RECIPES.md, from its text alone."""

from __future__ import annotations

import re
import urllib.parse
from typing import Any, Optional

from evidence_v1 import is_loosely
from result_vectors import TICKET
from statement import front_end_sign

APP, ORDER = "IDAXXXXX", "ord1"
KNOWN = ("code", "orderNo", "h5faceId", "newSignature", "newSign", "liveRate", "faceCode", "willCode")
SIGN = front_end_sign(APP, ORDER, "0", TICKET)


def names_another_reader_finds(pair: str) -> list[str]:
    """Where a semicolon begins a new pair, too: the names that are not the name of the whole."""
    pieces = pair.split(";")
    whole = pair.split("=")[0]
    return [name for name in (piece.split("=")[0] for piece in pieces) if name != whole] + [
        piece.split("=")[0] for piece in pieces[1:]
    ]


def is_like_known(name: str) -> bool:
    """Whether another reader takes it for a known one, or for an element of a list of that name."""
    return any(is_loosely(form, known) for form in (name, name.split("[")[0]) for known in KNOWN)


def fields(query: str) -> Optional[dict[str, str]]:
    """The known fields; None where the query is refused."""
    found: dict[str, str] = {}
    if re.search(r"[^-A-Za-z0-9._~!$&'()*+,;=:@/?%]|%(?![0-9A-Fa-f]{2})", query):
        return None
    for pair in filter(None, query.split("&")):
        if any(is_like_known(urllib.parse.unquote(name)) for name in names_another_reader_finds(pair)):
            return None
        name, equals, value = pair.partition("=")
        name = urllib.parse.unquote(name)
        if name in KNOWN:
            if not equals or name in found:
                return None
            found[name] = urllib.parse.unquote(value)
        elif is_like_known(name):
            return None
    return found if "code" in found and "orderNo" in found else None


def outcome(query: str) -> str:
    known = fields(query)
    if known is None:
        return "refused"
    if known["orderNo"] != ORDER or known.get("newSignature", "").upper() != SIGN or known["code"] != "0":
        return "invalid"
    return "pass" if all(known.get(name, "") in ("", "0") for name in ("faceCode", "willCode")) else "no-pass"


GOOD = f"code=0&orderNo={ORDER}&h5faceId=a&newSignature={SIGN}"
CASES = [
    ("", "pass"), ("&faceCode=0&willCode=0", "pass"), ("&faceCode=&willCode=", "pass"), ("&faceCode=0", "pass"),
    ("&faceCode=0&willCode=1", "no-pass"), ("&faceCode=1&willCode=0", "no-pass"), ("&faceCode=1", "no-pass"),
    ("&willCode=00", "no-pass"), ("&willCode=+0", "no-pass"), ("&faceCode=0&faceCode=0", "refused"),
    ("&Code=1", "refused"), ("&CODE=0", "refused"), ("&order_No=ord2", "refused"), ("&orderno=ord1", "refused"),
    ("&code%5B%5D=1", "refused"), ("&code.=1", "refused"), ("&+code=1", "refused"), ("&code%00=1", "refused"),
    ("&code%5B0%5D=66660004", "refused"), ("&orderNo%5Bx%5D%5B%5D=ord2", "refused"), ("&x;faceCode%5B1%5D=1", "refused"),
    ("&codes%5B0%5D=1&%5Bx%5D=1", "pass"), ("&code%00x=1", "refused"), ("&%EF%BD%83ode=1", "refused"), ("&c%CC%81ode=1", "refused"), ("&will-code=0", "refused"),
    ("&%E2%84%AAode=1", "pass"), ("&Code", "refused"), ("&new_sign=x", "refused"),
    ("&x=1;code=1", "refused"), ("&x=1;Code=1", "refused"), ("&x;code=1", "refused"), ("&x=1;order%5FNo", "refused"),
    ("&x=1;", "pass"), ("&x=a;b=c;d", "pass"), ("&liveRate=99;code=1", "refused"), ("&code;x=1", "refused"),
    ("&session=a%20b&codes=1&order=2&xcode=1", "pass"), ("&liveRate=9;x=1", "pass"), ("&%3Bcode=1", "refused"),
    ("&=1", "pass"), ("&x=code=1", "pass"), ("&x=%3Bcode=1", "pass"), ("&", "pass"),
]


def file() -> dict[str, Any]:
    tests = []
    for more, expected in CASES:
        query = GOOD + more
        assert outcome(query) == expected, f"{more}: {outcome(query)}"
        tests.append({"query": query, "expect": expected})
    return {
        "source": "our own, from docs/SIGN-RECIPES.md; the ticket is a published example",
        "note": f"query: of a callback to the attempt of appId {APP}, order {ORDER}. ticket: SIGN. expect: pass; no-pass: "
        "the sign holds, and another code says otherwise; refused: no callback that could be verified.",
        "ticket": TICKET,
        "tests": tests,
    }
