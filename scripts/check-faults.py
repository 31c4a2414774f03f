"""What happens to the release build when the system fails it: a matrix of jobs and faults.

`check-faults.py TOOL` runs a part of the matrix in under a minute; with `--long` all of it. After each run: the output
is absent, or whole and right; what was there is untouched; nothing is left behind; the exit status is right; standard
output has authenticated bytes alone, and standard error no secret.

Needs strace and a C compiler; mounts (full disks, read-only folders, power cuts) need root, and are left out with a
message where they are not to be had.
"""

import concurrent.futures
import dataclasses
import fcntl
import json
import os
import random
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "TestVectors", "generate"))

import evidence_v1  # noqa: E402
from cryptography.hazmat.primitives import serialization  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
ORDER, OLD = "ord1", b"what was there\n"
PASSPHRASE, TICKET = b"marked-passphrase-5c1f", b"MARKEDTICKET" + b"7" * 52
# Of a length that base64 takes in whole groups, so that they look alike wherever they stand.
VIDEO_MARK, PHOTO_MARK = b"<marked video 9d4>", b"<marked photo 27a>"
DONE, REFUSED, USAGE, SYSTEM = 0, 1, 2, 3
# How a process ends that gets no memory where it cannot do without: ILL, TRAP, ABRT, SEGV.
CRASHES = {-signal.SIGILL, -signal.SIGTRAP, -signal.SIGABRT, -signal.SIGSEGV}


