# SPDX-License-Identifier: Apache-2.0
"""Which answers of the vendor's server are a pass, and what they say beside a result: FORMATS.md §5.1 and §5.2."""

from __future__ import annotations

import json
import re
from typing import Any, Optional

import evidence_v1
import statement
import verdicts
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
        is_verdict = statement.table_rule_of(name) is not None
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
    # `success`, spelled so, means nothing here.
    return statement.judgement(top, own, unread=("success",), is_top=True) == verdicts.AGREES


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
    ('"liveRate":99.0,', "", True),
    ('"liveRate":98.0,', "", False),
    ('"liveRate":9.9e1,', "", False),
    ("", '"ticket":null,', False),
    ("", '"h5FaceId":null,', False),
    ("", '"__proto__":null,', False),
    ("", '"live-rate":"99",', True),
    ("", '"live-rate":"98",', False),
    ("", '"Photo":"x",', False),
    (r'"data":"{\"isSuccess\":false}",', "", False),
    ("", r'"data":"{\"isSuccess\":true}",', True),
    ("", '"success":true,', True),
    ("", '"success":false,', True),
    ("", '"x":{"success":false},', False),
    ('"msg":"\u8bf7\u6c42\u6210\u529f",', "", True),
    ('"msg":"\u6bd4\u5bf9\u5931\u8d25",', "", False),
    ("", '"willStandText":"not passed","willUserAnswer":"no",', True),
    ("", '"x":[{"name":"isSuccess","value":false}],', False),
    ("", '"passFlag":"N",', False),
    ("", '"statusName":"\u8ba4\u8bc1\u5931\u8d25",', False),
    ("", '"resultId":"FAIL",', False),
    ("", '"userName":"Fail",', True),
    ("", '"deepfake":true,', False),
    ("", '"completed":false,', False),
    ("", '"decision":"accept",', True),
    ("", '"msg":"matched another person",', False),
    ("", '"msg":"KO",', False),
    ("", '"decision":"decline",', False),
    ("", r'"msg":" [\"{\\\"code\\\":1}\"]",', False),
    ("", '"similarity":"\u5206\u6570\u4e3a\u7a7a",', True),
    ("", '"similarity":"high",', False),
    ("", '"similarity":"100.1",', False),
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


# VENDOR-SERVER.md: the codes that are verdicts about the person.
VERDICTS = {"66660004", "66660010", "66660023", "66660025", *(f"666600{n}" for n in range(35, 39)), "66660041", "66660042"}


def number(text: Any) -> Optional[float]:
    return float(text) if is_score(text) else None


def compared(result: bytes, body: bytes, order: str, app: Optional[str]) -> str:
    """What `answer` comes to (§5.1)."""
    top = evidence_v1.read_document(body)
    fields = top["result"] if isinstance(top.get("result"), dict) else top
    named = fields.get("orderNo")
    apps = {level.get(name) for level in (top, fields) for name in ("appId", "app_id")} - {None, ""}
    if named is not None and named != order or app is not None and apps - {app}:
        return "fails"
    try:
        document = evidence_v1.read_document(result)
        payload = evidence_v1.read_payload(result)
    except Refused:
        return "unchecked"
    if statement.ambiguity(document, payload.order_no) == verdicts.DENIES:
        return "unchecked"
    if None not in (named, payload.order_no) and named != payload.order_no:
        return "fails"
    passed = document.get("isSuccess") is True
    if is_pass(body, order):
        pairs = [(number(document.get(name)), number(fields.get(name))) for name in statement.SCORES]
        differ = any(None not in pair and pair[0] != pair[1] for pair in pairs)
        return "holds" if passed and not differ else "fails"
    if denies_pass(top):
        return "fails" if passed else "holds"
    return "unchecked"


def denies_pass(value: Any, name: str = "", level: int = 0) -> bool:
    """Whether a verdict against the person stands somewhere in an answer."""
    if isinstance(value, dict):
        return any(denies_pass(inner, key, level) for key, inner in value.items())
    if isinstance(value, list):
        return any(denies_pass(inner, name, level) for inner in value)
    if verdicts.refusal_code(statement.written(value)) in VERDICTS or verdicts.is_claim(name) and value in (False, "false"):
        return True
    return isinstance(value, str) and any(
        denies_pass(inner, name, deep) for inner, deep in verdicts.inside(value, level, statement.json_value).values)


PASSED = {"isSuccess": True, "orderNo": ORDER, "sign": "0A" * 20, "liveRate": "99.50", "similarity": "88.10"}
FAILED = {"isSuccess": False, "orderNo": ORDER, "error": {"domain": "WBFaceErrorDomainCompareServer", "code": "66660004", "desc": "no"}}
SAYS = {"orderNo": ORDER, "liveRate": "99.50", "similarity": "88.10"}


def answer(result: Any, code: Any = "0", **outside: Any) -> dict[str, Any]:
    return {"code": code, "msg": "m", **outside, "result": result}


