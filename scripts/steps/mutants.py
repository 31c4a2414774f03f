# SPDX-License-Identifier: Apache-2.0
"""Puts faults into a copy of the sources, one at a time, and asks of each whether the tests notice.

    mutants.py [--check] [NUMBER…]

mutants.txt has the faults. All of them are compiled into one build, each behind a switch that the environment sets, so
that a fault costs no compilation. A run of each test without faults, alone, tells how long it takes and which faults it
comes past. A fault is then tried on those tests alone, the quickest first, several in one process, until one notices;
last come the scripts that drive the commands.
--check only looks whether each fits the sources. It fails where less than 95 % of the faults are noticed.

What was measured and noticed is kept in .build/mutants, so a run that was stopped goes on where it was. A fault that
was noticed is not tried again for as long as it stays the same: to try all over again, remove noticed.ndjson.
"""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(ROOT, ".build", "mutants")
TREE = os.path.join(WORK, "tree")
BUILD = os.path.join(WORK, "build")
GOAL = 0.95
NOTICED = os.path.join(WORK, "noticed.ndjson")
MEASURED = os.path.join(WORK, "measured.ndjson")
# The packages, by their folders, and the tests and commands that they build.
PACKAGES = {
    ".": ["evidence-kitPackageTests.xctest", "evidence-tool"],
    "Packages/Archive": ["evidence-archivePackageTests.xctest", "evidence-archive"],
    "Packages/Service": ["evidence-servicePackageTests.xctest", "evidence-service"],
    "Packages/Vendor": ["evidence-vendorPackageTests.xctest", "evidence-vendor", "evidence-sandbox"],
}
SWITCH = "EVIDENCE_MUTANT"
# A file of MAP_BYTES: the byte with a fault's number is set where a process comes past that fault.
REACHED = "EVIDENCE_MUTANTS_REACHED"
MAP_BYTES = 4096
# More than a machine has cores: sessions of a command wait more than they compute.
WORKERS = 4
# The one recorded session to run.
SESSION = "EVIDENCE_SESSION"
# What drives the commands from outside, each with the folders whose faults it may notice. They take a minute and more.
SCRIPTS = {
    "scripts/steps/check-batch.py": (("Sources/EvidenceToolCommands/Batch/",), ("evidence-tool",)),
    "scripts/steps/check-archive.py": (
        ("Sources/EvidenceArchive/", "Packages/Archive/Sources/evidence-archive/"),
        ("evidence-archive", "evidence-tool")),
    "Packages/Archive/Tests/drive/check.py": (("Packages/Archive/",), ("evidence-archive", "evidence-tool")),
    "Packages/Service/Tests/drive/check.py": (("Packages/Service/",), ("evidence-service", "evidence-tool")),
}
# How long tests may take together that are run in one process.
SECONDS_AT_ONCE = 4
C = """#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static int mutant = -1;
static char *reached = MAP_FAILED;
__attribute__((constructor)) static void readSwitch(void) {
    const char *number = getenv("%s"), *path = getenv("%s");
    mutant = number ? atoi(number) : 0;
    int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    reached = mmap(NULL, %d, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
}
static int isMutant(int number) {
    if (reached != MAP_FAILED) reached[number] = 1;
    return mutant == number;
}
""" % (SWITCH, REACHED, MAP_BYTES)
SWIFT = """import Glibc
private let mutant = unsafe getenv("%s").flatMap { unsafe Int(String(cString: $0)) } ?? 0
nonisolated(unsafe) private let reached: UnsafeMutableRawPointer? = {
    guard let path = unsafe getenv("%s"), unsafe path.pointee != 0 else { return nil }
    // The first call may stand between a system call and its errno.
    let before = errno
    defer { errno = before }
    let file = unsafe open(path, O_RDWR)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let memory = unsafe mmap(nil, %d, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    return unsafe memory == MAP_FAILED ? nil : memory
}()
func isMutant(_ number: Int) -> Bool {
    if let reached = unsafe reached { unsafe reached.storeBytes(of: 1, toByteOffset: number, as: UInt8.self) }
    return mutant == number
}
""" % (SWITCH, REACHED, MAP_BYTES)


@dataclasses.dataclass
class Mutant:
    number: int
    path: str
    what: str
    before: str
    after: str = ""

    @property
    def text(self) -> list[str]:
        """What makes it this fault, wherever it stands in the list."""
        return [self.path, self.what, self.before, self.after]


def sources() -> list[str]:
    return [
        os.path.relpath(os.path.join(folder, name), ROOT)
        for top in ("Sources", *(os.path.join(package, "Sources") for package in PACKAGES if package != "."))
        for folder, _, names in os.walk(os.path.join(ROOT, top))
        for name in names
        if name.endswith((".swift", ".c"))
    ]


