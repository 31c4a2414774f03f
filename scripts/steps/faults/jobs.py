# SPDX-License-Identifier: Apache-2.0
"""What is run: the inputs, the commands that read them, and what must come of each when nothing fails."""

import base64
import dataclasses
import json
import os
import random
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "TestVectors", "generate"))

import evidence_v2  # noqa: E402
from cryptography.hazmat.primitives import serialization  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
DONE, REFUSED, USAGE, SYSTEM = 0, 1, 2, 3
ORDER, OLD = "ord1", b"what was there\n"
PASSPHRASE, TICKET = b"marked-passphrase-5c1f", b"MarkedTicket" + b"7" * 52
# Of a length that base64 takes in whole groups, so that they look alike wherever they stand.
VIDEO_MARK, PHOTO_MARK = b"<marked video 9d4>", b"<marked photo 27a>"


@dataclasses.dataclass(frozen=True)
class Job:
    """One command: what it reads and what must come of it."""

    name: str
    arguments: tuple
    # For each file that is made: whether its bytes are right.
    makes: dict = dataclasses.field(default_factory=dict)
    # What comes out on standard output, or a function that says whether it is right; `None`: nothing may.
    prints: object = None
    # What comes in on standard input, through a pipe.
    reads: bytes = b""
    is_replacing: bool = False
    # There is a file of the output's name already.
    is_there: bool = False
    # What is in it.
    there: bytes = OLD
    # The file is for its owner alone.
    is_private: bool = True
    # As where a file system has no nameless files.
    is_named: bool = False
    # What it prints is a judgement, which may not be against what was given either.
    judges: bool = False

    @property
    def normal_status(self) -> int:
        """How it ends when nothing fails."""
        return USAGE if self.is_there and not self.is_replacing else DONE


