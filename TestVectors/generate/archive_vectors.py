# SPDX-License-Identifier: Apache-2.0
"""Whole small archives, good ones and hostile ones, and what is found in each. What is found is said here, case by case; that
archive.py finds it, run.py sees to."""

from __future__ import annotations

import base64
import os
import re
import shutil
import tempfile
from typing import Any, Callable, Iterator, Optional, Union

import archive
import der
from archive import ANCHOR, BAG, FORMAT, ORIGIN, PREVIOUS, PREVIOUS_TOKEN, SIGNATURE, SKIP, TAGMANIFEST, TOKEN
from archive_outline import outline, write_about
from cms_by_hand import EMAIL_PROTECTION, TIME_STAMPING, Key, Party, oid, signature, time_stamp
from rsa_by_hand import Stream, modulus_bytes, oaep_wrap

Edit = Callable[[dict[str, bytes]], None]
ARCHIVE_KEY, NEXT_KEY = "other3072.pem", "rsa4096.pem"
CA = Party("Test CA", Key("rsa3072.pem"))
TSA_CA = Party("Test Time CA", Key("rsa3072.pem"), serial=2)
OLD_CA = Party("Test Old Time CA", Key("rsa4096.pem"), serial=3)
SIGNER = Party("Archive of Example Ltd", Key("rsa2048.pem"), CA, EMAIL_PROTECTION, 11)
SECOND = Party("Second signer", Key("ec-p256.pem"), CA, EMAIL_PROTECTION, 12)
MALLORY = Party("Mallory", Key("rsa2048-e3.pem"), CA, EMAIL_PROTECTION, 13)
TSA = Party("Test TSA", Key("rsa2048.pem"), TSA_CA, TIME_STAMPING, 21)
OLD_TSA = Party("Old TSA", Key("rsa2048.pem"), OLD_CA, TIME_STAMPING, 22)
SHORT_TSA = Party("TSA of a short life", Key("rsa2048.pem"), TSA_CA, TIME_STAMPING, 23, ends="20261201000000Z")
RESULT = b'{"isSuccess":true,"orderNo":"ord1","userImageString":"QUJDREVG"}\n'
LONG_RESULT = b'{"userImageString":"\\u0041","note":"' + b"x" * 1025 + b'","list":["y",{"identifyStr":null}],"deviceSignature":"' + b"z" * 1025 + b'"}'
REPORT = b'{"schema":"evidence-report-1","verdict":"holds"}\n'
ANSWER = b'{"code":"0","msg":"ok","photo":"' + b"Y" * 1100 + b'"}'
DAY = 86_400


def moment(hour: int) -> str:
    return f"2026-11-{22 + hour // 24:02d}T{hour % 24:02d}:00:00.000Z"


def generalized(hour: int, rest: str = "") -> str:
    return f"202611{22 + hour // 24:02d}{hour % 24:02d}3000{rest}Z"


class Maker:
    """Makes one archive, always the same: the name is its random numbers' seed."""

    def __init__(self, name: str, signers: tuple[Party, ...] = (SIGNER,), continues: str = "", origin: str = "example.com/vectors",
                 key: str = ARCHIVE_KEY) -> None:
        self.name, self.hour = name, 0
        self.folder = tempfile.mkdtemp()
        self.path = os.path.join(self.folder, "archive")
        stream = Stream(f"archive {name}")

        def wrap(content: bytes, archive_id: str, record: str, which: str, public_key: Any) -> bytes:
            file = next(file for file in (key, NEXT_KEY) if archive.key_id(archive_key(file)) == archive.key_id(public_key))
            return oaep_wrap(archive.wrapped_plaintext(content, archive_id, record, which), file, stream)

        self.source = archive.Source(stream.take, lambda: moment(self.hour), wrap)
        archive.init(self.path, origin, archive_key(key), [one.key.key_id for one in signers], continues, self.source)

    def evidence(self, lines: Union[str, list[str]] = "", **more: bytes) -> str:
        return self.add(lines, **({"report.json": REPORT, "result.json": RESULT} | more))

    def add(self, lines: Union[str, list[str]] = "", **parts: bytes) -> str:
        return archive.append(self.path, parts, lines, self.source)

    def close(self, by: Party = SIGNER, edit: Edit = lambda tags: None, **more: Any) -> int:
        self.hour += 1
        number = archive.write_bag(self.path, lambda document, _: signature(by, document, **more), moment(self.hour), edit)
        self.hour += 1
        return number

    def bag(self, number: int = 0) -> str:
        return f"{self.path}/bags/{number or len(os.listdir(f'{self.path}/bags')):09d}"

    def stamp(self, by: Party = TSA, number: int = 0, time: str = "", **more: Any) -> None:
        token = time_stamp(by, archive.contents(f"{self.bag(number)}/{SIGNATURE}"), time or generalized(self.hour - 1), 0x1F00 + self.hour, **more)
        self.put(f"{self.bag(number)}/{TOKEN}", token)

    def put(self, path: str, data: bytes) -> None:
        path = path if path.startswith("/") else f"{self.path}/{path}"
        if os.path.exists(path):
            os.remove(path)
        archive.store(path, data)

    def erase(self, record: str) -> str:
        return archive.erase(self.path, record, source=self.source)

    def reduce(self, record: str) -> str:
        return archive.reduce(self.path, record, source=self.source)

    def key_path(self, record: str, file: str = ARCHIVE_KEY) -> str:
        return f"{self.path}/keys/{archive.key_id(archive_key(file))}/{record[:2]}/{record}"

    def plant(self, lines: list[str], files: Optional[dict[str, bytes]] = None, statement: Optional[bytes] = None) -> str:
        """A record whose statement is whatever it is, without a key."""
        record = self.source.random(16).hex()
        text = ["evidence-statement 1", f"record {record}", f"time {self.source.now()}", *(line.replace("SELF", record) for line in lines)]
        self.put(f"incoming/data/{record}/statement", statement if statement is not None else "".join(f"{line}\n" for line in text).encode())
        for name, data in (files or {}).items():
            self.put(f"incoming/data/{record}/{name}", data)
        return record

    def files(self) -> dict[str, bytes]:
        found = {path: archive.contents(f"{self.path}/{path}") for path in archive.files_under(self.path)}
        shutil.rmtree(self.folder)
        return found


def archive_key(file: str) -> Any:
    from rsa_by_hand import private_key
    return private_key(file).public_key()


def info(label: str, value: Optional[str]) -> Edit:
    """Another value of a line of bag-info.txt, or no line."""
    def edit(tags: dict[str, bytes]) -> None:
        lines = tags["bag-info.txt"].decode().splitlines()
        assert any(line.startswith(f"{label}: ") for line in lines), label
        kept = [line if not line.startswith(f"{label}: ") else f"{label}: {value}" for line in lines
                if value is not None or not line.startswith(f"{label}: ")]
        tags["bag-info.txt"] = "".join(f"{line}\n" for line in kept).encode()
    return edit


def info_lines(change: Callable[[list[str]], list[str]]) -> Edit:
    def edit(tags: dict[str, bytes]) -> None:
        tags["bag-info.txt"] = "".join(f"{line}\n" for line in change(tags["bag-info.txt"].decode().splitlines())).encode()
    return edit


