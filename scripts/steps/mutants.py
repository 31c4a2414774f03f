# SPDX-License-Identifier: Apache-2.0
"""Puts faults into a copy of the sources, one at a time, and asks of each whether the tests notice.

    mutants.py [--check] [NUMBER…]

mutants.txt has the faults. All of them are compiled into one build, each behind a switch that the environment sets, so
that a fault costs a run of the tests and no compilation. A run without faults tells which suites come past which fault:
only those are asked: the suite of the fault's module first, then the command's, then the others; for batches, last, the
script that drives them as engines do.
--check only looks whether each fits the sources. It fails where less than 95 % of the faults are noticed.

What was noticed is kept in .build/mutants/noticed.ndjson and not tried again for as long as the fault stays the same:
a run that was stopped can be continued. To measure all over again, remove that file.
"""

import concurrent.futures
import dataclasses
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
TESTS = "evidence-kitPackageTests.xctest"
GOAL = 0.95
NOTICED = os.path.join(WORK, "noticed.ndjson")
SWITCH = "EVIDENCE_MUTANT"
# A file of MAP_BYTES: the byte with a fault's number is set where a process comes past that fault.
REACHED = "EVIDENCE_MUTANTS_REACHED"
MAP_BYTES = 4096
# More than a machine has cores: the sessions of the command wait more than they compute.
WORKERS = 5
# The one session of the command to run.
SESSION = "EVIDENCE_SESSION"
# What a script tests that no Swift test does, by a part of the fault's path.
SCRIPTS = {"/Batch/": "check-batch.py"}
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
    def target(self) -> str:
        return self.path.split(os.sep)[1]

    @property
    def text(self) -> list[str]:
        """What makes it this fault, wherever it stands in the list."""
        return [self.path, self.what, self.before, self.after]


