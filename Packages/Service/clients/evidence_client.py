# SPDX-License-Identifier: Apache-2.0
"""A client of evidence-service in one file, for Python 3.9 and later, without dependencies.

    service = EvidenceService("/run/evidence/evidence.sock")
    service.open("payload.json", "video.mp4", order="ord1")
    report = service.check(request.stream, order="ord1", userId="u1", length=request.content_length)

A document is the path of a file (str or Path), bytes, bytearray, memoryview or an array, a file that is open in binary mode, any
object whose `read` returns bytes (an uploaded file of a framework), or an iterable of bytes. What says no length is sent in
chunks, unless you give one: then that many bytes are the document, and no more is read, as `wsgi.input` asks for. A
parameter is a str, an int or a bool; None is not sent. `iv`, in hexadecimal, is sent as a header: queries are logged.
"""
import array
import base64
import hashlib
import http.client
import inspect
import io
import json
import os
import re
import socket
import stat
import tempfile
from contextlib import contextmanager
from urllib.parse import quote

_PIECE = 1 << 16


class EvidenceProblem(Exception):
    """What the service refused; `code` is for programs (docs/ERRORS.md, docs/SERVICE.md). `retry_after`: in seconds."""

    def __init__(self, status: int, document: dict, retry_after=None):
        super().__init__(status, document, retry_after)  # As `args`, so that it can be pickled.
        self.status, self.document, self.retry_after = status, document, retry_after
        self.code, self.hint = document.get("code"), document.get("hint")

    def __str__(self) -> str:
        title = self.document.get("title", "refused without a problem document")
        return f"{title} ({self.status} {self.code})" + (f": {self.hint}" if self.hint else "")


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float):
        super().__init__("evidence", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(self.path)
        except OSError as error:
            raise type(error)(error.errno, f"cannot reach evidence-service: {error.strerror or error}", self.path) from error


class EvidenceService:
    def __init__(self, path, timeout: float = 60):
        self.path, self.timeout = os.fspath(path), timeout

    def open(self, payload, destination, order: str, *, length=None, **query) -> None:
        """Opens the video of a payload into a new file: whole, or not at all."""
        self._request("open", payload, length, {"orderNo": order, **query}, os.fspath(destination))

    def check(self, result, order: str, *, length=None, **query) -> dict:
        """The report of a result. Look at its `verdict`: only `holds` is yes. Under a profile without a tag, or with a
        padding other than OAEP, it is a receipt and the verdict None: `extract` makes a folder if everything holds."""
        return {"verdict": None, **json.loads(self._request("check", result, length, {"orderNo": order, **query}))}

    def verify(self, recipe: str, sign: str, values: dict) -> dict:
        for name, value in values.items():
            _quoted(name, value)
        body = json.dumps({"recipe": recipe, "sign": sign, "values": values}).encode()
        return json.loads(self._request("verify", body, None, {}))

    def _request(self, operation: str, body, length, query: dict, destination=None):
        iv = query.pop("iv", None)
        if iv is not None and not (isinstance(iv, str) and re.fullmatch("[0-9A-Fa-f]+", iv)):
            raise TypeError("iv must be hexadecimal digits")
        target = f"/v1/{operation}?{_encoded(query)}"
        if length is not None and (isinstance(length, bool) or not isinstance(length, int) or length < 0):
            raise TypeError(f"length must be a number of bytes or None, not {length!r}")
        with _opened(body, length) as (size, pieces):
            connection = _Connection(self.path, self.timeout)
            try:
                connection.putrequest("POST", target, skip_accept_encoding=True)
                connection.putheader("Content-Type", "application/json")
                if iv is not None:
                    connection.putheader("Evidence-IV", iv)
                connection.putheader(*(("Transfer-Encoding", "chunked") if size is None else ("Content-Length", str(size))))
                connection.endheaders()
                self._send(connection, size, pieces)
                answer = connection.getresponse()
                if answer.status != 200:
                    after = answer.headers["Retry-After"] or ""
                    raise EvidenceProblem(answer.status, self._document(answer), int(after) if after.isdecimal() else None)
                return self._take(answer, destination)
            except socket.timeout as error:
                raise TimeoutError(f"{self.path}: evidence-service did not answer within {self.timeout} s") from error
            finally:
                connection.close()

    @staticmethod
    def _send(connection, size, pieces) -> None:
        """A fault of the source ends the request: without its end, the service answers nothing."""
        left = size or 0
        for piece in pieces:
            left -= len(piece)
            if size is not None and left < 0:
                raise OSError("the document grew while it was sent")
            frame = piece if size is not None else b"%x\r\n%b\r\n" % (len(piece), piece)
            try:
                connection.send(frame)
            except (BrokenPipeError, ConnectionResetError):
                return  # The service refused it before all of it was sent; its answer says why.
        if size is not None and left:
            raise OSError(f"the document ended {left} bytes too early: it was cut off, or its length is another one")
        if size is None:
            try:
                connection.send(b"0\r\n\r\n")
            except (BrokenPipeError, ConnectionResetError):
                pass

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
        part = file = None
        if destination is not None:
            # A name of its own: what a killed run left is in nobody's way.
            number, part = tempfile.mkstemp(".part", os.path.basename(destination) + ".", os.path.dirname(destination) or ".")
            file = os.fdopen(number, "wb")
        try:
            while left > 0 and (piece := answer.read(min(left, _PIECE))):
                digest.update(piece)
                left -= len(piece)
                pieces.append(piece) if file is None else file.write(piece)
            expected = "sha-256=:" + base64.b64encode(digest.digest()).decode() + ":"
            if left or answer.headers["Repr-Digest"] != expected:
                raise ConnectionError("the answer was cut off")
            if file is not None:
                file.flush()
                os.fsync(file.fileno())
                os.link(part, destination)
        finally:
            if file is not None:
                file.close()
                os.unlink(part)
        return b"".join(pieces)


def _encoded(query: dict) -> str:
    return "&".join(f"{name}={_quoted(name, value)}" for name, value in query.items() if value is not None)


def _quoted(name: str, value) -> str:
    if not isinstance(value, (str, int)):
        raise TypeError(f"{name} must be a str, an int or a bool, not {type(value).__name__}")
    try:
        return quote(str(value).lower() if isinstance(value, bool) else str(value), safe="")
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} is not text that UTF-8 can hold") from error