Case = tuple[str, str, Optional[Maker], dict[str, Any], list[str], Optional[list[str]]]


def good() -> Iterator[Case]:
    """In these, nothing fails."""
    maker = Maker("every kind")
    first = maker.evidence("until 2036-11-22", **{"video.mp4": b"a video", "result.json": LONG_RESULT, "outline.json": outline(LONG_RESULT) or b"", "device-key.der": b"key",
                                               "video.key": b"k" * 44, "attached-01": b"a form", "face-01": b"a picture",
                                               "answer.json": ANSWER, "answer-outline.json": outline(ANSWER) or b"",
                                               "about.json": write_about(user="u-1", names={"attached-01": "form.pdf"}, labels=["loan"])})
    lean = maker.add("", **{"report.json": REPORT, "outline.json": outline(RESULT) or b""})
    dated = maker.evidence(["until 2036-11-22", "face-until 2026-11-22"])
    maker.close()
    maker.stamp()
    maker.put(f"{maker.bag()}/signatures/more/ca.crl", b"a list")
    added = maker.add(f"adds {first}", **{"answer.json": ANSWER, "face-02": b"another"})
    facts = maker.add(f"adds {lean}", **{"attached-01": b"late"})
    maker.add(f"exports {first}", **{"note.txt": b"for the court"})
    maker.add(sorted([f"opens {first}", f"opens {added}"]), **{"about.json": write_about(by="clerk", parts=["result.json"], reason="a question")})
    hold = maker.add(f"holds {first}")
    maker.add(f"keeps {first} 2040-01-01")
    maker.add(f"keeps {lean} face 2030-02-28")
    maker.close()
    maker.stamp()
    maker.add(f"releases {hold}")
    maker.add("signs " + " ".join(sorted([SIGNER.key.key_id, SECOND.key.key_id])))
    maker.reduce(dated)
    maker.close()
    maker.stamp()
    maker.add(f"rotates {archive.key_id(archive_key(NEXT_KEY))}")  # and below, its keys
    rotate(maker)
    late = maker.add("", **{"report.json": REPORT, "answer.json": ANSWER})
    maker.close(SECOND)
    maker.erase(late)
    maker.add(f"erases {facts}")
    os.remove(maker.key_path(facts, NEXT_KEY))
    maker.close()
    maker.stamp()
    yield ("good-every-kind", "every kind, every part, two keys, a skipped signer, a rotation", maker,
           {"key": NEXT_KEY, "signer": [SIGNER.key.key_id]}, [], [])

    maker = Maker("chain")
    for number in range(1, 15):
        maker.evidence() if number in (1, 14) else maker.add(f"exports {first_record(maker)}")
        maker.close()
        if number in (2, 9, 13):
            maker.stamp()
    yield ("good-chain", "fourteen bags with skips; the last one is not stamped", maker, {"moment": 1_796_000_000},
           [], ["archive signer", "bag 14 time"])

    maker = Maker("continued", origin="example.com/old")
    old = maker.evidence()
    maker.close()
    maker.stamp()
    line = archive.head_line(maker.path)
    yield ("good-continued", "the archive that the next one continues; its head line", maker, {"head": line}, [], ["archive signer"])
    maker = Maker("continues", continues=line)
    maker.add(f"adds {old}", **{"attached-01": b"late"})
    maker.add(f"holds {old}")
    maker.close()
    maker.stamp()
    yield ("good-continues", "records of the archive that it continues", maker, {"continued": "good-continued"}, [], ["archive signer"])
    maker = Maker("continues alone", continues=line)
    hold = maker.add(f"holds {old}")
    maker.close()
    maker.stamp()
    yield ("good-continues-alone", "the same without that archive", maker, {}, [], ["archive chain", "archive signer", f"record {hold} statement"])

    old_maker = Maker("continued badly", origin="example.com/old")
    old = old_maker.evidence()
    old_maker.close()
    old_maker.evidence()
    old_maker.close()
    line = archive.head_line(old_maker.path)
    old_maker.put(f"{old_maker.bag(1)}/{SIGNATURE}", signature(MALLORY, archive.contents(f"{old_maker.bag(1)}/{TAGMANIFEST}")))
    yield ("continued-exchanged", "an archive that another one continues: its first signature was exchanged", old_maker, {"moment": 1_796_000_000},
           ["bag 1 signer", "bag 2 anchor"], ["archive signer", "bag 1 time", "bag 2 time"])
    maker = Maker("continues badly", continues=line)
    maker.add(f"holds {old}")
    maker.close()
    maker.stamp()
    yield ("continues-exchanged", "the archive that it continues does not verify", maker, {"continued": "continued-exchanged"}, ["archive chain"], ["archive signer"])

    for digest in ("sha384", "sha512"):
        maker = Maker(digest)
        maker.evidence()
        maker.close(Party("Signer", Key("rsa2048.pem"), CA, EMAIL_PROTECTION, 31, signed_by=Key("rsa3072.pem", digest)))
        maker.stamp(Party("TSA", Key("rsa2048.pem", digest), TSA_CA, TIME_STAMPING, 32, signed_by=Key("rsa3072.pem", digest)), imprint=digest)
        yield f"good-{digest}", f"certificates, token and imprint with {digest}", maker, {}, [], ["archive signer"]
    maker = Maker("pss")
    maker.evidence()
    maker.close(Party("Signer", Key("rsa2048.pem", pss=True), CA, EMAIL_PROTECTION, 31, signed_by=Key("rsa3072.pem", pss=True)))
    maker.stamp(Party("TSA", Key("rsa2048.pem"), TSA_CA, TIME_STAMPING, 32, signed_by=Key("rsa3072.pem", pss=True)))
    yield "good-pss", "RSA-PSS with SHA-256, where stock commands know it", maker, {}, [], ["archive signer"]


def first_record(maker: Maker) -> str:
    return archive.names_in(f"{maker.path}/bags/000000001/data")[0]


def rotate(maker: Maker) -> None:
    """As archive.rotate does it, without its record."""
    from rsa_by_hand import private_key
    for path in archive.files_under(f"{maker.path}/keys"):
        if path == "current.pem":
            continue
        record = os.path.basename(path)
        wrapped = archive.read_key_file(archive.contents(f"{maker.path}/keys/{path}"), record)
        identifier = archive.archive_id(maker.path)
        keys = {name: archive.unwrap(key, identifier, record, name, private_key(ARCHIVE_KEY)) for name, key in wrapped.items()}
        os.remove(f"{maker.path}/keys/{path}")
        maker.put(maker.key_path(record, NEXT_KEY), archive.key_file({
            name: maker.source.wrap(key, identifier, record, name, archive_key(NEXT_KEY)) for name, key in keys.items()}))
    from cryptography.hazmat.primitives import serialization
    maker.put("keys/current.pem", archive_key(NEXT_KEY).public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))


def two_bags(name: str, stamped: bool = True, edit: Edit = lambda tags: None, second: Party = SIGNER) -> tuple[Maker, str, str]:
    """Evidence in each of two bags."""
    maker = Maker(name)
    first = maker.evidence()
    maker.close()
    other = maker.evidence()
    maker.close(second, edit)
    if stamped:
        maker.stamp()
    return maker, first, other


