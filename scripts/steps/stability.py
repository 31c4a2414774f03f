#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/STABILITY.md promises, against the baseline of the last release in scripts/baseline.

    stability.py            what was promised is still so: each fact of the baseline is still there, and what may not grow did not
    stability.py --write    makes the baseline: only for a release, in the commit that gets the tag
    stability.py --same     fails unless the baseline is that of these sources, as a release needs it

Each list of facts is a text file of sorted lines, so that a difference can be read. Before a list is compared, the check
is tried: without one of the present facts it must fail. The public API of the Swift modules is that of the symbol graphs
which scripts/docs leaves in .build/symbol-graphs; without them, that list is not compared, and this is said. The C types
are compared by abidiff (Debian's abigail-tools).
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASELINE = ROOT / "scripts/baseline"
GRAPHS = ROOT / ".build/symbol-graphs"
HEADER = ROOT / "Packages/CLibrary/Sources/CEvidence/include/evidence.h"
VECTORS = ROOT / "TestVectors"
# Docs/STABILITY.md: what these modules show may change in a minor version.
EXPERIMENTAL = {"FaceVerificationFlow", "EvidenceArchive", "EvidenceDiagnosis", "SignDiagnosis", "EvidencePage", "DocumentSigning"}


# JSON schemas.

def of_schema(schema: object, path: str) -> Iterator[str]:
    """Each thing that a schema says, as a line. What is a list that may grow has a line for each member."""
    if not isinstance(schema, dict):
        yield f"{path} is {json.dumps(schema)}"
        return
    for name, value in schema.items():
        if name in ("$schema", "title", "description", "$comment"):
            continue
        if name in ("properties", "$defs", "patternProperties"):
            for member, part in value.items():
                yield f"{path}.{member}"
                yield from of_schema(part, f"{path}.{member}")
        elif name in ("enum", "required"):
            for member in value:
                yield f"{path} {name} {json.dumps(member, ensure_ascii=False)}"
        elif name in ("oneOf", "anyOf", "allOf"):
            for index, part in enumerate(value):
                yield from of_schema(part, f"{path} {name}[{index}]")
        elif name in ("items", "not", "if", "then", "else", "additionalProperties", "contains") and isinstance(value, dict):
            yield from of_schema(value, f"{path}[]" if name == "items" else f"{path} {name}")
        else:
            yield f"{path} {name} {json.dumps(value, ensure_ascii=False, sort_keys=True)}"


def schemas() -> list[str]:
    return sorted({line for file in sorted((ROOT / "docs/schemas").glob("*.json"))
                   for line in of_schema(json.loads(file.read_text()), file.stem)})


def schemas_grew(new: list[str]) -> list[str]:
    """Of new lines, those that break a program: a request that needs one more member."""
    return [line for line in new if re.search(r"\$defs|\.request-", line) and re.search(r"\.request-[a-z-]+ required ", line)]


# Statuses and codes.

def statuses() -> list[str]:
    rows = re.findall(r"^\| (\d+) \| `([a-z0-9-]+)` \| `(\.\w+)` \| .* \| (\d) \|$", (ROOT / "docs/ERRORS.md").read_text(), re.M)
    found = [f"error {number} {name} {swift} exits with {status}" for number, name, swift, status in rows]
    cases = re.findall(r"case (\w+) = (\d+)", (ROOT / "Sources/CommandSyntax/ExitStatus.swift").read_text())
    found += [f"exit status {number} {name}" for name, number in cases]
    constants = re.findall(r"^#define (EVIDENCE_\w+) +(\(?-?\d+\)?)", HEADER.read_text(), re.M)
    return sorted(found + [f"C {name} {value}" for name, value in constants])


# Formats: what was sealed, signed or archived once.

def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def formats() -> list[str]:
    found = [f"{digest((VECTORS / 'media/payload.json').read_bytes())} media/payload.json"]
    for file, kept in (("testkit", "expect: success"), ("device/cases", "expect: signed"), ("profiles", "payload: "), ("gists/gists", "")):
        for line in (VECTORS / f"{file}.ndjson").read_bytes().splitlines():
            row = json.loads(line)
            if row.get("text", "").startswith(kept):
                found.append(f"{digest(line)} {file} {row['name']}")
    archives: dict[str, list[bytes]] = {}
    for line in (VECTORS / "archive/cases.ndjson").read_bytes().splitlines():
        archives.setdefault(json.loads(line)["name"].split("/")[0], []).append(line)
    return sorted(found + [f"{digest(*lines)} archive {name}" for name, lines in archives.items() if name.startswith("good-")],
                  key=lambda line: line.split(" ", 1)[1])


# HTTP.

def http() -> list[str]:
    """The paths, methods, parameters, statuses and media types of openapi.yaml: its nested keys."""
    found, path = set(), []
    for line in (ROOT / "Packages/Service/openapi.yaml").read_text().splitlines():
        match = re.match(r"^( *)(- )?(?:name: ([\w-]+)|\{\$ref: '#/components/parameters/(\w+)'\}|([\"']?[/\w.*{}-]+[\"']?):)", line)
        if match is None or line.lstrip().startswith("#"):
            continue
        depth = len(match[1]) + len(match[2] or "")
        path = [entry for entry in path if entry[0] < depth] + [(depth, (match[3] or match[4] or match[5]).strip("\"'"))]
        names = [name for _, name in path]
        if names[0] == "paths" and len(names) > 1 and (match[3] or match[4] or re.fullmatch(r"/.*|get|post|head|\d{3}|[a-z]+/[\w.*-]+", names[-1])):
            found.add(" ".join(names[1:]))
    return sorted(found)


# Swift.

def swift() -> list[str] | None:
    """Each public symbol of the modules whose API is promised, with its declaration."""
    files = sorted(GRAPHS.glob("*/*.symbols.json"))
    if not files:
        return None
    found = set()
    for file in files:
        module = file.name.split(".")[0].split("@")[0]
        if module in EXPERIMENTAL:
            continue
        graph = json.loads(file.read_text())
        required = {edge["source"] for edge in graph["relationships"] if edge["kind"] == "requirementOf"}
        for symbol in graph["symbols"]:
            declaration = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
            kind = "requirement" if symbol["identifier"]["precise"] in required else symbol["kind"]["identifier"].split(".", 1)[1]
            found.add(f"{module} {'.'.join(symbol['pathComponents'])} {kind}: {' '.join(declaration.split())}")
    return sorted(found)


def swift_grew(new: list[str], old: list[str]) -> list[str]:
    """Of new lines, those that break a program: another case to handle, another requirement to meet, of a type that was there."""
    types = {" ".join(line.split(" ")[:2]) for line in old}
    return [line for line in new if (match := re.match(r"(\S+ \S+)\.[^.]+ (enum\.case|requirement): ", line)) and match[1] in types]


# C.

def stub(header: str, folder: pathlib.Path, name: str) -> pathlib.Path:
    """A library with the functions of a header and nothing in them, which has their types for abidiff."""
    plain = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    functions = re.findall(r"^((?:const )?\w+ \**(evidence_\w+)\([^;]*\));", plain, re.M)
    assert len(functions) > 10, "the header is not read as it is written"
    (folder / f"{name}.h").write_text(header)
    (folder / f"{name}.c").write_text(f'#include "{name}.h"\n' + "".join(
        f"{declaration} {{ {'' if declaration.startswith('void evidence') else 'return 0;'} }}\n" for declaration, _ in functions))
    library = folder / f"{name}.so"
    subprocess.run(["clang", "-g", "-O0", "-w", "-shared", "-fPIC", "-Wl,-soname,libevidence.so.1", "-o", library, folder / f"{name}.c"],
                   check=True)
    return library


def c_changes(old: str, new: str) -> str:
    """What abidiff finds between two headers that is more than additions; empty if nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = subprocess.run(["abidiff", "--no-added-syms", stub(old, folder, "old"), stub(new, folder, "new")],
                              capture_output=True, text=True)
        # Bits: 1 error, 2 usage, 4 change, 8 incompatible change.
        return done.stdout + done.stderr if done.returncode else ""


def compare(name: str, present: list[str], old: list[str], growth) -> list[str]:
    left = [f"{name}: is gone or changed: {line}" for line in old if line not in set(present)]
    return left + [f"{name}: must not be added: {line}" for line in growth([line for line in present if line not in set(old)])]


def main() -> int:
    words = sys.argv[1:]
    if words not in ([], ["--write"], ["--same"]):
        print(__doc__, file=sys.stderr)
        return 2
    lists = {"schemas": schemas(), "statuses": statuses(), "formats": formats(), "http": http(), "swift": swift()}
    header = HEADER.read_text()
    if words == ["--write"]:
        if lists["swift"] is None:
            sys.exit("stability: scripts/docs goes first, which makes .build/symbol-graphs")
        for name, lines in lists.items():
            (BASELINE / f"{name}.txt").write_text("".join(line + "\n" for line in lines))
        (BASELINE / "evidence.h").write_text(header)
        return 0
    complaints = []
    for name, present in lists.items():
        if present is None:
            print("stability: swift: not compared, since scripts/docs did not run")
            continue
        old = (BASELINE / f"{name}.txt").read_text().splitlines()
        growth = {"schemas": schemas_grew, "swift": lambda new: swift_grew(new, old)}.get(name, lambda new: [])
        assert old and compare(name, present[1:], present, growth), f"{name}: the check does not see what is gone"
        complaints += compare(name, present, old, growth)
        if words and present != old:
            complaints.append(f"{name}: the baseline is not that of these sources: scripts/steps/stability.py --write")
    assert schemas_grew(["evidence-batch-1.request-open required \"x\""]), "a new requirement is not seen"
    assert swift_grew(["M A.b enum.case: case b"], ["M A enum: enum A"]), "a new case is not seen"
    old = (BASELINE / "evidence.h").read_text()
    changed = re.sub(r"size_t( \*?\w+)\)", r"uint8_t\1)", header, count=1)
    assert changed != header and c_changes(header, changed), "abidiff does not see a changed parameter"
    assert c_changes(header, re.sub(r"^\w+ evidence_abi\(void\);", "", header, flags=re.M)), "abidiff does not see what is gone"
    if found := c_changes(old, header):
        complaints.append(f"C: {found}")
    if words and old != header:
        complaints.append("C: the baseline is not that of these sources: scripts/steps/stability.py --write")
    for line in complaints[:60]:
        print(line, file=sys.stderr)
    if complaints:
        print(f"stability: {len(complaints)} promises of docs/STABILITY.md are broken", file=sys.stderr)
        return 1
    print("stability: " + ", ".join(f"{len(lines)} of {name}" for name, lines in lists.items() if lines) + ", and the C types")
    return 0


if __name__ == "__main__":
    sys.exit(main())
