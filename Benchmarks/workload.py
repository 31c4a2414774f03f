# SPDX-License-Identifier: Apache-2.0
"""The files that the contestants read: in a folder of their own in memory, gone when the run is over."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile

MIB = 1 << 20
ORDER = "ord1"
# The format that every contestant knows, and the newer one.
V1 = ["--profile", "evidence-v1"]
V2 = ["--profile", "evidence-v2"]
SECRET = "00112233445566778899aabbccddeeff" * 2  # of the CBC peer: its content is random anyway


@contextlib.contextmanager
def folder(needed: int):
    """An empty folder on tmpfs, if there is room for so many bytes."""
    parent = "/dev/shm"
    free = min(shutil.disk_usage(parent).free, available_memory())
    if free < needed + 1024 * MIB:
        raise SystemExit(f"bench: {needed // MIB} MiB are needed in {parent} and memory; {free // MIB} MiB are free")
    # So that the folder goes when a run is ended from outside, too.
    for ending in signal.SIGTERM, signal.SIGHUP:
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    path = tempfile.mkdtemp(prefix="evidence-bench-", dir=parent)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def available_memory() -> int:
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable"))


class Files:
    """One video of a size, and what each contestant needs to open or seal it."""

    def __init__(self, path: str, tool: str, size: int):
        self.path, self.tool, self.size = path, tool, size
        self.key, self.public = self["key.pem"], self["pub.pem"]
        self.identity, self.recipient = self["age.key"], self["age.pub"]
        if not os.path.exists(self.key):
            run(tool, "keygen", "--bits", "2048", "-o", self.key, "--public", self.public)
            run("age-keygen", "-o", self.identity)
            with open(self.recipient, "w") as file:
                file.write(subprocess.check_output(["age-keygen", "-y", self.identity], text=True))
        self.video, self.payload, self.output = self["video"], self["payload.json"], self["output"]
        self.remove()
        # Random enough: what repeats after 64 MiB, no cache and no branch predictor remembers.
        block = os.urandom(min(size, 64 * MIB))
        with open(self.video, "wb") as file:
            for start in range(0, size, len(block)):
                file.write(block[: size - start])
        run(tool, "encrypt", "--public", self.public, "--order-no", ORDER, *V1, "-o", self.payload, self.video)

    def __getitem__(self, name: str) -> str:
        return os.path.join(self.path, name)

    def remove(self) -> None:
        """Everything but keys, programs, and folders, which others made."""
        for name in os.listdir(self.path):
            if os.path.isfile(self[name]) and not name.endswith((".pem", ".key", ".pub", ".bin")):
                os.remove(self[name])

    def is_opened(self) -> bool:
        return subprocess.run(["cmp", "-s", self.video, self.output]).returncode == 0

    def chunked(self) -> str:
        """The same video sealed as evidence-v2."""
        run(self.tool, "encrypt", "--public", self.public, "--order-no", ORDER, *V2, "-o", self.chunked_path, self.video)
        return self.chunked_path

    @property
    def chunked_path(self) -> str:
        return self["chunked.json"]

    def in_vendor_order(self) -> str:
        """The same payload with its wrapped key after the video."""
        path = self["vendor.json"]
        with open(self.payload, "rb") as payload, open(path, "wb") as vendor:
            head = payload.read(4096) if self.size > 4096 else payload.read()
            start = head.index(b'"userVideoString"')
            payload.seek(start)
            vendor.write(b"{")
            size = os.path.getsize(self.payload)
            left = size - start - len(b"}\n")
            while left > 0:
                piece = payload.read(min(MIB, left))
                vendor.write(piece)
                left -= len(piece)
            vendor.write(b"," + head[1 : start - 1] + b"}")
        return path

    def escaped(self) -> str:
        """The same payload with every slash written as \\/."""
        path = self["escaped.json"]
        with open(self.payload, "rb") as payload, open(path, "wb") as escaped:
            while piece := payload.read(MIB):
                escaped.write(piece.replace(b"/", b"\\/"))
        return path

    def as_cbc(self) -> str:
        """As `openssl enc` has it: AES-256-CBC, one line of base64."""
        path = self["cbc.b64"]
        run("openssl", "enc", "-e", *CBC, "-in", self.video, "-out", path)
        return path

    def as_age(self, *armour: str) -> str:
        path = self["age" + "".join(armour)]
        run("age", "-R", self.recipient, *armour, "-o", path, self.video)
        return path


CBC = ["-aes-256-cbc", "-a", "-A", "-K", SECRET, "-iv", SECRET[:32]]


def run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