def reviewed() -> Iterator[Case]:
    """What was once accepted, or refused, and should not have been."""
    maker, *_ = two_bags("floating signature")
    maker.put(f"{maker.bag(1)}/{SIGNATURE}", signature(MALLORY, archive.contents(f"{maker.bag(1)}/{TAGMANIFEST}")))
    yield ("anchor-exchanged", "M3: another signature of the same authority took the place of an older one", maker, {},
           ["bag 1 signer", "bag 2 anchor"], ["archive signer"])
    maker, *_ = two_bags("file slipped in")
    maker.put(f"{maker.bag(1)}/signatures/more/late.crl", b"later")
    yield "anchor-more", "a file that came into more/ after the next bag", maker, {}, ["bag 2 anchor"], ["archive signer"]

    maker = Maker("renewed")
    for number in range(1, 5):
        maker.evidence()
        maker.close()
        if number in (2, 3, 4):
            maker.stamp(OLD_TSA if number < 4 else TSA)
    yield ("time-renewed", "M4: bags 2 and 3 have tokens of an authority that is no longer accepted; bag 4 covers all", maker, {},
           [], ["archive signer"])
    maker = Maker("not accepted")
    maker.evidence()
    maker.close()
    maker.stamp(OLD_TSA)
    yield ("time-not-accepted", "M4: the only token is of an authority that is not accepted", maker, {"moment": 1_796_000_000},
           [], ["archive signer", "bag 1 time"])
    yield ("time-until-covered", "an authority that is trusted until a moment, and a later token from before it", None,
           {"archive": "time-renewed", "until": {"old-time-ca.pem": 1_796_000_000}}, [], ["archive signer"])
    yield ("time-until-uncovered", "an authority that is trusted until a moment, and no later token", None,
           {"archive": "time-not-accepted", "until": {"old-time-ca.pem": 1_796_000_000}, "moment": 1_796_000_000}, [], ["archive signer", "bag 1 time"])
    yield ("time-until-too-late", "a later token, but from after that moment", None,
           {"archive": "time-renewed", "until": {"old-time-ca.pem": 1_700_000_000}}, [], ["archive signer"])
    yield ("time-until-also-trusted", "an authority that is trusted until a moment, and is among the trusted ones as well", None,
           {"archive": "time-renewed", "until": {"time-ca.pem": 1_700_000_000}, "moment": 1_796_000_000}, [],
           ["archive signer", *(f"bag {number} time" for number in range(1, 5))])
    maker = Maker("expired")
    maker.evidence()
    maker.close()
    maker.stamp(SHORT_TSA)
    yield ("time-expired-since", "the token's certificate has expired since; it was valid then", maker, {"moment": 1_796_000_000 + 400 * DAY},
           [], ["archive signer"])
    maker = Maker("expired before")
    maker.evidence()
    maker.close()
    maker.stamp(SHORT_TSA, time="20261224120000Z")
    yield "time-expired-before", "the token's certificate had expired at its own time", maker, {"moment": 1_796_000_000}, ["bag 1 time"], ["archive signer"]
    maker, *_ = two_bags("wrong imprint")
    maker.put(f"{maker.bag(2)}/{TOKEN}", time_stamp(TSA, b"something else", generalized(3), 9))
    yield "time-other-imprint", "the token is of something else", maker, {"moment": 1_796_000_000}, ["bag 2 time"], ["archive signer", "bag 1 time"]

    maker, *_ = two_bags("newer", edit=info(FORMAT, "2"))
    maker.evidence()
    maker.close()
    maker.stamp()
    yield ("newer-format", "M5: bag 2 is of a newer format; the chain through it holds", maker, {"moment": 1_796_000_000}, [],
           ["archive keys", "archive signer", "bag 2 format", "bag 3 anchor", "bag 3 signer"])
    maker, *_ = two_bags("newer, unknown lines", edit=info_lines(
        lambda lines: [*(line.replace(f"{FORMAT}: 1", f"{FORMAT}: 7") for line in lines if ANCHOR not in line), "Evidence-Archive-New: x"]))
    yield ("newer-lines", "a newer format with a line more and one less", maker, {"moment": 1_796_000_000}, [],
           ["archive keys", "archive signer", "bag 1 time", "bag 2 format"])
    maker, *_ = two_bags("newer, broken chain", edit=lambda tags: (info(FORMAT, "2")(tags), info(PREVIOUS, "0" * 64)(tags)) and None)
    yield "newer-broken-chain", "a newer format that follows another bag", maker, {}, ["bag 2 chain"], ["archive keys", "archive signer", "bag 1 time", "bag 2 format"]
    maker = Maker("more")
    maker.evidence()
    maker.close()
    maker.stamp()
    maker.put(f"{maker.bag()}/signatures/more/ca.crl", b"a list")
    yield "good-more", "M5: a file in more/", maker, {}, [], ["archive signer"]
    maker = Maker("newer statement")
    strange = maker.plant([], statement=b"")
    text = f"evidence-statement 2\nrecord {strange}\ntime {moment(0)}\nnew line\n".encode()
    maker.put(f"incoming/data/{strange}/statement", text)
    maker.evidence()
    maker.close()
    yield "statement-newer", "M5: a newer statement in a bag of format 1", maker, {"moment": 1_796_000_000}, [f"record {strange} statement"], None

    weak: list[tuple[str, str, Party, Party, dict[str, Any], str, str]] = [
        ("md5-certificate", "the signer's certificate is under MD5", Party("S", Key("rsa2048.pem"), CA, EMAIL_PROTECTION, 41, signed_by=Key("rsa3072.pem", "md5")), TSA, {}, "signature", "fails"),
        ("sha1-certificate", "the signer's certificate is under SHA-1", Party("S", Key("rsa2048.pem"), CA, EMAIL_PROTECTION, 41, signed_by=Key("rsa3072.pem", "sha1")), TSA, {}, "signature", "fails"),
        ("sha1-token", "the token is under SHA-1", SIGNER, Party("T", Key("rsa2048.pem", "sha1"), TSA_CA, TIME_STAMPING, 42), {}, "time", "fails"),
        ("sha1-tsa-certificate", "the authority's certificate is under SHA-1", SIGNER, Party("T", Key("rsa2048.pem"), TSA_CA, TIME_STAMPING, 42, signed_by=Key("rsa3072.pem", "sha1")), {}, "time", "fails"),
        ("sha1-imprint", "the imprint is SHA-1", SIGNER, TSA, {"imprint": "sha1"}, "time", "fails"),
        ("sha1-ess", "the token names its certificate by SHA-1 alone", SIGNER, TSA, {"ess": "1"}, "time", "fails"),
        ("rsa1024-tsa", "the authority has an RSA key of 1024 bits", SIGNER, Party("T", Key("rsa1024.pem"), TSA_CA, TIME_STAMPING, 42), {}, "time", "fails"),
        ("sha1-mask", "the signer's certificate is under RSA-PSS, whose mask is by SHA-1", Party("S", Key("rsa2048.pem"), CA, EMAIL_PROTECTION, 41, signed_by=Key("rsa3072.pem", pss=True, mask="sha1")), TSA, {}, "signature", "fails"),
        ("sha1-tsa-mask", "the same of the authority's certificate", SIGNER, Party("T", Key("rsa2048.pem"), TSA_CA, TIME_STAMPING, 42, signed_by=Key("rsa3072.pem", pss=True, mask="sha1")), {}, "time", "fails"),
        ("sha224-mask", "the mask is neither listed nor forbidden", Party("S", Key("rsa2048.pem"), CA, EMAIL_PROTECTION, 41, signed_by=Key("rsa3072.pem", pss=True, mask="sha224")), TSA, {}, "signature", "unchecked"),
        ("sha224-imprint", "the imprint is neither listed nor forbidden", SIGNER, TSA, {"imprint": "sha224"}, "time", "unchecked"),
        ("pss-token", "the token is under RSA-PSS, which `openssl ts` does not know", SIGNER, Party("T", Key("rsa2048.pem", pss=True), TSA_CA, TIME_STAMPING, 42), {}, "time", "unchecked"),
        ("ed25519-tsa", "the authority's algorithm is neither listed nor forbidden", SIGNER, Party("T", Key("ed25519.pem"), TSA_CA, TIME_STAMPING, 42), {}, "time", "unchecked"),
    ]
    for name, comment, signer, tsa, more, finding, state in weak:
        maker = Maker(f"algorithm {name}")
        maker.evidence()
        maker.close(signer)
        maker.stamp(tsa, **more)
        fails = [f"bag 1 {finding}"] if state == "fails" else []
        unchecked = ["archive signer"] + ([f"bag 1 {finding}"] if state == "unchecked" else [])
        yield f"algorithm-{name}", f"M6: {comment}", maker, {"moment": 1_796_000_000}, fails, unchecked
    for name, comment, file, state in (("rsa1024-signer", "an RSA key of 1024 bits", "rsa1024.pem", "fails"),
                                       ("ed25519-signer", "an algorithm that is neither listed nor forbidden", "ed25519.pem", "unchecked")):
        weak_signer = Party("S", Key(file), CA, EMAIL_PROTECTION, 41)
        maker = Maker(f"algorithm {name}", (weak_signer,))
        maker.evidence()
        maker.close(weak_signer)
        maker.stamp()
        finding = "bag 1 signature"
        # What the token covers is a signature that does not hold.
        yield (f"algorithm-{name}", f"M6: the signer has {comment}", maker, {"moment": 1_796_000_000},
               [finding, "bag 1 time"] if state == "fails" else [],
               ["archive signer", "bag 1 signer"] + ([finding, "bag 1 time"] if state == "unchecked" else []))

    maker, *_ = two_bags("mallory", second=MALLORY)
    yield "signer-other", "M7: another certificate of the same authority closed bag 2", maker, {"signer": [SIGNER.key.key_id]}, ["bag 2 signer"], []
    yield ("signer-not-expected", "M7: archive.txt names another signer than expected", two_bags("not expected")[0],
           {"signer": [SECOND.key.key_id]}, ["archive signer"], [])
    maker = Maker("signs itself")
    maker.evidence()
    maker.close()
    maker.add(f"signs {MALLORY.key.key_id}")
    maker.close(MALLORY)
    maker.evidence()
    maker.close(MALLORY)
    maker.stamp()
    yield ("signer-names-itself", "the bag that names a signer is by that signer: it has no effect", maker, {"signer": [SIGNER.key.key_id]},
           ["bag 2 signer", "bag 3 signer"], [])
    maker = Maker("signer gone")
    maker.add(f"signs {SECOND.key.key_id}")
    maker.evidence()
    maker.close()
    maker.evidence()
    maker.close()
    maker.stamp()
    yield "signer-replaced", "the key that was replaced signs the next bag", maker, {"signer": [SIGNER.key.key_id]}, ["bag 2 signer"], []


