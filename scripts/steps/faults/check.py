# SPDX-License-Identifier: Apache-2.0
"""What happens to the release build when the system fails it: the faults of docs/SECURITY-TESTS.md, row by row.

`check.py TOOL [--long] [ROW…]` runs a part of each row, in under a minute in all; with `--long` as much as a quarter
of an hour takes; or those rows alone, whose names `check.py --list` prints. After each run: the output
is absent, or whole and right; what was there is untouched; nothing is left behind; the exit status is right; standard
output has verified bytes alone, and standard error no secret (`Run.judge` in harness.py).

Needs strace and a C compiler; mounts (full disks, read-only folders, power cuts) need root, and are left out with a
message where they are not to be had.
"""

import base64
import dataclasses
import json
import os
import random
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from itertools import product

from disks import UNAVAILABLE, mounted, new_disk
from harness import CRASHES, Bench, Fault, Run
from jobs import (DONE, KIB, MIB, OLD, ORDER, PHOTO_MARK, REFUSED, SYSTEM, VIDEO_MARK, Job, contents, store)


def main() -> None:
    every = {rows.__name__: rows for rows in (
        nothing, syncs, modes, privacy, spools, limits, descriptors, short_calls, stuck, pipes, signals, damaged_payloads,
        changing_payloads, disks, power_cuts, system_calls, randomness, algorithms, memory)}
    if sys.argv[1] == "--list":
        return print("\n".join(every))
    tool = os.path.abspath(sys.argv[1])
    wanted = [word for word in sys.argv[2:] if word != "--long"] or list(every)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(tool, folder, is_long="--long" in sys.argv)
        print("| fault | runs | they ended | s |\n| --- | --- | --- | --- |")
        for name in wanted:
            every[name](bench)
        for name, content in bench.inputs.before.items():
            assert contents(bench.inputs.file(name)) == content, f"{name} was changed"
    print(f"\nfalse accusations: {len(bench.accusations)}")
    if bench.accusations:
        sys.exit("\n".join(bench.accusations))


def nothing(bench: Bench) -> None:
    bench.row("none", len(bench.jobs), lambda job: bench.run(job, {job.normal_status}), product(bench.jobs.values()))


# --- What a run that does not fail shows --------------------------------------------------------------


def syncs(bench: Bench) -> None:
    if os.geteuid() != 0:
        # The command lets no other process of its user see its descriptors.
        return print("left out without root: the order of syncs", flush=True)

    def case(job: Job) -> int:
        with Run(bench, job) as run:
            wrapper = ["strace", "-f", "-qq", "-y", "-o", run.trace, "-e", "trace=fsync,linkat,renameat,write,openat"]
            status = run.judge(run.finish(run.start(wrapper)), {DONE})
            steps = []
            for line in contents(run.trace).decode(errors="replace").splitlines():
                if call := re.search(rf"fsync\(\d+<({re.escape(run.out)}[^>]*)>.*= 0", line):
                    steps.append("folder" if call[1] == run.out else "file")
                elif re.search(rf"write\(\d+<{re.escape(run.out)}/", line):
                    steps.append("write")
                elif "linkat(" in line or "renameat(" in line:
                    steps.append("name")
        text = " ".join(steps)
        # Of two files, both are synced before either has its name.
        if not re.fullmatch(r"((write )+file )+name (name )?folder( name (name )?folder)*", text):
            raise Fault(f"{job.name}: synced and named in the wrong order: {text}")
        return status

    bench.row("a file is synced before it gets its name, its folder after", 8, case, product(bench.making))


def modes(bench: Bench) -> None:
    def case(job: Job, umask: int) -> int:
        with Run(bench, job) as run:
            status = run.judge(run.finish(run.start(umask=umask)), {DONE})
            for name in job.makes:
                mode = stat.S_IMODE(os.stat(os.path.join(run.out, name)).st_mode)
                wanted = 0o600 if job.is_private and name != "pub" else 0o666 & ~umask
                if mode != wanted:
                    raise Fault(f"{job.name}, umask {umask:03o}: {name} has mode {mode:o}, not {wanted:o}")
        return status

    bench.row("umask 000, 077: private files have mode 600, others what the umask says", 10, case,
              product(bench.making, (0, 0o077)))
    # What has mode 000 can be written through the descriptor that made it.
    bench.row("umask 777", 4, lambda job: bench.run(job, {DONE, SYSTEM}, umask=0o777), product(bench.making))


