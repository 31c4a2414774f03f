#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The arrows between the files of each module: a file points at those that declare what it names.

    arrows.py                 names each cycle of three files or more, and fails where there is one
    arrows.py MODULE          prints the arrows of a module, file by file

Swift orders modules, and nothing inside one. Names are those of types and functions at a file's top level; members are
not seen, so there may be more arrows than these."""

import pathlib
import re
import sys

# Where cycles are left, and why.
LEFT = {"EvidenceDiagnosis": "what it recognises is about to leave it"}
ROOT = pathlib.Path(__file__).resolve().parents[2]
# A string, also one of many lines, or a comment.
NOISE = re.compile(r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
DECLARED = re.compile(
    r"^(?:(?:public|package|internal|private|fileprivate|final|indirect|nonisolated|@\w+(?:\([^)]*\))?)\s+)*"
    r"(?:struct|class|enum|protocol|actor|typealias|func|let|var)\s+([A-Za-z_]\w*)", re.M)
PRIVATE = re.compile(r"^(?:@\w+\s+)*(?:private|fileprivate)\s", re.M)


def code(path: pathlib.Path) -> str:
    """A file's text without comments; of a string, only what is interpolated stays."""
    return NOISE.sub(lambda m: " ".join(re.findall(r"\\\(([^)]*)\)", m[0])) if m[0][0] == '"' else "", path.read_text())


def arrows(module: pathlib.Path) -> dict[str, dict[str, set[str]]]:
    """For each file, the files it points at, and the names that make it do so."""
    texts = {str(path.relative_to(module)): code(path) for path in sorted(module.rglob("*.swift"))}
    home: dict[str, str | None] = {}
    for file, text in texts.items():
        for found in DECLARED.finditer(text):
            if not PRIVATE.match(found[0]):
                # Overloads in two files are nobody's.
                home[found[1]] = file if home.get(found[1], file) == file else None
    graph: dict[str, dict[str, set[str]]] = {}
    for file, text in texts.items():
        uses: dict[str, set[str]] = {}
        for name in set(re.findall(r"(?<![.\w])[A-Za-z_]\w*", text)):
            target = home.get(name)
            if target and target != file:
                uses.setdefault(target, set()).add(name)
        graph[file] = uses
    return graph


def knots(graph: dict[str, dict[str, set[str]]]) -> list[list[str]]:
    """The sets of files that all reach one another (Tarjan), of three or more."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in graph[node]:
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 2:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in graph:
        if node not in index:
            visit(node)
    return found


def main() -> int:
    modules = sorted(p for p in [*ROOT.glob("Sources/*"), *ROOT.glob("Packages/*/Sources/*")] if any(p.rglob("*.swift")))
    if len(sys.argv) > 1:
        module = next(p for p in modules if p.name == sys.argv[1])
        for file, uses in arrows(module).items():
            print(file)
            for target, names in sorted(uses.items()):
                print(f"    {target}: {', '.join(sorted(names))}")
        return 0
    failed = 0
    for module in modules:
        if module.name in LEFT:
            continue
        for knot in knots(arrows(module)):
            failed = 1
            print(f"{module.relative_to(ROOT)}: {len(knot)} files in a circle: {', '.join(knot)}")
    return failed


sys.exit(main())
