# SPDX-License-Identifier: Apache-2.0
"""Run the test kit against evidence_v1.py, the vectors of identifyStr against statement.py, those of deviceSignature against
device.py and the archives against archive.py; exit 1 where any goes otherwise than it says."""

from __future__ import annotations

import base64
import decimal
import functools
import hashlib
import json
import os
import sys
import tempfile
from typing import Any, Iterator, Optional

import archive
import archive_models
import cms
import device
import evidence_v1
import evidence_v2
import packed
import replacement_vectors
import result_vectors
import statement
import verdicts
from rsa_by_hand import private_key

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
TESTKIT = os.path.join(ROOT, "testkit.ndjson")
IDENTIFY = os.path.join(ROOT, "identify")
DEVICE = os.path.join(ROOT, "device")
ARCHIVE = os.path.join(ROOT, "archive")
REQUIRED = {"expect", "payload", "profile", "comment"}
KNOWN = REQUIRED | {"key", "mode", "derive"}
OPEN = {evidence_v1.PROFILE: evidence_v1.open_sealed, evidence_v2.PROFILE: evidence_v2.open_sealed}
NOTHING = hashlib.sha256(b"").hexdigest()


def read_case(case: bytes) -> tuple[dict[str, str], bytes]:
    head, _, payload = case.partition(b"\n\n")
    header: dict[str, str] = {}
    for line in head.decode("ascii").split("\n"):
        name, separator, value = line.partition(": ")
        if not separator or name not in KNOWN or name in header:
            raise ValueError(f"bad header line: {line}")
        header[name] = value
    if not REQUIRED <= set(header):
        raise ValueError("a header line is missing")
    header.setdefault("mode", "sealed")
    if header["profile"] not in OPEN or header["expect"] not in ("success", *evidence_v1.LAYERS):
        raise ValueError("unknown profile or layer")
    if header["mode"] not in ("sealed", "plain", "photo") or (header["mode"] == "sealed") != ("key" in header):
        raise ValueError("unknown mode, or no key for it")
    if header["expect"] != "success" and header["payload"] != NOTHING:
        raise ValueError("a refused payload releases nothing")
    return header, payload


def outcome(header: dict[str, str], payload: bytes) -> tuple[str, str]:
    """What happened, and the digest of what was released."""
    released = b""
    try:
        if header["mode"] == "sealed":
            released = OPEN[header["profile"]](payload, private_key(header["key"]))
        elif header["mode"] == "plain":
            released = evidence_v1.open_plain(payload)
        else:
            released = evidence_v1.open_photo(payload)
        return "success", hashlib.sha256(released).hexdigest()
    except evidence_v1.Refused as refusal:
        return refusal.layer, hashlib.sha256(released).hexdigest()


def flipped(payload: bytes) -> Iterator[bytes]:
    """The payload with each byte of the wrapped key, then of the sealed field, changed in turn."""
    fields = evidence_v1.read_payload(payload).sealing
    for name in ("videoEncryptAESKey", "userVideoString"):
        text = fields[name]
        assert text
        data = base64.b64decode(text)
        assert payload.count(text.encode("ascii")) == 1
        for index in range(len(data)):
            changed = data[:index] + bytes([data[index] ^ 1]) + data[index + 1 :]
            yield payload.replace(text.encode("ascii"), base64.b64encode(changed))


def truncated(payload: bytes) -> Iterator[bytes]:
    """Every beginning of the payload, the empty one too, that is not the whole object."""
    whole = payload.rstrip(b"\n")
    for length in range(len(whole)):
        yield whole[:length]


def with_video(payload: bytes, sealed: bytes) -> bytes:
    """The payload with another sealed field."""
    text = evidence_v1.read_payload(payload).sealing["userVideoString"]
    assert text
    return payload.replace(text.encode("ascii"), base64.b64encode(sealed))


def sealed_field(payload: bytes) -> bytes:
    text = evidence_v1.read_payload(payload).sealing["userVideoString"]
    assert text
    return base64.b64decode(text)


