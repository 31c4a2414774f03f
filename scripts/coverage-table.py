"""Prints the lines of code that were reached, by file, from `llvm-cov export -summary-only`; fails under 95 %."""

import json
import os
import sys

GOAL = 95.0


def main() -> None:
    files = json.load(sys.stdin)["data"][0]["files"]
    total = covered = 0
    for file in files:
        lines = file["summary"]["lines"]
        total += lines["count"]
        covered += lines["covered"]
        name = os.path.relpath(file["filename"])
        print(f"{100 * lines['covered'] / max(lines['count'], 1):6.1f} %  {lines['covered']:5} of {lines['count']:5}  {name}")
    percent = 100 * covered / total
    print(f"{percent:6.1f} %  {covered:5} of {total:5}  all")
    if percent < GOAL:
        sys.exit(f"under {GOAL} %")


if __name__ == "__main__":
    main()
