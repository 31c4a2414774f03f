#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/ARCHIVE.md promises, with tools that are not ours: openssl, sha256sum, bagit, and the Python that was written
from the page.

`check-archive.py EVIDENCE-ARCHIVE EVIDENCE-TOOL [--long]` needs the Python packages cryptography, bagit and jsonschema, strace, faketime, zsh and busybox.
"""

from __future__ import annotations

import datetime
import glob
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import bagit
from cryptography.hazmat.primitives import serialization
from jsonschema import Draft202012Validator

import schemas

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
VECTORS = os.path.join(ROOT, "TestVectors")
sys.path.insert(0, os.path.join(VECTORS, "generate"))

import archive as page  # noqa: E402
import cms  # noqa: E402
import der  # noqa: E402
from archive_outline import write_about  # noqa: E402

KEYS = os.path.join(VECTORS, "keys")
TICKET = "XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS"


class Bench:
    """The tool, an authority for signatures, one for times, and an archive of two bags, of which the first is stamped."""

    def __init__(self, tool: str, assembler: str, folder: str, is_long: bool) -> None:
        self.tool, self.folder, self.is_long = tool, folder, is_long
        os.chdir(folder)
        self.make_authorities()
        with open("ticket", "w", encoding="ascii") as file:
            file.write(TICKET + "\n")
        for order in ("ord1", "ord2", "canary0rder"):
            subprocess.run([assembler, "assemble", "--public", f"{KEYS}/rsa3072.public.pem", "--compare-public",
                            f"{KEYS}/other3072.public.pem", "--order-no", order, "--app-id", "CANARYAP", "--user-id", "canary-user",
                            "--ticket-file", "ticket", "--video", f"{VECTORS}/media/clip.mp4", "--image", f"{VECTORS}/media/photo.jpg",
                            "-o", f"{order}.json"], check=True, capture_output=True, stdin=subprocess.DEVNULL)
        self.run("init", "A", "--origin", "example.com/check", "--public", "archive.pub", "--signer", "signer.pem")
        self.records = [self.append("A", "ord1"), self.append("A", "ord2")]
        self.close("A")
        self.stamp("A")
        self.records.append(self.append("A", "canary0rder"))
        self.close("A")

    @classmethod
    def again(cls, tool: str, folder: str) -> "Bench":
        """What another process made there."""
        bench = cls.__new__(cls)
        bench.tool, bench.folder = tool, folder
        os.chdir(folder)
        return bench

    def run(self, *words: str, status: int | None = 0, **options: object) -> subprocess.CompletedProcess:
        done = subprocess.run([self.tool, *words], capture_output=True, timeout=options.pop("timeout", 120), stdin=subprocess.DEVNULL,
                              **options)
        assert status is None or done.returncode == status, (words, done.returncode, done.stdout[-2000:], done.stderr)
        return done

    def append(self, archive: str, order: str) -> str:
        return self.run(*self.appending(archive, order)).stdout.decode().strip()

    def appending(self, archive: str, order: str) -> list[str]:
        return ["append", archive, "--key", f"{KEYS}/rsa3072.pem", "--compare-key", f"{KEYS}/other3072.pem",
                "--ticket-file", "ticket", "--app-id", "CANARYAP", "--order-no", order, f"{order}.json"]

    def close(self, archive: str) -> None:
        self.run("close", archive, "--signer", "signer.key", "--certificate", "signer.pem")

    def stamp(self, archive: str) -> None:
        self.run(*self.stamping(archive))

    def stamping(self, archive: str) -> list[str]:
        """Asks the authority; the words that keep what it answers."""
        for name in ("q.tsq", "r.tsr"):
            if os.path.exists(name):
                os.remove(name)
        self.run("stamp", archive, "--query", "q.tsq")
        openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "q.tsq", "-signer", "tsa.pem", "-inkey", "tsa.key", "-out", "r.tsr")
        return ["stamp", archive, "--query", "q.tsq", "--reply", "r.tsr", "--tsa-ca", "tsaca.pem"]

    def verify(self, archive: str, *more: str, status: int | None = None) -> subprocess.CompletedProcess:
        return self.run(*self.verifying(archive), *more, status=status)

    def verifying(self, archive: str) -> list[str]:
        return ["verify", archive, "--all", "--signer-ca", "ca.pem", "--tsa-ca", "tsaca.pem", "--signer", "signer.pem"]

    def export(self, archive: str, record: str, *more: str, prefix: tuple[str, ...] = (), status: int = 0) -> subprocess.CompletedProcess:
        """The record's pack, as the folder `pack`."""
        done = subprocess.run([*prefix, self.tool, *self.exporting(archive, record), *more], capture_output=True, stdin=subprocess.DEVNULL)
        assert done.returncode == status, (done.returncode, done.stderr)
        if status == 0:
            taken_out(record)
        return done

    def exporting(self, archive: str, record: str) -> list[str]:
        return ["export", archive, "--record", record, "--key", "archive.key", "--signer-ca", "ca.pem", "--tsa-ca", "tsaca.pem",
                "-o", "pack"]

    def make_authorities(self) -> None:
        for name in ("ca", "tsaca"):
            openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days",
                    "30", "-subj", f"/CN={name}")
        for name, issuer, usage in (("signer", "ca", "emailProtection"), ("tsa", "tsaca", "critical,timeStamping"),
                                    ("wrongtsa", "tsaca", "emailProtection")):
            openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
            with open("ext", "w", encoding="ascii") as file:
                file.write(f"keyUsage=critical,digitalSignature\nextendedKeyUsage={usage}\n")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key", "-days", "20", "-out",
                    f"{name}.pem", "-extfile", "ext")
        for name in ("archive", "new"):
            openssl("genrsa", "-out", f"{name}.key", "3072")
            openssl("pkey", "-in", f"{name}.key", "-pubout", "-out", f"{name}.pub")
        with open("tsa.cnf", "w", encoding="ascii") as file:
            file.write("[tsa]\ndefault_tsa=t\n[t]\nserial=serial\nsigner_digest=sha256\ness_cert_id_alg=sha256\ndefault_policy=1.2.3.4.1\n"
                       "digests=sha256,sha1\ness_cert_id_chain=no\n")
        with open("serial", "w", encoding="ascii") as file:
            file.write("1000\n")