def read_mutants() -> list[Mutant]:
    """`@ FILE: what is wrong`, `- the lines, with «what is replaced»`, `+ by what`; FILE is the end of a path."""
    paths, mutants = sources(), []
    with open(os.path.join(HERE, "mutants.txt"), encoding="utf-8") as file:
        for line in file.read().split("\n"):
            mark, text = line[:2], line[2:].strip()
            if mark == "@ ":
                ending, what = text.split(": ", 1)
                found = [path for path in paths if ("/" + path).endswith("/" + ending)]
                if len(found) != 1:
                    sys.exit(f"mutants: {ending} is the end of {len(found)} paths")
                mutants.append(Mutant(len(mutants) + 1, found[0], what, ""))
            elif mark == "- ":
                mutants[-1].before = f"{mutants[-1].before}\n{text}".strip()
            elif mark == "+ ":
                mutants[-1].after = text
    return mutants


def switched(text: str, mutant: Mutant) -> str:
    """The source with both versions in it."""
    head, replaced, tail = re.split("[«»]", mutant.before)
    # Lines before and after, as context, are indented anyhow.
    head, replaced, tail = (r"\n *".join(map(re.escape, part.split("\n"))) for part in (head, replaced, tail))
    found = list(re.finditer(f"{head}({replaced}){tail}", text))
    if len(found) != 1:
        raise ValueError(f"{len(found)} places fit")
    before, replaced, after = text[: found[0].start(1)], found[0][1], text[found[0].end(1) :]
    # A line is a statement, unless the one before goes on, or it does.
    lines, indent = before.rsplit("\n", 1)
    is_line = not indent.strip() and after.startswith("\n") and not lines.endswith((",", "(", "[", "=", "&&", "||", "+")) \
        and not after.lstrip().startswith(("&&", "||", "+", "?", ".")) or replaced.startswith("throw ")
    if is_line and mutant.after:
        return f"{before}if isMutant({mutant.number}) {{ {mutant.after} }} else {{ {replaced} }}{after}"
    if is_line:
        return f"{before}if !isMutant({mutant.number}) {{ {replaced} }}{after}"
    return f"{before}(isMutant({mutant.number}) ? ({mutant.after}) : ({replaced})){after}"


def with_switches(mutants: list[Mutant]) -> dict[str, str]:
    """The changed files, by path."""
    files: dict[str, str] = {}
    failures = 0
    for mutant in mutants:
        if mutant.path not in files:
            with open(os.path.join(ROOT, mutant.path), encoding="utf-8") as file:
                files[mutant.path] = file.read()
        try:
            files[mutant.path] = switched(files[mutant.path], mutant)
        except ValueError as error:
            failures += 1
            print(f"{mutant.number} does not fit, {error}: {mutant.path}: {mutant.before}")
    if failures:
        sys.exit(f"mutants: {failures} of {len(mutants)} do not fit the sources; scripts/steps/mutants.txt must follow them")
    return files


def write(path: str, content: bytes) -> None:
    """Only where it differs, so that little is compiled again."""
    path = os.path.join(TREE, path)
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == content:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def make_tree(files: dict[str, str]) -> None:
    copied = ("Sources", "Tests", "Packages", "docs")
    os.makedirs(TREE, exist_ok=True)
    for name in os.listdir(ROOT):
        link = os.path.join(TREE, name)
        if name not in (".build", ".git", "Package.swift", *copied):
            if os.path.lexists(link):
                os.remove(link)
            os.symlink(os.path.join(ROOT, name), link)
    contents = {path: ((C if path.endswith(".c") else "") + text).encode() for path, text in files.items()}
    for path in files:
        if path.endswith(".swift"):
            target = re.match(r"(?:Packages/[^/]+/)?Sources/[^/]+", path)
            assert target
            contents[os.path.join(target[0], "MutantSwitch.swift")] = SWIFT.encode()
    paths = ["Package.swift"]
    for top in copied:
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = [name for name in folders if name != ".build"]
            paths += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names]
    for path in paths:
        if path not in contents:
            with open(os.path.join(ROOT, path), "rb") as file:
                contents[path] = file.read()
        if os.path.basename(path) == "Package.swift":
            contents[path] = contents[path].replace(b".treatAllWarnings(as: .error),", b"")
    for path, content in contents.items():
        write(path, content)
    for top in copied:
        for folder, _, names in os.walk(os.path.join(TREE, top)):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.relpath(path, TREE) not in contents:
                    os.remove(path)