def privacy(bench: Bench) -> None:
    def case(job: Job) -> int:
        with Run(bench, job) as run:
            wrapper = ["strace", "-f", "-qq", "-o", run.trace, "-s", "65536", "-e",
                       "trace=execve,prlimit64,sendto,sendmsg,socket,connect"]
            status = run.judge(run.finish(run.start(wrapper)), {job.normal_status})
            trace = contents(run.trace)
        if b"RLIMIT_CORE, {rlim_cur=0, rlim_max=0}" not in trace:
            raise Fault(f"{job.name}: cores are not switched off")
        if trace.count(b"execve(") != 1 or re.search(rb"socket\(|connect\(|send", trace):
            raise Fault(f"{job.name}: starts a program, or talks to somebody: {trace[:300]!r}")
        if any(secret in trace for secret in bench.inputs.secrets):
            raise Fault(f"{job.name}: a secret is in its arguments or its environment")
        return status

    bench.row("no secret in argv or environment, no program started, no socket, no core", 6, case,
              product(bench.direct))


def spools(bench: Bench) -> None:
    job = bench.jobs["decrypt to a pipe, spool"]
    missing, file = os.path.join(bench.folder, "missing"), bench.inputs.file("key.pem")
    bench.row("`TMPDIR` missing, a file, full of a file's size limit; no `TMPDIR`", 4,
              lambda statuses, options: bench.run(job, statuses, **options),
              [({SYSTEM}, {"environment": {"TMPDIR": missing}}), ({SYSTEM}, {"environment": {"TMPDIR": file}}),
               ({SYSTEM}, {"wrapper": ["prlimit", "--fsize=1000000"]}), ({DONE}, {"environment": {"TMPDIR": ""}})])

    def sealed_only(job: Job) -> int:
        with Run(bench, job) as run:
            log = os.path.join(run.folder, "log")
            # With a umask of 0, what is asked for shows in the mode.
            environment = {"LD_PRELOAD": bench.library, "FAULT_SPOOL": f"{run.spool}:{log}"}
            status = run.judge(run.finish(run.start(environment=environment, umask=0)), {DONE})
            pieces = re.split(rb"\nnames (\d+) mode (\d+)\n", contents(log))[1:]
        if {tuple(pieces[i : i + 2]) for i in range(0, len(pieces), 3)} != {(b"0", b"600")}:
            raise Fault("a spool has a name, or another mode than 600")
        held = b"".join(pieces[2::3])
        given = job.reads or contents(job.arguments[-1])
        # Neither the payload's characters nor what they stand for.
        marks = [given[place : place + 12] for place in range(200, len(given), 200_000)] + [VIDEO_MARK, PHOTO_MARK]
        if len(held) < 6 * MIB or any(mark in held for mark in marks):
            raise Fault(f"{job.name}: a spool has something else than what was sealed for it")
        return status

    bench.row("what a spool holds is sealed under a key of its own, nameless, mode 600", 2, sealed_only,
              product(bench.spooling))


# --- What the system refuses --------------------------------------------------------------------------


def limits(bench: Bench) -> None:
    def limited(option: str, *statuses: int, was_cut: bool = False):
        return lambda job, value: bench.run(
            job, {job.normal_status, SYSTEM, *statuses}, ["prlimit", f"--{option}={value}"], was_cut=was_cut)

    sizes = [0, 1, 100, 4095, 4096, 65_536, 262_144, 500_000, 699_999, 716_799]
    bench.row("file size limited (`RLIMIT_FSIZE`) to 0 … 700 KiB", 16, limited("fsize"), product(bench.writing, sizes))
    # Below a handful of descriptors, and with little memory, not even the loader can work: 127.
    bench.row("no descriptor to be had (`RLIMIT_NOFILE` 3 … 14)", 20, limited("nofile", 127),
              product(bench.direct, range(3, 15)))
    bench.row("little memory (`RLIMIT_AS` 20 … 64 MiB)", 24, limited("as", 127, *CRASHES, was_cut=True),
              product(bench.direct, range(20 * MIB, 65 * MIB, 2 * MIB)))


