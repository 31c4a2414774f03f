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
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress

import behaviour
import clients
import deployed
import dialects
import frameworks
import negatives
import smuggling
from harness import PATIENCE, ROOT, TICKET, TOKEN, VECTORS, Service, Short, key, read_answer, reserved_port, result, running, sealed, tool

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
    with running(program, "--allow-sign", "--allow-seal") as service:
        smuggling.check(service)
        dialects.check(service)
        service.stop()


def operations(program: str, evidence_tool: str) -> None:
    """Each path, its yes and its no."""
    video = random.Random(18).randbytes(700_000)
    with running(program, "--allow-sign", "--allow-seal", "--profile", "java-default", "--profile", "evidence-v1",
                 "--key", "evidence-v1=" + key("rsa4096.pem"), "--key", key("rsa2048.pem")) as service:
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
        # The vendor's own name on Android, unasked; a wrapper, where it is named.
        android = payload.replace(b"videoEncryptAESKey", b"userEncryptKey")
        wrapped = b'{"scene":"x","res":%s}' % android
        for path, sent, names in (("", android, "android-key-name"), ("&repair=wrapper", wrapped, "android-key-name,wrapper")):
            for part, expected in (("", video), ("&range=0-9", video[:10])):
                status, headers, body = service.ask("POST", f"/v1/open?orderNo=ord1{part}{path}", sent)
                assert (status, body) == (200, expected), (path, status, body[:300])
                assert sorted(headers["evidence-repairs"].split(",")) == names.split(",")
        problem(service.ask("POST", "/v1/open?orderNo=ord1&strict=true", android), 422, "needs-repair")
        problem(service.ask("POST", "/v1/open?orderNo=ord1", wrapped), 422, "missing-field")
        for query in ("repair=wrapper&strict=true", "repair=contradiction", "repair=x", "strict=1"):
            problem(service.ask("POST", f"/v1/open?orderNo=ord1&{query}", android), 400, "bad-query")
        # A text that was changed in transit: the cure is named as the command names it, and works.
        for change, names in ((lambda text: text.replace("+", " "), "lost-plus"), (lambda text: text.replace("/", "\\/").replace("+", "%2B"), "percent-encoding")):
            damaged = payload.replace(field.encode(), change(field).encode())
            answer = problem(service.ask("POST", "/v1/open?orderNo=ord1", damaged), 422, "invalid-base64")
            assert answer["repairs"] == [names] and f"send repair={names}" in answer["hint"], answer
            assert service.ask("POST", "/v1/open?orderNo=ord1&repair=" + names, damaged)[2] == video
        for first, last in ((0, 0), (5, 40_000), (699_999, 800_000)):
            status, headers, body = service.ask("POST", f"/v1/open?orderNo=ord1&range={first}-{last}", payload)
            assert (status, body) == (200, video[first:last + 1]), status
            assert headers["evidence-range"] == f"{first}-{min(last, 699_999)}/700000"
        problem(service.ask("POST", "/v1/open?orderNo=ord1&range=700000-700001", payload), 416, "no-such-range")
        problem(service.ask("POST", "/v1/open?orderNo=ord1&range=2-1", payload), 400, "bad-query")
        assert service.ask("POST", "/v1/open?orderNo=ord1&range=0-9", turned)[2] == video[:10]
        problem(service.ask("POST", "/v1/open?orderNo=ord1&range=0-9", payload.replace(b"/", b"\\/")), 422, "no-ranges")
        older = sealed(evidence_tool, video, "ord1", "--profile", "evidence-v1", public="rsa4096.public.pem")
        problem(service.ask("POST", "/v1/open?orderNo=ord1", older), 422, "wrong-length")
        # Each profile has a key of its own, and one without a key opens nothing.
        answer = problem(service.ask("POST", "/v1/open?orderNo=ord1&profile=java-default", payload), 403, "not-enabled")
        assert "profile=evidence-v1" in answer["hint"]
        for name, own, other in (("evidence-v2", payload, older), ("evidence-v1", older, payload)):
            status, headers, body = service.ask("POST", "/v1/open?orderNo=ord1&profile=" + name, own)
            assert (status, body, headers["evidence-tag"]) == (200, video, "order"), (name, status)
            problem(service.ask("POST", "/v1/open?orderNo=ord1&profile=" + name, other), 422, "wrong-length")
        problem(service.ask("POST", "/v1/open?orderNo=ord2", payload), 422, "other-order")
        problem(service.ask("POST", "/v1/open", payload), 400, "bad-query")
        problem(service.ask("POST", "/v1/open?orderNo=ord1&x=1", payload), 400, "bad-query")
        problem(service.ask("POST", "/v1/open?orderNo=ord1", payload[:-3]), 400, "invalid-json")
        problem(service.ask("POST", "/v1/open?orderNo=ord1", b"{}"), 422, "missing-field")
        changed = payload.replace(field[100:104].encode(), b"AAAA" if field[100:104] != "AAAA" else b"BBBB", 1)
        answer = problem(service.ask("POST", "/v1/open?orderNo=ord1", changed), 422, "cannot-open")
        assert answer["number"] == 101 and "send profile=evidence-v1" in answer["hint"]
        # Where something is wrong with a query, what it must be is said.
        for path, query, said in (("open", "range=x", "FIRST-LAST"), ("open", "repair=x", "names of repairs"), ("open", "strict=1", "true or false"),
                                  ("check", "extract=a/b", "letters, digits"), ("check", "maxAge=x", "seconds"), ("check", "at=x", "2026-11-21T08:30:00.000Z"),
                                  ("check", "parts=x", "video, photo, statement"), ("check", "reportDigests=x", "short or all"),
                                  ("check", "challenge=x", "16 to 64"), ("check", "require=x", "default, vendor"), ("open", "x=1", "it takes orderNo"),
                                  ("photo", "profile=evidence-v1", "leave it out")):
            answer = problem(service.ask("POST", f"/v1/{path}?orderNo=ord1&{query}", payload), 400, "bad-query")
            assert said in answer["hint"], (query, answer)
        # One profile was named at the start; others are not to be had, and answers to oracles are for nobody.
        problem(service.ask("POST", "/v1/open?orderNo=ord1&profile=wbface-simple", payload), 403, "not-enabled")

        whole = result(evidence_tool, service.folder)
        query = "/v1/check?orderNo=ord1&userId=u-1"
        status, _, body = service.ask("POST", query, whole)
        report = json.loads(body)
        assert status == 200 and report["schema"] == "evidence-report-1" and report["verdict"] == "holds", body
        for accepted in ("*/*", "multipart/mixed;q=0", "multipart/mixed; q=0.00, */*", "multipart/*"):
            problem(service.ask("POST", query + "&parts=photo", whole, {"Accept": accepted}), 400, "bad-head")
        problem(service.ask("POST", query + "&maxAge=%2B5", whole), 400, "bad-query")
        accept = {"Accept": "application/json;q=0.5,, Multipart/Mixed ; q=0.05"}
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
        assert service.folder not in json.dumps(answer) and "name another folder" in answer["hint"]
        for name in ("..", ".x", "a/b", "", "x" * 200):
            problem(service.ask("POST", query + "&extract=" + name, whole), 400, "bad-query")
        service.ask("POST", "/v1/check?orderNo=ord2&extract=no", whole)
        assert os.listdir(os.path.join(service.folder, "kept")) == ["one"]
        problem(service.ask("POST", query + "&require=statement.nonce", whole), 400, "bad-query")
        problem(service.ask("POST", query + "&challenge=" + "x" * 30, whole), 403, "not-enabled")
        # A body that ends early says nothing about a result, wherever it ends.
        for end in [1, 20, *range(100, len(whole), len(whole) // 7), len(whole.rstrip()) - 1]:
            problem(service.ask("POST", query + "&extract=early", whole[:end]), 400, "invalid-json")
        assert "early" not in os.listdir(os.path.join(service.folder, "kept"))
        # A document that is no result has a report, too.
        for body in (b'{"a":1}', b'{"a":1,"a":2}', b'{"isSuccess":tru}', whole.replace(b'"', b"'", 2)):
            assert json.loads(service.ask("POST", query, body)[2])["verdict"] == "fails", body[:40]

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
        for more in ({"code": ""}, {"code": "x"}, {"appId": "TOOLONGAPPID"}):
            request = json.dumps({"recipe": "front-end-result", "values": {**values, **more}, "sign": sign}).encode()
            problem(service.ask("POST", "/v1/verify", request), 400, "bad-value")
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
        assert answer[1]["allow"] == "POST, OPTIONS"
        for method in ("TRACE", "PUT", "DELETE", "PATCH"):
            with service.connect() as connection:
                connection.sendall(f"{method} /healthz HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                head = connection.recv(1 << 12)
                assert head.startswith(b"HTTP/1.1 405 ") and b"\r\nAllow: GET, HEAD, OPTIONS\r\n" in head, (method, head)
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


def signed(ticket: str) -> str:
    """The sign of a result of ord1."""
    return hashlib.sha1("".join(sorted(["IDAXXXXX", "ord1", "0", ticket])).encode()).hexdigest().upper()


def oracles(program: str, evidence_tool: str) -> None:
    """A profile without a tag: a check answers with a receipt, whatever was found."""
    with running(program, "--profile", "wbface-simple", "--key", "wbface-simple=" + key("rsa4096.pem")) as service:
        seal = ["--profile", "wbface-simple", "--iv", "0123456789abcdef"]
        payload = sealed(evidence_tool, b"x" * 100, "ord1", *seal, public="rsa4096.public.pem")
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
        # An IV that was sent as text, and none.
        for given, code in (({"Evidence-IV": "0123456789abcdef"}, "bad-profile"), ({"Evidence-IV": "text"}, "bad-head"), ({}, "iv-needed")):
            answer = problem(service.ask("POST", "/v1/open?orderNo=ord1&profile=wbface-simple", payload, given), 400, code)
            assert "hexadecimal" in answer["hint"], answer
        assert "opens videos sealed as wbface-simple, for requests with profile=wbface-simple\n" in service.log()
        assert "no key opens payloads of the vendor's SDK" not in service.log()
        service.stop()
    with running(program) as service:
        assert "no key opens payloads of the vendor's SDK" in service.log()
        answer = problem(service.ask("POST", "/v1/open?orderNo=ord1", sealed(evidence_tool, b"x", public="other3072.public.pem")), 422, "cannot-open")
        assert "--profile FILE --key NAME=KEY" in answer["hint"], answer
        problem(service.ask("POST", "/v1/check?orderNo=ord1&require=answer", b"{}"), 400, "bad-query")
        service.stop()
    # What no result could meet is refused by its name, not left unchecked.
    with tempfile.TemporaryDirectory() as folder:
        service = Service(program, folder, "--profile", "wbface-simple")
        for require, name, option in (("vendor", "sign", "--ticket-folder"), ("result,video", "video", "--key"), ("statement", "statement", "--compare-key"),
                                      ("default", "sign", "--ticket-folder"), ("device", "device", "--device-keys")):
            answer = problem(service.ask("POST", f"/v1/check?orderNo=ord1&require={require}", b'{"isSuccess":true}'), 403, "not-enabled")
            assert name in answer["title"] and option in answer["hint"], answer
        # So is an expectation that nothing here can compare.
        for expected in ("userId=u-1", "maxAge=600"):
            answer = problem(service.ask("POST", f"/v1/check?orderNo=ord1&require=result&{expected}", b'{"isSuccess":true}'), 403, "not-enabled")
            assert "--compare-key" in answer["title"], answer
        for require in ("result,order", "photo"):
            assert service.ask("POST", f"/v1/check?orderNo=ord1&require={require}", b'{"isSuccess":true}')[0] == 200
        service.stop()
    # A key for another profile than that of the request is no reason to start the service with one.
    with tempfile.TemporaryDirectory() as folder:
        service = Service(program, folder, "--profile", "wbface-simple", "--key", "wbface-simple=" + key("rsa4096.pem"))
        result = b'{"isSuccess":true,"simpleModeResult":{"videoEncryptAESKey":"AAAA","userVideoString":"AAAA"}}'
        answer = problem(service.ask("POST", "/v1/check?orderNo=ord1&require=vendor", result), 403, "not-enabled")
        assert "with profile=wbface-simple" in answer["hint"], answer
        items = json.loads(service.ask("POST", "/v1/check?orderNo=ord1", result)[2])["items"]
        video = next(item for item in items if item["name"] == "video")
        assert "with profile=wbface-simple" in video["hint"], video
        service.stop()
    names(program, evidence_tool)
    print("oracles")


def names(program: str, evidence_tool: str) -> None:
    """Without a tag a name for extract can be used once, whatever the check found: else the second answer would tell."""
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "kept")
        os.mkdir(kept)
        with open(os.path.join(folder, "ticket"), "w", encoding="ascii") as file:
            file.write(TICKET + "\n")
        # The vendor seals the statement for a service of its own: the key for ours does not make such a result fail.
        service = Service(program, folder, "--profile", "wbface-simple", "--key", "wbface-simple=" + key("rsa4096.pem"), "--app-id", "IDAXXXXX",
                          "--compare-key", key("rsa2048.pem"), "--ticket-file", os.path.join(folder, "ticket"), "--extract-folder", kept)
        with open(os.path.join(VECTORS, "media", "clip.mp4"), "rb") as file:
            payload = sealed(evidence_tool, file.read(), "ord1", "--profile", "wbface-simple", "--iv", "0123456789abcdef", public="rsa4096.public.pem")
        fields, answers = json.loads(payload), []
        whole = json.loads(result(evidence_tool, folder))["simpleModeResult"]
        statement = {name: whole[name] for name in ("encryptAESKey", "identifyStr")}
        for name, text in (("held", fields["userVideoString"]), ("failed", "AAAA" + fields["userVideoString"][4:])):
            simple = {"videoEncryptAESKey": fields["videoEncryptAESKey"], "userVideoString": text, **statement}
            document = json.dumps({"orderNo": "ord1", "isSuccess": True, "sign": signed(TICKET), "simpleModeResult": simple}).encode()
            query = f"/v1/check?orderNo=ord1&profile=wbface-simple&require=vendor&extract={name}"
            first, *others = [service.ask("POST", query, document, {"Evidence-IV": b"0123456789abcdef".hex()}) for _ in range(3)]
            assert first[0] == 200 and json.loads(first[2])["schema"] == "evidence-receipt-1", first
            assert os.path.exists(os.path.join(kept, name)) == (name == "held"), os.listdir(kept)
            for one in others:
                # There may be no folder and no report.
                said = problem(one, 409, "exists")
                assert "check under the name" in said["title"] and "report.json" not in said["hint"] and "another name" in said["hint"], said
            answers.append([(problem(one, 409, "exists")["title"], sorted(one[1])) for one in others])
        assert answers[0] == answers[1], answers
        assert sorted(os.listdir(kept)) == [".failed.asked", ".held.asked", "held"]
        # Whoever asks for it gets it compared.
        document = json.dumps({**json.loads(document), "simpleModeResult": {**simple, "userVideoString": fields["userVideoString"]}}).encode()
        for number, more in enumerate(("", ",statement", ",default", ",video:bound", "&userId=u-1", "&maxAge=600")):
            query = f"/v1/check?orderNo=ord1&profile=wbface-simple&extract=asked{number}&require=vendor{more}"
            assert service.ask("POST", query, document, {"Evidence-IV": b"0123456789abcdef".hex()})[0] == 200, more
            assert os.path.exists(os.path.join(kept, f"asked{number}")) == (not more), more
        service.stop()


def doors(program: str, evidence_tool: str) -> None:
    """Who gets in, and where."""
    port = reserved_port()
    with tempfile.TemporaryDirectory() as folder:
        token = os.path.join(folder, "token")
        with open(token, "w", encoding="ascii") as file:
            file.write(TOKEN + "\n")
        with running(program, "--tcp", str(port), "--token-file", token) as service:
            assert os.stat(service.socket).st_mode & 0o777 == 0o660

            def ask(headers: dict[str, str], path: str = "/v1/codes/66660004") -> tuple[int, dict[str, str], bytes]:
                with socket.create_connection(("127.0.0.1", port), 10) as connection:
                    return service.ask("GET", path, None, headers, connection)

            host, right = {"Host": f"127.0.0.1:{port}"}, {"Authorization": "Bearer " + TOKEN}
            assert ask({**host, **right})[0] == 200
            problem(ask(host), 401, "no-token")
            problem(ask({**host, "Authorization": "Bearer " + TOKEN[:-1]}), 401, "no-token")
            problem(ask({**host, "Authorization": "Basic " + TOKEN}), 401, "no-token")
            problem(ask({"Host": "evil.example", **right}), 421, "foreign-host")
            with socket.create_connection(("127.0.0.1", port), 10) as connection:
                connection.sendall(b"GET /v1/codes/66660004 HTTP/1.0\r\nAuthorization: Bearer " + TOKEN.encode() + b"\r\n\r\n")
                assert "nor the request target" in problem(read_answer(connection), 421, "foreign-host")["title"]
            for name in (f"LOCALHOST:{port}", "localhost", "127.0.0.1", f"localhost.:{port}"):
                assert ask({"Host": name, **right})[0] == 200, name
            # Whether it lives, anybody may ask who can connect; what it counted, only who has the token.
            assert ask({"Host": "10.0.0.5"}, "/healthz")[0] == 200
            problem(ask({"Host": "10.0.0.5"}, "/metrics"), 401, "no-token")
            assert ask({"Host": "10.0.0.5", **right}, "/metrics")[0] == 200
            # A second one does not take the first one's place; after a SIGKILL it does.
            second = subprocess.run([program, "--socket", service.socket, "--key", key("rsa3072.pem")], stderr=subprocess.PIPE)
            assert second.returncode == 3 and b"cannot listen" in second.stderr, second
            service.process.kill()
            service.process.wait()
            third = Service(program, service.folder, "--key", key("rsa3072.pem"))
            assert third.ask("GET", "/healthz")[0] == 200
            third.stop()
    # What is odd about files and options, the log says; of an empty file, its name once.
    with tempfile.TemporaryDirectory() as folder:
        for name, text, mode in (("token", TOKEN, 0o644), ("ticket", "", 0o600)):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(file.name, mode)
        service = Service(program, folder, "--token-file", os.path.join(folder, "token"))
        assert f"every user of this machine may read {folder}/token\n" in service.log() and "no socket is TCP" in service.log(), service.log()
        service.stop()
        done = subprocess.run([program, "--socket", os.path.join(folder, "s"), "--app-id", "IDAXXXXX", "--ticket-file", file.name], stderr=subprocess.PIPE, timeout=PATIENCE)
        assert done.returncode == 2 and done.stderr.count(file.name.encode()) == 1, done
    with running(program, "--allow-uid", str(os.getuid() + 1)) as service:
        problem(service.ask("GET", "/v1/codes/66660004"), 403, "foreign-user")
        assert service.ask("GET", "/healthz")[0] == 200
        service.stop()
    with tempfile.TemporaryDirectory() as folder:
        for name, text, said in (("umlaut", "ä" * 20, b"printable ASCII"), ("blank", "a token with blanks in it", b"printable ASCII"),
                                 ("short", TOKEN[:15], b"at least 16 characters")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text + "\n")
            given = ["--socket", os.path.join(folder, "s"), "--token-file", os.path.join(folder, name)]
            done = subprocess.run([program, *given], stderr=subprocess.PIPE, timeout=PATIENCE)
            assert done.returncode == 2 and said in done.stderr, done
    place = os.path.join(tempfile.gettempdir(), f"evidence-{os.getpid()}")
    for words, status in (([], 2), (["--socket", place, "--extract-folder", "/no/such"], 2), (["--tcp", "1"], 2), (["--socket", "/no/where/s"], 3), (["--key", "no"], 2), (["--x"], 2),
                          (["--socket", place, "--key", key("rsa1024.pem")], 2)):
        done = subprocess.run([program, *words], stderr=subprocess.PIPE, timeout=PATIENCE)
        assert done.returncode == status and done.stderr.startswith(b"evidence-service: error: "), (words, done)
    said = subprocess.run([program, "--help"], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout.splitlines()
    assert 10 <= len(said) <= 60 and max(map(len, said)) <= 80, said
    said = subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    assert re.fullmatch(r"evidence-service \S+\ncommit .+\nOpenSSL .+\n", said), said
    # Each says what is wrong; none listens and then fails at every request.
    for words, what in ((["--device-keys", "/no/such", "--app-id", "IDAXXXXX"], b"--device-keys: /no/such is not a folder"),
                        (["--socket-group", "no such"], b"the group does not exist"),
                        (["--profile", "java-defualt"], b"a profile is a file, or one of: evidence-v2"),
                        (["--profile", "zoloz", "--key", key("rsa3072.pem"), "--key", "zoloz=" + key("rsa3072.pem")], b"is given for two profiles, evidence-v2 and zoloz"),
                        (["--profile", "zoloz", "--compare-key", key("rsa3072.pem"), "--key", "zoloz=" + key("rsa3072.pem")], b"is given for two profiles"),
                        (["--key", "zoloz=" + key("rsa3072.pem")], b"the profile zoloz, which is not named"),
                        (["--allow-sign", "s3cret"], b"takes no operand"),
                        (["--extract-folder", "/proc"], b"--extract-folder: cannot write"),
                        (["--device-keys", VECTORS], b"--device-keys needs --app-id"),
                        (["--app-id", "x" * 1_025], b"--app-id: an appId must have 1 to 1024 bytes"),
                        *((["--app-id", name], b"--app-id: it is the text " + name.encode()) for name in ("null", "None", "NaN", "undefined", "true")),
                        (["--key", key("rsa3072.pem"), "--compare-key", key("rsa1024.pem")], b" error: " + key("rsa1024.pem").encode() + b": RSA-1024 is too weak")):
        done = subprocess.run([program, "--socket", place, *words], stderr=subprocess.PIPE, timeout=PATIENCE)
        assert done.returncode in (2, 3) and what in done.stderr and b"s3cret" not in done.stderr, (words, done)
    # Whatever lies in the folder for extract.
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, ".start"))
        Service(program, folder, "--extract-folder", folder).stop()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "tickets"))
        with open(os.path.join(folder, "ticket"), "w", encoding="ascii") as file:
            file.write(TICKET + "\n")
        for given in (["--ticket-file", os.path.join(folder, "ticket")], ["--ticket-folder", os.path.join(folder, "tickets")]):
            for name in ("IDAXXXXX ", " ", "a b", "IDAXXXXXX", "IDAXXXX\r", "腾讯", ""):
                done = subprocess.run([program, "--socket", place, *given, "--app-id", name], stderr=subprocess.PIPE, timeout=PATIENCE)
                assert done.returncode == 2 and b"app-id" in done.stderr, (name, done)
        # Those that diagnose wrote are all called found, if nobody said otherwise.
        files = [os.path.join(folder, name) for name in ("one", "other")]
        for path, preset in zip(files, ("wbface-simple", "java-default")):
            with open(path, "wb") as file:
                file.write(tool(evidence_tool, "profiles", "--json", preset).replace(preset.encode(), b"found", 1))
        words = [word for path in files for word in ("--profile", path)]
        done = subprocess.run([program, "--socket", place, *words], stderr=subprocess.PIPE, timeout=PATIENCE)
        assert done.returncode == 2 and b"two profiles are called found" in done.stderr, done
        # A profile whose IV comes with each request asks as much of its key as any other.
        for iv in (b"caller", b"prefix"):
            with open(files[0], "wb") as file:
                file.write(tool(evidence_tool, "profiles", "--json", "java-default").replace(b"java-default", b"found", 1).replace(b'"prefix"', b'"%s"' % iv))
            given = ["--profile", files[0], "--key", "found=" + key("rsa1024.pem")]
            done = subprocess.run([program, "--socket", place, *given], stderr=subprocess.PIPE, timeout=PATIENCE)
            assert done.returncode == 2 and b"RSA-1024 is too weak" in done.stderr, done
    with suppress(FileNotFoundError):
        os.remove(place)
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
        notes.settimeout(PATIENCE)
        service = Service(program, folder, "--key", path, "--drain-seconds", "60",
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
        service = Service(program, folder, "--key", path, "--drain-seconds", "1")
        unread, long = service.connect(), sealed(evidence_tool, bytes(3_000_000), public="rsa2048.public.pem")
        unread.sendall(b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                       b"Content-Length: %d\r\n\r\n" % len(long) + long)
        assert unread.recv(12) == b"HTTP/1.1 200"
        service.process.send_signal(signal.SIGTERM)
        service.stop(expected=1, told=True)
        assert "status=200 code=stopping" in service.log(), service.log()
        # A socket that somebody else opened.
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(os.path.join(folder, "handed"))
        listening.listen()
        start = 'exec 3<&%d; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"' % listening.fileno()
        process = subprocess.Popen(["bash", "-c", start, "-", program, "--key", path], pass_fds=[listening.fileno()],
                                   stderr=subprocess.PIPE)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(os.path.join(folder, "handed"))
            assert service.ask("GET", "/healthz", connection=connection)[0] == 200
        process.terminate()
        assert process.wait(PATIENCE) == 0, process.stderr.read()
        listening.close()
        # Over TCP only one on 127.0.0.1, whose port a request names.
        with open(os.path.join(folder, "token"), "w", encoding="ascii") as file:
            file.write(TOKEN + "\n")
        for family, address, accepted in ((socket.AF_INET, "127.0.0.1", True), (socket.AF_INET, "0.0.0.0", False), (socket.AF_INET, "127.0.0.2", False),
                                          (socket.AF_INET6, "::1", False), (socket.AF_INET6, "::", False)):
            try:
                listening = socket.create_server((address, 0), family=family)
            except OSError:
                continue  # The machine has no IPv6.
            start = 'exec 3<&%d; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"' % listening.fileno()
            process = subprocess.Popen(["bash", "-c", start, "-", program, "--key", path, "--token-file", os.path.join(folder, "token")],
                                       pass_fds=[listening.fileno()], stderr=subprocess.PIPE)
            if accepted:
                port = listening.getsockname()[1]
                with socket.create_connection((address, port), PATIENCE) as connection:
                    headers = {"Host": f"127.0.0.1:{port}", "Authorization": "Bearer " + TOKEN}
                    assert service.ask("GET", "/v1/codes/66660004", None, headers, connection)[0] == 200
                process.terminate()
                assert process.wait(PATIENCE) == 0, process.stderr.read()
            else:
                assert process.wait(PATIENCE) == 3 and b"nor one on 127.0.0.1" in process.stderr.read(), address
            listening.close()
    print("life")


def tickets(program: str, evidence_tool: str) -> None:
    """The folder of tickets: read anew for each request, also while it is rotated under load."""
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "tickets")
        whole = json.loads(result(evidence_tool, folder))
        options = ["--key", key("rsa3072.pem"), "--compare-key", key("other3072.pem"), "--app-id", "IDAXXXXX", "--allow-sign",
                   "--ticket-folder", kept]

        def write(name: str, text: str) -> None:
            path = os.path.join(kept, name)
            with open(path + ".new", "w", encoding="ascii") as file:
                file.write(text)
            os.replace(path + ".new", path)

        def lines(ticket: str, seconds: int) -> str:
            return ticket + time.strftime("\nexpires %Y-%m-%dT%H:%M:%S.000Z\n", time.gmtime(time.time() + seconds))

        def rotate(current: str, before: str | None = None, seconds: int = 600) -> None:
            """In the keeper's order."""
            if before:
                write("sign-ticket.before", lines(before, 60))
            write("sign-ticket", lines(current, seconds))

        def refused(said: str, *more: str) -> None:
            done = subprocess.run([program, "--socket", os.path.join(folder, "no"), *options, *more], stderr=subprocess.PIPE, timeout=PATIENCE)
            assert done.returncode == 2 and said in done.stderr.decode(), done

        refused("No such file")
        os.mkdir(kept)
        write("sign-ticket", "T0\n")
        refused("does not say in its second line when the ticket expires")
        rotate("T0")
        refused("--ticket-folder and --ticket-file exclude each other", "--ticket-file", key("rsa3072.pem"))
        options.remove("IDAXXXXX"), options.remove("--app-id")
        refused("--ticket-folder needs --app-id")
        options += ["--app-id", "IDAXXXXX"]

        # A ticket that is not there yet, or has expired, does not keep it from starting or from reading new keys: what
        # needs none works, and what does says so.
        os.remove(os.path.join(kept, "sign-ticket"))
        service = Service(program, folder, *options)
        payload = sealed(evidence_tool, b"video")
        values = {"recipe": "front-end-result", "values": {"appId": "IDAXXXXX", "orderNo": "ord1", "code": "0"}}

        def verify(ticket: str) -> tuple[int, dict[str, str], bytes]:
            return service.ask("POST", "/v1/verify", json.dumps({**values, "sign": signed(ticket)}).encode())

        def check(ticket: str) -> tuple[int, dict[str, str], bytes]:
            return service.ask("POST", "/v1/check?orderNo=ord1&userId=u-1", json.dumps({**whole, "sign": signed(ticket)}).encode())

        def no_ticket(said: str) -> None:
            for answer in (verify("T0"), check("T0"), service.ask("POST", "/v1/sign", json.dumps(values).encode())):
                found = problem(answer, 503, "no-ticket")
                assert said in found["title"] and kept not in answer[2].decode(), found
            assert service.ask("POST", "/v1/open?orderNo=ord1", payload)[2] == b"video"

        no_ticket("cannot read its ticket")
        assert "has written none yet" in service.log() or "No such file" in service.log()
        service.process.send_signal(signal.SIGHUP)
        service.wait_for("keys: reloaded")
        rotate("T0", seconds=-5)
        no_ticket("has expired")
        assert "expired at" in service.log() and kept in service.log()
        rotate("T0")
        assert json.loads(check("T0")[2])["verdict"] == "holds"
        assert json.loads(verify("T0")[2])["valid"]
        assert json.loads(service.ask("POST", "/v1/sign", json.dumps(values).encode())[2])["sign"] == signed("T0")
        # The one before holds as long as its file says; then it accuses nobody.
        rotate("T1", "T0")
        assert [json.loads(check(ticket)[2])["verdict"] for ticket in ("T1", "T0", "T2")] == ["holds", "holds", "fails"]
        write("sign-ticket.before", lines("T0", -1))
        assert [json.loads(check(ticket)[2])["verdict"] for ticket in ("T1", "T0", "T2")] == ["holds", "unchecked", "fails"]
        assert not json.loads(verify("T0")[2])["valid"]
        for text, said in (("", "cannot read"), ("T1\nexpires never\n", "cannot read"), (lines("T1", -1), "has expired")):
            write("sign-ticket", text)
            no_ticket(said)
        os.rename(kept, kept + ".away")
        no_ticket("cannot read")
        service.process.send_signal(signal.SIGHUP)
        service.wait_for("the old ones stay")
        os.rename(kept + ".away", kept)

        # Under load: whatever is signed with the ticket that is current when it is sent holds.
        rotate("R0", "T1")
        current, faults, done, checked = ["R0"], [], threading.Event(), [0]

        def client() -> None:
            while not done.is_set():
                ticket = current[0]
                for ask in (verify, check):
                    status, _, body = ask(ticket)
                    answer = json.loads(body)
                    if status != 200 or answer.get("valid", answer.get("verdict") == "holds") is not True:
                        # Two rotations since then are more than the vendor's own servers would take.
                        if current[0] == ticket or int(current[0][1:]) < int(ticket[1:]) + 2:
                            faults.append((ticket, current[0], body[:300]))
                checked[0] += 1

        threads = [threading.Thread(target=client) for _ in range(6)]
        for thread in threads:
            thread.start()
        begun = time.monotonic()
        number = 0
        while time.monotonic() - begun < 5:
            rotate(f"R{number + 1}", f"R{number}")
            number += 1
            current[0] = f"R{number}"
            time.sleep(0.15)
        done.set()
        for thread in threads:
            thread.join()
        assert not faults and checked[0] > 10, (faults[:3], checked)
        service.stop()
    print(f"{checked[0]} checks and verifications while the tickets were replaced {number} times")


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
        service.wait_for("status=413 code=body-too-large", count=2)
        assert "status=408" not in service.log(), service.log()
        # Chunks that libmicrohttpd refuses itself: nobody left.
        for size in (b"7 ", b" 7", b"zz", b"0x7", b"7 ;a", b"-1", b"f" * 17):
            with service.connect() as connection:
                connection.sendall(b"POST /v1/inspect HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                                   + size + b'\r\n{"a":1}\r\n0\r\n\r\n')
                connection.shutdown(socket.SHUT_WR)
                status = connection.recv(1 << 12).split(b" ", 2)[1].decode()
            assert status in ("400", "413"), (size, status)
            service.wait_for(f"route=/v1/inspect status={status}")
        service.wait_for("route=/v1/inspect status=4", count=7)
        assert "status=499" not in service.log() and service.metric("evidence_aborted_total") == 0, service.log()
        # A malformed query, with a body that is short, one that is not, and one of which nobody knows.
        for body in (b"{}", b" " * 70_000, b"%x\r\n%s\r\n0\r\n\r\n" % (70_000, b" " * 70_000)):
            coding = {"Transfer-Encoding": "chunked"} if body.endswith(b"0\r\n\r\n") else {}
            answer = service.ask("POST", "/v1/open?orderNo=a&orderNo=b", body, coding)
            problem(answer, 400, "bad-query")
            assert (answer[1].get("connection") == "close") == (len(body) > 2)
        service.wait_for("status=400 code=bad-query", count=3)
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
        service.wait_for_metric("evidence_requests_at_work", 1)
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
    with running(program, "--max-spool", "9M") as service:
        # One whose length is not known needs no more than one whose length is.
        assert service.ask("POST", "/v1/open?orderNo=ord1", b"%x\r\n%s\r\n0\r\n\r\n" % (len(payload), payload), {"Transfer-Encoding": "chunked"})[0] == 200
        service.stop()
    with running(program, "--max-spool", "1M") as service:
        problem(service.ask("POST", "/v1/open?orderNo=ord1", payload), 507, "no-room")
        assert "limits: bodies of more than 524288 bytes may get 507" in service.log(), service.log()
        service.stop()
    with running(program, "--head-seconds", "1", "--body-seconds", "2", "--silence-seconds", "300") as service:
        begun = time.monotonic()
        silent, slow, dripping, begun_only = (service.connect() for _ in range(4))
        # Where nothing of a request has come, nobody was slow.
        idle = service.connect()
        assert service.ask("GET", "/healthz", connection=idle)[0] == 200
        begun_only.sendall(b"GE")
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost:")
        dripping.sendall(head % 1_000_000)
        for _ in range(25):
            time.sleep(0.1)
            try:
                slow.sendall(b"x")
                dripping.sendall(b" ")
            except (BrokenPipeError, ConnectionResetError):
                pass
        assert silent.recv(1) == idle.recv(1) == begun_only.recv(1) == b""
        problem_of_cut(read_answer(slow), 408, "too-slow")
        problem_of_cut(read_answer(dripping), 408, "too-slow")
        assert time.monotonic() - begun < 200
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
        service.wait_for("status=408 code=too-slow")
        # What was sent is what the log says: of the answer that nobody read, the head.
        service.wait_for("status=200 code=too-slow")
        assert service.metric("evidence_cut_total") == 3 and service.metric("evidence_aborted_total") == 0
        service.stop()
    print("bounds")


def system(program: str, evidence_tool: str) -> None:
    """What the machine does to it: a log that nobody reads, limits, signals, a TMPDIR that is none."""
    health = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    payload = sealed(evidence_tool, b"v" * 5_000_000)

    def start(folder: str, log, *options: str, before: str = "") -> tuple[subprocess.Popen, socket.socket]:
        path = os.path.join(folder, "s")
        words = [program, "--socket", path, "--key", key("rsa3072.pem"), *options]
        process = subprocess.Popen(["bash", "-c", before + 'exec "$@"', "-", *words], stderr=log, env={**os.environ, "TMPDIR": folder})
        for _ in range(PATIENCE * 50):
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(PATIENCE)
            try:
                connection.connect(path)
                return process, connection
            except OSError:
                connection.close()
                time.sleep(0.02)
        process.kill()
        raise AssertionError("it does not listen")

    def asked(connection: socket.socket, request: bytes = health) -> tuple[int, dict[str, str], bytes]:
        connection.sendall(request)
        return read_answer(connection)

    def dropped(connection: socket.socket) -> int:
        text = asked(connection, health.replace(b"healthz", b"metrics"))[2].decode()
        return int(re.search(r"^evidence_dropped_log_lines_total (\d+)$", text, re.M).group(1))

    # A pipe that nobody reads, one whose reader is gone, a full disk.
    for kind in ("unread", "non-blocking", "gone", "full"):
        with tempfile.TemporaryDirectory() as folder:
            reading, writing = os.pipe()
            if kind == "non-blocking":
                os.set_blocking(writing, False)
            if kind == "full":
                os.close(writing)
                writing = os.open("/dev/full", os.O_WRONLY)
            process, connection = start(folder, writing)
            os.close(writing)
            if kind == "gone":
                os.close(reading)
            # Of what is not read, the pipe and the queue hold some.
            for _ in range(200 if kind in ("gone", "full") else 2_000):
                assert asked(connection)[0] == 200
            assert dropped(connection) > 100, kind
            if kind == "unread":
                # Whoever reads again is told.
                text = b""
                while b"lines were dropped" not in text:
                    text += os.read(reading, 1 << 16)
                    asked(connection)
                for _ in range(2_000):
                    asked(connection)
            connection.close()
            process.terminate()
            assert process.wait(PATIENCE) == 0, kind
            if kind != "gone":
                os.close(reading)

    # A limit on the size of files, and every signal that a limit, a timer, a terminal or a habit sends.
    with tempfile.TemporaryDirectory() as folder:
        process, connection = start(folder, subprocess.DEVNULL, before="ulimit -f 100; ulimit -c 0; ")
        head = b"POST /v1/%s?orderNo=ord1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        for path in (b"open", b"open", b"photo"):
            if path == b"photo":
                body = json.dumps({"orderNo": "ord1", "userImageString": base64.b64encode(b"\xff\xd8" + bytes(3_000_000)).decode()}).encode()
            else:
                body = payload
            problem(asked(connection, head % (path, len(body)) + body), 507, "cannot-write")
        names = ["USR1", "USR2", "ALRM", "VTALRM", "PROF", "XCPU", "XFSZ", "PIPE", "IO", "PWR", "STKFLT", "TTOU", "TTIN", "TSTP", "WINCH", "URG", "CHLD", "CONT",
                 "RTMIN", "RTMAX", "HUP"]
        for name in names:
            process.send_signal(getattr(signal, "SIG" + name))
            time.sleep(0.02)
            assert asked(connection)[0] == 200, name
        # Where the caller ignored them, as nohup and a shell's background do.
        connection.close()
        process.send_signal(signal.SIGQUIT)
        assert process.wait(PATIENCE) == 0
        with open(os.path.join(folder, "log"), "wb") as log:
            process, connection = start(folder, log, before="trap '' HUP INT; ulimit -c 0; ")
            process.send_signal(signal.SIGHUP)
            while True:
                assert asked(connection)[0] == 200
                with open(os.path.join(folder, "log"), "rb") as written:
                    if b"keys: reloaded" in written.read():
                        break
            connection.close()
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0

    # Fewer descriptors than connections: those that have one are answered, nobody waits for more at full speed, and
    # afterwards all are answered. What may be raised is.
    for before, options, said in (("ulimit -Sn 40", [], ""), ("ulimit -n 40", [], "(ulimit -n)"), ("ulimit -n 64", [], "(ulimit -n)"),
                                  ("ulimit -n 1024", ["--max-connections", "2000"], "(ulimit -n)"), ("ulimit -n 20", [], "too few")):
        with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w+", encoding="utf-8") as log:
            if said == "too few":
                words = ["bash", "-c", before + '; exec "$@"', "-", program, "--socket", os.path.join(folder, "s"), "--key", key("rsa3072.pem")]
                assert subprocess.run(words, stderr=log, timeout=PATIENCE, check=False).returncode == 2
                log.seek(0)
                assert said in log.read()
                continue
            process, connection = start(folder, log, *options, before=before + "; ulimit -c 0; ")
            asked(connection)
            log.seek(0)
            text = log.read()
            assert said in text and ("ulimit" in text) == bool(said), text
            crowd = []
            for _ in range(84):
                crowd.append(socket.socket(socket.AF_UNIX))
                crowd[-1].settimeout(PATIENCE)
                crowd[-1].connect(os.path.join(folder, "s"))
            time.sleep(0.3)
            with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
                used = sum(map(int, stat.read().split()[13:15]))
            time.sleep(1)
            with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
                used = sum(map(int, stat.read().split()[13:15])) - used
            assert used < os.sysconf("SC_CLK_TCK") / 2, (before, used)
            # The first of the crowd is among those that are told so.
            if said and "1024" not in before:
                problem(asked(crowd[0]), 503, "too-many-connections")
                assert len(os.listdir(f"/proc/{process.pid}/fd")) < int(before.split()[-1])
            else:
                assert asked(crowd[-1])[0] == 200
            for one in (connection, *crowd):
                one.close()
            process.terminate()
            assert process.wait(PATIENCE) == 0
    with tempfile.TemporaryDirectory() as folder:
        process, connection = start(folder, subprocess.DEVNULL, before="ulimit -n 40; ulimit -c 0; ")
        crowd = []
        for _ in range(100):
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(1)
            try:
                one.connect(os.path.join(folder, "s"))
                crowd.append(one)
            except OSError:
                one.close()
        assert asked(connection)[0] in (200, 503)
        for one in crowd:
            one.close()
        connection.close()
        time.sleep(0.5)
        again = socket.socket(socket.AF_UNIX)
        again.settimeout(PATIENCE)
        again.connect(os.path.join(folder, "s"))
        assert asked(again, head % (b"open", len(payload)) + payload)[0] == 200
        again.close()
        process.terminate()
        assert process.wait(PATIENCE) == 0
    # A limit on addresses, of which threads could take more than the memory that they use.
    with tempfile.TemporaryDirectory() as folder:
        process, connection = start(folder, subprocess.DEVNULL, before="ulimit -v 400000; ulimit -c 0; ")
        short = sealed(evidence_tool, b"v" * 200_000)
        connections = [connection]
        for _ in range(60):
            connections.append(socket.socket(socket.AF_UNIX))
            connections[-1].settimeout(PATIENCE)
            connections[-1].connect(os.path.join(folder, "s"))
        for one in connections:
            one.sendall(head % (b"open", len(short)) + short[:-9])
        for one in connections:
            assert asked(one, short[-9:])[0] == 200
            one.close()
        process.terminate()
        assert process.wait(PATIENCE) == 0
    # What a crowd took is there again afterwards; where nothing could be, it does not start.
    for kilobytes in (184_320, 307_200):
        with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w+", encoding="utf-8") as log:
            process, connection = start(folder, log, before=f"ulimit -v {kilobytes}; ulimit -c 0; ")
            for _ in range(2):
                crowd = []
                for _ in range(160):
                    crowd.append(socket.socket(socket.AF_UNIX))
                    crowd[-1].settimeout(PATIENCE)
                    crowd[-1].connect(os.path.join(folder, "s"))
                    with suppress(BrokenPipeError, ConnectionResetError):
                        crowd[-1].sendall(head % (b"open", len(short)) + short[:-9])
                for one in crowd:
                    one.close()
                end = time.monotonic() + PATIENCE
                status = 0
                while status != 200:
                    assert time.monotonic() < end and process.poll() is None
                    time.sleep(0.1)
                    with socket.socket(socket.AF_UNIX) as one, suppress(OSError, Short):
                        one.settimeout(PATIENCE)
                        one.connect(os.path.join(folder, "s"))
                        status = asked(one, head % (b"open", len(short)) + short)[0]
            connection.close()
            process.terminate()
            assert process.wait(PATIENCE) == 0
            log.seek(0)
            assert "(ulimit -v)" in log.read()
    with tempfile.TemporaryDirectory() as folder:
        words = ["bash", "-c", 'ulimit -v 120000; exec "$@"', "-", program, "--socket", os.path.join(folder, "s"), "--key", key("rsa3072.pem")]
        done = subprocess.run(words, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
        assert done.returncode == 2 and b"too little memory" in done.stderr and b"ulimit -v" in done.stderr, done
    # No addresses for a thread: whoever cannot be answered is closed at once, and the log says why.
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w+", encoding="utf-8") as log:
        process, connection = start(folder, log)
        with open(f"/proc/{process.pid}/statm", encoding="ascii") as file:
            size = int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")
        assert asked(connection)[0] == 200
        resource.prlimit(process.pid, resource.RLIMIT_AS, (size, size))
        # It says so, as long as requests are refused for that.
        problem(asked(connection), 503, "no-memory")
        while "refuses to start a thread" not in (log.seek(0), log.read())[1]:
            with socket.socket(socket.AF_UNIX) as one:
                one.connect(os.path.join(folder, "s"))
                one.settimeout(PATIENCE)
                with suppress(ConnectionResetError, BrokenPipeError):
                    one.recv(1)
        connection.close()
        process.terminate()
        process.wait(PATIENCE)
    # Without standard streams; a log in a file that may not grow; a folder that is gone; names with blanks.
    for before, name in (("exec 2>&-; ", ""), ("exec <&- >&- 2>&-; ", ""), ("ulimit -f 128; head -c 128K /dev/zero > log; exec 2>> log; ", ""), ("mkdir gone; cd gone; rmdir ../gone; ", ""),
                         ("", "a folder with blanks"), ("", "ordner ä")):
        with tempfile.TemporaryDirectory() as outer:
            folder = os.path.join(outer, name)
            os.makedirs(folder, exist_ok=True)
            process, connection = start(folder, subprocess.DEVNULL, before=f"cd '{folder}'; " + before)
            for _ in range(50):
                assert asked(connection)[0] == 200
            wanted = 507 if "-f" in before else 200
            assert asked(connection, head % (b"open", len(payload)) + payload)[0] == wanted, before
            connection.close()
            process.terminate()
            assert process.wait(PATIENCE) == 0, before
    # A disk that is full, where one can be made.
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            try:
                process, connection = start(folder, subprocess.DEVNULL)
                answer = problem(asked(connection, head % (b"open", len(payload)) + payload), 507, "cannot-write")
                assert "TMPDIR" in answer["title"], answer
                assert asked(connection)[0] == 200
                connection.close()
                process.terminate()
                assert process.wait(PATIENCE) == 0
                # It is said which one.
                with tempfile.TemporaryDirectory() as outer:
                    service = Service(program, outer, "--key", key("rsa3072.pem"), "--extract-folder", folder)
                    answer = problem(service.ask("POST", "/v1/check?orderNo=ord1&require=video&extract=one", payload), 507, "cannot-write")
                    assert "--extract-folder" in answer["title"] and folder not in json.dumps(answer), answer
                    service.stop()
            finally:
                subprocess.run(["umount", folder], check=True)
        else:
            print("SKIPPED: a full disk: nothing can be mounted here")

    # Paused, as a container is, for longer than any client may be silent: nobody is cut for that.
    with tempfile.TemporaryDirectory() as folder:
        process, connection = start(folder, subprocess.DEVNULL, "--silence-seconds", "5", "--head-seconds", "5")
        connection.sendall(head % (b"open", len(payload)) + payload[:9_000])
        time.sleep(0.3)
        process.send_signal(signal.SIGSTOP)
        time.sleep(6)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        assert asked(connection, payload[9_000:])[0] == 200
        connection.close()
        process.terminate()
        assert process.wait(PATIENCE) == 0

    # systemd, or who plays it, does not read what it is told: neither reloading nor the end waits for it.
    with tempfile.TemporaryDirectory() as folder:
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        manager.bind(os.path.join(folder, "notify"))
        process, connection = start(folder, subprocess.DEVNULL, before=f"export NOTIFY_SOCKET='{folder}/notify'; ")
        for _ in range(20):
            process.send_signal(signal.SIGHUP)
            time.sleep(0.01)
        assert asked(connection)[0] == 200
        connection.close()
        process.terminate()
        assert process.wait(PATIENCE) == 0
        manager.close()

    # Sockets: one that was removed and taken by another service stays that one's; what does not start leaves none, and
    # waits for nobody.
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "s")
        first, connection = start(folder, subprocess.DEVNULL)
        os.remove(place)
        second, other = start(folder, subprocess.DEVNULL)
        first.terminate()
        connection.close()
        assert first.wait(PATIENCE) == 0 and asked(other)[0] == 200 and os.path.exists(place)
        other.close()
        second.terminate()
        assert second.wait(PATIENCE) == 0 and not os.path.exists(place)
        busy = socket.socket(socket.AF_UNIX)
        busy.bind(os.path.join(folder, "busy"))
        busy.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for one in waiting:
            one.setblocking(False)
            with suppress(BlockingIOError):
                one.connect(os.path.join(folder, "busy"))
        unbound, datagrams, file = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), open(os.path.join(folder, "file"), "wb")
        for words, status, said in ((["--socket", os.path.join(folder, "busy")], 3, "Address already in use"), (["--socket", ""], 2, "is empty"),
                                    (["--socket", os.path.join(folder, "x" * 110)], 3, "File name too long"), (["--socket", folder], 3, "Address already in use"),
                                    (["--socket", place, "--tcp", "1"], 2, "--token-file"), (["--socket", place, "--device-keys", file.name, "--app-id", "IDAXXXXX"], 2, "not a folder"),
                                    *[(one, 3, "ListenStream=") for one in (unbound, datagrams, file)]):
            handed = not isinstance(words, list)
            start_words = f'exec 3<&{words.fileno()}; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"' if handed else 'exec "$@"'
            done = subprocess.run(["bash", "-c", start_words, "-", program, "--key", key("rsa3072.pem"), *([] if handed else words)],
                                  stderr=subprocess.PIPE, timeout=PATIENCE, check=False, pass_fds=[words.fileno()] if handed else [], encoding="utf-8",
                                  env={**os.environ, "TMPDIR": folder})
            assert done.returncode == status and said in done.stderr and not os.path.exists(place), (words, done)
        for one in (busy, unbound, datagrams, file, *waiting):
            one.close()
    with open("/dev/full", "wb") as full:
        assert subprocess.run([program, "--help"], stdout=full, stderr=subprocess.DEVNULL, check=False).returncode == 3

    # A TMPDIR that is none: at the start, and later.
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "file")
        with open(file, "wb"):
            pass
        for place in ("/no/such/folder", file, "/proc", file + "/below"):
            done = subprocess.run([program, "--socket", os.path.join(folder, "s")], stderr=subprocess.PIPE, timeout=PATIENCE, env={**os.environ, "TMPDIR": place})
            assert done.returncode == 2 and f"TMPDIR: cannot write a temporary file in {place}:".encode() in done.stderr, done
    with running(program) as service:
        os.rmdir(service.spool)
        answer = problem(service.ask("GET", "/healthz"), 503, "no-spool")
        assert "TMPDIR" in answer["title"] and service.folder not in json.dumps(answer)
        service.wait_for("a temporary file in " + service.spool)
        problem(service.ask("POST", "/v1/open?orderNo=ord1", payload), 500, "cannot-write")
        os.mkdir(service.spool)
        assert service.ask("GET", "/healthz")[0] == 200
        assert service.ask("POST", "/v1/open?orderNo=ord1", payload)[0] == 200
        service.stop()
    print(f"logs, limits, {len(names)} signals, TMPDIR")


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
        deadline = time.monotonic() + PATIENCE
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
        deadline = time.monotonic() + PATIENCE
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
        blocks = re.findall(r"^```sh ([\w-]+)\n(.*?)^```$", file.read(), re.S | re.M)
    names = [name for name, _ in blocks]
    assert names == ["build", "setup", "curl", *clients.PROGRAMS, "vendor", "vendor-python", "unit"], names
    with tempfile.TemporaryDirectory() as folder:
        for name in ("Packages", "TestVectors"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        os.mkdir(os.path.join(folder, "bin"))
        for name, path in (("evidence-service", program), ("evidence-tool", evidence_tool)):
            os.symlink(path, os.path.join(folder, "bin", name))
        skipped = [name for name in clients.PROGRAMS if clients.missing(name)]
        script = "set -e\ntrap 'kill $(jobs -p)' EXIT\n" + "".join(text for name, text in blocks[1:-1] if name not in skipped)
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE,
            env={**os.environ, "PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"], "GOCACHE": os.path.join(folder, "go")})
        said = done.stdout.decode().splitlines()
        assert done.returncode == 0, (said, done.stderr.decode())
        verdicts = [json.loads(line)["verdict"] if line.startswith("{") else line.split()[0] for line in said if line]
        assert verdicts == ["holds"] * (2 + len(clients.PROGRAMS) - len(skipped)), said
    print("docs/SERVICE.md as printed" + (f", without {', '.join(skipped)}" if skipped else ""))


def main() -> None:
    program, evidence_tool = (os.path.abspath(path) for path in sys.argv[1:3])
    long = "--long" in sys.argv
    only = sys.argv[3:] if not long else []
    parts = {
        "smuggling": smuggled, "operations": operations, "oracles": oracles, "doors": doors, "life": life, "tickets": tickets, "bounds": bounds, "system": system,
        "aborts": lambda *given: aborts(*given, long), "load": lambda *given: load(*given, 120 if long else 5),
        "negatives": lambda *given: negatives.check(*given, long), "clients": clients.check, "behaviour": behaviour.check,
        "deployed": deployed.check, "frameworks": frameworks.check, "printed": printed,
        "memory": lambda *given: memory(*given, *((64, 50_000_000, 2_000_000) if long else (16, 4_000_000, 2_000_000))),
    }
    for name, part in parts.items():
        if not only or name in only:
            part(program, evidence_tool)


if __name__ == "__main__":
    main()
