#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The service as its callers, its operator and its enemies meet it: check.py SERVICE TOOL [--long | PART…]."""
import base64
import email
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import clients
import smuggling
from harness import ROOT, TOKEN, VECTORS, Service, key, read_answer, result, running, sealed, tool

JSON = {"Content-Type": "application/json"}


def digest(body: bytes) -> str:
    return "sha-256=:" + base64.b64encode(hashlib.sha256(body).digest()).decode() + ":"


def problem(answer: tuple[int, dict[str, str], bytes], status: int, code: str) -> dict:
    """A problem document, whole, with its digest and number."""
    found, headers, body = answer
    document = json.loads(body)
    assert (found, document["code"]) == (status, code), (found, body)
    assert headers["content-type"] == "application/problem+json" and headers["repr-digest"] == digest(body)
    assert document["status"] == status and document["type"] == "urn:evidence-kit:problem:" + code
    assert document["instance"] == "urn:uuid:" + headers["evidence-request-id"]
    return document


def problem_of_cut(answer: tuple[int, dict[str, str], bytes], status: int, code: str) -> None:
    """What is sent in the middle of a request has no number of it."""
    found, headers, body = answer
    document = json.loads(body)
    assert (found, document["status"], document["code"]) == (status, status, code), answer
    assert headers["repr-digest"] == digest(body) and headers["connection"] == "close"
    assert headers["content-type"] == "application/problem+json" and "instance" not in document


def smuggled(program: str, _: str) -> None:
    with running(program) as service:
        smuggling.check(service)
        service.stop()