def descriptors(bench: Bench) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(before[1], 20_000) - 200
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 200, before[1]))
    numbers = [os.open(os.devnull, os.O_RDONLY) for _ in range(count)]
    try:
        bench.row(f"{count} descriptors open already", 4,
                  lambda job: bench.run(job, {job.normal_status}, pass_fds=numbers), product(bench.direct))
    finally:
        for number in numbers:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def short_calls(bench: Bench) -> None:
    def case(job: Job, seed: int) -> int:
        environment = {"LD_PRELOAD": bench.library, "FAULT_SHORT": str(seed)}
        return bench.run(job, {job.normal_status}, environment=environment)

    bench.row("short and interrupted reads and writes, in any mixture", 24, case, product(bench.direct, range(10)))


def stuck(bench: Bench) -> None:
    """A call that moves nothing, again and again, must not be tried for ever."""
    def case(job: Job) -> int:
        with Run(bench, job) as run:
            wrapper = run.strace("-e", "inject=write:retval=0:when=1+", trace="write")
            return run.judge(run.finish(run.start(wrapper), 20), {job.normal_status, SYSTEM} - {DONE})

    bench.row("`write` moves nothing", 4, case, product(bench.direct))


def pipes(bench: Bench) -> None:
    def closed(job: Job, count: int) -> int:
        with Run(bench, job) as run:
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
            if outcome.status == DONE and job.name in ("check", "diagnose", "verify"):
                return DONE
            return run.judge(outcome, {-signal.SIGPIPE})

    bench.row("the reader of the pipe goes away after 0 … 600 KiB", 12, closed,
              product(bench.printing, (0, 1, 4096, 65_536, 300_000, 600_000)))

    def full(job: Job) -> int:
        with open("/dev/full", "wb") as device:
            return bench.run(job, {SYSTEM}, stdout=device)

    def full_by_name(job: Job) -> int:
        arguments = tuple("/dev/full" if word == "out" else word for word in job.arguments)
        return bench.run(dataclasses.replace(job, makes={}, arguments=arguments), {SYSTEM})

    into_files = [job for job in bench.writing if not job.name.startswith("keygen") and not job.is_there]
    bench.row("`/dev/full` as standard output and after `-o`", 12, lambda case, job: case(job),
              [*product([full], bench.printing), *product([full_by_name], into_files)])


def signals(bench: Bench) -> None:
    def case(job: Job, number: int, share: float) -> int:
        with Run(bench, job) as run:
            child = run.start()
            killer = threading.Timer(share * took[job.name], child.send_signal, [number])
            killer.start()
            outcome = run.finish(child)
            killer.cancel()
            # One that comes after the file has its name is too late to matter, and may still be the one that ends us.
            statuses = {DONE, job.normal_status, -number}
            return run.judge(outcome, statuses, was_cut=number == signal.SIGKILL, may_be_made=True)

    jobs = [job for job in bench.direct if job.name != "check"]
    took = {job.name: bench.seconds(job) for job in jobs}
    for number, short in ((signal.SIGKILL, 20), (signal.SIGTERM, 10), (signal.SIGINT, 10)):
        moments = [(bench.random.choice(jobs), number, bench.random.random() * 1.1) for _ in range(200)]
        bench.row(f"{number.name} at a random moment", short, case, moments)


# --- Payloads that are damaged, or change while they are read -----------------------------------------


