# SPDX-License-Identifier: Apache-2.0
"""The same vectors that the Swift library and the independent Python code are tested with."""

import base64
import hashlib
import json
from typing import Any

import pytest
from conftest import VECTORS, packed, private_key
from evidence_kit import Checking, Content, EvidenceError, Opening, errors, open_ranges

FIELDS = {"sealed": "video", "photo": "photo", "plain": "plain-video"}
KIT = list(packed("testkit.ndjson"))
CASES = [pytest.param(*case, id=case[0]) for case in KIT]
CHUNKED = [
    pytest.param(name, header, payload, id=name) for name, header, payload in KIT
    if header["profile"] == "evidence-v2" and header.get("mode", "sealed") == "sealed"
]


def pushed(job: Any, document: bytes, piece: int) -> Any:
    with job:
        for start in range(0, len(document), piece):
            job.write(document[start:start + piece])
        return job.finish()


def opened(header: dict[str, str], payload: bytes, piece: int) -> Content:
    mode = header.get("mode", "sealed")
    profile = header["profile"] if mode == "sealed" else None
    keys = [private_key(header["key"])] if mode == "sealed" else []
    found: Content = pushed(Opening(keys, field=FIELDS[mode], profile=profile), payload, piece)
    return found


@pytest.mark.parametrize("name, header, payload", CASES)
def test_kit(name: str, header: dict[str, str], payload: bytes) -> None:
    # Of a case from which others are derived, the one it begins with opens.
    is_good = header["expect"] == "success" or "derive" in header
    for piece in (7, 1 << 16) if len(payload) > 50_000 else (1, 7, 4096):
        if is_good:
            content = opened(header, payload, piece).read()
            if "derive" not in header:
                assert hashlib.sha256(content).hexdigest() == header["payload"]
            continue
        with pytest.raises(EvidenceError) as caught:
            opened(header, payload, piece)
        assert (header["expect"] == "open") == isinstance(caught.value, errors.CannotOpen)
        assert (header["expect"] == "base64") == isinstance(caught.value, errors.InvalidBase64)


@pytest.mark.parametrize("name, header, payload", CHUNKED)
def test_kit_in_parts(name: str, header: dict[str, str], payload: bytes) -> None:
    """All parts together are what opens whole, or are refused like it."""
    if header["expect"] == "success" or "derive" in header:
        try:
            with open_ranges(payload, private_key(header["key"])) as content:
                assert hashlib.sha256(content.read()).hexdigest() == header["payload"] or "derive" in header
        except errors.NoRanges:
            assert b"\\" in payload
    else:
        with pytest.raises(EvidenceError), open_ranges(payload, private_key(header["key"])) as content:
            content.read()


PROFILES = [pytest.param(*case, id=case[0]) for case in packed("profiles.ndjson")]


@pytest.mark.parametrize("name, header, payload", PROFILES)
def test_profiles(name: str, header: dict[str, str], payload: bytes) -> None:
    def job() -> Opening:
        return Opening(
            private_key(header["key"]), profile=header["profile"], iv=header.get("iv"), key_holder_alone=True)

    if "expect" in header:
        with pytest.raises(EvidenceError) as caught:
            pushed(job(), payload, 4096)
        assert caught.value.code == header["expect"]
    else:
        assert hashlib.sha256(pushed(job(), payload, 4096).read()).hexdigest() == header["payload"]


RESULTS = json.loads((VECTORS / "identify/results.json").read_text("utf-8"))["tests"]
DOCUMENTS = {
    entry["name"]: entry["text"].encode() if "text" in entry else base64.b64decode(entry["base64"])
    for entry in map(json.loads, (VECTORS / "identify/results.ndjson").read_text("utf-8").split("\n")[:-1])
}


@pytest.mark.parametrize("test", [pytest.param(test, id=test["name"]) for test in RESULTS])
def test_results(test: dict[str, Any]) -> None:
    if test["seenNonces"] is not None:
        pytest.skip("a store of nonces is the Swift library's")
    keys = [[private_key(test[name])] if test[name] else [] for name in ("videoKey", "compareKey")]
    # Without the key that shows them they are refused.
    shown: dict[str, Any] = {"user": test["userId"], "max_age": test["maximumAge"]} if keys[1] else {}
    job = Checking(
        order=test["orderNo"], app=test["appId"], **shown, at=test["now"],
        video_keys=keys[0], statement_keys=keys[1], tickets=[test["ticket"].encode()] if test["ticket"] else [],
        keep=["video", "photo", "statement", "result"])
    document = DOCUMENTS[test["file"].removeprefix("results/")]
    report = pushed(job, document, 4096)
    expected = test["expect"]
    assert report.verdict == expected["verdict"]
    assert bool(report) == (expected["verdict"] == "holds")
    found = {item["name"]: item["state"] for item in report.json["items"]}
    assert found == {name: state for name, state in expected["items"].items() if name in found}
    parts = {part["name"]: part["sha256"] for part in report.json["parts"]}
    for name in ("video", "photo", "statement", "result"):
        if not report or found.get(name) != "holds" or (name in ("photo", "statement") and name not in parts):
            with pytest.raises(errors.Misuse):
                report.part(name)
        elif name == "result":
            assert report.part(name).read() == document
        else:
            # Each is one of its own, and begins at the front.
            first, second = report.part(name), report.part(name)
            first.read(10)
            assert hashlib.sha256(second.read()).hexdigest() == parts[name]
            assert first.seek(0) == 0 and hashlib.sha256(first.read()).hexdigest() == parts[name]
