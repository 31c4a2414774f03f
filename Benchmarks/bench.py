# SPDX-License-Identifier: Apache-2.0
"""Measures the product beside its contestants. Called by scripts/bench, which builds everything and sets the paths."""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import time

import report
import targets
from measure import Contestant, Failed, Sample, first_byte, in_turn, output_of, process, summary
from workload import CBC, MIB, ORDER, V1, V2, Files, folder

HERE = os.path.dirname(os.path.abspath(__file__))
GIB = 1024 * MIB
RAW = "openssl speed aes-256-gcm"
ONE, TWO = ["--threads", "1"], ["--threads", "2"]
# What an app adds to a result before it sends it: each name and text could speak against the pass, and is read.
ADDED_BY_AN_APP = {
    "requestId": "8f14e45f-ceea-467f-a0e6-0b3c1d2e4f5a", "timestamp": "1767225600000", "deviceModel": "iPhone15,2",
    "osVersion": "17.4.1", "appVersion": "6.2.0 (build 1234)", "sessionId": "b6d767d2f8ed5d21a44b0e5886680cb9",
    "channel": "AppStore", "locale": "zh_CN", "userAgent": "MyApp/6.2.0 CFNetwork/1494.0.7 Darwin/23.4.0",
    "traceId": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "faceType": "living", "duration": 5230,
}


