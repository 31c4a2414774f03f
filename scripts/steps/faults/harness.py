# SPDX-License-Identifier: Apache-2.0
"""How a run is made to fail, and how it is judged; how rows of runs are counted.

What makes runs fail: strace (`Run.strace`), preload.c (`Bench.library`), `prlimit` and the like before the command, signals
while it runs, and disks.py.
"""

import concurrent.futures
import dataclasses
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time

from jobs import DONE, REFUSED, SYSTEM, USAGE, VIDEO_MARK, Inputs, Job, contents, make_jobs, store

# How a process ends that gets no memory where it cannot do without: ILL, TRAP, ABRT, SEGV.
CRASHES = {-signal.SIGILL, -signal.SIGTRAP, -signal.SIGABRT, -signal.SIGSEGV}


class Fault(Exception):
    """What must never happen."""


class Accusation(Fault):
    """A message or a verdict that blames what was given, though it was the system that failed."""


# What a message says that blames payload, key, passphrase, sign or sender. "exists" and the like are about the system.
BLAMES = re.compile(
    rb"changed|altered|damaged|does not fit|does not open|does not hold|refused|fails|cut off|not a |no valid|not valid"
    rb"|too weak|is needed|belong together|another key|wrapped for|wrong|not that of|not written as|not JSON|must be|does not belong"
    rb"|differs from the one")


@dataclasses.dataclass
class Outcome:
    status: int
    output: bytes
    errors: bytes


# What docs/LIMITATIONS.md owns up to: after one failed allocation OpenSSL 3.0 may leave a part of a key out for good.
UNNOTED = ["the key is not valid DER", "its DER does not parse", "the PEM is damaged between"]


# How long a row goes on beginning runs. The longest have a hundred thousand, in random order.
ROW_SECONDS = 900


def in_time(start: float, case, *one):
    """What the case returns; None where the time of its row is over."""
    return None if time.monotonic() - start > ROW_SECONDS else case(*one)


class Bench:
    """The tool, the inputs, the jobs, and the folder in which they run."""

    def __init__(self, tool: str, folder: str, is_long: bool):
        self.tool, self.folder, self.is_long = tool, folder, is_long
        self.accusations = []
        # Other users get through, too.
        os.chmod(folder, 0o711)
        self.random = random.Random(8)
        self.library = os.path.join(folder, "preload.so")
        compiler = shutil.which("cc") or shutil.which("clang") or "cc"
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "preload.c")
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", self.library, source, "-ldl"], check=True)
        self.inputs = Inputs(tool, os.path.join(folder, "in"))
        self.jobs = {job.name: job for job in make_jobs(self.inputs)}
        self.calls, self.nameless = {}, {}
        for job in self.jobs.values():
            self.calls[job.name], self.nameless[job.name] = self.traced(job)
        every = self.jobs.values()
        self.spooling = [job for job in every if "spool" in job.name and not job.is_named]
        # Between them they read every kind of key, and judge everything that there is to be judged.
        self.allocating = [self.jobs[name] for name in (
            "decrypt", "decrypt, passphrase", "encrypt", "rewrap", "check", "verify", "diagnose")]
        # Those that another tracer can run, that print, that write files, that make their files when nothing fails.
        self.direct = [job for job in every if not job.is_named]
        self.printing = [job for job in every if job.prints is not None]
        self.writing = [job for job in self.direct if job.makes]
        self.making = [job for job in self.writing if job.normal_status == DONE]

    def traced(self, job: Job):
        """For each system call, which numbers it has between the start of our own code and the end, in any of the
        threads; and the number of the `openat` that asks for a nameless file."""
        counts, ours, nameless = {}, {}, 0
        has_begun = False
        with Run(self, dataclasses.replace(job, is_named=False)) as run:
            run.finish(run.start(["strace", "-f", "-qq", "-o", run.trace]))
            trace = contents(run.trace).decode(errors="replace")
        for line in trace.splitlines():
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
        return ours, nameless

    def row(self, name: str, short: int, case, arguments, workers: int = 3) -> None:
        """Runs the case with each of the arguments, or with as many as the short form takes; counts how they ended."""
        arguments = list(arguments)
        total = len(arguments)
        if self.is_long or total > short:
            arguments = self.random.sample(arguments, total if self.is_long else short)
        start, ends, accusations = time.monotonic(), {}, []
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for future in [pool.submit(in_time, start, case, *one) for one in arguments]:
                try:
                    if (end := future.result()) is None:
                        continue
                except Accusation as accusation:
                    if any(words in str(accusation) for words in UNNOTED):
                        end = "accused where OpenSSL noted nothing"
                        ends[end] = ends.get(end, 0) + 1
                        continue
                    # Counted, not just met: the run goes on, and fails in the end.
                    accusations.append(f"{name}: {accusation}")
                    end = "FALSELY ACCUSED"
                ends[end] = ends.get(end, 0) + 1
        worded = ", ".join(f"{ends[end]} × {word(end)}" for end in sorted(ends, key=str))
        count = sum(ends.values())
        print(f"| {name} | {count}{'' if count == total else f' of {total}'} | {worded} | "
              f"{time.monotonic() - start:.0f} |", flush=True)
        # Also where the rows to come take an hour, and somebody waits for them.
        print("\n".join(accusations), end="\n" if accusations else "", flush=True)
        self.accusations += accusations

    def run(self, job: Job, statuses, wrapper=(), seconds=120, was_cut=False, out="", spool="", **options) -> int:
        """One run that fails for what stands around it."""
        with Run(self, job, out, spool) as run:
            return run.judge(run.finish(run.start(wrapper, **options), seconds), statuses, was_cut)

    def seconds(self, job: Job) -> float:
        """How long it takes when nothing fails."""
        start = time.monotonic()
        self.run(job, {job.normal_status})
        return time.monotonic() - start