def openssl(*words: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(["openssl", *words], capture_output=True, input=stdin)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def key_id(certificate: str) -> str:
    return cms.key_id(cms.certificates(page.contents(certificate))[0])


def private_key(path: str):
    with open(path, "rb") as file:
        return serialization.load_pem_private_key(file.read(), None)


def taken_out(record: str) -> None:
    """Of a folder of packs, the one of that record, in its place."""
    os.rename("pack", "packs")
    os.rename(f"packs/{record}", "pack")
    shutil.rmtree("packs")


def script(*words: str, times: bool = True) -> list[str]:
    """How a court runs the script, with its own certificates."""
    return [*words, "ca.pem", *(["tsaca.pem"] if times else [])]


def copied(name: str = "C", source: str = "A") -> str:
    shutil.rmtree(name, ignore_errors=True)
    shutil.copytree(source, name)
    return name


# --- What holds ------------------------------------------------------------------------------------------------------


def both_ways(bench: Bench) -> str:
    """The page's Python reads what the tool wrote, the tool what Python wrote; bagit finds both valid."""
    found = page.read("A", private_key("archive.key"), "ca.pem", "tsaca.pem")
    assert set(found) == set(bench.records)
    for order, record in zip(("ord1", "ord2", "canary0rder"), bench.records):
        with open(f"{order}.json", "rb") as file:
            assert found[record]["content"]["result.json"] == file.read()
        report = json.loads(found[record]["content"]["report.json"])
        assert report["verdict"] == "holds" and set(found[record]["parts"]) == {
            "result.json", "outline.json", "report.json", "video.mp4", "video.key", "photo.jpg", "statement.json", "statement.key"}, found[record]["parts"]
    with open("archive.pub", "rb") as file:
        page.init("P", "example.com/python", serialization.load_pem_public_key(file.read()), [key_id("signer.pem")])
    written = {}
    for size in (0, 1, 16_383, 16_384, 16_385, 300_000):
        content = random.Random(size).randbytes(size)
        written[page.append("P", {"video.mp4": content, "result.json": b"", "report.json": b""})] = content
    page.close("P", "signer.key", "signer.pem")
    first, second, *_ = written
    page.append("P", {}, f"exports {first}")
    page.append("P", {"attached-01": b"late"}, f"adds {second}")
    page.append("P", {}, f"opens {first}")
    hold = page.append("P", {"about.json": write_about(by="clerk", reason="a lawsuit")}, f"holds {second}")
    page.append("P", {}, f"keeps {second} 2036-11-22")
    page.close("P", "signer.key", "signer.pem", shortens={"additions": 1})
    page.append("P", {}, f"releases {hold}")
    page.close("P", "signer.key", "signer.pem", shortens={"releases": 1})
    bench.stamp("P")
    bench.verify("P", "--key", "archive.key", status=0)
    for record, content in written.items():
        bench.export("P", record)
        with open("pack/parts/video.mp4", "rb") as file:
            assert file.read() == content
        subprocess.run(script("sh", "pack/verify.sh"), check=True, capture_output=True)
        shown = page.check_pack("pack", "ca.pem", "tsaca.pem")
        assert shown["record"] == record and shown["signer"] == key_id("signer.pem") and shown["before"] and not shown["withheld"], shown
        # The sender's certificates show nothing.
        done = subprocess.run(["sh", "pack/verify.sh"], capture_output=True)
        assert done.returncode == 4 and b"not checked" in done.stdout, done
        # A folder is no part, though it has no bytes as an empty one has.
        os.remove("pack/parts/result.json")
        os.mkdir("pack/parts/result.json")
        done = subprocess.run(script("sh", "pack/verify.sh"), capture_output=True)
        assert done.returncode == 1 and b"missing: parts/result.json" in done.stdout, done
        shutil.rmtree("pack")
    for bag in ("A/bags/000000001", "A/bags/000000002", "P/bags/000000001", "P/bags/000000002", "P/bags/000000003"):
        bagit.Bag(bag).validate()
    return f"{len(found)} records read, {len(written)} written and opened, 5 bags valid"


def no_personal_data(bench: Bench) -> str:
    """Nothing about a person but in sealed files: not in a bag, not beside it."""
    count = 0
    for folder, _, names in os.walk("A"):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            assert b"canary" not in data.lower(), (folder, name)
            assert b"canary" not in os.path.join(folder, name).lower().encode()
            count += 1
    return f"{count} files"


def every_change(bench: Bench) -> str:
    """Whatever is changed in a bag, `verify` fails and says where; so do stock tools, where the page says so."""
    count = 0
    generator = random.Random(20)
    bag = "bags/000000001"
    record = sorted(os.listdir(f"A/{bag}/data"))[0]
    files = [*page.TAG_FILES, page.TAGMANIFEST, page.SIGNATURE, page.TOKEN]
    files += [f"data/{record}/{name}" for name in os.listdir(f"A/{bag}/data/{record}")]
    for path in files:
        with open(f"A/{bag}/{path}", "rb") as file:
            data = file.read()
        places = range(0, len(data), max(1, len(data) // (64 if bench.is_long else 4)))
        changes = [(f"byte {place}", data[:place] + bytes([data[place] ^ 1 << generator.randrange(8)]) + data[place + 1:])
                   for place in places]
        changes += [("cut", data[:-1]), ("empty", b""), ("longer", data + b"\n")]
        for what, changed in changes:
            copied()
            with open(f"C/{bag}/{path}", "wb") as file:
                file.write(changed)
            done = bench.verify("C")
            if done.returncode != 1:
                # What a signature or a token says beside itself (unsigned attributes, a certificate more) may change.
                assert path in (page.SIGNATURE, page.TOKEN) and done.returncode in (0, 4), (path, what, done.returncode, done.stderr)
                assert not [one for one in page.verifier("C", None, "ca.pem", "tsaca.pem").run() if one.subject == "bag 1" and one.state == "fails"]
            elif path.startswith("data/"):
                assert path.encode() in done.stdout or record.encode() in done.stdout, (path, what, done.stdout)
            count += 1
        copied()
        os.remove(f"C/{bag}/{path}")
        assert bench.verify("C").returncode == (4 if path == page.TOKEN else 1) or path == page.TOKEN, path
        count += 1
    return f"{count} changes"


def hostile(bench: Bench) -> str:
    """Every hostile bag is refused by name, and nothing outside the archive is opened (strace)."""
    os.makedirs("outside", exist_ok=True)
    with open("outside/secret", "w", encoding="ascii") as file:
        file.write("outside\n")
    bag, digest = "C/bags/000000001", page.sha256(b"outside\n")
    record = sorted(os.listdir("A/bags/000000001/data"))[0]
    outside = os.path.realpath("outside/secret")
    lines = {
        "absolute path": f"{digest}  {outside}\n", "up and out": f"{digest}  data/../../../../outside/secret\n",
        "device": f"{digest}  /dev/zero\n", "home": f"{digest}  ~/secret\n", "backslash": f"{digest}  data\\{record}\\statement\n",
        "percent": f"{digest}  data/{record}/%73tatement\n", "mark first": f"\ufeff{digest}  data/{record}/statement\n",
        "carriage return": f"{digest}  data/{record}/statement\r\n", "NUL": f"{digest}  data/{record}/state\0ment\n",
        "not ASCII": f"{digest}  data/{record}/stätement\n", "one space": f"{digest} data/{record}/statement\n",
        "star": f"{digest} *data/{record}/statement\n", "upper case": f"{digest.upper()}  data/{record}/statement\n",
        "upper-case record": f"{digest}  data/{record.upper()}/statement\n", "long": f"{digest}  data/{record}/{'a' * 4096}.sealed\n",
        "escaped": f"\\{digest}  data/{record}/statement\n", "empty line": "\n", "no line feed": f"{digest}  data/{record}/statement",
    }
    cases: dict[str, object] = {}

    def manifest(text: str):
        def change() -> None:
            with open(f"{bag}/manifest-sha256.txt", "ab") as file:
                file.write(text.encode())
        return change

    for name, text in lines.items():
        cases[f"manifest: {name}"] = manifest(text)
    with open("A/bags/000000001/manifest-sha256.txt", encoding="ascii") as file:
        first = file.readline()
    cases["manifest: a line twice"] = manifest(first)

    def entry(path: str, make):
        def change() -> None:
            full = f"{bag}/{path}"
            if os.path.lexists(full):
                shutil.rmtree(full) if os.path.isdir(full) and not os.path.islink(full) else os.remove(full)
            make(full)
        return change

    def fifo(path: str) -> None:
        os.mkfifo(path)

    def link(path: str) -> None:
        os.symlink(outside, path)

    def folder_link(path: str) -> None:
        os.symlink(os.path.dirname(outside), path)

    def file(path: str) -> None:
        with open(path, "w", encoding="ascii") as file:
            file.write("x\n")

    for path in ("manifest-sha256.txt", "tagmanifest-sha256.txt", "bag-info.txt", "bagit.txt", f"data/{record}/statement",
                 f"data/{record}/video.mp4.sealed", page.SIGNATURE, page.TOKEN):
        cases[f"link as {path}"] = entry(path, link)
        cases[f"FIFO as {path}"] = entry(path, fifo)
        cases[f"folder as {path}"] = entry(path, os.mkdir)
    for path in ("data", f"data/{record}", "signatures"):
        cases[f"link to a folder as {path}"] = entry(path, folder_link)
        cases[f"file as {path}"] = entry(path, file)
    if os.geteuid() == 0:
        cases["a device as a part"] = entry(f"data/{record}/video.mp4.sealed", lambda path: os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5)))
    for name in ("extra", ".extra", "fetch.txt", "a\nb", "\\", "é", "e\u0301", "MANIFEST-SHA256.TXT", "~x", "a" * 255):
        cases[f"an entry more: {name[:20]!r}"] = entry(name, file)
        cases[f"an entry more in data: {name[:20]!r}"] = entry(f"data/{name}", file)
        cases[f"an entry more in a record: {name[:20]!r}"] = entry(f"data/{record}/{name}", file)
        cases[f"an entry more in signatures: {name[:20]!r}"] = entry(f"signatures/{name}", file)
    cases["a name that is not UTF-8"] = lambda: file(os.fsencode(f"{bag}/data/{record}/") + b"\xff.sealed")  # type: ignore[arg-type]
    cases["case twin of a record"] = entry(f"data/{record.upper()}", os.mkdir)
    cases["link beside the bags"] = lambda: os.symlink(os.path.dirname(outside), "C/bags/000000003")
    cases["file beside the bags"] = lambda: file("C/bags/x")
    cases["archive.txt is a link"] = lambda: (os.remove("C/archive.txt"), os.symlink(outside, "C/archive.txt"))
    cases["keys/current.pem is a link"] = lambda: (os.remove("C/keys/current.pem"), os.symlink(outside, "C/keys/current.pem"))
    for name, change in cases.items():
        copied()
        try:
            change()  # type: ignore[operator]
        except OSError as error:
            print(f"    left out: {name}: {error}")
            continue
        trace = ["strace", "-f", "-qq", "-o", "trace", "-e", "trace=open,openat,openat2"]
        done = subprocess.run([*trace, bench.tool, "verify", "C", "--require", "structure"], capture_output=True, timeout=60)
        assert done.returncode == 1, (name, done.returncode, done.stdout[-500:], done.stderr)
        assert not done.stderr.startswith(b"evidence-archive: error: cannot"), (name, done.stderr)
        with open("trace", "rb") as opened:
            calls = opened.read()
        # A link is met with O_NOFOLLOW at most, and is never followed.
        for line in calls.splitlines():
            path = line.split(b'"')[1] if b"(" in line and line.count(b'"') >= 2 else b""
            assert not path.endswith(b"secret") and path != b"/dev/zero" and b".." not in path, (name, line)
    return f"{len(cases)} hostile archives"


def wrong_times(bench: Bench) -> str:
    """A token by a certificate of the authority that is for another purpose is refused."""
    copied()
    bench.run("stamp", "C", "--query", "wrong.tsq")
    openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "wrong.tsq", "-signer", "tsa.pem", "-inkey", "tsa.key", "-out", "right.tsr")
    openssl("ts", "-reply", "-in", "right.tsr", "-token_out", "-out", "right.token")
    info = openssl("cms", "-verify", "-inform", "DER", "-in", "right.token", "-noverify", "-binary")
    for signer in ("tsa", "wrongtsa"):
        token = openssl("cms", "-sign", "-binary", "-nodetach", "-cades", "-md", "sha256", "-econtent_type",
                        "1.2.840.113549.1.9.16.1.4", "-outform", "DER", "-signer", f"{signer}.pem", "-inkey", f"{signer}.key", stdin=info)
        with open("made.tsr", "wb") as file:
            file.write(der.sequence(der.sequence(der.integer(0)), token))
        done = bench.run("stamp", "C", "--query", "wrong.tsq", "--reply", "made.tsr", "--tsa-ca", "tsaca.pem", status=None)
        if signer == "wrongtsa":
            assert done.returncode == 1 and b"unsuitable certificate purpose" in done.stderr, done
            bench.run("stamp", "C", "--query", "wrong.tsq", "--reply", "right.tsr", "--tsa-ca", "tsaca.pem")
        else:
            # The same bytes by the right certificate, or this would show nothing.
            assert done.returncode == 0, done.stderr
            copied()
    return "refused; the same by the right one is taken"


def fractions(bench: Bench) -> str:
    """Tokens of one second are ordered by their fractions, of any length, and shown with them: by the command, by Python, by a
    proof pack. Certificates must be valid at the time of the token, also where they are now."""

    def reply(signer: str, fraction: str, second: str = "") -> str:
        """A token for the newest bag, at a second; the second."""
        for name in ("q.tsq", "r.tsr"):
            if os.path.exists(name):
                os.remove(name)
        bench.run("stamp", "C", "--query", "q.tsq")
        openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "q.tsq", "-signer", "tsa.pem", "-inkey", "tsa.key", "-out", "r.tsr")
        token = openssl("ts", "-reply", "-in", "r.tsr", "-token_out")
        info = openssl("cms", "-verify", "-inform", "DER", "-noverify", "-binary", stdin=token)
        there = re.search(rb"\x18\x0f(\d{14})Z", info)
        second = second or there[1].decode()
        begun = 4 if info[1] == 0x82 else 3 if info[1] == 0x81 else 2
        made = der.tagged(0x18, f"{second}{fraction}Z".encode())
        info = der.tagged(0x30, info[begun:there.start()] + made + info[there.end():])
        token = openssl("cms", "-sign", "-binary", "-nodetach", "-cades", "-md", "sha256", "-econtent_type", "1.2.840.113549.1.9.16.1.4",
                        "-outform", "DER", "-signer", f"{signer}.pem", "-inkey", "tsa.key", stdin=info)
        with open("r.tsr", "wb") as file:
            file.write(der.sequence(der.sequence(der.integer(0)), token))
        return second

    keeping = ["stamp", "C", "--query", "q.tsq", "--reply", "r.tsr", "--tsa-ca", "tsaca.pem"]
    # What is no time of DER, or a second that a clock does not have.
    for fraction, seconds in ((".", ""), ("", "60"), (".5.", "")):
        copied()
        second = reply("tsa", "")
        reply("tsa", fraction, second[:12] + (seconds or second[12:]))
        assert b"no readable time" in bench.run(*keeping, status=1).stderr, (fraction, seconds)
    many = "9" * 40
    pairs = [(".987", ".100"), (".5", ""), (f".{many}1", f".{many}"), (".100", ".987"), (".50", ".5"), (f".{many}", f".{many}1")]
    for number, (first, second) in enumerate(pairs):
        copied("C", "A")
        record = bench.append("C", "ord1")
        bench.close("C")
        moment = reply("tsa", first)
        bench.run(*keeping)
        record = bench.append("C", "ord2")
        bench.close("C")
        reply("tsa", second, moment)
        date = f"{moment[:4]}-{moment[4:6]}-{moment[6:8]}T{moment[8:10]}:{moment[10:12]}:{moment[12:]}"
        shown = [date + (fraction.rstrip("0") if fraction else "") + "Z" for fraction in (first, second)]
        if number < 3:
            done = bench.run(*keeping, status=1)
            assert f"is of {shown[1]}, but the bag names one of {shown[0]}, which is later".encode() in done.stderr, done.stderr
            shutil.copy("r.tsr", f"C/bags/000000004/{page.TOKEN}")
            os.chmod(f"C/bags/000000004/{page.TOKEN}", 0o600)
            assert b"bag 4  time  fails: the time stamp is of " in bench.verify("C", status=1).stdout
            bench.export("C", record, status=1)
            try:
                page.read("C", None, "ca.pem", "tsaca.pem")
                raise SystemExit("Python reads times that contradict each other")
            except page.Refused as refusal:
                assert "earlier than the one that it names" in str(refusal), refusal
            continue
        assert f"bag 4: {shown[1]} serial ".encode() in bench.run(*keeping).stdout
        when = f"at {shown[0]}, the time of both time stamps" if shown[0] == shown[1] else f"after {shown[0]} and before {shown[1]}"
        # The second is that of the earlier token, so the bag may have been closed in a later one.
        claim = "(; the bag says that it was closed at [^ ]*, which is later)?"
        line = re.compile(f"^bag 4  time  holds: closed {re.escape(when)}{claim}$".encode(), re.MULTILINE)
        assert line.search(bench.verify("C", status=0).stdout), when
        times = [str(record["before"]).partition(".")[2] for record in page.read("C", None, "ca.pem", "tsaca.pem").values() if record["bag"] in (3, 4)]
        assert times == [first[1:], second[1:]], times
        bench.export("C", record)
        with open("pack/page.html", encoding="utf-8") as file:
            text = file.read()
        assert all(f"{time}<" in text for time in shown), shown
        said = subprocess.run(script("sh", "pack/verify.sh"), check=True, capture_output=True).stdout.decode()
        assert all(f": {date}{fraction}" in said for fraction in (first, second)), said
        shutil.rmtree("pack")
    # The authority's own fractions, and a certificate that is younger than the token.
    copied()
    with open("tsa.cnf", encoding="ascii") as file, open("fine.cnf", "w", encoding="ascii") as fine:
        fine.write(file.read() + "clock_precision_digits=6\n")
    bench.run("stamp", "C", "--query", "fine.tsq")
    openssl("ts", "-reply", "-config", "fine.cnf", "-queryfile", "fine.tsq", "-signer", "tsa.pem", "-inkey", "tsa.key", "-out", "fine.tsr")
    done = bench.run("stamp", "C", "--query", "fine.tsq", "--reply", "fine.tsr", "--tsa-ca", "tsaca.pem")
    assert re.fullmatch(rb"bag 2: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z serial [0-9A-F]+\n", done.stdout), done.stdout
    copied()
    young = f"C/bags/000000001/{page.TOKEN}"
    os.remove(young)
    shutil.rmtree("C/bags/000000002")
    shutil.rmtree(f"C/keys/{page.key_id(private_key('archive.key').public_key())}/{bench.records[2][:2]}")
    reply("tsa", "", (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)).strftime("%Y%m%d%H%M%S"))
    assert b"certificate is not yet valid" in bench.run(*keeping, status=1).stderr
    shutil.copy("r.tsr", young)
    assert b"bag 1  time  fails: the certificate of the time-stamping authority was not accepted: certificate is not yet valid" in \
        bench.verify("C", status=1).stdout
    assert page.token_time("C/bags/000000001", "tsaca.pem") is None
    return f"{len(pairs)} pairs of one second, and a certificate that is younger than its token"


