# SPDX-License-Identifier: Apache-2.0
"""The archive, written from docs/ARCHIVE.md alone: makes one, reads one. Signatures and time are `openssl`'s.

    archive.py write ARCHIVE --key PUBLIC --signer KEY --certificate CERT PART=FILE…     one bag of one record
    archive.py read ARCHIVE [--key PRIVATE] [--signer-ca CA] [--tsa-ca CA]               says what it holds, or why not
"""

from __future__ import annotations

import argparse
import datetime
import decimal
import hashlib
import os
import re
import stat
import subprocess
import sys
from typing import Any, Optional

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from evidence_v2 import open_field, seal_field

LABEL = b"evidence-archive-1"
HEX32, HEX64 = r"[0-9a-f]{32}", r"[0-9a-f]{64}"
PART = r"[a-z0-9][a-z0-9._-]{0,63}"
NUMBER = r"0|[1-9][0-9]*"
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
TAG_FILES = ["bag-info.txt", "bagit.txt", "manifest-sha256.txt"]
TAGMANIFEST = "tagmanifest-sha256.txt"
SIGNATURE = f"signatures/{TAGMANIFEST}.p7s"
TOKEN = f"{SIGNATURE}.tsr"
EVIDENCE = {"report.json", "result.json", "video.mp4", "photo.jpg", "statement.json", "device.json"}
LABELS = ["Bag-Software-Agent", "Bagging-Date", "Payload-Oxum", "Evidence-Archive-Origin", "Evidence-Archive-Bag",
          "Evidence-Archive-Closed", "Evidence-Archive-Previous-SHA256", "Evidence-Archive-Previous-Token"]


class Refused(Exception):
    """Not an archive as the page has it: which file, and why."""


def need(holds: object, what: str) -> None:
    if not holds:
        raise Refused(what)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


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


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def key_id(key: Any) -> str:
    return sha256(key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo))


def derived(key: bytes, what: str, part: str) -> bytes:
    return HKDFExpand(hashes.SHA512(), 32, LABEL + f"/{what}/{part}".encode()).derive(key)


def context(record: str, part: str) -> bytes:
    return LABEL + f"\n{record}\n{part}\n".encode()


