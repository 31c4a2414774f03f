#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A body fits a screen: no function, accessor or closure has more than 70 lines, and no initialiser more than eight
parameters. Names what does not fit, and fails."""

import pathlib
import re
import sys

LINES, PARAMETERS = 70, 8
# At most five that are one thing told from beginning to end: the file, how the line begins, and why it is as long as it is.
EXCEPTIONS = {
    ("Sources/EvidenceDiagnosis/ContentSearch.swift", "private func failure("): "a table: what failed, and its sentence",
    ("Sources/EvidenceDiagnosis/Session.swift", "private func open("): "the order of the trials, each with what it rules out",
    ("Sources/EvidencePayload/Profiles/Profile.swift", "package init("): "a parameter for each axis of a profile",
    ("Sources/CommandSyntax/Option.swift", "public init("): "what an option can be, each with a default",
    ("Sources/EvidenceErrors/EvidenceError.swift", "init("): "all that an error may carry, behind one reference",
}
ROOT = pathlib.Path(__file__).resolve().parents[2]
# A string, also one of many lines or with number signs, a regular expression with them, or a comment.
NOISE = re.compile(
    r'#"""(?:.*?)"""#|"""(?:[^\\]|\\.)*?"""|#"[^\n]*?"#|#/.*?/#|"(?:[^"\\\n]|\\\((?:[^()\n]|\([^()\n]*\))*\)|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
TYPE = re.compile(r"(?<![.\w])(struct|class|enum|actor|extension|protocol)\s+[A-Z`]")


def code(text: str) -> str:
    """The text with as many lines, without comments and without what strings say."""
    return NOISE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def bodies(text: str):
    """Line and length of each pair of braces that is no type's, the line being that where its statement begins."""
    opened: list[tuple[int, bool]] = []
    statement = 0  # Where what stands before a brace begins.
    for found in re.finditer(r"[{};]|\n[ \t]*(?=(?:@|public|package|internal|private|fileprivate|static|func|init|var|let|extension|struct|enum|class|actor|protocol|import)\b)", text):
        if found[0] == "{":
            head = text[statement:found.start()]
            opened.append((found.start(), bool(TYPE.search(head)) and not re.search(r"\b(func|init|var|let|=|case)\b", head)))
        elif found[0] == "}" and opened:
            start, is_type = opened.pop()
            first, last = text.count("\n", 0, start), text.count("\n", 0, found.start())
            if not is_type:
                yield first, last - first - 1
        statement = found.end()


def initialisers(text: str):
    """Line and number of parameters of each."""
    for found in re.finditer(r"(?<![.\w`])init[?!]?(?:<[^>]*>)?\(", text):
        depth, at, count = 1, found.end(), 0
        while depth and at < len(text):
            letter = text[at]
            if letter in "([{<":
                depth += 1
            elif letter in ")]}" or letter == ">" and text[at - 1] != "-":
                depth -= 1
            elif letter == ":" and depth == 1:
                count += 1
            at += 1
        yield text.count("\n", 0, found.start()), count


def main() -> int:
    faults, met = [], set()
    for path in sorted([*ROOT.glob("Sources/**/*.swift"), *ROOT.glob("Packages/*/Sources/**/*.swift")]):
        name, lines = str(path.relative_to(ROOT)), path.read_text().split("\n")
        text = code("\n".join(lines))
        found = [(line, f"a body of {length} lines", length > LINES) for line, length in bodies(text)]
        found += [(line, f"an initialiser of {count} parameters", count > PARAMETERS) for line, count in initialisers(text)]
        for line, what, is_fault in found:
            if not is_fault:
                continue
            key = next((key for key in EXCEPTIONS if key[0] == name and lines[line].strip().startswith(key[1])), None)
            met.add(key)
            if key is None:
                faults.append(f"{name}:{line + 1}: {what}: {lines[line].strip()[:60]}")
    faults += [f"{file}: no longer an exception: {start}" for file, start in EXCEPTIONS if (file, start) not in met]
    if len(EXCEPTIONS) > 5:
        faults.append("more than five exceptions")
    for fault in faults:
        print(f"bodies: {fault}", file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