def erased(bench: Bench) -> str:
    """An erased record opens for nobody, also with all old bags; the others do. After a rotation no old key file opens."""
    copied()
    old, new = private_key("archive.key"), private_key("new.key")
    record = bench.records[0]
    shelf = f"keys/{page.key_id(old.public_key())}/{record[:2]}/{record}"
    with open(f"A/{shelf}", "rb") as file:
        wrapped = file.read()
    keys = [page.unwrap(one, page.archive_id("A"), record, name, old) for name, one in page.read_key_file(wrapped, record).items()]
    # Where the disk fails, the message says how far it came.
    said = set()
    for number in range(1, 9):
        copied()
        done = subprocess.run(["strace", "-f", "-qq", "-o", os.devnull, "-e", f"inject=fsync:error=EIO:when={number}", bench.tool, "erase",
                               "C", "--record", record], capture_output=True)
        if done.returncode == 0:
            continue
        is_begun, has_key = os.path.exists(f"C/tmp/erase-{record}"), os.path.exists(f"C/{shelf}")
        if b"cannot write standard output" in done.stderr:
            # The last of all: the id was not printed, and nothing is left to do.
            assert done.returncode == 3 and not is_begun and not has_key, (number, done)
            continue
        texts = [b"its key may be destroyed already"] if has_key else [
            b"its key may be destroyed already", b"is erased, its key destroyed", b" is erased, and record "]
        found = [text for text in texts if text in done.stderr]
        assert done.returncode == 3 and len(found) == 1 and (is_begun or found == texts[2:]), (number, done)
        said.add((has_key, found[0]))
        bench.run("erase", "C", "--record", record)
        assert not os.listdir("C/tmp") and not os.path.exists(f"C/{shelf}")
    assert len(said) == 4, said
    copied()
    # Copies, whatever they are called, go as well.
    for copy in (f"C/{shelf}.bak", "C/keys/notes/old"):
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(f"C/{shelf}", copy)
        assert f"{copy[2:]} has the key of record {record}".encode() in bench.verify("C", status=1).stdout, copy
    bench.run("erase", "C", "--record", record)
    os.rmdir("C/keys/notes")
    # What `close` says of a key that came back is what helps.
    with open(f"C/{shelf}", "wb") as file:
        file.write(wrapped)
    done = bench.run("close", "C", "--signer", "signer.key", "--certificate", "signer.pem", status=1)
    assert b"erase the record again" in done.stderr, done.stderr
    bench.run("erase", "C", "--record", record)
    bench.close("C")
    bench.stamp("C")
    bench.verify("C", "--key", "archive.key", status=0)
    for folder, _, names in os.walk("C"):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            assert wrapped not in data and not any(key in data or key.hex().encode() in data for key in keys), (folder, name)
    found = page.read("C", old, "ca.pem", "tsaca.pem")
    assert found[record]["content"] is None and all(found[other]["content"] for other in bench.records[1:])
    assert any(one["about"] == f"erases {record}" for one in found.values())
    bench.run("rotate", "C", "--key", "archive.key", "--public", "new.pub")
    living = page.read("C", new)
    assert all(living[other]["content"] for other in bench.records[1:]) and living[record]["content"] is None
    for folder, _, names in os.walk("C/keys"):
        for name in names:
            if name != "current.pem":
                with open(os.path.join(folder, name), "rb") as file:
                    try:
                        for which, one in page.read_key_file(file.read(), name).items():
                            page.unwrap(one, page.archive_id("C"), name, which, old)
                        raise SystemExit(f"the old key opens {name}")
                    except page.Refused:
                        pass
    return "1 erased, the rest opens; after a rotation under the new key alone"


def one_fault(bench: Bench) -> str:
    """One missing file is one named problem, and hides no other."""
    bag, other = "C/bags/000000001", "C/bags/000000002"
    record = sorted(os.listdir("A/bags/000000001/data"))[0]
    elsewhere = sorted(os.listdir("A/bags/000000002/data"))[0]
    whole = bench.verify("A", status=None).stdout.splitlines()
    names = [f"data/{record}/{name}" for name in os.listdir(f"A/bags/000000001/data/{record}")]
    names += [*page.TAG_FILES, page.TAGMANIFEST, page.SIGNATURE, page.TOKEN]
    for name in names:
        copied()
        os.remove(f"{bag}/{name}")
        lines = bench.verify("C", status=1).stdout.splitlines()
        failures = [line for line in lines if b"  fails: " in line]
        assert len(failures) == 1 and name.encode() in failures[0] and b"missing" in failures[0], (name, failures)
        # Of every other record and bag it says what it said.
        rest = [line for line in whole if line.startswith((b"bag 2  structure", b"bag 2  content", b"bag 2  tags", elsewhere.encode()))]
        assert rest and not set(rest) - set(lines), (name, set(rest) - set(lines))
    # Two faults in a bag, and one in the next: three lines.
    copied()
    os.remove(f"{bag}/data/{record}/photo.jpg.sealed")
    for path in (f"{bag}/data/{record}/video.mp4.sealed", f"{other}/data/{elsewhere}/video.mp4.sealed"):
        with open(path, "r+b") as file:
            file.seek(60)
            file.write(b"changed")
    failures = [line for line in bench.verify("C", status=1).stdout.splitlines() if b"  fails: " in line]
    assert len(failures) == 3 and sum(b"has changed" in line for line in failures) == 2, failures
    # Beside the bags.
    copied()
    shutil.move("C/bags/000000001", "C/bags/stray")
    lines = bench.verify("C", status=1).stdout.splitlines()
    assert [line.split(b": if")[0] for line in lines if b"  fails: " in line] == [
        b"archive  structure  fails: bags/000000001 is missing", b"archive  structure  fails: bags/stray is not a bag"], lines
    return f"{len(names)} files, and several faults at a time"


def planted(bench: Bench) -> str:
    """`close` signs no record that nobody appended, erased, exported or rotated, and `verify` names it."""
    old = private_key("archive.key").public_key()
    strange = os.urandom(16).hex()
    # With a third bag, whose record has no part.
    copied("B")
    closed_export = page.append("B", {}, f"exports {bench.records[0]}")
    bench.close("B")
    erases, living = f"erases {bench.records[0]}", f"keys/{page.key_id(old)}"
    whole = {"report.json": b"", "result.json": b""}
    cases = {
        "evidence with a part more": ({**whole, "foo.bin": b"x"}, ""), "evidence with a note": ({**whole, "note.txt": b"x"}, ""),
        "evidence without a report": ({"result.json": b"x"}, ""), "evidence that is a statement": ({"statement": b"x"}, ""),
        "an erasure of itself": ({}, "erases SELF"), "an erasure of itself with a note": ({"note.txt": b"x"}, "erases SELF"),
        "an export of itself": ({}, "exports SELF"), "an erasure of what has no part": ({}, f"erases {closed_export}"),
        "a rotation to the current key": ({}, f"rotates {page.key_id(old)}"),
        "an erasure that was none": ({}, erases), "of a record that is not there": ({}, f"erases {strange}"),
        "an export from no bag": ({}, f"exports {strange}"), "a rotation that was none": ({}, f"rotates {strange}{strange}"),
        "another part than a note": ({"video.mp4": b"x"}, f"exports {bench.records[0]}"),
    }
    for name, (parts, about) in cases.items():
        copied(source="B")
        record = page.append("C", parts, about.replace("SELF", strange))
        if "SELF" in about:
            with open(f"C/incoming/data/{record}/statement", "r+b") as file:
                text = file.read()
                file.seek(text.index(strange.encode()))
                file.write(record.encode())
        check_planted(bench, name, record)
        # Signed by somebody who does not look, it is named in the bag as well; of the others, the keys say it.
        if name not in ("an erasure that was none", "a rotation that was none", "another part than a note"):
            close_whatever("C")
            # What follows from it for the keys is told as well.
            failures = [line for line in bench.verify("C", status=1).stdout.splitlines() if b"  fails: " in line]
            assert failures[0].startswith(f"{record}  statement  fails: it ".encode()), (name, failures)
            assert all(line.startswith(b"archive  keys  ") for line in failures[1:]), (name, failures)
            try:
                page.read("C", private_key("archive.key"))
                raise SystemExit(f"{name}: the page's Python reads it")
            except page.Refused:
                pass
    # A key put in the place of the archive's, with the record of a rotation.
    copied(source="B")
    os.remove("C/keys/current.pem")
    shutil.copy("new.pub", "C/keys/current.pem")
    page.append("C", {}, f"exports {bench.records[0]}")
    check_planted(bench, "the archive key replaced", "current.pem")
    page.append("C", {}, f"rotates {page.key_id(private_key('new.key').public_key())}")
    check_planted(bench, "the archive key replaced, and a rotation", page.key_id(old))
    # What another program put there, and a bag that nobody signed who may: neither is closed over.
    for path, plant in (("incoming/data/.DS_Store", lambda path: open(path, "x").close()),
                        ("bags/000000004", lambda path: shutil.copytree("C/bags/000000003", path))):
        copied(source="B")
        page.append("C", {}, f"exports {bench.records[0]}")
        plant(f"C/{path}")
        done = bench.run("close", "C", "--signer", "signer.key", "--certificate", "signer.pem", status=1)
        assert path.encode() in done.stderr and not os.path.exists("C/bags/000000005"), (path, done.stderr)
        try:
            page.close("C", "signer.key", "signer.pem")
            raise SystemExit(f"{path}: the page's Python closes over it")
        except page.Refused:
            pass
    # So that this shows something: what is right is closed, by both.
    for closing in (lambda: bench.close("C"), lambda: page.close("C", "signer.key", "signer.pem")):
        copied(source="B")
        page.append("C", {"note.txt": b"x"}, f"exports {bench.records[0]}")
        os.remove(f"C/{living}/{bench.records[0][:2]}/{bench.records[0]}")
        page.append("C", {}, erases)
        closing()
        bench.verify("C", "--require", "content", status=0)
    return f"{len(cases) + 4} refused, by both"


def close_whatever(archive: str) -> None:
    """As somebody would who does not look."""
    page.write_bag(archive, page.sign_with_openssl("signer.key", "signer.pem"), page.now())


