#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `--json` prints, verb by verb, held against the schemas of docs/schemas, by a validator that is not ours.

`check-json.py TOOL` needs the Python package jsonschema. Each schema must be met by something, must be in the table of
docs/JSON.md, and must refuse what lacks a member.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from jsonschema import Draft202012Validator

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
VECTORS = os.path.join(ROOT, "TestVectors")
sys.path.insert(0, os.path.join(VECTORS, "generate"))

import packed  # noqa: E402
import schemas  # noqa: E402

KEYS = os.path.join(VECTORS, "keys")
# Made in the library alone, or printed to checks of their own: scripts/steps/check-batch.py and check-archive.py, and
# Packages/Archive/Tests/drive/check.py.
NOT_PRINTED = {
    "evidence-receipt-1", "evidence-sealing-1", "evidence-ranges-1", "evidence-rewrapping-1",
    "evidence-batch-1",
    "evidence-archive-verification-1", "evidence-archive-index-1", "evidence-archive-find-1",
}


def load_schemas() -> dict[str, Draft202012Validator]:
    found = {}
    for file in sorted(os.listdir(schemas.FOLDER)):
        name = file.removesuffix(".json")
        schema = schemas.load(name)
        Draft202012Validator.check_schema(schema)
        assert schema["properties"]["schema"] == {"const": name}, name
        found[name] = Draft202012Validator(schemas.closed(schema))
    return found


