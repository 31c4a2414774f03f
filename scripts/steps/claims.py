#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each sentence of four pages that has an absolute word or a bound names what holds it, in docs/claims.ndjson.

    claims.py          fails where a sentence has no entry, an entry no sentence, or what should hold it is not there
    claims.py --list   prints the sentences that lack an entry

An entry begins as its sentence does, at such a length that no other does; heldBy has paths, and behind a # the name of a
test or a text that stands in that file. That the test holds the sentence, only a reader can see."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INDEX = "docs/claims.ndjson"
PAGES = ["README.md", "docs/LIMITATIONS.md", "docs/SECURITY-TESTS.md", "docs/KEEPING.md"]
WORD = re.compile(r"(?<![\w-])(?:never|only|any|anything|exactly|always|at (?:most|least)|(?:more|less) than)(?![\w-])", re.I)
LINK_TARGET = re.compile(r"\]\([^)]*\)")
# Behind a full stop and what closes with it, before what a sentence can begin with.
END = re.compile(r"[.!?][*_)”\"]*(?= [A-Z0-9`\[(*_“\"])")


def blocks(text: str) -> list[str]:
    """The paragraphs, list items and table cells of a page."""
    found: list[str] = []
    fresh, in_code = True, False
    for line in text.splitlines():
        if line.startswith("```"):
            in_code, fresh = not in_code, True
        elif in_code or not line.strip() or line.startswith("#"):
            fresh = True
        elif line.startswith("|"):
            found += re.split(r"(?<!\\)\|", line.strip("|"))
            fresh = True
        else:
            item = re.sub(r"^ *(?:-|\d+\.) +", "", line)
            if fresh or item != line:
                found.append(item)
            else:
                found[-1] += " " + line
            fresh = False
    return [" ".join(block.split()) for block in found]


def sentences(page: str) -> list[str]:
    """The sentences of a page that have one of the words."""
    found: list[str] = []
    for block in blocks((ROOT / page).read_text()):
        start = 0
        for end in [*(m.end() for m in END.finditer(block)), len(block)]:
            found.append(block[start:end].strip())
            start = end
    return [s for s in found if WORD.search(LINK_TARGET.sub("]", s))]


def lacks(place: str) -> str | None:
    """What is wrong with a path, or a path and a name."""
    path, _, name = place.partition("#")
    if not (ROOT / path).exists():
        return f"there is no {path}"
    if name and not re.search(rf"\b{name}\b" if re.fullmatch(r"\w+", name) else re.escape(name), (ROOT / path).read_text()):
        return f"{path} has no “{name}”"
    return None


def main() -> int:
    entries = [json.loads(line) for line in (ROOT / INDEX).read_text().splitlines()]
    faults: list[str] = []
    lacking: list[str] = []
    order: list[tuple[int, int]] = []
    claims = {page: sentences(page) for page in PAGES}
    held: dict[tuple[str, int], str] = {}
    for entry in entries:
        page, claim = entry["page"], entry["claim"]
        matching = [i for i, s in enumerate(claims.get(page, [])) if s.startswith(claim)]
        if len(matching) != 1:
            faults.append(f"{page}: {len(matching)} sentences begin with: {claim}")
            continue
        if (page, matching[0]) in held:
            faults.append(f"{page}: two entries for: {claim}")
        held[page, matching[0]] = claim
        order.append((PAGES.index(page), matching[0]))
        if not entry["heldBy"]:
            faults.append(f"{page}: nothing holds: {claim}")
        faults += [f"{page}: {fault}, which should hold: {claim}" for fault in map(lacks, entry["heldBy"]) if fault]
    if order != sorted(order):
        faults.append("the entries are not in the order of the pages and their sentences")
    for page in PAGES:
        lacking += [f"{page}: {s}" for i, s in enumerate(claims[page]) if (page, i) not in held]
    if "--list" in sys.argv[1:]:
        print("\n".join(lacking))
        return 0
    faults += [f"no entry for a sentence of {sentence}" for sentence in lacking]
    for fault in faults:
        print(f"{INDEX}: {fault}", file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