def check_planted(bench: Bench, name: str, named: str) -> None:
    done = bench.run("close", "C", "--signer", "signer.key", "--certificate", "signer.pem", status=1)
    assert named.encode() in done.stderr and not os.path.exists("C/bags/000000004"), (name, done.stderr)
    failures = [line for line in bench.verify("C", status=1).stdout.splitlines() if b"  fails: " in line]
    assert len(failures) == 1 and named.encode() in failures[0], (name, failures)
    try:
        page.close("C", "signer.key", "signer.pem")
        raise SystemExit(f"{name}: the page's Python closes it")
    except page.Refused:
        pass


def beside_writers(bench: Bench) -> str:
    """`verify` beside `append`, `erase`, `close` and `rotate` finds no fault and ends; beside a writer that stays, too."""
    copied()
    stop, runs, failures = threading.Event(), [0], []

    def verifying() -> None:
        while not stop.is_set():
            done = subprocess.run([bench.tool, *bench.verifying("C")], capture_output=True, timeout=60)
            runs[0] += 1
            if b"fails" in done.stdout or done.returncode not in (0, 4):
                failures.append((done.returncode, done.stdout, done.stderr))

    thread = threading.Thread(target=verifying)
    thread.start()
    keys = [("archive.key", "new.pub"), ("new.key", "archive.pub")]
    for number in range(4):
        record = bench.append("C", "ord1")
        bench.close("C")
        bench.run("erase", "C", "--record", record)
        bench.run("rotate", "C", "--key", keys[number % 2][0], "--public", keys[number % 2][1])
        bench.close("C")
    stop.set()
    thread.join()
    assert not failures and runs[0] > 2, (runs, failures[:1])
    with subprocess.Popen(["flock", "-F", "C/lock", "sleep", "130"]) as writer:
        time.sleep(0.3)
        begun = time.monotonic()
        done = bench.verify("C", "--require", "content", status=0)
        seconds = time.monotonic() - begun
        assert writer.poll() is None, "it waited until the writer was done"
        writer.terminate()
    assert b"keys" not in done.stdout.replace(b"waiting records and keys were not checked", b""), done.stdout
    # One that only looks is waited for.
    with subprocess.Popen(["flock", "-o", "-s", "C/lock", "sleep", "1"]):
        time.sleep(0.3)
        bench.append("C", "ord1")
    return f"{runs[0]} verifications, no false fault; {seconds:.0f} s beside a writer that stays"


def modes(bench: Bench) -> str:
    """Folders 0700, files 0600, whatever the umask: of an archive and of a proof pack, from their beginning."""
    count = 0
    for mask in (0o000, 0o077, 0o277, 0o777):
        for name in ("M", "pack"):
            shutil.rmtree(name, ignore_errors=True)
        before = os.umask(0o077)
        try:
            for words in (["init", "M", "--origin", "x", "--public", "archive.pub", "--signer", "signer.pem"], bench.appending("M", "ord1"),
                          ["close", "M", "--signer", "signer.key", "--certificate", "signer.pem"], "stamp",
                          bench.appending("M", "ord2"), "erase",
                          ["rotate", "M", "--key", "archive.key", "--public", "new.pub"], "export"):
                record = next(iter(os.listdir("M/bags/000000001/data")), "") if os.path.exists("M/bags/000000001") else ""
                if words == "stamp":
                    words = bench.stamping("M")
                elif words == "erase":
                    words = ["erase", "M", "--record", next(iter(os.listdir("M/incoming/data")))]
                elif words == "export":
                    words = ["export", "M", "--record", record, "--key", "new.key", "--signer-ca", "ca.pem", "--tsa-ca", "tsaca.pem",
                             "-o", "pack"]
                os.umask(mask)
                done = subprocess.run([bench.tool, *words], capture_output=True, stdin=subprocess.DEVNULL)
                os.umask(0o077)
                assert done.returncode == 0, (oct(mask), words, done.stderr)
                for root in ("M", "pack"):
                    for folder, _, names in os.walk(root):
                        for path, wanted in [(folder, 0o700), *((os.path.join(folder, one), 0o600) for one in names)]:
                            assert os.stat(path).st_mode & 0o7777 == wanted, (oct(mask), words[0], path, oct(os.stat(path).st_mode))
                            count += 1
        finally:
            os.umask(before)
    return f"{count} modes under 4 umasks"


def lengthened(pack: str, prefix: list[str], within: str = "") -> None:
    """Whatever is added to a file of a pack, or of a folder in it, its script finds it, but in those that it says that it does not
    check, and in the list of a last bag that no token vouches for."""
    unchecked = {"README.txt", "page.html", "verify.sh", "signer-ca.pem", "tsa-ca.pem"}
    last = max(glob.glob(f"{pack}/next/*"), default="")
    for folder, _, names in os.walk(os.path.join(pack, within)):
        for name in names:
            path = os.path.join(folder, name)
            shutil.copytree(pack, "changed")
            with open(os.path.join("changed", os.path.relpath(path, pack)), "ab") as file:
                file.write(b"\n")
            done = subprocess.run(script(*prefix, "sh", "changed/verify.sh"), capture_output=True)
            is_open = path == f"{last}/{page.TAGMANIFEST}" and not os.path.isdir(f"{last}/signatures")
            assert (done.returncode == 0) == (name in unchecked or is_open), (path, done)
            shutil.rmtree("changed")


