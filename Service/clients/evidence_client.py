# SPDX-License-Identifier: Apache-2.0
"""A client of evidence-service in one file, for Python 3.9 and later, without dependencies.

    service = EvidenceService("/run/evidence/evidence.sock")
    with open("payload.json", "rb") as payload:
        service.open(payload, "video.mp4", order="ord1")
    report = service.check(open("result.json", "rb"), order="ord1")
"""
import base64
import hashlib
import http.client
import json
import os
import socket
from urllib.parse import urlencode


class EvidenceProblem(Exception):
    """What the service refused; `code` is for programs (docs/ERRORS.md, docs/SERVICE.md)."""

    def __init__(self, status: int, document: dict):
        super().__init__(f"{document.get('title', 'refused without a problem document')} ({status} {document.get('code')})")
        self.status, self.code, self.hint = status, document.get("code"), document.get("hint")


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float):
        super().__init__("evidence", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class EvidenceService:
    def __init__(self, path: str, timeout: float = 60):
        self.path, self.timeout = path, timeout

    def open(self, payload, destination: str, order: str, **query: str) -> None:
        """Opens the video of a payload (bytes or a file) into a new file: whole, or not at all."""
        self._request("open", payload, {"orderNo": order, **query}, destination)

    def check(self, result, order: str, **query: str) -> dict:
        """The report of a result. Look at its `verdict`: only `holds` is yes."""
        return json.loads(self._request("check", result, {"orderNo": order, **query}))

    def verify(self, recipe: str, sign: str, values: dict) -> dict:
        body = json.dumps({"recipe": recipe, "sign": sign, "values": values}).encode()
        return json.loads(self._request("verify", body, {}))

    def _request(self, operation: str, body, query: dict, destination=None):
        connection = _Connection(self.path, self.timeout)
        try:
            size = len(body) if isinstance(body, bytes) else os.fstat(body.fileno()).st_size
            headers = {"Content-Type": "application/json", "Content-Length": str(size)}
            try:
                connection.request("POST", f"/v1/{operation}?{urlencode(query)}", body, headers)
            except (BrokenPipeError, ConnectionResetError):
                pass  # The service refused it before all of it was sent; its answer says why.
            answer = connection.getresponse()
            if answer.status != 200:
                raise EvidenceProblem(answer.status, self._document(answer))
            return self._take(answer, destination)
        finally:
            connection.close()

    @staticmethod
    def _document(answer) -> dict:
        """The problem document; a refusal by libmicrohttpd or by a proxy has none."""
        if answer.headers.get_content_type() != "application/problem+json":
            return {}
        return json.loads(answer.read())

    @staticmethod
    def _take(answer, destination):
        """Checks length and digest: Python does not report an answer that ends early."""
        if not (answer.headers["Content-Length"] or "").isdecimal():
            raise ConnectionError("the answer has no Content-Length")
        pieces, digest, left = [], hashlib.sha256(), int(answer.headers["Content-Length"])
        part = None if destination is None else f"{destination}.part"
        file = None if part is None else os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        try:
            while left > 0 and (piece := answer.read(min(left, 1 << 16))):
                digest.update(piece)
                left -= len(piece)
                pieces.append(piece) if file is None else file.write(piece)
            expected = "sha-256=:" + base64.b64encode(digest.digest()).decode() + ":"
            if left or answer.headers["Repr-Digest"] != expected:
                raise ConnectionError("the answer was cut off")
            if file is not None:
                file.close()
                os.link(part, destination)
        finally:
            if file is not None:
                file.close()
                os.unlink(part)
        return b"".join(pieces)