def damaged_payloads(bench: Bench) -> None:
    inputs = bench.inputs
    opening = ("decrypt", "--key", inputs.file("key.pem"))
    tiny = inputs.videos["tiny"]

    def cut(name: str, end: int, is_piped: bool) -> int:
        text = inputs.before[name][:end]
        # A line feed at the end is not part of the document.
        statuses = {DONE} if text.rstrip() == inputs.before[name].rstrip() else {REFUSED}
        if is_piped:
            return bench.run(Job("a payload cut off", opening, prints=tiny, reads=text or b" "), statuses)
        job = Job("a payload cut off", opening + ("-o", "out", "../payload"), {"out": tiny.__eq__})
        with Run(bench, job) as run:
            store(os.path.join(run.folder, "payload"), text)
            return run.judge(run.finish(run.start()), statuses)

    bench.row("a payload cut off after each of its bytes", 150, cut,
              [(name, end, is_piped) for name in ("tiny.json", "tiny.vendor.json")
               for end in range(len(inputs.before[name])) for is_piped in (False, True)])

    def damaged(seed: int) -> int:
        number = random.Random(seed)
        text = damaged_payload(number)
        verb = number.choice([
            opening, ("extract", "--field", "userVideoString"), ("inspect",), ("inspect", "--json"),
            ("extract", "--field", "userImageString"), ("diagnose", "--key", inputs.file("key.pem")), inputs.checking,
            ("rewrap", "--order-no", ORDER, "--key", inputs.file("key.pem"), "--public", inputs.file("new.pub"))])
        done = subprocess.run([bench.tool, *verb], input=text, capture_output=True)
        said = done.stderr if verb[0] in ("decrypt", "extract", "rewrap") else done.stderr + done.stdout
        if done.returncode not in (DONE, REFUSED):
            raise Fault(f"{verb}: status {done.returncode}, {said!r}")
        for mark in (VIDEO_MARK, PHOTO_MARK):
            ring = base64.b64encode(mark * 2)
            if mark in said or any(ring[i : i + 10] in said for i in range(len(ring) // 2)):
                raise Fault(f"{verb}, seed {seed}: content is in a message: {said!r}")
        return done.returncode

    bench.row("damaged payloads with marked content: nothing of it in any message", 60, damaged, product(range(1000)))


def damaged_payload(number: random.Random) -> bytes:
    """A payload whose photo and plain video are marked, with a few faults."""
    fields = {"orderNo": ORDER, "userImageString": PHOTO_MARK * 20, "userVideoString": VIDEO_MARK * 20}
    if number.random() < 0.3:
        fields["videoEncryptAESKey"] = VIDEO_MARK * 3
    for name, value in fields.items():
        if isinstance(value, bytes):
            fields[name] = (value if number.random() < 0.2 else base64.b64encode(value)).decode()
    text = bytearray(json.dumps(fields, separators=(",", ":")).encode())
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
    return bytes(text)


def changing_payloads(bench: Bench) -> None:
    inputs = bench.inputs
    genuine = [inputs.videos["video"], inputs.videos["other"]]

    def changing(name: str, to_pipe: bool) -> Run:
        """A run that opens a payload of its own, which may become another one meanwhile."""
        opening = ("decrypt", "--key", inputs.file("key.pem"))
        if to_pipe:
            job = Job("a payload that changes", opening + ("../payload",), prints=genuine[0])
        else:
            job = Job("a payload that changes", opening + ("-o", "out", "../payload"), {"out": None})
        run = Run(bench, job)
        store(os.path.join(run.folder, "payload"), inputs.before[name])
        return run

    def judged(run: Run, outcome) -> int:
        return run.judge(outcome, {DONE, REFUSED, SYSTEM}, released=lambda content: content in genuine)

    def replaced(names: tuple, number: int, to_pipe: bool) -> object:
        name, other = names
        with changing(name, to_pipe) as run:
            payload, mark = os.path.join(run.folder, "payload"), os.path.join(run.folder, "mark")
            environment = {"LD_PRELOAD": bench.library, "FAULT_SWAP_MARK": mark,
                           "FAULT_SWAP": f"{number}:{payload}:{inputs.file(other)}"}
            status = judged(run, run.finish(run.start(environment=environment)))
            return status if os.path.exists(mark) else "not changed in time"

    store(inputs.file("empty"), b"")
    store(inputs.file("half"), inputs.before["video.json"][: 400 * KIB])
    pairs = [*product(["video.json"], ["other.json", "changed.json", "empty", "half", "video.vendor.json"]),
             *product(["video.vendor.json"], ["other.vendor.json", "empty", "half", "video.json"])]
    bench.row("a payload replaced in place before its Nth read", 40, replaced,
              product(pairs, range(1, 9), (False, True)))

    def race(_: int, to_pipe: bool, names: tuple) -> int:
        name, other = names
        with changing(name, to_pipe) as run:
            stop = threading.Event()

            def write() -> None:
                with open(os.path.join(run.folder, "payload"), "r+b", buffering=0) as file:
                    while not stop.is_set():
                        for text in (inputs.before[other], inputs.before[name]):
                            for start in range(0, len(text), 64 * KIB):
                                os.pwrite(file.fileno(), text[start : start + 64 * KIB], start)

            writer = threading.Thread(target=write)
            writer.start()
            try:
                outcome = run.finish(run.start())
            finally:
                stop.set()
                writer.join()
            return judged(run, outcome)

    pairs = [("video.json", "other.json"), ("video.vendor.json", "other.vendor.json"),
             ("video.json", "video.vendor.json")]
    bench.row("a payload that another process writes over meanwhile", 12, race,
              product(range(25), (False, True), pairs))


# --- Disks --------------------------------------------------------------------------------------------


def disks(bench: Bench) -> None:
    try:
        with mounted(bench.folder, "size=64k"):
            pass
    except UNAVAILABLE:
        return print("| full disks, read-only folders | left out: this process cannot mount | | |")

    def full(job: Job, kib: int) -> int:
        with mounted(bench.folder, f"size={kib}k,mode=755") as path:
            return bench.run(job, {job.normal_status, SYSTEM}, out=path)

    bench.row("a disk of 8 … 700 KiB that gets full", 12, full,
              product([job for job in bench.writing if job.there == OLD], (8, 64, 300, 600, 700)))

    def full_spool(kib: int) -> int:
        with mounted(bench.folder, f"size={kib}k") as path:
            return bench.run(bench.jobs["decrypt to a pipe, spool"], {SYSTEM}, spool=path)

    bench.row("a full disk under the spool", 2, full_spool, product((4, 500, 8000)))

    def read_only(job: Job) -> int:
        with mounted(bench.folder, "size=4m,mode=755") as path, Run(bench, job, out=path) as run:
            subprocess.run(["mount", "-o", "remount,ro", path], check=True)
            return run.judge(run.finish(run.start()), {job.normal_status, SYSTEM} - {DONE})

    bench.row("a folder on a read-only disk", 4, read_only, product(bench.writing))

    def forbidden(job: Job) -> int:
        with Run(bench, job) as run:
            os.chmod(run.folder, 0o755)
            os.chmod(run.out, 0o555)
            outcome = run.finish(run.start(user=65534, group=65534))
            return run.judge(outcome, {job.normal_status, SYSTEM} - {DONE})

    for name in os.listdir(bench.inputs.folder):
        os.chmod(bench.inputs.file(name), 0o644)
    bench.row("a folder that this user may not write to", 4, forbidden, product(bench.writing))


def power_cuts(bench: Bench) -> None:
    """A disk that stops at once, and is mounted again: what was reported as done must be there."""
    try:
        with new_disk(bench.folder) as disk:
            disk.cut_power()
    except UNAVAILABLE:
        return print("| power cuts | left out: no loop mounts of ext4 that can be shut down here | | |")

    def case(job: Job, share: float, is_log_written: bool) -> int:
        with new_disk(bench.folder) as disk, Run(bench, job, out=os.path.join(disk.path, "folder")) as run:
            os.sync()
            child = run.start()
            if share < 1:
                time.sleep(share * took[job.name])
                disk.cut_power(is_log_written)
                outcome = run.finish(child)
            else:
                outcome = run.finish(child)
                disk.cut_power(is_log_written)
            disk.mount_again()
            # A status of 0 is a promise; a cut run may have left a whole file, or a part of one without its name.
            return run.judge(outcome, {DONE, SYSTEM}, was_cut=True)

    names = ("decrypt", "decrypt, --force", "encrypt", "encrypt, --force", "rewrap", "keygen")
    jobs = [bench.jobs[name] for name in names]
    took = {job.name: bench.seconds(job) for job in jobs}
    moments = [(job, share, is_log_written) for job in jobs for is_log_written in (False, True)
               for share in [1.0] * 4 + [bench.random.random() for _ in range(8)]]
    # One after another, since there is one disk.
    bench.row("power cut (ext4 shut down without its data, its journal lost or kept, and mounted again)", 8, case, moments, workers=1)


# --- Each system call, failing at each of its times ---------------------------------------------------

# The ways in which each fails. The command must do its work all the same after `EINTR`.
FAILURES = {
    "openat": ["EMFILE", "EACCES", "EINTR"], "read": ["EIO", "EINTR"], "pread64": ["EIO"],
    "write": ["ENOSPC", "EIO", "EINTR"], "fsync": ["EIO", "ENOSPC", "EINTR"], "linkat": ["EIO", "ENOSPC"],
    "renameat": ["EIO", "ENOSPC"], "unlinkat": ["EIO"], "close": ["EIO", "EINTR"], "getrandom": ["ENOSYS", "EINTR"],
    "ftruncate": ["EIO"], "lseek": ["EIO"], "fstat": ["EIO"], "newfstatat": ["EIO"], "access": ["EACCES"],
    "readlink": ["EIO"], "fcntl": ["EIO"], "clone3": ["EAGAIN"], "mmap": ["ENOMEM"],
}
MEMORY_CALLS = {"mmap", "clone3"}


def system_calls(bench: Bench) -> None:
    def case(job: Job, call: str, number: int, error: str, lasts: str) -> int:
        statuses = {job.normal_status}
        if error != "EINTR":
            statuses.add(SYSTEM)
        if call in MEMORY_CALLS:
            statuses |= CRASHES
        with Run(bench, job) as run:
            wrapper = run.strace("-e", f"inject={call}:error={error}:when={number}{lasts}", trace=call)
            outcome = run.finish(run.start(wrapper))
            # A call of the second thread can have the number of one that the loader makes in the first.
            if outcome.status == 127 and b"loading shared libraries" in outcome.errors:
                return 127
            # A file that could not be taken away again stays, sealed or for its owner alone.
            is_left = call == "unlinkat" or outcome.status in CRASHES
            # The file has replaced the other one when its folder cannot be synced.
            return run.judge(outcome, statuses, was_cut=is_left, may_be_made=call == "fsync" and job.is_replacing)

    for call, errors in FAILURES.items():
        # Without getrandom, Swift opens a file, which then has the number of the nameless one.
        times = [(job, call, number, error) for job in bench.jobs.values() if not (job.is_named and call == "getrandom")
                 for number in sorted(bench.calls[job.name].get(call, ())) for error in errors]
        if times:
            bench.row(f"`{call}` fails: {', '.join(errors)}", 12 if len(errors) > 1 else 6, case,
                      [(*one, "") for one in times])
        # An interruption that lasts is another thing: the call is rightly tried for ever.
        if times := [one for one in times if one[3] != "EINTR"]:
            bench.row(f"`{call}` fails from there on: {', '.join(sorted(set(errors) - {'EINTR'}))}", 6, case,
                      [(*one, "+") for one in times])


def randomness(bench: Bench) -> None:
    def case(job: Job, has_devices: bool) -> int:
        environment = {} if has_devices else {"LD_PRELOAD": bench.library, "FAULT_RANDOM": "yes"}
        with Run(bench, job) as run:
            wrapper = run.strace("-e", "inject=getrandom:error=EPERM:when=1+", trace="getrandom")
            return run.judge(run.finish(run.start(wrapper, environment=environment)),
                             {job.normal_status, SYSTEM, *CRASHES})

    bench.row("`getrandom` refused for good", 12, case, product(bench.jobs.values(), [True]))
    bench.row("no random bytes, of the devices either", 3, case, product(bench.jobs.values(), [False]))


def algorithms(bench: Bench) -> None:
    """OpenSSL as it may be configured: without any algorithm that is asked for."""
    configuration = bench.inputs.file("openssl.cnf")
    store(configuration, b"openssl_conf = all\n[all]\nalg_section = algorithms\n[algorithms]\n"
                         b"default_properties = no.such.property=yes\n")

    def case(job: Job) -> int:
        return bench.run(job, {job.normal_status, SYSTEM}, environment={"OPENSSL_CONF": configuration})

    bench.row("no provider has the algorithms", 12, case, product(bench.direct))


def memory(bench: Bench) -> None:
    """Allocations that fail. Without memory for its own objects Swift ends the process; then nothing may be left."""
    def run(job: Job, wish: str, count: str = "") -> int:
        environment = {"LD_PRELOAD": bench.library, "FAULT_MEMORY": wish, "FAULT_MEMORY_COUNT": count}
        with Run(bench, job) as run:
            outcome = run.finish(run.start(environment=environment))
            return run.judge(outcome, {job.normal_status, SYSTEM, *CRASHES}, may_be_made=outcome.status in CRASHES)

    def times(owner: str, lasts: str, most: int = 0, start: float = 0):
        for job in bench.allocating:
            count = os.path.join(bench.folder, "count")
            run(job, f"{owner}:0", count)
            total = int(contents(count))
            numbers = range(1 + int(start * total), total + 1)
            if most and len(numbers) > most:
                numbers = bench.random.sample(numbers, most)
            yield from ((job, f"{owner}:{number}{lasts}") for number in numbers)

    bench.row("an allocation of OpenSSL fails, one at a time", 300, run, times("crypto", ""))
    bench.row("the same, and all of OpenSSL's that follow", 150, run, times("crypto", "+"))
    # Before the last tenth, OpenSSL sets itself up and reads the keys.
    bench.row("one of the last tenth of OpenSSL's allocations fails", 100, run, times("crypto", "", start=0.9))
    bench.row("an allocation of Swift or the C library fails, one at a time", 100, run, times("others", ""))
    bench.row("every allocation fails from there on", 50, run, times("all", "+", most=1000))


if __name__ == "__main__":
    main()