def covered(bench: Bench) -> str:
    """An expired signer: `verify` and `export` go by one rule, also where a later bag's time stamp covers the bag."""
    copied()
    later, record = ["faketime", "+25 days"], bench.records[2]
    # Bag 2 has no time stamp: it holds today, with a warning, and no longer when the certificate has expired.
    done = bench.verify("C")
    assert b"bag 2  signature  holds" in done.stdout and b"no verified time stamp covers it" in done.stdout, done.stdout
    assert b"bag 2  time  unchecked: closed after " in done.stdout, done.stdout
    assert b"warning: the pack has no time stamp that covers the bag" in bench.export("C", record).stderr
    done = subprocess.run(script(*later, "sh", "pack/verify.sh"), capture_output=True)
    assert done.returncode == 1 and b"is not valid now, and no time stamp" in done.stdout and b"the right CA" not in done.stdout, done
    shutil.rmtree("pack")
    bench.export("C", bench.records[0])
    lengthened("pack", [])
    shutil.rmtree("pack")
    done = bench.export("C", record, prefix=(*later,), status=1)
    assert b"no verified time stamp covers the " in done.stderr and not os.path.exists("pack"), done
    done = subprocess.run([*later, bench.tool, *bench.verifying("C")], capture_output=True)
    assert done.returncode == 1 and b"bag 2  signature  fails" in done.stdout and b"bag 1  signature  holds" in done.stdout, done.stdout
    # A backup changes nothing about that; a time stamp that comes too late is not taken, since with it the signature never holds.
    assert b"it was accepted as of " in done.stdout and b"verify as of a time within its validity" in done.stdout, done.stdout
    for name, issuer, usage in (("signer", "ca", "emailProtection"), ("tsa", "tsaca", "critical,timeStamping")):
        with open("ext", "w", encoding="ascii") as file:
            file.write(f"keyUsage=critical,digitalSignature\nextendedKeyUsage={usage}\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key", "-days", "28", "-out", f"late-{name}.pem",
                "-extfile", "ext")
    copied("D", "C")
    stamping = bench.stamping("D")
    subprocess.run([*later, "openssl", "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "q.tsq", "-signer", "late-tsa.pem", "-inkey", "tsa.key",
                    "-out", "r.tsr"], check=True, capture_output=True)
    done = subprocess.run([*later, bench.tool, *stamping], capture_output=True)
    assert done.returncode == 1 and b"would fail for good" in done.stderr and not os.path.exists(f"D/bags/000000002/{page.TOKEN}"), done
    shutil.copy("r.tsr", f"D/bags/000000002/{page.TOKEN}")
    done = subprocess.run([*later, bench.tool, *bench.verifying("D")], capture_output=True)
    assert b"the time of the time stamp that covers the signature" in done.stdout and b"the time stamp was made too late" in done.stdout, done.stdout
    os.remove(f"D/bags/000000002/{page.TOKEN}")
    bench.append("D", "ord1")
    done = subprocess.run([*later, bench.tool, "close", "D", "--signer", "signer.key", "--certificate", "late-signer.pem"], capture_output=True)
    assert done.stdout == b"3\n" and b"warning: bag 2" in done.stderr, done
    # Nor is the time stamp of a later bag taken unawares: it makes that signature fail.
    os.remove("q.tsq")
    for words in (["--query", "q.tsq"], ["--query", "q.tsq", "--reply", "r.tsr", "--tsa-ca", "tsaca.pem"]):
        done = subprocess.run([*later, bench.tool, "stamp", "D", *words], capture_output=True)
        assert done.returncode == 0 and b"warning: bag 2" in done.stderr, done
        subprocess.run([*later, "openssl", "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "q.tsq", "-signer", "late-tsa.pem", "-inkey",
                        "tsa.key", "-out", "r.tsr"], check=True, capture_output=True)
    shutil.rmtree("D")
    # Two bags later there is one.
    for order in ("ord1", "ord2"):
        bench.append("C", order)
        bench.close("C")
    bench.stamp("C")
    for prefix in ([], later):
        done = subprocess.run([*prefix, bench.tool, *bench.verifying("C")], capture_output=True)
        assert b"fails" not in done.stdout and b"(the time stamp of bag 4)" in done.stdout, done.stdout
        done = bench.export("C", record, prefix=(*prefix,))
        assert b"warning" not in done.stderr, done
        assert sorted(os.listdir("pack/next")) == ["000000003", "000000004"]
        for shell in (["sh"], ["zsh", "-f"]):
            subprocess.run(script(*prefix, *shell, "pack/verify.sh"), check=True, capture_output=True)
        for path in ("next/000000003/bag-info.txt", "next/000000003/tagmanifest-sha256.txt", "next/000000004/bag-info.txt",
                     "next/000000004/tagmanifest-sha256.txt", f"next/000000004/{page.SIGNATURE}", f"next/000000004/{page.TOKEN}"):
            shutil.copytree("pack", "changed")
            with open(f"changed/{path}", "r+b") as file:
                data = bytearray(file.read())
                # In the middle: of a digest, of what is signed.
                data[len(data) // 2] ^= 1
                file.seek(0)
                file.write(data)
            assert subprocess.run(script(*prefix, "sh", "changed/verify.sh"), capture_output=True).returncode == 1, path
            shutil.rmtree("changed")
        if not prefix:
            lengthened("pack", prefix, "" if bench.is_long else "next")
            # A bag with another record, under the same time stamp: what stands last in the folder is not what has the token.
            os.makedirs("pack/next/x")
            for name in ("000000003", "000000004"):
                os.rename(f"pack/next/{name}", f"pack/next/x/{name}")
            os.rename("pack/next/x", "pack/next/000000003")
            with open("pack/bag/" + page.TAGMANIFEST, "rb") as file:
                info = f"{page.PREVIOUS}: {page.sha256(file.read())}\n{page.ANCHOR}: {page.anchor('pack/bag')}\n".encode()
            for name, text in (("bag-info.txt", info), (page.TAGMANIFEST, f"{page.sha256(info)}  bag-info.txt\n".encode())):
                with open(f"pack/next/000000003/{name}", "wb") as file:
                    file.write(text)
            with open("pack/verify.sh", "r+b") as file:
                text = file.read().replace(b"next/000000004", b"next/000000003/000000004")
                file.seek(0)
                file.write(text)
            # The bags are not where the pack has them.
            done = subprocess.run(script("sh", "pack/verify.sh"), capture_output=True)
            assert done.returncode == 3 and b"the record holds" not in done.stdout, done
        shutil.rmtree("pack")
    assert page.covering_time("C", 2, "tsaca.pem") == page.token_time("C/bags/000000004", "tsaca.pem") is not None
    # Where the chain is broken between, it covers nothing: neither says so.
    with open("C/bags/000000003/bag-info.txt", "r+b") as file:
        text = file.read()
        place = text.index(b"Previous-SHA256: ") + 17
        file.seek(place)
        file.write(b"0" if text[place:place + 1] != b"0" else b"1")
    assert page.covering_time("C", 2, "tsaca.pem") is None
    done = subprocess.run([*later, bench.tool, *bench.verifying("C")], capture_output=True)
    assert b"bag 2  signature  fails" in done.stdout and b"bag 2  time  unchecked" in done.stdout, done.stdout
    done = bench.export("C", record, prefix=(*later,), status=1)
    assert not os.path.exists("pack"), done
    return "holds by a later time stamp, and by no broken chain"


def forged(bench: Bench) -> str:
    """What a script must not believe: bags that their own signer made to be changed later, other authorities' signers, and
    what nobody signed. `pack/verify.sh` refuses each; of a bag that the signer made, only after what was signed was changed."""
    record = bench.records[0]
    # Of the newest bag, whose signature no later one anchors.
    shutil.rmtree(f"{copied()}/bags/000000002")
    shutil.rmtree(f"C/keys/{page.key_id(private_key('archive.key').public_key())}/{bench.records[2][:2]}")
    bench.export("C", record)
    os.rename("pack", "good")
    bag, data = "pack/bag", f"pack/bag/data/{record}"

    def edit(path: str, change) -> None:
        with open(path, "rb") as file:
            text = file.read()
        with open(path, "wb") as file:
            file.write(change(text))

    def without(text: str):
        return lambda lines: b"".join(line for line in lines.splitlines(True) if not line.endswith(text.encode() + b"\n"))

    def listed(path: str, manifest: str) -> None:
        """Its digest of now in a manifest, as one who makes the bag would write it."""
        with open(f"{bag}/{path}", "rb") as file:
            digest = page.sha256(file.read()).encode()
        edit(f"{bag}/{manifest}", lambda lines: b"".join(digest + line[64:] if line.endswith(f"  {path}\n".encode()) else line
                                                         for line in lines.splitlines(True)))

    def signed(signer: str = "signer", form: str = "-cades") -> None:
        openssl("cms", "-sign", "-binary", form, "-md", "sha256", "-outform", "DER", "-signer", f"{signer}.pem", "-inkey", f"{signer}.key",
                "-in", f"{bag}/{page.TAGMANIFEST}", "-out", f"{bag}/{page.SIGNATURE}")
        openssl("ts", "-query", "-data", f"{bag}/{page.SIGNATURE}", "-sha256", "-cert", "-out", "forged.tsq")
        openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "forged.tsq", "-signer", "tsa.pem", "-inkey", "tsa.key", "-out",
                f"{bag}/{page.TOKEN}")
        # A script for the new token: its time, now.
        pinned()
        seconds = int(page.token_time(bag, "tsaca.pem") or 0)
        digits = time.strftime("%Y%m%d%H%M%S", time.gmtime(seconds)).encode()
        edit("pack/verify.sh", lambda text: re.sub(rb"-attime [0-9]+", b"", text))
        edit("pack/verify.sh", lambda text: re.sub(rb"(GENERALIZEDTIME [*]:)[0-9]+", rb"\g<1>" + digits, text))

    def pinned() -> None:
        """The script says which signature and which token."""
        for path in (page.SIGNATURE, page.TOKEN):
            with open(f"{bag}/{path}", "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            edit("pack/verify.sh", lambda text: re.sub(f"[0-9a-f]{{64}}(  bag/{path})\n".encode(), digest.encode() + rb"\1" + b"\n", text))

    def closed(*paths: str) -> None:
        """The maker's bag: what was changed under data/ is in the manifest, the manifest in the tag manifest, and all is signed."""
        for path in paths:
            listed(path, "manifest-sha256.txt")
        listed("manifest-sha256.txt", page.TAGMANIFEST)
        signed()

    def another_video() -> None:
        """A part that never was, with its commitment in the statement."""
        with open("pack/salts/video.mp4", "rb") as salt, open("pack/parts/video.mp4", "wb") as part:
            part.write(b"a video that never was\n")
            commitment = page.sha256(salt.read() + b"a video that never was\n").encode()
        edit(f"{data}/statement", lambda text: re.sub(rb"part video.mp4 .*", b"part video.mp4 23 " + commitment, text))

    def statement(change):
        def case() -> None:
            edit(f"{data}/statement", change)
            closed(f"data/{record}/statement")
        return case

    def unlisted_statement() -> None:
        edit(f"{bag}/manifest-sha256.txt", without(f"{record}/statement"))
        closed()
        another_video()

    def unlisted_manifest() -> None:
        edit(f"{bag}/{page.TAGMANIFEST}", without("manifest-sha256.txt"))
        signed()
        another_video()
        listed(f"data/{record}/statement", "manifest-sha256.txt")

    def unlisted_info() -> None:
        edit(f"{bag}/{page.TAGMANIFEST}", without("bag-info.txt"))
        signed()

    def unlisted_part() -> None:
        edit(f"{bag}/manifest-sha256.txt", without("video.mp4.sealed"))
        closed()

    def manifest_line(text: bytes):
        def case() -> None:
            edit(f"{bag}/manifest-sha256.txt", lambda lines: b"".join(sorted(lines.splitlines(True) + [text], key=lambda line: line[66:])))
            closed()
        return case

    def other_authority() -> None:
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "mallory.key", "-out", "mallory.pem", "-days", "5", "-subj", "/CN=mallory")
        os.makedirs("system", exist_ok=True)
        shutil.copy("mallory.pem", "system")
        openssl("rehash", "system")
        signed("mallory")

    def moved() -> None:
        """What the reader sees is not what `..` leads to."""
        os.mkdir("pack/next")
        os.rename("pack/bag", "pack/next/bag")
        for name in ("parts", "salts"):
            shutil.copytree(f"pack/{name}", f"pack/next/{name}")
        os.symlink("next/bag", "pack/bag")
        edit("pack/parts/report.json", lambda _: b"forged\n")

    def elsewhere(path: str):
        """A folder behind a link, with all that belongs there."""
        def case() -> None:
            os.rename(path, "pack/elsewhere")
            os.symlink(os.path.realpath("pack/elsewhere"), path)
        return case

    def fifo(path: str):
        def case() -> None:
            os.remove(path)
            os.mkfifo(path)
        return case

    def attributes(form: str):
        return lambda: signed(form=form)

    def unfinished_manifest() -> None:
        edit(f"{bag}/manifest-sha256.txt", lambda lines: lines + b"0" * 64 + f"  data/{record}/zz.sealed".encode())
        closed()

    def later() -> None:
        """Signed and stamped again after the script was written: the certificate may have expired since then."""
        with open("pack/verify.sh", "rb") as file:
            script = file.read()
        time.sleep(1.1)
        signed()
        edit("pack/verify.sh", lambda _: script)

    def link(target: str, path: str):
        def case() -> None:
            if os.path.lexists(path):
                os.remove(path)
            os.symlink(target, path)
        return case

    def status(text: bytes):
        def case() -> None:
            token = openssl("ts", "-reply", "-in", f"good/bag/{page.TOKEN}", "-token_out")
            with open(f"{bag}/{page.TOKEN}", "wb") as file:
                file.write(der.sequence(der.sequence(der.integer(0), der.sequence(der.tagged(0x0c, text))), token))
            pinned()
        return case

    def renamed() -> None:
        """A name that `echo` of some shells turns into the record's line of a part, with the digest of another content."""
        _, _, size, commitment = next(line for line in page.contents(f"{data}/statement").decode().splitlines() if " photo.jpg " in line).split()
        name = f"photo.jpg\\0040{size}\\0040{commitment}\\n\\c.jpg"
        for folder, content in (("parts", b"forged\n"), ("salts", b"")):
            os.remove(f"pack/{folder}/photo.jpg")
            with open(f"pack/{folder}/{name}", "xb") as file:
                file.write(content)

    def blank(name: str):
        """What is lost where a list of names is split at blanks."""
        def case() -> None:
            for folder in ("parts", "salts"):
                os.mkdir(f"pack/{folder}/{name}")
            shutil.copy("pack/parts/photo.jpg", f"pack/parts/{name}/photo.jpg")
        return case

    def filled() -> None:
        """A record that the manifest does not name, with so many files that sha256sum is not started."""
        other = "0123456789abcdef0123456789abcdef"
        os.rename(data, f"pack/bag/data/{other}")
        edit("pack/parts/report.json", lambda _: b"forged\n")
        edit("pack/verify.sh", lambda text: text.replace(record.encode(), other.encode()))
        lines = [line.split() for line in page.contents(f"pack/bag/data/{other}/statement").decode().splitlines()]
        for line in lines:
            if line[0] == "part":
                content = page.contents(f"pack/parts/{line[1]}")
                line[2:] = [str(len(content)), page.sha256(page.contents(f"pack/salts/{line[1]}") + content)]
        lines[1][1] = other
        edit(f"pack/bag/data/{other}/statement", lambda _: "".join(" ".join(line) + "\n" for line in lines).encode())
        for number in range(9_000):
            open(f"pack/bag/data/{other}/{number:04}{'x' * 240}", "x").close()

    def linked() -> None:
        """The script is that of an honest pack beside it."""
        shutil.copytree("good", "pack/.good")
        edit("pack/parts/photo.jpg", lambda _: b"forged\n")
        os.remove("pack/verify.sh")
        os.symlink(".good/verify.sh", "pack/verify.sh")

    def added(path: str):
        def case() -> None:
            with open(path, "xb") as file:
                file.write(b"fake\n")
        return case

    def swapped(text: bytes) -> bytes:
        lines = text.splitlines(True)
        return b"".join([*lines[:3], lines[3], *lines[3:]])

    digest, last = b"0" * 64, lambda text: text + b"exports " + b"0" * 32 + b"\n"
    cases = {
        "the statement is unlisted": unlisted_statement, "the manifest is unlisted": unlisted_manifest,
        "bag-info.txt is unlisted": unlisted_info, "a part is unlisted": unlisted_part,
        "a signer of the machine's own authorities": other_authority,
        "a part more": added("pack/parts/id-card.jpg"), "a hidden part": added("pack/parts/.part"), "two parts' names": added("pack/parts/photo.jpg video.mp4"),
        "a salt more": added("pack/salts/id-card.jpg"), "a name with escapes": renamed, "a folder called blank": blank(" "),
        "a folder called line feed": blank("\n"), "the script of another pack": linked,
        "a record that is not listed": filled, "signed again later": later,
        "a link to nothing": link("nowhere", "pack/parts/extra"), "a link out": link("/dev/zero", "pack/parts/video.mp4"),
        "a device in the tag manifest": lambda: edit(f"{bag}/{page.TAGMANIFEST}", lambda text: text + digest + b"  /dev/zero\n"),
        "a device in the signed tag manifest": lambda: (edit(f"{bag}/{page.TAGMANIFEST}", lambda text: text + digest + b"  /dev/zero\n"), signed()),
        "a way out": manifest_line(digest + f"  data/{record}/../../../../outside/secret\n".encode()),
        "a device": manifest_line(digest + f"  data/{record}/../../../../../../../../../../../dev/zero\n".encode()),
        "another sealed part": manifest_line(digest + f"  data/{record}/note.txt.sealed\n".encode()),
        "the statement twice": manifest_line(digest + f"  data/{record}/statement\n".encode()),
        "no last line feed": statement(lambda text: text[:-1]), "a part twice": statement(swapped),
        "another record": statement(lambda text: text.replace(record.encode(), b"0" * 32)),
        "an unknown line": statement(lambda text: text + b"approves everything\n"), "a part after the last line": statement(
            lambda text: b"".join([*(lines := text.splitlines(True))[:-1], b"exports " + b"0" * 32 + b"\n", lines[-1]])),
        "two last lines": statement(lambda text: last(last(text))), "no part": statement(lambda text: b"".join(text.splitlines(True)[:3])),
        "a bag behind a link": moved, "a signature without attributes": attributes("-noattr"), "a signature that names no certificate": attributes("-nosmimecap"), "a last line of the manifest without its end": unfinished_manifest,
        "an empty line": statement(lambda text: text + b"\n"),
        "an empty line after the last one": statement(
            lambda text: b"".join([*(lines := text.splitlines(True))[:-1], b"erases " + b"0" * 32 + b"\n\n", lines[-1]])),
        **{f"{path} behind a link": elsewhere(f"pack/{path}") for path in (
            "parts", "salts", "bag", "bag/data", f"bag/data/{record}", "bag/signatures")},
        **{f"a {what} as {path}": change(f"pack/{path}") for path in (
            "bag/bag-info.txt", "bag/bagit.txt", "bag/manifest-sha256.txt", "bag/tagmanifest-sha256.txt", f"bag/{page.SIGNATURE}",
            f"bag/{page.TOKEN}", f"bag/data/{record}/statement", f"bag/data/{record}/video.mp4.sealed", "parts/video.mp4", "salts/video.mp4")
           for what, change in (("link to a device", lambda path: link("/dev/zero", path)), ("FIFO", fifo))},
        "another format": statement(lambda text: text.replace(b"statement 1", b"statement 2", 1)),
        "a part elsewhere": statement(lambda text: text.replace(b"part video.mp4 ", b"part ../video.mp4 ")),
    }
    environment = {**os.environ, "SSL_CERT_DIR": os.path.realpath("system")}
    shells = [["sh"], ["bash", "--posix"], ["zsh", "-f"], ["busybox", "sh"]]
    made = {"nothing, signed again": closed, "the status says a time": status(b"x\nTime stamp: Jan  1 00:00:00 2020 GMT\n"),
            "the status hides a time": status(b"GMT\\nphoto.jpg: OK\\0033[8m")}
    for number, (name, change) in enumerate({**made, **cases}.items()):
        shutil.rmtree("pack", ignore_errors=True)
        shutil.copytree("good", "pack")
        change()
        # Without --long, each under one shell, in turn.
        for shell in shells if bench.is_long or name in made else [shells[number % len(shells)]]:
            done = subprocess.run([*shell, "pack/verify.sh", os.path.realpath("ca.pem"), os.path.realpath("tsaca.pem")],
                                  capture_output=True, env=environment, timeout=60)
            # Else the others would show nothing.
            assert (done.returncode == 0) == (name in made), (name, shell, done)
            assert (done.stdout.splitlines()[-1:] == [b"the record holds"]) == (name in made), (name, shell, done)
            assert b"2020" not in done.stdout and b"\33" not in done.stdout, (name, shell, done)
            assert b"outside" not in done.stdout + done.stderr, (name, done)
    # The sender's certificates are files as well; and one of two that are needed is not enough.
    for name in ("signer-ca.pem", "tsa-ca.pem"):
        for change in (link("/dev/zero", f"pack/{name}"), fifo(f"pack/{name}")):
            shutil.rmtree("pack")
            shutil.copytree("good", "pack")
            change()
            done = subprocess.run(script("sh", "pack/verify.sh"), capture_output=True, timeout=60)
            assert done.returncode == 1 and done.stdout == b"the pack has a link or a device\n", (name, done)
    for words in (["ca.pem"], ["ca.pem", "tsaca.pem", "ca.pem"]):
        done = subprocess.run(["sh", "good/verify.sh", *words], capture_output=True, timeout=60)
        assert done.returncode == 2 and done.stdout == b"" and done.stderr == b"usage: sh verify.sh [SIGNER-CA.pem TSA-CA.pem]; this pack has a time stamp: give both\n", done
    # With nothing but openssl and busybox.
    os.mkdir("bare")
    needed = ["sha256sum", "cat", "cmp", "cut", "find", "grep", "ls", "realpath", "sort", "tr", "wc", "xargs"]
    for name in needed:
        os.symlink(shutil.which("busybox"), f"bare/{name}")
    os.symlink(shutil.which("openssl"), "bare/openssl")
    def bare() -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(script(shutil.which("dash"), "good/verify.sh"), capture_output=True, timeout=60, env={"PATH": os.path.realpath("bare")})
    done = bare()
    assert done.returncode == 0, done
    # What is missing is named, and not the pack blamed.
    for name in (*needed, "openssl"):
        os.rename(f"bare/{name}", "away")
        done = bare()
        assert (done.returncode, done.stdout) == (3, b"") and done.stderr.endswith(f": there is no {name} here\n".encode()), (name, done)
        os.rename("away", f"bare/{name}")
    os.remove("bare/openssl")
    for version in ("LibreSSL 3.9.2", "OpenSSL 1.1.1w  11 Sep 2023"):
        with open("bare/openssl", "w") as file:
            file.write(f"#!/bin/sh\necho '{version}'\n".replace("/bin/sh", shutil.which("dash")))
        os.chmod("bare/openssl", 0o755)
        done = bare()
        assert (done.returncode, done.stdout) == (3, b"") and b"no openssl 3 here" in done.stderr, (version, done)
    # The pack is the one that the script is in, and no setting of `ls` matters.
    for name, content in (("where", None), ("where\n", b"forged\n")):
        shutil.copytree("good", f"odd/{name}")
        if content:
            edit(f"odd/{name}/parts/photo.jpg", lambda _: content)
    for shell in shells:
        for name, status in (("where", 0), ("where\n", 1)):
            environment["QUOTING_STYLE"] = "shell-always"
            done = subprocess.run(script(*shell, f"odd/{name}/verify.sh"), capture_output=True, timeout=60, env=environment)
            assert done.returncode == status, (shell, name, done)
    shutil.rmtree("odd")
    # Every shell opens the very file that it was given.
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "mallory.key", "-out", "stranger.pem", "-days", "5", "-subj", "/CN=stranger")
    names = {"c  a": "stranger.pem", "c a": "ca.pem", "c\ta\n": "ca.pem"}
    for name, source in names.items():
        os.makedirs(name)
        shutil.copy(source, f"{name}/x.pem")
        for shell in shells:
            for path in (f"{name}/x.pem", os.path.realpath(f"{name}/x.pem")):
                done = subprocess.run([*shell, "good/verify.sh", path, "tsaca.pem"], capture_output=True, timeout=60)
                assert (done.returncode == 0) == (source == "ca.pem"), (shell, path, done)
        shutil.rmtree(name)
    # Certificates by relative names are the reader's, not files of those names in the pack.
    for name, change in (("nothing", lambda: None), ("signed by the sender's own authority", other_authority)):
        shutil.rmtree("pack")
        shutil.copytree("good", "pack")
        change()
        for file, source in (("ca.pem", "mallory.pem"), ("tsaca.pem", "tsaca.pem")):
            shutil.copy(source, f"{bag}/{file}")
        done = subprocess.run(["sh", "pack/verify.sh", "ca.pem", "tsaca.pem"], capture_output=True, timeout=60)
        assert (done.returncode == 0) == (name == "nothing"), (name, done)
    # A folder that cannot be listed could hide a part more; root can list any.
    shutil.rmtree("pack")
    shutil.copytree("good", "pack")
    done = subprocess.run(script("sh", "pack/verify.sh"), capture_output=True, timeout=60, env={**os.environ, "OPENSSL_CONF": "/nonexistent"})
    assert done.returncode == 0, done
    if os.geteuid() == 0:
        shutil.copy("pack/parts/photo.jpg", "pack/parts/id-card.jpg")
        subprocess.run(["chmod", "-R", "a+rX", "pack"], check=True)
        os.chmod("pack/parts", 0o311)
        os.chmod(".", 0o711)
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *script("sh", "pack/verify.sh")], capture_output=True, timeout=60)
        assert done.returncode == 3 and done.stderr.endswith(b"nothing was verified: the pack has a folder that cannot be read\n"), done
        os.chmod(".", 0o700)
        os.chmod("pack/parts", 0o755)
    # What the disk does not give was not changed for all that anybody knows.
    shutil.rmtree("pack")
    shutil.copytree("good", "pack")
    places = [os.path.realpath(path) for path in glob.glob("pack/**", recursive=True) if os.path.isfile(path)]
    for place in places:
        if os.path.basename(place) in ("verify.sh", "README.txt", "page.html", "signer-ca.pem", "tsa-ca.pem"):
            continue
        done = subprocess.run(script("strace", "-f", "-qq", "-o", "/dev/null", "-P", place, "-e", "trace=read,copy_file_range,splice,sendfile",
                                     "-e", "inject=read,copy_file_range,splice,sendfile:error=EIO", "sh", "pack/verify.sh"), capture_output=True)
        name = os.path.relpath(place, "pack")
        assert done.returncode == 3 and done.stdout == b"", (name, done)
        assert done.stderr.endswith(f"nothing was verified: cannot be read: {name}\n".encode()), (name, done)
    for name in ("pack", "good"):
        shutil.rmtree(name)
    return f"{len(cases)} refused, {len(made)} read"


