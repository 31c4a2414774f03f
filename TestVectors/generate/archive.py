# SPDX-License-Identifier: Apache-2.0
"""The archive's format 1, written from docs/ARCHIVE.md alone: writes one, verifies one, reads a proof pack.

    archive.py write ARCHIVE --key PUBLIC --signer KEY --certificate CERT PART=FILE…     one bag of one record
    archive.py read ARCHIVE [--key PRIVATE] [--signer-ca CA] [--tsa-ca CA]               says what it holds, or why not
    archive.py verify ARCHIVE [--key PRIVATE] [--signer-ca CA] [--tsa-ca CA] [--signer KEYID]
    archive.py pack PACK --signer-ca CA [--tsa-ca CA]                                    verifies a proof pack
"""

from __future__ import annotations

import argparse
import base64
import binascii
import datetime
import decimal
import hashlib
import os
import re
import stat
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional, Union

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

import answer_vectors
import archive_rules as rules
import cms
import evidence_v1
from archive_outline import outline, read_about
from archive_rules import FACE_PARTS, Statement, read_statement
from archive_text import (HEX32, HEX64, LABEL, MOMENT, NUMBER, PART, Newer, Refused, lines_of, made_by, need, sha256)
from evidence_v2 import open_field, seal_field

OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
TAG_FILES = ["bag-info.txt", "bagit.txt", "manifest-sha256.txt"]
TAGMANIFEST = "tagmanifest-sha256.txt"
SIGNATURE = f"signatures/{TAGMANIFEST}.p7s"
TOKEN = f"{SIGNATURE}.tsr"
BAGIT = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
FORMAT, ORIGIN, BAG, CLOSED, PREVIOUS, SKIP, ANCHOR, PREVIOUS_TOKEN = (
    f"Evidence-Archive-{name}" for name in (
        "Format", "Origin", "Bag", "Closed", "Previous-SHA256", "Skip-SHA256", "Previous-Signatures-SHA256", "Previous-Token"))
LABELS = ["Bag-Software-Agent", "Bagging-Date", "Payload-Oxum", FORMAT, ORIGIN, BAG, CLOSED, PREVIOUS, SKIP, ANCHOR, PREVIOUS_TOKEN]
RECORDS, MORE_FILES, MORE_BYTES = 16_384, 16, 1 << 20
HEAD = f"evidence-head 1 ([A-Za-z0-9._/:-]{{1,255}}) ([1-9][0-9]{{0,8}}) ({HEX64}) ({HEX64}) ([0-9A-F]{{1,64}}|-)"


# --- Files -----------------------------------------------------------------------------------------------------------


def contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def make_folder(path: str) -> None:
    """Makes a folder, and those above it, where they are missing: mode 0700 whatever the umask."""
    if path and not os.path.isdir(path):
        make_folder(os.path.dirname(path))
        os.mkdir(path)
        os.chmod(path, 0o700)


def store(path: str, data: bytes) -> None:
    make_folder(os.path.dirname(path))
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(data)


RECORD_FILE = f"statement|{PART}\\.sealed"


def is_stray(folder: str, name: str) -> bool:
    """Whether another program put it there, by its name. A copy of a folder may be the only one, if that is gone."""
    if made_by(name) is None or os.path.islink(f"{folder}/{name}"):
        return False
    copied = re.match("(?i:copy of )?((?:(?!0{9})[0-9]{9}|[0-9a-f]{32})[0-9a-f]*)", name)
    return not copied or not os.path.isdir(f"{folder}/{name}") or os.path.isdir(f"{folder}/{copied[1]}")


def names_in(path: str) -> list[str]:
    """The names in a folder, which has regular files and folders alone."""
    names = sorted(os.listdir(path))
    for name in names:
        mode = os.lstat(f"{path}/{name}").st_mode
        need(stat.S_ISREG(mode) or stat.S_ISDIR(mode), f"{path}/{name} is neither a file nor a folder")
    return names


def files_under(folder: str, prefix: str = "") -> Iterator[str]:
    """The paths of the files in a folder, in the order of their bytes."""
    found = []
    for name in names_in(folder):
        found += list(files_under(f"{folder}/{name}", f"{prefix}{name}/")) if os.path.isdir(f"{folder}/{name}") else [prefix + name]
    yield from sorted(found)


def check_modes(path: str) -> None:
    for folder, _, names in os.walk(path):
        need(stat.S_IMODE(os.lstat(folder).st_mode) == 0o700, f"{folder} has another mode than 0700")
        for name in names:
            need(stat.S_IMODE(os.lstat(f"{folder}/{name}").st_mode) == 0o600, f"{folder}/{name} has another mode than 0600")


def seconds_of(moment: str) -> decimal.Decimal:
    read = datetime.datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    return decimal.Decimal(int(read.timestamp())) + decimal.Decimal(moment[20:23]) / 1000


def day_of(seconds: decimal.Decimal) -> str:
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%d")


# --- Keys and parts --------------------------------------------------------------------------------------------------


def key_id(key: Any) -> str:
    return sha256(key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo))


def which(part: str) -> str:
    return "face" if part in FACE_PARTS else "facts"


def derived(key: bytes, what: str, part: str) -> bytes:
    return HKDFExpand(hashes.SHA512(), 32, LABEL + f"/{what}/{part}".encode()).derive(key)


def context(record: str, part: str) -> bytes:
    return LABEL + f"\n{record}\n{part}\n".encode()


