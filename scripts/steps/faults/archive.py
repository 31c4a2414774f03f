#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of an archive when its writer is killed, its disk is full or the power is cut: docs/ARCHIVE.md §5.

`archive.py EVIDENCE-ARCHIVE EVIDENCE-TOOL [--long] [GROUP…]` runs a part of each row; with `--long` as much as a quarter of an
hour takes. Each operation is ended at every one of its system calls that change something; then the archive is opened again, and
must be as the page says: a printed id is there, whole; anything else is there whole or not at all; nothing is left over; what was
said to be done is done, and counts; an erasure or reduction that was begun is done; what is made beside the archive is absent or
whole; `verify` finds nothing wrong, before and after.

Needs strace; power cuts need root and loop devices, full disks root, and are left out with a message where they cannot be had.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Callable, Sequence

from archive_jobs import GROUPS, MEDIA, Inputs, page
from disks import UNAVAILABLE, mounted, new_disk
from harness import in_time

CALLS = ["openat", "mkdirat", "write", "fsync", "syncfs", "linkat", "renameat", "renameat2", "unlinkat", "ftruncate", "fchmod",
         "fchmodat", "chmod"]


class Fault(Exception):
    """What must never happen."""


def tree(path: str) -> dict[str, bytes] | None:
    """All that is there, by its path; None for nothing."""
    if not os.path.isdir(path):
        return {"": page.contents(path)} if os.path.exists(path) else None
    paths = [os.path.join(folder, name) for folder, folders, names in os.walk(path) for name in folders + names]
    return {one[len(path):]: b"" if os.path.isdir(one) else page.contents(one) for one in paths}


def records(archive: str) -> set[str]:
    return {os.path.basename(path) for path in glob.glob(f"{archive}/bags/*/data/*") + glob.glob(f"{archive}/incoming/data/*")}


