# SPDX-License-Identifier: Apache-2.0
"""`coverage-table.py REPORT FILE…` prints the lines that were reached of each file, and fails under 95 % in all."""

import json
import os
import sys

GOAL = 95.0


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as report:
        files = {os.path.relpath(file["filename"]): file for file in json.load(report)["data"][0]["files"]}
    total = covered = 0
    for name in sys.argv[2:]:
        lines = files[name]["summary"]["lines"]
        total += lines["count"]
        covered += lines["covered"]
        share = 100 * lines["covered"] / max(lines["count"], 1)
        print(f"{share:6.1f} %  {lines['covered']:5} of {lines['count']:5}  {name}")
    percent = 100 * covered / total
    print(f"{percent:6.1f} %  {covered:5} of {total:5}  all")
    if percent < GOAL:
        sys.exit(f"under {GOAL} %")


if __name__ == "__main__":
    main()