def sealed_size(size: int) -> int:
    return 56 + size + 16 * (size // 16_384 + 1)


def wrap(key: bytes, record: str, public_key: rsa.RSAPublicKey) -> bytes:
    return public_key.encrypt(LABEL + b"\n" + record.encode() + b"\n" + key, OAEP)


def unwrap(wrapped: bytes, record: str, private_key: rsa.RSAPrivateKey) -> bytes:
    message = private_key.decrypt(wrapped, OAEP)
    need(message[:-32] == LABEL + b"\n" + record.encode() + b"\n", f"the key of {record} is another record's")
    return message[-32:]


# --- Writing ---------------------------------------------------------------------------------------------------------


def init(archive: str, origin: str, public_key: rsa.RSAPublicKey) -> None:
    store(f"{archive}/archive.txt",
          f"evidence-archive 1\norigin {origin}\ncreated {now()}\nkey {key_id(public_key)}\n".encode())
    store(f"{archive}/keys/current.pem", public_key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    for folder in ("tmp", "incoming/data", "bags"):
        make_folder(f"{archive}/{folder}")
    store(f"{archive}/lock", b"")


def append(archive: str, parts: dict[str, bytes], about: str = "") -> str:
    record, key = os.urandom(16).hex(), os.urandom(32)
    public_key = serialization.load_pem_public_key(contents(f"{archive}/keys/current.pem"))
    lines = ["evidence-statement 1", f"record {record}", f"time {now()}"]
    for name, content in sorted(parts.items()):
        part_key = derived(key, "key", name)
        store(f"{archive}/tmp/{record}/{name}.sealed", seal_field(content, part_key, os.urandom(24), context(record, name)))
        lines.append(f"part {name} {len(content)} {sha256(derived(key, 'salt', name) + content)}")
    statement = "".join(line + "\n" for line in lines + ([about] if about else []))
    store(f"{archive}/tmp/{record}/statement", statement.encode())
    if parts:
        store(f"{archive}/keys/{key_id(public_key)}/{record[:2]}/{record}", wrap(key, record, public_key))
    os.rename(f"{archive}/tmp/{record}", f"{archive}/incoming/data/{record}")
    return record


def keys_of(archive: str, record: str) -> list[str]:
    """The archive keys that a record's key is wrapped for."""
    return [name for name in os.listdir(f"{archive}/keys") if os.path.exists(f"{archive}/keys/{name}/{record[:2]}/{record}")]


Records = dict[str, tuple[dict[str, tuple[int, str]], Optional[str]]]


def check_records(records: Records, earlier: Records, current: str) -> str:
    """Refuses what a record of a bag, or one that waits, cannot say: section 1.2. The key that is current afterwards."""
    rotations = set()
    for record, (parts, about) in records.items():
        what, value = about.split(" ") if about else ("", "")
        if what == "":
            need({"report.json", "result.json"} <= set(parts) <= EVIDENCE, f"{record}: other parts than evidence has")
        elif what == "erases":
            need(value != record and (records | earlier).get(value, ({}, None))[0], f"{record} erases what has no parts")
        elif what == "exports":
            need(value in earlier, f"{record} exports what is in no earlier bag")
        else:
            need(value != current, f"{record} rotates to the current key")
            rotations.add(value)
    need(len(rotations) < 2, "two new archive keys")
    return rotations.pop() if rotations else current


def closed_records(archive: str) -> tuple[Records, str]:
    """All records that are in bags, and the archive key that is current by them."""
    closed: Records = {}
    current = description(archive)["key"]
    for number in range(1, len(os.listdir(f"{archive}/bags")) + 1):
        records = read_bag(archive, number)
        current = check_records(records, closed, current)
        need(not set(records) & set(closed), f"bag {number} has a record that another one has")
        closed |= records
    return closed, current


def check_waiting(archive: str) -> None:
    """Refuses what a bag must not be closed over: section 5."""
    current = key_id(serialization.load_pem_public_key(contents(f"{archive}/keys/current.pem")))
    closed, named = closed_records(archive)
    erased = set()
    waiting = {}
    for record in names_in(f"{archive}/incoming/data"):
        folder = f"{archive}/incoming/data/{record}"
        need(record not in closed, f"{record} waits, and is in a bag")
        parts, about = waiting[record] = read_statement(contents(f"{folder}/statement"), record)
        need(set(names_in(folder)) == {"statement"} | {f"{name}.sealed" for name in parts}, f"{folder}: other files than it names")
        for name, (length, _) in parts.items():
            need(os.path.getsize(f"{folder}/{name}.sealed") == sealed_size(length), f"{folder}/{name}.sealed has another size")
    for _, about in (*closed.values(), *waiting.values()):
        if about and about.startswith("erases "):
            erased.add(about.split(" ")[1])
    named = check_records(waiting, closed, named)
    need(current == named, "keys/current.pem is not the key that the records name")
    for record, (parts, about) in waiting.items():
        begun = os.path.exists(f"{archive}/tmp/erase-{record}")
        need(not parts or keys_of(archive, record) or record in erased or begun, f"{record}: its key is gone, and nobody erased it")
        what, value = about.split(" ") if about else ("", "")
        if what == "erases":
            need(not keys_of(archive, value) or os.path.exists(f"{archive}/tmp/erase-{value}"), f"{record} erases what has a key")
        elif what == "rotates":
            others = [name for name in os.listdir(f"{archive}/keys") if name not in ("current.pem", value)]
            need(not any(names for other in others for _, _, names in os.walk(f"{archive}/keys/{other}")),
                 f"{record} names a key for which not all keys are wrapped")


def close(archive: str, signer: str, certificate: str) -> int:
    incoming = f"{archive}/incoming"
    check_waiting(archive)
    number = len(os.listdir(f"{archive}/bags")) + 1
    payload = {}
    for record in os.listdir(f"{incoming}/data"):
        for name in os.listdir(f"{incoming}/data/{record}"):
            payload[f"data/{record}/{name}"] = contents(f"{incoming}/data/{record}/{name}")
    previous = f"{archive}/bags/{number - 1:09d}"
    token = next((n for n in range(number - 1, 0, -1) if os.path.exists(f"{archive}/bags/{n:09d}/{TOKEN}")), None)
    closed = now()
    values = ["archive.py", closed[:10], f"{sum(map(len, payload.values()))}.{len(payload)}", description(archive)["origin"],
              str(number), closed, sha256(contents(f"{previous}/{TAGMANIFEST}" if number > 1 else f"{archive}/archive.txt"))]
    if token:
        values.append(f"{token} {sha256(contents(f'{archive}/bags/{token:09d}/{TOKEN}'))}")
    tags = {
        "bagit.txt": b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
        "bag-info.txt": "".join(f"{label}: {value}\n" for label, value in zip(LABELS, values)).encode(),
        "manifest-sha256.txt": manifest(payload),
    }
    for name, content in (*tags.items(), (TAGMANIFEST, manifest(tags))):
        store(f"{incoming}/{name}", content)
    store(f"{incoming}/{SIGNATURE}", openssl("cms", "-sign", "-binary", "-cades", "-md", "sha256", "-outform", "DER", "-signer",
                                             certificate, "-inkey", signer, "-in", f"{incoming}/{TAGMANIFEST}"))
    os.rename(incoming, f"{archive}/bags/{number:09d}")
    make_folder(f"{archive}/incoming/data")
    return number


def manifest(files: dict[str, bytes]) -> bytes:
    return "".join(f"{sha256(content)}  {path}\n" for path, content in sorted(files.items())).encode()


def openssl(*arguments: str) -> bytes:
    run = subprocess.run(["openssl", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    need(run.returncode == 0, f"openssl {' '.join(arguments[:2])}: {run.stderr.decode(errors='replace')[-300:]}")
    return run.stdout


# --- Reading ---------------------------------------------------------------------------------------------------------


def lines_of(data: bytes, what: str, limit: int) -> list[str]:
    need(len(data) <= limit, f"{what} is too long")
    need(re.fullmatch(rb"([\x20-\x7e]+\n)+", data), f"{what} is not lines of ASCII")
    return data.decode("ascii").split("\n")[:-1]


def description(archive: str) -> dict[str, str]:
    lines = lines_of(contents(f"{archive}/archive.txt"), "archive.txt", 1024)
    forms = ["evidence-archive 1", r"origin [A-Za-z0-9._/:-]{1,255}", f"created {MOMENT}", f"key {HEX64}"]
    need(len(lines) == 4 and all(map(re.fullmatch, forms, lines)), "archive.txt is not as the page has it")
    return {line.split(" ")[0]: line.split(" ")[1] for line in lines}


def names_in(path: str) -> list[str]:
    """The names in a folder, which has regular files and folders alone."""
    names = sorted(os.listdir(path))
    for name in names:
        mode = os.lstat(f"{path}/{name}").st_mode
        need(stat.S_ISREG(mode) or stat.S_ISDIR(mode), f"{path}/{name} is neither a file nor a folder")
    return names


def check_modes(path: str) -> None:
    for folder, _, names in os.walk(path):
        need(stat.S_IMODE(os.lstat(folder).st_mode) == 0o700, f"{folder} has another mode than 0700")
        for name in names:
            need(stat.S_IMODE(os.lstat(f"{folder}/{name}").st_mode) == 0o600, f"{folder}/{name} has another mode than 0600")


def read_statement(data: bytes, record: str) -> tuple[dict[str, tuple[int, str]], Optional[str]]:
    lines = lines_of(data, f"{record}/statement", 8192)
    need(lines[:2] == ["evidence-statement 1", f"record {record}"] and len(lines) > 2, f"{record}: not its statement")
    need(re.fullmatch(f"time {MOMENT}", lines[2]), f"{record}: no time")
    parts: dict[str, tuple[int, str]] = {}
    about = None
    for line in lines[3:]:
        need(about is None, f"{record}: something stands behind what it is about")
        if part := re.fullmatch(f"part ({PART}) ({NUMBER}) ({HEX64})", line):
            need(not parts or part[1] > max(parts), f"{record}: parts are not in order")
            need(int(part[2]) <= 2**32 and len(parts) < 32, f"{record}: too many or too large parts")
            parts[part[1]] = (int(part[2]), part[3])
        else:
            need(re.fullmatch(f"(erases|exports) {HEX32}|rotates {HEX64}", line), f"{record}: unknown line")
            about = line
    need(parts or about, f"{record}: holds nothing")
    need(not about or set(parts) <= {"note.txt"}, f"{record}: another part than a note beside what it is about")
    return parts, about


def read_manifest(data: bytes, what: str) -> dict[str, str]:
    digests: dict[str, str] = {}
    last = ""
    for line in lines_of(data, what, 64 << 20):
        found = re.fullmatch(f"({HEX64})  (\\S+)", line)
        need(found and found[2] > last, f"{what}: a line is not as it must be, or out of order")
        last = found[2]
        digests[found[2]] = found[1]
    return digests


def read_bag(archive: str, number: int) -> Records:
    """The records of a bag whose files are what its manifests say, and which follows the one before."""
    bag = f"{archive}/bags/{number:09d}"
    need(names_in(bag) == sorted([*TAG_FILES, TAGMANIFEST, "data", "signatures"]), f"{bag}: other names than it must have")
    need(names_in(f"{bag}/signatures") in ([os.path.basename(SIGNATURE)], [os.path.basename(SIGNATURE), os.path.basename(TOKEN)]),
         f"{bag}/signatures: other names than it must have")
    need(contents(f"{bag}/bagit.txt") == b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n", f"{bag}/bagit.txt")
    tags = read_manifest(contents(f"{bag}/{TAGMANIFEST}"), TAGMANIFEST)
    need(tags == {name: sha256(contents(f"{bag}/{name}")) for name in TAG_FILES}, f"{bag}/{TAGMANIFEST} does not hold")
    digests = read_manifest(contents(f"{bag}/manifest-sha256.txt"), "manifest-sha256.txt")
    records, found, size = {}, set(), 0
    for record in names_in(f"{bag}/data"):
        need(re.fullmatch(HEX32, record), f"{bag}/data/{record}: not a record's name")
        folder = f"{bag}/data/{record}"
        names = names_in(folder)
        need("statement" in names, f"{folder}: no statement")
        parts, about = read_statement(contents(f"{folder}/statement"), record)
        need(set(names) == {"statement"} | {f"{name}.sealed" for name in parts}, f"{folder}: other files than its statement names")
        for name, (length, _) in parts.items():
            need(os.path.getsize(f"{folder}/{name}.sealed") == sealed_size(length), f"{folder}/{name}.sealed has another size")
        for name in names:
            data = contents(f"{folder}/{name}")
            size += len(data)
            found.add(f"data/{record}/{name}")
            need(digests.get(f"data/{record}/{name}") == sha256(data), f"{folder}/{name} is not what the manifest says")
        records[record] = (parts, about)
    need(found == set(digests) and 1 <= len(records) <= 16_384, f"{bag}: the manifest names what is not there")
    lines = lines_of(contents(f"{bag}/bag-info.txt"), "bag-info.txt", 4096)
    info = dict(line.split(": ", 1) for line in lines)
    need([line.split(": ", 1)[0] for line in lines] in (LABELS, LABELS[:-1]), f"{bag}/bag-info.txt: labels")
    previous = f"{archive}/bags/{number - 1:09d}/{TAGMANIFEST}" if number > 1 else f"{archive}/archive.txt"
    need(info[LABELS[2]] == f"{size}.{len(found)}" and info[LABELS[3]] == description(archive)["origin"]
         and info[LABELS[4]] == str(number) and re.fullmatch(MOMENT, info[LABELS[5]])
         and info[LABELS[5]].startswith(info[LABELS[1]]), f"{bag}/bag-info.txt does not hold")
    need(info[LABELS[6]] == sha256(contents(previous)), f"{bag} does not follow the bag before it")
    if LABELS[7] in info:
        token = re.fullmatch(f"([1-9][0-9]*) ({HEX64})", info[LABELS[7]])
        need(token and int(token[1]) < number, f"{bag}: no earlier bag's token")
        need(sha256(contents(f"{archive}/bags/{int(token[1]):09d}/{TOKEN}")) == token[2], f"{bag}: another token than it names")
    return records


def holds(*arguments: str) -> bool:
    try:
        openssl(*arguments)
        return True
    except Refused:
        return False


def token_time(bag: str, tsa_ca: str) -> Optional[decimal.Decimal]:
    """The time of a bag's token that holds, in seconds since 1970 with all digits of their fraction, where the signature under
    it is over the bag's tag manifest and has its digest."""
    if not os.path.exists(f"{bag}/{TOKEN}"):
        return None
    text = openssl("ts", "-reply", "-in", f"{bag}/{TOKEN}", "-text").decode()
    # Only what the authority signed: the status before it may have any text.
    text = text[text.rindex("TST info:\n"):]
    shown = re.search(r"Time stamp: (\w+ +\d+ [\d:]+)(\.\d+)? (\d+) GMT\n", text)
    if not shown:
        return None
    moment = datetime.datetime.strptime(f"{shown[1]} {shown[3]}", "%b %d %H:%M:%S %Y")
    seconds = int(moment.replace(tzinfo=datetime.timezone.utc).timestamp())
    words = ["ts", "-verify", "-data", f"{bag}/{SIGNATURE}", "-in", f"{bag}/{TOKEN}", "-CAfile", tsa_ca]
    over = ["cms", "-verify", "-noverify", "-binary", "-inform", "DER", "-in", f"{bag}/{SIGNATURE}", "-content",
            f"{bag}/{TAGMANIFEST}", "-out", os.devnull]
    if not holds(*words, "-attime", str(seconds)) or not holds(*over):
        return None
    structure = openssl("asn1parse", "-inform", "DER", "-in", f"{bag}/{SIGNATURE}").decode()
    has_digest = f"[HEX DUMP]:{sha256(contents(f'{bag}/{TAGMANIFEST}')).upper()}\n" in structure
    return decimal.Decimal(f"{seconds}{shown[2] or ''}") if has_digest and "signingCertificateV2" in structure else None


def covering_time(archive: str, number: int, tsa_ca: str) -> Optional[decimal.Decimal]:
    """The time of the token that covers a bag: its own, or the first later one that holds and leads back to it."""
    while True:
        bag, following = f"{archive}/bags/{number:09d}", f"{archive}/bags/{number + 1:09d}"
        if (seconds := token_time(bag, tsa_ca)) is not None:
            return seconds
        if not os.path.isdir(following):
            return None
        info = contents(f"{following}/bag-info.txt")
        named = read_manifest(contents(f"{following}/{TAGMANIFEST}"), TAGMANIFEST).get("bag-info.txt")
        digest = sha256(contents(f"{bag}/{TAGMANIFEST}"))
        if named != sha256(info) or f"{LABELS[6]}: {digest}\n".encode() not in info:
            return None
        number += 1


def check_signatures(archive: str, number: int, signer_ca: Optional[str], tsa_ca: Optional[str]) -> Optional[decimal.Decimal]:
    """Refuses what does not hold; the moment before which the bag was closed, where a token says so."""
    bag = f"{archive}/bags/{number:09d}"
    moment = covering_time(archive, number, tsa_ca) if tsa_ca else None
    if tsa_ca and os.path.exists(f"{bag}/{TOKEN}"):
        need(token_time(bag, tsa_ca) is not None, f"{bag}: its time stamp does not hold")
    named = re.search(f"^{LABELS[7]}: (.*) ", contents(f"{bag}/bag-info.txt").decode(), re.MULTILINE)
    after = token_time(f"{archive}/bags/{int(named[1]):09d}", tsa_ca) if tsa_ca and named else None
    need(moment is None or after is None or after <= moment, f"{bag}: its time stamp is earlier than the one that it names")
    if signer_ca:
        openssl("cms", "-verify", "-binary", "-cades", "-inform", "DER", "-in", f"{bag}/{SIGNATURE}", "-content",
                f"{bag}/{TAGMANIFEST}", "-CAfile", signer_ca, "-no-CApath", "-no-CAstore", "-out", os.devnull, *(["-attime", str(int(moment))] if moment else []))
    return moment


def open_part(archive: str, bag: str, record: str, name: str, part: tuple[int, str], private_key: rsa.RSAPrivateKey) -> bytes:
    wrapped = contents(f"{archive}/keys/{key_id(private_key.public_key())}/{record[:2]}/{record}")
    key = unwrap(wrapped, record, private_key)
    content = open_field(contents(f"{bag}/data/{record}/{name}.sealed"), derived(key, "key", name), context(record, name))
    need(len(content) == part[0] and sha256(derived(key, "salt", name) + content) == part[1],
         f"{record}/{name} is not what the statement says")
    return content


def read(archive: str, private_key: Optional[rsa.RSAPrivateKey] = None, signer_ca: Optional[str] = None,
         tsa_ca: Optional[str] = None) -> dict[str, dict[str, Any]]:
    """Every record: its parts (their content, where its key is there and given), and what it is about."""
    need(names_in(archive) == ["archive.txt", "bags", "incoming", "keys", "lock", "tmp"], f"{archive}: other names than it must have")
    description(archive)
    found: dict[str, dict[str, Any]] = {}
    bags = names_in(f"{archive}/bags")
    need(bags == [f"{number:09d}" for number in range(1, len(bags) + 1)], f"{archive}/bags: a bag is missing")
    closed, _ = closed_records(archive)
    erased = {about.split(" ")[1] for _, about in closed.values() if about and about.startswith("erases ")}
    for number in range(1, len(bags) + 1):
        bag = f"{archive}/bags/{number:09d}"
        check_modes(bag)
        for record, (parts, about) in read_bag(archive, number).items():
            key_file = private_key and f"{archive}/keys/{key_id(private_key.public_key())}/{record[:2]}/{record}"
            opened = {name: open_part(archive, bag, record, name, part, private_key) for name, part in parts.items()} \
                if key_file and os.path.exists(key_file) and record not in erased else None
            found[record] = {"bag": number, "parts": parts, "about": about, "content": opened}
        before = check_signatures(archive, number, signer_ca, tsa_ca)
        for one in found.values():
            if one["bag"] == number:
                one["before"] = before
    return found


# --- The command -----------------------------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("write", "read"))
    parser.add_argument("archive")
    parser.add_argument("parts", nargs="*")
    for option in ("--key", "--signer", "--certificate", "--signer-ca", "--tsa-ca"):
        parser.add_argument(option)
    given = parser.parse_intermixed_args()
    if given.verb == "write":
        if not os.path.exists(given.archive):
            init(given.archive, "example.com/python", serialization.load_pem_public_key(contents(given.key)))
        parts = dict(part.split("=", 1) for part in given.parts)
        print(append(given.archive, {name: contents(path) for name, path in parts.items()}))
        close(given.archive, given.signer, given.certificate)
        return 0
    key = given.key and serialization.load_pem_private_key(contents(given.key), None)
    try:
        records = read(given.archive, key, given.signer_ca, given.tsa_ca)
    except Refused as refusal:
        print(f"refused: {refusal}")
        return 1
    for record, what in sorted(records.items(), key=lambda item: (item[1]["bag"], item[0])):
        parts = " ".join(f"{name}={sha256(content)}" for name, content in (what["content"] or {}).items()) or "closed"
        print(record, what["bag"], what["about"] or "evidence", parts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