class Bench:
    def __init__(self, tool: str, folder: str) -> None:
        self.tool, self.folder = tool, folder
        self.schemas = load_schemas()
        self.met: dict[str, int] = {}

    def run(self, *words: str, status: tuple[int, ...] = (0,)) -> bytes:
        done = subprocess.run([self.tool, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True)
        assert done.returncode in status, (words, done.returncode, done.stderr.decode())
        return done.stdout

    def print(self, *words: str, status: tuple[int, ...] = (0,)) -> dict:
        data = self.run(*words, "--json", status=status)
        assert data.count(b"\n") == 1 and data.endswith(b"\n"), (words, "it is one line")
        return self.hold(json.loads(data), words)

    def hold(self, value: dict, words: tuple[str, ...]) -> dict:
        name = value["schema"]
        faults = list(self.schemas[name].iter_errors(value))
        assert not faults, (words, [fault.message for fault in faults])
        self.met[name] = self.met.get(name, 0) + 1
        # What a schema refuses, its first outputs show.
        if self.met[name] > 20:
            return value
        for member in self.schemas[name].schema["required"]:
            assert not self.schemas[name].is_valid({key: value[key] for key in value if key != member}), (name, member)
        # A profile's members are PROFILES.md's, and its reader refuses others.
        more = {**value, "another": 1}
        assert name == "evidence-profile-1" or not self.schemas[name].is_valid(more), name
        # What a later version adds breaks nobody who validates.
        Draft202012Validator(schemas.load(name)).validate(more)
        return value


def checks(bench: Bench) -> None:
    """Every recorded result, as it is to be checked there."""
    with open(os.path.join(VECTORS, "identify", "results.json"), encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    with open(os.path.join(VECTORS, "identify", "results.ndjson"), "rb") as file:
        documents = packed.unpack(file.read())
    for test in tests:
        for name, contents in (("result.json", documents[os.path.basename(test["file"])]), ("ticket", None)):
            with open(os.path.join(bench.folder, name), "wb") as file:
                file.write(contents or ((test["ticket"] or "") + "\n").encode())
        words = ["check", "--order-no", test["orderNo"], "--at", test["now"]]
        keys = {"--key": test["videoKey"], "--compare-key": test["compareKey"]}
        for option, key in keys.items():
            words += [option, os.path.join(KEYS, key)] if key else []
        if test["compareKey"]:
            words += ["--user-id", test["userId"]] if test["userId"] else []
            words += ["--max-age", f"{test['maximumAge']}s"] if test["maximumAge"] is not None else []
        if test["appId"] and (test["ticket"] or test["compareKey"]):
            words += ["--app-id", test["appId"]]
            words += ["--ticket-file", "ticket"] if test["ticket"] else []
        report = bench.print(*words, "result.json", status=(0, 1, 4))
        if test["seenNonces"] is None:
            assert report["verdict"] == test["expect"]["verdict"], test["name"]


def devices(bench: Bench) -> None:
    """Every recorded document with a device's signature. The command has no store of challenges, and opens nothing here."""
    with open(os.path.join(VECTORS, "device", "keys.ndjson"), "rb") as file:
        keys = packed.unpack(file.read())
    for name, data in keys.items():
        if name.endswith(".pem"):
            with open(os.path.join(bench.folder, name), "wb") as file:
                file.write(data)
    with open(os.path.join(VECTORS, "device", "cases.ndjson"), "rb") as file:
        cases = packed.unpack(file.read())
    signed = 0
    for name, case in cases.items():
        head, _, document = case.partition(b"\n\n")
        test = dict(line.split(": ", 1) for line in head.decode("ascii").split("\n"))
        if not test["keys"]:
            continue
        with open(os.path.join(bench.folder, "signed.json"), "wb") as file:
            file.write(document)
        words = ["check", "--order-no", test["orderNo"], "--app-id", test["appId"], "--challenge", test["challenge"], "--at", test["now"]]
        for key in test["keys"].split():
            words += ["--device-key", f"{key}.pem"]
        words += ["--device-max-age", f"{test['maxAge']}s"] if "maxAge" in test else []
        words += ["--user-id", test["userId"]] if "userId" in test else []
        report = bench.print(*words, "--require", "device", "signed.json", status=(0, 1))
        if report["device"] is None:
            # It is not a result that could be queried.
            assert test["expect"] != "signed" and report["verdict"] == "fails", name
            continue
        expect = {"replay": "signed", "signed": "fields" if "committed" in test else "signed"}.get(test["expect"], test["expect"])
        assert report["device"]["outcome"] == expect, (name, report["device"])
        assert report["device"]["user"] == test.get("user"), (name, report["device"])
        if "committed" not in test:
            findings = ", ".join(f"{found['field']} {found['finding'].replace('-', ' ')}" for found in report["device"]["findings"])
            assert sorted(findings.split(", ")) == sorted(test.get("fields", "").split(", ")), (name, findings)
        signed += expect == "signed"
    assert signed > 15, signed


def answers(bench: Bench) -> None:
    """Every recorded answer of the vendor's server beside a result."""
    with open(os.path.join(VECTORS, "identify", "beside.json"), encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    for test in tests:
        for name in ("result", "answer"):
            with open(os.path.join(bench.folder, f"{name}.json"), "w", encoding="utf-8") as file:
                file.write(test[name])
        report = bench.print(
            "check", "--order-no", "12345678901234567890", "--ticket-file", "ticket", "--app-id", "IDAXXXXX", "--answer",
            "answer.json", "--require", "answer", "result.json", status=(0, 1, 4))
        item = report["items"][-1]
        expected = ("answer", test["expect"], "stated" if test["expect"] == "holds" else None)
        assert (item["name"], item["state"], item["strength"]) == expected, (test["comment"], item)


def openings(bench: Bench, key: str, public: str) -> None:
    """What `decrypt` reports, of everything that it takes out."""
    video = os.path.join(VECTORS, "media", "clip.mp4")
    size = os.path.getsize(video)
    output = ("-o", "opened", "--force")
    bench.run("encrypt", "--public", public, "--order-no", "ord1", "-o", "own.json", video)
    for words, count in (((), size), (("--stream",), size), (("--range", "5-"), size - 5), (("--range", "5-9"), 5)):
        report = bench.print("decrypt", "--key", key, *words, *output, "own.json")
        assert report == {"schema": "evidence-opening-1", "order": "ord1", "byteCount": count, "tag": "order", "repairs": []}, report
        assert os.path.getsize(os.path.join(bench.folder, "opened")) == count
    for profile, tag in (("java-default", "content"), ("wbface-simple", "none")):
        words = ["--profile", profile] + (["--iv", "0123456789abcdef"] if tag == "none" else [])
        bench.run("encrypt", *words, "--public", public, "--order-no", "ord1", "--force", "-o", "other.json", video)
        assert bench.print("decrypt", *words, "--key", key, *output, "other.json")["tag"] == tag
    photo = os.path.join(VECTORS, "media", "photo.jpg")
    bench.run("assemble", "--public", public, "--compare-public", public, "--ticket-file", "ticket", "--order-no", "ord1",
              "--app-id", "IDAXXXXX", "--user-id", "u1", "--video", video, "--image", photo, "-o", "whole.json")
    assert bench.print("decrypt", "--field", "identifyStr", "--key", key, *output, "whole.json")["tag"] == "order"
    found = bench.print("extract", "--field", "userImageString", *output, "whole.json")
    assert (found["tag"], found["byteCount"]) == ("none", os.path.getsize(photo)), found


def others(bench: Bench) -> None:
    with open(os.path.join(bench.folder, "ticket"), "w") as ticket:
        ticket.write("XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS\n")
    key, public = os.path.join(KEYS, "rsa3072.pem"), os.path.join(KEYS, "rsa3072.public.pem")
    openings(bench, key, public)
    bench.print("public-key", key)
    bench.print("public-key", os.path.join(KEYS, "rsa1024.public.pem"))
    values = ["appId=IDAXXXXX", "orderNo=ord1", "code=0"]
    sign = bench.print("sign", "front-end-result", "--ticket-file", "ticket", *values)["sign"]
    bench.print("sign", "--list")
    verify = ["verify", "front-end-result", "--ticket-file", "ticket", "--sign"]
    assert bench.print(*verify, sign, *values)["valid"]
    assert bench.print(*verify, sign.lower(), *values)["warnings"][0]["name"] == "lower-case-hex"
    other = [*verify, sign, "--explain", "appId=IDAXXXXX", "orderNo=ord2", "code=0"]
    assert bench.print(*other, status=(1,))["reasons"][0]["name"] == "mismatch"
    wrong = bench.print(
        "verify", "sdk-launch", "--explain", "--ticket-file", "ticket", "--sign", "F598EF48B28F62257042AB3A94E40512D8EB850A",
        "appId=IDAXXXXX", "userId=userID19959248596551", "nonce=kHoSxvLZGxSoFsjxlbzEoUzh5PAnTU7T", status=(1,))
    assert wrong["explanations"][0][0]["name"] == "case-insensitive-sort"
    url = f"https://partner.example/?code=0&orderNo=ord1&h5faceId=a&newSignature={sign}"
    callback = ["verify", "--app-id", "IDAXXXXX", "--order-no", "ord1", "--user-id", "u1", "--ticket-file", "ticket"]
    found = bench.print(*callback, "--logged-in-as", "u1", "--callback", url)
    assert found["outcome"] == "valid" and found["passed"]
    found = bench.print(*callback, "--logged-in-as", "u2", "--callback", url, status=(1,))
    assert found["outcome"] == "invalid" and found["reasons"][0]["name"] == "user"
    found = bench.print(*callback, "--logged-in-as", "u1", "--callback", "https://partner.example/?code=3003&orderNo=ord1", status=(1,))
    assert found["outcome"] == "unsigned" and not found["passed"]
    for profile in bench.print("profiles")["profiles"]:
        words = ("profiles", profile["name"], "--json")
        assert bench.hold(json.loads(bench.run(*words)), words) == profile
    for code in ("42000", "-1001", "12008"):
        bench.print("error", code)
    kinds = set()
    for name in sorted(os.listdir(os.path.join(VECTORS, "results"))):
        document = os.path.join(VECTORS, "results", name)
        if subprocess.run([bench.tool, "inspect", document], capture_output=True).returncode == 0:
            kinds.add(bench.print("inspect", document)["kind"])
    assert kinds == set(bench.schemas["evidence-inspection-1"].schema["properties"]["kind"]["enum"]), kinds
    with open(os.path.join(VECTORS, "diagnosis.ndjson"), "rb") as file:
        cases = packed.unpack(file.read())
    verdicts = set()
    sources = set()
    shown = {"iv_counts_json", "iv_is_the_end_of_the_key_in_a_field"}
    for name in sorted(set(sorted(cases)[::3]) | shown):
        with open(os.path.join(bench.folder, "payload.json"), "wb") as file:
            file.write(cases[name].partition(b"\n\n")[2])
        keys = ["--key", os.path.join(KEYS, "rsa2048.pem")]
        done = subprocess.run([bench.tool, "diagnose", "--json", *keys, "payload.json"], cwd=bench.folder,
                              stdin=subprocess.DEVNULL, capture_output=True)
        if done.stdout:
            found = bench.hold(json.loads(done.stdout), ("diagnose", name))
            verdicts.add(found["verdict"])
            sources |= {iv["iv"].partition(":")[0] for iv in found.get("unproven", {}).get("ivs", [])}
    assert verdicts == {"opens", "unproven", "closed"}, verdicts
    assert sources == {"hex", "reconstructed"}, sources
    # Under a profile without a tag, with repairs, and what is kept.
    video = os.path.join(VECTORS, "media", "clip.mp4")
    bench.run("encrypt", "--profile", "wbface-simple", "--iv", "0123456789abcdef", "--public", public, "--order-no", "ord1",
              "-o", "sealed.json", video)
    with open(os.path.join(bench.folder, "sealed.json"), encoding="utf-8") as file:
        inner = json.load(file)
    inner["userEncryptKey"] = inner.pop("videoEncryptAESKey")
    result = {"scene": "x", "res": {"success": "1", "orderNo": "ord1", "sign": sign, "liveRate": 99, "simpleModeResult": inner}}
    with open(os.path.join(bench.folder, "wrapped.json"), "w", encoding="utf-8") as file:
        json.dump(result, file)
    repairs = ["wrapper", "wrapper-name", "android-key-name", "success-spelling", "score-number"]
    report = bench.print(
        "check", "--key", key, "--profile", "wbface-simple", "--iv", "0123456789abcdef", "--ticket-file", "ticket", "--app-id",
        "IDAXXXXX", "--order-no", "ord1", "--require", "vendor", *(word for name in repairs for word in ("--repair", name)),
        "--extract", "kept", "wrapped.json")
    assert report["audience"] == "key-holder" and {found["name"] for found in report["repairs"]} == set(repairs)
    with open(os.path.join(bench.folder, "kept", "report.json"), encoding="utf-8") as file:
        kept = bench.hold(json.load(file), ("kept/report.json",))
    assert kept == report


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(sys.argv[1]), folder)
        checks(bench)
        devices(bench)
        others(bench)
        answers(bench)
    missed = set(bench.schemas) - set(bench.met) - NOT_PRINTED
    assert not missed, f"met by nothing: {missed}"
    with open(os.path.join(ROOT, "docs", "JSON.md"), encoding="utf-8") as file:
        page = file.read()
    assert all(f"`{name}`" in page for name in bench.schemas), "a schema is not in docs/JSON.md"
    print(f"{sum(bench.met.values())} outputs meet their schemas: " + ", ".join(f"{name} {count}" for name, count in sorted(bench.met.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