def lines() -> Iterator[Case]:
    """Each line of bag-info.txt, wrong in each way, in a bag that is signed all the same."""
    wrong: dict[str, tuple[str, Edit]] = {
        "format-missing": ("info", info(FORMAT, None)),
        "format-zero": ("info", info(FORMAT, "0")),
        "format-twice": ("info", info_lines(lambda lines: [*lines[:4], lines[3], *lines[4:]])),
        "anchor-missing": ("info", info(ANCHOR, None)),
        "anchor-twice": ("info", info_lines(lambda lines: [one for line in lines for one in ([line, line] if ANCHOR in line else [line])])),
        "anchor-invalid": ("info", info(ANCHOR, "F" * 64)),
        "anchor-other": ("anchor", info(ANCHOR, "0" * 64)),
        "anchor-out-of-order": ("info", info_lines(lambda lines: [*lines[:7], lines[8], lines[7], *lines[9:]])),
        "skip-without-need": ("info", info_lines(lambda lines: [*lines[:8], f"{SKIP}: 1 {'0' * 64}", *lines[8:]])),
        "previous-other": ("chain", info(PREVIOUS, "0" * 64)),
        "origin-other": ("info", info(ORIGIN, "example.com/other")),
        "number-other": ("info", info(BAG, "3")),
        "line-unknown": ("info", info_lines(lambda lines: [*lines, "Evidence-Archive-New: x"])),
        "line-too-long": ("info", info_lines(lambda lines: [f"Bag-Software-Agent: {'x' * 4096}", *lines[1:]])),
    }
    for name, (finding, edit) in wrong.items():
        maker, *_ = two_bags(f"line {name}", stamped=False, edit=edit)
        yield f"info-{name}", f"bag-info.txt: {name}", maker, {"moment": 1_796_000_000}, [f"bag 2 {finding}"], None
    for name, finding, value in (("skip-missing", "info", None), ("skip-other-bag", "info", "2 "), ("skip-itself", "info", "6 "), ("skip-other-digest", "chain", "3 ")):
        maker = Maker(f"line {name}")
        maker.evidence()
        maker.close()
        for number in range(2, 7):
            maker.add(f"exports {first_record(maker)}")
            maker.close(edit=info(SKIP, value and value + "0" * 64) if number == 6 else lambda tags: None)
        yield f"info-{name}", f"bag-info.txt: {name}", maker, {"moment": 1_796_000_000}, [f"bag 6 {finding}"], None
    maker, *_ = two_bags("late token", stamped=False)
    maker.stamp(number=1)
    yield ("token-late", "bag 1 was stamped after bag 2 was closed", maker, {"moment": 1_796_000_000}, ["bag 2 chain"],
           ["archive signer", "bag 2 time"])
    maker = Maker("token removed")
    maker.evidence()
    maker.close()
    maker.stamp()
    maker.evidence()
    maker.close()
    os.remove(f"{maker.bag(1)}/{TOKEN}")
    yield "token-removed", "the token that bag 2 names is gone", maker, {"moment": 1_796_000_000}, ["bag 2 chain"], None
    for path in (SIGNATURE, TAGMANIFEST, "bag-info.txt", "manifest-sha256.txt", "bagit.txt"):
        maker, *_ = two_bags("missing file", stamped=False)
        os.remove(f"{maker.bag(1)}/{path}")
        yield f"missing-{os.path.basename(path)}", f"{path} is missing", maker, {"moment": 1_796_000_000}, ["bag 1 structure"], None
    maker = Maker("more, wrong")
    maker.evidence()
    maker.close()
    maker.put(f"{maker.bag()}/signatures/more/.secret", b"")
    yield "more-name", "a name in more/ that no file may have", maker, {"moment": 1_796_000_000}, ["bag 1 structure"], ["archive signer", "bag 1 time"]
    maker = Maker("more, too many")
    maker.evidence()
    maker.close()
    for number in range(17):
        maker.put(f"{maker.bag()}/signatures/more/{number:02d}", b"x")
    yield "more-too-many", "seventeen files in more/", maker, {"moment": 1_796_000_000}, ["bag 1 structure"], ["archive signer", "bag 1 time"]