def cut_at_borders(payload: bytes) -> Iterator[bytes]:
    """The field cut at each border of a chunk, the end included, and up to 17 bytes before and behind it."""
    sealed = sealed_field(payload)
    borders = [*range(56, len(sealed), 16_400), len(sealed)]
    lengths = {border + d for border in borders for d in range(-17, 18)}
    for length in sorted(lengths):
        if length < len(sealed):
            yield with_video(payload, sealed[:length])


def rearranged(payload: bytes) -> Iterator[bytes]:
    """Each two chunks exchanged; each one left out, doubled, or made the last; then bytes put behind the last."""
    sealed = sealed_field(payload)
    header, body = sealed[:56], sealed[56:]
    chunks = [body[i : i + 16_400] for i in range(0, len(body), 16_400)]
    for i in range(len(chunks)):
        for j in range(i):
            exchanged = list(chunks)
            exchanged[i], exchanged[j] = chunks[j], chunks[i]
            yield with_video(payload, header + b"".join(exchanged))
        yield with_video(payload, header + b"".join(chunks[:i] + chunks[i + 1 :]))
        yield with_video(payload, header + b"".join(chunks[: i + 1] + chunks[i:]))
        yield with_video(payload, sealed + chunks[i])
    for count in (1, 15, 16, 17, 16_400):
        yield with_video(payload, sealed + bytes(count))
    yield with_video(payload, sealed + bytes(16_400 - len(chunks[-1])))


DERIVATIONS = {
    "flip-every-sealed-byte": flipped,
    "truncate-everywhere": truncated,
    "cut-at-chunk-borders": cut_at_borders,
    "rearrange-chunks": rearranged,
}


def check(case: bytes) -> tuple[int, Optional[str]]:
    """How many payloads were tried, and what went wrong."""
    header, payload = read_case(case)
    expected = (header["expect"], header["payload"])
    if "derive" not in header:
        got = outcome(header, payload)
        return 1, None if got == expected else f"expected {expected}, got {got}"
    # Unless it opens as it is, that no changed one opens would mean nothing.
    if outcome(header, payload)[0] != "success":
        return 1, "the payload to derive from does not open"
    count = 0
    for count, derived in enumerate(DERIVATIONS[header["derive"]](payload), start=1):
        got = outcome(header, derived)
        if "chunk" in header["derive"] and not evidence_v2.has_possible_length(len(sealed_field(derived))):
            expected = ("length", NOTHING)
        else:
            expected = (header["expect"], header["payload"])
        if got != expected:
            return count, f"derived payload {count}: expected {expected}, got {got}"
    return count, None if count else "nothing was derived"


def identify_tests(name: str) -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = json.loads(evidence_v1.read_file(os.path.join(IDENTIFY, name)))["tests"]
    return tests


def check_canonical(test: dict[str, Any]) -> bool:
    return statement.canonical(test["value"]).hex() == test["canonical"]


def check_statement(test: dict[str, Any]) -> bool:
    data = bytes.fromhex(test["bytes"])
    try:
        fields = statement.read_statement(data)
    except evidence_v1.Refused as refusal:
        return refusal.layer == test["expect"] and "fields" not in test
    return test["expect"] == "success" and fields == test["fields"] and statement.write_statement(fields) == data


@functools.cache
def documents() -> dict[str, bytes]:
    """The whole results of identify/, by the names that the tests give them."""
    packed_results = packed.unpack(evidence_v1.read_file(os.path.join(IDENTIFY, "results.ndjson")))
    return {f"results/{name}": document for name, document in packed_results.items()}


def check_result(test: dict[str, Any]) -> bool:
    return result_vectors.found(test, documents()[test["file"]]) == test["expect"]


def run_identify() -> int:
    """How many went wrong."""
    failures = 0
    for name, check_one in (
        ("canonical.json", check_canonical),
        ("statements.json", check_statement),
        ("results.json", check_result),
    ):
        tests = identify_tests(name)
        wrong = [test["comment"] for test in tests if not check_one(test)]
        if not tests:
            wrong.append("there is nothing in it")
        for comment in wrong:
            print(f"identify/{name}: {comment}")
        print(f"identify/{name}: {len(tests)} tests, {len(wrong)} failures")
        failures += len(wrong)
    named = {test["file"] for test in identify_tests("results.json")}
    for path in sorted(named ^ set(documents())):
        failures += 1
        print(f"identify/{path}: no test has it, or it is missing")
    return failures


