#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks every way in for the same: `differential.py TOOL SERVICE LIBRARY PAYLOADS RESULTS [RUN-ELSEWHERE]`.

PAYLOADS and RESULTS are files of TestVectors/generate/corrupted.py and changed.py, which have the answers of Python. The
command, the service, the C library (through its Python package) and, where RUN-ELSEWHERE runs a command there, the command on
another system must give the same: of a payload the content, or a refusal, with one code but for the service, which
tells a caller less; of a result the verdict and the state of each item.
"""

from __future__ import annotations

import base64
import concurrent.futures
import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Callable, Iterator
from urllib.parse import quote

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "TestVectors", "generate"), os.path.join(ROOT, "Packages", "Service", "Tests", "drive")]

import corrupted  # noqa: E402
import evidence_v1  # noqa: E402
import harness  # noqa: E402
import result_vectors as results  # noqa: E402

KEYS = os.path.join(ROOT, "TestVectors", "keys")
PORTION = 500
REFUSED = "refused"
# An answer of a check: the verdict, and the state of each item.
Found = Any


class Readers:
    def __init__(self, tool: str, service: str, library: str, elsewhere: list[str], folder: str) -> None:
        self.folder = folder
        self.ticket = os.path.join(folder, "ticket")
        with open(self.ticket, "w", encoding="ascii") as file:
            file.write(results.TICKET)
        self.key, self.compare = f"{KEYS}/{results.INTEGRATOR}", f"{KEYS}/{results.COMPARING}"
        self.checking = ["--key", self.key, "--compare-key", self.compare, "--app-id", results.APP, "--ticket-file", self.ticket]
        self.commands = {"the command": [tool]}
        if elsewhere:
            self.commands["the command elsewhere"] = [*elsewhere, tool]
        self.service = {
            keys: harness.Service(service, os.path.join(folder, keys), *words)
            for keys, words in (("open", ["--key", f"{KEYS}/{corrupted.KEY}"]), ("check", self.checking))
        }
        package = os.path.join(folder, "python", "evidence_kit")
        shutil.copytree(os.path.join(ROOT, "Packages", "CLibrary", "Python", "evidence_kit"), package)
        shutil.copy(library, os.path.join(package, "libevidence.so.1"))
        sys.path.insert(0, os.path.dirname(package))
        import evidence_kit

        self.kit = evidence_kit
        self.private = {path: evidence_kit.PrivateKey.from_file(path) for path in (self.key, self.compare, f"{KEYS}/{corrupted.KEY}")}

    def close(self) -> None:
        for service in self.service.values():
            service.stop()

    def batch(self, command: list[str], words: list[str], requests: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
        path = os.path.join(self.folder, f"requests-{len(command)}")
        with open(path, "w", encoding="utf-8") as file:
            for request in requests:
                file.write(json.dumps(request) + "\n")
        # A program elsewhere has no standard input of ours.
        ran = [*command[:-1], "bash", "-c", '"$@" < "$0"', path, command[-1], "batch", *words]
        done = subprocess.run(ran, capture_output=True, cwd=ROOT, check=False)
        if done.returncode != 0:
            sys.exit(f"{ran}: {done.returncode}, {done.stderr!r}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    # --- Payloads ------------------------------------------------------------------------------

    def opened_by_command(self, name: str, payloads: list[bytes]) -> list[str]:
        root = tempfile.mkdtemp(dir=self.folder)
        requests = ({"id": n, "inline": base64.b64encode(one).decode(), "out": str(n)} for n, one in enumerate(payloads))
        answers = self.batch(self.commands[name], ["open", "--key", f"{KEYS}/{corrupted.KEY}", "--root", root], requests)
        shutil.rmtree(root)
        return [answer["sha256"] if answer["ok"] else f"{REFUSED}: {answer['error']}" for answer in answers]

    def opened_by_library(self, payload: bytes) -> str:
        try:
            with self.kit.open_video(payload, self.private[f"{KEYS}/{corrupted.KEY}"]) as content:
                return hashlib.sha256(content.read()).hexdigest()
        except self.kit.EvidenceError as error:
            return f"{REFUSED}: {error.code}"

    def opened_by_service(self, payload: bytes) -> str:
        status, body = self.post("open", f"/v1/open?orderNo={corrupted.ORDER}", payload)
        if status == 200:
            return hashlib.sha256(body).hexdigest()
        return REFUSED if status == 422 else f"status {status}: {body!r}"

    # --- Results -------------------------------------------------------------------------------

    def checked_by_command(self, name: str, documents: list[bytes]) -> list[Found]:
        requests = ({"id": n, "inline": base64.b64encode(one).decode(), "order": results.ORDER} for n, one in enumerate(documents))
        answers = self.batch(self.commands[name], ["check", *self.checking, "--with-report"], requests)
        return [found(answer["report"]) for answer in answers]

    def checked_by_library(self, document: bytes) -> Found:
        return found(self.kit.check(
            document, order=results.ORDER, app=results.APP, video_keys=self.private[self.key],
            statement_keys=self.private[self.compare], tickets=[results.TICKET.encode()]).json)

    def checked_by_service(self, document: bytes) -> Found:
        status, body = self.post("check", f"/v1/check?orderNo={quote(results.ORDER)}", document)
        if status == 200:
            return found(json.loads(body))
        # Of what is no document there is no report.
        return ("fails", {}) if status == 400 and json.loads(body)["code"] == "invalid-json" else f"status {status}: {body!r}"

    def post(self, which: str, target: str, body: bytes) -> tuple[int, bytes]:
        status, _, answer = self.service[which].ask("POST", target, body)
        return status, answer


def found(report: dict[str, Any]) -> Found:
    return report["verdict"], {item["name"]: item["state"] for item in report["items"]}


def payloads_of(path: str) -> Iterator[tuple[bytes, str]]:
    """Each with what Python says of it."""
    with open(path, encoding="ascii") as file:
        head = json.loads(next(file))
        bases = [[base64.b64decode(part) for part in base] for base in head["bases"]]
        for line in file:
            test = json.loads(line)
            wrapped, sealed, longer = bases[test["base"]]
            payload = evidence_v1.write_payload(head["orderNo"], wrapped, corrupted.put_together(test["parts"], sealed))
            if test["more"]:
                payload = corrupted.with_more(payload, base64.b64encode(longer))
            yield payload, test["expect"] if len(test["expect"]) == 64 else REFUSED


def documents_of(path: str) -> Iterator[tuple[bytes, Found]]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            test = json.loads(line)
            data = test["text"].encode() if "text" in test else base64.b64decode(test["base64"])
            yield data, (test["expect"]["verdict"], test["expect"]["items"])


def portions(cases: Iterator[Any]) -> Iterator[list[Any]]:
    while portion := list(itertools.islice(cases, PORTION)):
        yield portion


def compare(what: str, cases: Iterator[Any], readers: dict[str, Callable[[list[bytes]], list[Any]]], agree: Callable[[Any, Any], bool]) -> None:
    """Asks all readers at once, and ends at the first portion in which two differ."""
    count = 0
    with concurrent.futures.ThreadPoolExecutor(len(readers)) as pool:
        for portion in portions(cases):
            inputs, expected = [case[0] for case in portion], [case[1] for case in portion]
            answers = dict(zip(readers, pool.map(lambda ask: ask(inputs), readers.values())))
            first, *others = answers
            differing = 0
            for place, wanted in enumerate(expected):
                given = {name: answers[name][place] for name in answers}
                one = given[first]
                if agree(one, wanted) and all(given[name] == one or name == "the service" and agree(one, given[name]) for name in others):
                    continue
                differing += 1
                print(f"{what} {count + place + 1}: Python {wanted}; " + "; ".join(f"{name} {answer}" for name, answer in given.items()))
            if differing:
                sys.exit(f"differential: {differing} of {len(portion)} {what}s are read in more than one way")
            count += len(portion)
    print(f"{count} {what}s: one answer of Python, {', '.join(readers)}", flush=True)


def agree_on_content(left: str, right: str) -> bool:
    """Which code a refusal has, Python and the service do not say."""
    return left.split(":")[0] == right.split(":")[0]


def agree_on_states(left: Found, right: Found) -> bool:
    """What is not in a report is unchecked."""
    if isinstance(right, str) or left[0] != right[0]:
        return False
    # Python says of what is no document that it fails, and no more; so does the service.
    return not right[1] or all(left[1].get(name, "unchecked") == right[1].get(name, "unchecked") for name in {**left[1], **right[1]})


def each(read: Callable[[bytes], Any]) -> Callable[[list[bytes]], list[Any]]:
    return lambda inputs: [read(one) for one in inputs]


def main() -> None:
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    tool, service, library, payloads, changed, *elsewhere = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir=os.path.join(ROOT, ".build")) as folder:
        readers = Readers(os.path.abspath(tool), os.path.abspath(service), library, elsewhere, folder)
        try:
            of_payloads = {name: (lambda inputs, name=name: readers.opened_by_command(name, inputs)) for name in readers.commands}
            of_results = {name: (lambda inputs, name=name: readers.checked_by_command(name, inputs)) for name in readers.commands}
            of_payloads |= {"the C library": each(readers.opened_by_library), "the service": each(readers.opened_by_service)}
            of_results |= {"the C library": each(readers.checked_by_library), "the service": each(readers.checked_by_service)}
            compare("payload", payloads_of(payloads), of_payloads, agree_on_content)
            compare("result", documents_of(changed), of_results, agree_on_states)
        finally:
            readers.close()


if __name__ == "__main__":
    main()
