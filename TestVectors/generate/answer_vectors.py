# SPDX-License-Identifier: Apache-2.0
"""Which answers of the vendor's server are a pass: FORMATS.md §5.2."""

from __future__ import annotations

import json
import re
from typing import Any

import evidence_v1
import statement
from evidence_v1 import ACTED_ON, Refused, is_loosely

ORDER = "12345678901234567890"
# The fields of an answer (RESULTS.md), and what only answers about something else have.
FIELDS = (
    ("code", "msg", "result", "bizSeqNo", "transactionTime", "appId", "orderNo", "liveRate", "similarity", "occurredTime")
    + ("photo", "video", "sdkVersion", "trtcFlag", "riskInfo", "faceCode", "faceMsg", "willCode", "willMsg")
)
OTHERS = ("faceId", "h5faceId", "access_token", "ticket", "tickets", "photoList")


def is_score(text: Any) -> bool:
    return isinstance(text, str) and re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) is not None and float(text) <= 100


def is_pass(body: bytes, order: str) -> bool:
    try:
        top = evidence_v1.read_document(body)
    except Refused:
        return False
    result = top.get("result")
    fields = result if isinstance(result, dict) else top
    levels = [top, fields]
    if statement.written(top.get("code")) != "0" or fields.get("orderNo") != order:
        return False
    if any(is_loosely(name, other) for level in levels for name in level for other in OTHERS):
        return False
    for name in (name for level in levels for name in level if name not in FIELDS):
        is_verdict = statement.rule_of(name) is not None
        if name in ACTED_ON or not is_verdict and any(is_loosely(name, known) for known in FIELDS):
            return False
    scores = [fields.get(name) for name in statement.SCORES]
    if not any(map(is_score, scores)) or not all(
        is_score(score) or score in (None, "", "\u5206\u6570\u4e3a\u7a7a") for score in scores
    ):
        return False
    codes = [statement.written(fields.get(name)) for name in ("faceCode", "willCode")]
    if any(code not in (None, "") for code in codes) and codes != ["0", "0"]:
        return False
    own = {**(fields.get("riskInfo") or {}), **{name: fields.get(name) for name in (*statement.SCORES, "orderNo")}}
    return lets_stand(top, own)


def lets_stand(value: Any, own: dict[str, Any]) -> bool:
    """As in a result; `success`, spelled so, means nothing here."""
    if isinstance(value, dict):
        rules = {name: None if name == "success" else statement.rule_of(name) for name in value}
        return all(statement.agrees(rules[name], item, own) and lets_stand(item, own) for name, item in value.items())
    return all(lets_stand(item, own) for item in value) if isinstance(value, list) else True


# Members of the outermost object, and of its result; whether that is a pass.
CASES = [
    ("", "", True),
    ('"success":false,', "", True),
    ("", '"photo":"x","video":"x","faceCode":"","willCode":null,', True),
    ("", '"photoList":["x"],', False),
    ("", '"photoList":[],', False),
    ('"photoList":["x"],', "", False),
    ("", '"photo_list":null,', False),
    ("", '"PhotoList\u200b":null,', False),
    ("", '"faceCode":"0","willCode":"0",', True),
    ("", '"faceCode":0,"willCode":"0",', True),
    ("", '"faceCode":"0","willCode":"",', False),
    ("", '"faceCode":"0",', False),
    ("", '"willCode":"0","faceCode":null,', False),
    ("", '"faceCode":"0","willCode":"1",', False),
    ('"willCode":"0",', "", True),
    ('"willCode":"1",', "", False),
    ('"orderNo":12345678901234567890,', "", False),
    (f'"orderNo":"{ORDER}",', "", True),
    ('"x":[{"orderNo":12345678901234567890}],', "", False),
    ('"liveRate":99,', "", True),
    ('"liveRate":99.0,', "", False),
    ('"liveRate":9.9e1,', "", False),
    ("", '"ticket":null,', False),
    ("", '"h5FaceId":null,', False),
    ("", '"__proto__":null,', False),
    ("", '"live-rate":"99",', True),
    ("", '"live-rate":"98",', False),
    ("", '"Photo":"x",', False),
]


def file() -> dict[str, Any]:
    tests = []
    for outside, inside, expected in CASES:
        body = f'{{"code":"0",{outside}"result":{{{inside}"orderNo":"{ORDER}","liveRate":"99"}}}}'
        assert is_pass(body.encode(), ORDER) == expected, body
        json.loads(body)
        tests.append({"body": body, "isPass": expected})
    return {
        "source": "our own, from docs/FORMATS.md \u00a75.2",
        "note": f"body: an answer of the vendor's server; isPass: whether it is a pass of the order {ORDER}.",
        "tests": tests,
    }