class Inputs:
    """The files that the jobs read, in a folder of their own."""

    def __init__(self, tool: str, folder: str):
        self.tool, self.folder = tool, folder
        os.mkdir(folder)
        self.make_keys()
        self.make_payloads()
        self.make_result()
        self.before = {name: contents(self.file(name)) for name in os.listdir(folder)}
        lines = [line for name in ("key.pem", "new.pem", "compare.pem", "locked.pem")
                 for line in self.before[name].splitlines() if len(line) == 64]
        # What no message may show.
        self.secrets = [PASSPHRASE, TICKET, VIDEO_MARK, PHOTO_MARK, *lines]

    def file(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def make(self, *arguments: str) -> None:
        subprocess.run([self.tool, *arguments], check=True, cwd=self.folder, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def make_keys(self) -> None:
        store(self.file("passphrase"), PASSPHRASE + b"\n")
        for name in ("key", "new", "compare"):
            self.make("keygen", "-o", f"{name}.pem", "--public", f"{name}.pub", "--bits", "2048")
        self.key, self.new = (serialization.load_pem_private_key(contents(self.file(name)), None)
                              for name in ("key.pem", "new.pem"))
        store(self.file("locked.pem"), self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(PASSPHRASE)))

    def make_payloads(self) -> None:
        self.videos = {"tiny": marked(VIDEO_MARK, 100), "video": marked(VIDEO_MARK, 700 * KIB),
                       "large": marked(VIDEO_MARK, 6656 * KIB), "other": marked(b"<another video>", 700 * KIB)}
        for name, video in self.videos.items():
            store(self.file(name), video)
            payload = evidence_v2.seal(video, self.key.public_key(), ORDER)
            store(self.file(f"{name}.json"), payload)
            store(self.file(f"{name}.vendor.json"), vendor_order(payload))
        changed = bytearray(contents(self.file("video.json")))
        changed[len(changed) // 2] ^= 1
        store(self.file("changed.json"), bytes(changed))
        store(self.file("plain.json"), json.dumps(
            {"orderNo": ORDER, "userVideoString": base64.b64encode(self.videos["large"]).decode()}).encode())
        self.photo = marked(PHOTO_MARK, 300 * KIB)
        store(self.file("photo.json"), json.dumps(
            {"orderNo": ORDER, "userImageString": base64.b64encode(self.photo).decode()}).encode())

    def make_result(self) -> None:
        store(self.file("ticket"), TICKET + b"\n")
        store(self.file("photo"), contents(os.path.join(ROOT, "TestVectors", "media", "photo.jpg")))
        self.assembling = ("assemble", "--public", self.file("key.pub"), "--compare-public", self.file("compare.pub"),
                           "--order-no", ORDER, "--app-id", "IDAXXXXX", "--user-id", "u1", "--ticket-file",
                           self.file("ticket"), "--video", self.file("video"), "--image", self.file("photo"),
                           "--captured-at", "2026-11-21T08:30:00.000Z")
        self.make(*self.assembling, "-o", "result.json")
        self.checking = ("check", "--key", self.file("key.pem"), "--compare-key", self.file("compare.pem"),
                         "--ticket-file", self.file("ticket"), "--app-id", "IDAXXXXX", "--order-no", ORDER,
                         "--at", "2026-11-21T08:31:00.000Z")


def make_jobs(inputs: Inputs):
    file = inputs.file
    video, tiny, large = (inputs.videos[name] for name in ("video", "tiny", "large"))
    sealing = ("encrypt", "--public", file("key.pub"), "--order-no", ORDER)
    opening = ("decrypt", "--key", file("key.pem"))
    to_out = {"out": video.__eq__}
    sealed = {"out": opens(video, inputs.key)}
    into = ("-o", "out")
    replace = ("-o", "out", "--force")
    payload, vendor = file("video.json"), file("video.vendor.json")
    yield Job("encrypt", sealing + into + (file("video"),), sealed, is_private=False)
    yield Job("encrypt, --force", sealing + replace + (file("video"),), sealed, is_private=False, is_replacing=True,
              is_there=True)
    yield Job("encrypt, 2 threads", sealing + into + ("--threads", "2", file("video")), sealed, is_private=False)
    yield Job("encrypt, pipe to pipe", sealing, prints=opens(video, inputs.key), reads=video)
    yield Job("decrypt", opening + into + (payload,), to_out)
    yield Job("decrypt, --force", opening + replace + (payload,), to_out, is_replacing=True, is_there=True)
    yield Job("decrypt, --force, new", opening + replace + (vendor,), to_out, is_replacing=True)
    yield Job("decrypt, output exists", opening + into + (payload,), to_out, is_there=True)
    yield Job("decrypt onto its input, --force", opening + replace + ("out",), to_out, is_there=True,
              there=contents(payload))
    yield Job("decrypt, 2 threads", opening + into + ("--threads", "2", payload), to_out)
    yield Job("decrypt, key last", opening + into + (vendor,), to_out)
    yield Job("decrypt, key last, 2 threads", opening + into + ("--threads", "2", vendor), to_out)
    yield Job("decrypt, key last, from a pipe", opening + into, to_out, reads=contents(vendor))
    yield Job("decrypt to a pipe", opening + (payload,), prints=video)
    yield Job("decrypt to a pipe, key last", opening + (vendor,), prints=video)
    yield Job("decrypt to a pipe, spool", opening + (file("large.vendor.json"),), prints=large)
    yield Job("decrypt to a pipe, spool, no nameless files", opening + (file("large.vendor.json"),), prints=large,
              is_named=True)
    yield Job("decrypt, plain, from pipe to pipe, spool", ("extract", "--field", "userVideoString"), prints=large,
              reads=contents(file("plain.json")))
    yield Job("decrypt, no nameless files", opening + into + (payload,), to_out, is_named=True)
    yield Job("decrypt, no nameless files, --force", opening + replace + (payload,), to_out, is_replacing=True,
              is_there=True, is_named=True)
    yield Job("decrypt, passphrase", ("decrypt", "--key", file("locked.pem"), "--passphrase-file", file("passphrase"),
                                      "-o", "out", file("tiny.json")), {"out": tiny.__eq__})
    yield Job("extract, photo", ("extract", "--field", "userImageString", "-o", "out", file("photo.json")),
              {"out": inputs.photo.__eq__})
    rewrapping = ("rewrap", "--order-no", ORDER, "--key", file("key.pem"), "--public", file("new.pub"))
    rewrapped = {"out": opens(video, inputs.new)}
    yield Job("rewrap", rewrapping + into + (payload,), rewrapped)
    yield Job("rewrap, --force, from a pipe", rewrapping + replace, rewrapped, is_replacing=True,
              is_there=True, reads=contents(vendor))
    yield Job("assemble", inputs.assembling + into, sealed)
    checking = inputs.checking + (file("result.json"),)
    report = printed(inputs.tool, *checking)
    assert b"verdict: holds" in report
    yield Job("check", checking, prints=report, judges=True)
    values = ("appId=IDAXXXXX", f"orderNo={ORDER}", "code=0")
    sign = printed(inputs.tool, "sign", "front-end-result", "--ticket-file", file("ticket"), *values).strip().decode()
    verifying = ("verify", "front-end-result", "--ticket-file", file("ticket"), "--sign", sign, *values)
    yield Job("verify", verifying, prints=printed(inputs.tool, *verifying), judges=True)
    diagnosing = ("diagnose", "--key", file("key.pem"), file("tiny.json"))
    yield Job("diagnose", diagnosing, prints=printed(inputs.tool, *diagnosing), judges=True)
    pair = {"out": is_private_key, "pub": is_public_key}
    keygen = ("keygen", "-o", "out", "--public", "pub", "--bits", "2048")
    yield Job("keygen", keygen, pair)
    yield Job("keygen, passphrase", keygen + ("--passphrase-file", file("passphrase")), pair)


def printed(*command: str) -> bytes:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def opens(video: bytes, key: object):
    """Whether bytes are a payload with that video for that key, as an independent implementation sees it."""
    def is_right(payload: bytes) -> bool:
        try:
            return evidence_v2.open_sealed(payload, key) == video
        except Exception:
            return False
    return is_right


def is_private_key(pem: bytes) -> bool:
    try:
        passphrase = PASSPHRASE if b"ENCRYPTED" in pem else None
        return serialization.load_pem_private_key(pem, passphrase).key_size == 2048
    except ValueError:
        return False


def is_public_key(pem: bytes) -> bool:
    try:
        return serialization.load_pem_public_key(pem).key_size == 2048
    except ValueError:
        return False


def vendor_order(payload: bytes) -> bytes:
    """The same payload with the wrapped key after the video."""
    fields = json.loads(payload)
    fields["videoEncryptAESKey"] = fields.pop("videoEncryptAESKey")
    return json.dumps(fields, separators=(",", ":")).encode()


def marked(mark: bytes, count: int) -> bytes:
    """Bytes that compress badly and show the mark wherever one looks."""
    random_part = random.Random(count).randbytes(64)
    return ((mark + random_part) * (count // (len(mark) + 64) + 1))[:count]


def contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def store(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
