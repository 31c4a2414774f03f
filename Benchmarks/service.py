#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Payloads of 4 KiB and of 5 MB through the service, over 8 and over 64 connections, beside calls in one process on the same
cores.

    service.py SERVICE BENCHMARK TOOL [ROUNDS]

SERVICE and BENCHMARK (EvidenceBenchmark) are release builds. The load comes from a program in C on the same cores
(reference/requests.c). Each round measures all for about two seconds each, in turn. Prints a table of medians: requests a
second, their share of the calls in one process (for small payloads, 0.7 is the target at 8 connections), how long one takes at
the median and at the 99th percentile, and the processor time of a request: in the process, in the service, in the load.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Packages", "Service", "Tests", "drive"))

from harness import Service, key, running, tool  # noqa: E402  pylint: disable=wrong-import-position

SIZES = {"4 KiB": 4096, "5 MB": 5_000_000}
CONNECTIONS = 8, 64
SECONDS = 2.0


def processor_time(service: Service) -> float:
    """Seconds, of all threads that there are and were."""
    with open(f"/proc/{service.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(*words: str) -> tuple[str, float]:
    """What a program says, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Payload:
    """One size, and what was measured with it."""

    def __init__(self, folder: str, name: str, size: int, evidence_tool: str) -> None:
        self.name, self.count = name, 2000 if size < 100_000 else 20
        self.content = tool(evidence_tool, "encrypt", "--public", key("rsa2048.public.pem"), "--order-no", "ord1",
                            data=os.urandom(size))
        self.path, self.request = (os.path.join(folder, f"{size}.{kind}") for kind in ("json", "request"))
        head = (b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: evidence\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n" % len(self.content))
        for path, content in ((self.path, self.content), (self.request, head + self.content)):
            with open(path, "wb") as file:
                file.write(content)
        self.own: list[tuple[float, float]] = []
        self.served: dict[int, list[tuple[float, ...]]] = {connections: [] for connections in CONNECTIONS}

    def measure(self, benchmark: str, load: str, service: Service, cores: int) -> None:
        said, time = run(benchmark, "small", "evidence-v2", key("rsa2048.pem"), self.path, str(self.count), str(cores))
        rate = float(said.split("\t")[1])
        self.own.append((rate, time / self.count * 1e6))
        self.count = max(cores, int(rate * SECONDS))
        for connections, rows in self.served.items():
            before = processor_time(service)
            said, load_time = run(load, service.socket, self.request, str(connections), str(SECONDS))
            rate, answers, *times = (float(word) for word in said.split())
            rows.append((rate, *times, (processor_time(service) - before) / answers * 1e6, load_time / answers * 1e6))

    def rows(self) -> list[str]:
        # The first round was there to learn how many calls take that long.
        own, own_time = (statistics.median(values) for values in zip(*self.own[1:]))
        rows = [f"| {self.name} in one process | {own:,.0f} | 1 | | | {own_time:,.0f} | |"]
        for connections, measured in self.served.items():
            rate, middle, high, time, load_time = (statistics.median(values) for values in zip(*measured[1:]))
            rows.append(f"| {self.name} over {connections} connections | {rate:,.0f} | {rate / own:.2f} | {middle:.3g} ms "
                        f"| {high:.3g} ms | {time:,.0f} | {load_time:,.0f} |")
        return rows


def main() -> None:
    service_program, benchmark, evidence_tool = (os.path.abspath(path) for path in sys.argv[1:4])
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, running(service_program, "--key", key("rsa2048.pem")) as service:
        load = os.path.join(folder, "requests")
        source = os.path.join(ROOT, "Benchmarks", "reference", "requests.c")
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", load, source], check=True)
        payloads = [Payload(folder, name, size, evidence_tool) for name, size in SIZES.items()]
        for payload in payloads:
            assert service.ask("POST", "/v1/open?orderNo=ord1", payload.content)[0] == 200
        for _ in range(rounds):
            for payload in payloads:
                payload.measure(benchmark, load, service, cores)
        service.stop()
    print("| | a second | share | median | 99th percentile | µs of processor | µs of the load |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    print("\n".join(row for payload in payloads for row in payload.rows()))


if __name__ == "__main__":
    main()
