# SPDX-License-Identifier: Apache-2.0
"""A service that is started for a test, and raw sockets to talk to it."""
import atexit
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4))
VECTORS = os.path.join(ROOT, "TestVectors")
TICKET = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
TOKEN = "a-token-of-sixteen-characters-or-more"


def key(name: str) -> str:
    return os.path.join(VECTORS, "keys", name)


# Seconds for what is certain to come, on the busiest machine.
PATIENCE = 120
STARTED: list[subprocess.Popen] = []
RESERVED: list[socket.socket] = []


def reserved_port() -> int:
    """A port of 127.0.0.1 that nobody else is given while this process lives; a server that reuses addresses may listen there."""
    RESERVED.append(socket.socket())
    RESERVED[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    RESERVED[-1].bind(("127.0.0.1", 0))
    return RESERVED[-1].getsockname()[1]


@atexit.register
def kill_what_is_left() -> None:
    for process in STARTED:
        if process.poll() is None:
            process.kill()


class Service:
    """A running service, its folder and its log."""

    def __init__(self, program: str, folder: str, *options: str, environment: dict[str, str] | None = None, ready=True):
        self.folder = folder
        self.socket = os.path.join(folder, "evidence.sock")
        self.spool = os.path.join(folder, "spool")
        os.makedirs(self.spool, exist_ok=True)
        self.log_path = os.path.join(folder, "log")
        self.log_file = open(self.log_path, "ab")
        self.log_start = self.log_file.tell()
        self.process = subprocess.Popen(
            [program, "--socket", self.socket, *options], stderr=self.log_file, stdout=self.log_file, stdin=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": self.spool, **(environment or {})})
        STARTED.append(self.process)
        if ready:
            self.wait_for("ready")

    def log(self) -> str:
        with open(self.log_path, encoding="utf-8") as file:
            file.seek(self.log_start)
            return file.read()

    def wait_for(self, text: str, seconds: float = PATIENCE, count: int = 1) -> None:
        """A line is written some time after its answer."""
        end = time.monotonic() + seconds
        while self.log().count(text) < count:
            assert self.process.poll() is None or text in self.log(), self.log()
            assert time.monotonic() < end, f"no {text!r} in the log:\n{self.log()}"
            time.sleep(0.02)

    def connect(self, seconds: float = PATIENCE) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(seconds)
        connection.connect(self.socket)
        return connection

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def thread_names(self) -> set[str]:
        names = set()
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{thread}/comm", encoding="utf-8") as file:
                names.add(file.read().strip())
        return names

    def peak_memory(self) -> int:
        """Bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) << 10

    def metric(self, name: str) -> float:
        _, _, body = self.ask("GET", "/metrics")
        for line in body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        return 0

    def wait_for_metric(self, name: str, value: float) -> None:
        """What a request holds it gives back after its answer has arrived."""
        end = time.monotonic() + PATIENCE
        while (found := self.metric(name)) != value:
            assert time.monotonic() < end, f"{name} is {found}, not {value}"
            time.sleep(0.01)

    def ask(self, method: str, target: str, body: bytes | None = None, headers: dict[str, str] | None = None,
            connection: socket.socket | None = None) -> tuple[int, dict[str, str], bytes]:
        """One request and its answer."""
        given = {"Host": "evidence", **({"Content-Type": "application/json"} if body is not None else {}), **(headers or {})}
        if body is not None and "Transfer-Encoding" not in given:
            given["Content-Length"] = str(len(body))
        head = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in given.items()) + "\r\n"
        own = connection or self.connect()
        try:
            try:
                own.sendall(head.encode("latin-1") + (body or b""))
            except (BrokenPipeError, ConnectionResetError):
                pass  # The answer may be there all the same.
            return read_answer(own)
        finally:
            if connection is None:
                own.close()

    def stop(self, expected: int = 0, told: bool = False) -> None:
        """Ends it. A second SIGTERM would not wait: `told` says that it had one."""
        if not told and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE)
        self.log_file.close()
        assert status == expected, (status, self.log()[-2000:])


class Short(Exception):
    """An answer ended before its end."""


def read_answer(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Reads one answer, not a byte more than it has."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        piece = connection.recv(1)
        if not piece:
            raise Short(head)
        head += piece
    lines = head.decode("latin-1").split("\r\n")
    status = int(lines[0].split()[1])
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:-2])}
    if status == 100:
        return read_answer(connection)
    assert "transfer-encoding" not in headers, headers
    length = int(headers["content-length"])
    body = bytearray()
    while len(body) < length:
        piece = connection.recv(min(1 << 16, length - len(body)))
        if not piece:
            raise Short(head)
        body += piece
    return status, headers, bytes(body)


@contextmanager
def running(program: str, *options: str, **more):
    """A service with the test keys, in a folder of its own; it must end well and leave nothing."""
    with tempfile.TemporaryDirectory(prefix="evidence-service-") as folder:
        for name, text in (("ticket", TICKET), ("token", TOKEN)):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text + "\n")
        os.mkdir(os.path.join(folder, "kept"))
        given = [
            "--key", key("rsa3072.pem"), "--compare-key", key("other3072.pem"), "--app-id", "IDAXXXXX",
            "--ticket-file", os.path.join(folder, "ticket"), "--extract-folder", os.path.join(folder, "kept"),
            *options]
        service = Service(program, folder, *given, **more)
        try:
            yield service
        except BaseException:
            print(service.log()[-3000:], file=sys.stderr)
            raise
        finally:
            if service.process.poll() is None:
                service.process.kill()
                service.process.wait()


def tool(program: str, *words: str, data: bytes | None = None) -> bytes:
    return subprocess.run([program, *words], input=data, stdout=subprocess.PIPE, check=True).stdout


def sealed(program: str, video: bytes, order: str = "ord1", *more: str, public: str = "rsa3072.public.pem") -> bytes:
    return tool(program, "encrypt", "--public", key(public), "--order-no", order, *more, data=video)


def result(program: str, folder: str) -> bytes:
    """A whole result: video, photo, statement, sign."""
    with open(os.path.join(folder, "ticket-of-result"), "w", encoding="ascii") as file:
        file.write(TICKET + "\n")
    return tool(
        program, "assemble", "--public", key("rsa3072.public.pem"), "--compare-public", key("other3072.public.pem"),
        "--order-no", "ord1", "--app-id", "IDAXXXXX", "--user-id", "u-1", "--video",
        os.path.join(VECTORS, "media", "clip.mp4"), "--image", os.path.join(VECTORS, "media", "photo.jpg"),
        "--ticket-file", os.path.join(folder, "ticket-of-result"))