class Bench:
    def __init__(self, arguments: argparse.Namespace):
        self.tool, self.reference = os.environ["EVIDENCE_TOOL"], os.environ["REFERENCE"]
        self.library, self.launcher = os.environ["EVIDENCE_BENCHMARK"], os.environ["LAUNCHER"]
        self.rounds = arguments.rounds
        self.groups: list[dict] = []

    # One run of each kind.

    def command(self, name: str, files: Files, command: list[str], *, check: bool = False, rounds=None, into="null"):
        """A process that turns `files` into its output; GB/s of plaintext."""
        unchecked = [check]

        def run() -> Sample:
            if os.path.exists(files.output):
                os.remove(files.output)
            seconds, peak = process(self.launcher, command, into)
            if unchecked[0] and not files.is_opened():
                raise Failed(f"{name}: what came out is not the video")
            unchecked[0] = False
            return Sample(files.size / seconds / 1e9, peak)

        return Contestant(name, run, rounds)

    def in_process(self, name: str, files: Files, command: list[str]) -> Contestant:
        """A program that takes its own time and prints it; GB/s of plaintext."""

        def run() -> Sample:
            figures = printed(command)
            if figures["bytes"] != files.size:
                raise Failed(f"{name}: {figures['bytes']} bytes, not {files.size}")
            return Sample(files.size / figures["seconds"] / 1e9)

        return Contestant(name, run)

    def openssl_speed(
        self, name: str, algorithm: list[str], unit: float, *more: str, where: tuple = ()
    ) -> Contestant:
        """`openssl speed`: bytes in a second for ciphers and digests, private operations for RSA."""
        sized = [] if "rsa2048" in algorithm else ["-bytes", "16384"]

        def run() -> Sample:
            text = output_of([*where, "openssl", "speed", "-mr", "-elapsed", "-seconds", "1", *sized, *more, *algorithm])
            line = next(line for line in reversed(text.splitlines()) if line.startswith(("+F:", "+F2:")))
            # +F:number:name:bytes a second, or +F2:number:bits:private operations a second:public ones
            return Sample(float(line.split(":")[3]) / unit)

        return Contestant(name, run)

    def group(self, job: str, size: int, unit: str, contestants: list[Contestant], rounds: int = 0) -> None:
        self.keep(job, size, unit, in_turn(contestants, rounds or self.rounds))

    def keep(self, job: str, size: int, unit: str, samples: dict[str, list[Sample]]) -> None:
        results = {name: summary(runs) for name, runs in samples.items()}
        self.groups.append({"job": job, "size": size, "unit": unit, "contestants": results})
        print(f"{job}, {targets.name(size)}", file=sys.stderr)
        for name, result in results.items():
            print(f"    {name:30} {report.figure(result, unit)}", file=sys.stderr)

    # The jobs of the table.

    def decrypt(self, files: Files, options: list[str], source: str) -> list[str]:
        return [*self.opening_of(files, source), *options, "-o", files.output, source]

    def opening_of(self, files: Files, source: str) -> list[str]:
        """A reader has one format, and has to be told of the older one."""
        return [self.tool, "decrypt", "--key", files.key, *([] if source == files.chunked_path else V1)]

    # Who is compared runs one after the other, and the peers that take a gigabyte of memory run last: what follows them
    # finds the system busy giving it back.

    def decrypting(self, files: Files, *variants: Contestant) -> list[Contestant]:
        """Who opens a file into a file, at every size."""
        out, payload, key = files.output, files.payload, files.key
        cbc, age = files.as_cbc(), files.as_age()
        peers = os.path.join(HERE, "peers")
        python = [sys.executable, os.path.join(peers, "open_payload.py"), key, payload, out]
        node = ["node", os.path.join(peers, "open_payload.js"), key, payload, out]
        to_pipe = [*self.opening_of(files, payload), *TWO, payload]
        return [
            self.command("cp of the video", files, ["cp", files.video, out], check=True),
            self.command("evidence-tool", files, self.decrypt(files, TWO, payload), check=True),
            *variants,
            self.command("C reference", files, [self.reference, "open", key, payload, out], check=True),
            self.command("evidence-tool, to a pipe", files, to_pipe, into="pipe"),
            self.command("openssl enc", files, ["openssl", "enc", "-d", *CBC, "-in", cbc, "-out", out], check=True),
            self.command("age", files, ["age", "-d", "-i", files.identity, "-o", out, age], check=True),
            self.command("Python", files, python, check=True, rounds=3),
            self.command("Node", files, node, check=True, rounds=3),
        ]

    def encrypting(self, files: Files, *variants: Contestant) -> list[Contestant]:
        seal, out = [self.tool, "encrypt", "--public", files.public, "--order-no", ORDER, *V1], files.output
        return [
            self.command("evidence-tool", files, [*seal, *TWO, "-o", out, files.video]),
            *variants,
            self.command("C reference", files, [self.reference, "seal", files.public, ORDER, files.video, out]),
        ]

    def by_size(self, files: Files) -> None:
        self.group("decrypt", files.size, "GB/s", self.decrypting(files))
        self.group("encrypt", files.size, "GB/s", self.encrypting(files))

    def main_size(self, files: Files) -> None:
        """The size the targets are about, with every contestant and every variant."""
        out, payload, key = files.output, files.payload, files.key
        vendor, escaped, armoured = files.in_vendor_order(), files.escaped(), files.as_age("-a")
        two = [self.reference, "open", "-2", key, payload, out]
        self.check_reference(files)
        self.opening(files)
        self.group("decrypt", files.size, "GB/s", self.decrypting(
            files,
            self.command("C reference, 2 threads", files, two, check=True),
            self.command(
                "evidence-tool, vendor's order", files, self.decrypt(files, TWO, vendor), check=True),
            self.command(
                "evidence-tool, slashes escaped", files, self.decrypt(files, TWO, escaped), check=True),
            self.command(
                "age, armoured", files, ["age", "-d", "-i", files.identity, "-o", out, armoured], check=True),
            self.command("evidence-tool, 1 thread", files, self.decrypt(files, ONE, payload), check=True),
        ))
        seal = [self.tool, "encrypt", "--public", files.public, "--order-no", ORDER, *V1]
        two = [self.reference, "seal", "-2", files.public, ORDER, files.video, out]
        self.group("encrypt", files.size, "GB/s", self.encrypting(
            files,
            self.command("C reference, 2 threads", files, two),
            self.command("openssl enc", files, ["openssl", "enc", "-e", *CBC, "-in", files.video, "-out", out]),
            self.command("age", files, ["age", "-R", files.recipient, "-o", out, files.video]),
            self.command("age, armoured", files, ["age", "-R", files.recipient, "-a", "-o", out, files.video]),
            self.command("evidence-tool, 1 thread", files, [*seal, *ONE, "-o", out, files.video]),
        ))
        result = files["result.json"]
        output_of([self.library, "assemble", files.public, files.video, result])
        self.group("assemble and check", files.size, "GB/s", [
            self.in_process("EvidenceKit assemble", files, [self.library, "assemble", files.public, files.video]),
            self.in_process("EvidenceKit check", files, [self.library, "check", key, result]),
            self.in_process("EvidenceKit check, all digests", files, [self.library, "check", key, result, "all"]),
            self.openssl_speed("openssl speed sha256", ["sha256"], 1e9),
        ])

    def opening(self, files: Files) -> None:
        self.group("open and discard", files.size, "GB/s", [
            self.in_process("EvidenceKit", files, [self.library, "open", V1[1], files.key, files.payload]),
            self.in_process("C reference", files, [self.reference, "open", files.key, files.payload]),
            self.in_process("C reference, 2 threads", files, [self.reference, "open", "-2", files.key, files.payload]),
            self.openssl_speed("openssl speed aes-256-gcm", ["-decrypt", "-evp", "aes-256-gcm"], 1e9),
        ])

    def chunks(self, files: Files) -> None:
        """evidence-v2 beside evidence-v1: opened whole on one thread and on two, streamed, and in part."""
        chunked, key, out = files.chunked(), files.key, files.output
        self.check_opening(files, chunked)
        for version, where in ("3.0", ()), ("3.5", self.debian13()):
            if where is None:
                continue

            def opening(name: str, *command: str) -> Contestant:
                return self.in_process(name, files, [*where, *command])

            self.group(f"chunks, discarding, OpenSSL {version}", files.size, "GB/s", [
                opening("v2, 1 thread", self.library, "open", V2[1], key, chunked, "1"),
                opening("v1, 1 thread", self.library, "open", V1[1], key, files.payload, "1"),
                opening("v2, 2 threads", self.library, "open", V2[1], key, chunked, "2"),
                opening("v1, 2 threads", self.library, "open", V1[1], key, files.payload, "2"),
                opening("C, v2, 1 thread", self.reference, "open", "-1", key, chunked),
                opening("C, v2, 2 threads", self.reference, "open", "-2", key, chunked),
                opening("C, v1, 1 thread", self.reference, "open", "-1", key, files.payload),
                opening("C, v1, 2 threads", self.reference, "open", "-2", key, files.payload),
                self.openssl_speed(RAW, ["-decrypt", "-evp", "aes-256-gcm"], 1e9, where=where),
                self.openssl_speed(
                    f"{RAW}, 2 processes", ["-decrypt", "-evp", "aes-256-gcm"], 1e9, "-multi", "2", where=where),
            ])
        self.group("chunks, to a file", files.size, "GB/s", [
            self.command("evidence-tool, v2, 2 threads", files, self.decrypt(files, TWO, chunked), check=True),
            self.command("evidence-tool, v1, 2 threads", files, self.decrypt(files, TWO, files.payload), check=True),
            self.command("evidence-tool, v2, 1 thread", files, self.decrypt(files, ONE, chunked), check=True),
            self.command("evidence-tool, v1, 1 thread", files, self.decrypt(files, ONE, files.payload), check=True),
            self.command("C, v2, 2 threads", files, [self.reference, "open", "-2", key, chunked, out], check=True),
        ])
        stream = [self.tool, "decrypt", "--stream", "--key", key, "-"]

        def streamed() -> Sample:
            waited, count = first_byte(stream, chunked)
            if count != files.size:
                raise Failed(f"--stream: {count} bytes, not {files.size}")
            return Sample(waited)

        def part(figure: str, *index: str) -> Contestant:
            def run() -> Sample:
                figures = printed([self.library, "part", key, chunked, *index])
                if figures["bytes"] != MIB:
                    raise Failed(f"part: {figures['bytes']} bytes")
                return Sample(figures[figure] * 1000)

            if index:
                # Of a document that was written just now, none is made.
                time.sleep(4)
                run()
                return Contestant("1 MiB of it, the first part, with an index", run)

            return Contestant("1 MiB of it, " + ("a further part" if figure == "part" else "the first part"), run)

        self.group("chunks, waiting", files.size, "ms", [
            Contestant("--stream, first byte", streamed), part("seconds"),
            part("seconds", files["index.json"]), part("part")])
        # Only for its memory: the launcher gives it the payload through a pipe of its own.
        piped = ["sh", "-c", 'cat "$1" | exec "$2" decrypt --stream --key "$3" -', "sh", chunked, self.tool, key]
        self.group("chunks, pipe to pipe", files.size, "GB/s", [
            self.command("evidence-tool, --stream", files, piped, into="pipe")], min(self.rounds, 3))

    def debian13(self) -> "tuple | None":
        """What to put before a command that is to run with OpenSSL 3.5."""
        there = os.path.join(os.path.dirname(HERE), "scripts", "steps", "in-debian13")
        result = subprocess.run([there, "openssl", "version"], capture_output=True, text=True)
        if result.returncode != 0:
            print(f"bench: OpenSSL 3.5 SKIPPED: {result.stderr.strip()[-200:]}", file=sys.stderr)
            return None
        return (there,)

    def check_opening(self, files: Files, chunked: str) -> None:
        """The yardstick opens evidence-v2, with any number of threads, and refuses a damaged one."""
        for threads in "-1", "-2", "-3":
            output_of([self.reference, "open", threads, files.key, chunked, files.output])
            if not files.is_opened():
                raise Failed("what the reference opened is not the video")
            os.remove(files.output)
        damaged = files["damaged.json"]
        subprocess.run(["cp", chunked, damaged], check=True)
        with open(damaged, "r+b") as payload:
            payload.seek(files.size)
            character = payload.read(1)
            payload.seek(files.size)
            payload.write(b"A" if character != b"A" else b"B")
        if subprocess.run([self.reference, "open", "-2", files.key, damaged], capture_output=True).returncode == 0:
            raise Failed("the reference opens a damaged payload")
        os.remove(damaged)

    def largest_size(self, files: Files) -> None:
        """Only what is asked for there: the other contestants' files would not fit into memory beside it."""
        self.opening(files)
        to_pipe = [*self.opening_of(files, files.payload), *TWO, files.payload]
        self.group("decrypt", files.size, "GB/s", [
            self.command("evidence-tool", files, self.decrypt(files, TWO, files.payload), check=True),
            self.command("C reference", files, [self.reference, "open", files.key, files.payload, files.output]),
            self.command("evidence-tool, to a pipe", files, to_pipe, into="pipe", rounds=1),
        ], min(self.rounds, 3))
        self.group("encrypt", files.size, "GB/s", self.encrypting(files), min(self.rounds, 3))

    def small(self, files: Files, count: int) -> None:
        """A payload of 4 KiB, many times in one process; and what starting a process costs."""

        def library(threads: int, verb: str = "small", what: str = "") -> Contestant:
            command = [self.library, verb, V1[1], files.key, files.payload, str(count), str(threads)]
            name = f"EvidenceKit{what}, {threads} thread" + "s" * (threads > 1)
            return Contestant(name, lambda: Sample(printed(command)["rate"]))

        result = files["result.json"]
        output_of([self.library, "assemble", files.public, files.video, result])
        longer = files["longer-result.json"]
        with open(result, encoding="utf-8") as file, open(longer, "w", encoding="utf-8") as out:
            json.dump({**json.load(file), **ADDED_BY_AN_APP}, out)

        def check(path: str, what: str = "") -> Contestant:
            command = [self.library, "small-check", files.key, path, str(count), "1"]
            return Contestant(f"EvidenceKit check{what}, 1 thread", lambda: Sample(printed(command)["rate"]))

        self.group("small payloads", files.size, "/s", [
            library(1), library(2), library(1, "small-refused", ", wrong tag"),
            check(result), check(longer, ", 12 more members"),
            self.openssl_speed("openssl speed rsa2048", ["rsa2048"], 1),
            self.openssl_speed("openssl speed rsa2048, 2 processes", ["rsa2048"], 1, "-multi", "2"),
        ], 5)

        def start(name: str, *command: str) -> Contestant:
            def run() -> Sample:
                if os.path.exists(files.output):
                    os.remove(files.output)
                seconds, peak = process(self.launcher, list(command))
                return Sample(seconds * 1000, peak)

            return Contestant(name, run)

        self.group("start", files.size, "ms", [
            start("/bin/true", "/bin/true"),
            start("openssl version", "openssl", "version"),
            start("evidence-tool --version", self.tool, "--version"),
            start("evidence-tool decrypt, 4 KiB", *self.decrypt(files, [], files.payload)),
            start("C reference, 4 KiB", self.reference, "open", files.key, files.payload, files.output),
        ], 31)

    def base64(self) -> None:
        """The library and Foundation take turns inside one process, its kernels in the next, pybase64 in the third."""
        samples: dict[str, list[Sample]] = {}
        peer = [sys.executable, os.path.join(HERE, "peers", "base64_rates.py")]
        for _ in range(3):
            for command in [self.library, "base64"], [os.environ["KERNELS"]], peer:
                for name, rate in printed(command).items():
                    samples.setdefault(name, []).append(Sample(rate))
        self.keep("base64", 65536, "GB/s", samples)

    def check_reference(self, files: Files) -> None:
        """The yardstick does the real job: the product opens what it sealed, and it refuses what is damaged. That it
        opens what the product sealed is checked when it is timed."""
        sealed = files["reference.json"]
        for threads in [], ["-2"]:
            output_of([self.reference, "seal", *threads, files.public, ORDER, files.video, sealed])
            output_of([*self.opening_of(files, sealed), "--force", "-o", files.output, sealed])
            if not files.is_opened():
                raise Failed("what the reference sealed is not the video")
            with open(sealed, "r+b") as payload:
                payload.seek(files.size)
                character = payload.read(1)
                payload.seek(files.size)
                payload.write(b"A" if character != b"A" else b"B")
            opening = [self.reference, "open", *threads, files.key, sealed]
            if subprocess.run(opening, capture_output=True).returncode == 0:
                raise Failed("the reference opens a damaged payload")
            os.remove(sealed)