@contextmanager
def _opened(body, length):
    """The length of a document, where it is certain or was given, and its pieces."""
    if isinstance(body, (bytes, bytearray, memoryview, array.array)):
        whole = memoryview(body)
        whole = (whole.cast("B") if whole.contiguous else memoryview(whole.tobytes()))[:length]
        yield len(whole) if length is None else length, (bytes(whole[start:start + _PIECE]) for start in range(0, len(whole), _PIECE))
    elif isinstance(body, (str, os.PathLike)):
        # An error with the path would show it.
        if isinstance(body, str) and (len(body) > 4096 or body.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", '"')):
            raise TypeError("this is a document, not the path of one: encode it, with document.encode()")
        with open(body, "rb") as file:
            yield _size(file) if length is None else length, _read(file, length)
    elif isinstance(body, io.TextIOBase):
        raise TypeError("the document is open in text mode: open it in binary mode")
    elif hasattr(body, "__aiter__") or inspect.iscoroutinefunction(getattr(body, "read", None)):
        raise TypeError("the document is an asynchronous stream: pass its bytes, or the file in it")
    elif hasattr(body, "read"):
        yield _size(body) if length is None else length, _read(body, length)
    elif hasattr(body, "__iter__") and not isinstance(body, dict):
        yield length, _checked(body, length)
    else:
        raise TypeError(f"a document is a path, bytes, a file or an iterable of bytes, not {type(body).__name__}")


def _size(file):
    """Of a plain file, from where it stands. Whatever else has a descriptor may give other bytes than that has."""
    if not isinstance(getattr(file, "raw", file), io.FileIO):
        return None
    status = os.fstat(file.fileno())
    return max(status.st_size - file.tell(), 0) if stat.S_ISREG(status.st_mode) else None


def _read(file, left):
    while left != 0:
        piece = file.read(_PIECE if left is None else min(_PIECE, left))
        if piece is None:
            raise BlockingIOError("the document has no bytes yet: it is a non-blocking file")
        if not piece:
            return
        yield from _checked([piece], left)
        if left is not None:
            left = max(left - len(piece), 0)


def _checked(pieces, left):
    for piece in pieces if left != 0 else ():
        if not isinstance(piece, (bytes, bytearray, memoryview)):
            raise TypeError(f"a piece of the document must be bytes, not {type(piece).__name__}")
        if piece := bytes(piece)[:left]:
            yield piece
        if left is not None and (left := left - len(piece)) == 0:
            return