def descriptions() -> Iterator[Case]:
    """archive.txt, wrong in each way. Nothing else is looked at then."""
    wrong: dict[str, Callable[[list[str]], list[str]]] = {
        "no-signer": lambda lines: lines[:4],
        "five-signers": lambda lines: [*lines[:4], *(f"signer {number:064x}" for number in range(5))],
        "signer-twice": lambda lines: [*lines, lines[4]],
        "signers-out-of-order": lambda lines: [*lines, f"signer {0:064x}"],
        "signer-not-hexadecimal": lambda lines: [*lines[:4], f"signer {'A' * 64}"],
        "signer-first": lambda lines: [*lines[:3], lines[4], lines[3]],
        "continues-itself": lambda lines: [*lines, f"continues evidence-head 1 example.com/vectors 1 {'0' * 64} {'0' * 64} -"],
        "continues-twice": lambda lines: [*lines, *[f"continues evidence-head 1 example.com/old 1 {'0' * 64} {'0' * 64} -"] * 2],
        "continues-nothing": lambda lines: [*lines, "continues evidence-head 1 example.com/old 1 - - -"],
        "too-long": lambda lines: [*lines, "x" * 2_048],
        "newer": lambda lines: ["evidence-archive 2", "whatever a newer version says"],
    }
    for name, change in wrong.items():
        maker = Maker("descriptions")
        text = archive.contents(f"{maker.path}/archive.txt").decode().splitlines()
        maker.put("archive.txt", "".join(f"{line}\n" for line in change(text)).encode())
        found = ([], ["archive format"]) if name == "newer" else (["archive structure"], [])
        yield f"archive-txt-{name}", f"archive.txt: {name}", maker, {}, *found


def statements() -> Iterator[Case]:
    maker = Maker("grammar")
    good, other = f"{1:032x}", f"{2:032x}"
    report, result = (f"part {name} 1 {0:064x}" for name in ("report.json", "result.json"))
    note = f"part note.txt 1 {0:064x}"
    wrong = {
        "nothing after the time": [],
        "adds without parts": [f"adds {good}"],
        "two lines": [report, result, f"adds {good}", f"adds {other}"],
        "two kinds": [f"holds {good}", f"exports {good}"],
        "a part after the kind": [f"exports {good}", note],
        "an unknown kind": [f"destroys {good}"],
        "no record": ["erases 1"],
        "opens twice": [f"opens {good}", f"opens {good}"],
        "opens out of order": [f"opens {other}", f"opens {good}"],
        "opens too many": [f"opens {number:032x}" for number in range(129)],
        "keeps without a day": [f"keeps {good}"],
        "keeps a day that is none": [f"keeps {good} 2026-02-29"],
        "keeps the facts": [f"keeps {good} facts 2026-02-28"],
        "keeps a moment": [f"keeps {good} 2026-02-28T00:00:00.000Z"],
        "until twice": [report, result, "until 2027-01-01", "until 2027-01-02"],
        "until out of order": [report, result, "face-until 2027-01-01", "until 2027-01-01"],
        "until of an act": [f"holds {good}", "until 2027-01-01"],
        "until no day": [report, result, "until 2027-13-01"],
        "signs nothing": ["signs"],
        "signs five": ["signs " + " ".join(f"{number:064x}" for number in range(5))],
        "signs twice": [f"signs {1:064x} {1:064x}"],
        "signs out of order": [f"signs {2:064x} {1:064x}"],
        "rotates two": [f"rotates {1:064x} {2:064x}"],
        "65 parts": [*(f"part p{number:02d} 1 {0:064x}" for number in range(65))],
        "evidence without a report": [result],
        "evidence of a report alone": [report],
        "evidence with a note": [note, report, result],
        "evidence with an unknown part": [f"part attached-17 1 {0:064x}", report, result],
        "evidence with attached-00": [f"part attached-00 1 {0:064x}", report, result],
        "an addition with a report": [report, f"adds {good}"],
        "a hold with a video": [f"part video.mp4 1 {0:064x}", f"holds {good}"],
        "an erasure with an outline": [f"part outline.json 1 {0:064x}", f"erases {good}"],
        "a line too long": [f"exports {good}" + "0" * 16_384],
    }
    records = []
    for lines_ in wrong.values():
        names = [line.split(" ")[1] for line in lines_ if line.startswith("part ")]
        records.append(maker.plant(lines_, {f"{name}.sealed": b"x" * 73 for name in names}))
    maker.evidence()
    maker.close()
    yield ("statements-grammar", "; ".join(wrong), maker, {"moment": 1_796_000_000}, [f"record {record} statement" for record in records], None)

    maker = Maker("grammar of one")
    maker.evidence()
    record = maker.plant([f"destroys {good}"])
    maker.close()
    yield ("statements-unknown-kind", "a signed statement that breaks the grammar: it says nothing, and nothing else is in doubt", maker,
           {"moment": 1_796_000_000}, [f"record {record} statement"], ["archive signer", "bag 1 time"])

    # Every kind against every state of what it names.
    maker = Maker("rules")
    evidence, erased, reduced, faceless = (maker.evidence() for _ in range(3)), None, None, None
    evidence, erased, reduced = evidence
    faceless = maker.add("", **{"report.json": REPORT, "outline.json": b"{}"})
    addition = maker.add(f"adds {evidence}", **{"attached-01": b"x"})
    hold = maker.add(f"holds {evidence}", **{"note.txt": b"x"})
    bare = maker.add(f"holds {evidence}")
    maker.close()
    maker.erase(erased)
    maker.reduce(reduced)
    maker.close()
    fails = []
    for line in (f"adds {addition}", f"adds {hold}", f"adds {erased}"):
        fails.append(maker.add(line, **{"attached-01": b"x"}))
    fails.append(maker.add(f"adds {reduced}", **{"face-01": b"x"}))
    maker.add(f"adds {reduced}", **{"attached-01": b"x"})
    unknown = f"{9:032x}"
    for line in (
            f"erases {bare}", f"erases {unknown}", f"reduces {faceless}", f"reduces {addition}", f"reduces {erased}", f"reduces {unknown}",
            f"reduces {hold}", f"exports {unknown}", f"opens {bare}", f"opens {unknown}", f"holds {addition}", f"holds {hold}",
            f"holds {erased}", f"holds {unknown}", f"releases {evidence}", f"releases {unknown}", f"keeps {addition} 2030-01-01",
            f"keeps {hold} face 2030-01-01", f"keeps {unknown} 2030-01-01", f"rotates {archive.key_id(archive_key(ARCHIVE_KEY))}"):
        fails.append(maker.plant([line]))
    for line in ("erases SELF", "holds SELF", "opens SELF", "releases SELF", "keeps SELF 2030-01-01", "exports SELF", "reduces SELF"):
        fails.append(maker.plant([line]))
    # What is allowed, beside it.
    for line in (f"exports {erased}", f"keeps {hold} 2030-01-01", f"keeps {bare} 2030-01-01", f"reduces {reduced}", f"exports {bare}",
                 f"releases {hold}", f"opens {erased}"):
        maker.plant([line])
    maker.close()
    yield "statements-rules", "every kind against what it may not name", maker, {"moment": 1_796_000_000, "key": ARCHIVE_KEY}, [
        f"record {record} statement" for record in fails], ["archive signer", "bag 1 time", "bag 2 time", "bag 3 time"]

    maker = Maker("circles")
    names = [maker.source.random(16).hex() for _ in range(5)]
    for record, other in zip(names, [names[1], names[0], names[3], names[4], names[2]]):
        kind = "keeps" if record == names[4] else "opens"
        text = [f"part note.txt 1 {0:064x}", f"{kind} {other}" + (" 2030-01-01" if kind == "keeps" else "")]
        maker.put(f"incoming/data/{record}/statement", "".join(f"{line}\n" for line in (
            "evidence-statement 1", f"record {record}", f"time {moment(0)}", *text)).encode())
        maker.put(f"incoming/data/{record}/note.txt.sealed", b"x" * 73)
        maker.put(maker.key_path(record), archive.key_file({"facts": bytes.fromhex(record) * 24}))
    maker.evidence()
    maker.close()
    yield "statements-circles", "two records that open each other, and three in a circle", maker, {"moment": 1_796_000_000}, [
        f"record {record} statement" for record in names], ["archive signer", "bag 1 time"]

    maker = Maker("two of a kind")
    maker.evidence()
    two = [maker.add(f"signs {SECOND.key.key_id}"), maker.add(f"signs {SIGNER.key.key_id}"),
           maker.add(f"rotates {1:064x}"), maker.add(f"rotates {2:064x}")]
    maker.close()
    yield "statements-two", "two sets of signers, and two archive keys, in one bag", maker, {"moment": 1_796_000_000}, [
        f"record {record} statement" for record in two], ["archive signer", "bag 1 time"]

    maker = Maker("missing bag")
    maker.evidence()
    maker.close()
    gone = maker.evidence()
    maker.close()
    hold = maker.add(f"holds {gone}")
    nothing = maker.add(f"holds {first_record(maker)}")
    maker.close()
    maker.stamp()
    shutil.rmtree(maker.bag(2))
    yield "statements-missing-bag", "what a record names may be in the bag that is missing", maker, {"moment": 1_796_000_000}, ["archive structure"], None


    maker = Maker("rotation after a gap")
    maker.evidence()
    maker.close()
    maker.evidence()
    maker.close()
    rotation = maker.add(f"rotates {archive.key_id(archive_key(NEXT_KEY))}")
    rotate(maker)
    maker.close()
    maker.stamp()
    shutil.rmtree(maker.bag(2))
    yield ("statements-rotation-after-gap", "a rotation: the bag that is missing may name another key", maker, {}, ["archive structure"],
           ["archive keys", "archive signer", "bag 1 time", "bag 3 anchor", "bag 3 chain", "bag 3 signer", f"record {rotation} statement"])