def sources() -> list[str]:
    return [
        os.path.relpath(os.path.join(folder, name), ROOT)
        for folder, _, names in os.walk(os.path.join(ROOT, "Sources"))
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
    is_line = not before.rsplit("\n", 1)[1].strip() and after.startswith("\n")
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


def write(path: str, text: str) -> None:
    """Only where it differs, so that little is compiled again."""
    path = os.path.join(TREE, path)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make_tree(files: dict[str, str]) -> None:
    os.makedirs(TREE, exist_ok=True)
    for name in os.listdir(ROOT):
        link = os.path.join(TREE, name)
        if name not in (".build", ".git", "Sources", "Tests", "Package.swift"):
            if os.path.lexists(link):
                os.remove(link)
            os.symlink(os.path.join(ROOT, name), link)
    wanted = set()
    for top in ("Sources", "Tests"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                wanted.add(path)
                if path not in files:
                    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                        text = file.read()
                    # The harness gives its commands an environment of their own.
                    if name == "CommandLineTests.swift":
                        text = text.replace(
                            '"HOME": "/no-home",',
                            '"HOME": "/no-home",' + "".join(
                                f' "{name}": ProcessInfo.processInfo.environment["{name}"] ?? "",'
                                for name in (SWITCH, REACHED)
                            ),
                        )
                        assert SWITCH in text
                        sessions = '$0.hasSuffix(".txt")'
                        assert sessions in text
                        text = text.replace(sessions, f'{sessions} && (environment["{SESSION}"] ?? $0) == $0')
                    write(path, text)
    for path, text in files.items():
        write(path, (C if path.endswith(".c") else "") + text)
    for target in {path.split(os.sep)[1] for path in files if path.endswith(".swift")}:
        path = os.path.join("Sources", target, "MutantSwitch.swift")
        wanted.add(path)
        write(path, SWIFT)
    for top in ("Sources", "Tests"):
        for folder, _, names in os.walk(os.path.join(TREE, top)):
            for name in names:
                if os.path.relpath(os.path.join(folder, name), TREE) not in wanted:
                    os.remove(os.path.join(folder, name))
    with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
        write("Package.swift", file.read().replace(".treatAllWarnings(as: .error),", ""))


def build(copies: str) -> str:
    command = ["swift", "build", "--build-tests", "-j", "2", "--package-path", TREE, "--scratch-path", BUILD]
    with open(os.path.join(WORK, "build.log"), "w", encoding="utf-8") as log:
        if subprocess.run(command, stdout=log, stderr=log).returncode:
            sys.exit(f"mutants: they do not compile, see {log.name}")
    folder = subprocess.run([*command, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    # A copy, so that tests can be written and built while a campaign goes on.
    for name in (TESTS, "evidence-tool"):
        shutil.copy2(os.path.join(folder, name), copies)
    return os.path.join(copies, TESTS)


def run_suite(
    tests: str, suite: str, number: int, limit: float, test: str = "", session: str = "", reached: str = ""
) -> tuple[str, str]:
    """What noticed the fault, and the test that failed, if one did; empty for nothing. All tests, or the one."""
    is_script = suite in SCRIPTS.values()
    if is_script:
        command = [sys.executable, os.path.join(HERE, suite), os.path.join(os.path.dirname(tests), "evidence-tool")]
    else:
        command = [tests, "--testing-library", "swift-testing", "--filter", rf"^{suite}\.(.*/)?{re.escape(test)}"]
    environment = {**os.environ, SWITCH: str(number), "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1"}
    if reached:
        environment[REACHED] = reached
    if session:
        environment[SESSION] = session
    with subprocess.Popen(
        ["timeout", "--kill-after=5", str(round(limit)), *command],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:
        ran = False
        assert process.stdout
        for line in process.stdout:
            text = line.decode(errors="replace")
            if failed := re.match(r"✘ Test (\S+) .*recorded an issue(?: with \d+ arguments? (.{,80}?) at )?", text):
                # One is enough.
                process.terminate()
                return " ".join([f"{suite}: {failed[1]}", *failed.groups("")[1:]]).strip(), failed[1]
            ran = ran or re.search(r"Test run with [1-9]\d* tests? .*passed", text) is not None
        status = process.wait()
    if status in (124, 137):
        return f"{suite}, which hung", ""
    if status:
        return f"{suite}, which ended with {status}", ""
    return "" if ran or is_script else f"{suite}, which ran nothing", ""


def measured(tests: str, suite: str) -> tuple[float, bytes]:
    """How long the suite takes without any fault, and which faults it comes past."""
    path = os.path.join(WORK, "reached")
    with open(path, "wb") as file:
        file.write(bytes(MAP_BYTES))
    begun = time.monotonic()
    # Sessions with signals and terminals look at the clock, and a busy machine may make one late.
    if any(run_suite(tests, suite, 0, 900, reached=path)):
        if found := run_suite(tests, suite, 0, 900, reached=path)[0]:
            sys.exit(f"mutants: without any, {found} fails")
    seconds = time.monotonic() - begun
    with open(path, "rb") as file:
        return seconds, file.read()


def campaign(tests: str, wanted: list[Mutant]) -> None:
    noticed: dict[tuple[str, ...], str] = {}
    if os.path.exists(NOTICED):
        with open(NOTICED, encoding="utf-8") as file:
            noticed = {tuple(text): by for text, by in map(json.loads, file)}

    suites = sorted(name for name in os.listdir(os.path.join(ROOT, "Tests")) if name.endswith("Tests"))
    measures: dict[str, tuple[float, bytes]] = {}
    lock = threading.Lock()

    def notices(suite: str, mutant: Mutant) -> str:
        with lock:
            if suite not in measures:
                measures[suite] = measured(tests, suite)
        seconds, reached = measures[suite]
        if not reached[mutant.number]:
            return ""
        # The same test fails twice with the fault and not without, so that neither chance nor a busy machine is taken
        # for one.
        limit = 60 + 10 * seconds
        found, test = run_suite(tests, suite, mutant.number, limit)
        session = ""
        if found:
            if name := re.search(r'name → "(.+)"', found) if suite == "CommandLineTests" else None:
                session = name[1]
            found, _ = run_suite(tests, suite, mutant.number, limit, test, session)
        return found if found and not run_suite(tests, suite, 0, limit / 3, test, session)[0] else ""

    def hunt(mutant: Mutant) -> str:
        nearest = [mutant.target + "Tests", "CommandLineTests"]
        ordered = [name for name in nearest if name in suites] + [name for name in suites if name not in nearest]
        ordered += [script for part, script in SCRIPTS.items() if part in mutant.path]
        return next(filter(None, (notices(suite, mutant) for suite in ordered)), "")

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool, open(NOTICED, "a", encoding="utf-8") as file:
        tried = {pool.submit(hunt, mutant): mutant for mutant in wanted if tuple(mutant.text) not in noticed}
        for future in concurrent.futures.as_completed(tried):
            mutant, found = tried[future], future.result()
            print(f"{mutant.number:3} {found or 'NOT NOTICED'}: {mutant.what}", flush=True)
            if found:
                noticed[tuple(mutant.text)] = found
                print(json.dumps([mutant.text, found], ensure_ascii=False), file=file, flush=True)

    survivors = [mutant for mutant in wanted if tuple(mutant.text) not in noticed]
    count = len(wanted) - len(survivors)
    print(f"{count} of {len(wanted)} noticed, {100 * count / len(wanted):.1f} %")
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
        campaign(build(copies), wanted)


if __name__ == "__main__":
    main()