def universal(bench: Bench) -> str:
    """A signature that fits every document, stamped before there was one, under a key that somebody chose for it. It is no
    signature over the tag manifest, so its time stamp says nothing about a bag: its own, or one that a later bag names."""
    openssl("genpkey", "-genparam", "-algorithm", "DSA", "-pkeyopt", "dsa_paramgen_bits:2048", "-pkeyopt", "dsa_paramgen_q_bits:256", "-out", "dsa.pem")
    openssl("genpkey", "-paramfile", "dsa.pem", "-out", "dsa.key")
    numbers = private_key("dsa.key").parameters().parameter_numbers()
    # The generator 1 and the public key 1: r = s = 1 is right for every digest.
    one, name = der.integer(1), der.sequence(der.tagged(0x31, der.sequence(der.tagged(6, b"\x55\x04\x03"), der.tagged(0x0c, b"nobody"))))
    sha256 = der.sequence(der.tagged(6, bytes.fromhex("608648016503040201")))
    dsa = der.sequence(der.tagged(6, bytes.fromhex("608648016503040302")))
    key = der.spki(one, der.sequence(der.tagged(6, bytes.fromhex("2a8648ce380401")),
                                     der.sequence(der.integer(numbers.p), der.integer(numbers.q), one)))
    dates = der.sequence(der.tagged(0x17, b"260101000000Z"), der.tagged(0x17, b"490101000000Z"))
    certificate = der.sequence(der.sequence(der.tagged(0xa0, der.integer(2)), one, dsa, name, dates, name, key), dsa, der.bits(der.sequence(one, one)))
    signer = der.sequence(one, der.sequence(name, one), sha256, dsa, der.octets(der.sequence(one, one)))
    signed = der.sequence(one, der.tagged(0x31, sha256), der.sequence(der.tagged(6, bytes.fromhex("2a864886f70d010701"))),
                          der.tagged(0xa0, certificate), der.tagged(0x31, signer))
    with open("universal.p7s", "wb") as file:
        file.write(der.sequence(der.tagged(6, bytes.fromhex("2a864886f70d010702")), der.tagged(0xa0, signed)))
    openssl("cms", "-verify", "-noverify", "-binary", "-inform", "DER", "-in", "universal.p7s", "-content", "ca.pem", "-out", os.devnull)
    openssl("ts", "-query", "-data", "universal.p7s", "-sha256", "-cert", "-out", "universal.tsq")
    openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "universal.tsq", "-signer", "tsa.pem", "-inkey", "tsa.key", "-out", "universal.tsr")
    for bag in (2, 3):
        copied()
        bench.append("C", "ord1")
        bench.close("C")
        shutil.copy("universal.p7s", f"C/bags/{bag:09d}/{page.SIGNATURE}")
        shutil.copy("universal.tsr", f"C/bags/{bag:09d}/{page.TOKEN}")
        done = bench.verify("C", status=1)
        # A token that the next bag does not name is that bag's fault to tell.
        fault = b"bag 3  chain  fails" if bag == 2 else b"bag 3  time  fails"
        assert fault in done.stdout and b"bag 2  time  holds" not in done.stdout, done.stdout
        assert page.covering_time("C", 2, "tsaca.pem") is None
        done = bench.run(*bench.exporting("C", bench.records[2]), status=None)
        # A later bag that nobody signed may have had an erasure of the record.
        assert done.returncode == 1 and f"bags/{bag:09d}".encode() in done.stderr, done
        shutil.rmtree("pack", ignore_errors=True)
    return "no time of it counts"