def retention() -> Iterator[Case]:
    maker = Maker("held")
    first, second, third, dated = maker.evidence(), maker.evidence(), maker.evidence(), maker.evidence("until 2036-01-01")
    faced = maker.evidence(["until 2036-01-01", "face-until 2026-11-22"])
    hold, other = maker.add(f"holds {first}"), maker.add(f"holds {second}")
    maker.close()
    maker.stamp()
    notes = [maker.erase(first), maker.erase(dated)]
    maker.add(f"holds {third}")
    notes.append(maker.erase(third))  # held and erased in one bag
    maker.add(f"releases {other}")
    maker.erase(second)  # released in the same bag
    maker.reduce(faced)
    maker.close()
    maker.stamp()
    notes.append(maker.add(f"releases {other}"))
    maker.close()
    maker.stamp()
    yield ("retention", "erased while held, before its day, in one bag with a hold; released twice", maker, {"key": ARCHIVE_KEY}, [],
           ["archive signer", *(f"record {record} retention" for record in notes)])
    maker = Maker("held, uncovered")
    first, second = maker.evidence("until 2020-01-01"), maker.evidence()
    hold = maker.add(f"holds {second}")
    maker.close()
    maker.stamp()
    maker.add(f"releases {hold}")
    maker.add(f"keeps {first} 2030-01-01")
    maker.close()
    notes = [maker.erase(second), maker.erase(first)]
    maker.close()
    yield ("retention-uncovered", "a release that no token covers does not count; a later day does", maker, {"moment": 1_796_000_000}, [],
           ["archive signer", "bag 2 time", "bag 3 time", *(f"record {record} retention" for record in notes)])