def build(copies: str) -> None:
    """Everything that has tests, into one folder: so tests can be written and built while a campaign goes on."""
    environment = {**os.environ, "EVIDENCE_SCRIPTS": "1"}
    with open(os.path.join(WORK, "build.log"), "w", encoding="utf-8") as log:
        for package, products in PACKAGES.items():
            command = ["swift", "build", "--build-tests", "-j", "2", "--package-path", os.path.join(TREE, package)]
            command += ["--scratch-path", BUILD, "--disable-build-manifest-caching"]
            if subprocess.run(command, stdout=log, stderr=log, env=environment).returncode:
                sys.exit(f"mutants: they do not compile, see {log.name}")
            folder = os.path.join(BUILD, "debug")
            for name in products:
                shutil.copy2(os.path.join(folder, name), copies)


@dataclasses.dataclass(frozen=True)
class Test:
    """A test, a recorded session or a script."""

    # The program, in the folder of the copies, or the script.
    program: str
    # In the form in which the program lists it.
    name: str = ""
    session: str = ""

    def __str__(self) -> str:
        return self.session or self.name.removesuffix("()") or os.path.relpath(self.program, TREE)


def all_tests(copies: str) -> list[Test]:
    """Those of every package, but for the recorded sessions and scripts."""
    tests = []
    for program in (products[0] for products in PACKAGES.values()):
        path = os.path.join(copies, program)
        command = [path, "--testing-library", "swift-testing", "--list-tests"]
        listed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        for name in listed.split("\n"):
            if "sessionComesOutAsRecorded" not in name:
                tests += [Test(path, name)] if "/" in name else []
                continue
            package = next(package for package, products in PACKAGES.items() if products[0] == program)
            scripts = os.path.join(TREE, package, "Tests", name.split(".")[0], "Scripts")
            tests += [Test(path, name, file) for file in sorted(os.listdir(scripts)) if file.endswith(".txt")]
    return tests


