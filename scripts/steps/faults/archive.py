#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of an archive when its writer is killed, its disk is full or the power is cut: docs/ARCHIVE.md §5.

`archive.py EVIDENCE-ARCHIVE EVIDENCE-TOOL [--long] [OPERATION…]` runs a part of each row; with `--long` as much as a quarter of an
hour takes. Each operation is ended at every one of its system
calls that change something; then the archive is opened again, and must be as the page says: a printed id is there, whole;
anything else is there whole or not at all; nothing is left over; an erasure or reduction that was begun is done.

Needs strace; power cuts need root and loop devices, full disks root, and are left out with a message where they cannot be had.
"""

from __future__ import annotations

import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from disks import MIB, UNAVAILABLE, mounted, new_disk
from harness import in_time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "TestVectors", "generate"))

import archive as page  # noqa: E402
from cryptography.hazmat.primitives import serialization  # noqa: E402

KEYS = os.path.join(ROOT, "TestVectors", "keys")
MEDIA = os.path.join(ROOT, "TestVectors", "media")
CALLS = ["openat", "mkdirat", "write", "fsync", "syncfs", "renameat", "renameat2", "unlinkat", "ftruncate", "fchmod"]
OPERATIONS = ["append", "append-3-at-a-time", "close", "erase", "reduce", "rotate"]


class Fault(Exception):
    """What must never happen."""


class Bench:
    def __init__(self, tool: str, assembler: str, folder: str, is_long: bool) -> None:
        self.tool, self.folder, self.is_long = tool, folder, is_long
        self.random = random.Random(20)
        self.make_inputs(assembler)
        self.template = self.path("template")
        self.call("init", self.template, "--origin", "example.com/faults", "--public", self.path("archive.pub"),
                  "--signer", self.path("signer.pem"))
        self.first = self.call(*self.append(self.template)).decode().strip()
        self.call(*self.close(self.template))
        self.second = self.call(*self.append(self.template)).decode().strip()

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def call(self, *words: str) -> bytes:
        done = subprocess.run([self.tool, *words], capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise Fault(f"{words}: {done.returncode}, {done.stderr!r}")
        return done.stdout

    def make_inputs(self, assembler: str) -> None:
        def openssl(*words: str) -> None:
            subprocess.run(["openssl", *words], check=True, capture_output=True)

        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.path("signer.key"), "-out", self.path("signer.pem"),
                "-subj", "/CN=signer", "-addext", "keyUsage=digitalSignature", "-days", "2")
        for name in ("archive", "new"):
            openssl("genrsa", "-out", self.path(f"{name}.key"), "3072")
            openssl("pkey", "-in", self.path(f"{name}.key"), "-pubout", "-out", self.path(f"{name}.pub"))
        self.keys = {}
        for name in ("archive", "new"):
            with open(self.path(f"{name}.key"), "rb") as file:
                self.keys[name] = serialization.load_pem_private_key(file.read(), None)
        subprocess.run([assembler, "assemble", "--public", f"{KEYS}/rsa2048.public.pem", "--compare-public", f"{KEYS}/other3072.public.pem",
                        "--order-no", "ord1", "--app-id", "IDAXXXXX", "--user-id", "u1", "--video", f"{MEDIA}/clip.mp4", "--image",
                        f"{MEDIA}/photo.jpg", "-o", self.path("result.json")], check=True, capture_output=True, stdin=subprocess.DEVNULL)
        with open(self.path("list"), "w", encoding="utf-8") as file:
            file.write(f"ord1 {self.path('result.json')}\n" * 3)

    def append(self, archive: str) -> list[str]:
        return ["append", archive, "--key", f"{KEYS}/rsa2048.pem", "--order-no", "ord1", "--require", "result,order,video",
                self.path("result.json")]

    def close(self, archive: str) -> list[str]:
        return ["close", archive, "--signer", self.path("signer.key"), "--certificate", self.path("signer.pem")]

    def rotate(self, archive: str) -> list[str]:
        return ["rotate", archive, "--key", self.path("archive.key"), "--public", self.path("new.pub")]

    def words(self, operation: str, archive: str) -> list[str]:
        if operation == "append-3-at-a-time":
            return [word for word in self.append(archive)[:-1] if word not in ("--order-no", "ord1")] + ["--list", self.path("list")]
        return {"append": self.append, "close": self.close, "rotate": self.rotate,
                "erase": lambda archive: ["erase", archive, "--record", self.first],
                "reduce": lambda archive: ["reduce", archive, "--record", self.first]}[operation](archive)

    def calls(self, operation: str, *more: str) -> dict[str, list[int]]:
        """Which numbers each system call has between the moment when the archive is locked and the end."""
        archive = self.copy(self.folder)
        trace = archive + ".trace"
        done = subprocess.run(["strace", "-f", "-qq", "-o", trace, self.tool, *self.words(operation, archive), *more],
                              capture_output=True)
        if done.returncode != 0:
            raise Fault(f"{operation}: {done.stderr!r}")
        counts: dict[tuple[str, str], int] = {}
        ours: dict[str, list[int]] = {}
        has_begun = False
        with open(trace, encoding="utf-8", errors="replace") as file:
            for line in file:
                thread, _, call = line.partition(" ")
                if not (name := re.match(r"\s*(\w+)\(", call)):
                    continue
                has_begun = has_begun or name[1] == "flock"
                counts[thread, name[1]] = counts.get((thread, name[1]), 0) + 1
                if has_begun and name[1] in CALLS:
                    ours.setdefault(name[1], []).append(counts[thread, name[1]])
        shutil.rmtree(archive)
        os.remove(trace)
        return {name: sorted(set(numbers)) for name, numbers in ours.items()}

    def copy(self, folder: str) -> str:
        archive = tempfile.mktemp(dir=folder)
        shutil.copytree(self.template, archive)
        return archive

    # --- What must be true afterwards --------------------------------------------------------------------------------

    def judge(self, operation: str, archive: str, printed: bytes, what: str) -> str:
        """Opens the archive for writing, which finishes what was begun, and holds it to the page; what came of it."""
        recovered = self.call(*self.append(archive)).decode().strip()
        if operation == "rotate":
            self.call(*self.rotate(archive))
        if os.listdir(f"{archive}/tmp") or os.listdir(f"{archive}/incoming") != ["data"]:
            raise Fault(f"{what}: something is left: {os.listdir(archive + '/tmp')}, {os.listdir(archive + '/incoming')}")
        bags = len(os.listdir(f"{archive}/bags"))
        self.call(*self.close(archive))
        key = self.keys["new" if operation == "rotate" else "archive"]
        found = page.read(archive, key)
        erasures, reductions = ([one["about"].split(" ")[1] for one in found.values() if (one["about"] or "").startswith(f"{kind} ")]
                                for kind in ("erases", "reduces"))
        erased, reduced = set(erasures), set(reductions)
        for record in (self.first, self.second, recovered, *(line.split(" ")[0] for line in printed.decode().splitlines())):
            if len(record) == 32 and record not in found:
                raise Fault(f"{what}: {record} is lost")
        living = set()
        for record, one in found.items():
            if one["parts"]:
                if (one["content"] is None) != (record in erased):
                    raise Fault(f"{what}: {record} {'has no key' if one['content'] is None else 'was erased and opens'}")
                if record not in erased:
                    living.add(record)
                    if (set(one["content"]) != set(one["parts"])) != (record in reduced) or "report.json" not in one["content"]:
                        raise Fault(f"{what}: {record} has {sorted(one['content'])}, and was {'' if record in reduced else 'not '}reduced")
        there = {name for folder, _, names in os.walk(f"{archive}/keys") for name in names} - {"current.pem"}
        if there != living:
            raise Fault(f"{what}: keys without a record: {there - living}, records without a key: {living - there}")
        if operation == "rotate" and os.listdir(f"{archive}/keys") not in (
                [page.key_id(key.public_key()), "current.pem"], ["current.pem", page.key_id(key.public_key())]):
            raise Fault(f"{what}: old keys are left")
        if erasures not in ([], [self.first]) or reductions not in ([], [self.first]):
            raise Fault(f"{what}: erasures of {erasures}, reductions of {reductions}")
        new = len(found) - 3
        return {"close": f"{bags} bags", "erase": "erased" if erased else "not erased",
                "reduce": "reduced" if reduced else "not reduced"}.get(operation, f"{new} new")

    def row(self, name: str, operation: str, short: int, case, arguments: list) -> None:
        total, begun, ends = len(arguments), time.monotonic(), {}
        if self.is_long or total > short:
            arguments = self.random.sample(arguments, total if self.is_long else short)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for end in pool.map(lambda one: in_time(begun, case, *one), arguments):
                if end is not None:
                    ends[end] = ends.get(end, 0) + 1
        worded = ", ".join(f"{ends[end]} × {end}" for end in sorted(ends))
        count = str(ran := sum(ends.values())) + ("" if ran == total else f" of {total}")
        print(f"| {operation}: {name} | {count} | {worded} | {time.monotonic() - begun:.0f} |", flush=True)


def kills(bench: Bench, operation: str) -> None:
    def case(call: str, number: int) -> str:
        archive = bench.copy(bench.folder)
        wrapper = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}"]
        done = subprocess.run([*wrapper, bench.tool, *bench.words(operation, archive)], capture_output=True)
        try:
            return bench.judge(operation, archive, done.stdout, f"{operation}, killed at {call} {number}")
        finally:
            shutil.rmtree(archive)

    calls = [(call, number) for call, numbers in bench.calls(operation).items() for number in numbers]
    bench.row("SIGKILL at each system call that changes something", operation, 12, case, calls)


def errors(bench: Bench, operation: str) -> None:
    # strace counts for each thread, and would fail the message about the first error as well.
    more = ["--threads", "1"] if operation.startswith("append") else []

    def case(call: str, number: int, error: str) -> str:
        archive = bench.copy(bench.folder)
        wrapper = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={number}"]
        done = subprocess.run([*wrapper, bench.tool, *bench.words(operation, archive), *more], capture_output=True)
        if done.returncode not in (0, 3):
            raise Fault(f"{operation}, {error} at {call} {number}: status {done.returncode}, {done.stderr!r}")
        if done.returncode == 3 and (b"evidence-archive: error: " not in done.stderr or b"changed" in done.stderr):
            raise Fault(f"{operation}, {error} at {call} {number}: {done.stderr!r}")
        try:
            return bench.judge(operation, archive, done.stdout, f"{operation}, {error} at {call} {number}")
        finally:
            shutil.rmtree(archive)

    calls = [(call, number, error) for call, numbers in bench.calls(operation, *more).items() for number in numbers
             for error in ("EIO", "ENOSPC") if call not in ("openat", "fchmod", "ftruncate")]
    bench.row("EIO or ENOSPC at each of them", operation, 10, case, calls)


def full_disks(bench: Bench, operation: str) -> None:
    try:
        with mounted(bench.folder, "size=1m"):
            pass
    except UNAVAILABLE:
        return print(f"left out: {operation} on full disks need root", flush=True)

    def case(free: int) -> str:
        with mounted(bench.folder, "size=2m") as disk:
            archive = bench.copy(disk)
            fill = os.path.join(disk, "fill")
            with open(fill, "wb") as file:
                while os.statvfs(disk).f_bavail * 4096 > free:
                    file.write(bytes(4096))
                    file.flush()
            done = subprocess.run([bench.tool, *bench.words(operation, archive)], capture_output=True)
            if done.returncode not in (0, 3):
                raise Fault(f"{operation} with {free} bytes left: status {done.returncode}, {done.stderr!r}")
            os.remove(fill)
            return bench.judge(operation, archive, done.stdout, f"{operation} with {free} bytes left")

    bench.row("a full disk", operation, 4, case, [(4096 * pages,) for pages in range(0, 40, 2)])


def full_disk_erasures(bench: Bench, verb: str) -> None:
    """Where not a byte is left, the keys are destroyed all the same; what is pending is told, and completed later."""
    kind, thing = {"erase": ("erases", "erasure"), "reduce": ("reduces", "reduction")}[verb]
    try:
        with mounted(bench.folder, "size=1m"):
            pass
    except UNAVAILABLE:
        return print(f"left out: {thing}s on full disks need root", flush=True)
    begun = time.monotonic()
    with mounted(bench.folder, "size=2m") as disk:
        archive, fill = bench.copy(disk), os.path.join(disk, "fill")
        with open(fill, "wb", buffering=0) as file:
            try:
                while file.write(bytes(512)):
                    pass
            except OSError:
                pass
        for record in (bench.first, bench.second):
            # Without a note, its record finds room where the key was.
            done = subprocess.run([bench.tool, verb, archive, "--record", record, "--note", bench.path("list")],
                                  capture_output=True)
            if done.returncode != 3 or b"key destroyed" not in done.stderr or b"free some space" not in done.stderr:
                raise Fault(f"{verb} on a full disk: status {done.returncode}, {done.stderr!r}")
            if any(verb == "erase" or page.contents(path).count(b"\n") != 1 for path in page.key_paths(archive, record)):
                raise Fault(f"{verb} on a full disk: the key is there")
        done = subprocess.run([bench.tool, "verify", archive], capture_output=True)
        if f"the {thing} of record ".encode() not in done.stdout or b" is pending: " not in done.stdout or b"fails" in done.stdout:
            raise Fault(f"a pending {thing}: {done.stdout!r}, {done.stderr!r}")
        os.remove(fill)
        bench.call(*bench.append(archive))
        bench.call(*bench.close(archive))
        found = page.read(archive, bench.keys["archive"])
        told = {one["about"] for one in found.values() if one["about"]}
        if os.listdir(f"{archive}/tmp") or not {f"{kind} {bench.first}", f"{kind} {bench.second}"} <= told:
            raise Fault(f"a pending {thing} was not completed: {told}")
    print(f"| {verb}: not a byte left | 2 | 2 × done, the record added later | {time.monotonic() - begun:.0f} |", flush=True)


def power_cuts(bench: Bench, operation: str) -> None:
    def case(delay: int) -> str:
        with tempfile.TemporaryDirectory(dir=bench.folder) as folder, new_disk(folder) as disk:
            archive = bench.copy(disk.path)
            os.sync()
            words = [bench.tool, *bench.words(operation, archive)]
            child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if delay:
                time.sleep(delay / 1000)
            else:
                child.wait()
            disk.cut_power()
            printed, _ = child.communicate()
            is_done = child.returncode == 0
            disk.mount_again()
            end = bench.judge(operation, archive, printed, f"{operation}, power cut after {delay} ms")
            # Nothing that was said to be done is undone.
            if is_done and not delay and end in ("0 new", "not erased", "not reduced", "1 bags"):
                raise Fault(f"{operation}: done, and gone with the power: {end}")
            return end

    try:
        with tempfile.TemporaryDirectory(dir=bench.folder) as folder, new_disk(folder):
            pass
    except UNAVAILABLE:
        return print(f"left out: {operation} and power cuts need root and loop devices", flush=True)
    bench.row("the power is cut", operation, 3, case, [(delay,) for delay in (0, 0, 0, *range(5, 100, 5))])


def main() -> None:
    if sys.argv[1] == "--list":
        return print("\n".join(OPERATIONS))
    (tool, assembler), is_long = map(os.path.abspath, sys.argv[1:3]), "--long" in sys.argv
    wanted = [word for word in sys.argv[3:] if word != "--long"] or OPERATIONS
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(tool, assembler, folder, is_long)
        print("| fault | runs | they ended | s |\n| --- | --- | --- | --- |")
        for operation in wanted:
            if operation in ("erase", "reduce"):
                full_disk_erasures(bench, operation)
            for rows in (kills, errors, full_disks, power_cuts):
                rows(bench, operation)


if __name__ == "__main__":
    main()