# What it shows, the result, the answer, and what is expected.
BESIDE: list[tuple[str, Any, Any, str]] = [
    ("both passed, with the same scores", PASSED, answer(SAYS), "holds"),
    ("an answer without a result object", PASSED, {"code": 0, **SAYS}, "holds"),
    ("a score with another number of digits", PASSED, answer({**SAYS, "liveRate": "99.5"}), "holds"),
    ("another liveness score", PASSED, answer({**SAYS, "liveRate": "99.51"}), "fails"),
    ("another similarity", PASSED, answer({**SAYS, "similarity": "18.10"}), "fails"),
    ("the answer has no similarity", PASSED, answer({"orderNo": ORDER, "liveRate": "99.50"}), "holds"),
    ("the vendor's word for no score", PASSED, answer({**SAYS, "similarity": "\u5206\u6570\u4e3a\u7a7a"}), "holds"),
    ("the result has no scores", {name: PASSED[name] for name in ("isSuccess", "orderNo", "sign")}, answer(SAYS), "holds"),
    ("another photo and other risks", {**PASSED, "userImageString": "AAAA", "riskInfo": {"deviceInfoLevel": "1"}},
     answer({**SAYS, "photo": "BBBB", "riskInfo": {"deviceInfoLevel": "3"}}), "holds"),
    ("the expected appId", PASSED, answer({**SAYS, "appId": "IDAXXXXX"}), "holds"),
    ("another appId", PASSED, answer({**SAYS, "appId": "IDAYYYYY"}), "fails"),
    ("another appId, outside", PASSED, answer(SAYS, appId="IDAYYYYY"), "fails"),
    ("another order", PASSED, answer({**SAYS, "orderNo": "12345678901234567891"}), "fails"),
    ("another order, in a refusal", PASSED, answer({"orderNo": "A1"}, "66660011"), "fails"),
    ("another order, in a refusal beside a failure", FAILED, answer({"orderNo": "A1"}, "66660004"), "fails"),
    ("a pass that names no order", PASSED, answer({"liveRate": "99.50"}), "unchecked"),
    ("a pass without a score", PASSED, answer({"orderNo": ORDER}), "unchecked"),
    ("a pass that contradicts itself", PASSED, answer({**SAYS, "x": {"isSuccess": False}}), "fails"),
    ("the same as a text", PASSED, answer({**SAYS, "x": {"isSuccess": "false"}}), "fails"),
    ("a failure in an envelope", PASSED, {"code": 200, "data": answer({"orderNo": ORDER}, "66660010")}, "fails"),
    ("a failure in an envelope's text", PASSED, {"code": 0, "data": json.dumps(answer(None, "66660004"))}, "fails"),
    ("a failure in an error", PASSED, answer({"orderNo": ORDER, "error": {"code": 66660010}}), "fails"),
    ("no result, in an envelope", PASSED, {"code": 200, "data": answer(None, "66660011")}, "unchecked"),
    ("photos", PASSED, answer({"orderNo": ORDER, "photoList": ["AAAA"]}), "unchecked"),
    ("a token", PASSED, {"code": "0", "access_token": "x", "expire_in": 7200}, "unchecked"),
    ("not this person", PASSED, answer({"orderNo": ORDER}, "66660004"), "fails"),
    ("not this person, with scores", PASSED, answer(SAYS, "66660004"), "fails"),
    ("not this person, naming no order", PASSED, answer(None, "66660010"), "fails"),
    ("a scan that was not accepted", PASSED, answer({"orderNo": ORDER}, 66660037), "fails"),
    ("no result", PASSED, answer(None, "66660011"), "unchecked"),
    ("no result, of this order", PASSED, answer({"orderNo": ORDER}, "66660011"), "unchecked"),
    ("a sign that the vendor refused", PASSED, {"code": "400101", "msg": "m"}, "unchecked"),
    ("a code of no class", PASSED, answer({"orderNo": ORDER}, "12345678"), "unchecked"),
    ("an intent check, passed", PASSED, answer({**SAYS, "faceCode": "0", "willCode": "0"}), "holds"),
    ("an intent check with one code", PASSED, answer({**SAYS, "faceCode": "0"}), "unchecked"),
    ("both failed", FAILED, answer({"orderNo": ORDER}, "66660004"), "holds"),
    ("both failed, for different reasons", FAILED, answer({"orderNo": ORDER}, "66660042"), "holds"),
    ("the result failed, and the answer passed", FAILED, answer(SAYS), "fails"),
    ("the result failed, and there is no result at the vendor's", FAILED, answer(None, "66660011"), "unchecked"),
    ("a result with a contradiction", {**PASSED, "success": False}, answer(SAYS), "unchecked"),
    ("a result with a contradiction, and an answer about another order", {**PASSED, "success": False},
     answer({**SAYS, "orderNo": "A1"}), "fails"),
    ("a result of another order", {**PASSED, "orderNo": "A1"}, answer(SAYS), "fails"),
    ("a result of another order, and a refusal", {**PASSED, "orderNo": "A1"}, answer({"orderNo": ORDER}, "66660011"), "fails"),
    ("a result of another order, and a refusal that names none", {**PASSED, "orderNo": "A1"}, answer(None, "66660011"), "unchecked"),
    ("a result that names no order", {**PASSED, "orderNo": None}, answer(SAYS), "holds"),
]  # fmt: skip


def beside() -> dict[str, Any]:
    tests = []
    for comment, result, body, expected in BESIDE:
        texts = [json.dumps(value, ensure_ascii=False) for value in (result, body)]
        found = compared(texts[0].encode(), texts[1].encode(), ORDER, "IDAXXXXX")
        assert found == expected, (comment, found)
        tests.append({"comment": comment, "result": texts[0], "answer": texts[1], "expect": expected})
    return {
        "source": "our own, from docs/FORMATS.md \u00a75.1",
        "note": f"result: what the client sent; answer: what the vendor's server said about the order; expect: what the item "
        f"answer comes to where the order {ORDER} and the appId IDAXXXXX are expected.",
        "tests": tests,
    }