def operations(program: str, evidence_tool: str) -> None:
    """Each path, its yes and its no."""
    video = random.Random(18).randbytes(700_000)
    with running(program, "--allow-sign", "--allow-seal", "--profile", "java-default", "--key", key("rsa2048.pem")) as service:
        payload = sealed(evidence_tool, video)
        for extra in ({}, {"Expect": "100-continue"}):
            status, headers, body = service.ask("POST", "/v1/open?orderNo=ord1", payload, extra)
            assert (status, body) == (200, video) and headers["repr-digest"] == digest(video)
            assert headers["evidence-order-no"] == "ord1" and headers["evidence-tag"] == "order"
        chunked = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (payload[:9], payload[9:70_000], payload[70_000:]))
        status, _, body = service.ask("POST", "/v1/open?orderNo=ord1", chunked + b"0\r\n\r\n", {"Transfer-Encoding": "chunked"})
        assert (status, body) == (200, video)
        # The vendor's order of fields: the key comes last.
        order, wrapped, field = (json.loads(payload)[name] for name in ("orderNo", "videoEncryptAESKey", "userVideoString"))
        turned = json.dumps({"userVideoString": field, "videoEncryptAESKey": wrapped, "orderNo": order}).encode()
        assert service.ask("POST", "/v1/open?orderNo=ord1", turned)[2] == video
        for first, last in ((0, 0), (5, 40_000), (699_999, 800_000)):
            status, headers, body = service.ask("POST", f"/v1/open?orderNo=ord1&range={first}-{last}", payload)
            assert (status, body) == (200, video[first:last + 1]), status
            assert headers["evidence-range"] == f"{first}-{min(last, 699_999)}/700000"
        problem(service.ask("POST", "/v1/open?orderNo=ord1&range=700000-700001", payload), 416, "no-such-range")
        problem(service.ask("POST", "/v1/open?orderNo=ord1&range=2-1", payload), 400, "bad-query")
        assert service.ask("POST", "/v1/open?orderNo=ord1&range=0-9", turned)[2] == video[:10]
        problem(service.ask("POST", "/v1/open?orderNo=ord1&range=0-9", payload.replace(b"/", b"\\/")), 422, "no-ranges")
        older = sealed(evidence_tool, video, "ord1", "--profile", "evidence-v1")
        answer = problem(service.ask("POST", "/v1/open?orderNo=ord1&range=0-9", older), 422, "cannot-open")
        assert "open it without range" in answer["hint"], answer
        # The toolkit's own profiles may always be named.
        for name, own, other in (("evidence-v2", payload, older), ("evidence-v1", older, payload)):
            status, headers, body = service.ask("POST", "/v1/open?orderNo=ord1&profile=" + name, own)
            assert (status, body, headers["evidence-tag"]) == (200, video, "order"), (name, status)
            problem(service.ask("POST", "/v1/open?orderNo=ord1&profile=" + name, other), 422, "cannot-open")
        problem(service.ask("POST", "/v1/open?orderNo=ord2", payload), 422, "other-order")
        problem(service.ask("POST", "/v1/open", payload), 400, "bad-query")
        problem(service.ask("POST", "/v1/open?orderNo=ord1&x=1", payload), 400, "bad-query")
        problem(service.ask("POST", "/v1/open?orderNo=ord1", payload[:-3]), 400, "invalid-json")
        problem(service.ask("POST", "/v1/open?orderNo=ord1", b"{}"), 422, "missing-field")
        changed = payload.replace(field[100:104].encode(), b"AAAA" if field[100:104] != "AAAA" else b"BBBB", 1)
        answer = problem(service.ask("POST", "/v1/open?orderNo=ord1", changed), 422, "cannot-open")
        assert answer["number"] == 101 and answer["hint"]
        # One profile was named at the start; others are not to be had, and answers to oracles are for nobody.
        problem(service.ask("POST", "/v1/open?orderNo=ord1&profile=wbface-simple", payload), 403, "not-enabled")

        whole = result(evidence_tool, service.folder)
        query = "/v1/check?orderNo=ord1&userId=u-1"
        status, _, body = service.ask("POST", query, whole)
        report = json.loads(body)
        assert status == 200 and report["schema"] == "evidence-report-1" and report["verdict"] == "holds", body
        problem(service.ask("POST", query + "&parts=photo", whole, {"Accept": "*/*"}), 400, "bad-head")
        problem(service.ask("POST", query + "&maxAge=%2B5", whole), 400, "bad-query")
        accept = {"Accept": "application/json;q=0.5, Multipart/Mixed"}
        status, headers, body = service.ask("POST", query + "&parts=statement,photo,video", whole, accept)
        assert status == 200 and headers["repr-digest"] == digest(body)
        parts = email.message_from_bytes(b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n" + body).get_payload()
        found = {part.get_param("name", header="content-disposition"): part.get_payload(decode=True) for part in parts}
        with open(os.path.join(VECTORS, "media", "photo.jpg"), "rb") as file:
            photo = file.read()
        with open(os.path.join(VECTORS, "media", "clip.mp4"), "rb") as file:
            clip = file.read()
        assert list(found) == ["report", "statement", "photo", "video"] and found["photo"] == photo and found["video"] == clip
        for part in parts:
            assert part["Repr-Digest"] == digest(found[part.get_param("name", header="content-disposition")])
        # Of what does not hold nothing comes but the report.
        swapped = whole.replace(base64.b64encode(photo)[:40], base64.b64encode(photo[:28] + b"xx")[:40])
        status, headers, body = service.ask("POST", query + "&parts=photo,video", swapped, {"Accept": "multipart/mixed"})
        assert status == 200 and (headers["content-type"] == "application/json" or b'name="video"' not in body), body[:300]
        service.ask("POST", query + "&extract=one", whole)
        assert sorted(os.listdir(os.path.join(service.folder, "kept", "one"))) == [
            "photo.jpg", "report.json", "result.json", "statement.json", "video.mp4"]
        answer = problem(service.ask("POST", query + "&extract=one", whole), 409, "exists")
        assert service.folder not in json.dumps(answer)
        for name in ("..", ".x", "a/b", "", "x" * 200):
            problem(service.ask("POST", query + "&extract=" + name, whole), 400, "bad-query")
        service.ask("POST", "/v1/check?orderNo=ord2&extract=no", whole)
        assert os.listdir(os.path.join(service.folder, "kept")) == ["one"]
        problem(service.ask("POST", query + "&require=statement.nonce", whole), 400, "bad-query")
        problem(service.ask("POST", query + "&challenge=" + "x" * 30, whole), 403, "not-enabled")
        # Rubbish has a report, too.
        assert json.loads(service.ask("POST", query, b"[]")[2])["verdict"] == "fails"

        status, headers, body = service.ask("POST", "/v1/photo?orderNo=ord1", whole)
        assert (status, body, headers["content-type"], headers["evidence-tag"]) == (200, photo, "image/jpeg", "none")
        inspection = json.loads(service.ask("POST", "/v1/inspect?orderNo=ord1", whole)[2])
        assert inspection["schema"] == "evidence-inspection-1" and inspection["claims"] == "passed"
        problem(service.ask("POST", "/v1/inspect?orderNo=ord2", whole), 422, "other-order")

        values = {"appId": "IDAXXXXX", "orderNo": "ord1", "code": "0"}
        request = json.dumps({"recipe": "front-end-result", "values": values}).encode()
        sign = json.loads(service.ask("POST", "/v1/sign", request)[2])["sign"]
        for given, valid in ((sign, True), ("0" * 40, False), ("x", False)):
            request = json.dumps({"recipe": "front-end-result", "values": values, "sign": given}).encode()
            assert json.loads(service.ask("POST", "/v1/verify", request)[2])["valid"] is valid
        problem(service.ask("POST", "/v1/verify", request[:-1] + b',"more":1}'), 422, "unknown-member")
        problem(service.ask("POST", "/v1/verify", b"x"), 400, "invalid-json")
        problem(service.ask("POST", "/v1/verify", b" " * 20_000), 413, "body-too-large")
        meanings = json.loads(service.ask("GET", "/v1/codes/66660004")[2])["meanings"]
        assert meanings and meanings[0]["code"] == "66660004"
        problem(service.ask("GET", "/v1/codes/1234567"), 404, "unknown-code")
        problem(service.ask("GET", "/v1/codes/66660004?domain=x"), 400, "bad-query")

        # What is sealed here is opened with the tool, and the other way round above.
        status, _, body = service.ask("POST", "/v1/test/seal?orderNo=ord9", video, {"Content-Type": "video/mp4"})
        assert tool(evidence_tool, "decrypt", "--key", key("rsa3072.pem"), "--order-no", "ord9", data=body) == video
        for path in ("/v1/diagnose", "/diagnose", "/v1/open/", "/V1/open", "/"):
            problem(service.ask("POST", path, b"{}"), 404, "no-such-path")
        answer = service.ask("GET", "/v1/open?orderNo=ord1")
        problem(answer, 405, "wrong-method")
        assert answer[1]["allow"] == "POST"
        for method in ("OPTIONS", "TRACE", "PUT", "HEAD"):
            with service.connect() as connection:
                connection.sendall(f"{method} /healthz HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                head = connection.recv(1 << 12)
                assert head.startswith(b"HTTP/1.1 405 ") and b"\r\nAllow: GET\r\n" in head, (method, head)
        # A second key, and payloads for it.
        other = tool(evidence_tool, "encrypt", "--public", key("rsa2048.public.pem"), "--order-no", "ord1", data=video)
        assert service.ask("POST", "/v1/open?orderNo=ord1", other)[2] == video
        log = service.log()
        assert "ord1" not in log and "u-1" not in log and "IDAXXXXX" not in log, "the log has a request's values"
        text = service.ask("GET", "/metrics")[2].decode()
        assert 'evidence_requests_total{route="/v1/open",status="200"}' in text and "ord1" not in text
        assert os.listdir(service.spool) == []
        service.stop()
        assert not os.path.exists(service.socket)
    with running(program) as service:
        for path in ("/v1/sign", "/v1/test/seal?orderNo=ord1"):
            kind = {"Content-Type": "video/mp4"} if "seal" in path else {}
            problem(service.ask("POST", path, b"{}", kind), 404, "no-such-path")
        service.stop()
    print("operations")


def oracles(program: str, evidence_tool: str) -> None:
    """A profile without a tag: a check answers with a receipt, whatever was found."""
    with running(program, "--profile", "wbface-simple") as service:
        seal = ["--profile", "wbface-simple", "--iv", "0123456789abcdef"]
        payload = sealed(evidence_tool, b"x" * 100, "ord1", *seal)
        iv = {"Evidence-IV": b"0123456789abcdef".hex()}
        bodies = set()
        for data in (payload, payload.replace(b"A", b"B", 3)):
            status, _, body = service.ask("POST", "/v1/check?orderNo=ord1&profile=wbface-simple", data, iv)
            receipt = json.loads(body)
            assert status == 200 and receipt["schema"] == "evidence-receipt-1", body
            bodies.add(tuple(receipt))
        assert len(bodies) == 1
        query = "/v1/check?orderNo=ord1&profile=wbface-simple&parts=video"
        problem(service.ask("POST", query, payload, {**iv, "Accept": "multipart/mixed"}), 403, "not-enabled")
        status, headers, body = service.ask("POST", "/v1/open?orderNo=ord1&profile=wbface-simple", payload, iv)
        assert (status, body, headers["evidence-tag"]) == (200, b"x" * 100, "none")
        problem(service.ask("POST", "/v1/open?orderNo=ord1&profile=wbface-simple", payload), 400, "iv-needed")
        service.stop()
    print("oracles")


def doors(program: str, evidence_tool: str) -> None:
    """Who gets in, and where."""
    free = socket.socket()
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
    free.close()
    with tempfile.TemporaryDirectory() as folder:
        token = os.path.join(folder, "token")
        with open(token, "w", encoding="ascii") as file:
            file.write(TOKEN + "\n")
        with running(program, "--tcp", str(port), "--token-file", token) as service:
            assert os.stat(service.socket).st_mode & 0o777 == 0o660

            def ask(headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
                with socket.create_connection(("127.0.0.1", port), 10) as connection:
                    return service.ask("GET", "/healthz", None, headers, connection)

            host, right = {"Host": f"127.0.0.1:{port}"}, {"Authorization": "Bearer " + TOKEN}
            assert ask({**host, **right})[0] == 200
            problem(ask(host), 401, "no-token")
            problem(ask({**host, "Authorization": "Bearer " + TOKEN[:-1]}), 401, "no-token")
            problem(ask({**host, "Authorization": "Basic " + TOKEN}), 401, "no-token")
            problem(ask({"Host": "evil.example", **right}), 421, "foreign-host")
            # A second one does not take the first one's place; after a SIGKILL it does.
            second = subprocess.run([program, "--socket", service.socket, "--key", key("rsa3072.pem")], stderr=subprocess.PIPE)
            assert second.returncode == 3 and b"cannot listen" in second.stderr, second
            service.process.kill()
            service.process.wait()
            third = Service(program, service.folder, "--key", key("rsa3072.pem"))
            assert third.ask("GET", "/healthz")[0] == 200
            third.stop()
    with running(program, "--allow-uid", str(os.getuid() + 1)) as service:
        problem(service.ask("GET", "/healthz"), 403, "foreign-user")
        service.stop()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("umlaut", "ä" * 20), ("blank", "a token with blanks in it")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text + "\n")
            given = ["--socket", os.path.join(folder, "s"), "--token-file", os.path.join(folder, name)]
            done = subprocess.run([program, *given], stderr=subprocess.PIPE, timeout=20)
            assert done.returncode == 2 and b"printable ASCII" in done.stderr, done
    for words, status in (([], 2), (["--socket", "/tmp/x", "--extract-folder", "/no/such"], 2), (["--tcp", "1"], 2), (["--socket", "/no/where/s"], 3), (["--key", "no"], 2), (["--x"], 2),
                          (["--socket", "/tmp/x", "--key", key("rsa1024.pem")], 2)):
        done = subprocess.run([program, *words], stderr=subprocess.PIPE, timeout=20)
        assert done.returncode == status and done.stderr.startswith(b"evidence-service: error: "), (words, done)
    # Each says what is wrong; none listens and then fails at every request.
    for words, what in ((["--device-keys", "/no/such"], b"--device-keys: /no/such is not a folder"),
                        (["--socket-group", "no such"], b"the group does not exist"),
                        (["--profile", "java-defualt"], b"a profile is a file, or one of: evidence-v2"),
                        (["--allow-sign", "secret"], b"argument 4 is not an option")):
        done = subprocess.run([program, "--socket", "/tmp/x", *words], stderr=subprocess.PIPE, timeout=20)
        assert done.returncode in (2, 3) and what in done.stderr and b"secret" not in done.stderr, (words, done)
    print("doors")


def life(program: str, evidence_tool: str) -> None:
    """Keys that change, systemd, and the end."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "key.pem")
        shutil.copy(key("rsa3072.pem"), path)
        payload = sealed(evidence_tool, b"video")
        other = tool(evidence_tool, "encrypt", "--public", key("rsa2048.public.pem"), "--order-no", "ord1", data=b"other")
        notes = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notes.bind(os.path.join(folder, "notify"))
        notes.settimeout(10)
        service = Service(program, folder, "--key", path, "--drain-seconds", "2",
                          environment={"NOTIFY_SOCKET": os.path.join(folder, "notify")})
        assert notes.recv(100) == b"READY=1"
        assert service.ask("POST", "/v1/open?orderNo=ord1", payload)[2] == b"video"
        # A request that began before the change keeps its keys.
        slow = service.connect()
        slow.sendall(b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                     b"Content-Length: %d\r\n\r\n" % len(payload) + payload[:20])
        time.sleep(0.3)
        with open(path, "w", encoding="ascii") as file:
            file.write("no key")
        service.process.send_signal(signal.SIGHUP)
        service.wait_for("the old ones stay")
        assert service.ask("POST", "/v1/open?orderNo=ord1", payload)[2] == b"video"
        # A FIFO in its place is not waited for.
        os.remove(path)
        os.mkfifo(path)
        service.process.send_signal(signal.SIGHUP)
        service.wait_for("regular file")
        os.remove(path)
        shutil.copy(key("rsa2048.pem"), path)
        service.process.send_signal(signal.SIGHUP)
        service.wait_for("keys: reloaded")
        assert service.ask("POST", "/v1/open?orderNo=ord1", other)[2] == b"other"
        problem(service.ask("POST", "/v1/open?orderNo=ord1", payload), 422, "wrong-length")
        assert service.metric("evidence_reloads_total") == 1 and service.metric("evidence_failed_reloads_total") == 2
        idle = service.connect()
        time.sleep(0.2)
        # None of libdispatch's: they set priorities, and the unit's filter of system calls kills for that.
        assert service.thread_names() <= {"evidence-servic", "MHD-listen", "MHD-connection"}, service.thread_names()
        # What is at work is answered; nobody new comes in; the idle one is told.
        service.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert idle.recv(1) == b""
        try:
            service.connect()
            raise AssertionError("a new connection was taken")
        except (ConnectionRefusedError, FileNotFoundError):
            pass
        slow.sendall(payload[20:])
        status, headers, body = read_answer(slow)
        assert (status, body, headers.get("connection")) == (200, b"video", "close")
        service.stop(told=True)
        said = [notes.recv(100) for _ in range(7)]
        assert said == [b"RELOADING=1", b"READY=1"] * 3 + [b"STOPPING=1"], said
        # One that never comes to its end does not keep it.
        service = Service(program, folder, "--key", path, "--drain-seconds", "1")
        hanging = service.connect()
        hanging.sendall(b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
        time.sleep(0.3)
        service.process.send_signal(signal.SIGTERM)
        problem_of_cut(read_answer(hanging), 503, "stopping")
        service.stop(expected=1, told=True)
        assert "status=503 code=stopping" in service.log(), service.log()
        # A socket that somebody else opened.
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(os.path.join(folder, "handed"))
        listening.listen()
        start = 'exec 3<&%d; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"' % listening.fileno()
        process = subprocess.Popen(["bash", "-c", start, "-", program, "--key", path], pass_fds=[listening.fileno()],
                                   stderr=subprocess.PIPE)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(os.path.join(folder, "handed"))
            assert service.ask("GET", "/healthz", connection=connection)[0] == 200
        process.terminate()
        assert process.wait(20) == 0, process.stderr.read()
        listening.close()
    print("life")


def bounds(program: str, evidence_tool: str) -> None:
    """Places, disk, sizes and time."""
    payload = sealed(evidence_tool, b"v" * 3_000_000)
    head = b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    with running(program, "--max-requests", "2", "--max-body", "5M", "--max-spool", "9M", "--max-connections", "20") as service:
        problem(service.ask("POST", "/v1/open?orderNo=ord1", b" " * 6_000_000), 413, "body-too-large")
        endless = service.connect()
        endless.sendall(b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        b"Transfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(40):
                endless.sendall(b"40000\r\n" + b" " * 0x40000 + b"\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
        problem(read_answer(endless), 413, "body-too-large")
        assert "status=413 code=body-too-large" in service.log() and "408" not in service.log(), service.log()
        # A malformed query, with a body that is short, one that is not, and one of which nobody knows.
        for body in (b"{}", b" " * 70_000, b"%x\r\n%s\r\n0\r\n\r\n" % (70_000, b" " * 70_000)):
            coding = {"Transfer-Encoding": "chunked"} if body.endswith(b"0\r\n\r\n") else {}
            answer = service.ask("POST", "/v1/open?orderNo=a&orderNo=b", body, coding)
            problem(answer, 400, "bad-query")
            assert (answer[1].get("connection") == "close") == (len(body) > 2)
        assert service.log().count("status=400 code=bad-query") == 3, service.log()
        for size, fields, status in ((9_000, 0, 414), (0, 70, 431), (0, 1, 431)):
            fields = "".join(f"X-{number}: {'y' * (9_000 if fields == 1 else 1)}\r\n" for number in range(fields))
            with service.connect() as connection:
                connection.sendall(f"GET /{'x' * size} HTTP/1.1\r\nHost: x\r\n{fields}\r\n".encode())
                assert read_answer(connection)[0] == status, status
        # One that has the disk keeps out the next one that needs it, and none that needs none.
        first = service.connect()
        first.sendall(head % 4_400_000 + payload[:1000])
        service.wait_for_metric("evidence_requests_at_work", 1)
        answer = service.ask("POST", "/v1/open?orderNo=ord1", payload)
        problem(answer, 429, "busy")
        assert answer[1]["retry-after"] == "1"
        assert service.ask("POST", "/v1/inspect", payload)[0] == 200
        second = service.connect()
        second.sendall(b"POST /v1/inspect HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n")
        service.wait_for_metric("evidence_requests_at_work", 2)
        problem(service.ask("POST", "/v1/inspect", payload), 429, "busy")
        first.close()
        second.close()
        service.wait_for_metric("evidence_requests_at_work", 0)
        assert service.ask("POST", "/v1/open?orderNo=ord1", payload)[0] == 200
        service.wait_for_metric("evidence_spool_reserved_bytes", 0)
        service.wait_for_metric("evidence_requests_at_work", 0)
        crowd = [service.connect() for _ in range(24)]
        time.sleep(0.5)
        crowd[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        problem(read_answer(crowd[-1]), 503, "too-many-connections")
        for connection in crowd:
            connection.close()
        service.stop()
    with running(program, "--max-spool", "1M") as service:
        problem(service.ask("POST", "/v1/open?orderNo=ord1", payload), 507, "no-room")
        service.stop()
    with running(program, "--head-seconds", "1", "--body-seconds", "2", "--silence-seconds", "30") as service:
        begun = time.monotonic()
        silent, slow, dripping = service.connect(), service.connect(), service.connect()
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost:")
        dripping.sendall(head % 1_000_000)
        for _ in range(25):
            time.sleep(0.1)
            try:
                slow.sendall(b"x")
                dripping.sendall(b" ")
            except (BrokenPipeError, ConnectionResetError):
                pass
        assert silent.recv(1) == b""
        problem_of_cut(read_answer(slow), 408, "too-slow")
        problem_of_cut(read_answer(dripping), 408, "too-slow")
        assert time.monotonic() - begun < 8
        assert service.metric("evidence_cut_total") == 3
        service.stop()
    # Silence, not slowness.
    with running(program, "--silence-seconds", "1", "--head-seconds", "2") as service:
        mute_head, mute_body, mute_reader = service.connect(), service.connect(), service.connect()
        mute_head.sendall(b"GET /healthz HTTP/1.1\r\nHost:")
        mute_body.sendall(head % 1_000_000 + b" ")
        mute_reader.sendall(head % len(payload) + payload)
        problem_of_cut(read_answer(mute_body), 408, "too-slow")
        problem_of_cut(read_answer(mute_head), 408, "too-slow")
        while service.log().count("status=408 code=too-slow") < 2:
            assert time.monotonic() - begun < 30, service.log()
            time.sleep(0.1)
        assert service.metric("evidence_cut_total") == 3 and service.metric("evidence_aborted_total") == 0
        service.stop()
    # Where the disk is really full.
    with running(program, environment={"TMPDIR": "/no/such/folder"}) as service:
        problem(service.ask("POST", "/v1/open?orderNo=ord1", payload), 500, "cannot-write")
        service.stop()
    print("bounds")


def aborts(program: str, evidence_tool: str, long: bool) -> None:
    """Whoever goes away at any state leaves nothing."""
    payload = sealed(evidence_tool, random.Random(1).randbytes(2_000_000))
    whole = b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(payload)
    head = len(whole)
    whole += payload
    with running(program, "--allow-seal") as service:
        assert service.ask("POST", "/v1/open?orderNo=ord1", payload)[0] == 200
        descriptors, threads = service.descriptors(), service.threads()
        places = [0, 1, 10, head - 2, head, head + 1, head + 500, head + 70_000, head + 1_500_000, len(whole) - 1]
        places += [random.Random(seed).randrange(len(whole)) for seed in range(200 if long else 10)]
        for place in places:
            connection = service.connect()
            connection.sendall(whole[:place])
            if place % 2:
                time.sleep(0.02)
            connection.close()
        # In the middle of the answer.
        for count in (1, 400, 1000, 200_000):
            connection = service.connect()
            connection.sendall(whole)
            connection.recv(count)
            connection.close()
        deadline = time.monotonic() + 15
        while service.descriptors() > descriptors or service.metric("evidence_requests_at_work") > 0:
            assert time.monotonic() < deadline, (service.descriptors(), descriptors)
            time.sleep(0.1)
        assert os.listdir(service.spool) == [] and service.threads() <= threads + 1
        assert service.metric("evidence_aborted_total") >= 10
        assert service.metric("evidence_spool_reserved_bytes") == 0
        assert service.ask("POST", "/v1/open?orderNo=ord1", payload)[0] == 200
        service.stop()
    print(f"{len(places) + 4} aborts")


def load(program: str, evidence_tool: str, seconds: float) -> None:
    """Hostile clients among good ones: nothing is mixed up, nothing is left."""
    generator = random.Random(7)
    videos = [generator.randbytes(size) for size in (0, 100, 5_000, 300_000, 2_000_000)]
    payloads = [sealed(evidence_tool, video, f"ord{number}") for number, video in enumerate(videos)]
    with running(program, "--max-requests", "200") as service:
        service.ask("GET", "/healthz")
        descriptors = service.descriptors()
        end = time.monotonic() + seconds
        faults: list[str] = []
        counts = {"good": 0, "hostile": 0}

        def good(seed: int) -> None:
            own = random.Random(seed)
            connection = service.connect(60)
            while time.monotonic() < end and not faults:
                number = own.randrange(len(videos))
                wrong = own.random() < 0.2
                order = f"ord{(number + 1) % len(videos)}" if wrong else f"ord{number}"
                try:
                    status, headers, body = service.ask("POST", f"/v1/open?orderNo={order}", payloads[number], None, connection)
                except Exception as error:  # pylint: disable=broad-except
                    faults.append(f"a good client got {error!r}")
                    return
                if wrong and (status != 422 or json.loads(body)["code"] != "other-order"):
                    faults.append(f"{status} for a wrong order")
                if not wrong and (status != 200 or body != videos[number] or headers["repr-digest"] != digest(body)):
                    faults.append(f"{status}, {len(body)} bytes for {len(videos[number])}")
                counts["good"] += 1
            connection.close()

        def hostile(seed: int) -> None:
            own = random.Random(seed)
            while time.monotonic() < end and not faults:
                data = b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n"
                match own.randrange(5):
                    case 0: data = own.randbytes(own.randrange(2_000))
                    case 1: data = own.choice(smuggling.CASES)[1]
                    case 2: data += own.choice(payloads)[:own.randrange(90_000)]
                    case 3: data = data[:own.randrange(len(data))]
                    case 4: data += own.randbytes(90_000)
                try:
                    with service.connect(0.3) as connection:
                        connection.sendall(data)
                        if own.random() < 0.5:
                            connection.recv(own.randrange(1, 3_000))
                except OSError:
                    pass
                counts["hostile"] += 1

        threads = [threading.Thread(target=role, args=(seed,)) for role in (good, hostile) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults, faults
        deadline = time.monotonic() + 15
        while service.descriptors() > descriptors + 1:
            assert time.monotonic() < deadline, (service.descriptors(), descriptors)
            time.sleep(0.1)
        assert os.listdir(service.spool) == [] and counts["good"] > 10 and counts["hostile"] > 10, counts
        service.stop()
    print(f"{counts['good']} requests of good clients among {counts['hostile']} of hostile ones")


def memory(program: str, evidence_tool: str, uploads: int, size: int, rate: int) -> None:
    """Uploads at a bounded rate, all at once: memory stays, the disk is bounded."""
    payload = sealed(evidence_tool, random.Random(2).randbytes(size * 3 // 4))
    with running(program, "--max-spool", "16G") as service:
        faults: list[str] = []

        def upload() -> None:
            head = (b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(payload))
            with service.connect(300) as connection:
                connection.sendall(head)
                begun = time.monotonic()
                for start in range(0, len(payload), 1 << 17):
                    connection.sendall(payload[start:start + (1 << 17)])
                    wait = (start + (1 << 17)) / rate - (time.monotonic() - begun)
                    if wait > 0:
                        time.sleep(wait)
                status, headers, body = read_answer(connection)
                if status != 200 or headers["repr-digest"] != digest(body):
                    faults.append(f"{status}, {len(body)}")

        threads = [threading.Thread(target=upload) for _ in range(uploads)]
        begun = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults, faults
        peak = service.peak_memory()
        print(f"{uploads} uploads of {len(payload) >> 20} MiB at {rate / 1e6:.1f} MB/s: {peak >> 20} MiB, "
              f"{time.monotonic() - begun:.0f} s")
        assert peak <= 128 << 20, peak
        service.stop()


def printed(program: str, evidence_tool: str) -> None:
    """What docs/SERVICE.md prints, as it is printed, in one shell."""
    with open(os.path.join(ROOT, "docs", "SERVICE.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```sh (\w+)\n(.*?)^```$", file.read(), re.S | re.M)
    names = [name for name, _ in blocks]
    assert names == ["build", "setup", "curl", *clients.PROGRAMS], names
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, "Service"), os.path.join(folder, "Service"))
        os.mkdir(os.path.join(folder, "bin"))
        for name, path in (("evidence-service", program), ("evidence-tool", evidence_tool)):
            os.symlink(path, os.path.join(folder, "bin", name))
        skipped = [name for name in clients.PROGRAMS if clients.missing(name)]
        script = "set -e\ntrap 'kill %1' EXIT\n" + "".join(text for name, text in blocks[1:] if name not in skipped)
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200,
            env={**os.environ, "PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"], "GOCACHE": os.path.join(folder, "go")})
        said = done.stdout.decode().splitlines()
        assert done.returncode == 0, (said, done.stderr.decode())
        verdicts = [json.loads(line)["verdict"] if line.startswith("{") else line.split()[0] for line in said if line]
        assert verdicts == ["holds"] * (1 + len(clients.PROGRAMS) - len(skipped)), said
    print("docs/SERVICE.md as printed" + (f", without {', '.join(skipped)}" if skipped else ""))


def main() -> None:
    program, evidence_tool = (os.path.abspath(path) for path in sys.argv[1:3])
    long = "--long" in sys.argv
    only = sys.argv[3:] if not long else []
    parts = {
        "smuggling": smuggled, "operations": operations, "oracles": oracles, "doors": doors, "life": life, "bounds": bounds,
        "aborts": lambda *given: aborts(*given, long), "load": lambda *given: load(*given, 120 if long else 5),
        "clients": clients.check, "printed": printed,
        "memory": lambda *given: memory(*given, *((64, 50_000_000, 2_000_000) if long else (16, 4_000_000, 2_000_000))),
    }
    for name, part in parts.items():
        if not only or name in only:
            part(program, evidence_tool)


if __name__ == "__main__":
    main()