def keys() -> Iterator[Case]:
    def case(name: str, comment: str, change: Callable[[Maker, str, str, str], None], state: str = "fails", finding: str = "archive keys",
             **options: Any) -> Case:
        maker = Maker(f"keys {name}")
        first, reduced, erased = maker.evidence(), maker.evidence(), maker.evidence()
        kept = [archive.contents(maker.key_path(record)) for record in (reduced, erased)]
        maker.close()
        maker.kept = kept  # type: ignore[attr-defined]
        maker.reduce(reduced)
        maker.erase(erased)
        maker.close()
        change(maker, first, reduced, erased)
        finding = finding.replace("FIRST", first)
        return (f"keys-{name}", comment, maker, {"moment": 1_796_000_000, "key": ARCHIVE_KEY, **options},
                [finding] if state == "fails" else [],
                ["archive signer", "bag 1 time", "bag 2 time"] + ([finding] if state == "unchecked" else []))

    def cut(maker: Maker, record: str) -> None:
        data = archive.contents(maker.key_path(record))
        maker.put(maker.key_path(record), data[: data.find(b"\n") + 1])

    def lines_of(maker: Maker, record: str) -> list[bytes]:
        return archive.contents(maker.key_path(record)).splitlines(True)

    yield case("face-missing", "the line of a face is gone, and no record says why", lambda maker, first, *_: cut(maker, first))
    yield case("missing", "a key is gone, and no record says why", lambda maker, first, *_: os.remove(maker.key_path(first)))
    yield case("face-restored", "the line of a face that was reduced is back", lambda maker, first, reduced, _:
               maker.put(maker.key_path(reduced), maker.kept[0]))  # type: ignore[attr-defined]
    yield case("restored", "the key of an erased record is back", lambda maker, first, reduced, erased:
               maker.put(maker.key_path(erased), maker.kept[1]))  # type: ignore[attr-defined]
    yield case("lines-out-of-order", "the lines of a key are in the wrong order", lambda maker, first, *_:
               maker.put(maker.key_path(first), b"".join(reversed(lines_of(maker, first)))))
    yield case("line-twice", "a line of a key is there twice", lambda maker, first, *_:
               maker.put(maker.key_path(first), lines_of(maker, first)[0] * 2))
    yield case("zeros", "the line of a face is zeros, and no reduction was begun", lambda maker, first, *_:
               maker.put(maker.key_path(first), lines_of(maker, first)[0] + bytes(518)))
    yield case("begun", "a reduction was begun: zeros in place of the line", lambda maker, first, *_: (
        maker.put(maker.key_path(first), lines_of(maker, first)[0] + bytes(518)), maker.put(f"tmp/reduce-{first}", b"")) and None, "unchecked")
    yield case("other-record", "the keys of another record, which has none any more", lambda maker, first, *_:
               maker.put(maker.key_path(first), maker.kept[1]), finding="record FIRST parts")  # type: ignore[attr-defined]
    yield case("swapped", "the key of the face in place of the other", lambda maker, first, *_: maker.put(
        maker.key_path(first), b"facts " + lines_of(maker, first)[1][5:] + b"face " + lines_of(maker, first)[0][6:]), finding="record FIRST parts")
    yield case("unknown", "a key of no record", lambda maker, *_: maker.put(maker.key_path(f"{9:032x}"), b"facts eA==\n"))
    maker = Maker("short key", key="rsa2048.pem")
    maker.evidence()
    maker.close()
    yield "keys-short", "S6: an archive key of 2048 bits", maker, {"moment": 1_796_000_000}, ["archive keys"], ["archive signer", "bag 1 time"]
    for name, info in (("ec", Key("ec-p256.pem").spki), ("unknown", der.sequence(der.sequence(oid("1.3.6.1.4.1.99999.1")), b"\x03\x02\x00\x01"))):
        maker, first, other = two_bags(f"{name} key", stamped=False)
        maker.add(f"rotates {archive.sha256(info)}")
        for path in [path for path in archive.files_under(f"{maker.path}/keys") if path != "current.pem"]:
            os.remove(f"{maker.path}/keys/{path}")
            maker.put(f"keys/{archive.sha256(info)}/{path.split('/', 1)[1]}", b"what a newer version writes\n")
        maker.put("keys/current.pem", b"-----BEGIN PUBLIC KEY-----\n" + base64.encodebytes(info) + b"-----END PUBLIC KEY-----\n")
        maker.close()
        yield (f"keys-algorithm-{name}", "an archive key of an algorithm that this version does not know", maker, {"moment": 1_796_000_000, "key": ARCHIVE_KEY}, [],
               ["archive keys", "archive signer", "bag 1 time", "bag 2 time", "bag 3 time", f"record {first} parts", f"record {other} parts"])
    maker = Maker("replayed from")
    record = maker.evidence()
    key, statement = archive.contents(maker.key_path(record)), {
        path: archive.contents(f"{maker.path}/incoming/data/{record}/{path}") for path in archive.names_in(f"{maker.path}/incoming/data/{record}")}
    shutil.rmtree(maker.folder)
    maker = Maker("replayed to", origin="example.com/elsewhere")
    for path, data in statement.items():
        maker.put(f"incoming/data/{record}/{path}", data)
    maker.put(maker.key_path(record), key)
    maker.close()
    yield ("keys-other-archive", "a record with its key, from another archive under the same archive key", maker,
           {"moment": 1_796_000_000, "key": ARCHIVE_KEY}, [f"record {record} parts"], ["archive signer", "bag 1 time"])
    maker = Maker("outline")
    record = maker.evidence(**{"outline.json": b"{}"})
    other = maker.evidence(**{"about.json": b'{"user": "u"}'})
    maker.close()
    checked = {"report.json": b'{"schema":"evidence-report-1","order":"ord1","verdict":"holds"}\n',
               "result.json": b'{"isSuccess":true,"orderNo":"ord1","sign":"","liveRate":"99","similarity":"98"}\n'}
    refused = {"report.json": b'{"schema":"evidence-report-1","order":"ord1","verdict":"fails"}\n'}

    def answer(code: str = "0", order: str = "ord1", rate: str = "99.0") -> dict[str, bytes]:
        text = f'{{"code":"{code}","msg":"m","result":{{"orderNo":"{order}","liveRate":"{rate}","similarity":"98"}}}}\n'.encode()
        return {"answer.json": text}

    answers = Maker("answers")
    fails = [answers.evidence(**checked, **one) for one in (answer("66660004"), answer(order="ord2"), answer(rate="98.9"))]
    results = [answers.evidence(**checked) for _ in range(8)]  # some before what is added to them, by their names, some after
    answers.evidence(**checked, **answer())
    answers.evidence(**checked, **answer("66660011"))
    answers.evidence(**{**checked, **refused, **answer("66660004")})
    fails += [answers.add(f"adds {one}", **answer("66660023")) for one in results]
    answers.add(f"adds {results[0]}", **answer())
    answers.close()
    fails.append(answers.add(f"adds {results[0]}", **answer(order="ord2")))
    answers.close()
    yield ("parts-answer", "answers of the vendor's that contradict the archived results, and others that do not", answers,
           {"moment": 1_796_000_000, "key": ARCHIVE_KEY}, [f"record {one} parts" for one in fails], ["archive signer", "bag 1 time", "bag 2 time"])
    yield ("parts-answer-without-key", "the same without the archive's private key", None, {"archive": "parts-answer", "moment": 1_796_000_000},
           [], ["archive signer", "bag 1 time", "bag 2 time"])
    yield ("parts-outline", "an outline of another document; an about.json that is not canonical", maker, {"moment": 1_796_000_000, "key": ARCHIVE_KEY},
           [f"record {record} parts", f"record {other} parts"], ["archive signer", "bag 1 time"])


