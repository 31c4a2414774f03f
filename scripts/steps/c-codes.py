#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the codes of ErrorCode.swift, with what its comments say of them, into docs/ERRORS.md, evidence.h and the Python
package; with --check, say whether they are there. The page has its headings and the exit statuses itself: of a new code,
write the status that ErrorTableTests asks for instead of the question mark."""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "Sources/EvidenceErrors/ErrorCode.swift"
PAGE = ROOT / "docs/ERRORS.md"
HEADER = ROOT / "Packages/CLibrary/Sources/CEvidence/include/evidence.h"
PYTHON = ROOT / "Packages/CLibrary/Python/evidence_kit/errors.py"
HEAD = "| number | name | Swift | what it means | exit |\n| --- | --- | --- | --- | --- |\n"


def codes_of_source() -> list[tuple[int, str, str, str]]:
    """Number, name, Swift's name and meaning of each code."""
    text = SOURCE.read_text("utf-8")
    found = re.findall(r'((?:^ +/// .*\n)+) +case (\w+) = "(\d{3}) ([a-z0-9-]+)"', text, re.MULTILINE)
    assert len(found) == len(re.findall(r' = "\d{3} ', text)) > 0
    return [(int(number), name, swift, meaning_of(comment)) for comment, swift, number, name in found]


def meaning_of(comment: str) -> str:
    """What a comment says, as Markdown has it."""
    text = " ".join(line.strip().removeprefix("///").strip() for line in comment.splitlines())
    return re.sub(r"``(?:\w+/)?(\w+)``", r"`\1`", text)


def page() -> str:
    """The page, each of its tables as the source has it."""
    text = PAGE.read_text("utf-8")
    statuses = dict(re.findall(r"^\| (\d{3}) \| .* \| (\S) \|$", text, re.MULTILINE))
    codes = codes_of_source()
    parts = re.split(r"(?m)^(## \dxx: .*\n)", text)
    assert {heading[3] for heading in parts[1::2]} == {str(number)[0] for number, *_ in codes}
    for i in range(1, len(parts), 2):
        rows = "".join(
            f"| {number} | `{name}` | `.{swift}` | {meaning} | {statuses.get(str(number), '?')} |\n"
            for number, name, swift, meaning in codes if str(number)[0] == parts[i][3])
        parts[i + 1] = f"\n{HEAD}{rows}" + ("\n" if i + 2 < len(parts) else "")
    return "".join(parts)


def table() -> list[tuple[str, list[tuple[int, str, str]]]]:
    """The sections of the page, each with its codes: number, name, meaning."""
    headings = re.findall(r"^## (\d)xx: (.*)", PAGE.read_text("utf-8"), re.MULTILINE)
    codes = codes_of_source()
    return [(title, [(number, name, meaning) for number, name, _, meaning in codes if str(number)[0] == digit])
            for digit, title in headings]


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
        PAGE: page(),
        HEADER: between(HEADER, "/* codes */\n", "/* end of codes */", defines()),
        PYTHON: between(PYTHON, "# codes\n", "\n\n# end of codes", classes().rstrip("\n") + "\n"),
    }
    stale = [path for path, text in wanted.items() if path.read_text("utf-8") != text]
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what ErrorCode.swift says: run scripts/steps/c-codes.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], "utf-8")
    return 0


sys.exit(main())