class Bench:
    def __init__(self, tool: str, assembler: str, folder: str, is_long: bool) -> None:
        self.tool, self.folder, self.is_long = tool, folder, is_long
        self.random, self.last = random.Random(20), ""
        self.inputs = Inputs(assembler, folder)
        self.path = self.inputs.path
        place = self.path("template")
        os.mkdir(place)
        self.call(place, *self.inputs.init)
        self.first = self.call(place, *self.inputs.append).decode().strip()
        self.call(place, *self.inputs.close)
        self.second = self.call(place, *self.inputs.append).decode().strip()
        self.query_reply(place)
        for name in ("q.tsq", "r.tsr"):
            os.rename(f"{place}/{name}", self.path(name))
        self.operations = self.inputs.operations(self.first, self.second)

    def call(self, place: str, *words: str, statuses: tuple[int, ...] = (0,)) -> bytes:
        done = subprocess.run([self.tool, *words], cwd=place, capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode not in statuses:
            raise Fault(f"{words}: {done.returncode}, {done.stdout[-2000:]!r}, {done.stderr!r}")
        return done.stdout

    def query_reply(self, place: str) -> None:
        """What the authority answers about the newest bag."""
        self.call(place, "stamp", "A", "--query", "q.tsq")
        self.inputs.openssl("ts", "-reply", "-config", self.path("tsa.cnf"), "-queryfile", "q.tsq", "-signer", self.path("tsa.pem"),
                            "-inkey", self.path("tsa.key"), "-out", "r.tsr", place=place)

    def begin(self, name: str, share: int) -> None:
        """Makes the folder in which an operation, one of a group of so many, is ended each time."""
        self.operation, self.template, self.share = self.operations[name], self.path(name), share
        operation = self.operation
        shutil.copytree(self.path("template"), self.template)
        if operation.makes == "A":
            shutil.rmtree(f"{self.template}/A")
        for words in operation.before:
            self.last = self.call(self.template, *words).decode().strip()
        operation.words, operation.says = ([word.replace("LAST", self.last) for word in words] for words in (operation.words, operation.says))
        self.there = records(f"{self.template}/A")
        self.old = tree(f"{self.template}/{operation.makes}")
        with self.a_place() as place:
            self.call(place, *operation.words)
            self.made = tree(f"{place}/{operation.makes}")
            self.only_reads = tree(f"{place}/A") == tree(f"{self.template}/A")

    def calls(self, *more: str) -> list[tuple[str, int]]:
        """The system calls that change something, and which number each has, from when the archive is locked, if it is."""
        counts: dict[tuple[str, str], int] = {}
        ours, has_begun, trace = set(), False, self.path("trace")
        with self.a_place() as place:
            self.run(place, "strace", "-f", "-qq", "-o", trace, more=more)
        mark = "RLIMIT_CORE" if self.only_reads or self.operation.makes == "A" else "flock"
        with open(trace, encoding="utf-8", errors="replace") as file:
            for line in file:
                thread, _, call = line.partition(" ")
                if not (name := re.match(r"\s*(\w+)\(", call)):
                    continue
                has_begun = has_begun or mark in call
                counts[thread, name[1]] = counts.get((thread, name[1]), 0) + 1
                if has_begun and name[1] in CALLS and (name[1] != "openat" or re.search("O_CREAT|O_TMPFILE", call)):
                    ours.add((name[1], counts[thread, name[1]]))
        return sorted(ours)

    def copy(self, folder: str) -> str:
        place = tempfile.mktemp(dir=folder)
        shutil.copytree(self.template, place)
        return place

    @contextlib.contextmanager
    def a_place(self):
        place = self.copy(self.folder)
        yield place
        shutil.rmtree(place)

    def run(self, place: str, *wrapper: str, more: Sequence[str] = ()) -> subprocess.CompletedProcess:
        return subprocess.run([*wrapper, self.tool, *self.operation.words, *more], cwd=place, capture_output=True, stdin=subprocess.DEVNULL)

    def ended(self, place: str, was_cut: bool, *wrapper: str, more: Sequence[str] = (), first: Callable[[], None] = lambda: None) -> str:
        """Runs the operation, and says what came of it; `first`: what is done before it is judged."""
        done = self.run(place, *wrapper, more=more)
        self.insist(done.returncode in ((0, -9) if was_cut else (0, 3)), f"status {done.returncode}, {done.stderr!r}")
        self.insist(done.returncode != 3 or b"evidence-archive: error: " in done.stderr, f"{done.stderr!r}")
        # Neither the archive is to blame, nor a name that nobody gave.
        self.insist(not re.search(rb"changed|\.evidence-", done.stderr), f"{done.stderr!r}")
        first()
        return self.judge(place, done.stdout, done.returncode == 0, was_cut)

    # --- What must be true afterwards --------------------------------------------------------------------------------

    def judge(self, place: str, printed: bytes, is_done: bool, was_cut: bool) -> str:
        """Opens the archive for writing, which finishes what was begun, and holds it to the page; what came of it."""
        operation, archive = self.operation, f"{place}/A"
        made = self.judge_beside(place, was_cut)
        is_rotated = operation.words[0] == "rotate"
        self.insist(not is_rotated or not is_done or self.is_wrapped_again(archive), "rotated, and old keys are left")
        if os.path.exists(archive):
            self.verify(place)
        else:
            self.call(place, *self.inputs.init)
        recovered = self.call(place, *self.inputs.append).decode().strip()
        if is_rotated:
            self.call(place, *operation.words)
        self.insist(not os.listdir(f"{archive}/tmp") and os.listdir(f"{archive}/incoming") == ["data"],
                    f"something is left: {os.listdir(archive + '/tmp')}, {os.listdir(archive + '/incoming')}")
        key_name = "new" if is_rotated else "archive"
        self.close_all(place)
        self.verify(place, "--key", self.path(f"{key_name}.key"))
        found = page.read(archive, self.inputs.keys[key_name])
        page.check_modes(archive)
        self.judge_records(archive, found)
        self.insist(not is_rotated or self.is_wrapped_again(archive), "old keys are left")
        known = {*self.there, recovered, *re.findall("^[0-9a-f]{32}", printed.decode(), re.MULTILINE)}
        self.insist(known <= set(found), f"lost: {known - set(found)}")
        new = sorted(found[record]["about"] or "" for record in set(found) - self.there - {recovered})
        self.insist(new == sorted(operation.says[: len(new)]), f"records that say {new}")
        is_said = len(new) == len(operation.says)
        self.insist(is_said or not made or not operation.says, "made, and no record says so")
        self.insist(is_said and made >= bool(operation.makes) or not (is_done or printed and not operation.says), f"done, and gone: {new}, {made}")
        if operation.refused:
            self.call(place, *self.inputs.append)
            if operation.is_freed:
                self.query_reply(place)
                self.call(place, "stamp", "A", "--query", "q.tsq", "--reply", "r.tsr", "--tsa-ca", self.path("tsa.pem"))
            self.call(place, *operation.refused, statuses=(1, 2) if bool(new) != operation.is_freed else (0,))
        if operation.makes == "I":
            self.call(place, "index", "update" if os.path.exists(f"{place}/I") else "build", *self.inputs.with_key, "--index", "I")
            listed = {line.split(" ")[0] for line in self.call(place, *self.inputs.find).decode().splitlines()}
            living = {record for record, one in found.items() if one["parts"] and one["content"] is not None}
            self.insist(listed == living, f"the index has {listed}, not {living}")
            self.insist(not glob.glob(f"{place}/.evidence-*"), "the index left something")
        ends = [f"{len(new)} of {len(operation.says)} records"] * bool(operation.says) + ["made" if made else "not made"] * bool(operation.makes)
        return " and ".join(ends)

    def is_wrapped_again(self, archive: str) -> bool:
        return set(os.listdir(f"{archive}/keys")) == {page.key_id(self.inputs.keys["new"].public_key()), "current.pem"}

    def insist(self, holds: object, what: str) -> None:
        if not holds:
            raise Fault(what)

    def judge_beside(self, place: str, was_cut: bool) -> bool:
        """Whether what is made is there: whole, or as before. Nothing else has changed, and nothing is left but what the page names."""
        operation = self.operation
        path = f"{place}/{operation.makes}"
        now = tree(path) if operation.makes else None
        made = now is not None and now != self.old
        self.insist(not made or (operation.is_whole(path, self.last) if operation.is_whole else now == self.made), f"{operation.makes} is not whole")
        left = set(os.listdir(place)) - set(os.listdir(self.template)) - {operation.makes}
        self.insist(all(was_cut and name.startswith(".evidence-") for name in left), f"left: {left}")
        waiting = records(f"{place}/A") - self.there
        for name in left:
            if os.path.isdir(f"{place}/{name}"):
                page.check_modes(f"{place}/{name}")
            shown = [one for one, data in (tree(f"{place}/{name}") or {}).items() if page.contents(f"{MEDIA}/photo.jpg") in data]
            self.insist(waiting or not shown, f"opened before a record says so: {shown}")
        self.insist(not self.only_reads or tree(f"{place}/A") == tree(f"{self.template}/A"), "the archive has changed")
        return made

    def verify(self, place: str, *more: str) -> None:
        said = self.call(place, "verify", "A", "--signer-ca", self.path("signers.pem"), "--tsa-ca", self.path("tsa.pem"), "--signer",
                         self.path("signer.pem"), *more, statuses=(0, 1, 4)).decode()
        # A rotation is finished only if it is requested again.
        failing = [line for line in said.splitlines() if " fails: " in line and not line.endswith("(repeat it)")]
        self.insist(not failing, f"verify: {failing}")

    def close_all(self, place: str) -> None:
        """Closes what waits, and tells what shortens a record's life."""
        said = [page.contents(path) for path in glob.glob(f"{place}/A/incoming/data/*/statement")]
        kinds = [(b"\nreleases ", ["--shortens", "releases=1"]), (b"\nadds ", ["--shortens", "additions=1"]),
                 (b"\nsigns ", ["--new-signer", self.path("next.pem")])]
        self.call(place, *self.inputs.close, *(word for kind, words in kinds if any(kind in one for one in said) for word in words))

    def judge_records(self, archive: str, found: dict) -> None:
        """Each record has its key, each key its record, and what was erased or reduced does not open."""
        erased, reduced = ({one["about"].split(" ")[1] for one in found.values() if (one["about"] or "").startswith(f"{kind} ")}
                           for kind in ("erases", "reduces"))
        living = set()
        for record, one in found.items():
            if one["parts"]:
                if (one["content"] is None) != (record in erased):
                    raise Fault(f"{record} {'has no key' if one['content'] is None else 'was erased and opens'}")
                if record not in erased:
                    living.add(record)
                    if (set(one["content"]) != set(one["parts"])) != (record in reduced) or not (one["about"] or "report.json" in one["content"]):
                        raise Fault(f"{record} has {sorted(one['content'])}, and was {'' if record in reduced else 'not '}reduced")
        there = {name for folder, _, names in os.walk(f"{archive}/keys") for name in names} - {"current.pem"}
        if there != living:
            raise Fault(f"keys without a record: {there - living}, records without a key: {living - there}")

    def row(self, name: str, operation: str, short: int, case, arguments: list) -> None:
        total, begun, ends = len(arguments), time.monotonic(), {}
        arguments = self.random.sample(arguments, total if self.is_long else min(total, max(1, short // self.share)))

        def one_case(*one) -> str:
            try:
                return case(*one)
            except (Fault, page.Refused) as fault:
                raise Fault(f"{operation}: {name}: {one}: {fault}") from fault

        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for end in pool.map(lambda one: in_time(begun, one_case, *one), arguments):
                if end is not None:
                    ends[end] = ends.get(end, 0) + 1
        worded = ", ".join(f"{ends[end]} × {end}" for end in sorted(ends))
        count = str(ran := sum(ends.values())) + ("" if ran == total else f" of {total}")
        print(f"| {operation}: {name} | {count} | {worded} | {time.monotonic() - begun:.0f} |", flush=True)


def tracer(call: str, number: int, what: str) -> list[str]:
    return ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{what}:when={number}"]


def can_be_had(disk, what: str) -> bool:
    try:
        with disk:
            return True
    except UNAVAILABLE:
        print(f"left out: {what}", flush=True)
        return False


def kills(bench: Bench, operation: str) -> None:
    def case(call: str, number: int) -> str:
        with bench.a_place() as place:
            return bench.ended(place, True, *tracer(call, number, "signal=SIGKILL"))

    bench.row("SIGKILL at each system call that changes something", operation, 8, case, bench.calls())


def errors(bench: Bench, operation: str) -> None:
    # strace counts for each thread, and would fail the message about the first error as well.
    more = ["--threads", "1"] if operation.startswith("append") else []

    def case(call: str, number: int, error: str) -> str:
        with bench.a_place() as place:
            return bench.ended(place, False, *tracer(call, number, f"error={error}"), more=more)

    bench.row("EIO or ENOSPC at each of them", operation, 8, case, [
        (call, number, error) for call, number in bench.calls(*more) if call not in ("openat", "fchmod", "ftruncate")
        for error in ("EIO", "ENOSPC")])


def full_disks(bench: Bench, operation: str) -> None:
    def case(free: int) -> str:
        with mounted(bench.folder, "size=2m") as disk:
            place, fill = bench.copy(disk), os.path.join(disk, "fill")
            with open(fill, "wb") as file:
                while os.statvfs(disk).f_bavail * 4096 > free:
                    file.write(bytes(4096))
                    file.flush()
            return bench.ended(place, False, first=lambda: os.remove(fill))

    if can_be_had(mounted(bench.folder, "size=1m"), f"{operation} on full disks need root"):
        bench.row("a full disk", operation, 3, case, [(4096 * pages,) for pages in (*range(0, 40, 2), 60, 80, 100)])


def full_disk_erasures(bench: Bench, verb: str) -> None:
    """Where not a byte is left, the keys are destroyed all the same; what is pending is told, and completed later."""
    kind, thing = {"erase": ("erases", "erasure"), "reduce": ("reduces", "reduction")}[verb]
    if not can_be_had(mounted(bench.folder, "size=1m"), f"{thing}s on full disks need root"):
        return
    begun = time.monotonic()
    with mounted(bench.folder, "size=2m") as disk:
        place, fill = bench.copy(disk), os.path.join(disk, "fill")
        archive = f"{place}/A"
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
        bench.call(place, *bench.inputs.append)
        bench.call(place, *bench.inputs.close)
        found = page.read(archive, bench.inputs.keys["archive"])
        told = {one["about"] for one in found.values() if one["about"]}
        if os.listdir(f"{archive}/tmp") or not {f"{kind} {bench.first}", f"{kind} {bench.second}"} <= told:
            raise Fault(f"a pending {thing} was not completed: {told}")
    print(f"| {verb}: not a byte left | 2 | 2 × done, the record added later | {time.monotonic() - begun:.0f} |", flush=True)


def power_cuts(bench: Bench, operation: str) -> None:
    def case(call: str, number: int, is_log_written: bool) -> str:
        with tempfile.TemporaryDirectory(dir=bench.folder) as folder, new_disk(folder) as disk:
            place = bench.copy(disk.path)
            os.sync()

            def cut() -> None:
                disk.cut_power(is_log_written)
                disk.mount_again()

            return bench.ended(place, True, *(tracer(call, number, "signal=SIGKILL") if call else []), first=cut)

    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        if not can_be_had(new_disk(folder), f"{operation} and power cuts need root and loop devices"):
            return
    bench.row("the power is cut at each of them, or when it is done", operation, 3, case, [
        (call, number, is_log_written) for call, number in [*bench.calls(), ("", 0)] for is_log_written in (False, True)])


def main() -> None:
    if sys.argv[1] == "--list":
        return print("\n".join(GROUPS))
    (tool, assembler), is_long = map(os.path.abspath, sys.argv[1:3]), "--long" in sys.argv
    wanted = [word for word in sys.argv[3:] if word != "--long"] or list(GROUPS)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(tool, assembler, folder, is_long)
        print("| fault | runs | they ended | s |\n| --- | --- | --- | --- |")
        for name in wanted:
            group = GROUPS.get(name, [name])
            for operation in group:
                bench.begin(operation, len(group))
                if operation in ("erase", "reduce"):
                    full_disk_erasures(bench, operation)
                for rows in (kills, errors, full_disks, power_cuts):
                    rows(bench, operation)


if __name__ == "__main__":
    main()