def word(end) -> str:
    if not isinstance(end, int):
        return end
    if end < 0:
        return signal.Signals(-end).name
    return {0: "done", 1: "refused (1)", 2: "usage (2)", 3: "cannot read or write (3)"}.get(end, f"status {end}")


class Run:
    """A fresh folder, with a folder for temporary files beside it, gone afterwards."""

    def __init__(self, bench: Bench, job: Job, out: str = "", spool: str = ""):
        self.bench, self.job = bench, job
        self.folder = tempfile.mkdtemp(dir=bench.folder)
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

    def start(self, wrapper=(), environment=None, stdout=subprocess.PIPE, **options) -> subprocess.Popen:
        if self.job.is_named:
            wrapper = wrapper or self.strace()
        given = {"PATH": os.environ["PATH"], "TMPDIR": self.spool, **(environment or {})}
        return subprocess.Popen(
            [*wrapper, self.bench.tool, *self.job.arguments], cwd=self.out, env=given, stdout=stdout,
            stdin=subprocess.PIPE if self.job.reads else subprocess.DEVNULL, stderr=subprocess.PIPE, **options)

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
        return Outcome(child.returncode, output or b"", errors)

    def judge(self, outcome: Outcome, statuses, was_cut=False, may_be_made=False, released=None) -> int:
        """Holds the outcome to all that must be true after any fault; its status.

        `was_cut`: the process was ended before it could clean up. `may_be_made`: a whole file may be there although
        the run failed. `released`: what else than the job's own content is intact.
        """
        self.outcome = outcome
        if SYSTEM in statuses and REFUSED not in statuses:
            self.judge_blame()
        self.insist(outcome.status in statuses, f"status is none of {sorted(statuses)}")
        self.judge_folders(was_cut)
        for name, is_right in self.job.makes.items():
            self.judge_file(name, released or is_right, was_cut or may_be_made)
        are_there = {os.path.lexists(os.path.join(self.out, name)) for name in self.job.makes}
        self.insist(was_cut or len(are_there) < 2, "of two files one is there")
        self.judge_output(released)
        self.judge_messages()
        return outcome.status

    def judge_blame(self) -> None:
        """Only the system failed: nothing may be said against what was given."""
        # OpenSSL's own reasons are about what it tried, not about who is to blame.
        said = re.sub(rb"\(OpenSSL: [^)]*\)", b"", self.outcome.errors)
        said += (self.outcome.output if self.job.judges else b"")
        status = self.outcome.status
        if status != self.job.normal_status and (status in (REFUSED, USAGE) or status == SYSTEM and BLAMES.search(said)):
            raise Accusation(f"{self.job.name}: status {self.outcome.status}, {said[:600]!r}")

    def insist(self, holds: bool, what: str) -> None:
        if not holds:
            raise Fault(f"{self.job.name}: {what}; status {self.outcome.status}, {self.outcome.errors[-300:]!r}, "
                        f"{os.listdir(self.out)}")

    def insist_on_private(self, name: str) -> None:
        mode = stat.S_IMODE(os.lstat(os.path.join(self.out, name)).st_mode)
        self.insist(mode & ~0o600 == 0 or not self.job.is_private, f"{name} has mode {mode:o}")

    def judge_folders(self, was_cut: bool) -> None:
        for name in set(os.listdir(self.out)) - set(self.job.makes):
            self.insist(was_cut and name.startswith(".evidence-"), f"{name} is left")
            self.insist_on_private(name)
        self.insist(not os.listdir(self.spool), "the spool is left")

    def judge_file(self, name: str, is_right, may_be_made: bool) -> None:
        job, is_done = self.job, self.outcome.status == DONE
        path = os.path.join(self.out, name)
        content = contents(path) if os.path.lexists(path) else None
        if content == (job.there if job.is_there else None):
            return self.insist(not is_done, f"{name} is not made")
        self.insist(content is not None, f"{name} is gone")
        self.insist(is_done or may_be_made, f"{name} is there")
        self.insist(not job.is_there or job.is_replacing, f"{name} is replaced")
        self.insist(is_right(content), f"{name} is not right")
        if name != "pub":
            self.insist_on_private(name)

    def judge_output(self, released) -> None:
        wanted, output, is_done = self.job.prints, self.outcome.output, self.outcome.status == DONE
        if wanted is None:
            self.insist(output == b"", "something is on standard output")
        elif callable(wanted):
            self.insist(not is_done or wanted(output), "standard output is not right")
            self.insist(VIDEO_MARK not in output, "plaintext is on standard output")
        elif released:
            self.insist(output == b"" or released(output), "released what is not intact")
        elif is_done:
            self.insist(output == wanted, "standard output is not right")
        else:
            self.insist(wanted.startswith(output), "released what is not intact")

    def judge_messages(self) -> None:
        errors = self.outcome.errors
        for secret in self.bench.inputs.secrets:
            self.insist(secret not in errors, "a secret is in a message")
        if self.outcome.status in (REFUSED, USAGE, SYSTEM):
            are_ours = all(line.startswith("evidence-tool: ") for line in errors.decode().splitlines())
            self.insist(are_ours, "a message is not ours")