def sealed_size(size: int) -> int:
    return 56 + size + 16 * (size // 16_384 + 1)


def wrapped_plaintext(key: bytes, archive_id: str, record: str, name: str) -> bytes:
    return LABEL + f"\n{archive_id}\n{record}\n{name}\n".encode() + key


def wrap(key: bytes, archive_id: str, record: str, name: str, public_key: rsa.RSAPublicKey) -> bytes:
    return public_key.encrypt(wrapped_plaintext(key, archive_id, record, name), OAEP)


def unwrap(wrapped: bytes, archive_id: str, record: str, name: str, private_key: rsa.RSAPrivateKey) -> bytes:
    try:
        message = private_key.decrypt(wrapped, OAEP)
    except ValueError:
        raise Refused(f"the key of {record} does not open") from None
    need(message[:-32] == wrapped_plaintext(b"", archive_id, record, name), f"the key of {record} is another one's")
    return message[-32:]


def key_file(keys: dict[str, bytes]) -> bytes:
    return b"".join(f"{name} ".encode() + base64.b64encode(keys[name]) + b"\n" for name in ("facts", "face") if name in keys)


def read_key_file(data: bytes, record: str, is_cut: bool = False) -> dict[str, bytes]:
    """The wrapped keys by their names. Where a reduction was begun, what follows the first line counts as gone."""
    if is_cut:
        data = data[: data.find(b"\n") + 1]
    lines = lines_of(data, f"the key of {record}", 8_192)
    need([line.split(" ")[0] for line in lines] in (["facts"], ["facts", "face"]), f"the key of {record}: other lines than it has")
    try:
        keys = {line.split(" ")[0]: base64.b64decode(line.split(" ", 1)[1].encode(), validate=True) for line in lines}
    except (binascii.Error, IndexError):
        raise Refused(f"the key of {record} is not base64") from None
    need(key_file(keys) == data and all(keys.values()), f"the key of {record} is not base64 as it must be")
    return keys


def key_values(data: bytes) -> set[bytes]:
    """The wrapped keys in whatever bytes: what a copy of a key file has, whatever it is called."""
    lines = [line.split() for line in re.split(rb"[\r\n]", data)]
    return {line[1] for line in lines if len(line) == 2 and line[0] in (b"facts", b"face") and len(line[1]) >= 344}


def archive_id(archive: str) -> str:
    return sha256(contents(f"{archive}/archive.txt"))


# --- archive.txt and bags --------------------------------------------------------------------------------------------


@dataclass
class Head:
    origin: str
    bag: int
    sha256: str
    p7s: str
    serial: str


def read_head(line: str) -> Head:
    found = re.fullmatch(HEAD, line)
    need(found, "the head line is not as it must be")
    assert found
    return Head(found[1], int(found[2]), found[3], found[4], found[5])


@dataclass
class Description:
    origin: str
    created: str
    key: str
    signers: list[str]
    continues: Optional[Head]


def read_description(data: bytes) -> Description:
    lines = lines_of(data, "archive.txt", 2_048)
    if (newer := re.fullmatch(f"evidence-archive ({NUMBER})", lines[0])) and int(newer[1]) > 1:
        raise Newer("archive.txt was written by a newer version")
    forms = ["evidence-archive 1", "origin ([A-Za-z0-9._/:-]{1,255})", f"created {MOMENT}", f"key {HEX64}"]
    need(len(lines) >= 4 and all(map(re.fullmatch, forms, lines)), "archive.txt is not as the page has it")
    seconds_of(lines[2].split(" ")[1])
    rest = lines[4:]
    signers = []
    while rest and re.fullmatch(f"signer {HEX64}", rest[0]):
        signers.append(rest.pop(0).split(" ")[1])
    need(signers or rest, "archive.txt has no signer: it was made before 1.0")
    need(1 <= len(signers) <= 4 and signers == sorted(set(signers)), "archive.txt: its signers")
    continues = None
    if rest and rest[0].startswith("continues "):
        continues = read_head(rest.pop(0)[len("continues "):])
        need(continues.origin != lines[1].split(" ")[1], "archive.txt continues itself")
    need(not rest, "archive.txt has a line too many")
    return Description(lines[1].split(" ")[1], lines[2].split(" ")[1], lines[3].split(" ")[1], signers, continues)


def current_key(pem: bytes) -> tuple[str, Optional[rsa.RSAPublicKey]]:
    """The name of an archive's key, and the key if it is RSA."""
    body = re.fullmatch(b"-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=\n]+)-----END PUBLIC KEY-----\n", pem)
    need(body, "current.pem is no public key")
    assert body
    info = base64.b64decode(body[1])
    if cms.whole(info)[0].children()[0].oid() != cms.RSA:
        return sha256(info), None
    key = serialization.load_der_public_key(info)
    assert isinstance(key, rsa.RSAPublicKey)
    return sha256(info), key


def description(archive: str) -> Description:
    return read_description(contents(f"{archive}/archive.txt"))


def skipped(number: int) -> Optional[int]:
    """The bag that a bag names beside the previous one."""
    rest, last = number, 0
    while rest:
        last = (1 << ((rest + 1).bit_length() - 1)) - 1
        rest -= last
    return number - last if 1 < last < number else None


def manifest(files: dict[str, bytes]) -> bytes:
    return "".join(f"{sha256(content)}  {path}\n" for path, content in sorted(files.items())).encode()


def read_manifest(data: bytes, what: str) -> dict[str, str]:
    digests: dict[str, str] = {}
    last = ""
    for line in lines_of(data, what, 64 << 20):
        found = re.fullmatch(f"({HEX64})  (\\S+)", line)
        need(found and found[2] > last, f"{what}: a line is not as it must be, or out of order")
        assert found
        last = found[2]
        digests[found[2]] = found[1]
    return digests


def anchor(bag: str) -> str:
    """What the next bag says of a bag's signatures."""
    # What other programs put there by names that no file of a bag has.
    paths = [f"signatures/{path}" for path in files_under(f"{bag}/signatures")
             if re.fullmatch(f"more/{PART}", path) or not any(made_by(name) for name in path.split("/"))]
    return sha256(b"".join(f"{sha256(contents(f'{bag}/{path}'))}  {path}\n".encode() for path in paths if path != TOKEN))


@dataclass
class Info:
    """What bag-info.txt says; of a newer format, what every format has."""

    format: int
    values: dict[str, str]
    number: int
    previous: str
    skip: Optional[tuple[int, str]] = None
    anchor: Optional[str] = None
    token: Optional[tuple[int, str]] = None


def named_bag(value: str, number: int) -> tuple[int, str]:
    found = re.fullmatch(f"([1-9][0-9]*) ({HEX64})", value)
    need(found and int(found[1]) < number, "bag-info.txt names no earlier bag")
    assert found
    return int(found[1]), found[2]


def read_info(data: bytes) -> Info:
    lines = lines_of(data, "bag-info.txt", 4_096)
    need(all(re.fullmatch("[!-~]+: [!-~].*", line) for line in lines), "bag-info.txt: a line has no label or no value")
    pairs = [(line.split(": ", 1)[0], line.split(": ", 1)[1]) for line in lines]
    labels, values = [label for label, _ in pairs], dict(pairs)
    kept = [label for label in labels if label in (FORMAT, ORIGIN, BAG, PREVIOUS, SKIP)]
    need(kept in ([FORMAT, ORIGIN, BAG, PREVIOUS], [FORMAT, ORIGIN, BAG, PREVIOUS, SKIP]), "bag-info.txt: labels")
    need(re.fullmatch("[1-9][0-9]{0,8}", values[FORMAT]) and re.fullmatch("[1-9][0-9]{0,8}", values[BAG])
         and re.fullmatch(HEX64, values[PREVIOUS]), "bag-info.txt: values")
    number, skip = int(values[BAG]), skipped(int(values[BAG]))
    info = Info(int(values[FORMAT]), values, number, values[PREVIOUS])
    need((skip is not None) == (SKIP in values), "bag-info.txt: Skip is missing, or there without need")
    if SKIP in values:
        info.skip = named_bag(values[SKIP], number)
        need(info.skip[0] == skip, "bag-info.txt: Skip names another bag")
    if info.format > 1:
        return info
    optional = {SKIP: skip is not None, ANCHOR: number > 1, PREVIOUS_TOKEN: PREVIOUS_TOKEN in values}
    need(labels == [label for label in LABELS if optional.get(label, True)], "bag-info.txt: labels")
    need(re.fullmatch(f"({NUMBER})\\.({NUMBER})", values[LABELS[2]]) and re.fullmatch(MOMENT, values[CLOSED])
         and values[CLOSED][:10] == values[LABELS[1]], "bag-info.txt: values")
    try:
        seconds_of(values[CLOSED])
    except ValueError:
        raise Refused("bag-info.txt: Closed is no moment") from None
    if number > 1:
        need(re.fullmatch(HEX64, values[ANCHOR]), "bag-info.txt: Previous-Signatures")
        info.anchor = values[ANCHOR]
    if PREVIOUS_TOKEN in values:
        info.token = named_bag(values[PREVIOUS_TOKEN], number)
    return info


# --- Writing ---------------------------------------------------------------------------------------------------------


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def openssl(*arguments: str) -> bytes:
    run = subprocess.run(["openssl", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    need(run.returncode == 0, f"openssl {' '.join(arguments[:2])}: {run.stderr.decode(errors='replace')[-300:]}")
    return run.stdout


@dataclass
class Source:
    """Where a writer has what differs every time; vectors have others."""

    random: Callable[[int], bytes] = os.urandom
    now: Callable[[], str] = now
    wrap: Callable[[bytes, str, str, str, Any], bytes] = wrap


SOURCE = Source()


def init(archive: str, origin: str, public_key: rsa.RSAPublicKey, signers: list[str], continues: str = "",
         source: Source = SOURCE) -> None:
    lines = ["evidence-archive 1", f"origin {origin}", f"created {source.now()}", f"key {key_id(public_key)}",
             *(f"signer {signer}" for signer in sorted(signers)), *([f"continues {continues}"] if continues else [])]
    store(f"{archive}/archive.txt", "".join(line + "\n" for line in lines).encode())
    store(f"{archive}/keys/current.pem", public_key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    for folder in ("tmp", "incoming/data", "bags"):
        make_folder(f"{archive}/{folder}")
    store(f"{archive}/lock", b"")


def append(archive: str, parts: dict[str, bytes], about: Union[str, list[str]] = "", source: Source = SOURCE) -> str:
    """Any record: `about` are the lines that say of which kind it is."""
    record = source.random(16).hex()
    keys = {"facts": source.random(32), "face": source.random(32)}
    public_key = serialization.load_pem_public_key(contents(f"{archive}/keys/current.pem"))
    assert isinstance(public_key, rsa.RSAPublicKey)
    lines = ["evidence-statement 1", f"record {record}", f"time {source.now()}"]
    for name, content in sorted(parts.items()):
        part_key = derived(keys[which(name)], "key", name)
        store(f"{archive}/tmp/{record}/{name}.sealed", seal_field(content, part_key, source.random(24), context(record, name)))
        lines.append(f"part {name} {len(content)} {sha256(derived(keys[which(name)], 'salt', name) + content)}")
    lines += [about] if isinstance(about, str) and about else list(about)
    store(f"{archive}/tmp/{record}/statement", "".join(line + "\n" for line in lines).encode())
    if parts:
        kept = {name: key for name, key in keys.items() if name == "facts" or FACE_PARTS & set(parts)}
        wrapped = {name: source.wrap(key, archive_id(archive), record, name, public_key) for name, key in kept.items()}
        store(f"{archive}/keys/{key_id(public_key)}/{record[:2]}/{record}", key_file(wrapped))
    os.rename(f"{archive}/tmp/{record}", f"{archive}/incoming/data/{record}")
    return record


def key_paths(archive: str, record: str) -> list[str]:
    """Every copy of a record's key file, whatever it is called; the one in its place comes last."""
    paths = [f"{folder}/{name}" for folder, _, names in os.walk(f"{archive}/keys") for name in names]
    named = [path for path in paths if os.path.basename(path) == record]
    values = set[bytes]().union(*(key_values(contents(path)) for path in named))
    copies = [path for path in paths if path not in named and values & key_values(contents(path))]
    for path in copies:
        need(key_values(contents(path)) <= values, f"{path} has other keys as well")
    return copies + sorted(named, key=lambda path: path.split("/")[-2] == record[:2])


def additions(archive: str, record: str) -> list[str]:
    found = []
    for place in [*(f"bags/{name}" for name in names_in(f"{archive}/bags")), "incoming"]:
        for name in names_in(f"{archive}/{place}/data"):
            said = read_statement(contents(f"{archive}/{place}/data/{name}/statement"), name)
            if said.kind == "adds" and said.targets == [record]:
                found.append(name)
    return found


def erase(archive: str, record: str, note: bytes = b"", source: Source = SOURCE) -> str:
    store(f"{archive}/tmp/erase-{record}", b"")
    for name in (record, *additions(archive, record)):
        for path in key_paths(archive, name):
            os.remove(path)
    made = append(archive, {"note.txt": note} if note else {}, f"erases {record}", source)
    os.remove(f"{archive}/tmp/erase-{record}")
    return made


def reduce(archive: str, record: str, note: bytes = b"", source: Source = SOURCE) -> str:
    store(f"{archive}/tmp/reduce-{record}", b"")
    for name in (record, *additions(archive, record)):
        for path in key_paths(archive, name):
            data = contents(path)
            first = data.find(b"\n") + 1
            with open(path, "r+b") as file:
                file.seek(first)
                file.write(bytes(len(data) - first))
                file.flush()
                os.fsync(file.fileno())
                file.truncate(first)
                os.fsync(file.fileno())
    made = append(archive, {"note.txt": note} if note else {}, f"reduces {record}", source)
    os.remove(f"{archive}/tmp/reduce-{record}")
    return made


def rotate(archive: str, private_key: rsa.RSAPrivateKey, public_key: rsa.RSAPublicKey, source: Source = SOURCE) -> str:
    made = append(archive, {}, f"rotates {key_id(public_key)}", source)
    old, new = (f"{archive}/keys/{key_id(key)}" for key in (private_key.public_key(), public_key))
    os.remove(f"{archive}/keys/current.pem")
    store(f"{archive}/keys/current.pem", public_key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    for path in list(files_under(old)) if os.path.isdir(old) else []:
        record = os.path.basename(path)
        wrapped = read_key_file(contents(f"{old}/{path}"), record)
        keys = {name: unwrap(key, archive_id(archive), record, name, private_key) for name, key in wrapped.items()}
        store(f"{new}/{path}", key_file({
            name: source.wrap(key, archive_id(archive), record, name, public_key) for name, key in keys.items()}))
        os.remove(f"{old}/{path}")
    for folder, _, _ in list(os.walk(old, topdown=False)):
        os.rmdir(folder)
    return made


def bag_info(archive: str, number: int, payload: dict[str, bytes], closed: str) -> list[tuple[str, str]]:
    """The lines of the bag-info.txt of the next bag."""
    def path(bag: int) -> str:
        return f"{archive}/bags/{bag:09d}"

    def digest(bag: int) -> str:
        return sha256(contents(f"{path(bag)}/{TAGMANIFEST}"))

    token = next((n for n in range(number - 1, 0, -1) if os.path.exists(f"{path(n)}/{TOKEN}")), None)
    skip = skipped(number)
    lines = [(LABELS[0], "archive.py"), (LABELS[1], closed[:10]), (LABELS[2], f"{sum(map(len, payload.values()))}.{len(payload)}"),
             (FORMAT, "1"), (ORIGIN, description(archive).origin), (BAG, str(number)), (CLOSED, closed),
             (PREVIOUS, digest(number - 1) if number > 1 else archive_id(archive))]
    if skip:
        lines.append((SKIP, f"{skip} {digest(skip)}"))
    if number > 1:
        lines.append((ANCHOR, anchor(path(number - 1))))
    if token:
        lines.append((PREVIOUS_TOKEN, f"{token} {sha256(contents(f'{path(token)}/{TOKEN}'))}"))
    return lines


def sign_with_openssl(signer: str, certificate: str) -> Callable[[bytes, str], bytes]:
    return lambda _, path: openssl("cms", "-sign", "-binary", "-cades", "-md", "sha256", "-outform", "DER", "-signer", certificate,
                                   "-inkey", signer, "-in", path)


def write_bag(archive: str, sign: Callable[[bytes, str], bytes], closed: str,
              edit: Callable[[dict[str, bytes]], None] = lambda tags: None) -> int:
    """Closes what waits, whatever it is; `edit` changes the tag files before they are listed and signed."""
    incoming = f"{archive}/incoming"
    number = len(os.listdir(f"{archive}/bags")) + 1
    payload = {f"data/{path}": contents(f"{incoming}/data/{path}") for path in files_under(f"{incoming}/data")}
    info = bag_info(archive, number, payload, closed)
    tags = {
        "bagit.txt": BAGIT,
        "bag-info.txt": "".join(f"{label}: {value}\n" for label, value in info).encode(),
        "manifest-sha256.txt": manifest(payload),
    }
    edit(tags)
    listing = tags.pop(TAGMANIFEST, b"") or manifest(tags)
    for name, content in (*tags.items(), (TAGMANIFEST, listing)):
        store(f"{incoming}/{name}", content)
    store(f"{incoming}/{SIGNATURE}", sign(listing, f"{incoming}/{TAGMANIFEST}"))
    os.rename(incoming, f"{archive}/bags/{number:09d}")
    make_folder(f"{archive}/incoming/data")
    return number


def close(archive: str, signer: str, certificate: str, shortens: Optional[dict[str, int]] = None, signs: Optional[set[str]] = None) -> int:
    check_waiting(archive)
    strays = [path for path in files_under(f"{archive}/incoming") if any(made_by(name) for name in path.split("/"))]
    need(not strays, f"other programs put files there, which would go into the bag: {strays}")
    state = verifier(archive)
    state.run()
    waiting = list(state.waiting.values())
    found = rules.shortening(state.history, waiting, now())
    need(found == (shortens or {}), f"what waits shortens {found}, not {shortens}")
    named = {key for said in waiting if said.kind == "signs" for key in said.key_ids}
    need(not named or named == signs, "signing keys that were not given")
    mine = cms.key_id(cms.certificates(contents(certificate))[0])
    need(state.signers is not None and mine in state.signers, "this key may not sign")
    return write_bag(archive, sign_with_openssl(signer, certificate), now())


def head_line(archive: str) -> str:
    number = len(os.listdir(f"{archive}/bags"))
    bag = f"{archive}/bags/{number:09d}"
    serial = f"{cms.time_stamp(contents(f'{bag}/{TOKEN}'), contents(f'{bag}/{SIGNATURE}')).serial:X}" \
        if os.path.exists(f"{bag}/{TOKEN}") else "-"
    return (f"evidence-head 1 {description(archive).origin} {number} {sha256(contents(f'{bag}/{TAGMANIFEST}'))} "
            f"{sha256(contents(f'{bag}/{SIGNATURE}'))} {serial}")


# --- Verifying -------------------------------------------------------------------------------------------------------

HOLDS, FAILS, UNCHECKED = "holds", "fails", "unchecked"


@dataclass(frozen=True)
class Finding:
    subject: str  # `archive`, `bag N` or `record ID`
    name: str
    state: str
    why: str = ""


@dataclass
class Authority:
    certificates: list[Any]
    until: Optional[decimal.Decimal] = None


@dataclass
class Token:
    """What is known of a bag's token."""

    state: str
    why: str = ""
    stamp: Optional[cms.Stamp] = None
    until: Optional[decimal.Decimal] = None


@dataclass
class Verifier:
    archive: str
    key: Optional[rsa.RSAPrivateKey] = None
    signer_ca: Optional[list[Any]] = None
    authorities: Optional[list[Authority]] = None
    expected: Optional[set[str]] = None
    head: Optional[str] = None
    continued: Optional[str] = None
    moment: Optional[int] = None

    findings: list[Finding] = field(default_factory=list)
    history: rules.History = field(default_factory=rules.History)
    opened: dict[str, dict[str, bytes]] = field(default_factory=dict)
    claims: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    times: dict[int, Optional[decimal.Decimal]] = field(default_factory=dict)
    waiting: dict[str, Statement] = field(default_factory=dict)
    signers: Optional[set[str]] = None

    def say(self, subject: str, name: str, state: str, why: object = "") -> None:
        self.findings.append(Finding(subject, name, state, str(why)))

    def bag(self, number: int) -> str:
        return f"{self.archive}/bags/{number:09d}"

    def path(self, number: int, name: str) -> str:
        return f"{self.bag(number)}/{name}"

    def has(self, number: int, name: str) -> bool:
        return number in self.bags and os.path.isfile(self.path(number, name))

    # The order of the checks is that of what depends on what, not that of the report.
    def run(self) -> list[Finding]:
        try:
            self.about = description(self.archive)
        except Newer as error:
            self.say("archive", "format", UNCHECKED, error)
            return self.findings
        except (Refused, ValueError) as error:
            self.say("archive", "structure", FAILS, error)
            return self.findings
        self.check_names()
        self.infos: dict[int, Info] = {}
        self.newer: set[int] = set()
        self.payloads: dict[int, dict[str, Statement]] = {}
        self.broken: set[int] = set()
        self.unread: set[str] = set()  # records whose statement is signed as it is, and breaks the grammar
        for number in self.bags:
            self.check_bag(number)
        self.check_chain()
        self.check_times()
        self.check_signatures_and_records()
        self.check_waiting()
        self.check_keys()
        self.check_head()
        return self.findings

    def check_names(self) -> None:
        for name in sorted(os.listdir(self.archive)):
            if name not in ("archive.txt", "bags", "incoming", "keys", "lock", "tmp"):
                self.say("archive", "structure", UNCHECKED, f"{name} does not belong to an archive")
        self.bags: list[int] = []
        folder = f"{self.archive}/bags"
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if re.fullmatch("[0-9]{9}", name) and int(name) and stat.S_ISDIR(os.lstat(f"{folder}/{name}").st_mode):
                self.bags.append(int(name))
            elif is_stray(folder, name):
                self.say("archive", "structure", UNCHECKED, f"bags/{name} comes from another program")
            else:
                self.say("archive", "structure", FAILS, f"bags/{name}")
        missing = sorted(set(range(1, max(self.bags, default=0) + 1)) - set(self.bags))
        if missing:
            self.say("archive", "structure", FAILS, f"bags are missing: {missing}")
        if not self.bags:
            self.say("archive", "structure", UNCHECKED, "there is no bag yet")

    def check_bag(self, number: int) -> None:
        """Its own files: structure, content, tags, info, format."""
        subject, bag = f"bag {number}", self.bag(number)
        try:
            tags = read_manifest(contents(f"{bag}/{TAGMANIFEST}"), TAGMANIFEST) if self.has(number, TAGMANIFEST) else None
            info = read_info(contents(f"{bag}/bag-info.txt")) if self.has(number, "bag-info.txt") else None
        except Refused as error:
            # Of a file that is no longer the one that was listed, only that is said.
            tags = info = None
            self.say(subject, "info" if "bag-info" in str(error) else "tags", FAILS, error)
            self.broken.add(number)
            if "bag-info" in str(error):
                self.check_contents(number)
            return
        if info and tags and tags.get("bag-info.txt") != sha256(contents(f"{bag}/bag-info.txt")):
            self.say(subject, "tags", FAILS, "bag-info.txt is not as listed")
            self.broken.add(number)
            return
        if info and info.format > 1:
            self.say(subject, "format", UNCHECKED, "written by a newer version")
            self.newer.add(number)
            self.infos[number] = info
            if info.number != number or info.values[ORIGIN] != self.about.origin:
                self.say(subject, "info", FAILS, "number or origin is another's")
            return
        size = self.check_contents(number)
        for name in (TAGMANIFEST, *TAG_FILES):
            if not self.has(number, name):
                self.say(subject, "tags", UNCHECKED, f"{name} is missing")
        if tags is not None:
            there = {name: sha256(contents(f"{bag}/{name}")) for name in TAG_FILES if self.has(number, name)}
            if any(tags.get(name) != digest for name, digest in there.items()) or set(tags) != set(TAG_FILES):
                self.say(subject, "tags", FAILS, "the tag files are not as listed")
                if tags.get("manifest-sha256.txt") != there.get("manifest-sha256.txt"):
                    self.broken.add(number)
            elif there.get("bagit.txt", sha256(BAGIT)) != sha256(BAGIT):
                self.say(subject, "content", FAILS, "bagit.txt is another one")
        if info is None or tags is None:
            self.broken.add(number)
            return
        self.infos[number] = info
        if info.number != number or info.values[ORIGIN] != self.about.origin:
            self.say(subject, "info", FAILS, "number or origin is another's")
        elif size is not None and info.values[LABELS[2]] != size:
            self.say(subject, "info", FAILS, "Payload-Oxum is another one")

    def check_contents(self, number: int) -> Optional[str]:
        """The files of a bag; what Payload-Oxum must be, where nothing is missing."""
        subject, bag = f"bag {number}", self.bag(number)
        data = f"{bag}/data"
        known = {*TAG_FILES, TAGMANIFEST, "data", "signatures"}
        for name in sorted(known | {SIGNATURE}):
            if not os.path.lexists(f"{bag}/{name}") and (name != SIGNATURE or os.path.isdir(f"{bag}/signatures")):
                self.say(subject, "structure", FAILS, f"{name} is missing")
        def own(folder: str, form: str) -> list[str]:
            """The names in a folder without what other programs put there."""
            names = [name for name in names_in(folder) if re.fullmatch(form, name) or not is_stray(folder, name)]
            if len(names) < len(os.listdir(folder)):
                strays.append(folder)
            return names

        strays: list[str] = []
        try:
            for name in own(bag, "|".join(map(re.escape, sorted(known)))):
                need(name in known and os.path.isdir(f"{bag}/{name}") == (name in ("data", "signatures")), f"{name} does not belong to it")
            if os.path.isdir(f"{bag}/signatures"):
                for name in own(f"{bag}/signatures", re.escape(os.path.basename(SIGNATURE)) + r"(\.tsr)?|more"):
                    path = f"signatures/{name}"
                    need(path in (SIGNATURE, TOKEN) or name == "more" and os.path.isdir(f"{bag}/{path}"), f"{path} does not belong to it")
                if os.path.isdir(f"{bag}/signatures/more"):
                    names = own(f"{bag}/signatures/more", PART)
                    need(len(names) <= MORE_FILES, "more/ has too many files")
                    for name in names:
                        path = f"{bag}/signatures/more/{name}"
                        need(re.fullmatch(PART, name) and os.path.isfile(path), f"more/{name} does not belong to it")
                        need(os.path.getsize(path) <= MORE_BYTES, f"more/{name} is too long")
            for record in own(data, HEX32) if os.path.isdir(data) else []:
                need(re.fullmatch(HEX32, record) and os.path.isdir(f"{data}/{record}"), f"data/{record} does not belong to it")
                for name in own(f"{data}/{record}", RECORD_FILE):
                    need((name == "statement" or re.fullmatch(f"{PART}\\.sealed", name)) and os.path.isfile(f"{data}/{record}/{name}"),
                         f"data/{record}/{name} does not belong to it")
        except Refused as error:
            self.say(subject, "structure", FAILS, error)
        if strays:
            self.say(subject, "structure", UNCHECKED, f"other programs put files into {strays}")
        try:
            listed = read_manifest(contents(f"{bag}/manifest-sha256.txt"), "manifest-sha256.txt")
        except (Refused, OSError) as error:
            self.say(subject, "content", FAILS if isinstance(error, Refused) else UNCHECKED, error)
            self.broken.add(number)
            return None
        there, size = set(), 0
        faults = []
        for record in sorted(os.listdir(data)) if os.path.isdir(data) else []:
            if is_stray(data, record):
                continue
            for name in sorted(os.listdir(f"{data}/{record}")) if os.path.isdir(f"{data}/{record}") else []:
                if not re.fullmatch(RECORD_FILE, name) and is_stray(f"{data}/{record}", name):
                    continue
                path = f"data/{record}/{name}"
                if os.path.isfile(f"{bag}/{path}") and not os.path.islink(f"{bag}/{path}"):
                    content = contents(f"{bag}/{path}")
                    size += len(content)
                    there.add(path)
                    if listed.get(path) not in (None, sha256(content)):
                        faults.append(f"{path} is not as listed")
        faults += [f"{path} is not listed" for path in sorted(there - set(listed))]
        faults += [f"{path} is missing" for path in sorted(set(listed) - there)]
        records = {path.split("/")[1] for path in listed if re.fullmatch(f"data/{HEX32}/[^/]+", path)}
        if not 1 <= len(records) <= RECORDS:
            faults.append("it has no record, or too many")
        for fault in faults:
            self.say(subject, "content", FAILS, fault)
        self.read_records(number, listed)
        return None if set(listed) - there else f"{size}.{len(there)}"

    def read_records(self, number: int, listed: dict[str, str]) -> None:
        """The statements that count: listed, and as listed."""
        self.payloads[number] = {}
        data = f"{self.bag(number)}/data"
        # A changed manifest says nothing: check_bag says so.
        tags = contents(self.path(number, TAGMANIFEST)) if self.has(number, TAGMANIFEST) else b""
        if f"{sha256(contents(self.path(number, 'manifest-sha256.txt')))}  manifest-sha256.txt\n".encode() not in tags:
            self.broken.add(number)
        for record in sorted(os.listdir(data)) if os.path.isdir(data) else []:
            path = f"data/{record}/statement"
            if not re.fullmatch(HEX32, record):
                continue
            if path not in listed:
                self.say(f"record {record}", "statement", FAILS, "it is not listed")
                continue
            try:
                content = contents(f"{self.bag(number)}/{path}")
                need(listed[path] == sha256(content), "its statement has changed")
                need(len(content) <= rules.STATEMENT_BYTES, "its statement is too long to be read")
                try:
                    said = read_statement(content, record)
                except Refused as error:  # it says nothing
                    self.say(f"record {record}", "statement", FAILS, error)
                    self.unread.add(record)
                    continue
                listed_parts = {entry.split("/")[2] for entry in listed if entry.startswith(f"data/{record}/")} - {"statement"}
                need(listed_parts == {f"{name}.sealed" for name in said.parts}, "the manifest has other parts than it names")
                for name, (length, _) in said.parts.items():
                    file = f"{data}/{record}/{name}.sealed"
                    need(not os.path.isfile(file) or os.path.getsize(file) == sealed_size(length), f"{name}.sealed has another size")
                self.payloads[number][record] = said
            except (Refused, OSError) as error:
                self.say(f"record {record}", "statement", FAILS, error)
                self.broken.add(number)
        for path in listed:
            if path.endswith("/statement") and not self.has(number, path):
                self.broken.add(number)

    def follows(self, number: int, earlier: int) -> bool:
        """Whether a bag leads to an earlier one in one step."""
        info = self.infos.get(number)
        if info is None or not self.has(earlier, TAGMANIFEST):
            return False
        digest = sha256(contents(self.path(earlier, TAGMANIFEST)))
        return (earlier == number - 1 and info.previous == digest) or info.skip == (earlier, digest)

    def check_chain(self) -> None:
        passed_over: set[int] = set()
        for number in self.bags:
            info, subject = self.infos.get(number), f"bag {number}"
            if info is None:
                continue
            wrong, missing = [], []
            for earlier, digest in [(number - 1, info.previous), *([info.skip] if info.skip else [])]:
                path = self.path(earlier, TAGMANIFEST) if earlier else f"{self.archive}/archive.txt"
                if not os.path.isfile(path):
                    missing.append(str(earlier))
                elif sha256(contents(path)) != digest:
                    wrong.append(f"it does not follow bag {earlier}")
            if number in self.newer:
                pass
            elif info.token and not os.path.isdir(self.path(info.token[0], "signatures")):
                missing.append(f"the token of bag {info.token[0]}")
            elif info.token and (not self.has(info.token[0], TOKEN) or sha256(contents(self.path(info.token[0], TOKEN))) != info.token[1]):
                wrong.append("the token that it names is missing, or another one")
            elif late := [late for late in range((info.token or (0, ""))[0] + 1, number) if self.has(late, TOKEN)]:
                # Said once.
                (missing if late[-1] in passed_over else wrong).append(f"bag {late[-1]} has a token that it does not name")
                passed_over.add(late[-1])
            if wrong or missing:
                self.say(subject, "chain", FAILS if wrong else UNCHECKED, ", ".join(wrong or missing))
            if number == 1 or number in self.newer or info.anchor is None:
                continue
            if number - 1 not in self.bags or number - 1 in self.newer or not self.has(number - 1, SIGNATURE):
                self.say(subject, "anchor", UNCHECKED, "the previous signatures are missing")
                continue
            try:
                if anchor(self.bag(number - 1)) != info.anchor:
                    self.say(subject, "anchor", FAILS, "the previous bag's signatures are other ones")
            except Refused:
                self.say(subject, "anchor", UNCHECKED, "the previous signatures have another structure")

    def way(self, start: int, end: int) -> Optional[list[int]]:
        """From a bag to an earlier one along the lines that hold, by the longest steps."""
        way = [start]
        while way[-1] > end:
            current = way[-1]
            skip = skipped(current)
            steps = [step for step in (skip, current - 1) if step is not None and step >= end]
            following = next((step for step in steps if self.follows(current, step)), None)
            if following is None:
                return self.search(start, end)
            way.append(following)
        return way

    def search(self, start: int, end: int) -> Optional[list[int]]:
        """Where the longest steps lead nowhere, any others."""
        ways, seen = [[start]], {start}
        while ways:
            way = ways.pop(0)
            if way[-1] == end:
                return way
            for step in {way[-1] - 1, skipped(way[-1]) or 0}:
                if step >= end and step not in seen and self.follows(way[-1], step):
                    seen.add(step)
                    ways.append([*way, step])
        return None

    def covers(self, number: int, covered: int) -> bool:
        """Whether a bag leads back to an earlier one, through the one after it."""
        if number == covered:
            return True
        return self.way(number, covered + 1) is not None and self.follows(covered + 1, covered)

    def anchored(self, number: int) -> bool:
        """Whether the next bag says which signature a bag had."""
        info = self.infos.get(number + 1)
        try:
            return info is not None and info.anchor is not None and anchor(self.bag(number)) == info.anchor
        except Refused:
            return False

    def token(self, number: int) -> Optional[Token]:
        """By itself: whether later ones must cover it is not asked here."""
        if number in self.newer or not self.has(number, TOKEN) or not self.has(number, SIGNATURE) or not self.has(number, TAGMANIFEST):
            return None
        try:
            p7s = contents(self.path(number, SIGNATURE))
            need(len(contents(self.path(number, TOKEN))) <= 65_536, "the token is too long")
            tags = contents(self.path(number, TAGMANIFEST))
            try:
                cms.signature(p7s, tags)
                fault = None
            except (cms.Refused, IndexError, ValueError) as error:
                fault = error
            try:
                stamp = cms.time_stamp(contents(self.path(number, TOKEN)), p7s)
            except (cms.Refused, IndexError, ValueError):
                if fault:
                    return Token(UNCHECKED, "the signature that it stamps does not hold")
                raise
            if fault:
                following = self.infos.get(number + 1)
                if following and following.previous != sha256(tags):
                    return Token(UNCHECKED, "the tag manifest is another one")
                raise fault
            if self.authorities is None:
                # Its form and its algorithms are wrong whoever is trusted.
                return Token(UNCHECKED, "no authority was given")
            # Distrust goes before trust.
            given = [one for authority in self.authorities for one in authority.certificates]
            distrust = [authority.until for authority in self.authorities if authority.until is not None
                        and cms.leads_to(stamp.signed.leaf, [*stamp.signed.others, *given], authority.certificates)]
            trusted = given if distrust else [one for authority in self.authorities if authority.until is None
                                              for one in authority.certificates]
            try:
                cms.check_chain(stamp.signed.leaf, stamp.signed.others, trusted, int(stamp.time), cms.TIME_STAMPING)
            except cms.NotAccepted:
                return Token(UNCHECKED, "its authority is not accepted")
            return Token(HOLDS, "", stamp, min(distrust, default=None))
        except (cms.Refused, Refused, ValueError, IndexError) as error:
            following = self.infos.get(number + 1)
            if following and (following.token or (0,))[0] != number:
                return Token(UNCHECKED, "the next bag does not name it")  # which is said of that bag
            return Token(FAILS, str(error))
        except cms.Unjudged as error:
            return Token(UNCHECKED, str(error))

    def check_times(self) -> None:
        self.tokens: dict[int, Token] = {}
        for number in reversed(self.bags):
            found = self.token(number)
            if found is None:
                continue
            if found.state == HOLDS and found.until is not None:
                named = self.infos.get(number + 1)
                is_named = named and named.token == (number, sha256(contents(self.path(number, TOKEN))))
                # Those that were looked at are later ones.
                if not is_named or not any(later.state == HOLDS and later.stamp and later.stamp.time < found.until
                                           and self.covers(other, number) for other, later in self.tokens.items()):
                    found = Token(UNCHECKED, "no later token shows that it is from before that moment")
            self.tokens[number] = found
        self.covering: dict[int, Optional[int]] = {}
        for number in self.bags:
            if number in self.newer:
                self.times[number] = self.covering[number] = None
                continue
            by = next((c for c in self.bags if c >= number and c in self.tokens and self.tokens[c].state == HOLDS
                       and self.covers(c, number)), None)
            self.covering[number] = by
            stamp = self.tokens[by].stamp if by else None
            self.times[number] = stamp.time if stamp else None
            own, after = self.tokens.get(number), self.after(number)
            if own and own.state == FAILS:
                self.say(f"bag {number}", "time", FAILS, own.why)
            elif stamp is None:
                self.say(f"bag {number}", "time", UNCHECKED, own.why if own else "nothing covers it")
            elif after is not None and stamp.time < after:
                self.say(f"bag {number}", "time", FAILS, "its time stamp is earlier than the one that it names")

    def after(self, number: int) -> Optional[decimal.Decimal]:
        info = self.infos.get(number)
        if info is None or info.token is None or info.token[0] not in self.tokens:
            return None
        found = self.tokens[info.token[0]]
        is_it = sha256(contents(self.path(info.token[0], TOKEN))) == info.token[1]
        return found.stamp.time if found.state == HOLDS and found.stamp and is_it else None

    def check_signature(self, number: int) -> Optional[cms.Signed]:
        subject = f"bag {number}"
        if not self.has(number, SIGNATURE) or not self.has(number, TAGMANIFEST):
            self.say(subject, "signature", UNCHECKED, "it is missing")
            return None
        by = self.covering[number]
        stamped = by is not None and (by == number or self.anchored(number))
        time_of = self.times[number]
        at = int(time_of) if stamped and time_of is not None else self.moment if self.moment is not None else int(time.time())
        try:
            p7s = contents(self.path(number, SIGNATURE))
            need(len(p7s) <= 65_536, "it is too long")
            found = cms.signature(p7s, contents(self.path(number, TAGMANIFEST)))
        except (cms.Refused, Refused, IndexError, ValueError) as error:
            self.say(subject, "signature", FAILS, error)
            return None
        except cms.Unjudged as error:
            self.say(subject, "signature", UNCHECKED, error)
            return None
        try:
            if self.signer_ca is None:
                self.say(subject, "signature", UNCHECKED, "no authority was given")
            else:
                cms.check_chain(found.leaf, found.others, self.signer_ca, at, cms.EMAIL_PROTECTION)
        except (cms.Refused, cms.NotAccepted) as error:
            self.say(subject, "signature", FAILS, error)
        except cms.Unjudged as error:
            self.say(subject, "signature", UNCHECKED, error)
        return found

    def check_signatures_and_records(self) -> None:
        if self.expected is None:
            self.say("archive", "signer", UNCHECKED, "no signer was given")
        elif not set(self.about.signers) <= self.expected:
            self.say("archive", "signer", FAILS, "archive.txt names a signer that was not given")
        self.signers = set(self.about.signers)
        history = self.history = rules.History(
            current_key=self.about.key, can_continue=bool(self.about.continues), unread=self.unread)
        self.earlier = self.continued_archive()
        if self.earlier is not None:
            history.take_continued(self.earlier)
        for number in range(1, max(self.bags, default=0) + 1):
            if number not in self.bags or number in self.newer:
                self.signers = None
                history.gap(number)
                continue
            signed = self.check_signature(number)
            subject = f"bag {number}"
            may_sign: Optional[bool] = None
            if signed is None or self.signers is None:
                self.say(subject, "signer", UNCHECKED, "the signers, or the signature, are not known")
            else:
                may_sign = cms.key_id(signed.leaf) in self.signers
                if not may_sign:
                    self.say(subject, "signer", FAILS, "this key may not sign")
            if number in self.broken:
                history.gap(number)
                self.signers = None
            statements = self.payloads.get(number, {})
            for record in sorted(set(statements) & set(history.places)):
                self.say(f"record {record}", "statement", FAILS, "an earlier bag has it")
                statements = {name: said for name, said in statements.items() if name != record}
            info = self.infos.get(number)
            closed = seconds_of(info.values[CLOSED]) if info and CLOSED in info.values else None
            covered = self.times.get(number)
            by_then = min((one for one in (closed, covered) if one is not None), default=None)
            for record, state, name, why in history.take_bag(number, statements, covered is not None, day_of(by_then) if by_then is not None else None):
                self.say(f"record {record}", name, state, why)
            signs = history.signs_of(number)
            if signs is not None and may_sign is not False and self.signers is not None:
                self.signers = set(signs) if may_sign else None
            if self.key:
                # What is added is compared with what it adds to.
                for record, said in sorted(statements.items(), key=lambda one: one[1].kind == "adds"):
                    self.open_record(f"{self.bag(number)}/data", record, said)

    def gone(self, record: str) -> tuple[bool, bool]:
        """Whether all of a record is gone, and its face."""
        begun = {name for name in (os.listdir(f"{self.archive}/tmp") if os.path.isdir(f"{self.archive}/tmp") else [])}
        origin = self.history.additions.get(record)
        names = [name for name in (record, origin) if name]
        all_gone = record in self.history.erased or any(f"erase-{name}" in begun for name in names)
        return all_gone, all_gone or record in self.history.reduced or any(f"reduce-{name}" in begun for name in names)

    def open_record(self, data: str, record: str, said: Statement) -> None:
        assert self.key
        path = f"{self.archive}/keys/{key_id(self.key.public_key())}/{record[:2]}/{record}"
        everything, face = self.gone(record)
        if everything or not said.parts:
            return
        try:
            if current_key(contents(f"{self.archive}/keys/current.pem"))[1] is None:
                self.say(f"record {record}", "parts", UNCHECKED, "its keys are wrapped by an unknown algorithm")
                return
        except (OSError, ValueError, Refused, cms.Refused):
            pass  # check_keys says so
        if not os.path.isfile(path):
            return
        found: dict[str, bytes] = {}
        try:
            wrapped_keys = read_key_file(contents(path), record, face)
        except Refused:
            return  # check_keys says so
        try:
            keys = {name: unwrap(wrapped, archive_id(self.archive), record, name, self.key) for name, wrapped in wrapped_keys.items()}
            for name, part in said.parts.items():
                if which(name) in keys and os.path.isfile(f"{data}/{record}/{name}.sealed"):
                    found[name] = open_part(data, record, name, part, keys[which(name)])
            for name, document in (("outline.json", "result.json"), ("answer-outline.json", "answer.json")):
                if name in found and document in found:
                    need(found[name] == outline(found[document]), f"{name} is not that of {document}")
            if "about.json" in found:
                read_about(found["about.json"])
            if claim := claim_of(found):
                self.claims[record] = claim
            claim = self.claims.get(said.targets[0] if said.kind == "adds" else record)
            if "answer.json" in found and claim:
                why = contradiction(found["answer.json"], *claim)
                need(not why, f"answer.json contradicts the archived result: {why}")
            self.opened[record] = found
        except (Refused, evidence_v1.Refused, ValueError) as error:
            self.say(f"record {record}", "parts", FAILS, error)

    def check_waiting(self) -> None:
        folder = f"{self.archive}/incoming/data"
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        if any(is_stray(folder, name) for name in names):
            self.say("archive", "structure", UNCHECKED, "other programs put files among what waits")
        names = [name for name in names if not is_stray(folder, name)]
        for record in names:
            try:
                need(re.fullmatch(HEX32, record), f"{record} is no record")
                said = read_statement(contents(f"{folder}/{record}/statement"), record)
                names_there = {name for name in names_in(f"{folder}/{record}")
                               if re.fullmatch(RECORD_FILE, name) or not is_stray(f"{folder}/{record}", name)}
                need(names_there == {"statement"} | {f"{name}.sealed" for name in said.parts},
                     f"{record}: other files than it names")
                for name, (length, _) in said.parts.items():
                    need(os.path.getsize(f"{folder}/{record}/{name}.sealed") == sealed_size(length), f"{record}/{name}.sealed has another size")
                need(record not in self.history.places, f"{record} waits, and is in a bag")
                self.waiting[record] = said
            except (Refused, OSError) as error:
                self.say("archive", "waiting", FAILS, error)
        if names:
            self.say("archive", "waiting", UNCHECKED, f"{len(names)} wait")
        for record, state, name, why in self.history.copy().take_bag(max(self.bags, default=0) + 1, self.waiting, False, None):
            if name == "statement" and state == FAILS:
                self.say("archive", "waiting", FAILS, f"{record} {why}")

    def check_keys(self) -> None:
        folder = f"{self.archive}/keys"
        if not os.path.isdir(folder) or not os.listdir(folder):
            self.say("archive", "keys", UNCHECKED, "there are none")
            return
        # What waits counts for what is gone, and is not signed yet.
        after = self.history.copy()
        after.take_bag(max(self.bags, default=0) + 1, self.waiting, False, None)
        signed, self.history = self.history, after
        faults, doubts = [], []
        files: dict[str, list[str]] = {}
        for path in files_under(folder):
            if path == "current.pem":
                continue
            if any(made_by(name) for name in path.split("/")):
                if key_values(contents(f"{folder}/{path}")):
                    faults.append(f"keys/{path} is a copy of a key")
                else:
                    self.say("archive", "structure", UNCHECKED, f"keys/{path} comes from another program")
                continue
            found = re.fullmatch(f"({HEX64})/([0-9a-f]{{2}})/({HEX32})", path)
            if found and found[3].startswith(found[2]):
                files.setdefault(found[3], []).append(found[1])
            else:
                faults.append(f"keys/{path} does not belong there")
        try:
            current_id, current = current_key(contents(f"{folder}/current.pem"))
            if current is None:
                doubts.append("the archive key is of an unknown kind")
            elif current.key_size < 3072:
                faults.append("the archive key has fewer than 3072 bits")
            named = after.rotation or after.current_key
            if after.current_key is None:
                doubts.append("a bag is missing that may name another archive key")
            elif current_id != named:
                faults.append("current.pem is not the key that the records name")
            if after.rotation and after.rotation != signed.current_key and signed.rotation != after.rotation:
                doubts.append("the rotation waits")
        except (OSError, ValueError, Refused, cms.Refused) as error:
            faults.append(f"current.pem: {error}")
            named = current_id = current = None
        all_files = dict(files)
        first_lines: dict[bytes, str] = {}
        for record, places in sorted(files.items()):
            for place in places:
                first = contents(f"{folder}/{place}/{record[:2]}/{record}").split(b"\n")[0]
                if key_values(first) and first_lines.setdefault(first, record) != record:
                    faults.append(f"{record} has the key of {first_lines[first]}")
        statements = {record: said for record, said in {**signed.statements, **self.waiting}.items() if after.places.get(record) != 0}
        for record, said in sorted(statements.items()):
            everything, face = self.gone(record)
            begun = os.path.exists(f"{self.archive}/tmp/erase-{record}") or os.path.exists(f"{self.archive}/tmp/reduce-{record}")
            if begun:
                doubts.append(f"{record}: an erasure or reduction is pending")
            places = files.pop(record, [])
            if not said.parts:
                faults += [f"{record} has a key without parts"] if places else []
            elif everything:
                if places and not begun:
                    if record in signed.erased:
                        faults.append(f"{record} was erased, and has a key")
                    else:
                        self.say("archive", "waiting", FAILS, f"the key of {record}, whose erasure waits, is there")
                elif record not in signed.erased and not begun:
                    doubts.append(f"the erasure of {record} waits")
            elif not places:
                (faults if not after.gaps else doubts).append(f"{record} has no key")
            elif len(places) > 1:
                faults.append(f"{record} has two keys")
            else:
                if named and places[0] not in (named, signed.current_key if after.rotation else named):
                    faults.append(f"the key of {record} is under another archive key")
                if current is None and places[0] == current_id:
                    continue  # what its algorithm makes, nobody here knows
                try:
                    path = f"{folder}/{places[0]}/{record[:2]}/{record}"
                    lines = read_key_file(contents(path), record, begun)
                    has_face = bool(FACE_PARTS & set(said.parts))
                    if "face" in lines and record in signed.reduced and not begun:
                        faults.append(f"{record} was reduced, and has a key of its face")
                    elif "face" in lines and record in after.reduced and not begun:
                        self.say("archive", "waiting", FAILS, f"the key of the face of {record}, whose reduction waits, is there")
                    elif "face" in lines and not has_face:
                        faults.append(f"{record} has a key of a face, and none")
                    elif "face" not in lines and has_face and not face:
                        (faults if not after.gaps else doubts).append(f"{record} has no key of its face")
                except Refused as error:
                    faults.append(str(error))
        if any(said.kind == "rotates" for said in self.waiting.values()):
            others = {places[0] for record, places in all_files.items() if places[0] != after.current_key}
            if others:
                self.say("archive", "waiting", FAILS, f"a rotation waits, and keys are left under {', '.join(sorted(others))}")
        for record in set(files) - self.unread:
            (faults if not after.gaps else doubts).append(f"{record}, which has a key, is not in the archive")
        self.history = signed
        for fault in faults:
            self.say("archive", "keys", FAILS, fault)
        for doubt in doubts if not faults else []:
            self.say("archive", "keys", UNCHECKED, doubt)

    def check_head(self) -> None:
        if self.head is None:
            return
        try:
            head = read_head(self.head)
            need(head.origin == self.about.origin, "it is another archive's")
            need(self.has(head.bag, TAGMANIFEST) and sha256(contents(self.path(head.bag, TAGMANIFEST))) == head.sha256, "its bag")
            need(self.has(head.bag, SIGNATURE) and sha256(contents(self.path(head.bag, SIGNATURE))) == head.p7s, "its signature")
            if head.serial != "-":
                need(self.has(head.bag, TOKEN), "its token is missing")
                stamp = cms.time_stamp(contents(self.path(head.bag, TOKEN)), contents(self.path(head.bag, SIGNATURE)))
                need(f"{stamp.serial:X}" == head.serial, "its token")
        except (Refused, cms.Refused, cms.Unjudged) as error:
            self.say("archive", "head", FAILS, error)

    def continued_archive(self) -> Optional[rules.History]:
        """What the archive says that this one continues, verified like this one; what is wrong with it."""
        head = self.about.continues
        if head is None:
            return None
        if self.continued is None:
            self.say("archive", "chain", UNCHECKED, "the archive that it continues was not given")
            return None
        try:
            bag = f"{self.continued}/bags/{head.bag:09d}"
            need(description(self.continued).origin == head.origin, "it continues another archive")
            need(sha256(contents(f"{bag}/{TAGMANIFEST}")) == head.sha256 and sha256(contents(f"{bag}/{SIGNATURE}")) == head.p7s,
                 "it continues another bag")
            need(len(os.listdir(f"{self.continued}/bags")) == head.bag, "the archive that it continues went on")
        except (Refused, OSError) as error:
            self.say("archive", "chain", FAILS, error)
            return None
        other = Verifier(self.continued, None, self.signer_ca, self.authorities, moment=self.moment)
        other.run()
        # What becomes of its keys, and of what waits, is that archive's affair.
        faults = [one for one in other.findings if one.state == FAILS and (one.subject, one.name) not in (("archive", "keys"), ("archive", "waiting"))]
        if faults:
            self.say("archive", "chain", FAILS, f"of the archive that it continues: {faults[0]}")
        elif any(one.name in ("signature", "format") and one.state == UNCHECKED for one in other.findings):
            self.say("archive", "chain", UNCHECKED, "a signature of the archive that it continues was not verified")
        return other.history



def claim_of(parts: dict[str, bytes]) -> Optional[tuple[str, dict[str, Any]]]:
    """The order that a result was checked for, and the result, where its report holds."""
    try:
        report, result = (evidence_v1.read_document(parts[name]) for name in ("report.json", "result.json"))
    except (KeyError, evidence_v1.Refused):
        return None
    if report.get("schema") != "evidence-report-1" or report.get("verdict") != "holds" or not isinstance(report.get("order"), str):
        return None
    return report["order"], result


def contradiction(answer: bytes, order: str, result: dict[str, Any]) -> str:
    """What the vendor's answer says against a result: docs/FORMATS.md section 5.1."""
    try:
        top = evidence_v1.read_document(answer)
    except evidence_v1.Refused:
        return ""
    fields = top["result"] if isinstance(top.get("result"), dict) else top
    named = fields.get("orderNo")
    if named and (named != order or result.get("orderNo") not in (None, named)):
        return "another order"
    if not answer_vectors.is_pass(answer, order):
        return "it is no pass" if answer_vectors.denies_pass(top) and result.get("isSuccess") is True else ""
    if result.get("isSuccess") is not True:
        return "it is a pass"
    for name in ("liveRate", "similarity"):
        scores = [fields.get(name), result.get(name)]
        if all(map(answer_vectors.is_score, scores)) and decimal.Decimal(scores[0]) != decimal.Decimal(scores[1]):
            return f"another {name}"
    return ""


def open_part(data: str, record: str, name: str, part: tuple[int, str], key: bytes) -> bytes:
    content = open_field(contents(f"{data}/{record}/{name}.sealed"), derived(key, "key", name), context(record, name))
    need(len(content) == part[0] and sha256(derived(key, "salt", name) + content) == part[1],
         f"{record}/{name} is not what the statement says")
    return content


def verifier(archive: str, key: Optional[rsa.RSAPrivateKey] = None, signer_ca: Optional[str] = None, tsa_ca: Optional[str] = None,
             **more: Any) -> Verifier:
    return Verifier(archive, key, cms.certificates(contents(signer_ca)) if signer_ca else None,
                    [Authority(cms.certificates(contents(tsa_ca)))] if tsa_ca else None, **more)


def check_waiting(archive: str) -> None:
    """Refuses what a bag must not be closed over: section 5."""
    state = verifier(archive)
    for finding in state.run():
        need(finding.state != FAILS, f"{finding.subject}: {finding.name}: {finding.why}")
        need(finding.name != "format", "a bag has a newer format")
        need(finding.name != "keys" or "current.pem" not in finding.why, finding.why)


def read(archive: str, private_key: Optional[rsa.RSAPrivateKey] = None, signer_ca: Optional[str] = None,
         tsa_ca: Optional[str] = None) -> dict[str, dict[str, Any]]:
    """Every record of an archive in which nothing fails: its parts (their content, where they open), and what it is about."""
    state = verifier(archive, private_key, signer_ca, tsa_ca)
    for finding in state.run():
        need(finding.state != FAILS, f"{finding.subject}: {finding.name}: {finding.why}")
        need(finding.name != "structure" or finding.state == HOLDS or not state.bags, finding.why)
    for number in state.bags:
        check_modes(state.bag(number))
    return {record: {"bag": state.history.places[record], "parts": said.parts, "about": said.line, "before": state.times[state.history.places[record]],
                     "content": state.opened.get(record)} for record, said in state.history.statements.items()}


def token_time(bag: str, tsa_ca: str) -> Optional[decimal.Decimal]:
    """The time of a bag's token that holds by itself."""
    try:
        p7s = contents(f"{bag}/{SIGNATURE}")
        stamp = cms.time_stamp(contents(f"{bag}/{TOKEN}"), p7s)
        cms.signature(p7s, contents(f"{bag}/{TAGMANIFEST}"))
        cms.check_chain(stamp.signed.leaf, stamp.signed.others, cms.certificates(contents(tsa_ca)), int(stamp.time), cms.TIME_STAMPING)
        return stamp.time
    except (OSError, IndexError, ValueError, cms.Refused, cms.Unjudged, cms.NotAccepted):
        return None


def covering_time(archive: str, number: int, tsa_ca: str) -> Optional[decimal.Decimal]:
    state = verifier(archive, tsa_ca=tsa_ca)
    state.run()
    return state.times[number]


# --- Packs -----------------------------------------------------------------------------------------------------------


def way_of_pack(state: Verifier, number: int) -> list[int]:
    """The later bags of a pack, the newest one first: from the newest token that holds by way of the covering one."""
    by = state.covering.get(number)
    stamped = [other for other in state.bags if other >= number and other in state.tokens and state.tokens[other].state == HOLDS]
    if number + 1 not in state.bags:
        return []
    if by is None:
        return [number + 1]
    stops = [max(stamped), *([by] if by > number else []), number + 1]
    found: list[int] = []
    for start, end in zip(stops, stops[1:]):
        way = state.way(start, end) if start >= end else None
        found += (way or [])[1 if found else 0:]
    return found or [number + 1]


def write_pack(state: Verifier, record: str, pack: str, only: Optional[set[str]] = None) -> list[int]:
    """A proof pack without its script, of an archive that was verified with its key; the way."""
    number = state.history.places[record]
    bag, shown = state.bag(number), {name: content for name, content in state.opened.get(record, {}).items() if only is None or name in only}
    for path in [*TAG_FILES, TAGMANIFEST, *(f"signatures/{path}" for path in files_under(f"{bag}/signatures")), f"data/{record}/statement",
                 *(f"data/{record}/{name}.sealed" for name in shown)]:
        store(f"{pack}/bag/{path}", contents(f"{bag}/{path}"))
    if shown:
        assert state.key
        wrapped = read_key_file(contents(key_paths(state.archive, record)[-1]), record, state.gone(record)[1])
        keys = {name: unwrap(key, archive_id(state.archive), record, name, state.key) for name, key in wrapped.items()}
        for name, content in shown.items():
            store(f"{pack}/parts/{name}", content)
            store(f"{pack}/salts/{name}", derived(keys[which(name)], "salt", name))
    info = state.infos[number]
    if info.token:
        for path in (SIGNATURE, TOKEN):
            store(f"{pack}/previous/{os.path.basename(path)}", contents(state.path(info.token[0], path)))
    way = way_of_pack(state, number)
    for later in way:
        is_used = later in (state.covering.get(number), way[0]) and later in state.tokens and state.tokens[later].state == HOLDS
        paths = ["bag-info.txt", TAGMANIFEST, *([SIGNATURE, TOKEN] if is_used else [])]
        for path in paths:
            store(f"{pack}/next/{later:09d}/{path}", contents(state.path(later, path)))
    return way


def check_pack(pack: str, signer_ca: str, tsa_ca: Optional[str] = None) -> dict[str, Any]:
    """What a proof pack shows: section 3, without its script."""
    for path in files_under(pack):
        need(not os.path.islink(f"{pack}/{path}"), "a link")
    bag = f"{pack}/bag"
    record = names_in(f"{bag}/data")
    need(len(record) == 1, "it has not one record")
    tags = read_manifest(contents(f"{bag}/{TAGMANIFEST}"), TAGMANIFEST)
    need(tags == {name: sha256(contents(f"{bag}/{name}")) for name in TAG_FILES}, "the bag was changed")
    info = read_info(contents(f"{bag}/bag-info.txt"))
    listed = read_manifest(contents(f"{bag}/manifest-sha256.txt"), "manifest-sha256.txt")
    said = read_statement(contents(f"{bag}/data/{record[0]}/statement"), record[0])
    there = set(names_in(f"{bag}/data/{record[0]}"))
    mine = {path.split("/")[2]: digest for path, digest in listed.items() if path.startswith(f"data/{record[0]}/")}
    need(set(mine) == {"statement"} | {f"{name}.sealed" for name in said.parts} and there <= set(mine), "the record was changed")
    need(all(sha256(contents(f"{bag}/data/{record[0]}/{name}")) == mine[name] for name in there), "the record was changed")
    shown = names_in(f"{pack}/parts") if os.path.isdir(f"{pack}/parts") else []
    need(shown == (names_in(f"{pack}/salts") if os.path.isdir(f"{pack}/salts") else []), "parts and salts differ")
    need({f"{name}.sealed" for name in shown} == there - {"statement"}, "sealed files and parts differ")
    for name in shown:
        content, salt = contents(f"{pack}/parts/{name}"), contents(f"{pack}/salts/{name}")
        need(name in said.parts and len(salt) == 32 and said.parts[name] == (len(content), sha256(salt + content)),
             f"{name} is not what the record says")
    withheld = set(said.parts) - set(shown)
    if withheld & {"video.mp4", "photo.jpg"}:
        need(not set(shown) & (FACE_PARTS - {"video.mp4", "photo.jpg"}), "what shows a face was not withheld")
    # The way, from the newest bag that is there.
    way = sorted(map(int, names_in(f"{pack}/next"))) if os.path.isdir(f"{pack}/next") else []
    folders = {info.number: bag, **{number: f"{pack}/next/{number:09d}" for number in way}}
    infos = {number: read_info(contents(f"{folder}/bag-info.txt")) for number, folder in folders.items()}
    for number in way:
        need(infos[number].number == number and read_manifest(contents(f"{folders[number]}/{TAGMANIFEST}"), TAGMANIFEST)["bag-info.txt"]
             == sha256(contents(f"{folders[number]}/bag-info.txt")), "a later bag was changed")
        earlier = max(other for other in folders if other < number)
        digest = sha256(contents(f"{folders[earlier]}/{TAGMANIFEST}"))
        need((earlier == number - 1 and infos[number].previous == digest) or infos[number].skip == (earlier, digest), "the way is broken")
    anchored = not way or way[0] == info.number + 1 and infos[way[0]].anchor == anchor(bag)
    need(anchored, "the next bag names other signatures")
    times = []
    for number in sorted(folders):
        if tsa_ca and os.path.exists(f"{folders[number]}/{TOKEN}"):
            p7s = contents(f"{folders[number]}/{SIGNATURE}")
            stamp = cms.time_stamp(contents(f"{folders[number]}/{TOKEN}"), p7s)
            cms.signature(p7s, contents(f"{folders[number]}/{TAGMANIFEST}"))
            try:
                cms.check_chain(stamp.signed.leaf, stamp.signed.others, cms.certificates(contents(tsa_ca)), int(stamp.time), cms.TIME_STAMPING)
                times.append(stamp.time)
            except cms.NotAccepted:
                pass
    signed = cms.signature(contents(f"{bag}/{SIGNATURE}"), contents(f"{bag}/{TAGMANIFEST}"))
    cms.check_chain(signed.leaf, signed.others, cms.certificates(contents(signer_ca)), int(times[0]) if times else int(time.time()),
                    cms.EMAIL_PROTECTION)
    return {"record": record[0], "signer": cms.key_id(signed.leaf), "before": times[0] if times else None, "newest": times[-1] if times else None,
            "shown": shown, "withheld": sorted(withheld), "steps": len(way)}


# --- The command -----------------------------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("write", "read", "verify", "pack"))
    parser.add_argument("archive")
    parser.add_argument("parts", nargs="*")
    for option in ("--key", "--certificate", "--signer-ca", "--tsa-ca", "--head", "--continued"):
        parser.add_argument(option)
    parser.add_argument("--signer", action="append", default=[])
    given = parser.parse_intermixed_args()
    if given.verb == "write":
        if not os.path.exists(given.archive):
            init(given.archive, "example.com/python", serialization.load_pem_public_key(contents(given.key)),
                 [cms.key_id(cms.certificates(contents(given.certificate))[0])])
        parts = dict(part.split("=", 1) for part in given.parts)
        print(append(given.archive, {name: contents(path) for name, path in parts.items()}))
        close(given.archive, given.signer[0], given.certificate)
        return 0
    try:
        if given.verb == "pack":
            print(check_pack(given.archive, given.signer_ca, given.tsa_ca))
            return 0
        key: Any = serialization.load_pem_private_key(contents(given.key), None) if given.key else None
        if given.verb == "verify":
            state = verifier(given.archive, key, given.signer_ca, given.tsa_ca, expected=set(given.signer) or None, head=given.head,
                             continued=given.continued)
            for finding in state.run():
                print(finding.subject, finding.name, finding.state, finding.why, sep="\t")
            return 1 if any(finding.state == FAILS for finding in state.findings) else 0
        records = read(given.archive, key, given.signer_ca, given.tsa_ca)
    except (Refused, cms.Refused, cms.NotAccepted) as refusal:
        print(f"refused: {refusal}")
        return 1
    for record, what in sorted(records.items(), key=lambda item: (item[1]["bag"], item[0])):
        parts = " ".join(f"{name}={sha256(content)}" for name, content in (what["content"] or {}).items()) or "closed"
        print(record, what["bag"], what["about"] or "evidence", parts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
