#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An archive of as many bags as five years of hourly ones, closed, stamped twelve times, verified and shown to a court.

`soak-archive.py EVIDENCE-ARCHIVE EVIDENCE-TOOL ARCHIVE-SOAK FOLDER [--bags N] [--seconds S] [--state]` goes on where it was stopped,
after a kill as well: what the archive has counts. With --seconds it ends after about so many, and exits with 4 until all is done.
FOLDER/state.ndjson has a line for each part; --state prints it as a table and does nothing else.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
SPEC = importlib.util.spec_from_file_location("check_archive", os.path.join(HERE, "check-archive.py"))
assert SPEC and SPEC.loader
check = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check)

# Of a way through 43,800 bags: docs/ARCHIVE.md section 3.
STEPS = 67


def lines(path: str) -> list[dict]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as file:
        # The last line of a process that was killed may be cut off.
        return [json.loads(line) for line in file if line.endswith("\n")]


def table(path: str) -> str:
    rows = [f"| {one['what']} | {one['bags']} | {one['seconds']:.1f} | {one['ms']:.2f} |" for one in lines(path)]
    return "\n".join(["| what | bags | seconds | ms a bag |", "| --- | --: | --: | --: |", *rows])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "assembler", "soak", "folder"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--bags", type=int, default=43_800)
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--state", action="store_true")
    given = parser.parse_args()
    state = f"{given.folder}/state.ndjson"
    if given.state:
        print(table(state))
        return 0
    if any(one["what"] == "closed by a command" for one in lines(state)):
        print("done")
        return 0
    begun = time.monotonic()

    def note(what: str, bags: int, seconds: float, count: int) -> None:
        with open(state, "a", encoding="ascii") as file:
            file.write(json.dumps({"what": what, "bags": bags, "seconds": seconds, "ms": 1_000 * seconds / max(count, 1)}) + "\n")
        print(table(state).splitlines()[-1], flush=True)

    if not os.path.exists(state):
        # What was stopped while it was made, if anything.
        shutil.rmtree(given.folder, ignore_errors=True)
        os.makedirs(given.folder)
        bench = check.Bench(given.tool, given.assembler, given.folder, is_long=False)
        with open("record", "w", encoding="ascii") as file:
            file.write(bench.records[0])
        note("made", 2, time.monotonic() - begun, 2)
    else:
        bench = check.Bench.again(given.tool, given.folder)
    with open("record", encoding="ascii") as file:
        record = file.read()

    def count() -> int:
        return len(os.listdir("A/bags"))

    part = given.bags // 12
    while (before := count()) < given.bags:
        left = given.seconds - int(time.monotonic() - begun)
        if left <= 0:
            return 4
        goal = min(given.bags, (before // part + 1) * part)
        start = time.monotonic()
        subprocess.run([given.soak, "A", record, "signer.key", "signer.pem", str(goal), str(left)], check=True, stdin=subprocess.DEVNULL)
        after = count()
        note("closed", after, time.monotonic() - start, after - before)
        if after == goal:
            bench.stamp("A")
    if not os.path.exists(f"A/bags/{given.bags:09d}/{check.page.TOKEN}"):
        bench.stamp("A")
    start = time.monotonic()
    done = bench.run(*bench.verifying("A"), "--require", "signature,time,content", status=None, timeout=86_400)
    failures = [line for line in done.stdout.splitlines() if b"  fails: " in line]
    assert not failures, failures[:3]
    assert done.stdout.count(b"  signature  holds: ") == given.bags and done.stdout.count(b"  time  holds: ") == given.bags
    note("verified", given.bags, time.monotonic() - start, given.bags)
    start = time.monotonic()
    shutil.rmtree("pack", ignore_errors=True)
    bench.export("A", record)
    steps = len(os.listdir("pack/next"))
    assert steps <= STEPS, steps
    subprocess.run(check.script("sh", "pack/verify.sh"), check=True, capture_output=True)
    note(f"shown to a court, in {steps} steps", given.bags, time.monotonic() - start, given.bags)
    # What one more bag costs a command that knows nothing yet; the export waits for it.
    start = time.monotonic()
    bench.run("close", "A", "--signer", "signer.key", "--certificate", "signer.pem", timeout=86_400)
    note("closed by a command", given.bags + 1, time.monotonic() - start, 1)
    print("done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