def marked(mark: bytes, count: int) -> bytes:
    """Bytes that compress badly and show the mark wherever one looks."""
    random_part = random.Random(count).randbytes(64)
    return ((mark + random_part) * (count // (len(mark) + 64) + 1))[:count]


def contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def store(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


# --- Jobs ---------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Job:
    """One command: what it reads and what must come of it."""

    name: str
    arguments: tuple
    # For each file that is made: whether its bytes are right.
    makes: dict = dataclasses.field(default_factory=dict)
    # What comes out on standard output, or a function that says whether it is right; `None`: nothing may.
    prints: object = None
    # What comes in on standard input, through a pipe.
    reads: bytes = b""
    is_replacing: bool = False
    # There is a file of the output's name already.
    is_there: bool = False
    # What is in it.
    there: bytes = OLD
    # The file is for its owner alone.
    is_private: bool = True
    # As where a file system has no nameless files.
    is_named: bool = False


class Bench:
    """The inputs, the jobs and the folder they are in."""

    def __init__(self, tool: str, folder: str):
        self.tool, self.folder = tool, folder
        self.inputs = os.path.join(folder, "in")
        os.mkdir(self.inputs)
        os.chmod(folder, 0o711)
        self.counter = iter(range(1 << 60))
        self.library = os.path.join(folder, "faults.so")
        compiler = shutil.which("cc") or shutil.which("clang") or "cc"
        source = os.path.join(ROOT, "scripts", "faults.c")
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", self.library, source, "-ldl"], check=True)
        self.make_inputs()
        self.jobs = {job.name: job for job in self.make_jobs()}
        self.before = {name: contents(self.file(name)) for name in os.listdir(self.inputs)}

    def file(self, name: str) -> str:
        return os.path.join(self.inputs, name)

    def make(self, *arguments: str) -> None:
        subprocess.run([self.tool, *arguments], check=True, cwd=self.inputs, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def make_inputs(self) -> None:
        store(self.file("passphrase"), PASSPHRASE + b"\n")
        store(self.file("ticket"), TICKET + b"\n")
        store(self.file("photo"), contents(os.path.join(ROOT, "TestVectors", "media", "photo.jpg")))
        for name in ("key", "new", "compare"):
            self.make("keygen", "-o", f"{name}.pem", "--public", f"{name}.pub", "--bits", "2048")
        private = serialization.load_pem_private_key(contents(self.file("key.pem")), None)
        store(self.file("locked.pem"), private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(PASSPHRASE)))
        self.key, self.new, self.compare = (
            serialization.load_pem_private_key(contents(self.file(f"{name}.pem")), None)
            for name in ("key", "new", "compare"))
        self.videos = {"tiny": marked(VIDEO_MARK, 100), "video": marked(VIDEO_MARK, 700 * KIB),
                       "large": marked(VIDEO_MARK, 6656 * KIB), "other": marked(b"<another video>", 700 * KIB)}
        for name, video in self.videos.items():
            store(self.file(name), video)
            payload = evidence_v1.seal(video, self.key.public_key(), ORDER)
            store(self.file(f"{name}.json"), payload)
            store(self.file(f"{name}.vendor.json"), vendor_order(payload))
        changed = bytearray(contents(self.file("video.json")))
        changed[len(changed) // 2] ^= 1
        store(self.file("changed.json"), bytes(changed))
        photo = marked(PHOTO_MARK, 300 * KIB)
        store(self.file("photo.json"), json.dumps(
            {"orderNo": ORDER, "userImageString": evidence_v1.base64.b64encode(photo).decode()}).encode())
        self.photo = photo
        moment = ("--captured-at", "2026-11-21T08:30:00.000Z")
        self.assembling = ("--public", self.file("key.pub"), "--compare-public", self.file("compare.pub"), "--order-no",
                           ORDER, "--app-id", "IDAXXXXX", "--user-id", "u1", "--ticket-file", self.file("ticket"),
                           "--video", self.file("video"), "--image", self.file("photo"), *moment)
        self.make("assemble", *self.assembling, "-o", "result.json")
        self.checking = ("check", "--key", self.file("key.pem"), "--compare-key", self.file("compare.pem"),
                         "--ticket-file", self.file("ticket"), "--app-id", "IDAXXXXX", "--order-no", ORDER,
                         "--at", "2026-11-21T08:31:00.000Z")

    def opens(self, video: bytes, key: object):
        """Whether bytes are a payload with that video for that key."""
        def is_right(payload: bytes) -> bool:
            try:
                return evidence_v1.open_sealed(payload, key) == video
            except Exception:
                return False
        return is_right

    def make_jobs(self):
        video, tiny, large = (self.videos[name] for name in ("video", "tiny", "large"))
        sealing = ("encrypt", "--public", self.file("key.pub"), "--order-no", ORDER)
        opening = ("decrypt", "--key", self.file("key.pem"))
        to_out = {"out": video.__eq__}
        sealed = {"out": self.opens(video, self.key)}
        into = ("-o", "out")
        replace = ("-o", "out", "--force")
        payload, vendor = self.file("video.json"), self.file("video.vendor.json")
        yield Job("encrypt", sealing + into + (self.file("video"),), sealed, is_private=False)
        yield Job("encrypt, --force", sealing + replace + (self.file("video"),), sealed, is_private=False,
                  is_replacing=True, is_there=True)
        yield Job("encrypt, 2 threads", sealing + into + ("--threads", "2", self.file("video")), sealed,
                  is_private=False)
        yield Job("encrypt, pipe to pipe", sealing, prints=self.opens(video, self.key), reads=video)
        yield Job("decrypt", opening + into + (payload,), to_out)
        yield Job("decrypt, --force", opening + replace + (payload,), to_out, is_replacing=True, is_there=True)
        yield Job("decrypt, --force, new", opening + replace + (vendor,), to_out, is_replacing=True)
        yield Job("decrypt, output exists", opening + into + (payload,), to_out, is_there=True)
        yield Job("decrypt onto its input, --force", opening + replace + ("out",), to_out, is_there=True,
                  there=contents(payload))
        yield Job("decrypt, 2 threads", opening + into + ("--threads", "2", payload), to_out)
        yield Job("decrypt, key last", opening + into + (vendor,), to_out)
        yield Job("decrypt, key last, 2 threads", opening + into + ("--threads", "2", vendor), to_out)
        yield Job("decrypt, key last, from a pipe", opening + into, to_out, reads=contents(vendor))
        yield Job("decrypt to a pipe", opening + (payload,), prints=video)
        yield Job("decrypt to a pipe, key last", opening + (vendor,), prints=video)
        yield Job("decrypt to a pipe, spool", opening + (self.file("large.vendor.json"),), prints=large)
        yield Job("decrypt, no nameless files", opening + into + (payload,), to_out, is_named=True)
        yield Job("decrypt, no nameless files, --force", opening + replace + (payload,), to_out, is_replacing=True,
                  is_there=True, is_named=True)
        yield Job("decrypt, passphrase", ("decrypt", "--key", self.file("locked.pem"), "--passphrase-file",
                                          self.file("passphrase"), "-o", "out", self.file("tiny.json")),
                  {"out": tiny.__eq__})
        yield Job("decrypt, photo", ("decrypt", "--field", "userImageString", "-o", "out", self.file("photo.json")),
                  {"out": self.photo.__eq__})
        rewrapping = ("rewrap", "--key", self.file("key.pem"), "--public", self.file("new.pub"))
        rewrapped = {"out": self.opens(video, self.new)}
        yield Job("rewrap", rewrapping + into + (payload,), rewrapped, is_private=False)
        yield Job("rewrap, --force, from a pipe", rewrapping + replace, rewrapped, is_private=False, is_replacing=True,
                  is_there=True, reads=contents(vendor))
        yield Job("assemble", ("assemble", *self.assembling, "-o", "out"), sealed)
        report = subprocess.run([self.tool, *self.checking, self.file("result.json")], check=True,
                                stdout=subprocess.PIPE).stdout
        assert b"verdict: consistent" in report
        yield Job("check", (*self.checking, self.file("result.json")), prints=report)
        pair = {"out": is_private_key, "pub": is_public_key}
        yield Job("keygen", ("keygen", "-o", "out", "--public", "pub", "--bits", "2048"), pair)
        yield Job("keygen, passphrase", ("keygen", "-o", "out", "--public", "pub", "--bits", "2048",
                                         "--passphrase-file", self.file("passphrase")), pair)


def vendor_order(payload: bytes) -> bytes:
    """The same payload with the wrapped key after the video."""
    fields = json.loads(payload)
    fields["videoEncryptAESKey"] = fields.pop("videoEncryptAESKey")
    return json.dumps(fields, separators=(",", ":")).encode()


def is_private_key(pem: bytes) -> bool:
    try:
        passphrase = PASSPHRASE if b"ENCRYPTED" in pem else None
        return serialization.load_pem_private_key(pem, passphrase).key_size == 2048
    except ValueError:
        return False


def is_public_key(pem: bytes) -> bool:
    try:
        return serialization.load_pem_public_key(pem).key_size == 2048
    except ValueError:
        return False


# --- One run --------------------------------------------------------------------------------------


@dataclasses.dataclass
class Outcome:
    status: int
    output: bytes
    errors: bytes
    folder: str


class Fault(Exception):
    """What must never happen."""


class Run:
    """A fresh folder, with a folder for temporary files beside it, gone afterwards."""

    def __init__(self, bench: Bench, job: Job, out: str = "", spool: str = ""):
        self.bench, self.job = bench, job
        self.folder = os.path.join(bench.folder, f"run{next(bench.counter)}")
        os.mkdir(self.folder)
        self.out = out or os.path.join(self.folder, "out")
        self.spool = spool or os.path.join(self.folder, "spool")
        self.trace = os.path.join(self.folder, "trace")
        for folder in (self.out, self.spool):
            if not os.path.lexists(folder):
                os.mkdir(folder)
        if job.is_there:
            store(os.path.join(self.out, "out"), job.there)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, wrapper=(), environment=None, **options) -> subprocess.Popen:
        if self.job.is_named:
            wrapper = wrapper or self.strace()
        given = {"PATH": os.environ["PATH"], "TMPDIR": self.spool, **(environment or {})}
        return subprocess.Popen(
            [*wrapper, self.bench.tool, *self.job.arguments], cwd=self.out, env=given,
            stdin=subprocess.PIPE if self.job.reads else subprocess.DEVNULL,
            stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, **options)

    def strace(self, *options: str, trace: str = "execve"):
        if self.job.is_named:
            # The one call that asks for a nameless file.
            trace += ",openat"
            options += ("-e", f"inject=openat:error=EOPNOTSUPP:when={self.bench.nameless[self.job.name]}")
        return ["strace", "-f", "-qq", "--seccomp-bpf", "-o", self.trace, "-e", "trace=" + trace, *options]

    def finish(self, child: subprocess.Popen, seconds: float = 120) -> Outcome:
        try:
            output, errors = child.communicate(self.job.reads or None, timeout=seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise Fault(f"hangs: {self.job.name}") from None
        return Outcome(child.returncode, output or b"", errors, self.out)

    def judge(self, outcome: Outcome, statuses, was_cut=False, may_replace=False, released=None) -> Outcome:
        """Holds the outcome to all that must be true after any fault.

        `was_cut`: the process was ended before it could clean up. `may_replace`: a file may have been replaced by a
        whole one although the run failed. `released`: what else than the job's own content is authentic.
        """
        job, status = self.job, outcome.status

        def insist(holds: bool, what: str) -> None:
            if not holds:
                raise Fault(f"{job.name}: {what}; status {status}, {outcome.errors[-300:]!r}, {os.listdir(self.out)}")

        insist(status in statuses, f"status is none of {sorted(statuses)}")
        for name in os.listdir(self.out):
            path = os.path.join(self.out, name)
            mode = stat.S_IMODE(os.lstat(path).st_mode)
            if name in job.makes:
                continue
            insist(was_cut and name.startswith(".evidence-"), f"{name} is left")
            insist(mode & ~0o600 == 0 or not job.is_private, f"{name} has mode {mode:o}")
        for name, is_right in job.makes.items():
            path = os.path.join(self.out, name)
            content = contents(path) if os.path.lexists(path) else None
            is_old = content == job.there if job.is_there else content is None
            if is_old:
                insist(status != DONE, f"{name} is not made")
                continue
            insist(content is not None, f"{name} is gone")
            insist(status == DONE or was_cut or may_replace, f"{name} is there")
            insist(not job.is_there or job.is_replacing, f"{name} is replaced")
            insist(released(content) if released else is_right(content), f"{name} is not right")
            mode = stat.S_IMODE(os.lstat(path).st_mode)
            insist(name == "pub" or not job.is_private or mode & ~0o600 == 0, f"{name} has mode {mode:o}")
        self.judge_output(outcome, insist, released)
        insist(not os.listdir(self.spool), "the spool is left")
        for secret in secrets(self.bench):
            insist(secret not in outcome.errors, "a secret is in a message")
        if status in (REFUSED, USAGE, SYSTEM) and outcome.errors:
            lines = outcome.errors.decode().splitlines()
            insist(all(line.startswith("evidence-tool: ") for line in lines), "a message is not ours")
        return outcome

    def judge_output(self, outcome: Outcome, insist, released) -> None:
        wanted = self.job.prints
        if wanted is None:
            return insist(outcome.output == b"", "something is on standard output")
        if callable(wanted):
            insist(outcome.status != DONE or wanted(outcome.output), "standard output is not right")
            return insist(VIDEO_MARK not in outcome.output, "plaintext is on standard output")
        if released:
            return insist(outcome.output == b"" or released(outcome.output), "released what is not authentic")
        if outcome.status == DONE:
            return insist(outcome.output == wanted, "standard output is not right")
        insist(wanted.startswith(outcome.output), "released what is not authentic")


def secrets(bench: Bench):
    if not hasattr(bench, "secrets"):
        lines = [line for name in ("key.pem", "new.pem", "compare.pem", "locked.pem")
                 for line in bench.before[name].splitlines() if len(line) == 64]
        bench.secrets = [PASSPHRASE, TICKET, VIDEO_MARK, PHOTO_MARK, *lines]
    return bench.secrets


# --- The matrix -----------------------------------------------------------------------------------


class Matrix:
    def __init__(self, bench: Bench, is_long: bool):
        self.bench, self.is_long = bench, is_long
        self.random = random.Random(8)

    def section(self, name: str, cases, short: int) -> None:
        """Runs the cases, or as many of them as the short form takes; counts how they ended."""
        cases = list(cases)
        total = len(cases)
        if not self.is_long and total > short:
            cases = self.random.sample(cases, short)
        start, ends = time.monotonic(), {}
        lock = threading.Lock()

        def run(case) -> None:
            status = case()
            with lock:
                ends[status] = ends.get(status, 0) + 1

        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for future in [pool.submit(run, case) for case in cases]:
                future.result()
        worded = ", ".join(f"{ends[end]} × {word(end)}" for end in sorted(ends, key=str))
        print(f"| {name} | {len(cases)}{'' if len(cases) == total else f' of {total}'} | {worded} | "
              f"{time.monotonic() - start:.0f} |", flush=True)

    def jobs(self, *without: str):
        return [job for name, job in self.bench.jobs.items() if name not in without]

    def plain_run(self, job: Job, statuses, wrapper=(), seconds=120, out="", spool="", **more) -> int:
        judging = {name: more.pop(name) for name in ("was_cut", "may_replace") if name in more}
        with Run(self.bench, job, out=out, spool=spool) as run:
            return run.judge(run.finish(run.start(wrapper, **more), seconds), statuses, **judging).status


def word(end) -> str:
    if not isinstance(end, int):
        return end
    if end < 0:
        return signal.Signals(-end).name
    return {0: "done", 1: "refused (1)", 2: "usage (2)", 3: "cannot read or write (3)"}.get(end, f"status {end}")


def normal_status(job: Job) -> int:
    return USAGE if job.is_there and not job.is_replacing else DONE


# Each system call, and the ways in which it fails. The command must do its work all the same after `EINTR`.
FAILURES = {
    "openat": ["EMFILE", "EACCES", "EINTR"], "read": ["EIO", "EINTR"], "pread64": ["EIO"],
    "write": ["ENOSPC", "EIO", "EINTR"], "fsync": ["EIO", "ENOSPC", "EINTR"], "linkat": ["EIO", "ENOSPC"],
    "renameat": ["EIO", "ENOSPC"], "unlinkat": ["EIO"], "close": ["EIO", "EINTR"], "getrandom": ["ENOSYS", "EINTR"],
    "ftruncate": ["EIO"], "lseek": ["EIO"], "fstat": ["EIO"], "newfstatat": ["EIO"], "access": ["EACCES"],
    "readlink": ["EIO"], "fcntl": ["EIO"], "clone3": ["EAGAIN"], "mmap": ["ENOMEM"],
}
MEMORY_CALLS = {"mmap", "clone3"}


def traced(bench: Bench, job: Job):
    """For each call, which numbers it has between the start of our own code and the end, in any of the threads."""
    with Run(bench, dataclasses.replace(job, is_named=False)) as run:
        wrapper = ["strace", "-f", "-qq", "-o", run.trace, "-e", "trace=" + ",".join([*FAILURES, "prlimit64"])]
        run.finish(run.start(wrapper))
        counts, ours, nameless = {}, {}, 0
        has_begun = False
        for line in contents(run.trace).decode(errors="replace").splitlines():
            thread, _, call = line.partition(" ")
            name = re.match(r"\s*(\w+)\(", call)
            if not name:
                continue
            has_begun = has_begun or "RLIMIT_CORE" in call
            counts[thread, name[1]] = counts.get((thread, name[1]), 0) + 1
            if has_begun:
                ours.setdefault(name[1], set()).add(counts[thread, name[1]])
            if "O_TMPFILE" in call and not nameless:
                nameless = counts[thread, name[1]]
    return {name: numbers for name, numbers in ours.items() if name in FAILURES}, nameless


def system_calls(matrix: Matrix, short: int) -> None:
    bench = matrix.bench
    for call, errors in FAILURES.items():
        cases = []
        for job in bench.jobs.values():
            for number in sorted(bench.calls[job.name].get(call, ())):
                cases += [(job, error, number) for error in errors]
        if not cases:
            continue

        def case(job: Job, error: str, number: int):
            statuses = {normal_status(job)}
            if error != "EINTR":
                statuses.add(SYSTEM)
            if call in MEMORY_CALLS:
                statuses |= CRASHES
            with Run(bench, job) as run:
                wrapper = run.strace("-e", f"inject={call}:error={error}:when={number}", trace=call)
                outcome = run.finish(run.start(wrapper))
                # A call of the second thread can have the number of one that the loader makes in the first.
                if outcome.status == 127 and b"loading shared libraries" in outcome.errors:
                    return 127
                # A file that could not be taken away again stays, sealed or for its owner alone.
                is_left = call == "unlinkat" or bool(CRASHES & {outcome.status})
                # The file has replaced the other one when its folder cannot be synced.
                run.judge(outcome, statuses, was_cut=is_left, may_replace=call == "fsync" and job.is_replacing)
                return outcome.status

        matrix.section(f"`{call}` fails: {', '.join(errors)}", [lambda c=c: case(*c) for c in cases],
                       short if len(errors) > 1 else short // 2)


def stuck(matrix: Matrix) -> None:
    """A call that moves nothing, again and again, must not be tried for ever."""
    def case(job: Job) -> int:
        with Run(matrix.bench, job) as run:
            wrapper = run.strace("-e", "inject=write:retval=0:when=1+", trace="write")
            return run.judge(run.finish(run.start(wrapper), 20), {normal_status(job), SYSTEM} - {DONE}).status

    matrix.section("`write` moves nothing", [lambda job=job: case(job) for job in matrix.jobs() if not job.is_named], 4)


def limits(matrix: Matrix) -> None:
    def run(job, option, value, statuses, **more):
        wrapper = ["prlimit", f"--{option}={value}"]
        return lambda: matrix.plain_run(job, statuses | {normal_status(job)}, wrapper, **more)

    writing = [job for job in matrix.jobs() if job.makes]
    sizes = [0, 1, 100, 4095, 4096, 65_536, 262_144, 500_000, 699_999, 716_799]
    matrix.section("file size limited (`RLIMIT_FSIZE`) to 0 … 700 KiB",
                   [run(job, "fsize", size, {SYSTEM}) for job in writing for size in sizes
                    if not job.is_named], 16)
    matrix.section("no descriptor to be had (`RLIMIT_NOFILE` 3 … 14)",
                   # Below a handful not even the loader can work.
                   [run(job, "nofile", count, {SYSTEM, 127}) for job in matrix.jobs() for count in range(3, 15)
                    if not job.is_named], 20)
    matrix.section("little memory (`RLIMIT_AS` 20 … 64 MiB)",
                   [run(job, "as", mib * MIB, {SYSTEM, 127} | CRASHES, was_cut=True) for job in matrix.jobs()
                    for mib in range(20, 65, 2) if not job.is_named], 24)


def descriptors(matrix: Matrix) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(hard, 20_000) - 200
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 200, hard))
    numbers = [os.open(os.devnull, os.O_RDONLY) for _ in range(count)]
    try:
        matrix.section(f"{count} descriptors open already",
                       [lambda job=job: matrix.plain_run(job, {normal_status(job)}, pass_fds=numbers)
                        for job in matrix.jobs() if not job.is_named], 4)
    finally:
        for number in numbers:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def short_calls(matrix: Matrix) -> None:
    def case(job: Job, seed: int) -> int:
        environment = {"LD_PRELOAD": matrix.bench.library, "FAULT_SHORT": str(seed)}
        return matrix.plain_run(job, {normal_status(job)}, environment=environment)

    matrix.section("short and interrupted reads and writes, in any mixture",
                   [lambda job=job, seed=seed: case(job, seed) for job in matrix.jobs() if not job.is_named
                    for seed in range(10)], 24)


def pipes(matrix: Matrix) -> None:
    printing = [job for job in matrix.jobs() if job.prints is not None]

    def closed(job: Job, count: int) -> int:
        with Run(matrix.bench, job) as run:
            reader, writer = os.pipe()
            child = run.start(stdout=writer)
            os.close(writer)
            ended = []
            feeder = threading.Thread(target=lambda: ended.append(run.finish(child)))
            feeder.start()
            got = b""
            while len(got) < count and (piece := os.read(reader, count - len(got))):
                got += piece
            os.close(reader)
            feeder.join()
            outcome = dataclasses.replace(ended[0], output=got)
            # What is small is in the pipe before its reader is gone.
            if outcome.status == DONE and job.name == "check":
                return DONE
            return run.judge(outcome, {-signal.SIGPIPE}).status

    matrix.section("the reader of the pipe goes away after 0 … 600 KiB",
                   [lambda job=job, count=count: closed(job, count) for job in printing
                    for count in (0, 1, 4096, 65_536, 300_000, 600_000)], 12)

    def full(job: Job) -> int:
        with Run(matrix.bench, job) as run, open("/dev/full", "wb") as device:
            return run.judge(run.finish(run.start(stdout=device)), {SYSTEM}).status

    def full_by_name(job: Job) -> int:
        named = dataclasses.replace(
            job, makes={}, arguments=tuple("/dev/full" if word == "out" else word for word in job.arguments))
        return matrix.plain_run(named, {SYSTEM})

    into_files = [job for job in matrix.jobs() if job.makes and not job.name.startswith("keygen") and not job.is_named
                  and not job.is_there]
    matrix.section("`/dev/full` as standard output and after `-o`",
                   [lambda job=job: full(job) for job in printing]
                   + [lambda job=job: full_by_name(job) for job in into_files], 12)


def signals(matrix: Matrix) -> None:
    jobs = [job for job in matrix.jobs("check") if not job.is_named]
    took = {}

    def case(job: Job, number: int, share: float):
        with Run(matrix.bench, job) as run:
            child = run.start()
            killer = threading.Timer(share * took[job.name], child.send_signal, [number])
            killer.start()
            outcome = run.finish(child)
            killer.cancel()
            # One that comes after the file has its name is too late to matter, and may still be the one that ends us.
            run.judge(outcome, {DONE, normal_status(job), -number}, was_cut=True)
            if number != signal.SIGKILL:
                left = [name for name in os.listdir(run.out) if name not in job.makes]
                if left:
                    raise Fault(f"{job.name}: {left} is left after signal {number}")
            return outcome.status

    for job in jobs:
        start = time.monotonic()
        matrix.plain_run(job, {normal_status(job)})
        took[job.name] = time.monotonic() - start
    for number, count in ((signal.SIGKILL, 200), (signal.SIGTERM, 200), (signal.SIGINT, 200)):
        matrix.section(f"{number.name} at a random moment",
                       [lambda c=(matrix.random.choice(jobs), number, matrix.random.random() * 1.1): case(*c)
                        for _ in range(count)], 20 if number == signal.SIGKILL else 10)


def inputs(matrix: Matrix) -> None:
    bench = matrix.bench
    opening = ("decrypt", "--key", bench.file("key.pem"))
    tiny = bench.videos["tiny"]

    def cut(name: str, end: int, is_piped: bool) -> int:
        text = bench.before[name][:end]
        # A line feed at the end is not part of the document.
        statuses = {DONE} if text.rstrip() == bench.before[name].rstrip() else {REFUSED}
        if is_piped:
            return matrix.plain_run(Job("a payload cut off", opening, prints=tiny, reads=text or b" "), statuses)
        with Run(bench, Job("a payload cut off", opening + ("-o", "out", "../payload"), {"out": tiny.__eq__})) as run:
            store(os.path.join(run.folder, "payload"), text)
            return run.judge(run.finish(run.start()), statuses).status

    matrix.section("a payload cut off after each of its bytes",
                   [lambda c=(name, end, is_piped): cut(*c) for name in ("tiny.json", "tiny.vendor.json")
                    for end in range(len(bench.before[name])) for is_piped in (False, True)], 150)

    matrix.section("damaged payloads with marked content: nothing of it in any message",
                   [lambda seed=seed: damaged(bench, seed) for seed in range(1000)], 60)

    authentic = [bench.videos["video"], bench.videos["other"]]

    def changing(name: str, other: str, number: int, to_pipe: bool) -> object:
        """The payload becomes another one before its Nth read."""
        out = () if to_pipe else ("-o", "out")
        job = Job("a payload that changes", opening + out + ("../payload",), {} if to_pipe else {"out": None},
                  prints=authentic[0] if to_pipe else None)
        with Run(bench, job) as run:
            payload, mark = os.path.join(run.folder, "payload"), os.path.join(run.folder, "mark")
            store(payload, bench.before[name])
            environment = {"LD_PRELOAD": bench.library, "FAULT_SWAP_MARK": mark,
                           "FAULT_SWAP": f"{number}:{payload}:{bench.file(other)}"}
            outcome = run.finish(run.start(environment=environment))
            run.judge(outcome, {DONE, REFUSED, SYSTEM}, released=lambda content: content in authentic)
            return outcome.status if os.path.exists(mark) else "not changed in time"

    store(bench.file("empty"), b"")
    store(bench.file("half"), bench.before["video.json"][: 400 * KIB])
    kinds = [("video.json", other) for other in ("other.json", "changed.json", "empty", "half", "video.vendor.json")]
    kinds += [("video.vendor.json", other) for other in ("other.vendor.json", "empty", "half", "video.json")]
    matrix.section("a payload replaced in place before its Nth read",
                   [lambda c=(*kind, number, to_pipe): changing(*c) for kind in kinds for number in range(1, 9)
                    for to_pipe in (False, True)], 40)

    def race(name: str, other: str, to_pipe: bool) -> object:
        """Another process writes over the payload all the time."""
        out = () if to_pipe else ("-o", "out")
        job = Job("a payload that races", opening + out + ("../payload",), {} if to_pipe else {"out": None},
                  prints=authentic[0] if to_pipe else None)
        with Run(bench, job) as run:
            payload, stop = os.path.join(run.folder, "payload"), threading.Event()
            store(payload, bench.before[name])

            def write() -> None:
                with open(payload, "r+b", buffering=0) as file:
                    while not stop.is_set():
                        for text in (bench.before[other], bench.before[name]):
                            for start in range(0, len(text), 64 * KIB):
                                os.pwrite(file.fileno(), text[start : start + 64 * KIB], start)

            writer = threading.Thread(target=write)
            writer.start()
            try:
                outcome = run.finish(run.start())
            finally:
                stop.set()
                writer.join()
            run.judge(outcome, {DONE, REFUSED, SYSTEM}, released=lambda content: content in authentic)
            return outcome.status

    matrix.section("a payload that another process writes over meanwhile",
                   [lambda c=(name, other, to_pipe): race(*c) for _ in range(25) for to_pipe in (False, True)
                    for name, other in (("video.json", "other.json"), ("video.vendor.json", "other.vendor.json"),
                                        ("video.json", "video.vendor.json"))], 12)


def damaged(bench: Bench, seed: int) -> int:
    """A payload whose photo and plain video are marked, with a few faults, given to any verb that reads payloads."""
    number = random.Random(seed)
    fields = {"orderNo": ORDER, "userImageString": PHOTO_MARK * 20, "userVideoString": VIDEO_MARK * 20}
    if number.random() < 0.3:
        fields["videoEncryptAESKey"] = VIDEO_MARK * 3
    encode = evidence_v1.base64.b64encode
    text = bytearray(json.dumps(
        {name: value if isinstance(value, str) else (value if number.random() < 0.2 else encode(value)).decode()
         for name, value in fields.items()}, separators=(",", ":")).encode())
    for _ in range(number.randrange(4)):
        place = number.randrange(len(text))
        kind = number.randrange(4)
        if kind == 0:
            text[place] = number.randrange(256)
        elif kind == 1:
            del text[place : place + number.randrange(1, 9)]
        elif kind == 2:
            text[place:place] = number.choice([b'"', b"\\", b"{", b"\0", b",", b"\\ud800", VIDEO_MARK])
        else:
            del text[place:]
        if not text:
            break
    verb = number.choice([
        ("decrypt", "--key", bench.file("key.pem")), ("decrypt", "--plain"), ("inspect",), ("inspect", "--json"),
        ("decrypt", "--field", "userImageString"), ("diagnose", "--key", bench.file("key.pem")), bench.checking,
        ("rewrap", "--key", bench.file("key.pem"), "--public", bench.file("new.pub"))])
    done = subprocess.run([bench.tool, *verb], input=bytes(text), capture_output=True)
    said = done.stderr if verb[0] == "decrypt" or verb[0] == "rewrap" else done.stderr + done.stdout
    if done.returncode not in (DONE, REFUSED):
        raise Fault(f"{verb}: status {done.returncode}, {said!r}")
    for mark in (VIDEO_MARK, PHOTO_MARK):
        ring = encode(mark * 2)
        if mark in said or any(ring[i : i + 10] in said for i in range(len(ring) // 2)):
            raise Fault(f"{verb}, seed {seed}: content is in a message: {said!r}")
    return done.returncode


# --- Folders and disks ------------------------------------------------------------------------------


def spools(matrix: Matrix) -> None:
    bench = matrix.bench
    job = bench.jobs["decrypt to a pipe, spool"]
    missing = os.path.join(bench.folder, "missing")

    matrix.section("`TMPDIR` missing, a file, full of a file's size limit; no `TMPDIR`",
                   [lambda: matrix.plain_run(job, {SYSTEM}, environment={"TMPDIR": missing}),
                    lambda: matrix.plain_run(job, {SYSTEM}, environment={"TMPDIR": bench.file("key.pem")}),
                    lambda: matrix.plain_run(job, {SYSTEM}, ["prlimit", "--fsize=1000000"]),
                    lambda: matrix.plain_run(job, {DONE}, environment={"TMPDIR": ""})], 4)

    def sealed_only(job: Job) -> object:
        with Run(bench, job) as run:
            log = os.path.join(run.folder, "log")
            # With a umask of 0, what is asked for shows in the mode.
            environment = {"LD_PRELOAD": bench.library, "FAULT_SPOOL": f"{run.spool}:{log}"}
            outcome = run.judge(run.finish(run.start(environment=environment, umask=0)), {DONE})
            spooled = contents(log)
            pieces = re.split(rb"\nnames (\d+) mode (\d+)\n", spooled)[1:]
            if {tuple(pieces[i : i + 2]) for i in range(0, len(pieces), 3)} != {(b"0", b"600")}:
                raise Fault("a spool has a name, or another mode than 600")
            text = b"".join(pieces[2::3])
            if len(text) < 8 * MIB or text not in bench.before["large.vendor.json"]:
                raise Fault("a spool has something else than sealed characters")
            return outcome.status

    matrix.section("what a spool holds is sealed, nameless, mode 600", [lambda: sealed_only(job)], 1)


def modes(matrix: Matrix) -> None:
    def case(job: Job, umask: int) -> int:
        with Run(matrix.bench, job) as run:
            outcome = run.judge(run.finish(run.start(umask=umask)), {DONE})
            for name in job.makes:
                mode = stat.S_IMODE(os.stat(os.path.join(run.out, name)).st_mode)
                wanted = 0o600 if job.is_private and name != "pub" else 0o666 & ~umask
                if mode != wanted:
                    raise Fault(f"{job.name}, umask {umask:03o}: {name} has mode {mode:o}, not {wanted:o}")
            return outcome.status

    making = [job for job in matrix.jobs() if job.makes and not job.is_named and normal_status(job) == DONE]
    matrix.section("umask 000, 077: private files have mode 600, others what the umask says",
                   [lambda job=job, umask=umask: case(job, umask) for job in making for umask in (0, 0o077)], 10)

    def refused(job: Job, umask: int) -> int:
        # What has mode 000 can be written through the descriptor that made it.
        return matrix.plain_run(job, {DONE, SYSTEM}, umask=umask)

    matrix.section("umask 777", [lambda job=job: refused(job, 0o777) for job in making], 4)


def privacy(matrix: Matrix) -> None:
    """No secret in the arguments, the environment or a core."""
    bench = matrix.bench

    def case(job: Job) -> int:
        with Run(bench, job) as run:
            child = run.start(["strace", "-f", "-qq", "-o", run.trace, "-s", "65536", "-e",
                               "trace=execve,prlimit64,sendto,sendmsg,socket,connect"])
            outcome = run.judge(run.finish(child), {normal_status(job)})
            trace = contents(run.trace)
            if b"RLIMIT_CORE, {rlim_cur=0, rlim_max=0}" not in trace:
                raise Fault(f"{job.name}: cores are not switched off")
            if trace.count(b"execve(") != 1 or re.search(rb"socket\(|connect\(|send", trace):
                raise Fault(f"{job.name}: starts a program, or talks to somebody: {trace[:300]!r}")
            if any(secret in trace for secret in secrets(bench)):
                raise Fault(f"{job.name}: a secret is in its arguments or its environment")
            return outcome.status

    matrix.section("no secret in argv or environment, no program started, no socket, no core",
                   [lambda job=job: case(job) for job in matrix.jobs() if not job.is_named], 6)


def order_of_syncs(matrix: Matrix) -> None:
    """A file is synced before it gets its name, and its folder after."""
    bench = matrix.bench

    def case(job: Job) -> int:
        with Run(bench, job) as run:
            wrapper = ["strace", "-f", "-qq", "-y", "-o", run.trace, "-e", "trace=fsync,linkat,renameat,write,openat"]
            outcome = run.judge(run.finish(run.start(wrapper)), {DONE})
            steps = []
            for line in contents(run.trace).decode(errors="replace").splitlines():
                if call := re.search(rf"fsync\(\d+<({re.escape(run.out)}[^>]*)>.*= 0", line):
                    steps.append("folder" if call[1] == run.out else "file")
                elif re.search(rf"write\(\d+<{re.escape(run.out)}/", line):
                    steps.append("write")
                elif "linkat(" in line or "renameat(" in line:
                    steps.append("name")
            text = " ".join(steps)
            pattern = r"(write )+file name (name )?folder"
            if not re.fullmatch(f"{pattern}( {pattern})?", text):
                raise Fault(f"{job.name}: synced and named in the wrong order: {text}")
            return outcome.status

    matrix.section("a file is synced before it gets its name, its folder after",
                   [lambda job=job: case(job) for job in matrix.jobs()
                    if job.makes and not job.is_named and normal_status(job) == DONE], 8)


def mounted(bench: Bench, options, source="none", kind="tmpfs"):
    """A mount that is undone, or `None` where there can be none."""
    path = os.path.join(bench.folder, f"mount{next(bench.counter)}")
    os.mkdir(path)
    done = subprocess.run(["mount", "-t", kind, "-o", options, source, path], stderr=subprocess.DEVNULL)
    return path if done.returncode == 0 else None


def unmount(path: str) -> None:
    for _ in range(50):
        if subprocess.run(["umount", path], stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.1)
    subprocess.run(["umount", "-l", path])


def disks(matrix: Matrix) -> None:
    bench = matrix.bench
    try:
        probe = mounted(bench, "size=64k")
    except FileNotFoundError:
        probe = None
    if not probe:
        print("| full disks, read-only folders | left out: this process cannot mount | | |")
        return
    unmount(probe)
    writing = [job for job in matrix.jobs() if job.makes and not job.is_named]

    def full(job: Job, kib: int) -> int:
        path = mounted(bench, f"size={kib}k,mode=755")
        try:
            return matrix.plain_run(job, {normal_status(job), SYSTEM}, out=path)
        finally:
            unmount(path)

    matrix.section("a disk of 8 … 700 KiB that gets full",
                   [lambda c=(job, kib): full(*c) for job in writing if job.there == OLD
                    for kib in (8, 64, 300, 600, 700)], 12)

    def full_spool(kib: int) -> int:
        path = mounted(bench, f"size={kib}k")
        try:
            with Run(bench, bench.jobs["decrypt to a pipe, spool"], spool=path) as run:
                return run.judge(run.finish(run.start()), {SYSTEM}).status
        finally:
            unmount(path)

    matrix.section("a full disk under the spool", [lambda kib=kib: full_spool(kib) for kib in (4, 500, 8000)], 2)

    def read_only(job: Job) -> int:
        path = mounted(bench, "size=4m,mode=755")
        try:
            if job.is_there:
                store(os.path.join(path, "out"), job.there)
            subprocess.run(["mount", "-o", "remount,ro", path], check=True)
            with Run(bench, dataclasses.replace(job, is_there=False), out=path) as run:
                run.job = job
                return run.judge(run.finish(run.start()), {normal_status(job), SYSTEM} - {DONE}).status
        finally:
            unmount(path)

    matrix.section("a folder on a read-only disk", [lambda job=job: read_only(job) for job in writing], 4)

    def forbidden(job: Job) -> int:
        with Run(bench, job) as run:
            os.chmod(run.folder, 0o755)
            os.chmod(run.out, 0o555)
            outcome = run.finish(run.start(user=65534, group=65534))
            return run.judge(outcome, {normal_status(job), SYSTEM} - {DONE}).status

    for name in os.listdir(bench.inputs):
        os.chmod(bench.file(name), 0o644)
    matrix.section("a folder that this user may not write to", [lambda job=job: forbidden(job) for job in writing], 4)


def power_cuts(matrix: Matrix) -> None:
    """A disk that stops at once, and is mounted again: what was reported as done must be there."""
    bench = matrix.bench
    image = os.path.join(bench.folder, "disk")
    shutdown, without_flushing = 0x8004587D, struct.pack("I", 2)

    def fresh():
        with open(image, "wb") as file:
            file.truncate(24 * MIB)
        if subprocess.run(["mkfs.ext4", "-q", "-F", image], stderr=subprocess.DEVNULL).returncode != 0:
            return None
        return mounted(bench, "loop,noatime,commit=300", image, "ext4")

    def cut(path: str) -> None:
        number = os.open(path, os.O_RDONLY)
        try:
            fcntl.ioctl(number, shutdown, without_flushing)
        finally:
            os.close(number)

    try:
        path = fresh()
        if path:
            try:
                cut(path)
            finally:
                unmount(path)
    except OSError:
        path = None
    if not path:
        print("| power cuts | left out: no loop mounts of ext4 that can be shut down here | | |")
        return

    def case(job: Job, share: float) -> object:
        path = fresh()
        out = os.path.join(path, "folder")
        os.mkdir(out)
        try:
            with Run(bench, job, out=out) as run:
                os.sync()
                child = run.start()
                if share < 1:
                    time.sleep(share * took[job.name])
                else:
                    outcome = run.finish(child)
                cut(path)
                if share < 1:
                    outcome = run.finish(child)
                unmount(path)
                subprocess.run(["mount", "-o", "loop", image, path], check=True)
                # A status of 0 is a promise; a cut run may have left a whole file, or a part of one without its name.
                run.judge(outcome, {DONE, SYSTEM}, was_cut=True)
                return outcome.status
        finally:
            unmount(path)

    took = {}
    names = ("decrypt", "decrypt, --force", "encrypt", "encrypt, --force", "rewrap", "keygen")
    jobs = [bench.jobs[name] for name in names]
    for job in jobs:
        start = time.monotonic()
        matrix.plain_run(job, {DONE})
        took[job.name] = time.monotonic() - start
    cases = [(job, 1.0) for job in jobs for _ in range(8)] + [
        (job, matrix.random.random()) for job in jobs for _ in range(16)]
    count = len(cases) if matrix.is_long else 8
    ends = {}
    start = time.monotonic()
    for one in matrix.random.sample(cases, count):
        end = case(*one)
        ends[end] = ends.get(end, 0) + 1
    worded = ", ".join(f"{ends[end]} × {word(end)}" for end in sorted(ends))
    print(f"| power cut (ext4 shut down without flushing, mounted again) | {count} | {worded} | "
          f"{time.monotonic() - start:.0f} |")


def main() -> None:
    is_long = "--long" in sys.argv
    tool = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(tool, folder)
        bench.calls, bench.nameless = {}, {}
        for job in bench.jobs.values():
            bench.calls[job.name], bench.nameless[job.name] = traced(bench, job)
        matrix = Matrix(bench, is_long)
        print("| fault | runs | they ended | s |\n| --- | --- | --- | --- |")
        jobs = matrix.jobs()
        matrix.section("none", [lambda job=job: matrix.plain_run(job, {normal_status(job)}) for job in jobs], len(jobs))
        for part in (order_of_syncs, modes, privacy, spools, limits, descriptors, short_calls, stuck, pipes, signals,
                     inputs, disks, power_cuts):
            part(matrix)
        system_calls(matrix, 12)
        for name, content in bench.before.items():
            assert contents(bench.file(name)) == content, f"{name} was changed"


if __name__ == "__main__":
    main()
