# SPDX-License-Identifier: Apache-2.0
"""Every document of the test kit that must be refused, on every path that takes one and with every parameter that changes how
it is read, while eight clients upload: the service lives, says one thing of one document, and the eight get their answers."""
from __future__ import annotations

import base64
import json
import os
import random
import threading
from dataclasses import dataclass

from harness import VECTORS, Service, read_answer, running, sealed

CHUNK = 16_384


@dataclass
class Case:
    name: str
    header: dict[str, str]
    document: bytes


def kit() -> list[Case]:
    """What is to be refused. Of a case from which others are derived, the document itself opens."""
    cases = []
    with open(os.path.join(VECTORS, "testkit.ndjson"), encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            data = entry["text"].encode() if "text" in entry else base64.b64decode(entry["base64"])
            head, document = data.split(b"\n\n", 1)
            header = dict(line.split(": ", 1) for line in head.decode().splitlines())
            if header["expect"] != "success" and "derive" not in header:
                cases.append(Case(entry["name"], header, document))
    return cases


def targets(order: str) -> list[tuple[str, dict[str, str]]]:
    """Paths with their parameters, and headers; the first opens all of it, the second asks for all of it as a part."""
    head = f"orderNo={order}"
    ranges = [f"0-{2**64 - 1}", "0-0", "0-9", f"{2**64 - 1}-{2**64 - 1}"]
    for border in (CHUNK, 2 * CHUNK, 3 * CHUNK):
        ranges += [f"{border - CHUNK}-{border - 1}", f"{border - 1}-{border}", f"{border - CHUNK + 7}-{border + CHUNK + 7}"]
    iv = {"Evidence-IV": "00" * 16}
    mixed = {"Accept": "multipart/mixed"}
    return [
        (f"/v1/open?{head}", {}), *((f"/v1/open?{head}&range={part}", {}) for part in ranges),
        (f"/v1/open?{head}&profile=evidence-v2", {}), (f"/v1/open?{head}&profile=evidence-v1", {}),
        (f"/v1/open?{head}&profile=java-default", {}), (f"/v1/open?{head}&profile=java-default", iv),
        (f"/v1/open?{head}&plain=true", {}), ("/v1/open?orderNo=other", {}),
        (f"/v1/photo?{head}", {}), (f"/v1/check?{head}", {}), (f"/v1/check?{head}&userId=u-1&maxAge=600", {}),
        (f"/v1/check?{head}&require=result&parts=video,photo,statement", mixed),
        (f"/v1/check?{head}&profile=evidence-v1&require=order", {}), (f"/v1/check?{head}&profile=java-default", {}),
        (f"/v1/inspect?{head}", {}), ("/v1/inspect", {}), ("/v1/inspect?strict=true", {}),
    ]


def upload(service: Service, payload: bytes, done: threading.Event, answers: list) -> None:
    """In chunks, most of it slowly, and the rest when all the others have had their answers."""
    head = b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    pieces = [payload[start:start + 997] for start in range(0, len(payload), 997)]
    with service.connect(900) as connection:
        connection.sendall(head)
        for number, piece in enumerate(pieces):
            # Half of it is there when the first of the others come.
            if number > len(pieces) / 2 and not done.is_set():
                done.wait(0.2 if number + 2 < len(pieces) else 900)
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.sendall(b"0\r\n\r\n")
        answers.append(read_answer(connection))


def ask_all(service: Service, case: Case) -> int:
    order = "order20250001"
    found = []
    for target, headers in targets(order):
        answer = service.ask("POST", target, case.document, headers)
        assert 200 <= answer[0] < 500, (case.name, target, answer)
        found.append(answer)
    (whole, _, _), (all_of_it, _, part) = found[:2]
    # What is for another key, or of another format, may open here.
    if case.header.get("key") == "rsa3072.pem" and case.header["profile"] == "evidence-v2":
        assert whole != 200, (case.name, "opens")
    # As a part, all of it opens only where all of it opens; no part opens of what has none.
    assert all_of_it != 200 or whole == 200 and part == found[0][2], (case.name, "as a part, other bytes, or any")
    return len(found)


def check(program: str, evidence_tool: str, long: bool) -> None:
    cases = kit()
    assert len(cases) > 450
    if not long:
        # What concerns chunks, and some of the rest.
        seed = random.Random(29)
        cases = [case for case in cases if "_v2_" in case.name or seed.random() < 0.1]
    video = random.Random(3).randbytes(300_000)
    payload = sealed(evidence_tool, video)
    with running(program, "--profile", "java-default", "--body-seconds", "3000", "--silence-seconds", "900",
                 "--lowest-rate", "1", "--max-requests", "64") as service:
        done = threading.Event()
        answers: list = []
        uploads = [threading.Thread(target=upload, args=(service, payload, done, answers)) for _ in range(8)]
        for thread in uploads:
            thread.start()
        service.wait_for_metric("evidence_requests_at_work", 8)
        try:
            count = sum(ask_all(service, case) for case in cases)
            service.wait_for_metric("evidence_requests_at_work", 8)
            assert service.process.poll() is None and not answers, answers
        finally:
            done.set()
            for thread in uploads:
                thread.join()
        assert len(answers) == 8 and all((status, body) == (200, video) for status, _, body in answers)
        service.stop()
    print(f"{count} requests with {len(cases)} documents that are refused, beside eight uploads")
