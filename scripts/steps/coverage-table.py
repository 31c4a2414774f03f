# SPDX-License-Identifier: Apache-2.0
"""`coverage-table.py REPORT FILE…` prints how many lines and branches of each file and module were reached, and the lines that
were not; fails under 95 % of the lines in all. A branch is a region of code that runs or does not, as the compiler counts.
"""

import collections
import json
import os
import sys

GOAL = 95.0


def share(counts: dict) -> str:
    return f"{100 * counts['covered'] / max(counts['count'], 1):5.1f} % of {counts['count']:5}"


def unreached(file: dict) -> str:
    """The lines in which a region begins that was never entered."""
    lines = sorted({line for line, _, count, has_count, is_entry, *_ in file["segments"] if has_count and is_entry and not count})
    return " ".join(map(str, lines))


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as report:
        files = {os.path.relpath(file["filename"]): file for file in json.load(report)["data"][0]["files"]}
    sums: dict = collections.defaultdict(lambda: {kind: collections.Counter() for kind in ("lines", "regions")})
    for name in sys.argv[2:]:
        summary = files[name]["summary"]
        for key in name.split("/")[1], "all":
            for kind, counts in sums[key].items():
                counts.update({part: summary[kind][part] for part in ("count", "covered")})
        print(f"{share(summary['lines'])} lines, {share(summary['regions'])} branches  {name}: {unreached(files[name])}")
    print()
    for name, counts in sums.items():
        print(f"{share(counts['lines'])} lines, {share(counts['regions'])} branches  {name}")
    total = sums["all"]["lines"]
    if 100 * total["covered"] < GOAL * total["count"]:
        sys.exit(f"under {GOAL} %")


if __name__ == "__main__":
    main()
