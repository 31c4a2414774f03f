#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places where Swift ends the process if a number is wrong, in code that reads what strangers send.

    traps.py           fails on a place that traps.txt does not list, and on a listed one that is gone
    traps.py --write   writes traps.txt anew and keeps its reasons; a place without one has a ?, which fails

A stranger's bytes end nobody's work: each place is guarded, or shown to be bounded, and traps.txt says by what. It has
a line for each: file, kind, the line of code without its blanks, and the reason. Lines that are the same in one file
are one place.

What is looked at: removing (`removeFirst`, `removeLast`), computed counts (`prefix`, `suffix`, `dropFirst`, `dropLast`,
`repeating:count:`), slices by a range, subscripts with arithmetic in them, subtraction of what is unsigned by its name,
narrowing, a forced `!` (of which there is none; `try!` and `as!` lint refuses).

What is not: a subscript by a plain name, mostly a dictionary's or one from `indices` or a loop over a range; a range
that is made but not used as a slice, of which there are hundreds over constants; addition, since a sum of lengths of
what is in memory does not reach 2^63; a conversion of a `count`, of a constant, or to 64 bits of what is no difference,
since nothing that is counted is negative. The fuzz targets run all of it. Nor the command, which is its caller's own process (`batch` apart), diagnosis, which it alone has, the
simulated vendor, options of a command line, benchmarks, and the fuzzer of the service."""

from __future__ import annotations

import os
import re
import sys

ROOTS = ("Sources", "Packages/Service/Sources", "Packages/CLibrary/Sources", "Packages/Vendor/Sources", "Packages/Archive/Sources")
LEFT_OUT = re.compile(
    r"Sources/(evidence-tool|EvidenceDiagnosis|CommandSyntax|CommandInputs/(?!LineSplitter)|EvidenceToolCommands/(?!Batch/))|Packages/Vendor/Sources/(VendorSandbox|evidence-)"
    r"|Packages/Service/Sources/(RequestFuzz|evidence-service)|Packages/Archive/Sources/(?!EvidenceArchiveIndex)"
)
LIST = os.path.join(os.path.dirname(os.path.realpath(__file__)), "traps.txt")

NUMBER = r"(?:U?Int(?:8|16|32|64)?|C(?:Unsigned)?(?:Int|Long|Short|Char)|size_t|ssize_t|time_t|off_t)"
WIDE = r"(?:U?Int64|UInt)\((?![^()]* - )"
# A count, a constant (`Limits.spoolBytes`, `Self.full`), a byte of a fold, a number that is written out.
WIDENED = r"(?:[\w.?$]*\.count|(?:Self|[A-Z]\w*)\.\w+|\$1|[bB]yte|\d\w*)\)"
KINDS = {
    "removal": r"\.remove(?:First|Last)\(",
    "count": r"\.(?:prefix|suffix|dropFirst|dropLast)\((?!while:|through:|upTo:|from:)[^)]*[A-Za-z]"
    r"|repeating: [^,]*, count: (?!\d)",
    "slice": r"[\w)\]?]\[[^\[\]]*(?:\.\.<|\.\.\.)[^\[\]]*\]|\.extracting\(|\.(?:remove|replace)Subrange\(",
    "index": r"[\w)\]?]\[[^\[\]:\"]*(?:[-+*%/&] ?|>> ?|\b" + NUMBER + r"\()[^\[\]]*\]|\.remove\(at:|\.swapAt\(|\.insert\([^)]*at:",
    "difference": r"(?:[bB]yteCount|[oO]ffset|[sS]ize|Bound|[lL]eft|[lL]ength|[pP]osition|[sS]tart|[eE]nd|[rR]est|limit) -=? \w",
    "force": r"[\w)\]]!(?![=\w])",
    "narrowing": r"(?<![\w.])(?!" + WIDE + ")" + NUMBER + r"\((?!truncatingIfNeeded|clamping|exactly|bitPattern|ascii|\)|" + WIDENED + ")",
}


def code(text: str) -> list[str]:
    """The lines without comments and without what is in string literals."""
    lines = []
    is_long = False
    for line in text.split("\n"):
        if line.count('"""') % 2:
            line = "" if is_long else line.split('"""')[0]
            is_long = not is_long
        elif is_long:
            line = ""
        line = re.sub(r'#+".*?"#+|"(?:[^"\\]|\\.)*"', '""', line)
        lines.append(re.sub(r"//.*", "", line).strip())
    return lines


def places() -> list[tuple[str, str, str]]:
    found = []
    for root in ROOTS:
        for folder, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                if not name.endswith(".swift") or LEFT_OUT.match(path):
                    continue
                with open(path, encoding="utf-8") as file:
                    lines = code(file.read())
                for line in lines:
                    # What a condition binds is optional: a number that a text has, or has not.
                    line = re.sub(r"((?:guard|if|,) let \w+ = |(?:Map|map)(?:\(| \{ ))" + NUMBER + r"\(", r"\1(", line)
                    for kind, pattern in KINDS.items():
                        place = (path, kind, " ".join(line.split()))
                        if re.search(pattern, line) and place not in found:
                            found.append(place)
    return found


def listed() -> dict[tuple[str, str, str], str]:
    reasons: dict[tuple[str, str, str], str] = {}
    path = ""
    with open(LIST, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("    "):
                kind, rest = line.strip().split(": ", 1)
                place, _, reason = rest.rpartition(" -- ")
                reasons[path, kind, place] = reason
            elif line and not line.startswith("#"):
                path = line
    return reasons


def write(reasons: dict[tuple[str, str, str], str]) -> None:
    # What moved to another file as it was keeps its reason.
    moved = {place[1:]: reason for place, reason in reasons.items()}
    lines = ["# Places that would end the process if a number were wrong, and why it is not: scripts/steps/traps.py."]
    path = ""
    for place in places():
        if place[0] != path:
            path = place[0]
            lines += ["", path]
        lines.append(f"    {place[1]}: {place[2]} -- {reasons.get(place) or moved.get(place[1:], '?')}")
    with open(LIST, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main() -> None:
    os.chdir(os.path.join(os.path.dirname(LIST), "../.."))
    reasons = listed() if os.path.exists(LIST) else {}
    if sys.argv[1:] == ["--write"]:
        write(reasons)
        reasons = listed()
    elif sys.argv[1:]:
        sys.exit(__doc__)
    found = places()
    failed = False
    for path, kind, line in found:
        if len(reasons.get((path, kind, line), "?")) < 3:
            print(f"{path}: {kind} without a reason in scripts/steps/traps.txt: {line}")
            failed = True
    for path, kind, line in set(reasons).difference(found):
        print(f"{path}: {kind} in scripts/steps/traps.txt, but no longer in the source: {line}")
        failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
