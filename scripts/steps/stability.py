#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/STABILITY.md promises, against the baseline of the last release in scripts/baseline.

    stability.py            what was promised is still so: each fact of the baseline is still there, and what may not grow did not
    stability.py --write    makes the baseline: only for a release, in the commit that gets the tag
    stability.py --same     fails unless the baseline is that of these sources, as a release needs it
    stability.py --packages DIR     what was promised of the packages is so of the .deb files in DIR

Each list of facts is a text file of sorted lines, so that a difference can be read. Before a list is compared, the check
is tried: without one of the present facts it must fail. scripts/docs goes first: it leaves the public API of the Swift
modules in .build/symbol-graphs. The C types are compared by abidiff (Debian's abigail-tools); openapi.yaml is read by
PyYAML (python3-yaml).
"""

from __future__ import annotations

import fnmatch
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
from typing import Callable, Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASELINE = ROOT / "scripts/baseline"
GRAPHS = ROOT / ".build/symbol-graphs"
HEADER = ROOT / "Packages/CLibrary/Sources/CEvidence/include/evidence.h"
VECTORS = ROOT / "TestVectors"
DEBIAN = ROOT / "scripts/release.d/debian"
# docs/STABILITY.md: what these modules show, and this package has, may change in a minor version.
EXPERIMENTAL = {"evidence-sandbox", "FaceVerificationFlow", "EvidenceArchive", "EvidenceDiagnosis", "SignDiagnosis", "EvidencePage", "DocumentSigning"}


# JSON schemas, and what openapi.yaml has of them.

PROSE = {"$schema", "title", "description", "$comment", "example", "examples", "summary", "tags"}
MEMBERS = {"properties", "$defs", "patternProperties", "responses", "content", "headers"}
PARTS = {"items", "not", "if", "then", "else", "additionalProperties", "contains", "schema"}


def of_schema(schema: object, path: str) -> Iterator[str]:
    """Each thing that a schema says, as a line. What is a list that may grow has a line for each member."""
    if not isinstance(schema, dict):
        yield f"{path} is {json.dumps(schema)}"
        return
    for name, value in schema.items():
        if name in PROSE:
            continue
        if name in MEMBERS:
            for member, part in value.items():
                yield f"{path} has {member}"
                yield from of_schema(part, f"{path}.{member}")
        elif name in ("enum", "required") and isinstance(value, list):
            for member in value:
                yield f"{path} {name} {json.dumps(member, ensure_ascii=False)}"
        elif name in ("oneOf", "anyOf", "allOf"):
            for index, part in enumerate(value):
                yield f"{path} has {name}[{index}]"
                yield from of_schema(part, f"{path}.{name}[{index}]")
        elif name in PARTS and isinstance(value, dict):
            yield from of_schema(value, f"{path}[]" if name == "items" else path if name == "schema" else f"{path}.{name}")
        else:
            yield f"{path} {name} {json.dumps(value, ensure_ascii=False, sort_keys=True)}"


def narrowed(new: list[str], old: list[str]) -> list[str]:
    """Of new lines about what programs send, those that refuse what was taken before: all but a further member that may be
    left out, a further value, and a further alternative."""
    further = tuple(f"{match[1]}.{match[2]}{end}" for line in new if (match := re.match(r"(.*) has (.*)", line))
                    and not match[2].startswith("allOf[") for end in " .[")
    values = {match[1] for line in old if (match := re.match(r"(.* enum) ", line))}
    return [line for line in new if " has " not in line and not line.startswith(further)
            and not ((match := re.match(r"(.* enum) ", line)) and match[1] in values)]


def schemas() -> list[str]:
    return sorted({line for file in sorted((ROOT / "docs/schemas").glob("*.json"))
                   for line in of_schema(json.loads(file.read_text()), file.stem)})


def schemas_grew(new: list[str], old: list[str]) -> list[str]:
    """Requests of a batch, and profiles, are what programs and people write."""
    return narrowed([line for line in new if re.match(r"evidence-(batch-1\.request-|profile-1)", line)], old)


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
    """What openapi.yaml says, but for its sentences."""
    import yaml

    api = yaml.safe_load((ROOT / "Packages/Service/openapi.yaml").read_text())

    def resolved(part: dict) -> dict:
        for name in part.get("$ref", "#").split("/")[1:]:
            part = api[name] if name == "components" else part[name]
        return part

    found = []
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            place = f"{path}.{method}"
            found.append(f"{path} has {method}")
            for parameter in map(dict, map(resolved, operation.pop("parameters", []))):
                name = f"{parameter.pop('in')}:{parameter.pop('name')}"
                found.append(f"{place} has {name}")
                if parameter.pop("required", False):
                    found.append(f"{place} required {name}")
                found += of_schema(parameter, f"{place}.{name}")
            if body := operation.pop("requestBody", None):
                found += of_schema(resolved(body), f"{place}.request")
            found += of_schema(operation, place)
    for kind in ("schemas", "responses", "securitySchemes"):
        found += of_schema({"properties": api["components"][kind]}, f"components.{kind}")
    return sorted(set(found))


def http_grew(new: list[str], old: list[str]) -> list[str]:
    """Requests, and the schemas that they refer to."""
    request = r"/\S*\.(get|post)( required| has|\.(query|header|path):|\.request[ .])"
    asked = {match[1] for line in [*new, *old] if re.match(request, line) and (match := re.search(r"#/components/schemas/(\w+)", line))}
    return narrowed([line for line in new if re.match(request, line) or
                     (match := re.match(r"components\.schemas\.(\w+)", line)) and match[1] in asked], old)


# Commands.

def options() -> list[str]:
    """The verbs and options of the commands: of those that have a manual page, from it; of the others, from their source."""
    found = set()
    for name in ("evidence-tool", "evidence-archive"):
        place = name
        lines = (ROOT / f"docs/{name}.1").read_text().replace("\\-", "-").splitlines()
        for index, line in enumerate(lines):
            if match := re.fullmatch(r"\.S([SH]) (.*)", line):
                # Options of several verbs stand in sections of their own.
                place = f"{name} {match[2] if match[1] == 'S' else '(several verbs)'}"
                if match[1] == "S":
                    found.add(f"{place} is a verb")
            elif match := re.fullmatch(r"\.B (--?[a-z][a-z-]*)(,.*)?( .*)?", line):
                found.add(f"{place} {match[1]}{' takes a value' if match[3] else ''}")
                if "(required)" in lines[index + 1]:
                    found.add(f"{place} {match[1]} is required")
    for name, package in (("evidence-service", "Service"), ("evidence-vendor", "Vendor")):
        folder = ROOT / "Packages" / package / "Sources" / name
        found |= {f"{name} {option}" for option in re.findall(r'\(\s*(?:\w+: )?"(--[a-z-]+)",', (folder / "Options.swift").read_text())}
        for file in folder.glob("*.swift"):
            found |= {f"{name} {verb} is a verb" for verb in re.findall(r'Verb\(\s*name: "([a-z-]+)"', file.read_text())}
    return sorted(found)


def options_grew(new: list[str], old: list[str]) -> list[str]:
    """Of new lines, an option that a verb which was there now needs."""
    verbs = {line.removesuffix(" is a verb") for line in old if line.endswith(" is a verb")}
    return [line for line in new if (match := re.match(r"(.*) --?\S+ is required$", line)) and match[1] in verbs]


# Packages.

def of_files(package: str, files: dict[str, str]) -> Iterator[str]:
    """What is promised of a package with these files, of which units and lists of users have their text."""
    yield f"{package} is a package"
    for path, text in files.items():
        if re.match(r"usr/(bin|include|lib)/|usr/share/(bash|fish|zsh)|etc/", path):
            yield f"{package} has /" + re.sub(r"^usr/lib/[^/]*-linux-[^/]*/", "usr/lib/*/", path)
        if "sysusers.d/" in path:
            yield from (f"{package} makes {line}" for line in re.findall(r"^[ug] \S+", text, re.M))
        if "systemd/system/" in path:
            yield from (f"{path.rsplit('/', 1)[1]} {line}" for line in re.findall(
                r"^(?:ListenStream|SocketMode|SocketGroup|User|StateDirectory|LoadCredential|EnvironmentFile|WantedBy)=.*", text, re.M))


def of_library(soname: str, exports: list[str]) -> list[str]:
    return [f"libevidence is {soname}", *(f"libevidence exports {name}" for name in exports)]


def packages() -> list[str]:
    """As scripts/release makes the packages."""
    units = {file.name: file.read_text() for file in ROOT.glob("Packages/*/systemd/*")}
    library = ROOT / "Packages/CLibrary"
    found = of_library(re.search(r"-soname=([\w.]+)", (library / "Package.swift").read_text())[1],
                       re.findall(r"^    (evidence_\w+);", (library / "evidence.map").read_text(), re.M))
    for package in re.findall(r"^Package: (.*)", (DEBIAN / "control").read_text(), re.M):
        if package in EXPERIMENTAL:
            continue
        files = {}
        for line in (DEBIAN / f"{package}.install").read_text().splitlines():
            source, _, folder = line.partition(" ")
            parent, _, name = source.rpartition("/")
            if parent == "lib/systemd/system":
                files |= {f"usr/{parent}/{unit}": text for unit, text in units.items() if fnmatch.fnmatch(unit, name)}
            else:
                files[f"{folder or parent}/{name}"] = ""
        for kind, path in (("default", f"etc/default/{package}"), ("sysusers", f"usr/lib/sysusers.d/{package}.conf")):
            if (file := DEBIAN / f"{package}.{kind}").exists():
                files[path] = file.read_text()
        if (file := DEBIAN / f"{package}.dirs").exists():
            files |= dict.fromkeys(file.read_text().split(), "")
        found += of_files(package, files)
    return sorted(set(found))


def built_packages(folder: pathlib.Path) -> list[str]:
    """As the .deb files in a folder are."""
    found = []
    for deb in folder.glob("*.deb"):
        package = deb.name.split("_")[0]
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], check=True, capture_output=True).stdout
        files = {}
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for entry in archive:
                path = entry.name.removeprefix("./").rstrip("/")
                content = archive.extractfile(entry).read() if entry.isfile() else b""
                files[path] = content.decode() if re.search(r"sysusers\.d/|systemd/system/", path) else ""
                if path.endswith("/libevidence.so.1"):
                    with tempfile.NamedTemporaryFile() as library:
                        library.write(content)
                        library.flush()
                        dynamic = subprocess.run(["readelf", "-dW", library.name], check=True, capture_output=True, text=True).stdout
                        symbols = subprocess.run(["nm", "-D", "--defined-only", library.name], check=True, capture_output=True, text=True).stdout
                    found += of_library(re.search(r"SONAME.*\[(.*)\]", dynamic)[1], re.findall(r" T (evidence_\w+)@@EVIDENCE_1$", symbols, re.M))
        found += of_files(package, files)
    return sorted(set(found))


# Swift.

def swift() -> list[str]:
    """Each public symbol of the modules whose API is promised, with its declaration, and the protocols that it conforms to."""
    files = sorted(GRAPHS.glob("*/*.symbols.json"))
    if not files or min(file.stat().st_mtime for file in files) < max(file.stat().st_mtime for file in ROOT.glob("Sources/**/*.swift")):
        sys.exit("stability: .build/symbol-graphs is not of these sources: run scripts/docs first")
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
        names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}
        for edge in graph["relationships"]:
            # Of a type of another module, its mangled name. SendableMetatype comes with Sendable.
            if edge["kind"] in ("conformsTo", "inheritsFrom") and edge.get("targetFallback") != "Swift.SendableMetatype":
                found.add(f"{module} {names.get(edge['source'], edge['source'])} {edge['kind']} "
                          f"{names.get(edge['target']) or edge.get('targetFallback') or edge['target']}")
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


Growth = Callable[[list[str], list[str]], list[str]]


def compare(name: str, present: list[str], old: list[str], growth: Growth | None = None) -> list[str]:
    left = [f"{name}: is gone or changed: {line}" for line in old if line not in set(present)]
    added = [line for line in present if line not in set(old)]
    return left + [f"{name}: must not be added: {line}" for line in (growth(added, old) if growth else [])]


def try_growth() -> None:
    """What must not be added is seen, and what may be is let through."""
    old = ["evidence-batch-1.request-open has order", "evidence-batch-1.request-open.order type \"string\"",
           "evidence-batch-1.request-open.part enum \"a\""]
    for line in ("required \"x\"", ".order maxLength 3", ".order pattern \"a\"", ".part required \"b\""):
        line = f"evidence-batch-1.request-open{line if line[0] == '.' else ' ' + line}"
        assert schemas_grew([line], old) == [line], f"not seen: {line}"
    further = ["evidence-batch-1.request-open has x", "evidence-batch-1.request-open.x maxLength 3",
               "evidence-batch-1.request-open.part enum \"b\"", "evidence-batch-1.answer-open.x required \"y\""]
    assert not schemas_grew(further, old), "what may be added is not let through"
    for line in ("/v1/open.post required query:x", "/v1/open.post.query:y pattern \"a\"", "components.schemas.N maxLength 3"):
        assert http_grew([line], ["/v1/open.post.query:z $ref \"#/components/schemas/N\""]) == [line], f"not seen: {line}"
    assert not http_grew(["/v1/open.post has query:x", "/v1/open.post.query:x pattern \"a\""], []), "a parameter may be added"
    assert options_grew(["t v -x is required"], ["t v is a verb"]) and not options_grew(["t w -x is required"], ["t v is a verb"])
    assert swift_grew(["M A.b enum.case: case b"], ["M A enum: enum A"]), "a new case is not seen"


def read(name: str) -> list[str]:
    return (BASELINE / f"{name}.txt").read_text().splitlines()


def main() -> int:
    words = sys.argv[1:]
    if len(words) == 2 and words[0] == "--packages":
        complaints = compare("packages", built_packages(pathlib.Path(words[1])), read("packages"))
        summary = "the packages have what was promised of them"
    elif words in ([], ["--write"], ["--same"]):
        complaints, summary = of_sources(*words)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for line in complaints[:60]:
        print(line, file=sys.stderr)
    if complaints:
        print(f"stability: {len(complaints)} promises of docs/STABILITY.md are broken", file=sys.stderr)
        return 1
    print(f"stability: {summary}")
    return 0


def of_sources(mode: str = "") -> tuple[list[str], str]:
    lists: dict[str, tuple[list[str], Growth | None]] = {
        "schemas": (schemas(), schemas_grew), "statuses": (statuses(), None), "formats": (formats(), None), "http": (http(), http_grew),
        "options": (options(), options_grew), "packages": (packages(), None), "swift": (swift(), swift_grew),
    }
    header = HEADER.read_text()
    if mode == "--write":
        for name, (lines, _) in lists.items():
            (BASELINE / f"{name}.txt").write_text("".join(line + "\n" for line in lines))
        (BASELINE / "evidence.h").write_text(header)
        return [], "the baseline is written"
    complaints = []
    try_growth()
    for name, (present, growth) in lists.items():
        old = read(name)
        assert old and compare(name, present[1:], present, growth), f"{name}: the check does not see what is gone"
        complaints += compare(name, present, old, growth)
        if mode and present != old:
            complaints.append(f"{name}: the baseline is not that of these sources: scripts/steps/stability.py --write")
    old = (BASELINE / "evidence.h").read_text()
    changed = re.sub(r"size_t( \*?\w+)\)", r"uint8_t\1)", header, count=1)
    assert changed != header and c_changes(header, changed), "abidiff does not see a changed parameter"
    assert c_changes(header, re.sub(r"^\w+ evidence_abi\(void\);", "", header, flags=re.M)), "abidiff does not see what is gone"
    if found := c_changes(old, header):
        complaints.append(f"C: {found}")
    if mode and old != header:
        complaints.append("C: the baseline is not that of these sources: scripts/steps/stability.py --write")
    return complaints, ", ".join(f"{len(lines)} of {name}" for name, (lines, _) in lists.items()) + ", and the C types"


if __name__ == "__main__":
    sys.exit(main())
