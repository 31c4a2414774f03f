# SPDX-License-Identifier: Apache-2.0
"""Instructions for each byte of plaintext in each stage, counted by callgrind: the same on every run, on a busy machine
too. Compares with costs.json and fails where one has grown; --record writes it anew."""

import argparse
import json
import os
import re
import subprocess
import sys

from measure import output_of
from workload import MIB, ORDER, V1, Files, folder

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "costs.json")
# What a figure may grow by before it fails: a share of it, and a little for what is nearly nothing.
SHARE, LITTLE = 0.05, 0.02
# The difference between two sizes is what bytes cost; what a start costs is in both.
SMALL, LARGE = 1 * MIB, 5 * MIB

# In this order; the first that matches takes it. Callgrind sees no system calls: what the kernel copies is not here.
STAGES = {
    "cipher": re.compile(r"\[.*libcrypto"),
    "JSON": re.compile(r"JSON|json_|plainString|PayloadScan|PayloadIndex"),
    "base64": re.compile(r":[^\[]*([Bb]ase64|TextDecoder|TextEncoder|(de|en)code_)"),
    "copying": re.compile(r"mem(cpy|move|set)"),
    "rest": re.compile(r""),
}


def count(command: list[str], files: Files) -> dict[str, int]:
    """Instructions by stage of one run."""
    profile = files["callgrind.out"]
    subprocess.run(
        ["valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={profile}", *command],
        check=True, stdout=subprocess.DEVNULL)
    totals = dict.fromkeys(STAGES, 0)
    listing = output_of(["callgrind_annotate", "--auto=no", "--threshold=100", "--show-percs=no", profile])
    for line in listing[listing.index("file:function") :].splitlines()[1:]:
        match = re.match(r"\s*([\d,]+)\s+(\S.*)", line)
        if match:
            stage = next(stage for stage, pattern in STAGES.items() if pattern.search(match[2]))
            totals[stage] += int(match[1].replace(",", ""))
    return totals


def jobs(tool: str, files: Files) -> dict[str, list[str]]:
    one = ["--threads", "1"]
    decrypt = [tool, "decrypt", *one, "--key", files.key, *V1]
    to_file = [*decrypt, "--force", "-o", files.output]
    return {
        "decrypt": [*to_file, files.payload],
        "decrypt, vendor's order": [*to_file, files.in_vendor_order()],
        "decrypt, slashes escaped": [*to_file, files.escaped()],
        "decrypt to a pipe": [*decrypt, files.payload],
        "encrypt": [
            tool, "encrypt", *one, "--public", files.public, "--order-no", ORDER, *V1, "--force", "-o", files.output,
            files.video],
    }


def measure(tool: str) -> dict[str, dict[str, float]]:
    with folder(100 * MIB) as path:
        # Without what is for debuggers: this valgrind does not understand all of it. Names of functions stay.
        bare = os.path.join(path, "evidence-tool.bin")
        subprocess.run(["strip", "--strip-debug", "-o", bare, tool], check=True)
        tool = bare
        totals = []
        for size in SMALL, LARGE:
            files = Files(path, tool, size)
            totals.append({job: count(command, files) for job, command in jobs(tool, files).items()})
    small, large = totals
    costs = {}
    for job in large:
        stages = {stage: (large[job][stage] - small[job][stage]) / (LARGE - SMALL) for stage in STAGES}
        costs[job] = {stage: round(cost, 3) + 0.0 for stage, cost in {**stages, "all": sum(stages.values())}.items()}
    return costs


def grown(before: dict, now: dict, is_same_libcrypto: bool) -> list[str]:
    """What costs more than its record allows. What libcrypto does is its own affair, unless it is the recorded one."""
    return [
        f"{job}, {stage}: {cost:.3f}, recorded {before['jobs'][job][stage]:.3f}"
        for job, stages in now["jobs"].items() if job in before["jobs"]
        for stage, cost in stages.items()
        if (is_same_libcrypto or stage not in ("cipher", "all"))
        and cost > before["jobs"][job][stage] * (1 + SHARE) + LITTLE]


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench --cost", description=__doc__)
    parser.add_argument("--record", action="store_true", help="take these figures for the bar from now on")
    arguments = parser.parse_args()
    now = {
        "unit": "instructions for each byte of plaintext",
        "libcrypto": output_of(["openssl", "version"]).split("(")[0].strip(),
        "jobs": measure(os.environ["EVIDENCE_TOOL"]),
    }
    print(f"{'':26}" + "".join(f"{stage:>9}" for stage in [*STAGES, "all"]))
    for job, stages in now["jobs"].items():
        print(f"{job:26}" + "".join(f"{cost:9.3f}" for cost in stages.values()))
    if arguments.record:
        with open(RECORD, "w") as file:
            json.dump(now, file, indent=1)
            file.write("\n")
        return
    with open(RECORD) as file:
        before = json.load(file)
    faults = grown(before, now, before["libcrypto"] == now["libcrypto"])
    if faults:
        sys.exit("costs have grown:\n    " + "\n    ".join(faults))
    print(f"none has grown by more than {SHARE:.0%}")


if __name__ == "__main__":
    main()
