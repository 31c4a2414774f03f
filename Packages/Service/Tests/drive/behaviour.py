# SPDX-License-Identifier: Apache-2.0
"""The rows of client-behaviour.ndjson in each language that is installed: against the service, and against servers that
behave as each row needs it."""
import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from contextlib import suppress

import clients
from harness import result, running, sealed

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = {"python3": "main.py", "node": "main.js", "php": "main.php", "java": "Main.java", "go": "main.go"}


def answer(status: str, document: dict, fields: str = "") -> bytes:
    body = json.dumps(document).encode()
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    return (f"HTTP/1.1 {status}\r\nContent-Type: application/problem+json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
            f"{fields}Repr-Digest: sha-256=:{digest}:\r\n\r\n").encode() + body


class Other:
    """A server whose socket is NAME.sock, and which does what its name says."""

    def __init__(self, folder: str, name: str):
        self.folder, self.name = folder, name
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(folder, name + ".sock"))
        if name != "dead":
            self.listener.listen()
            threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.take, args=(connection,), daemon=True).start()

    def take(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            received = b""
            while b"\r\n\r\n" not in received:
                received += connection.recv(1)
            target = received.split()[1].decode()
            length = re.search(rb"content-length: (\d+)", received, re.I)
            # In the middle of the upload: more than a socket takes at once is still to come.
            if self.name == "shrinks":
                os.truncate(os.path.join(self.folder, "shrinks"), 1 << 20)
            if self.name == "grows":
                os.truncate(os.path.join(self.folder, "grows"), 9 << 20)
            if self.name == "early":
                connection.sendall(answer("413 Too big", {"title": "too big", "code": "body-too-large"}))
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(1)
                while connection.recv(1 << 16):
                    pass
                return
            count = 0
            if length:
                while count < int(length.group(1)) and (piece := connection.recv(1 << 16)):
                    count += len(piece)
                framing = f"length {count}"
            else:
                while not received.endswith(b"\r\n0\r\n\r\n") and (piece := connection.recv(1 << 16)):
                    received += piece
                framing = f"chunks {len(received)}"
            if self.name == "silent":
                connection.recv(1)
            elif self.name == "busy":
                connection.sendall(answer("429 Busy", {"title": "busy", "code": "busy"}, "Retry-After: 7\r\n"))
            elif self.name == "html":
                connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>bad</html>")
            else:
                iv = re.search(rb"\r\nevidence-iv: (.*)\r\n", received, re.I)
                said = f" iv {iv.group(1).decode()}" if iv else ""
                connection.sendall(answer("200 OK", {"verdict": f"{target} {framing}{said}"}))


def command(language: str, folder: str) -> list[str]:
    name = PROGRAMS[language]
    with open(os.path.join(HERE, "behaviour", name), encoding="utf-8") as file:
        words = clients.build(language, name, file.read(), folder)
    return words if language in ("java", "go") else [*words, clients.CLIENTS]


def check(program: str, evidence_tool: str) -> None:
    with open(os.path.join(HERE, "client-behaviour.ndjson"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    counts = []
    for language in PROGRAMS:
        if reason := clients.missing(language):
            print(f"SKIPPED: what the client for {language} does: {reason}")
            continue
        with running(program) as service, tempfile.TemporaryDirectory() as built:
            words = command(language, built)
            whole = result(evidence_tool, service.folder)
            contents = {"result.json": whole, "payload.json": sealed(evidence_tool, b"video"), "prefixed.json": b"0123456789" + whole,
                        "result.json.gz": gzip.compress(whole), "shrinks": b"", "grows": b"", "left.part": b"left by a killed run"}
            for name, data in contents.items():
                with open(os.path.join(service.folder, name), "wb") as file:
                    file.write(data)
            for name in ("shrinks", "grows"):
                os.truncate(os.path.join(service.folder, name), 8 << 20)
            others = [Other(service.folder, name) for name in ("echo", "busy", "silent", "html", "early", "shrinks", "grows", "dead")]
            # A proxy of the environment is for others, and so is a locale.
            proxies = dict.fromkeys(("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"), "http://127.0.0.1:9")
            done = subprocess.run([*words, service.folder], stdout=subprocess.PIPE, check=True, timeout=120, encoding="utf-8",
                                  env={**os.environ, **proxies, "LC_ALL": "C"})
            told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
            wanted = {row["name"]: row["outcome"] for row in rows if language in row["languages"]}
            faults = [f"{name}: {told.get(name)!r}, not {outcome!r}" for name, outcome in wanted.items()
                      if not re.fullmatch(outcome, told.get(name, ""))]
            faults += [f"{name}: not in the table" for name in told.keys() - wanted.keys()]
            faults += [f"{name} was left" for name in os.listdir(service.folder) if name.endswith(".part") and name != "left.part"]
            assert not faults, language + ": " + "\n".join(faults)
            counts.append(f"{language} {len(wanted)}")
            for other in others:
                other.listener.close()
            service.stop()
    print("what clients do: " + ", ".join(counts))