def read_device_case(case: bytes) -> tuple[dict[str, str], bytes]:
    head, _, document = case.partition(b"\n\n")
    return dict(line.split(": ", 1) for line in head.decode("ascii").split("\n")), document


def device_outcome(asked: dict[str, str], document: bytes, keys: dict[str, bytes]) -> dict[str, str]:
    """What is expected, as it was found."""
    expected = device.Expected(
        keys=[device.read_key(keys[f"{name}.pem"]) for name in asked["keys"].split()],
        order_no=asked["orderNo"],
        app_id=asked["appId"],
        challenge=asked["challenge"],
        now=statement.moment(asked["now"]) or sys.exit("a moment that is none"),
        user_id=asked.get("userId"),
        maximum_age=int(asked["maxAge"]) if "maxAge" in asked else None,
        used=asked.get("used", "").split(),
        committed=asked.get("committed", "").split(),
    )
    try:
        found = device.check(document, expected)
        names = {"uncovered": ", ".join(found.uncovered), "rewrapped": " ".join(found.rewrapped), "user": found.user}
        return {"expect": "signed", **{name: value for name, value in names.items() if value}}
    except device.Outcome as outcome:
        fields = ", ".join(f"{name} {word}" for name, word in sorted(outcome.fields.items()))
        return {"expect": outcome.name, **({"fields": fields} if fields else {})}


def run_device() -> int:
    """How many went wrong."""
    keys = packed.unpack(evidence_v1.read_file(os.path.join(DEVICE, "keys.ndjson")))
    cases = packed.unpack(evidence_v1.read_file(os.path.join(DEVICE, "cases.ndjson")))
    failures = 0
    for name, case in cases.items():
        asked, document = read_device_case(case)
        wanted = {name: asked[name] for name in ("expect", "fields", "uncovered", "rewrapped", "user") if name in asked}
        found = device_outcome(asked, document, keys)
        if found != wanted:
            failures += 1
            print(f"device/{name}: expected {wanted}, found {found}")
    for name, data in keys.items():
        if name.endswith(".thumbprint"):
            continue
        try:
            key = device.thumbprint(device.read_key(data))
        except Exception:
            key = ""
        wanted_key = "" if name.startswith("wrong-") else keys[f"{name.split('.')[0]}.thumbprint"].decode("ascii")
        if key != wanted_key:
            failures += 1
            print(f"device/keys: {name}: expected {wanted_key or 'no key'}, found {key or 'no key'}")
    print(f"device: {len(cases)} cases, {len(keys)} keys and thumbprints, {failures} failures")
    return failures if cases else 1


def archive_outcome(test: dict[str, Any], folder: str) -> dict[str, list[str]]:
    """What fails in an archive, and what is unchecked, each once."""
    def certificates(name: str) -> list[Any]:
        return cms.certificates(archive.contents(os.path.join(folder, "certificates", name)))

    authorities = [archive.Authority(certificates("time-ca.pem"))] + [
        archive.Authority(certificates(name), decimal.Decimal(until)) for name, until in test.get("until", {}).items()]
    verifier = archive.Verifier(
        os.path.join(folder, test.get("archive", test["name"])), private_key(test["key"]) if "key" in test else None, certificates("ca.pem"), authorities,
        set(test["signer"]) if "signer" in test else None, test.get("head"),
        os.path.join(folder, test["continued"]) if "continued" in test else None, test.get("moment"))
    found = verifier.run()
    return {state: sorted({f"{one.subject} {one.name}" for one in found if one.state == state}) for state in ("fails", "unchecked")}