def stopped(bench: Bench) -> str:
    """An export that is stopped: no opened part is on the disk before the record about it, and only a SIGKILL leaves anything."""
    def begin(*inject: str, calls: str = "all") -> tuple[subprocess.Popen, str]:
        shutil.rmtree("E", ignore_errors=True)
        os.mkdir("E")
        words = ["export", copied(), "--record", bench.records[0], "--key", "archive.key", "--signer-ca", "ca.pem", "--tsa-ca",
                 "tsaca.pem", "-o", "E/pack"]
        return subprocess.Popen(["strace", "-f", "-qq", "-y", "-o", "trace", "-e", f"trace={calls}", *inject, bench.tool, *words],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def state() -> tuple[bool, bool]:
        """Whether something opened is there, and a record about an export."""
        opened = any(os.path.getsize(os.path.join(folder, name)) > 0 for folder, _, names in os.walk("E") for name in names
                     if os.path.basename(folder) in ("parts", "salts") or name == "page.html")
        texts = [open(f"C/incoming/data/{record}/statement", encoding="ascii").read() for record in os.listdir("C/incoming/data")]
        return opened, any(f"exports {bench.records[0]}" in text for text in texts)

    calls = ("mkdirat", "openat", "fsync", "syncfs", "renameat", "renameat2", "linkat", "write")
    first = begin(calls=",".join(calls))
    assert first.wait() == 0 and os.listdir("E") == ["pack"] and state() == (True, True)
    with open("trace", encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    recorded = next(number for number, line in enumerate(lines) if re.search(r"fsync\(\d+<[^>]*/C/incoming/data>", line))
    opened = next(number for number, line in enumerate(lines) if re.search(r"openat\(\d+<[^>]*/\.evidence-[^>]*/(parts|salts)>", line))
    assert recorded < opened, (lines[opened], lines[recorded])
    generator, count, left = random.Random(5), 0, 0
    for call in ("mkdirat", "fsync", "renameat", "renameat2", "linkat"):
        total = sum(f" {call}(" in line for line in lines)
        for number in sorted({1, total, *generator.sample(range(1, total + 1), min(total, 4))}):
            begin("-e", f"inject={call}:signal=SIGKILL:when={number}", calls=call).wait()
            is_opened, is_recorded = state()
            assert is_recorded or not is_opened, (call, number)
            count, left = count + 1, left + (is_opened and os.listdir("E") != ["pack"])
            # An error leaves nothing, and says that the record stays.
            failed = begin("-e", f"inject={call}:error=EIO:when={number}", calls=call)
            message = failed.communicate()[1]
            assert (failed.returncode == 0) == (os.listdir("E") == ["pack"]), (call, number, message)
            assert failed.returncode in (0, 3) and (failed.returncode == 0 or not os.listdir("E")), (call, number, message)
            told = b"there is no pack; but record" in message
            assert told == (failed.returncode == 3 and b"incoming/data" not in message and state()[1]), (call, number, message)
    # While a part is being named, and before.
    for call, number, condition in (("linkat", 3, "*/*/parts/*"), ("renameat", 1, "*/*/bag/bagit.txt")):
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            tracer = begin("-e", f"inject={call}:delay_enter=1500000:when={number}", calls=call)
            for _ in range(400):
                if glob.glob(f"E/.evidence-{condition}"):
                    break
                time.sleep(0.02)
            else:
                raise SystemExit(f"{condition} never came")
            with open(f"/proc/{tracer.pid}/task/{tracer.pid}/children", encoding="ascii") as file:
                os.kill(int(file.read().split()[0]), sent)
            tracer.wait()
            assert not os.listdir("E"), (call, sent, [*os.walk("E")])
            count += 1
    shutil.rmtree("E")
    return f"{count} exports stopped; {left} left something opened, which is recorded"


def export_delayed(bench: Bench, record: str, name: str, when: str, milliseconds: int, change) -> tuple[int, int]:
    """Exports a record, with a delay each time `when` that a file of that name was opened. In a delay `change` is called with how
    many there were, and says whether to wait for more. How many there were then, and the exit status."""
    open("trace", "w").close()
    process = subprocess.Popen(["strace", "-f", "-qq", "-o", "trace", "-P", name, "-e", "trace=openat", "-e",
                                f"inject=openat:delay_exit={milliseconds * 1000}:when={when}", bench.tool, *bench.exporting("C", record)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    seen, goes_on = 0, True
    while process.poll() is None and goes_on:
        time.sleep(0.005)
        with open("trace", encoding="utf-8") as file:
            count = file.read().count("DELAYED")
        if count > seen:
            seen, goes_on = count, change(count)
    return seen, process.wait()


def changed_meanwhile(bench: Bench) -> str:
    """A file that changes for a moment while it is exported, whenever: the export fails, or its pack verifies."""
    record, found = bench.records[0], set()
    name = "photo.jpg.sealed"
    path = f"C/bags/000000001/data/{record}/{name}"
    for number in range(1, 12):
        copied()
        with open(path, "rb") as file:
            content = file.read()

        def change(seen: int) -> bool:
            # It is opened, and nothing was read: the next one finds it as it was.
            with open(path, "r+b") as file:
                file.write(content if seen > 1 else content[:-1] + bytes([content[-1] ^ 1]))
            return seen < 2

        seen, status = export_delayed(bench, record, name, f"{number}+", 400, change)
        if not seen:
            shutil.rmtree("pack")
            break
        found.add(status)
        if status == 0:
            taken_out(record)
            subprocess.run(script("sh", "pack/verify.sh"), check=True, capture_output=True)
            shutil.rmtree("pack")
    assert number > 4 and found <= {0, 1} and 1 in found, (number, found)
    return f"{number - 1} moments"


def changed_for_good(bench: Bench) -> str:
    """What a pack has of other bags changes for good while it is exported, whenever: the export fails and leaves nothing, or its
    pack verifies."""
    count, found = 0, set()
    signature = "signatures/tagmanifest-sha256.txt.p7s"
    copied("M")
    bench.run("stamp", "M", "--more", "crl.der=ca.pem")
    bench.append("M", "ord1")
    bench.close("M")
    for name, bag, record in ((signature, 1, bench.records[2]), (f"{signature}.tsr", 1, bench.records[2]),
                              ("bag-info.txt", 2, bench.records[0]), ("tagmanifest-sha256.txt", 2, bench.records[0]),
                              ("signatures/more/crl.der", 2, bench.records[2])):
        outcomes = []
        for number in range(1, 60) if bench.is_long else range(2, 60, 3):
            copied(source="M" if "more" in name else "A")
            path = f"C/bags/{bag:09}/{name}"

            def change(_: int) -> bool:
                with open(path, "r+b") as file:
                    content = file.read()
                    file.seek(len(content) // 2)
                    file.write(bytes([content[len(content) // 2] ^ 1]))
                return False

            seen, status = export_delayed(bench, record, os.path.basename(name), f"{number}", 150, change)
            if not seen:
                shutil.rmtree("pack")
                break
            outcomes.append(status)
            if status == 0:
                taken_out(record)
                # Of what changed before it was judged, the pack says nothing.
                with open("pack/verify.sh", encoding="ascii") as file:
                    has_times = "TSA-CA" in file.read()
                done = subprocess.run(script("sh", "pack/verify.sh", times=has_times), capture_output=True)
                assert done.returncode == 0, (name, number, done)
                shutil.rmtree("pack")
            assert not os.path.exists("pack"), (name, number)
        assert len(outcomes) > 2 and set(outcomes) <= {0, 1} and 1 in outcomes, (name, outcomes)
        count, found = count + len(outcomes), found | set(outcomes)
    assert found == {0, 1}, found
    return f"{count} moments"


def one_writer(bench: Bench) -> str:
    """The second writer is told who the first is; when that is killed, the archive is free."""
    copied()
    os.mkfifo("slow")
    words = bench.appending("C", "ord1")[:-1] + ["slow"]
    first = subprocess.Popen([bench.tool, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open("slow", "wb") as pipe, open("ord1.json", "rb") as file:
        pipe.write(file.read(5000))
        pipe.flush()
        for _ in range(100):
            if os.listdir("C/tmp"):
                break
            time.sleep(0.05)
        second = bench.run(*bench.appending("C", "ord2"), status=3)
        assert f"(the last writer was process {first.pid})".encode() in second.stderr, second.stderr
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert os.listdir("C/tmp")
    bench.append("C", "ord2")
    assert not os.listdir("C/tmp") and len(os.listdir("C/incoming/data")) == 1
    return "told, and free after SIGKILL"


def schema(bench: Bench) -> str:
    """`verify --json` meets its schema, whatever it says."""
    validator = Draft202012Validator(schemas.closed(schemas.load("evidence-archive-verification-1")))
    verdicts = set()
    copied()
    with open("C/bags/000000001/bagit.txt", "a", encoding="ascii") as file:
        file.write("\n")
    for archive in ("A", "C"):
        for more in ([], ["--key", "archive.key"]):
            done = bench.verify(archive, "--json", *more)
            value = json.loads(done.stdout)
            assert not list(validator.iter_errors(value)), value
            verdicts.add(value["verdict"])
    bench.stamp("A")
    value = json.loads(bench.verify("A", "--json", status=0).stdout)
    assert not list(validator.iter_errors(value))
    for member in value:
        assert list(validator.iter_errors({name: value[name] for name in value if name != member}))
    assert verdicts | {value["verdict"]} == {"holds", "fails", "unchecked"}
    return "5 reports, all three verdicts"


def attacked(bench: Bench) -> str:
    """What a stranger found: `export` refuses what `verify` names, times that contradict each other fail, sizes are looked
    at before a file is read, and a planted name is a finding."""
    record, other = bench.records[0], bench.records[2]
    exporting = ["export", "C", "--key", "archive.key", "--signer-ca", "ca.pem", "--tsa-ca", "tsaca.pem", "-o", "pack"]

    def refused(words: list[str], text: bytes, status: int = 1) -> None:
        done = bench.run(*words, status=status)
        assert text in done.stderr and not os.path.exists("pack"), (words, done.stderr)

    # Certificates that no verification accepts sign nothing: neither is there a bag, nor anything beside the records.
    openssl("genrsa", "-out", "middle.key", "2048")

    def certified(name: str, key: str, issuer: str, issuer_key: str, extensions: str, days: str = "5") -> None:
        with open("ext", "w", encoding="ascii") as file:
            file.write(extensions)
        openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-out", "made.csr")
        openssl("x509", "-req", "-in", "made.csr", "-CA", issuer, "-CAkey", issuer_key, "-days", days, "-extfile", "ext", "-out", f"{name}.pem")

    signing_usage = "keyUsage=critical,digitalSignature\n"
    certified("critical", "signer.key", "ca.pem", "ca.key", signing_usage + "1.2.3.4.5=critical,ASN1:UTF8String:hi\n")
    for name, extensions, days in (("no-ca", "basicConstraints=CA:FALSE\n", "5"), ("old-ca", "basicConstraints=CA:TRUE\n", "-1"),
                                   ("some-ca", "basicConstraints=CA:TRUE\n", "5")):
        certified(name, "middle.key", "ca.pem", "ca.key", extensions, days)
        certified(f"of-{name}", "signer.key", f"{name}.pem", "middle.key", signing_usage)
    for leaf, others, text in (("critical", [], b"critical extension"), ("of-no-ca", ["no-ca"], b"CA"),
                               ("of-old-ca", ["old-ca"], b"CN = old-ca would not verify: certificate has expired"),
                               ("of-some-ca", ["some-ca"], None), ("signer", ["old-ca"], None),
                               ("signer", ["signer", "ca", "ca"], None)):
        copied()
        bench.append("C", "ord1")
        with open("chain.pem", "wb") as file:
            for name in (leaf, *others):
                file.write(open(f"{name}.pem", "rb").read())
        closing = ["close", "C", "--signer", "signer.key", "--certificate", "chain.pem"]
        if text is None:
            # So that this shows something.
            bench.run(*closing)
            assert b"bag 3  signature  holds" in bench.verify("C").stdout
        else:
            refused(closing, text, 2)
            assert os.listdir("C/incoming") == ["data"] and len(os.listdir("C/bags")) == 2, leaf

    # A key that was restored opens nothing, also while the erasure waits for a bag.
    copied()
    key = f"C/keys/{page.key_id(private_key('archive.key').public_key())}/{record[:2]}/{record}"
    shutil.copy(key, "kept")
    bench.run("erase", "C", "--record", record)
    shutil.copy("kept", key)
    refused([*exporting, "--record", record], b"was erased, but its key is there")
    os.remove(key)
    bench.close("C")
    shutil.copy("kept", key)
    refused([*exporting, "--record", record], b"was erased, but its key is there")
    # Behind a link a key would stay.
    copied()
    shutil.move(os.path.dirname(key), "elsewhere")
    os.symlink(os.path.realpath("elsewhere"), os.path.dirname(key))
    refused(["erase", "C", "--record", record], b"is not a regular file, nor a folder: the key of record")
    assert not os.listdir("C/tmp")
    shutil.rmtree("elsewhere")
    # A planted name among the keys.
    for plant in (lambda path: os.symlink("/etc", path), os.mkfifo, lambda path: open(path, "x").close()):
        copied()
        plant(f"C/keys/{'0' * 64}")
        done = bench.verify("C", status=1)
        assert b"is not a folder of keys" in done.stdout and b"bag 2  content  holds" in done.stdout, done
    # What writers go through: named with its path by `verify`, which accuses nobody else, and refused by writers.
    link = lambda path: os.symlink(os.path.realpath("outside"), path)  # noqa: E731
    deep, closed = f"tmp/{'0' * 32}", bench.records[1]
    plants = [(path, plant) for path in ("incoming", "incoming/data", "tmp", "keys") for plant in (link, lambda path: open(path, "x").close())]
    plants += [("lock", plant) for plant in (os.mkdir, os.mkfifo, link)]
    plants += [(f"tmp/erase-{record}", plant) for plant in (os.mkdir, os.mkfifo, link)]
    plants += [(f"tmp/erase-{'0' * 32}", lambda path: open(path, "x").close()), (f"{deep}/1", lambda path: os.makedirs(f"{path}/2/3/4")),
               ("incoming/x", lambda path: os.makedirs(f"{path}/1/2/3/4"))]

    # What a crash leaves is known: nothing else is passed over, least of all the key of an erased record.
    def make(path: str) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "x").close()

    def instead(plant):
        def case(path: str) -> None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            plant(path)
        return case

    plants += [(f"{folder}/{name}", plant) for folder in ("tmp", deep, "incoming", "incoming/signatures") for name in ("x", "erase-x")
               for plant in (os.makedirs, make, instead(os.mkfifo), instead(link))]
    plants += [(path, instead(plant)) for path in ("tmp/current.pem", "tmp/tagmanifest-sha256.txt.p7s.tsr", "incoming/bagit.txt",
                                                   "incoming/signatures", f"{deep}/statement", f"tmp/{other}.key") for plant in (os.mkfifo, link)]
    plants += [(f"incoming/{record}", make), (f"tmp/{closed}.key", make), ("incoming/signatures/tagmanifest-sha256.txt.p7s.tsr", make)]
    # What a crash does leave is no fault, and goes.
    copied()
    for path in ("tmp/current.pem", "tmp/tagmanifest-sha256.txt.p7s.tsr", f"tmp/{other}.key", f"{deep}/statement", f"{deep}/key",
                 f"{deep}/video.mp4.sealed", "incoming/bagit.txt", "incoming/tagmanifest-sha256.txt",
                 "incoming/signatures/tagmanifest-sha256.txt.p7s"):
        make(f"C/{path}")
    assert b"fails" not in bench.verify("C", status=4).stdout
    bench.append("C", "ord1")
    assert not os.listdir("C/tmp") and os.listdir("C/incoming") == ["data"]
    os.makedirs("outside/data", exist_ok=True)
    for path, plant in plants:
        copied()
        bench.append("C", "ord1")
        if path == f"tmp/{closed}.key":
            bench.run("erase", "C", "--record", closed)
        full = f"C/{path}"
        if os.path.lexists(full):
            shutil.rmtree(full) if os.path.isdir(full) else os.remove(full)
        plant(full)
        before = sorted(os.walk("outside"))
        done = bench.verify("C", status=None)
        failures = [line for line in done.stdout.splitlines() if b"  fails: " in line]
        assert done.returncode == 1 and len(failures) == 1 and failures[0].startswith(f"archive  structure  fails: {path} ".encode()), (path, done)
        assert b"bag 1  content  holds" in done.stdout and b"another process" not in done.stdout, (path, done)
        for words in (bench.appending("C", "ord1"), ["close", "C", "--signer", "signer.key", "--certificate", "signer.pem"],
                      ["erase", "C", "--record", other]):
            done = bench.run(*words, status=1)
            assert path.encode() in done.stderr, (path, words[1], done.stderr)
        assert sorted(os.walk("outside")) == before
    # A key that is a folder would stay, and what has no part is never being erased.
    copied()
    key = f"C/keys/{page.key_id(private_key('archive.key').public_key())}/{record[:2]}/{record}"
    os.rename(key, "kept")
    os.mkdir(key)
    refused(["erase", "C", "--record", record], b"is not a regular file: the key of the record cannot be removed")
    copied()
    name = page.append("C", {}, f"exports {record}")
    open(f"C/tmp/erase-{name}", "x").close()
    refused(["close", "C", "--signer", "signer.key", "--certificate", "signer.pem"], f"tmp/erase-{name} asks".encode())
    # A record that is missing is one fault, though another one names it.
    copied()
    name = page.append("C", {}, f"exports {record}")
    bench.close("C")
    shutil.rmtree(f"C/bags/000000001/data/{record}")
    failures = [line for line in bench.verify("C", status=1).stdout.splitlines() if b"  fails: " in line]
    assert failures and all(b" is missing" in line and record.encode() in line for line in failures), failures
    copied()
    with open("C/keys/current.pem", "w", encoding="ascii") as file:
        file.write("no key\n")
    assert b"keys/current.pem is not an RSA public key" in bench.verify("C", status=1).stdout
    refused(bench.appending("C", "ord1"), b"keys/current.pem is not an RSA public key")
    # More names than anybody reads.
    for folder in ("keys", ".", f"keys/{page.key_id(private_key('archive.key').public_key())}"):
        copied()
        for number in range(1100):
            open(f"C/{folder}/x{number}", "x").close()
        done = bench.verify("C", status=None)
        assert b"bag 2  content  holds" in done.stdout and done.returncode == (4 if folder == "." else 1), (folder, done)
    # Files of terabytes that are a few bytes on the disk.
    for name in ("video.mp4.sealed", "statement"):
        copied()
        os.truncate(f"C/bags/000000001/data/{record}/{name}", 8 << 40)
        done = bench.verify("C", status=1)
        assert record.encode() in done.stdout, done.stdout
        assert bench.run(*exporting, "--record", record, status=1).stderr and not os.path.exists("pack")
    # A bag that follows another one, or says another number or origin, though signed: neither vouches for it.
    path = "C/bags/000000002"
    signing = ["cms", "-sign", "-binary", "-outform", "DER", "-md", "sha256", "-signer", "signer.pem", "-inkey", "signer.key", "-in"]
    for label, value, text in ((page.PREVIOUS, "0" * 64, b"is not in its place in the chain"),
                               (page.BAG, "7", b"no signed manifest lists it"),
                               (page.ORIGIN, "example.com/other", b"no signed manifest lists it")):
        copied()
        with open(f"{path}/bag-info.txt", "r+", encoding="ascii") as file:
            info = [f"{label}: {value}\n" if line.startswith(f"{label}:") else line for line in file]
            file.seek(0)
            file.truncate()
            file.write("".join(info))
        with open(f"{path}/bag-info.txt", "rb") as file, open(f"{path}/{page.TAGMANIFEST}", "r+b") as tags:
            digest, lines = page.sha256(file.read()).encode(), tags.read().splitlines()
            tags.seek(0)
            tags.write(b"".join((digest + line[64:] if line.endswith(b"  bag-info.txt") else line) + b"\n" for line in lines))
        openssl(*signing, f"{path}/{page.TAGMANIFEST}", "-cades", "-out", f"{path}/{page.SIGNATURE}")
        assert b"bag 2  signature  holds" in bench.verify("C", status=1).stdout
        refused([*exporting, "--record", other], text)
    # A record that is in two bags, both signed.
    copied()
    shutil.copytree(f"C/bags/000000001/data/{record}", f"C/incoming/data/{record}")
    close_whatever("C")
    done = bench.verify("C", status=1)
    assert b"bag 3  signature  holds" in done.stdout and f"{record}  statement  fails: ".encode() in done.stdout, done.stdout
    refused([*exporting, "--record", record], b"is in two bags: 1 and 3")
    # A part that was changed is named.
    copied()
    with open(f"C/bags/000000001/data/{record}/video.mp4.sealed", "r+b") as file:
        file.seek(100)
        file.write(b"changed")
    refused([*exporting, "--record", record], f"data/{record}/video.mp4.sealed has changed".encode())
    # A signature that does not name its certificate.
    copied()
    openssl(*signing, f"{path}/{page.TAGMANIFEST}", "-noattr", "-out", f"{path}/{page.SIGNATURE}")
    assert b"bag 2  signature  fails" in bench.verify("C", status=1).stdout
    refused([*exporting, "--record", other], b"no signed manifest lists it")
    # More than one line of a head.
    line = bench.run("head", "A").stdout
    with open("heads", "wb") as file:
        file.write(line + line)
    refused(["verify", "A", "--head", "heads"], b"more than one line", 2)
    # An authority whose certificates were valid before: those of faketime would be too young.
    with open("old-ext", "w", encoding="ascii") as file:
        file.write("extendedKeyUsage=critical,timeStamping\n")
    for words in (("req", "-x509", "-new", "-key", "tsaca.key", "-out", "old-tsaca.pem", "-days", "60", "-subj", "/CN=old tsaca"),
                  ("x509", "-req", "-in", "tsa.csr", "-CA", "old-tsaca.pem", "-CAkey", "tsaca.key", "-days", "50", "-out", "old-tsa.pem",
                   "-extfile", "old-ext")):
        subprocess.run(["faketime", "-20 days", "openssl", *words], check=True, capture_output=True)
    both = open("tsaca.pem", encoding="ascii").read() + open("old-tsaca.pem", encoding="ascii").read()
    with open("both.pem", "w", encoding="ascii") as file:
        file.write(both)
    # A time stamp of the future, and one that is earlier than that which the bag names.
    for shift, text in (("+2 days", b"in the future"), ("-2 hours", b"which is later")):
        copied()
        for name in ("q.tsq", "r.tsr"):
            if os.path.exists(name):
                os.remove(name)
        bench.run("stamp", "C", "--query", "q.tsq")
        subprocess.run(["faketime", shift, "openssl", "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "q.tsq", "-signer", "old-tsa.pem",
                        "-inkey", "tsa.key", "-out", "r.tsr"], check=True, capture_output=True)
        stamping = ["stamp", "C", "--query", "q.tsq", "--reply", "r.tsr", "--tsa-ca", "both.pem"]
        refused(stamping, text)
    # Put there by hand, it fails; the export says the same.
    shutil.copy("r.tsr", f"C/bags/000000002/{page.TOKEN}")
    done = bench.run("verify", "C", "--signer-ca", "ca.pem", "--tsa-ca", "both.pem", "--signer", "signer.pem", status=1)
    assert b"bag 2  time  fails" in done.stdout, done.stdout
    exporting[exporting.index("tsaca.pem")] = "both.pem"
    refused([*exporting, "--record", other], b"which is later")
    return "every attack refused"


def main() -> None:
    (tool, assembler), is_long = map(os.path.abspath, sys.argv[1:3]), "--long" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(tool, assembler, folder, is_long)
        for check in (both_ways, no_personal_data, every_change, hostile, one_fault, planted, wrong_times, fractions,
                      erased, covered, forged, universal, stopped, changed_meanwhile, changed_for_good, attacked, one_writer, beside_writers, modes, schema):
            begun = time.monotonic()
            what = check(bench)
            print(f"{check.__name__.replace('_', ' ')}: {what} ({time.monotonic() - begun:.1f} s)", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
