#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the table of docs/ERRORS.md into evidence.h and into the Python package; with --check, say whether it is there."""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "Packages/CLibrary/Sources/CEvidence/include/evidence.h"
PYTHON = ROOT / "Packages/CLibrary/Python/evidence_kit/errors.py"


def table() -> list[tuple[str, list[tuple[int, str, str]]]]:
    """The sections of the page, each with its codes: number, name, meaning."""
    sections: list[tuple[str, list[tuple[int, str, str]]]] = []
    for line in (ROOT / "docs/ERRORS.md").read_text("utf-8").splitlines():
        if section := re.fullmatch(r"## \dxx: (.*)", line):
            sections.append((section[1], []))
        elif row := re.fullmatch(r"\| (\d{3}) \| `([a-z0-9-]+)` \| `\.\w+` \| (.*) \| \d \|", line):
            sections[-1][1].append((int(row[1]), row[2], row[3]))
    rows = re.findall(r"^\| \d{3} \|", (ROOT / "docs/ERRORS.md").read_text("utf-8"), re.MULTILINE)
    assert rows and sum(len(codes) for _, codes in sections) == len(rows)
    return sections


def defines() -> str:
    lines = ""
    for _, codes in table():
        for number, name, _ in codes:
            lines += f"#define EVIDENCE_{name.upper().replace('-', '_')} {number}\n"
        lines += "\n"
    return lines.rstrip("\n") + "\n"


def camel(text: str) -> str:
    return "".join(word.capitalize() for word in re.split("[ -]", text))


def classes() -> str:
    text = ""
    for title, codes in table():
        hundred = codes[0][0] // 100
        base = camel(title.replace("'", "").removeprefix("The ")) + "Error"
        text += f'\n\nclass {base}(EvidenceError):\n    """Codes {hundred}xx of docs/ERRORS.md."""\n'
        for number, name, meaning in codes:
            meaning = meaning.replace("`", "").replace("\\", "\\\\")
            text += f'\n\nclass {camel(name)}({base}):\n    """{meaning}"""\n\n    number = {number}\n'
    return text


def between(path: pathlib.Path, begin: str, end: str, text: str) -> str:
    before, rest = path.read_text("utf-8").split(begin, 1)
    return before + begin + text + end + rest.split(end, 1)[1]


def main() -> int:
    wanted = {
        HEADER: between(HEADER, "/* codes */\n", "/* end of codes */", defines()),
        PYTHON: between(PYTHON, "# codes\n", "\n\n# end of codes", classes().rstrip("\n") + "\n"),
    }
    stale = [path for path, text in wanted.items() if path.read_text("utf-8") != text]
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what docs/ERRORS.md says: run scripts/steps/c-codes.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], "utf-8")
    return 0


sys.exit(main())
