# SPDX-License-Identifier: Apache-2.0
"""What archive.py ends: one operation or more for each verb of `evidence-archive` that writes."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from typing import Callable

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "TestVectors", "generate"))

import archive as page  # noqa: E402
import cms  # noqa: E402
from cryptography.hazmat.primitives import serialization  # noqa: E402

KEYS = os.path.join(ROOT, "TestVectors", "keys")
MEDIA = os.path.join(ROOT, "TestVectors", "media")
# One part of scripts/soak each.
GROUPS = {
    **{name: [name] for name in ("append", "append-3-at-a-time", "close", "erase", "reduce", "rotate")},
    "acts": ["add", "hold", "release", "keep", "open", "signers"],
    "init-stamp": ["init", "stamp-query", "stamp-reply", "stamp-more"],
    "extract-export": ["extract", "export"],
    "index": ["index-build", "index-update", "index-erase"],
}


@dataclasses.dataclass
class Operation:
    """What is ended, where the archive is `A`; LAST is what the last one of `before` printed."""

    words: list[str]
    # What the records that it adds say, in their order: "" for evidence.
    says: list[str] = dataclasses.field(default_factory=list)
    before: list[list[str]] = dataclasses.field(default_factory=list)
    # What it makes, besides: as it was before or whole, by default as it is where nothing fails.
    makes: str = ""
    is_whole: Callable[[str, str], bool] | None = None
    # What is refused from then on; `is_freed`: what was refused until then.
    refused: list[str] = dataclasses.field(default_factory=list)
    is_freed: bool = False


class Inputs:
    """Keys, certificates and a result, and the words that take them."""

    def __init__(self, assembler: str, folder: str) -> None:
        self.folder = folder
        for name, use in (("signer", "keyUsage=digitalSignature"), ("next", "keyUsage=digitalSignature"),
                          ("tsa", "extendedKeyUsage=critical,timeStamping")):
            self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem",
                         "-subj", f"/CN={name}", "-addext", use, "-days", "2")
        with open(self.path("signers.pem"), "wb") as file:
            file.write(page.contents(self.path("signer.pem")) + page.contents(self.path("next.pem")))
        with open(self.path("tsa.cnf"), "w", encoding="ascii") as file:
            file.write("[tsa]\ndefault_tsa=t\n[t]\nserial=serial\nsigner_digest=sha256\ness_cert_id_alg=sha256\n"
                       "default_policy=1.2.3.4.1\ndigests=sha256\n")
        for name in ("archive", "new"):
            self.openssl("genrsa", "-out", f"{name}.key", "3072")
            self.openssl("pkey", "-in", f"{name}.key", "-pubout", "-out", f"{name}.pub")
        self.keys = {name: serialization.load_pem_private_key(page.contents(self.path(f"{name}.key")), None) for name in ("archive", "new")}
        subprocess.run([assembler, "assemble", "--public", f"{KEYS}/rsa2048.public.pem", "--compare-public", f"{KEYS}/other3072.public.pem",
                        "--order-no", "ord1", "--app-id", "IDAXXXXX", "--user-id", "u1", "--video", f"{MEDIA}/clip.mp4", "--image",
                        f"{MEDIA}/photo.jpg", "-o", self.path("result.json")], check=True, capture_output=True, stdin=subprocess.DEVNULL)
        with open(self.path("list"), "w", encoding="utf-8") as file:
            file.write(f"ord1 {self.path('result.json')}\n" * 3)
        checked = ["append", "A", "--key", f"{KEYS}/rsa2048.pem", "--require", "result,order,video"]
        self.init = ["init", "A", "--origin", "example.com/faults", "--public", self.path("archive.pub"), "--signer", self.path("signer.pem")]
        self.append, self.append_list = [*checked, "--order-no", "ord1", self.path("result.json")], [*checked, "--list", self.path("list")]
        self.close = ["close", "A", "--signer", self.path("signer.key"), "--certificate", self.path("signer.pem")]
        self.with_key = ["A", "--key", self.path("archive.key")]
        self.find = ["find", *self.with_key, "--index", "I", "--order-no", "ord1"]

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def openssl(self, *words: str, place: str = "") -> None:
        subprocess.run(["openssl", *words], cwd=place or self.folder, check=True, capture_output=True)

    def operations(self, first: str, second: str) -> dict[str, Operation]:
        """About an archive that has a bag with the first record, and the second one waiting."""
        of_first = ["A", "--record", first]
        erase, signers = ["erase", *of_first], ["signers", "A", "--signer", self.path("next.pem")]
        reply = ["stamp", "A", "--query", self.path("q.tsq"), "--reply", self.path("r.tsr"), "--tsa-ca", self.path("tsa.pem")]
        next_key = cms.key_id(cms.certificates(page.contents(self.path("next.pem")))[0])
        signatures = "A/bags/000000001/signatures"

        def index(action: str) -> list[str]:
            return ["index", action, *self.with_key[:1 if action == "erase" else 3], "--index", "I"]

        def has(record: str, *gone: str) -> Callable[[str, str], bool]:
            def are_there(path: str, names: tuple[str, ...]) -> list[bool]:
                return [bytes.fromhex(name) in page.contents(path) for name in names]
            return lambda path, last: all(are_there(path, (record or last,))) and not any(are_there(path, gone))

        def is_there(path: str, _: str) -> bool:
            return os.path.exists(path)

        return {
            "append": Operation(self.append, [""]),
            "append-3-at-a-time": Operation(self.append_list, [""] * 3),
            "close": Operation(self.close, makes="A/bags/000000002", is_whole=is_there),
            "erase": Operation(erase, [f"erases {first}"]),
            "reduce": Operation(["reduce", *of_first], [f"reduces {first}"]),
            "rotate": Operation(["rotate", *self.with_key, "--public", self.path("new.pub")],
                                [f"rotates {page.key_id(self.keys['new'].public_key())}"]),
            "add": Operation(["add", *of_first, "--attach", f"consent.pdf={self.path('list')}"], [f"adds {first}"]),
            "hold": Operation(["hold", *of_first], [f"holds {first}"], refused=erase),
            "release": Operation(["release", "A", "--record", "LAST"], ["releases LAST"], [["hold", *of_first]],
                                 refused=[*erase, "--tsa-ca", self.path("tsa.pem")], is_freed=True),
            "keep": Operation(["keep", *of_first, "--until", "2999-01-01", "--face-until", "2999-01-01"],
                              [f"keeps {first} 2999-01-01", f"keeps {first} face 2999-01-01"], refused=erase),
            "open": Operation(["open", *of_first, "--reason", "case 7"], [f"opens {first}"]),
            "signers": Operation(signers, [f"signs {next_key}"], refused=self.close),
            "init": Operation(self.init, makes="A", is_whole=is_there),
            "stamp-query": Operation(["stamp", "A", "--query", "q.tsq"], makes="q.tsq",
                                     is_whole=lambda path, _: bool(cms.whole(page.contents(path)))),
            "stamp-reply": Operation(reply, makes=f"A/bags/000000001/{page.TOKEN}"),
            "stamp-more": Operation(["stamp", "A", "--more", f"ca.crl={self.path('list')}"], makes=f"{signatures}/more/ca.crl"),
            "extract": Operation(["extract", *of_first, *self.with_key[1:], "-o", "out"], [f"opens {first}"], makes="out"),
            "export": Operation(["export", *of_first, *self.with_key[1:], "--signer-ca", self.path("signer.pem"), "--tsa-ca",
                                 self.path("tsa.pem"), "-o", "out"], [f"exports {first}"], [reply], "out"),
            "index-build": Operation(index("build"), [], [], "I", has(second)),
            "index-update": Operation(index("update"), [], [index("build"), self.append], "I", has("")),
            "index-erase": Operation(index("erase"), [], [index("build"), erase], "I", has(second, first)),
        }