def run(tests: list[Test], copies: str, number: int, limit: float, reached: str = "") -> tuple[str, Test | None]:
    """What noticed the fault, and the test that failed, if one did; empty for nothing. The tests are of one program."""
    first = tests[0]
    if first.name:
        pattern = "|".join(re.escape(test.name) for test in tests)
        command = [first.program, "--testing-library", "swift-testing", "--filter", f"^({pattern})"]
    else:
        programs = SCRIPTS[os.path.relpath(first.program, TREE)][1]
        command = [sys.executable, first.program, *(os.path.join(copies, name) for name in programs)]
    environment = {**os.environ, SWITCH: str(number), "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1"}
    # A script may count the files that a command opens.
    if reached and first.name:
        environment[REACHED] = reached
    if first.session:
        environment[SESSION] = first.session
    with subprocess.Popen(
        ["timeout", "--kill-after=5", str(round(limit)), *command],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:
        ran = not first.name
        assert process.stdout
        for line in process.stdout:
            text = line.decode(errors="replace")
            if failed := re.match(r"✘ Test ([^( ]+\(\S*\)) .*recorded an issue", text):
                # One is enough.
                process.terminate()
                named = [test for test in tests if test.name.endswith("/" + failed[1])]
                return f"{named[0] if named else failed[1]}", named[0] if len(named) == 1 else None
            ran = ran or re.search(r"Test run with [1-9]\d* tests? .*passed", text) is not None
        status = process.wait()
    names = f"{first}" + (f" and {len(tests) - 1} more" if len(tests) > 1 else "")
    if status in (124, 137):
        return f"{names}, which hung", None
    if status:
        return f"{names}, which ended with {status}", None
    return ("", None) if ran else (f"{names}, which ran nothing", None)


class Campaign:
    def __init__(self, copies: str) -> None:
        self.copies = copies
        digest = hashlib.sha256()
        for names in PACKAGES.values():
            for name in names:
                with open(os.path.join(copies, name), "rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        self.build = digest.hexdigest()
        # By test: the seconds that it takes without any fault, 0 where it then fails, and the faults that it comes past.
        self.measures: dict[Test, tuple[float, frozenset[int]]] = {}
        self.lock = threading.Lock()

    def measure(self, test: Test) -> tuple[float, frozenset[int]]:
        if known := self.measures.get(test):
            return known
        with tempfile.NamedTemporaryFile(dir=self.copies) as reached:
            reached.write(bytes(MAP_BYTES))
            reached.flush()
            # A busy machine may make one late that looks at the clock, so twice.
            for is_last in (False, True):
                begun = time.monotonic()
                found, _ = run([test], self.copies, 0, 900, reached.name)
                if not found:
                    break
                if is_last:
                    print(f"not used, since without a fault it fails: {found}", flush=True)
                    self.measures[test] = (0, frozenset())
                    return self.measures[test]
            seconds = time.monotonic() - begun
            reached.seek(0)
            past = frozenset(number for number, byte in enumerate(reached.read()) if byte)
        with self.lock:
            self.measures[test] = (seconds, past)
            with open(MEASURED, "a", encoding="utf-8") as file:
                print(json.dumps([self.build, [os.path.basename(test.program), test.name, test.session],
                                  seconds, sorted(past)]), file=file)
        return seconds, past

    def measure_all(self) -> None:
        tests = all_tests(self.copies)
        by_key = {(os.path.basename(test.program), test.name, test.session): test for test in tests}
        if os.path.exists(MEASURED):
            with open(MEASURED, encoding="utf-8") as file:
                for built, key, seconds, past in map(json.loads, file):
                    if built == self.build and tuple(key) in by_key:
                        self.measures[by_key[tuple(key)]] = (seconds, frozenset(past))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(self.measure, tests))

    def portions(self, mutant: Mutant) -> list[list[Test]]:
        """The tests that come past the fault, the quickest first, as many at once as take little time together."""
        reaching = sorted(
            (seconds, str(test), test) for test, (seconds, past) in self.measures.items() if mutant.number in past
        )
        portions: list[list[Test]] = []
        taken = 0.0
        for seconds, _, test in reaching:
            last = portions[-1] if portions else []
            if test.session or not last or last[0].session or last[0].program != test.program \
                    or taken + seconds > SECONDS_AT_ONCE:
                portions.append([])
                taken = 0
            portions[-1].append(test)
            taken += seconds
        return portions

    def notices(self, tests: list[Test], mutant: Mutant) -> str:
        # The same fails twice with the fault and not without, so that neither chance nor a busy machine is taken for
        # one.
        limit = 20 + 10 * sum(self.measures[test][0] for test in tests)
        found, failed = run(tests, self.copies, mutant.number, limit)
        if not found:
            return ""
        again = [failed] if failed else tests
        found, _ = run(again, self.copies, mutant.number, limit)
        return found if found and not run(again, self.copies, 0, limit)[0] else ""

    def hunt(self, mutant: Mutant) -> str:
        for tests in self.portions(mutant):
            if found := self.notices(tests, mutant):
                return found
        for path, (folders, _) in SCRIPTS.items():
            script = Test(os.path.join(TREE, path))
            if mutant.path.startswith(folders) and self.measure(script)[0] and (found := self.notices([script], mutant)):
                return found
        return ""


def try_all(campaign: Campaign, wanted: list[Mutant]) -> None:
    noticed: dict[tuple[str, ...], str] = {}
    if os.path.exists(NOTICED):
        with open(NOTICED, encoding="utf-8") as file:
            noticed = {tuple(text): by for text, by in map(json.loads, file)}
    left = [mutant for mutant in wanted if tuple(mutant.text) not in noticed]
    begun = time.monotonic()
    if left:
        campaign.measure_all()
        print(f"{len(campaign.measures)} tests measured in {time.monotonic() - begun:.0f} s", flush=True)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool, open(NOTICED, "a", encoding="utf-8") as file:
        tried = {pool.submit(campaign.hunt, mutant): mutant for mutant in left}
        for future in concurrent.futures.as_completed(tried):
            mutant, found = tried[future], future.result()
            print(f"{mutant.number:3} {found or 'NOT NOTICED'}: {mutant.what}", flush=True)
            if found:
                noticed[tuple(mutant.text)] = found
                print(json.dumps([mutant.text, found], ensure_ascii=False), file=file, flush=True)

    survivors = [mutant for mutant in wanted if tuple(mutant.text) not in noticed]
    count = len(wanted) - len(survivors)
    print(f"{count} of {len(wanted)} noticed, {100 * count / len(wanted):.1f} %, in {time.monotonic() - begun:.0f} s")
    for mutant in survivors:
        print(f"not noticed: {mutant.number} {mutant.path}: {mutant.what}")
    if count < GOAL * len(wanted):
        sys.exit(1)


def main() -> None:
    mutants = read_mutants()
    files = with_switches(mutants)
    if "--check" in sys.argv:
        print(f"{len(mutants)} mutants fit the sources")
        return
    make_tree(files)
    wanted = [mutants[int(word) - 1] for word in sys.argv[1:]] or mutants
    with tempfile.TemporaryDirectory(dir=WORK) as copies:
        build(copies)
        try_all(Campaign(copies), wanted)


if __name__ == "__main__":
    main()