def run_archives() -> int:
    """How many went wrong."""
    tests = json.loads(evidence_v1.read_file(os.path.join(ARCHIVE, "cases.json")))["tests"]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for path, data in packed.unpack(evidence_v1.read_file(os.path.join(ARCHIVE, "cases.ndjson"))).items():
            archive.store(os.path.join(folder, path), data)
        for test in tests:
            for empty in ("bags", "keys", "tmp", "incoming/data"):
                archive.make_folder(os.path.join(folder, test.get("archive", test["name"]), empty))
            found = archive_outcome(test, folder)
            for state in ("fails", "unchecked"):
                if state in test and found[state] != test[state]:
                    failures += 1
                    print(f"archive/{test['name']}: {state}: {sorted(set(found[state]) - set(test[state]))} too many, "
                          f"{sorted(set(test[state]) - set(found[state]))} missing")
    print(f"archive: {len(tests)} archives, {failures} failures")
    return failures if tests else 1


def run_packs() -> int:
    """Packs of good archives hold, whatever is changed in one is found; how many went wrong."""
    failures, packs, changes = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path, data in packed.unpack(evidence_v1.read_file(os.path.join(ARCHIVE, "cases.ndjson"))).items():
            if path.split("/")[0] in ("certificates", "good-every-kind", "good-chain", "time-renewed"):
                archive.store(os.path.join(folder, path), data)
        cas = [os.path.join(folder, "certificates", name) for name in ("ca.pem", "time-ca.pem")]
        for name, key in (("good-every-kind", "rsa4096.pem"), ("good-chain", "other3072.pem"), ("time-renewed", "other3072.pem")):
            state = archive.verifier(os.path.join(folder, name), private_key(key), *cas)
            state.run()
            for record, said in state.history.statements.items():
                if record in state.history.erased:
                    continue
                for only in (None, {"report.json", "outline.json"}):
                    pack = os.path.join(folder, f"pack{packs}")
                    packs += 1
                    way = archive.write_pack(state, record, pack, only)
                    try:
                        found = archive.check_pack(pack, *cas)
                        if found["steps"] != len(way) or found["before"] != state.times[state.history.places[record]]:
                            raise archive.Refused(f"it says {found}")
                    except (archive.Refused, cms.NotAccepted, cms.Refused) as error:
                        failures += 1
                        print(f"packs: {name}: {record}: {error}")
                    if only is None and packs % 7 == 1:
                        changes += 1
                        failures += changed_packs(pack, cas)
    print(f"packs: {packs} packs, every file of {changes} changed and removed, {failures} failures")
    return failures


def changed_packs(pack: str, cas: list[str]) -> int:
    failures = 0
    for path in list(archive.files_under(pack)):
        data = archive.contents(f"{pack}/{path}")
        # Who looks at what is later than the covering token, or earlier than the bag, does so with the script.
        if path.startswith("previous/"):
            continue
        for changed in (None, data + b"\n", bytes([data[0] ^ 1]) + data[1:] if data else b"x"):
            os.remove(f"{pack}/{path}")
            if changed is not None:
                archive.store(f"{pack}/{path}", changed)
            try:
                archive.check_pack(pack, *cas)
                if not (path.endswith(".tsr") and changed is None):
                    failures += 1
                    print(f"packs: {path} was {'removed' if changed is None else 'changed'}, and the pack holds")
            except (archive.Refused, cms.Refused, cms.NotAccepted, cms.Unjudged, OSError, IndexError, ValueError):
                pass
            if changed is not None:
                os.remove(f"{pack}/{path}")
            archive.store(f"{pack}/{path}", data)
    return failures


def main() -> int:
    cases = packed.unpack(evidence_v1.read_file(TESTKIT))
    failures, tried = 0, 0
    for name, case in cases.items():
        try:
            count, failure = check(case)
        except (ValueError, KeyError, OSError) as error:
            count, failure = 0, f"{type(error).__name__}: {error}"
        tried += count
        if failure:
            failures += 1
            print(f"{name}: {failure}")
    print(f"{len(cases)} cases, {tried} payloads, {failures} failures")
    failures += run_identify()
    page = evidence_v1.read_file(os.path.join(ROOT, os.pardir, "docs", "FORMATS.md")).decode("utf-8")
    for section, rows in ("5.2", verdicts.table()), ("6.1", replacement_vectors.table()):
        missing = [row for row in rows if row + "\n" not in page]
        failures += len(missing)
        print(f"docs/FORMATS.md, section {section}: {len(missing)} rows are not the vectors'")
    failures += run_device()
    failures += run_archives()
    failures += run_packs()
    archive_models.main()
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