def printed(command: list[str]) -> dict[str, float]:
    """The figures of a program of ours: on each line a name, a tab, a number."""
    return {name: float(value) for name, value in (line.split("\t") for line in output_of(command).splitlines())}


def machine() -> dict:
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.machine(), "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "base64 of the reference": output_of([os.environ["REFERENCE"], "kernel"]).strip(),
        "openssl": output_of(["openssl", "version"]).split("(")[0].strip(),
        "swift": next(line for line in output_of(["swift", "--version"]).splitlines() if "Swift version" in line),
        "age": output_of(["age", "--version"]).strip(), "node": output_of(["node", "--version"]).strip(),
        "python": platform.python_version(),
    }


def byte_count(text: str) -> int:
    units = {"K": 1 << 10, "M": MIB, "G": GIB}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds: to see that it works")
    parser.add_argument("--sizes", help="for the curves, e.g. 1K,64K,4M")
    parser.add_argument("--main", type=byte_count, help="the size of the table (256M)")
    parser.add_argument("--largest", type=byte_count, help="the largest size (2G), 0 for none")
    parser.add_argument("--chunks", type=byte_count, help="the size of the table of evidence-v2 (1G), 0 for none")
    parser.add_argument("--only-chunks", action="store_true", help="that table alone, without a report")
    parser.add_argument("--rounds", type=int, help="how often each contestant runs (15)")
    parser.add_argument("--json", default=".build/bench.json", help="where the figures go (.build/bench.json)")
    parser.add_argument("--report", action="store_true", help="write docs/PERFORMANCE.md and its plots, too")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (3 if arguments.quick else 15)
    main_size = arguments.main or (64 if arguments.quick else 256) * MIB
    largest = arguments.largest if arguments.largest is not None else 0 if arguments.quick else 2 * GIB
    sizes = [byte_count(size) for size in (
        arguments.sizes or ("1K,1M" if arguments.quick else "1K,16K,256K,4M,64M")).split(",")]

    chunks = arguments.chunks if arguments.chunks is not None else 64 * MIB if arguments.quick else GIB
    if arguments.only_chunks:
        main_size, largest, sizes, arguments.report = 0, 0, [], False

    bench = Bench(arguments)
    results = {
        "date": datetime.date.today().isoformat(),
        "commit": output_of(["git", "describe", "--always", "--dirty"]).strip(),
        "machine": machine(), "main_size": main_size, "largest_size": largest, "chunks_size": chunks,
        "groups": bench.groups,
    }
    # The largest needs its video, its payload and one output at a time; the other has eight files and some outputs.
    with folder(max(largest * 4, main_size * 13, chunks * 6)) as path:
        os.environ["TMPDIR"] = path
        if not arguments.only_chunks:
            bench.base64()
            bench.small(Files(path, bench.tool, 4096), 1000 if arguments.quick else 10_000)
        for size in sizes:
            bench.by_size(Files(path, bench.tool, size))
        if chunks:
            bench.chunks(Files(path, bench.tool, chunks))
        if main_size:
            bench.main_size(Files(path, bench.tool, main_size))
        if largest:
            bench.largest_size(Files(path, bench.tool, largest))

    # Five minutes, most of which were ours; more than our own two threads is other work.
    results["machine"]["load average at the end"] = f"{os.getloadavg()[1]:.1f}"
    results["targets"] = targets.judge(results)
    if arguments.only_chunks:
        results["targets"] = [row for row in results["targets"] if row["measured"] is not None]
    with open(arguments.json, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    print(report.table(results["targets"]))
    if arguments.report:
        report.write(results)


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"bench: {failure}")
