#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many words README.md and docs/ have: at most so many that somebody reads them.

    words.py          fails above the bound
    words.py --list   prints the words of each page, the longest first

The Chinese pages say the same once more, and blocks of code are for machines: neither counts. Nor do the tables that
programs write: RecognitionTests, c-codes.py and scripts/bench; nor FORMATS' lists of words, which are those of
TestVectors/generate/verdicts.py."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOUND = 45_000
WRITTEN = {"RECOGNITION.md", "ERRORS.md", "PERFORMANCE.md"}


def words(page: pathlib.Path) -> int:
    count, in_code, is_list = 0, False, False
    for line in page.read_text("utf-8").splitlines():
        is_list = line == "| kind | words |" or is_list and line.startswith("|")
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and not is_list and not (line.startswith("|") and page.name in WRITTEN):
            count += sum(any(map(str.isalnum, word)) for word in line.split())
    return count


def main() -> int:
    pages = [ROOT / "README.md", *(page for page in (ROOT / "docs").glob("*.md") if ".zh-CN." not in page.name)]
    counts = {page: words(page) for page in pages}
    if "--list" in sys.argv[1:]:
        for page in sorted(pages, key=lambda page: -counts[page]):
            print(f"{counts[page]:6} {page.relative_to(ROOT)}")
        print(f"{sum(counts.values()):6}")
    elif sum(counts.values()) > BOUND:
        print(f"README.md and docs/ have {sum(counts.values())} words, and at most {BOUND} are wanted: words.py --list", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