def strays() -> Iterator[Case]:
    """What desktops and editors put into folders changes nothing; other names fail."""
    maker = Maker("strays")
    record = maker.evidence()
    maker.close()
    bag = "bags/000000001"
    for path in (".DS_Store", "bags/.DS_Store", f"{bag}/._bagit.txt", f"{bag}/bagit.txt~", f"{bag}/data/Thumbs.db", f"{bag}/data/{record}/.DS_Store",
                 f"{bag}/signatures/.DS_Store", f"{bag}/@eaDir/x", "keys/.DS_Store", "incoming/.DS_Store", "incoming/data/.DS_Store"):
        maker.put(path, b"x")
    yield ("system-files", "files that other programs put there, by their names", maker, {"moment": 1_796_000_000}, [],
           ["archive signer", "archive structure", "bag 1 structure", "bag 1 time"])

    maker = Maker("copied folders")
    record = maker.evidence()
    maker.close()
    waiting = maker.evidence()
    for path in (f"{bag} copy", f"{bag}.sync-conflict-20261128-100000-ABCDEFG", "bags/Copy of 000000001", f"{bag}/data/{record} (1)",
                 f"{bag}/data/{record}副本", f"incoming/data/{waiting} (conflicted copy 2026-11-28)"):
        maker.put(f"{path}/statement", b"x")
    yield ("copied-folders", "copies of folders beside what they are copies of", maker, {"moment": 1_796_000_000}, [],
           ["archive signer", "archive structure", "archive waiting", "bag 1 structure", "bag 1 time"])
    maker = Maker("renamed folders")
    maker.evidence()
    maker.close()
    for path in ("bags/Copy of 000000002", f"incoming/data/{9:032x} - Copy"):
        maker.put(f"{path}/statement", b"x")
    yield ("renamed-folders", "copies of folders that are not there", maker, {"moment": 1_796_000_000}, ["archive structure", "archive waiting"], None)

    for name in ("file", "folder"):
        maker = Maker(f"copied to a {name}")
        record = maker.evidence()
        maker.close()
        maker.put(f"{maker.key_path(record)}.bak" if name == "file" else "keys/.snapshot/x", archive.contents(maker.key_path(record)))
        yield f"copied-key-system-{name}", f"a copy of a key in a {name} of another program", maker, {"moment": 1_796_000_000}, ["archive keys"], None

    maker = Maker("one key")
    record, other = maker.evidence(), maker.evidence()
    maker.close()
    maker.put(maker.key_path(other), archive.contents(maker.key_path(record)))
    yield "copied-key-other-record", "the key of a record in the place of another one's", maker, {"moment": 1_796_000_000}, ["archive keys"], None

    maker = Maker("copies")
    maker.evidence()
    maker.close()
    maker.put("bags/000000001/evil.DS_Store", b"x")
    yield "another-name", "a name that no other program gives", maker, {"moment": 1_796_000_000}, ["bag 1 structure"], None


def cases() -> Iterator[Case]:
    for group in (good, reviewed, lines, descriptions, statements, retention, keys, strays):
        yield from group()


def certificates() -> dict[str, bytes]:
    return {"ca.pem": CA.pem(), "time-ca.pem": TSA_CA.pem(), "old-time-ca.pem": OLD_CA.pem()}


def vectors() -> tuple[dict[str, Any], dict[str, bytes]]:
    """The index, and the files of all archives by CASE/PATH."""
    files = {f"certificates/{name}": data for name, data in certificates().items()}
    tests = []
    for name, comment, maker, options, fails, unchecked in cases():
        if maker:
            files |= {f"{name}/{path}": data for path, data in maker.files().items()}
        tests.append({"name": name, "comment": comment, **options, "fails": sorted(fails),
                      **({"unchecked": sorted(unchecked)} if unchecked is not None else {})})
    return {
        "source": "docs/ARCHIVE.md",
        "note": "Each archive is in cases.ndjson under its name, or under that of `archive`. `fails`: the findings that fail, each by what it is about and its name, "
                "and no others; `unchecked`: the findings that are unchecked, where it is said.",
        "tests": tests,
    }, files



def documents() -> Iterator[tuple[str, bytes]]:
    long, limit = "x" * 1025, "x" * 1024
    yield "nothing to replace", b'{"a":"b","c":[1,true,null,"d"]}'
    yield "white space and escapes stay as they are", b'\t{ "a" : "\\u0041\\/" ,\r\n "n":1.50e+3}\n'
    yield "a string of 1,024 bytes, and one of 1,025", f'{{"a":"{limit}","b":"{long}"}}'.encode()
    yield "length and digest are of the value, not of what is written", b'{"a":"' + b"\\u0041" * 200 + b'","b":"' + b"\\u00e9" * 513 + b'"}'
    yield "a surrogate pair is four bytes", b'{"a":"' + b"\\ud83d\\ude00" * 256 + b'","b":"' + b"\\ud83d\\ude00" * 257 + b'"}'
    yield "media of any length", b'{"userImageString":"","userVideoString":"QQ==","identifyStr":"x"}'
    yield "media at any depth, and their names written otherwise", b'{"a":[{"user\\u0049mageString":"QQ=="}]}'
    yield "what is no string stays", b'{"userImageString":null,"userVideoString":["QQ==",{"a":"b"}],"identifyStr":{"b":1}}'
    yield "another name stays another", b'{"userimagestring":"QQ==","userImageStrings":"QQ=="}'
    yield "a device's signature of any length", f'{{"deviceSignature":"{long}","a":{{"deviceSignature":"{long}"}}}}'.encode()
    yield "strings inside a device's signature that is none", f'{{"deviceSignature":["{long}"],"userImageString":{{"deviceSignature":"x"}}}}'.encode()
    yield "a long string in a list", f'{{"a":["b","{long}",["{long}"]]}}'.encode()
    yield "a member that looks like what replaces", b'{"a":{"byteCount":1,"sha256":"00"}}'
    yield "names that look like punctuation", b'{"{\\"[,:]}":"a,b]}","":""}'
    yield "a list of 64 values", b'{"a":[' + b",".join([b"1"] * 64) + b"]}"
    yield "a list of 65 values", b'{"a":[' + b",".join([b"1"] * 65) + b"]}"
    yield "lists of 64 values in one of 64", b'{"a":[' + b",".join([b"[" + b",".join([b"[]"] * 64) + b"]"] * 64) + b"]}"
    yield "an object of 65 members", b"{" + b",".join(b'"%d":1' % number for number in range(65)) + b"}"
    yield "a name of 1,025 bytes", f'{{"{long}":1}}'.encode()
    yield "an outline of 65,536 bytes", b'{"a":1}'.ljust(65_536)
    yield "an outline of 65,537 bytes", b'{"a":1}'.ljust(65_537)
    yield "a short outline of a long document", b'{"userVideoString":"' + b"QUJD" * 20_000 + b'"}'
    yield "not JSON", b'{"a":1,}'
    yield "no object", b'["a"]'
    yield "a number, which ends with the document", b"12"
    yield "a name twice", b'{"a":1,"a":2}'
    yield "a lone surrogate", b'{"a":"\\ud800"}'
    yield "not UTF-8", b'{"a":"\xff"}'
    yield "something after it", b'{"a":1}{}'
    yield "nothing", b""


def pieces(data: bytes) -> list[list[Any]]:
    """Long repetitions written shortly: each piece in base64, and how often it stands there."""
    found, start = [], 0
    for run in re.finditer(rb"(?s)(.{1,16}?)\1{63,}", data):
        if run.start() > start:
            found.append([data[start : run.start()], 1])
        found.append([run[1], len(run[0]) // len(run[1])])
        start = run.end()
    if data[start:] or not data:
        found.append([data[start:], 1])
    assert b"".join(piece * count for piece, count in found) == data
    return [[base64.b64encode(piece).decode(), count] for piece, count in found]


def outlines() -> dict[str, Any]:
    tests = []
    for comment, document in documents():
        found = outline(document)
        tests.append({"comment": comment, "document": pieces(document), "outline": None if found is None else pieces(found)})
    return {"source": "docs/ARCHIVE.md §1.2", "tests": tests,
            "note": "Document and outline in pieces, each in base64 and how often it stands there; `null` where there is no outline."}
